"""One fold's arrays, scaled by the training part only."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from boostbench.data.arrays import let_go, let_go_of_frame
from boostbench.data.dataset import (
    Dataset,
    Features,
    Floats,
    Target,
    differ_by_rounding,
    is_constant,
)
from boostbench.data.splits import Rows
from boostbench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


_UNIT = "write it in another unit, or drop the rows with such values"


@dataclass(frozen=True)
class Prepared:
    """Training and test arrays; ``unit`` has the mean and the scale of the target.

    ``X_train`` (n_train, p), ``X_test`` (n_test, p), scaled float64 in C order, or frames with
    these rows, unscaled, numbered from 0; ``y_train`` (n_train,), ``y_test`` (n_test,): float64 for
    regression, int64 codes for classification (unscaled). ``weights_train`` (n_train,) are None
    where the data set has none. All are copies.
    """

    X_train: Features
    y_train: Target
    X_test: Features
    y_test: Target
    unit: tuple[float, float] = (0.0, 1.0)
    weights_train: Floats | None = None


def prepare_split(
    dataset: Dataset,
    train: Rows,
    test: Rows,
    scale_features: Literal["minmax", "standard", "none"] = "minmax",
    scale_target: Literal["standard", "none"] = "standard",
    features: Literal["matrix", "frame"] = "matrix",
) -> Prepared:
    """Return the rows ``train`` and ``test``, scaled by the training rows.

    With ``features="frame"`` they are rows of the data set's frame, and nothing is scaled, the
    target neither.

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
        training target is constant, no training row has a weight above 0, a scaling is unknown,
        or there is no frame
    """
    name = f"data set {dataset.name!r}"
    if len(train) < 2 or len(test) < 1:
        raise DataError(
            f"{name} is split into {len(train)} training and {len(test)} test row(s); at least two "
            "and one are needed: give more rows of each class, or set folds or test_size otherwise"
        )
    y_train, y_test = dataset.y[train], dataset.y[test]
    weights = None if dataset.weights is None else dataset.weights[train]
    X_train: Features
    X_test: Features
    if features == "frame":
        X_train, X_test = _frames(dataset, train, test)
    else:
        X_train, X_test = _scaled_arrays(dataset, train, test, scale_features)
    data = Prepared(X_train, y_train, X_test, y_test, weights_train=weights)
    _check_target_and_weights(data, dataset)
    if dataset.task != "regression" or scale_target == "none" or features == "frame":
        return data
    return _with_scaled_target(data, f"{name} has a target {dataset.target!r}")


def _check_target_and_weights(data: Prepared, dataset: Dataset) -> None:
    """Raise DataError where estimators cannot be fitted to a target, or with weights."""
    name, weights = f"data set {dataset.name!r}", data.weights_train
    if not _are_finite(data.y_train, data.y_test):
        raise DataError(f"{name} has a missing or infinite value in its target")
    if is_constant(data.y_train, dataset.task):
        raise DataError(f"{name} has a constant target {dataset.target!r} in the training rows")
    if weights is not None and not weights.any():
        raise DataError(f"{name} has the weight 0 in all training rows of a split")


def _with_scaled_target(data: Prepared, what: str) -> Prepared:
    """Return the data with the target scaled by its mean and deviation in the training rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, sd = float(np.mean(data.y_train)), float(np.std(data.y_train))
    if not np.isfinite(sd) or sd == 0.0:
        too = "small" if sd == 0.0 else "large"
        raise DataError(f"{what} with differences too {too} for a standard deviation; {_UNIT}")
    scaled = [np.asarray((y - mean) / sd, dtype=np.float64) for y in (data.y_train, data.y_test)]
    return replace(data, y_train=scaled[0], y_test=scaled[1], unit=(mean, sd))


def _frames(dataset: Dataset, train: Rows, test: Rows) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """Return rows of the frame, each part numbered from 0."""
    frame = dataset.frame
    if frame is None:
        raise DataError(f"data set {dataset.name!r} has no frame; set 'features: frame'")
    X_train = frame.iloc[train].reset_index(drop=True)
    let_go_of_frame(frame)
    X_test = frame.iloc[test].reset_index(drop=True)
    let_go_of_frame(frame)
    return X_train, X_test


def _scaled_arrays(dataset: Dataset, train: Rows, test: Rows, kind: str) -> tuple[Floats, Floats]:
    """Return rows of the matrix, with gaps filled and features scaled by the training rows."""
    X_train = dataset.X[train]
    let_go(dataset.X)
    X_test = dataset.X[test]
    let_go(dataset.X)
    if dataset.missing == "median":
        _fill(X_train, X_test)
    name = f"data set {dataset.name!r}"
    if not _are_finite(X_train, X_test):
        raise DataError(f"{name} has a missing or infinite value among its features")
    offset, scale = _feature_scale(X_train, kind)
    if not _are_finite(offset, scale):
        wrong = int(np.argmin(np.isfinite(offset) & np.isfinite(scale)))
        feature = dataset.feature_names[wrong]
        raise DataError(f"{name} has a feature {feature!r} whose range overflows; {_UNIT}")
    _scale(X_train, X_test, offset, scale)
    return X_train, X_test


def _scale(X_train: Floats, X_test: Floats, offset: Floats, scale: Floats) -> None:
    """Scale both arrays, which are copies and may be large, in place."""
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
