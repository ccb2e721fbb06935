"""Missing values: refused, left out with their rows, or filled by what the training rows know."""

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from shelf import load
from sklearn.impute import SimpleImputer

from boostbench.data.arrays import load_arrays, save_arrays
from boostbench.data.dataset import Dataset, fingerprint, with_fingerprint
from boostbench.data.prepare import prepare_split
from boostbench.data.splits import kfold_indices
from boostbench.errors import DataError

TRAIN, TEST = kfold_indices(12, 4, 0, 0)


def with_gaps(X: np.ndarray, missing: str = "median") -> Dataset:
    about = ("a", "b", "c"), "y", "regression", "", "test", (), ("a remark",), missing
    return with_fingerprint(Dataset("d", X, np.arange(float(len(X))), *about))


eighths = st.integers(-40, 40).map(lambda k: k / 8)
gappy = arrays(np.float64, (12, 3), elements=eighths | st.just(np.nan))


@given(gappy)
def test_gaps_are_filled_as_scikit_learn_fills_them(X: np.ndarray) -> None:
    X = X + 0.0
    data = with_gaps(X)
    found = prepare_split(data, TRAIN, TEST, scale_features="none")
    reference = SimpleImputer(strategy="median", keep_empty_features=True).fit(X[TRAIN])
    np.testing.assert_array_equal(found.X_train, reference.transform(X[TRAIN]))
    np.testing.assert_array_equal(found.X_test, reference.transform(X[TEST]))
    np.testing.assert_array_equal(np.isnan(data.X), np.isnan(X), "the data set is left as it was")


@given(gappy, st.floats(10, 1e6))
def test_rows_do_not_change_the_filled_values(X: np.ndarray, other: float) -> None:
    changed = X.copy()
    changed[TEST] = np.where(np.isnan(X[TEST]), np.nan, other)
    for kind in ("minmax", "standard"):
        first, second = (
            prepare_split(with_gaps(a), TRAIN, TEST, scale_features=kind) for a in (X, changed)
        )
        np.testing.assert_array_equal(first.X_train, second.X_train)
        gaps = np.isnan(X[TEST])
        np.testing.assert_array_equal(first.X_test[gaps], second.X_test[gaps])


def test_each_fold_has_its_own_median() -> None:
    X = np.column_stack([[np.nan, *range(11)], np.zeros(12), np.zeros(12)]).astype(float)
    filled = set()
    for fold in range(4):
        train, test = kfold_indices(12, 4, fold, 0)
        split = prepare_split(with_gaps(X), train, test, scale_features="none")
        part, rows = (split.X_train, train) if 0 in train else (split.X_test, test)
        filled.add(float(part[np.flatnonzero(rows == 0)[0], 0]))
    assert len(filled) > 1


@pytest.mark.parametrize(("value", "missing"), [(np.nan, "error"), (np.inf, "median")])
def test_gaps_that_nobody_asked_to_fill_are_refused(value: float, missing: str) -> None:
    X = np.ones((12, 3))
    X[3, 1] = value
    with pytest.raises(DataError, match="has a missing or infinite value among its features"):
        prepare_split(with_gaps(X, missing), TRAIN, TEST)


def test_all_ways_to_write_nan_have_one_fingerprint(tmp_path: Path) -> None:
    first, second = np.ones((12, 3)), np.ones((12, 3))
    first[2, 1] = np.nan
    second[2, 1] = struct.unpack("<d", bytes.fromhex("010203000000f8ff"))[0]
    assert np.isnan(second[2, 1])
    assert first.tobytes() != second.tobytes()
    y = np.arange(12.0)
    assert fingerprint(first, y) == fingerprint(second, y)
    first[2, 1] = 0.0
    assert fingerprint(first, y) != fingerprint(second, y)
    data = with_gaps(second)
    save_arrays(data, tmp_path)
    again = load_arrays(data.fingerprint, tmp_path)
    np.testing.assert_array_equal(again.X, data.X)
    assert (again.missing, again.remarks) == ("median", ("a remark",))


CSV = "a,c,y\n1,u,1\n,v,2\n3,u,3\n4,?,4\n5,w,5\n6,u,\n7,u,7\n"


def test_rows_with_gaps_are_left_out(tmp_path: Path) -> None:
    data = load(tmp_path, CSV, missing="drop", categorical=("c",))
    # No row that is left has the level v.
    assert data.feature_names == ("a", "c=u", "c=w")
    np.testing.assert_array_equal(data.X, [[1, 1, 0], [3, 1, 0], [5, 0, 1], [7, 1, 0]])
    assert data.y.tolist() == [1, 3, 5, 7]
    assert data.missing == "error"
    assert "3 of 7 rows left out for missing values (a 1, c 1, target 1)" in data.remarks
    by_hand = "a,c,y\n1,u,1\n3,u,3\n5,w,5\n7,u,7\n"
    assert load(tmp_path, by_hand, categorical=("c",)).fingerprint == data.fingerprint


def test_gaps_are_kept_for_the_training_rows_to_fill(tmp_path: Path) -> None:
    data = load(tmp_path, CSV, target="y", missing="median", categorical=("c",))
    expected = [
        [1, 1, 0, 0],
        [np.nan, 0, 1, 0],
        [3, 1, 0, 0],
        [4, 0, 0, 0],
        [5, 0, 0, 1],
        [7, 1, 0, 0],
    ]
    np.testing.assert_array_equal(data.X, expected)
    assert data.y.tolist() == [1, 2, 3, 4, 5, 7]
    assert data.remarks[2:] == (
        "1 missing value in 1 column filled by the median of the training rows (a 1)",
        "1 missing value in 1 categorical column encoded as zeros (c 1)",
        "1 of 7 rows left out for missing values (target 1)",
    )


def test_requests_that_give_the_same_arrays_have_the_same_fingerprint(tmp_path: Path) -> None:
    whole = "a;b;y\n1,5;1;2\n2,5;0;3\n3,5;1;5\n"
    requests = [
        {"decimal": ","},
        {"decimal": ",", "missing": "median"},
        {"decimal": ",", "missing": "drop", "na_values": ("-",)},
        {"decimal": ",", "categorical": "auto", "task": "regression"},
    ]
    found = [load(tmp_path, whole, **request) for request in requests]
    assert len({data.fingerprint for data in found}) == 1
    assert {data.missing for data in found} == {"error"}


@pytest.mark.parametrize("missing", ["drop", "median"])
def test_a_column_without_values_is_left_out(tmp_path: Path, missing: str) -> None:
    data = load(tmp_path, "a,b,y\n1,,2\n2,,3\n", missing=missing)
    assert data.feature_names == ("a",)
    assert "left out: 'b' (empty)" in data.remarks
    with pytest.raises(DataError, match=r"no values in column 'b'; .*'drop: \[b\]'"):
        load(tmp_path, "a,b,y\n1,,2\n2,,3\n")


def test_too_little_is_left(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        load(tmp_path, "a,b,y\n1,,2\n2,,3\n3,4,5\n", missing="drop")
    assert (
        "my.csv has 1 of 3 rows left without gaps, 2 of them in column 'b'; leave it out with "
        "drop:, or set 'missing: median'"
    ) in str(caught.value)
