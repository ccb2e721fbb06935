"""The data set as every loader returns it, and its fingerprint."""

import contextlib
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from boostbench.errors import DataError

Floats = NDArray[np.float64]
Target = Floats | NDArray[np.int64]

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
    frame: pd.DataFrame | None = None
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
        part = block + 0.0
        if part.size and np.isnan(part.min()):
            part[np.isnan(part)] = np.nan
        digest.update(part.data)
    digest.update((np.ascontiguousarray(y, dtype="<f8") + 0.0).data)
    return digest.hexdigest()


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
    return replace(dataset, X=X, y=y, fingerprint=fingerprint(X, y), missing=missing)


def in_canonical_order(dataset: Dataset, train_rows: int | None) -> Dataset:
    """Return the data set with the rows of each of its two parts sorted by class, then by values.

    The parts are the first ``train_rows`` rows (all rows where None) and the rest. Values are
    compared feature by feature, from the first on.
    """
    end = len(dataset.y) if train_rows is None else train_rows
    parts = np.arange(len(dataset.y)) >= end
    # The last key of lexsort is the first to decide.
    order = np.lexsort([*dataset.X.T[::-1], dataset.y, parts])
    return with_fingerprint(replace(dataset, X=dataset.X[order], y=dataset.y[order]))
