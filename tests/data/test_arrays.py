"""Fingerprints, and arrays kept on disk."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from boostbench.data import Dataset, fingerprint, load_arrays, save_arrays
from boostbench.data.arrays import let_go
from boostbench.data.dataset import with_fingerprint
from boostbench.errors import DataError


def a_dataset() -> Dataset:
    X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y = np.array([0, 1, 1])
    about = ("a", "b"), "y", "classification", "", "test", ("no", "yes")
    return with_fingerprint(Dataset("d", X, y, *about))


def test_fingerprint_is_pinned() -> None:
    # Stored results are keyed by it: it must never change.
    found = fingerprint(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0]))
    assert found == "bd1a7ee23c1ef33890d48e7fddb00c0bda5ca3a9b45352f821a65b99f5095d29"


@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=st.floats(-1e6, 1e6)))
def test_fingerprint_depends_on_values_shape_and_order(X: np.ndarray) -> None:
    y = np.arange(len(X), dtype=float)
    base = fingerprint(X, y)
    assert fingerprint(np.asfortranarray(X), y.astype(int)) == base
    assert fingerprint(X.astype(">f8"), y) == base
    assert fingerprint(X + 1, y) != base
    assert fingerprint(X, y + 1) != base
    if X.shape[0] != X.shape[1]:
        assert fingerprint(X.reshape(X.shape[::-1]), y) != base


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    dataset = a_dataset()
    path = save_arrays(dataset, tmp_path / "new" / "folder")
    assert path.name == f"{dataset.fingerprint}.npz"
    again = load_arrays(dataset.fingerprint, path.parent)
    np.testing.assert_array_equal(again.X, dataset.X)
    np.testing.assert_array_equal(again.y, dataset.y)
    assert again.y.dtype == np.int64
    for key in ("name", "feature_names", "target", "task", "fingerprint", "source", "classes"):
        assert getattr(again, key) == getattr(dataset, key)
    before = path.stat().st_mtime_ns
    save_arrays(dataset, path.parent)
    assert path.stat().st_mtime_ns == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_rows_left_out_of_one_file_are_not_those_of_another(tmp_path: Path) -> None:
    dataset = dataclasses.replace(a_dataset(), left_out=(2, 5))
    path = save_arrays(dataset, tmp_path)
    assert load_arrays(dataset.fingerprint, tmp_path).left_out == ()
    # Older arrays have how many these were.
    with np.load(path) as stored:
        meta = json.loads(str(stored["meta"])) | {"n_left_out": 3}
    np.savez(path, X=dataset.X, y=dataset.y, meta=np.array(json.dumps(meta)))
    again = load_arrays(dataset.fingerprint, tmp_path)
    assert again.fingerprint == a_dataset().fingerprint


def test_features_are_mapped_and_cannot_be_changed(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    made = dataclasses.replace(a_dataset(), X=rng.normal(size=(50, 2)), y=np.arange(50) % 2)
    # More rows than are hashed at a time.
    large = dataclasses.replace(made, X=rng.normal(size=(7, 400_000)), y=np.arange(7) % 2)
    for dataset in map(with_fingerprint, (a_dataset(), made, large)):
        path = save_arrays(dataset, tmp_path)
        again = load_arrays(dataset.fingerprint, tmp_path)
        np.testing.assert_array_equal(again.X, dataset.X)
        assert again.X.dtype == np.float64
        assert again.X.flags.c_contiguous
        assert type(again.X) is np.ndarray
        assert not again.X.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            again.X[0, 0] = 1.0
        # What was taken of it may be changed, and stays when the file goes.
        rows = again.X[[0, 2]]
        rows += 1.0
        path.unlink()
        np.testing.assert_array_equal(again.X, dataset.X)


def test_features_that_lie_by_columns_come_back_as_they_were(tmp_path: Path) -> None:
    dataset = a_dataset()
    columns = dataclasses.replace(dataset, X=np.asfortranarray(dataset.X))
    save_arrays(columns, tmp_path)
    np.testing.assert_array_equal(load_arrays(dataset.fingerprint, tmp_path).X, dataset.X)


def test_each_flipped_byte_is_found_or_changes_nothing(tmp_path: Path) -> None:
    dataset = a_dataset()
    path = save_arrays(dataset, tmp_path)
    content = path.read_bytes()
    start = content.index(dataset.X.tobytes())
    refusals: dict[int, str] = {}
    values = range(start, start + dataset.X.nbytes)
    # All of the values, and each third of what is around them, which is like its neighbours.
    for place in sorted({*values, *range(0, len(content), 3)}):
        changed = bytearray(content)
        changed[place] ^= 0x80
        path.write_bytes(changed)
        try:
            again = load_arrays(dataset.fingerprint, tmp_path)
        except DataError as error:
            refusals[place] = str(error)
        else:
            np.testing.assert_array_equal(again.X, dataset.X)
            np.testing.assert_array_equal(again.y, dataset.y)
            assert (again.name, again.classes) == (dataset.name, dataset.classes)
    assert refusals.keys() >= set(values)
    assert {said for said in refusals.values() if "\n" in said or str(path) not in said} == set()


@pytest.mark.parametrize("kind", ["compressed", "float32", "big-endian", "columns"])
def test_arrays_of_another_kind_are_refused(tmp_path: Path, kind: str) -> None:
    dataset = a_dataset()
    path = save_arrays(dataset, tmp_path)
    with np.load(path) as stored:
        members = dict(stored)
    if kind == "compressed":
        np.savez_compressed(path, **members)
    else:
        types = {"float32": np.float32, "big-endian": ">f8"}
        members["X"] = members["X"].astype(types.get(kind, np.float64), order="F")
        if kind != "columns":
            members["X"] = np.ascontiguousarray(members["X"])
        np.savez(path, **members)
    words = {"compressed": "X is compressed", "columns": "X is of float64 in columns"}
    with pytest.raises(DataError, match=f"cannot be read: {words.get(kind, 'X is of')}"):
        load_arrays(dataset.fingerprint, tmp_path)
    # They are replaced where the arrays are saved again.
    save_arrays(dataset, tmp_path)
    np.testing.assert_array_equal(load_arrays(dataset.fingerprint, tmp_path).X, dataset.X)


FEW_ROWS = """
import resource, sys
from pathlib import Path
import numpy as np
from boostbench.data import load_arrays
from boostbench.data.arrays import let_go

