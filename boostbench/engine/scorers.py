"""Scores by functions of a fitted estimator and the test rows: scikit-learn's, and users' own."""

import contextlib
import functools
import inspect
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, SupportsFloat, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from boostbench.data.dataset import Features, Target, is_constant, labels_of
from boostbench.engine.texts import one_line
from boostbench.estimators import Estimator, Scorer, load_scorer
from boostbench.papers.metrics import needs_spread
from boostbench.plan.trial import Trial
from boostbench.store.types import MISSING, Scalar

Unit = tuple[float, float]
SCALED: Unit = (0.0, 1.0)
RowValues = NDArray[np.generic]
"""One value a row: targets, predictions, or labels or codes of classes."""

NO_SPREAD = "it is not defined where all test rows have the same target"

V = TypeVar("V", bound=np.generic)


def scorer_metrics(
    trial: Trial,
    estimator: Estimator,
    data: tuple[Features, Target],
    predicted: RowValues,
    *,
    unit: Unit = SCALED,
    trained: RowValues | None = None,
    load: Callable[[str], Scorer] = load_scorer,
) -> dict[str, Scalar]:
    """Return the value of each of the trial's metrics for a fitted estimator, by name.

    A function gets copies of the test rows ``data``, and an estimator that predicts what built-in
    scores are measured on: one value a row (``predicted`` are those that the estimator returned),
    in ``unit``, or in the labels that the classes have in the data set's file. ``trained`` are the
    codes of the classes in the training rows, ``None`` for a regression, and ``load`` returns a
    function by its name. Where the trial names a
    positive class, scikit-learn's scorers get 1 for it and 0 for the other class.

    A metric that fails, or is no finite number, is None, and the reason is recorded under its name
    and :data:`~boostbench.store.types.MISSING`: the trial's other scores remain valid. So is one
    of scikit-learn's that is not defined for test rows of one class or with one target, and would
    be 0 or 1.
    """
    X, y = data
    of_one_target = trained is None and is_constant(y, "regression")
    of_one_class = trained is not None and len(np.unique(y)) == 1
    scores: dict[str, Scalar] = {}
    for name, function in trial.metrics.items():
        scores[name] = None
        if of_one_target and needs_spread(function):
            scores[name + MISSING] = NO_SPREAD
            continue
        try:
            if trained is None:
                seen, target = _seen_regressor(estimator, y, predicted, unit)
            else:
                labels = _labels_for(trial, function)
                seen, target = _seen_classifier(estimator, y, predicted, labels, trained)
            scorer = load(function)
            may_be_undefined = of_one_class and ":" not in function
            with _undefined_is_an_error() if may_be_undefined else contextlib.nullcontext():
                scores[name] = _finite(scorer(seen, X.copy(), target.copy()))
        except UndefinedMetricWarning:
            only = trial.labels[y[0]]
            reason = f"it is not defined where all test rows are of the class {only!r}"
            scores[name + MISSING] = one_line(reason)
        except (Exception, SystemExit) as error:  # a user's own code may raise anything
            reason = f"the metric failed: {type(error).__name__}: {error}"
            scores[name + MISSING] = one_line(reason.rstrip(".: "))
        if scores[name] is None:
            print(f"no {name}: {scores[name + MISSING]}")
    return scores


