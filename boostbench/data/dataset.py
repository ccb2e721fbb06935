"""The data set as every loader returns it, and its fingerprint."""

import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.errors import DataError

if TYPE_CHECKING:
    # pandas takes long to import, and is needed for frames only.
    import pandas as pd

    from boostbench.data.frame_arrays import ColumnSchema

Floats = NDArray[np.float64]
Target = Floats | NDArray[np.int64]
Array = NDArray[np.generic]
Features: TypeAlias = "Floats | pd.DataFrame"
"""What an estimator gets: rows of a matrix or of a frame."""

_BLOCK_CELLS = 1 << 20
# As in scikit-learn, where values of about 1 differ by rounding.
_ROUNDING = 10 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Dataset:
    """A parsed and encoded, unscaled data set.

    ``X`` is (n_samples, n_features) C-ordered float64; ``y`` is (n_samples,), float64 for
    regression and int64 codes 0..K-1 for classification (``classes`` holds the labels). ``X`` has
    NaN only where ``missing`` is ``median``: each is to be filled by the median of its feature in
    the training rows. ``remarks`` say how the data were read, where the user should know.
    ``left_out`` are the rows of the file, from 0, that were left out for missing values, so that
    later rows moved up. ``frame`` has the columns of the table, unscaled, for estimators that take
    frames; None where all get ``X``. ``groups`` (n_samples,) are the codes of the rows' groups,
    ``times`` (n_samples,) the ranks of the distinct times from 0, and ``weights`` (n_samples,) the
    weights of rows in a fit; each is None where the data set has none.
    """

    name: str
    X: Floats
    y: Target
    feature_names: tuple[str, ...]
    target: str
    task: str
    fingerprint: str
    source: str
    classes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    missing: str = "error"
    left_out: tuple[int, ...] = ()
    frame: "pd.DataFrame | None" = None
    groups: NDArray[np.int64] | None = None
    times: NDArray[np.int64] | None = None
    weights: Floats | None = None

    def label_of(self, code: int) -> str:
        """Return the label of a class, or its code where the classes have no labels."""
        return self.classes[code] if self.classes else str(code)

    @property
    def rows_by_class(self) -> dict[str, int]:
        """How many rows each class has, by its label."""
        counts = np.bincount(self.y.astype(np.int64), minlength=len(self.classes))
        return {self.label_of(code): n for code, n in enumerate(counts.tolist())}

    @property
    def remarks_line(self) -> str:
        """The remarks as one line that begins with the data set's name, empty without any."""
        return f"{self.name}: {'; '.join(self.remarks)}" if self.remarks else ""


def labels_of(classes: Sequence[str]) -> NDArray[np.generic]:
    """Return the labels of classes as their file has them: whole numbers if all are, else text."""
    with contextlib.suppress(ValueError, OverflowError):
        numbers = [int(label) for label in classes]
        if [str(number) for number in numbers] == list(classes):
            return np.array(numbers, dtype=np.int64)
    return np.array(classes, dtype=str)


def fingerprint(X: ArrayLike, y: ArrayLike) -> str:
    """Return the sha256 (64 hex digits) of the shape and the little-endian float64 X and y.

    All NaN count as equal, whatever their bits.

    Parameters
    ----------
    X : (n, p)
    y : (n,) numbers or class codes
    """
    features = np.ascontiguousarray(X, dtype="<f8")
    rows = rows_of_block(features.shape)
    blocks = (features[start : start + rows] for start in range(0, len(features), rows))
    return fingerprint_of_blocks(features.shape, blocks, y)


