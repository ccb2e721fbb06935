"""Parsed arrays on disk, under their fingerprints."""

import contextlib
import hashlib
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.data.dataset import Dataset, Target, fingerprint
from boostbench.errors import DataError
from boostbench.outputs import whole_file

_META = [field.name for field in fields(Dataset) if field.name not in ("X", "y")]


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
    meta = json.dumps({key: getattr(dataset, key) for key in _META})
    what = f"the arrays of data set {dataset.name!r}"
    return write_arrays(path, what, X=dataset.X, y=dataset.y, meta=np.array(meta))


def save_test_rows(rows: Sequence[NDArray[np.int64]], folder: Path) -> str:
    """Save the listed test rows of all splits for the trials; return their digest."""
    digest = test_rows_digest(rows)
    path = Path(folder) / f"{digest}.npz"
    if not path.exists():
        write_arrays(path, "test rows", **{str(split): part for split, part in enumerate(rows)})
    return digest


def test_rows_digest(rows: Sequence[NDArray[np.int64]]) -> str:
    """Return the digest, 16 hex digits, of the listed test rows of all splits."""
    listed = json.dumps([part.tolist() for part in rows])
    return hashlib.sha256(listed.encode()).hexdigest()[:16]


def load_test_rows(digest: str, folder: Path) -> list[NDArray[np.int64]]:
    """Return the rows that :func:`save_test_rows` wrote; DataError if they cannot be read."""
    with reading(Path(folder) / f"{digest}.npz") as stored:
        return [stored[str(split)] for split in range(len(stored.files))]


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

    Raises
    ------
    DataError
        if the file is missing, damaged, or does not have this fingerprint
    """
    path = Path(folder) / f"{fingerprint}.npz"
    with reading(path) as stored:
        meta: dict[str, Any] = json.loads(str(stored["meta"]))
        meta = {key: tuple(v) if isinstance(v, list) else v for key, v in meta.items()}
        dataset = Dataset(X=stored["X"], y=stored["y"], **meta)
    if _fingerprint_of(dataset.X, dataset.y) != fingerprint:
        raise DataError(f"the arrays {path} are damaged: delete the file and run again")
    return dataset


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
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile,
            RuntimeError) as error:  # fmt: skip
        raise DataError(f"the arrays {path} cannot be read: {error}") from None


_fingerprint_of = fingerprint
