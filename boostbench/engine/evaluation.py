"""Scores and learning curves of a fitted estimator."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import log_loss, roc_auc_score

from boostbench.data.dataset import Features, Floats, Target, is_constant
from boostbench.data.prepare import Prepared
from boostbench.engine.interface import TrialError
from boostbench.engine.scorers import NO_SPREAD, SCALED, RowValues, Unit, V, in_unit, one_per_row
from boostbench.engine.texts import one_line
from boostbench.store.types import MISSING, Scalar
from boostbench.suggest import listing

# Attributes of fitted estimators with one value per iteration, and the curves they become.
_HISTORIES = {"objective_history_": "objective"}
_CLOCKS = {"time_history_": "fit_s", "solver_time_history_": "solver_s"}

Curve = dict[str, list[float]]
TrialScores = dict[str, Scalar]


def regression_metrics(
    y: Target, predicted: ArrayLike, prefix: str, unit: Unit = SCALED
) -> TrialScores:
    """Return ``r2``, ``rmse`` and ``mae`` of predictions, names after ``prefix``.

    With them, for the test rows only (``prefix`` empty), is ``mse``. They are measured on targets
    and predictions ``value * unit[1] + unit[0]``, so that those in the target's own unit are
    recorded, and not converted afterwards. Where R2 is not defined it is None, with the reason
    under its name and :data:`~boostbench.store.types.MISSING`.
    Raises TrialError where they are not one finite number per row.
    """
    values = checked_predictions(as_numbers(predicted, "predict"), y)
    if not np.isfinite(values).all():
        raise TrialError("non-finite predictions")
    targets = in_unit(y, unit)
    residual = targets - in_unit(values, unit)
    with np.errstate(over="ignore", invalid="ignore"):
        mse = float(np.mean(residual * residual))
        variance = float(np.mean((targets - targets.mean()) ** 2))
    mae = float(np.mean(np.abs(residual)))
    if not math.isfinite(mse):
        raise TrialError("non-finite predictions: their squared error overflows")
    variance = 0.0 if is_constant(y, "regression") else variance
    scores: TrialScores = {**_r2(mse, variance), "rmse": math.sqrt(mse), "mae": mae}
    if not prefix:
        scores["mse"] = mse
    return {f"{prefix}{name}": value for name, value in scores.items()}


def _r2(mse: float, variance: float) -> TrialScores:
    """Return ``r2`` by a mean squared error and the targets' variance, or why it has no value."""
    if variance == 0.0:
        return {"r2": None, "r2" + MISSING: NO_SPREAD}
    if not (math.isfinite(variance) and math.isfinite(mse / variance)):
        return {"r2": None, "r2" + MISSING: "the targets' variance is too small or too large"}
    return {"r2": 1.0 - mse / variance}


def classification_metrics(
    y: Target, predicted: RowValues, prefix: str, classes: RowValues
) -> TrialScores:
    """Return ``accuracy``, ``error`` and ``balanced_accuracy``, names after ``prefix``.

    The first two are shares of rows, the last is the mean over the classes of ``y`` of the share of
    their rows that is predicted right.
    Raises TrialError where they are not one of the ``classes`` of the training rows per row.
    """
    predicted = checked_predictions(predicted, y)
    known = set(classes.tolist())
    if wrong := [label for label in predicted.tolist() if label not in known]:
        raise TrialError(
            f"predict says {repr(wrong[0])[:40]}, which is none of the classes trained on "
            f"(for {len(wrong)} of {len(predicted)} rows)"
        )
    error = float(np.mean(predicted != y))
    recalls = [float(np.mean(predicted[y == label] == label)) for label in np.unique(y)]
    balanced = math.fsum(recalls) / len(recalls)
    scores = {"accuracy": 1.0 - error, "error": error, "balanced_accuracy": balanced}
    return {f"{prefix}{name}": value for name, value in scores.items()}