def mb(what):
    return int(Path("/proc/self/status").read_text().partition(f"{what}:")[2].split()[0]) // 1024

hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
resource.setrlimit(resource.RLIMIT_DATA, ((mb("VmData") + 100) << 20, hard))
data = load_arrays(sys.argv[1], sys.argv[2])
print(data.X[np.arange(0, len(data.X), 250)].sum())
try:
    np.array(data.X)
except MemoryError:
    print("no memory for all of them")
before = mb("RssFile")
total = data.X.sum()
print("all of them were in memory:", mb("RssFile") - before > 0)
let_go(data.X)
print("they are not:", mb("RssFile") < 100, data.X.sum() == total)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")
def test_a_few_rows_of_large_arrays_take_no_memory_for_the_others(tmp_path: Path) -> None:
    # Of 200 MB, where the process may have 100 MB of its own.
    X = np.repeat(np.arange(25_000.0), 1000).reshape(25_000, 1000)
    about = tuple(map(str, range(1000))), "y", "regression", "", "test"
    dataset = with_fingerprint(Dataset("large", X, np.arange(25_000.0), *about))
    save_arrays(dataset, tmp_path)
    command = [sys.executable, "-c", FEW_ROWS, dataset.fingerprint, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        str(X[::250].sum()),
        "no memory for all of them",
        "all of them were in memory: True",
        "they are not: True True",
    ], done.stderr


def test_letting_an_array_go_changes_nothing(tmp_path: Path) -> None:
    dataset = a_dataset()
    save_arrays(dataset, tmp_path)
    again = load_arrays(dataset.fingerprint, tmp_path)
    for X in (again.X, again.X[1:], dataset.X):
        expected = X.copy()
        let_go(X)
        np.testing.assert_array_equal(X, expected)


@pytest.mark.parametrize("damage", ["empty", "cut", "other"])
def test_damaged_arrays_are_noticed_and_replaced(tmp_path: Path, damage: str) -> None:
    dataset = a_dataset()
    path = save_arrays(dataset, tmp_path)
    content = path.read_bytes()
    if damage == "other":
        other = with_fingerprint(dataclasses.replace(dataset, X=dataset.X + 1))
        save_arrays(other, tmp_path).rename(path)
    else:
        path.write_bytes(b"" if damage == "empty" else content[: len(content) // 2])
    with pytest.raises(DataError, match=r"damaged|cannot be read"):
        load_arrays(dataset.fingerprint, tmp_path)
    save_arrays(dataset, tmp_path)
    assert load_arrays(dataset.fingerprint, tmp_path).name == "d"


def test_missing_arrays_and_unwritable_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="are missing"):
        load_arrays("0" * 64, tmp_path)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match="cannot be written"):
        save_arrays(a_dataset(), tmp_path / "file")
