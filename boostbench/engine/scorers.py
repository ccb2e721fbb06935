"""Scores by functions of a fitted estimator and the test rows: scikit-learn's, and users' own."""

import contextlib
import functools
import inspect
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    return (estimator if predicted.ndim == 1 else _OnePerRow(estimator)), y


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


class _OnePerRow(_View):
    """A fitted regressor that predicts one value a row, and not a column of them."""

    def _predictions(self, found: Any) -> Any:
        if isinstance(found, tuple):
            return (one_per_row(np.asarray(found[0])), *found[1:])
        return one_per_row(np.asarray(found))

    def _trained_on(self, y: Any) -> Any:
        return y


class _InUnit(_View):
    """A fitted regressor in ``unit``, in which its predictions and their deviations are.

    Whatever else depends on the scaled target is refused: a metric would mix two units.
    """

    def __init__(self, estimator: Any, unit: Unit) -> None:
        super().__init__(estimator)
        self._unit = unit

    @property
    def __wrapped__(self) -> Any:
        """The estimator as it was trained, on the scaled target."""
        return self._estimator

    def __getitem__(self, key: Any) -> Any:
        raise _on_scaled_target(f"estimator[{key!r}]")

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if name.startswith("__") or name in ("score", "get_params"):
            return found
        if name == "predict":
            return functools.wraps(found)(functools.partial(self._predict, found))
        if name == "staged_predict":
            return _followed_by(functools.partial(map, self._predictions), found)
        if callable(found) and not isinstance(found, type):
            return _followed_by(functools.partial(_if_without_unit, f"{name}()"), found)
        is_number = isinstance(found, float | np.floating)
        if is_number and name in getattr(self._estimator, "get_params", dict)():
            return found
        return _if_without_unit(name, found)

    @property
    def _changed(self) -> dict[str, Callable[[Any], Any]]:
        return {}

    def _predict(self, method: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """Return predictions in the unit, with their deviations or covariances if asked for."""
        found = method(*given, **options)
        asked = _options_of(method, given, options)
        scale = self._unit[1]
        if not asked and not isinstance(found, tuple):
            return self._predictions(found)
        if asked == ["return_std"] and len(found) == 2:
            return self._predictions(found[0]), np.asarray(found[1]) * scale
        if asked == ["return_cov"] and len(found) == 2:
            return self._predictions(found[0]), np.asarray(found[1]) * scale**2
        raise _on_scaled_target(f"predict({', '.join(['X', *asked])})")

    def _predictions(self, found: Any) -> Any:
        return in_unit(one_per_row(np.asarray(found, dtype=np.float64)), self._unit)

    def _trained_on(self, y: Any) -> Any:
        return (np.asarray(y) - self._unit[0]) / self._unit[1]


def _options_of(
    method: Callable[..., Any], given: Sequence[Any], options: Mapping[str, Any]
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


def _if_without_unit(what: str, value: Any) -> Any:
    """Return what an estimator has, if it is the same on any scale of the target; ValueError."""
    if not _is_without_unit(value):
        raise _on_scaled_target(what)
    return value


def _is_without_unit(value: Any) -> bool:
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
