"""Binary formats: IDX (MNIST) and MATLAB files of a feature matrix and its labels."""

import io
import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat

from boostbench.data.table import Column, Table, check_cells
from boostbench.errors import DataError

_MAX_IDX_AXES = 8
_IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def parse_idx(content: bytes, where: str) -> NDArray[np.float64]:
    """Return the array of an IDX file (Y. LeCun, "The MNIST database"), as float64.

    :raises DataError: if the header is wrong or the length is not what it says
    """
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _IDX_TYPES:
        raise DataError(f"{where} is not an IDX file")
    dtype, n_axes = np.dtype(_IDX_TYPES[content[2]]), content[3]
    start = 4 + 4 * n_axes
    if len(content) < start or n_axes == 0:
        raise DataError(f"{where} is not an IDX file: its header is cut short")
    shape = struct.unpack(f">{n_axes}I", content[4:start])
    if n_axes > _MAX_IDX_AXES or 0 in shape:
        what = f"{n_axes} axes" if n_axes > _MAX_IDX_AXES else "no values"
        raise DataError(f"{where} is an IDX file of {what}, not one of images or labels")
    expected = start + int(np.prod(shape, dtype=object)) * dtype.itemsize
    if len(content) != expected:
        raise DataError(f"{where} has {len(content):,} bytes, but its header asks for {expected:,}")
    return np.frombuffer(content, dtype, offset=start).reshape(shape).astype(np.float64)


def table_of_idx(arrays: Sequence[NDArray[np.float64]], where: str) -> Table:
    """Return the table of alternating images (n, ...) and labels (n,), labels in the last column.

    :raises DataError: if they do not go together
    """
    images = [array.reshape(len(array), -1) for array in arrays[::2]]
    labels = [array.ravel() for array in arrays[1::2]]
    if [len(x) for x in images] != [len(y) for y in labels]:
        raise DataError(f"{where} does not hold as many labels as images")
    if len({x.shape[1] for x in images}) > 1:
        raise DataError(f"{where} holds images of different sizes")
    return table_of(np.concatenate(images), np.concatenate(labels), where)


def parse_mat(content: bytes, where: str) -> Table:
    """Return the table of a MATLAB v5 file with X, a matrix or a cell of matrices, and Y.

    :raises DataError: if it is not such a file
    """
    try:
        stored = loadmat(io.BytesIO(content), variable_names=["X", "Y"])
        blocks = stored["X"]
        if blocks.dtype == object:
            blocks = np.hstack([np.asarray(block, dtype=np.float64) for block in blocks.ravel()])
        X = np.asarray(blocks, dtype=np.float64)
        y = np.asarray(stored["Y"], dtype=np.float64).ravel()
    except Exception as error:  # SciPy raises many kinds on damaged files
        raise DataError(f"{where} is not a MATLAB v5 file with X and Y: {error}") from None
    if X.ndim != 2 or len(X) != len(y):
        raise DataError(f"{where} has X of shape {X.shape} and Y of {len(y)} values")
    return table_of(X, y, where)


def table_of(
    X: NDArray[np.float64], y: NDArray[np.float64], where: str, names: Sequence[str] = ()
) -> Table:
    """Return the table of ``X`` (n, p) and, as its last column, ``target``, ``y`` (n,)."""
    check_cells(len(X), X.shape[1], where)
    names = names or [f"x{j}" for j in range(1, X.shape[1] + 1)]
    by_column = np.ascontiguousarray(X.T, dtype=np.float64)
    columns = [Column(name, values) for name, values in zip(names, by_column, strict=True)]
    return Table((*columns, Column("target", np.asarray(y, dtype=np.float64))), where, ("target",))