def probability_metrics(
    estimator: object, X: Features, y: Target, classes: RowValues, labels: Sequence[str] = ()
) -> tuple[TrialScores, RowValues | None]:
    """Return ``log_loss`` and ``roc_auc`` of a fitted classifier, and its probabilities, if any.

    ``X`` and ``y`` are the test rows, ``classes`` those of the training rows, and ``labels`` names
    the classes by their codes. The area is that of the second of two classes, or the mean over more
    classes, each against the rest; it is None where the test rows lack a class, as is the log loss
    where they have an unknown one. Without ``predict_proba`` there is only the area for two classes
    by ``decision_function``, if it has that. The trial's other scores do not depend on these, so
    that the reason why there is none is only recorded, under their names with
    :data:`~boostbench.store.types.MISSING`.
    """
    if not hasattr(estimator, "predict_proba"):
        return _area_by_decisions(estimator, X, y, classes, labels), None
    offered, reasons = _offered_probabilities(estimator, X, y, classes)
    if offered is None:
        return reasons, None
    return _scores_of_probabilities(offered, y, classes, labels), offered


def _area_by_decisions(
    estimator: object, X: Features, y: Target, classes: RowValues, labels: Sequence[str]
) -> TrialScores:
    """Return ``roc_auc`` by ``decision_function``, nothing where there is no such method."""
    if not hasattr(estimator, "decision_function"):
        return {}
    no_area = _undefined(y, classes, labels)[1]
    if len(classes) > 2:
        no_area = "for more than two classes it needs predict_proba, which the method does not have"
    if no_area:
        return {"roc_auc": None, "roc_auc" + MISSING: one_line(no_area)}
    try:
        _check_classes(estimator, classes)
        decisions = as_numbers(estimator.decision_function(X), "decision_function")
        return {"roc_auc": float(roc_auc_score(y, checked_predictions(decisions, y)))}
    except Exception as error:  # a user's own code may raise anything
        reason = one_line(f"decision_function failed: {type(error).__name__}: {error}")
        print(f"no AUC: {reason}")
        return {"roc_auc": None, "roc_auc" + MISSING: reason}


def _offered_probabilities(
    estimator: Any, X: Features, y: Target, classes: RowValues
) -> tuple[RowValues | None, TrialScores]:
    """Return the probabilities of a fitted classifier as it gives them; else why it has none."""
    try:
        offered = np.array(estimator.predict_proba(X))
        _check_probabilities(as_numbers(offered, "predict_proba"), estimator, y, classes)
    except Exception as error:  # a user's own code may raise anything
        reason = one_line(f"predict_proba failed: {type(error).__name__}: {error}")
        print(f"no log loss and no AUC: {reason}")
        return None, {name + MISSING: reason for name in ("log_loss", "roc_auc")}
    return offered, {}


def _scores_of_probabilities(
    offered: RowValues, y: Target, classes: RowValues, labels: Sequence[str]
) -> TrialScores:
    """Return ``log_loss`` and ``roc_auc``, as :func:`probability_metrics` does."""
    probabilities = np.clip(offered.astype(np.float64), 0.0, 1.0)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    no_loss, no_area = _undefined(y, classes, labels)
    scores: TrialScores = {"log_loss": None, "roc_auc": None}
    if no_loss:
        scores["log_loss" + MISSING] = one_line(no_loss)
    else:
        scores["log_loss"] = float(log_loss(y, probabilities, labels=classes))
    if no_area:
        scores["roc_auc" + MISSING] = one_line(no_area)
    else:
        ranked = probabilities[:, 1] if len(classes) == 2 else probabilities
        scores["roc_auc"] = float(roc_auc_score(y, ranked, multi_class="ovr", labels=classes))
    return scores


def _undefined(y: Target, classes: RowValues, labels: Sequence[str]) -> tuple[str, str]:
    """Return why the test rows ``y`` have no log loss, and no area, each "" if they have."""

    def named(codes: set[int]) -> str:
        return listing([repr(labels[code] if labels else code) for code in sorted(codes)], 5)

    present, trained = set(np.unique(y).tolist()), set(classes.tolist())
    if unknown := present - trained:
        reason = f"the test rows have the class {named(unknown)}, of which no training row is"
        return reason, reason
    if len(trained) == 1:
        reason = f"all training rows are of the class {named(trained)}"
        return reason, reason
    absent = trained - present
    return "", f"the test rows have no row of the class {named(absent)}" if absent else ""


def _check_probabilities(
    probabilities: Floats, estimator: object, y: Target, classes: RowValues
) -> None:
    """Raise ValueError unless there is a probability per row and class."""
    if probabilities.shape != (len(y), len(classes)):
        raise ValueError(f"the shape is {probabilities.shape}, not ({len(y)}, {len(classes)})")
    _check_classes(estimator, classes)
    # Probabilities may be in single precision; a sum with NaN is not close to 1.
    sums = probabilities.sum(axis=1)
    if probabilities.min() < -1e-9 or not np.allclose(sums, 1.0, rtol=0.0, atol=1e-4):
        raise ValueError("the numbers of a row are no probabilities, which add up to 1")