def rows_of_block(shape: tuple[int, ...]) -> int:
    """Return how many rows of an array are hashed at a time.

    A copy of the whole of a large array would double its memory.
    """
    cells_of_row = int(np.prod(shape[1:]))
    return max(1, _BLOCK_CELLS // max(1, cells_of_row))


def fingerprint_of_blocks(shape: tuple[int, ...], blocks: Iterable[Floats], y: ArrayLike) -> str:
    """Return the :func:`fingerprint` of an X of this shape, given as consecutive blocks of rows."""
    digest = hashlib.sha256(repr(shape).encode())
    for block in blocks:
        digest.update(_with_one_zero_and_nan(block).data)
    digest.update((np.ascontiguousarray(y, dtype="<f8") + 0.0).data)
    return digest.hexdigest()


def _with_one_zero_and_nan(values: Floats) -> Floats:
    """Return a copy in which equal values have equal bits."""
    part = values + 0.0
    if part.size and np.isnan(part.min()):
        part[np.isnan(part)] = np.nan
    return part


class HashedArray(NamedTuple):
    """An array beside X and y as it is hashed: by its name and shape, and block by block."""

    name: str
    shape: tuple[int, ...]
    blocks: Iterable[Array]


def fingerprint_beside(
    of_matrix: str, schema: "Sequence[ColumnSchema]", arrays: Iterable[HashedArray]
) -> str:
    """Return the fingerprint of a data set with arrays beside X and y.

    It is a sha256 over the :func:`fingerprint` of X and y, the columns of the frame with their
    names, kinds and levels, and the arrays.
    """
    digest = hashlib.sha256(json.dumps([of_matrix, schema]).encode())
    for name, shape, blocks in arrays:
        digest.update(json.dumps([name, shape]).encode())
        for block in blocks:
            is_float = block.dtype == np.float64
            part = _with_one_zero_and_nan(block.astype(np.float64)) if is_float else block
            digest.update(np.ascontiguousarray(part, part.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def arrays_beside(dataset: Dataset) -> dict[str, Array]:
    """Return what a data set has beside X and y as plain arrays by their names, in one order."""
    arrays: dict[str, Array] = {}
    if dataset.frame is not None:
        from boostbench.data.frame_arrays import frame_arrays

        arrays |= frame_arrays(dataset.frame)
    of_rows: Mapping[str, Array | None] = {
        "groups": dataset.groups,
        "times": dataset.times,
        "weights": dataset.weights,
    }
    return arrays | {name: array for name, array in of_rows.items() if array is not None}


def schema_beside(dataset: Dataset) -> "list[ColumnSchema]":
    """Return the columns of a data set's frame, none where it has no frame."""
    if dataset.frame is None:
        return []
    from boostbench.data.frame_arrays import schema_of

    return schema_of(dataset.frame)


def fingerprint_of(dataset: Dataset) -> str:
    """Return the fingerprint of all that a data set has: that of X and y if there is no more."""
    of_matrix, arrays = fingerprint(dataset.X, dataset.y), arrays_beside(dataset)
    if not arrays:
        return of_matrix
    hashed = (HashedArray(name, array.shape, [array]) for name, array in arrays.items())
    return fingerprint_beside(of_matrix, schema_beside(dataset), hashed)


def take_rows(dataset: Dataset, rows: NDArray[np.int64]) -> Dataset:
    """Return the data set with these rows only, in their order; its fingerprint is not changed.

    The codes of groups and the ranks of times are those among these rows.
    """
    frame, weights = dataset.frame, dataset.weights
    groups, times = dataset.groups, dataset.times
    return replace(
        dataset,
        X=np.ascontiguousarray(dataset.X[rows]),
        y=dataset.y[rows],
        frame=None if frame is None else frame.iloc[rows].reset_index(drop=True),
        groups=None if groups is None else codes_of(groups[rows]),
        times=None if times is None else codes_of(times[rows]),
        weights=None if weights is None else weights[rows],
    )


def codes_of(values: Array) -> NDArray[np.int64]:
    """Return the place of each value among the different values, sorted."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def differ_by_rounding(low: ArrayLike, high: ArrayLike, unit: float = 0.0) -> NDArray[np.bool_]:
    """Return whether the values from ``low`` to ``high`` differ at most by rounding.

    That is relative to the larger of their size and ``unit``.
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    size = np.maximum(np.maximum(np.abs(low), np.abs(high)), unit)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray((low == high) | (high - low < _ROUNDING * size))


def is_constant(y: Target, task: str) -> bool:
    """Return whether all targets are equal, or quantities that differ only by rounding."""
    low, high = np.min(y), np.max(y)
    return bool(differ_by_rounding(low, high) if task == "regression" else low == high)


def with_fingerprint(dataset: Dataset) -> Dataset:
    """Return the data set with its fingerprint; DataError for too few rows or a constant target.

    ``X`` is not copied where it has the right layout, and each -0.0 in it becomes 0.0.
    """
    y: Target = dataset.y
    if len(y) < 2:
        raise DataError(f"data set {dataset.name!r} has {len(y)} row(s); at least two are needed")
    if is_constant(y, dataset.task):
        low, high = np.min(y), np.max(y)
        by_rounding = f": it varies only by rounding, from {low!s} to {high!s}"
        raise DataError(
            f"data set {dataset.name!r} has the constant target {dataset.target!r}"
            f"{by_rounding if low < high else ''}"
        )
    # Adding zero turns -0.0 into 0.0, so that equal data have equal bytes.
    X = np.require(dataset.X, np.float64, ["C", "W"])
    X += 0.0
    if dataset.task == "regression":
        y = np.ascontiguousarray(y, dtype=np.float64) + 0.0
    missing = "median" if dataset.missing == "median" and np.isnan(X).any() else "error"
    made = replace(dataset, X=X, y=y, missing=missing)
    return replace(made, fingerprint=fingerprint_of(made))


def in_canonical_order(dataset: Dataset, train_rows: int | None) -> Dataset:
    """Return the data set with the rows of each of its two parts sorted by class, then by values.

    The parts are the first ``train_rows`` rows (all rows where None) and the rest. Values are
    compared feature by feature, from the first on.
    """
    end = len(dataset.y) if train_rows is None else train_rows
    parts = np.arange(len(dataset.y)) >= end
    # The last key of lexsort is the first to decide.
    order = np.lexsort([*dataset.X.T[::-1], dataset.y, parts])
    return with_fingerprint(take_rows(dataset, order))