def _finite(value: SupportsFloat) -> float:
    """Return a score as a number; ValueError where it is not finite."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"it returned {number}")
    return number


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


def one_per_row(predicted: NDArray[V]) -> NDArray[V]:
    """Return predictions as one per row: a column of them is accepted."""
    if predicted.ndim != 2 or predicted.shape[1] != 1:
        return predicted
    column: NDArray[V] = predicted[:, 0]
    return column


def in_unit(y: Target, unit: Unit) -> NDArray[np.floating]:
    """Return scaled targets or predictions in ``unit``: ``y * unit[1] + unit[0]``."""
    return y * unit[1] + unit[0]


def _seen_regressor(
    estimator: Estimator, y: Target, predicted: RowValues, unit: Unit
) -> tuple[object, RowValues]:
    if unit != SCALED:
        return _InUnit(estimator, unit), in_unit(y, unit)
    return (estimator if predicted.ndim == 1 else _OnePerRow(estimator)), y


def _labels_for(trial: Trial, function: str) -> RowValues:
    """Return the label of each class, by its code, as ``function`` gets it."""
    if trial.positive and ":" not in function:
        return np.array([int(label == trial.positive) for label in trial.labels])
    return labels_of(trial.labels)


def _seen_classifier(
    estimator: Estimator, y: Target, predicted: RowValues, labels: RowValues, trained: RowValues
) -> tuple[object, RowValues]:
    if predicted.ndim == 1 and np.array_equal(labels, np.arange(len(labels))):
        return estimator, y
    return _InLabels(estimator, labels, trained), labels[y]


class _View:
    """A fitted estimator with other predictions and targets; whatever else it has is its own."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The estimator's class, for ``isinstance``."""
        return type(self._estimator)

    def __getitem__(self, key: object) -> object:
        return self._estimator[key]

    def __getattr__(self, name: str) -> object:
        own = self._own(name)
        if name == "score":
            return lambda X, y, *rest, **more: own(X, self._trained_on(y), *rest, **more)
        changed = self._changed.get(name)
        return own if changed is None else _followed_by(changed, own)

    def _own(self, name: str) -> Any:
        """Return what the estimator has under a name; AttributeError if it has nothing."""
        # A copy that is being made has no estimator yet.
        return getattr(vars(self).get("_estimator"), name)

    @property
    def _changed(self) -> dict[str, Callable[..., object]]:
        """What is done with the results of methods, by their names."""
        return {}

    def _trained_on(self, y: ArrayLike) -> RowValues:
        """Return targets as the estimator was trained on them."""
        return np.asarray(y)


def _followed_by(
    changed: Callable[..., object], method: Callable[..., object]
) -> Callable[..., object]:
    @functools.wraps(method)  # scikit-learn's scorers go by a method's name
    def call(*arguments: object, **named: object) -> object:
        return changed(method(*arguments, **named))

    return call


class _OnePerRow(_View):
    """A fitted regressor that predicts one value a row, and not a column of them."""

    @property
    def _changed(self) -> dict[str, Callable[..., object]]:
        return {"predict": self._one_per_row}

    def _one_per_row(self, predicted: ArrayLike) -> object:
        if isinstance(predicted, tuple):
            # With deviations or covariances.
            return (one_per_row(np.asarray(predicted[0])), *predicted[1:])
        return one_per_row(np.asarray(predicted))


class _InUnit(_View):
    """A fitted regressor in ``unit``, in which its predictions and their deviations are.

    Whatever else depends on the scaled target is refused: a metric would mix two units.
    """

    def __init__(self, estimator: Estimator, unit: Unit) -> None:
        super().__init__(estimator)
        self._unit = unit

    @property
    def __wrapped__(self) -> Estimator:
        """The estimator as it was trained, on the scaled target."""
        trained: Estimator = self._estimator
        return trained

    def __getitem__(self, key: object) -> object:
        raise _on_scaled_target(f"estimator[{key!r}]")

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") or name in ("score", "get_params"):
            return super().__getattr__(name)
        own = self._own(name)
        if name == "predict":
            return functools.wraps(own)(functools.partial(self._predict, own))
        if name == "staged_predict":
            return _followed_by(functools.partial(map, self._predictions), own)
        if callable(own) and not isinstance(own, type):
            return _followed_by(functools.partial(_if_without_unit, f"{name}()"), own)
        is_number = isinstance(own, float | np.floating)
        if is_number and name in getattr(self._estimator, "get_params", dict)():
            return own
        return _if_without_unit(name, own)

    def _predict(
        self, method: Callable[..., ArrayLike], *given: object, **options: object
    ) -> object:
        """Return predictions in the unit, with their deviations or covariances if asked for."""
        predicted = method(*given, **options)
        asked = _options_of(method, given, options)
        scale = self._unit[1]
        if not asked and not isinstance(predicted, tuple):
            return self._predictions(predicted)
        if isinstance(predicted, tuple) and len(predicted) == 2:
            mean, spread = predicted
            if asked == ["return_std"]:
                return self._predictions(mean), np.asarray(spread) * scale
            if asked == ["return_cov"]:
                return self._predictions(mean), np.asarray(spread) * scale**2
        raise _on_scaled_target(f"predict({', '.join(['X', *asked])})")

    def _predictions(self, predicted: ArrayLike) -> RowValues:
        return in_unit(one_per_row(np.asarray(predicted, dtype=np.float64)), self._unit)

    def _trained_on(self, y: ArrayLike) -> RowValues:
        return (np.asarray(y) - self._unit[0]) / self._unit[1]


