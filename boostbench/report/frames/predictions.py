"""Kept predictions as a frame, one row per trial and test row."""

import numpy as np
import pandas as pd

from boostbench.data.dataset import labels_of
from boostbench.plan.trial import LABELS, Trial
from boostbench.store.predictions import Predictions
from boostbench.store.store import Store

COLUMNS = [*LABELS, "row", "y", "predicted"]
"""The columns of :func:`predictions_frame`, before those of probabilities."""


def predictions_frame(store: Store) -> pd.DataFrame:
    """Return the predictions of all planned trials that kept them, in the order of the plan.

    ``y`` and ``predicted`` are values in the target's own unit, or labels of classes as their file
    has them. Classifiers with probabilities have a column ``probability_LABEL`` for each class: 0
    where it was not among the training rows, NaN for data sets without that class.
    """
    kept = store.with_predictions()
    trials = {trial.key: trial for trial in store.part() if trial.key in kept}
    parts = [
        _of_trial(trial, predictions)
        for key, trial in trials.items()
        if (predictions := store.predictions(key)) is not None
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _of_trial(trial: Trial, kept: Predictions) -> pd.DataFrame:
    columns: dict[str, object] = {name: getattr(trial, name) for name in LABELS}
    columns["row"] = kept.rows
    if kept.classes is None:
        mean, scale = kept.unit
        columns["y"] = kept.y
        columns["predicted"] = kept.predicted.astype(np.float64) * scale + mean
        return pd.DataFrame(columns)
    labels = labels_of(kept.labels)
    columns["y"] = labels[kept.y]
    columns["predicted"] = labels[kept.predicted.astype(np.int64)]
    if kept.probabilities is not None:
        known = dict(zip(kept.classes.tolist(), kept.probabilities.T, strict=True))
        for code, label in enumerate(kept.labels):
            given = known.get(code, np.zeros(len(kept.rows)))
            columns[f"probability_{label}"] = given.astype(np.float64)
    return pd.DataFrame(columns)
