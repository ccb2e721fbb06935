"""One fold's arrays, scaled by the training part only."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from boostbench.data.arrays import let_go
from boostbench.data.dataset import Dataset, Floats, Target, differ_by_rounding, is_constant
from boostbench.data.splits import Rows
from boostbench.errors import DataError


@dataclass(frozen=True)
class Prepared:
    """Scaled training and test arrays; ``unit`` has the mean and the scale of the target.

    ``X_train`` (n_train, p), ``X_test`` (n_test, p), float64 in C order; ``y_train`` (n_train,),
    ``y_test`` (n_test,): float64 for regression, int64 codes for classification (unscaled).
    """

    X_train: Floats
    y_train: Target
    X_test: Floats
    y_test: Target
    unit: tuple[float, float] = (0.0, 1.0)


def prepare_split(
    dataset: Dataset,
    train: Rows,
    test: Rows,
    scale_features: Literal["minmax", "standard", "none"] = "minmax",
    scale_target: Literal["standard", "none"] = "standard",
) -> Prepared:
    """Return the rows ``train`` and ``test``, scaled by the training rows.

    ``minmax`` maps each feature's training range to [0, 1]; test values beyond it are not
    clipped. ``standard`` takes away the mean and divides by the standard deviation (ddof 0).
    A feature that is constant over the training rows becomes 0 everywhere, also one that varies
    only by rounding: as in scikit-learn, by less than ten times the distance of neighbouring
    numbers, relative to the larger of 1 and its values. Where the data set has
    ``missing="median"``, missing values are filled before, by the median of the feature over the
    training rows that have it (0 if none has).

    Raises
    ------
    DataError
        if there are fewer than two training rows or no test row, a value is not finite, the
        training target is constant, or a scaling is unknown
    """
    name = f"data set {dataset.name!r}"
    if len(train) < 2 or len(test) < 1:
        raise DataError(
            f"{name} is split into {len(train)} training and {len(test)} test row(s); at least two "
            "and one are needed: give more rows of each class, or set folds or test_size otherwise"
        )
    X_train = dataset.X[train]
    let_go(dataset.X)
    X_test = dataset.X[test]
    let_go(dataset.X)
    if dataset.missing == "median":
        _fill(X_train, X_test)
    _scale_features(X_train, X_test, scale_features, name)

    y_train, y_test = dataset.y[train], dataset.y[test]
    if not _are_finite(y_train, y_test):
        raise DataError(f"{name} has a missing or infinite value in its target")
    if is_constant(y_train, dataset.task):
        raise DataError(f"{name} has a constant target {dataset.target!r} in the training rows")
    if dataset.task != "regression" or scale_target == "none":
        return Prepared(X_train, y_train, X_test, y_test)
    mean, sd = float(np.mean(y_train)), float(np.std(y_train))
    if not np.isfinite(sd) or sd == 0.0:
        raise DataError(f"{name} has a target whose standard deviation is {sd}")
    scaled = [np.asarray((y - mean) / sd, dtype=np.float64) for y in (y_train, y_test)]
    return Prepared(X_train, scaled[0], X_test, scaled[1], (mean, sd))


def _scale_features(X_train: Floats, X_test: Floats, kind: str, name: str) -> None:
    """Scale both arrays, which are copies and may be large, in place."""
    if not _are_finite(X_train, X_test):
        raise DataError(f"{name} has a missing or infinite value among its features")
    offset, scale = _feature_scale(X_train, kind)
    if not _are_finite(offset, scale):
        raise DataError(f"{name} has a feature whose range overflows")
    constant = scale == 0.0
    for part in (X_train, X_test):
        part -= offset
        part /= np.where(constant, 1.0, scale)
        part[:, constant] = 0.0


def _are_finite(*arrays: Target) -> bool:
    return all(np.isfinite(array).all() for array in arrays)


def _fill(X_train: Floats, X_test: Floats) -> None:
    """Put the training medians in place of NaN, in both arrays."""
    for j in np.flatnonzero(np.isnan(X_train).any(axis=0) | np.isnan(X_test).any(axis=0)):
        known = X_train[~np.isnan(X_train[:, j]), j]
        median = np.median(known) if len(known) else 0.0
        for part in (X_train, X_test):
            part[np.isnan(part[:, j]), j] = median


def _feature_scale(X: Floats, kind: str) -> tuple[Floats, Floats]:
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = X.min(axis=0), X.max(axis=0)
        if kind == "minmax":
            return low, np.where(differ_by_rounding(low, high, 1.0), 0.0, high - low)
        if kind == "standard":
            # The computed deviation of equal values can be a rounding error instead of 0.
            constant = differ_by_rounding(low, high, 1.0)
            return X.mean(axis=0), np.where(constant, 0.0, X.std(axis=0))
    return np.zeros(X.shape[1]), np.ones(X.shape[1])
