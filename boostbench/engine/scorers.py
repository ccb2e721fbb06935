"""Scores by functions of a fitted estimator and the test rows: scikit-learn's, and users' own."""

import contextlib
import functools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from boostbench import estimators
from boostbench.data.dataset import Floats, Target, labels_of
from boostbench.engine.texts import one_line
from boostbench.plan.trial import Trial
from boostbench.store.types import MISSING, Scalar

Unit = tuple[float, float]
SCALED: Unit = (0.0, 1.0)
Labels = NDArray[Any]


def scorer_metrics(
    trial: Trial,
    estimator: Any,
    data: tuple[Floats, Target],
    predicted: NDArray[Any],
    *,
    unit: Unit = SCALED,
    trained: Labels | None = None,
) -> dict[str, Scalar]:
    """Return the value of each of the trial's metrics for a fitted estimator, by name.

    A function gets copies of the test rows ``data``, and an estimator that predicts what built-in
    scores are measured on: one value a row (``predicted`` are those that the estimator returned),
    in ``unit``, or in the labels that the classes have in the data set's file. ``trained`` are the
    codes of the classes in the training rows, ``None`` for a regression. Where the trial names a
    positive class, scikit-learn's scorers get 1 for it and 0 for the other class.

    A metric that fails, or is no finite number, is None, and the reason is recorded under its name
    and :data:`~boostbench.store.types.MISSING`: the trial's other scores remain valid. So is one
    of scikit-learn's that is not defined for test rows of one class, and would be 0 with a warning.
    """
    X, y = data
    found: dict[str, Scalar] = {}
    for name, function in trial.metrics.items():
        found[name] = None
        try:
            if trained is None:
                seen, target = _seen_regressor(estimator, y, predicted, unit)
            else:
                labels = _labels_for(trial, function)
                seen, target = _seen_classifier(estimator, y, predicted, labels, trained)
            scorer = estimators.load_scorer(function)
            is_defined = trained is None or ":" in function or len(np.unique(y)) > 1
            with contextlib.nullcontext() if is_defined else _undefined_is_an_error():
                value = float(scorer(seen, X.copy(), target.copy()))
            if not math.isfinite(value):
                raise ValueError(f"it returned {value}")
            found[name] = value
        except UndefinedMetricWarning:
            only = repr(trial.labels[y[0]]) if trial.labels else y[0]
            reason = f"it is not defined where all test rows are of the class {only}"
            found[name + MISSING] = one_line(reason)
        except (Exception, SystemExit) as error:  # a user's own code may raise anything
            reason = f"the metric failed: {type(error).__name__}: {error}"
            found[name + MISSING] = one_line(reason.rstrip(".: "))
        if found[name] is None:
            print(f"no {name}: {found[name + MISSING]}")
    return found


