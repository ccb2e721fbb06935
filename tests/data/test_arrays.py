"""Fingerprints, and arrays kept on disk."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from boostbench.data import Dataset, fingerprint, load_arrays, save_arrays
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
