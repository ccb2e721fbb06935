"""Parsed arrays on disk, under their fingerprints."""

import contextlib
import hashlib
import json
import mmap
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from boostbench.data.dataset import (
    Dataset,
    Floats,
    HashedArray,
    Target,
    arrays_beside,
    fingerprint_beside,
    fingerprint_of_blocks,
    rows_of_block,
    schema_beside,
)
from boostbench.data.splits import Rows, Split
from boostbench.errors import DataError
from boostbench.outputs import whole_file

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T", bound=np.generic)

# Where a zip file's header of a member has the lengths of its name and its extra field.
_LENGTHS_IN_ZIP_HEADER = 26
# Which rows of a file were left out is no property of the arrays: other files have the same ones.
_ARRAYS = ("X", "y", "frame", "groups", "times", "weights")
# The arrays that there may be beside X and y: those of a frame, and those with a value a row.
_OF_FRAME: Mapping[str, type[np.generic]] = {
    "frame_number": np.float64,
    "frame_truth": np.bool_,
    "frame_category": np.int32,
}
_OF_ROWS: Mapping[str, type[np.generic]] = {
    "groups": np.int64,
    "times": np.int64,
    "weights": np.float64,
}
_META = [each.name for each in fields(Dataset) if each.name not in (*_ARRAYS, "left_out")]
# What numpy and zipfile raise on damaged files.
_DAMAGES = (
    *(OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError),
    *(zipfile.BadZipFile, struct.error, TokenError),
)


def save_arrays(dataset: Dataset, folder: Path) -> Path:
    """Write ``folder/FINGERPRINT.npz`` unless it exists and is intact; return its path.

    The file is written completely or not at all.

    Raises
    ------
    DataError
        if the folder cannot be written
    """
    path = Path(folder) / f"{dataset.fingerprint}.npz"
    if path.exists():
        with contextlib.suppress(DataError):
            load_arrays(dataset.fingerprint, folder)
            return path
    known = {key: getattr(dataset, key) for key in _META}
    meta = json.dumps(known | ({} if dataset.frame is None else {"frame": schema_beside(dataset)}))
    what = f"the arrays of data set {dataset.name!r}"
    X = np.ascontiguousarray(dataset.X, dtype=np.float64)
    return write_arrays(path, what, X=X, y=dataset.y, meta=np.array(meta), **arrays_beside(dataset))


def save_test_rows(rows: Sequence[Rows], folder: Path) -> str:
    """Save the listed test rows of all splits for the trials; return their digest."""
    digest = test_rows_digest(rows)
    path = Path(folder) / f"{digest}.npz"
    if not path.exists():
        write_arrays(path, "test rows", **{str(split): part for split, part in enumerate(rows)})
    return digest


def test_rows_digest(rows: Sequence[Rows]) -> str:
    """Return the digest, 16 hex digits, of the listed test rows of all splits."""
    listed = json.dumps([part.tolist() for part in rows])
    return hashlib.sha256(listed.encode()).hexdigest()[:16]


def load_test_rows(digest: str, folder: Path) -> list[Rows]:
    """Return the rows that :func:`save_test_rows` wrote; DataError if they cannot be read."""
    with reading(Path(folder) / f"{digest}.npz") as stored:
        return [stored[str(split)] for split in range(len(stored.files))]


def save_rows(split: Split, folder: Path) -> str:
    """Save the training and test rows of a split for the trials; return their digest."""
    digest, (train, test) = rows_digest(split), split
    path = Path(folder) / f"{digest}.npz"
    if not path.exists():
        write_arrays(path, "training and test rows", train=train, test=test)
    return digest


def rows_digest(split: Split) -> str:
    """Return the digest, 32 hex digits, of the training and test rows of a split."""
    parts = (np.ascontiguousarray(part, dtype="<i8").tobytes() for part in split)
    return hashlib.sha256(b"|".join(parts)).hexdigest()[:32]


def load_rows(digest: str, folder: Path) -> Split:
    """Return the rows that :func:`save_rows` wrote; DataError if they cannot be read."""
    path = Path(folder) / f"{digest}.npz"
    with reading(path) as stored:
        split = stored["train"], stored["test"]
    if rows_digest(split) != digest:
        raise DataError(f"the rows {path} are damaged: delete the file and run again")
    return split


