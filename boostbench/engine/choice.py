"""The choice of parameters before a trial's fit, by fits on parts of its training rows."""

import contextlib
import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boostbench import estimators
from boostbench.data.dataset import Dataset
from boostbench.data.prepare import Prepared, prepare_split
from boostbench.data.row_splits import splits_by_columns
from boostbench.data.splits import (
    Rows,
    Split,
    kfold_indices,
    shuffle_indices,
    stratified_kfold_indices,
)
from boostbench.engine.evaluation import (
    as_numbers,
    checked_predictions,
    classification_metrics,
    probability_metrics,
    regression_metrics,
)
from boostbench.engine.interface import TrialError, changed_sources
from boostbench.engine.scorers import SCALED, RowValues, scorer_metrics
from boostbench.estimators import Estimator, load_scorer
from boostbench.papers.metrics import METRICS
from boostbench.plan.trial import Trial
from boostbench.sample_weights import nested_estimators, weights_for
from boostbench.store.types import MISSING, Scalar
from boostbench.user_code import own_sources

CHOICE_TEST_SIZE = 0.25
"""The share of the training rows on which values of parameters are compared."""


def chosen_params(trial: Trial, dataset: Dataset, train: NDArray[np.int64]) -> dict[str, object]:
    """Return the values among ``trial.choose`` that do best on parts of the rows ``train``.

    Every combination of values is fitted on the rest of these rows of ``dataset``, scaled by that
    rest, with ``trial.choose_with`` in place of the parameters of the same names. The least mean
    error (squared error for regression) over the :func:`inner_splits` wins, or the best mean of the
    metric ``trial.choose_by``, the first of equal ones.

    Raises TrialError where the metric has no value for any combination.
    """
    candidates = [
        dict(zip(trial.choose, values, strict=True))
        for values in itertools.product(*trial.choose.values())
    ]
    metric = _ChoiceMetric(trial) if trial.choose_by else None
    splits = inner_splits(trial, dataset, train)
    losses = np.empty((len(splits), len(candidates)))
    for number, (fit_part, test_part) in enumerate(splits):
        data = prepare_split(
            dataset,
            train[fit_part],
            train[test_part],
            trial.scale_features,
            trial.scale_target,
            trial.features,
        )
        for place, candidate in enumerate(candidates):
            estimator = _fitted(trial, candidate, data)
            predicted = checked_predictions(np.asarray(estimator.predict(data.X_test)), data.y_test)
            if metric is None:
                losses[number, place] = _error(trial, data, predicted)
            else:
                losses[number, place] = metric.loss(estimator, data, predicted)
    with np.errstate(over="ignore", invalid="ignore"):
        means = losses.mean(axis=0)
    # An error that overflows or is not a number counts as infinite.
    means = np.where(np.isfinite(means), means, np.inf)
    if metric is not None and np.isinf(means).all():
        raise TrialError(f"nothing can be chosen by {metric.name}: {metric.why_missing}")
    return candidates[int(np.argmin(means))]


def inner_splits(trial: Trial, dataset: Dataset, train: Rows) -> list[Split]:
    """Return the positions in ``train`` of the rows to fit and of those to compare values on.

    They are a random quarter of the rows ``train`` of ``dataset``, or folds of them where the trial
    asks for such, the same for all methods, with a share of each class for classification. Groups
    are kept together, and rows to compare on are later than those that are fitted, where the data
    set has groups or times.
    """
    folds, seed = trial.choose_folds, trial.random_state
    groups = None if dataset.groups is None else dataset.groups[train]
    y = dataset.y[train]
    times = None if dataset.times is None else dataset.times[train]
    is_classification = trial.task == "classification"
    if groups is not None or times is not None:
        return splits_by_columns(
            groups,
            times,
            y if is_classification else None,
            n=folds or 1,
            test_size=None if folds else CHOICE_TEST_SIZE,
            split_seed=seed,
            name=f"the training part of data set {dataset.name!r}",
        )
    if not folds:
        return [shuffle_indices(y, CHOICE_TEST_SIZE, 0, seed, stratify=is_classification)]
    if is_classification:
        return [stratified_kfold_indices(y, folds, fold, seed) for fold in range(folds)]
    return [kfold_indices(len(y), folds, fold, seed) for fold in range(folds)]


def _fitted(trial: Trial, candidate: Mapping[str, object], data: Prepared) -> Estimator:
    """Return an estimator with a candidate's values, fitted to the training rows of a split."""
    params = {**trial.params, **trial.choose_with, **candidate}
    estimator = estimators.build(trial.estimator, params, trial.random_state)
    weights = weights_for(estimator, data.weights_train if trial.weighted else None)
    # The estimator may write into its arguments, which the next ones need.
    copies = {name: values.copy() for name, values in weights.items()}
    fitted = estimator.fit(data.X_train.copy(), data.y_train.copy(), **copies)
    return estimator if fitted is None else fitted


def _error(trial: Trial, data: Prepared, predicted: RowValues) -> float:
    if trial.task == "classification":
        return float(np.mean(predicted != data.y_test))
    return float(np.mean((data.y_test - as_numbers(predicted, "predict")) ** 2))


class _ChoiceMetric:
    """The metric by which a trial chooses, and why it had no value when it last had none."""

    def __init__(self, trial: Trial) -> None:
        self.name = trial.choice_metric
        self._sign = 1.0 if trial.choose_by.startswith("-") else -1.0
        digest = trial.choose_by.partition("@")[2]
        self._is_recorded = self.name in METRICS
        self._trial = replace(trial, metrics={self.name: self.name})
        self.why_missing = "it has no value"
        if digest:
            load_scorer(self.name)  # some of its sources may be found only after the import
            if own_sources(self.name).digest != digest:
                raise changed_sources(self.name)

    def loss(self, estimator: Estimator, data: Prepared, predicted: RowValues) -> float:
        """Return the metric, or its negative where more is better; infinite without a value."""
        try:
            scores = self._scores(estimator, data, predicted)
        except TrialError as error:
            self.why_missing = str(error)
            return np.inf
        value = scores.get(self.name)
        if isinstance(value, int | float):
            return self._sign * value
        self.why_missing = str(scores.get(self.name + MISSING) or self.why_missing)
        return np.inf

    def _scores(
        self, estimator: Estimator, data: Prepared, predicted: RowValues
    ) -> Mapping[str, Scalar]:
        trial, X, y = self._trial, data.X_test, data.y_test
        unit = data.unit if trial.units == "original" else SCALED
        classes = np.unique(data.y_train) if trial.task == "classification" else None
        if not self._is_recorded:
            return scorer_metrics(trial, estimator, (X, y), predicted, unit=unit, trained=classes)
        if classes is None:
            return regression_metrics(y, predicted, "", unit)
        if self.name in ("log_loss", "roc_auc"):
            return probability_metrics(estimator, X, y, classes, trial.labels)[0]
        return classification_metrics(y, predicted, "", classes)


def searched_params(estimator: object, prefix: str = "") -> dict[str, object]:
    """Return what searches in a fitted estimator chose: their ``best_params_``.

    Those of a step of a pipeline have the names that the pipeline gives its parameters.
    """
    best: object = None
    with contextlib.suppress(Exception):  # a user's own object may raise anything
        best = getattr(estimator, "best_params_", None)
    if isinstance(best, Mapping):
        return {f"{prefix}{name}": value for name, value in best.items()}
    found: dict[str, object] = {}
    for name, step in nested_estimators(estimator, "steps"):
        found |= searched_params(step, f"{prefix}{name}__")
    return found
