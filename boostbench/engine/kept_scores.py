"""Scores of kept predictions, without a fit: those that a trial with the metric would record."""

import contextlib
import functools
import inspect
import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from boostbench.data.dataset import Target
from boostbench.engine.keeping import KeptClassifier, KeptRegressor
from boostbench.engine.scorers import SCALED, RowValues, scorer_metrics
from boostbench.errors import ConfigError
from boostbench.estimators import Scorer, load_scorer
from boostbench.plan.trial import Trial
from boostbench.store.predictions import Predictions
from boostbench.store.types import Scalar

_OF_ESTIMATORS = {"estimator", "model", "clf", "X", "x", "X_test"}
_KINDS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def scores_of_kept(
    trial: Trial, kept: Predictions, name: str, function: str, scorer: Scorer
) -> dict[str, Scalar]:
    """Return the score ``name`` of a trial's predictions, or None and why, as trials record it.

    ``scorer`` is that of :func:`scorer_of_predictions` for ``function``.
    """
    asked = replace(trial, metrics={name: function}, labels=tuple(kept.labels))
    place = np.arange(len(kept.rows), dtype=np.float64)[:, np.newaxis]
    estimator = KeptRegressor(kept) if kept.classes is None else KeptClassifier(kept)
    # What a trial prints, and warns of, is its output.
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return scorer_metrics(
            asked,
            estimator,
            (place, scaled_target(kept)),
            kept.predicted,
            unit=kept.unit if trial.units == "original" else SCALED,
            trained=kept.classes,
            load=lambda _: scorer,
        )


def scaled_target(kept: Predictions) -> Target:
    """Return the targets as they were scaled for the trial, the codes of classes as they are."""
    mean, scale = kept.unit
    return kept.y if kept.unit == SCALED else np.asarray((kept.y - mean) / scale)


def scorer_of_predictions(function: str) -> Scorer:
    """Return a metric that needs predictions alone as a scorer.

    That is one of scikit-learn's, or ``module:function`` of (y, predicted, probabilities), or of
    the first two. Raises ConfigError for any other.
    """
    scorer = load_scorer(function)
    if ":" not in function:
        return scorer
    return functools.partial(_called, scorer, _number_of_arguments(function, scorer))


def _called(
    function: Callable[..., SupportsFloat],
    count: int,
    estimator: object,
    X: RowValues,
    y: ArrayLike,
) -> SupportsFloat:
    """Call a function of predictions."""
    predict, probabilities = getattr(estimator, "predict"), None  # noqa: B009  # an object
    if count > 2 and (ask := getattr(estimator, "predict_proba", None)) is not None:
        probabilities = ask(X)
    return function(*(y, predict(X), probabilities)[:count])


def _number_of_arguments(path: str, function: Callable[..., object]) -> int:
    """Return how many of (y, predicted, probabilities) a function takes; ConfigError if another."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return 2
    positional = [each for each in parameters if each.kind in _KINDS]
    names = [each.name for each in positional]
    needed = [each.name for each in positional if each.default is each.empty]
    _refuse_other_functions(path, names, needed)
    takes_third = len(names) > 2 and ("prob" in names[2] or len(needed) == 3)
    return 3 if takes_third else 2


def _refuse_other_functions(path: str, names: Sequence[str], needed: Sequence[str]) -> None:
    """Raise ConfigError for a function of an estimator, or of more or less than predictions."""
    if needs := [name for name in needed if name in _OF_ESTIMATORS]:
        raise ConfigError(
            f"the metric {path} needs the fitted estimator (its parameter "
            f"'{needs[0]}'), of which only predictions are kept: give a function of (y, "
            "predicted, probabilities), or name it in `metrics` and run with --again"
        )
    if len(names) < 2 or len(needed) > 3:
        raise ConfigError(
            f"the metric {path} takes ({', '.join(names)}): a metric of kept predictions is a "
            "function of (y, predicted, probabilities), or of the first two"
        )