def _check_classes(estimator: object, classes: RowValues) -> None:
    """Raise ValueError where an estimator has its classes in another order."""
    if not np.array_equal(getattr(estimator, "classes_", classes), classes):
        raise ValueError("classes_ are not the sorted classes of the training rows")


def as_numbers(values: ArrayLike, method: str) -> Floats:
    """Return what a ``method`` returned as float64; TrialError where it is something else."""
    array = np.asarray(values)
    items = array.ravel().tolist() if array.dtype.kind == "O" else []
    if array.dtype.kind not in "biufO" or any(isinstance(item, str | bytes) for item in items):
        kind = "texts" if array.dtype.kind in "USO" else str(array.dtype)
        raise TrialError(f"{method} returned {kind}, not numbers")
    return np.asarray(array, dtype=np.float64)


def checked_predictions(predicted: NDArray[V], y: Target) -> NDArray[V]:
    """Return predictions as one per row of ``y``; TrialError where they are not."""
    predicted = one_per_row(predicted)
    if predicted.shape != y.shape:
        raise TrialError(f"predict returned shape {predicted.shape} for {len(y)} rows")
    return predicted


def learning_curves(
    estimator: object, data: Prepared, y_train: Target, predicted: Mapping[str, RowValues]
) -> tuple[Curve | None, Curve | None]:
    """Return two curves with one value per iteration: the deterministic one, and that of seconds.

    From ``staged_predict`` come ``train_error`` and ``test_error``; from ``objective_history_``
    the ``objective``; from ``time_history_`` and ``solver_time_history_``, the seconds from the
    start to the end of each iteration, ``fit_s`` and ``solver_s``, where the fitted ``estimator``
    has them. ``data`` is :class:`~boostbench.data.prepare.Prepared`, ``predicted`` has the
    predictions for its parts ``train`` and ``test``.

    Raises TrialError where these are not lists of finite numbers of one length, and where a stage
    does not have a label for each row or the last one differs from the predictions.
    """
    curve = _attributes(estimator, _HISTORIES)
    if hasattr(estimator, "staged_predict"):
        parts = {"train": (data.X_train, y_train), "test": (data.X_test, data.y_test)}
        for part, (X, y) in parts.items():
            stages = estimator.staged_predict(X)
            curve[f"{part}_error"] = _stage_errors(stages, y, predicted[part])
    clocks = time_curves(estimator)
    lengths = {name: len(values) for name, values in (curve | clocks).items()}
    if len(set(lengths.values())) > 1:
        raise TrialError(f"the learning curves are not of one length: {lengths}")
    n_iter = next(iter(lengths.values()), 0)
    if not n_iter:
        return None, None
    if curve:
        curve = {"iteration": [*range(1, n_iter + 1)], **curve}
    return curve or None, clocks or None


def _stage_errors(stages: Iterable[ArrayLike], y: Target, predicted: RowValues) -> list[float]:
    errors = []
    labels = predicted
    for iteration, stage in enumerate(stages, 1):
        labels = np.asarray(stage)
        if labels.shape != y.shape:
            raise TrialError(
                f"staged_predict gave the shape {labels.shape} in iteration {iteration} "
                f"for {len(y)} rows"
            )
        errors.append(float(np.mean(labels != y)))
    if other := int(np.sum(labels != predicted)):
        raise TrialError(
            f"the last of staged_predict is not what predict says (for {other} of {len(y)} rows)"
        )
    return errors


def time_curves(estimator: object) -> Curve:
    """Return the seconds from the start to the end of each iteration that the estimator offers."""
    return _attributes(estimator, _CLOCKS)


def _attributes(estimator: object, names: Mapping[str, str]) -> Curve:
    curve = {}
    for attribute, name in names.items():
        values = getattr(estimator, attribute, None)
        if values is not None:
            curve[name] = finite_list(values, attribute)
    return curve


def finite_list(values: object, what: str) -> list[float]:
    """Return ``values`` as a list of floats; TrialError if they are not one of finite numbers."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise TrialError(f"{what} is not a list of finite numbers")
    return [float(value) for value in array]
