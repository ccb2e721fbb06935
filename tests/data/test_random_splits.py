"""Random splits depend only on the data set and the seed; parts of data sets are balanced."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import assert_parts, load

from boostbench.data.access import DataAccess
from boostbench.data.dataset import fingerprint
from boostbench.data.loading import load_dataset
from boostbench.data.request import DataRequest, known_fingerprint
from boostbench.data.splits import SplitRule, shuffle_indices, split_indices
from boostbench.errors import DataError

counts = st.lists(st.integers(1, 30), min_size=2, max_size=6).filter(lambda c: sum(c) >= 8)
sizes = st.floats(0.05, 0.7)
seeds = st.integers(0, 2**32 - 1)


@given(counts, sizes, st.integers(0, 50), seeds)
def test_each_class_is_split_alike(counts, test_size: float, split: int, seed: int) -> None:
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    train, test = shuffle_indices(y, test_size, split, seed, stratify=True)
    assert_parts(train, test, len(y))
    n_test = np.ceil(round(test_size * len(y), 9))
    for code, count in enumerate(counts):
        tested = int((y[test] == code).sum())
        assert tested < count
        assert abs(tested - n_test * count / len(y)) < 1 or tested == count - 1


@given(st.integers(8, 80), sizes, st.integers(0, 50), seeds)
def test_a_split_for_regression_looks_at_no_target(n, test_size, split, seed) -> None:
    found = shuffle_indices(np.zeros(n), test_size, split, seed, stratify=False)
    again = shuffle_indices(np.arange(float(n)), test_size, split, seed, stratify=False)
    np.testing.assert_array_equal(found[1], again[1])
    assert len(found[1]) == np.ceil(round(test_size * n, 9))
    assert_parts(*found, n)


def test_the_size_of_the_test_part_is_exact() -> None:
    y = np.repeat(np.arange(11), 90)
    assert len(shuffle_indices(y, 0.25, 0, 0, stratify=True)[1]) == 248
    # 0.07 * 100 is a little more than 7 in floating point.
    assert len(shuffle_indices(np.zeros(100), 0.07, 0, 0, stratify=False)[1]) == 7


def test_splits_and_seeds_differ_and_each_row_is_tested_now_and_then() -> None:
    y = np.repeat(np.arange(4), 25)
    tests = [shuffle_indices(y, 0.25, i, s, stratify=True)[1] for i in range(20) for s in (0, 1)]
    assert len({test.tobytes() for test in tests}) == 40
    assert len(np.unique(np.concatenate(tests))) == 100


def test_too_few_rows_to_train_on() -> None:
    with pytest.raises(DataError, match=r"3 rows .* with test_size 0\.5: 1 would be"):
        shuffle_indices(np.zeros(3), 0.5, 0, 0, stratify=False)


def test_the_rule_says_how_rows_are_split() -> None:
    y = np.zeros(21)
    found = split_indices(y, 2, SplitRule("shuffle", 4, 0.3), 3)[1]
    np.testing.assert_array_equal(found, shuffle_indices(y, 0.3, 2, 3, stratify=False)[1])


def test_so_many_rows_of_each_class(local: DataAccess) -> None:
    whole = load_dataset(DataRequest(name="iris", card="iris", task="classification"), local)
    request = DataRequest(name="part", card="iris", task="classification", per_class=7)
    part = load_dataset(request, local)
    assert part.name == "part"
    assert np.bincount(part.y).tolist() == [7, 7, 7]
    assert part.classes == whole.classes
    assert part.fingerprint == fingerprint(part.X, part.y) != whole.fingerprint
    assert known_fingerprint(request) is None
    rows = np.column_stack([whole.X, whole.y]).tolist()
    assert all(row in rows for row in np.column_stack([part.X, part.y]).tolist())
    again = load_dataset(request, local)
    np.testing.assert_array_equal(part.X, again.X)


def test_more_rows_than_a_class_has(tmp_path: Path) -> None:
    text = "a,y\n" + "1,no\n" * 5 + "2,yes\n" * 3
    with pytest.raises(DataError, match="mine has 3 rows of the class with code 1 to draw 4"):
        load(tmp_path, text, task="classification", per_class=4)


def test_there_are_no_classes_in_regression() -> None:
    with pytest.raises(DataError, match="is for regression, which has no classes"):
        DataRequest(name="x", card="diabetes", per_class=3)
