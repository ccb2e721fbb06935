"""Files of tests, loaded as a user's."""

from pathlib import Path

import numpy as np

from boostbench.data import DataAccess, DataRequest, Dataset, load_dataset
from boostbench.data.given import Data
from boostbench.data.stored import stored_frame
from boostbench.data.table import Table


def load(folder: Path, content: str | bytes, name: str = "my.csv", **options: object) -> Dataset:
    """Load a user's file with this content; its target is the last column unless given."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    request = DataRequest(name="mine", file=str(path), **{"target": -1, **options})  # type: ignore[arg-type]
    return load_dataset(request, DataAccess(folder / "cache", offline=True))


def load_given(folder: Path, X: object, y: object = None, **options: object) -> Dataset:
    """Return the data set that :func:`boostbench.run` makes of values from memory."""
    data = Data(X, y, **options)
    content, _ = stored_frame(data.frame("mine"), "the data set 'mine'", data.dropped)
    (folder / "mine.npz").write_bytes(content)
    request = DataRequest(name="mine", file=str(folder / "mine.npz"), **data.options)  # type: ignore[arg-type]
    return load_dataset(request, DataAccess(folder / "cache", offline=True))


def values(table: Table) -> dict[str, list[object]]:
    return {name: list(table.frame[name]) for name in table.names}


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def assert_parts(train: np.ndarray, test: np.ndarray, n: int) -> None:
    """Assert that these are, in order, all of ``n`` rows, each in one of the two parts."""
    assert train.dtype == test.dtype == np.int64
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