@contextlib.contextmanager
def _undefined_is_an_error() -> Iterator[None]:
    """Raise UndefinedMetricWarning where scikit-learn warns that a metric is not defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        # Average precision has a warning of no class of its own.
        warnings.filterwarnings("error", "No positive class found", UserWarning)
        try:
            yield
        except UserWarning as warning:
            raise UndefinedMetricWarning(*warning.args) from None


def one_per_row(predicted: NDArray[Any]) -> NDArray[Any]:
    """Return predictions as one per row: a column of them is accepted."""
    is_column = predicted.ndim == 2 and predicted.shape[1] == 1
    return predicted[:, 0] if is_column else predicted


def in_unit(y: Target, unit: Unit) -> Any:
    """Return scaled targets or predictions in ``unit``: ``y * unit[1] + unit[0]``."""
    return y * unit[1] + unit[0]


def _seen_regressor(
    estimator: Any, y: Target, predicted: NDArray[Any], unit: Unit
) -> tuple[Any, Any]:
    if unit != SCALED:
        return _InUnit(estimator, unit), in_unit(y, unit)
    return (estimator if predicted.ndim == 1 else _InUnit(estimator, unit)), y


def _labels_for(trial: Trial, function: str) -> Labels:
    """Return the label of each class, by its code, as ``function`` gets it."""
    if trial.positive and ":" not in function:
        return np.array([int(label == trial.positive) for label in trial.labels])
    return labels_of(trial.labels)


def _seen_classifier(
    estimator: Any, y: Target, predicted: NDArray[Any], labels: Labels, trained: Labels
) -> tuple[Any, Any]:
    if predicted.ndim == 1 and np.array_equal(labels, np.arange(len(labels))):
        return estimator, y
    return _InLabels(estimator, labels, trained), labels[y]


class _View:
    """A fitted estimator with other predictions and targets; whatever else it has is its own."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The estimator's class, for ``isinstance``."""
        return type(self._estimator)

    def __getitem__(self, key: Any) -> Any:
        return self._estimator[key]

    def __getattr__(self, name: str) -> Any:
        # A copy that is being made has no estimator yet.
        found = getattr(vars(self).get("_estimator"), name)
        if name == "score":
            return lambda X, y, *rest, **more: found(X, self._trained_on(y), *rest, **more)
        changed = self._changed.get(name)
        return found if changed is None else _followed_by(changed, found)

    @property
    def _changed(self) -> dict[str, Callable[[Any], Any]]:
        """What is done with the results of methods, by their names."""
        return {"predict": self._predictions}

    def _predictions(self, found: Any) -> Any:
        raise NotImplementedError

    def _trained_on(self, y: Any) -> Any:
        """Return targets as the estimator was trained on them."""
        raise NotImplementedError


def _followed_by(changed: Callable[[Any], Any], method: Any) -> Any:
    @functools.wraps(method)  # scikit-learn's scorers go by a method's name
    def call(*given: Any, **named: Any) -> Any:
        return changed(method(*given, **named))

    return call


class _InUnit(_View):
    """A fitted regressor that predicts one value a row, in ``unit``."""

    def __init__(self, estimator: Any, unit: Unit) -> None:
        super().__init__(estimator)
        self._unit = unit

    def _predictions(self, found: Any) -> Any:
        if self._unit == SCALED:
            return one_per_row(np.asarray(found))
        return in_unit(one_per_row(np.asarray(found, dtype=np.float64)), self._unit)

    def _trained_on(self, y: Any) -> Any:
        return (np.asarray(y) - self._unit[0]) / self._unit[1]


class _InLabels(_View):
    """A fitted classifier that predicts labels, by the codes on which it was trained.

    As scikit-learn expects, ``classes_`` and the columns of probabilities are in the order of the
    labels.
    """

    def __init__(self, estimator: Any, labels: Labels, trained: Labels) -> None:
        super().__init__(estimator)
        known = labels[np.asarray(getattr(estimator, "classes_", trained)).astype(np.int64)]
        self._labels = labels
        self._order = np.argsort(known)
        self.classes_ = known[self._order]

    @property
    def _changed(self) -> dict[str, Callable[[Any], Any]]:
        columns = ("predict_proba", "predict_log_proba", "decision_function")
        return {
            "predict": self._predictions,
            "staged_predict": functools.partial(map, self._predictions),
            **dict.fromkeys(columns, self._columns),
            **{f"staged_{name}": functools.partial(map, self._columns) for name in columns},
        }

    def _predictions(self, found: Any) -> Any:
        return self._labels[one_per_row(np.asarray(found)).astype(np.int64)]

    def _columns(self, found: Any) -> Any:
        values = np.asarray(found)
        if values.ndim == 1:
            # The decision between two classes is in favour of the second one.
            return values if self._order[0] == 0 else -values
        return values[:, self._order] if values.shape[1] == len(self._order) else values

    def _trained_on(self, y: Any) -> Any:
        codes = {label: code for code, label in enumerate(self._labels.tolist())}
        return np.array([codes[label] for label in np.asarray(y).tolist()])