def write_arrays(path: Path, what: str, **arrays: Any) -> Path:
    """Write ``path`` completely or not at all; DataError if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            np.savez(file, **arrays)
    except OSError as error:
        why = error.strerror or error
        raise DataError(f"{what} cannot be written to {path.parent}: {why}") from None
    return path


def load_arrays(fingerprint: str, folder: Path) -> Dataset:
    """Return the data set that :func:`save_arrays` wrote.

    Its ``X`` and the numbers of its frame are mapped into memory and read-only: rows are read from
    the file when they are used, so that a trial on some of the rows takes no memory for the others.

    Raises
    ------
    DataError
        if the file is missing, damaged, or does not have this fingerprint
    """
    path = Path(folder) / f"{fingerprint}.npz"
    with reading(path) as stored:
        meta: dict[str, Any] = json.loads(str(stored["meta"]))
        schema = meta.pop("frame", [])
        meta = {k: tuple(v) if isinstance(v, list) else v for k, v in meta.items() if k in _META}
        y = stored["y"]
        X, place = _mapped(path, stored, "X", np.float64)
        found = fingerprint_of_blocks(X.shape, _blocks(path, place, X), y)
        dtypes = {**_OF_FRAME, **_OF_ROWS}
        beside = {n: _mapped(path, stored, n, dtypes[n]) for n in dtypes if n in stored.files}
        if beside:
            found = fingerprint_beside(found, schema, _hashed(path, beside))
        if found != fingerprint:
            raise DataError(f"the arrays {path} are damaged: delete the file and run again")
        arrays = {name: array for name, (array, _) in beside.items()}
        if schema:
            # pandas takes long to import, and is needed for frames only.
            from boostbench.data.frame_arrays import frame_from

            meta["frame"] = frame_from(schema, arrays)
        meta |= {name: arrays[name] for name in _OF_ROWS if name in arrays}
        return Dataset(X=X, y=y, **meta)


def let_go(X: Floats) -> None:
    """Take the pages of a mapped array out of this process; the system keeps them in its cache.

    Pages are mapped in groups, so that those of a few rows soon are most of the file.
    """
    owner: object = X
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, mmap.mmap):
        owner.madvise(mmap.MADV_DONTNEED)


def let_go_of_frame(frame: "pd.DataFrame") -> None:
    """Do the same with the mapped numbers of a frame, which are in one array."""
    for _, column in frame.items():
        if column.dtype == np.float64:
            let_go(column.to_numpy())
            return


def _mapped(
    path: Path, stored: np.lib.npyio.NpzFile, name: str, expected: type[T]
) -> tuple[NDArray[T], int]:
    """Return an array of an npz file, mapped into memory, and where its values begin."""
    if stored.zip is None:
        raise ValueError("the file is closed")
    member = stored.zip.getinfo(f"{name}.npy")
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is compressed")
    with path.open("rb") as file:
        # The member follows its own header, which ends with two texts of the given lengths.
        file.seek(member.header_offset + _LENGTHS_IN_ZIP_HEADER)
        file.seek(sum(struct.unpack("<HH", file.read(4))), os.SEEK_CUR)
        np.lib.format.read_magic(file)
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
        place = file.tell()
    if dtype != expected or by_columns:
        raise ValueError(f"{name} is of {dtype}{' in columns' if by_columns else ''}")
    return np.memmap(path, dtype, "r", place, shape).view(np.ndarray), place


def _hashed(path: Path, mapped: Mapping[str, tuple[NDArray[T], int]]) -> Iterator[HashedArray]:
    """Yield mapped arrays of a file as they are hashed."""
    for name, (array, start) in mapped.items():
        yield HashedArray(name, array.shape, _blocks(path, start, array))


def _blocks(path: Path, place: int, array: NDArray[T]) -> Iterator[NDArray[T]]:
    """Yield blocks of rows of an array in a file.

    They are not taken from the mapped array, which would then count as memory of the process.
    """
    shape = array.shape
    with path.open("rb") as file:
        file.seek(place)
        rows = rows_of_block(shape)
        for start in range(0, shape[0], rows):
            n_rows = min(rows, shape[0] - start)
            values = np.fromfile(file, array.dtype, n_rows * int(np.prod(shape[1:])))
            yield values.reshape(n_rows, *shape[1:])


def load_targets(fingerprint: str, folder: Path) -> Target:
    """Return the y of the data set that :func:`save_arrays` wrote, unchecked.

    Raises
    ------
    DataError
        if the file is missing or cannot be read
    """
    with reading(Path(folder) / f"{fingerprint}.npz") as stored:
        return np.asarray(stored["y"])


@contextlib.contextmanager
def reading(path: Path) -> Iterator[np.lib.npyio.NpzFile]:
    """Open a file that :func:`write_arrays` wrote; DataError if it cannot be read."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            yield stored
    except FileNotFoundError:
        raise DataError(f"the arrays {path} are missing; run the experiment again") from None
    except _DAMAGES as error:
        raise DataError(f"the arrays {path} cannot be read: {error}") from None