def _options_of(
    method: Callable[..., object], given: Sequence[object], options: Mapping[str, object]
) -> list[str]:
    """Return the names of the options, beside the rows, with which ``method`` was called."""
    try:
        names = list(inspect.signature(method).parameters)[: len(given)]
    except ValueError:
        names = []
    unnamed = [f"option {i}" for i in range(len(names), len(given))]
    by_place = dict(zip([*names, *unnamed], given, strict=True))
    values = {**dict(list(by_place.items())[1:]), **options}
    return [name for name, value in values.items() if value is not None and value is not False]


def _if_without_unit(what: str, value: object) -> object:
    """Return what an estimator has, if it is the same on any scale of the target; ValueError."""
    if not _is_without_unit(value):
        raise _on_scaled_target(what)
    return value


def _is_without_unit(value: object) -> bool:
    """Return whether a value is whole numbers, texts and truth values only."""
    if isinstance(value, Mapping):
        return _is_without_unit([*value, *value.values()])
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_without_unit, value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return _is_without_unit(value.ravel().tolist())
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind is not None:
        return kind in "biuSU"
    return value is None or isinstance(value, int | str | bytes | type)


def _on_scaled_target(what: str) -> ValueError:
    return ValueError(
        f"{what} is on the scaled target, which units: original cannot convert; converted are "
        "predict(X), return_std and return_cov: use these, leave units out, or convert that of "
        "estimator.__wrapped__"
    )


class _InLabels(_View):
    """A fitted classifier that predicts labels, by the codes on which it was trained.

    As scikit-learn expects, ``classes_`` and the columns of probabilities are in the order of the
    labels.
    """

    def __init__(self, estimator: Estimator, labels: RowValues, trained: RowValues) -> None:
        super().__init__(estimator)
        known = labels[np.asarray(getattr(estimator, "classes_", trained)).astype(np.int64)]
        self._labels = labels
        self._order = np.argsort(known)
        self.classes_ = known[self._order]

    @property
    def _changed(self) -> dict[str, Callable[..., object]]:
        columns = ("predict_proba", "predict_log_proba", "decision_function")
        return {
            "predict": self._predictions,
            "staged_predict": functools.partial(map, self._predictions),
            **dict.fromkeys(columns, self._columns),
            **{f"staged_{name}": functools.partial(map, self._columns) for name in columns},
        }

    def _predictions(self, predicted: ArrayLike) -> RowValues:
        return self._labels[one_per_row(np.asarray(predicted)).astype(np.int64)]

    def _columns(self, predicted: ArrayLike) -> RowValues:
        values = np.asarray(predicted)
        if values.ndim == 1:
            # The decision between two classes is in favour of the second one.
            return values if self._order[0] == 0 else -values
        return values[:, self._order] if values.shape[1] == len(self._order) else values

    def _trained_on(self, y: ArrayLike) -> RowValues:
        codes = {label: code for code, label in enumerate(self._labels.tolist())}
        return np.array([codes[label] for label in np.asarray(y).tolist()])
