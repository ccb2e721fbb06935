"""What a trial keeps of its predictions, and estimators that say again what was kept."""

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from boostbench.data.dataset import Features, Target
from boostbench.data.splits import Rows
from boostbench.engine.scorers import RowValues, Unit, one_per_row
from boostbench.store.predictions import Predictions, as_texts


class TestPart(NamedTuple):
    """The rows of a data set that are tested, and their targets, which are not scaled."""

    rows: Rows
    y: Target


def kept_predictions(
    estimator: object,
    X: Features,
    predicted: RowValues,
    test: TestPart,
    *,
    unit: Unit,
    classes: RowValues | None,
    labels: Sequence[str],
    probabilities: RowValues | None,
) -> dict[str, str]:
    """Return the predictions of a fitted estimator for the test rows ``X``, as a worker sends them.

    Whatever it does when it is asked changes no score: all have been measured.
    """
    decision = None
    if classes is not None and hasattr(estimator, "decision_function"):
        with contextlib.suppress(Exception):  # a user's own code may raise anything
            decision = _numbers(np.array(estimator.decision_function(X)))
    kept = Predictions(
        rows=np.asarray(test.rows, dtype=np.int64),
        y=test.y,
        predicted=_numbers(one_per_row(predicted)),
        unit=unit,
        classes=classes,
        labels=() if classes is None else labels,
        probabilities=None if probabilities is None else _numbers(probabilities),
        decision=decision,
    )
    return as_texts(kept)


def _numbers(values: RowValues) -> RowValues:
    """Return numbers as they are, since scores may depend on their precision."""
    return values if values.dtype.kind in "fiub" else values.astype(np.float64)


class _Kept(BaseEstimator):
    """Predicts for all test rows what was kept."""

    def __init__(self, kept: Predictions) -> None:
        self.kept = kept

    def predict(self, X: Features) -> RowValues:
        """Return what was predicted: values, as the target was scaled, or the codes of classes."""
        return _for_all(X, self.kept.predicted)


class KeptRegressor(RegressorMixin, _Kept):
    """Predicts for all test rows what was kept."""


class KeptClassifier(ClassifierMixin, _Kept):
    """Predicts for all test rows what was kept, the codes of classes and their probabilities."""

    @property
    def classes_(self) -> RowValues | None:
        """The codes of the classes of the training rows."""
        return self.kept.classes

    @available_if(lambda self: self.kept.probabilities is not None)
    def predict_proba(self, X: Features) -> RowValues:
        """Return the probabilities that were predicted."""
        return _for_all(X, self.kept.probabilities)

    @available_if(lambda self: self.kept.decision is not None)
    def decision_function(self, X: Features) -> RowValues:
        """Return the decisions as they were."""
        return _for_all(X, self.kept.decision)


def _for_all(X: Features, values: RowValues | None) -> RowValues:
    if values is None or len(X) != len(values):
        raise ValueError("predictions are kept for all test rows together")
    return values.copy()
