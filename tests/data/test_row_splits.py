"""Splits by groups and by time: no group on both sides, no training row after a test row."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupKFold,
    StratifiedGroupKFold,
    TimeSeriesSplit,
)

from boostbench.data.row_splits import group_folds, group_shuffle, time_holdout, time_windows
from boostbench.errors import DataError

codes = st.lists(st.integers(-5, 20), min_size=2, max_size=60).map(np.array)
seeds = st.integers(0, 2**32 - 1)


def check_rows(split, n_rows):
    """Check that both parts are sorted distinct rows, not empty, and have none in common."""
    for part in split:
        assert part.dtype == np.int64
        assert len(part)
        assert (np.diff(part) > 0).all()
        assert part[0] >= 0
        assert part[-1] < n_rows
    assert not np.intersect1d(*split).size


@given(codes, st.integers(2, 6), seeds)
def test_each_row_is_tested_once_and_no_group_is_on_both_sides(groups, folds, seed):
    assume(len(np.unique(groups)) >= folds)
    splits = group_folds(groups, folds, seed)
    assert len(splits) == folds
    for train, test in splits:
        check_rows((train, test), len(groups))
        assert len(train) + len(test) == len(groups)
        assert not np.intersect1d(groups[train], groups[test]).size
    tested = np.sort(np.concatenate([test for _, test in splits]))
    np.testing.assert_array_equal(tested, np.arange(len(groups)))


@given(codes, st.integers(2, 4), seeds, st.data())
def test_stratified_folds_keep_groups_together(groups, folds, seed, data):
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(groups), max_size=len(groups))))
    assume(len(np.unique(groups)) >= folds)
    assume(np.bincount(y).max() >= folds)
    splits = group_folds(groups, folds, seed, y=y)
    for split in splits:
        check_rows(split, len(groups))
        assert not np.intersect1d(groups[split[0]], groups[split[1]]).size
    tested = np.sort(np.concatenate([test for _, test in splits]))
    np.testing.assert_array_equal(tested, np.arange(len(groups)))


def test_folds_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    groups, y = rng.integers(0, 30, 200), rng.integers(0, 3, 200)
    theirs = GroupKFold(5, shuffle=True, random_state=7).split(y, y, groups)
    for mine, other in zip(group_folds(groups, 5, 7), theirs, strict=True):
        np.testing.assert_array_equal(mine[1], other[1])
    theirs = StratifiedGroupKFold(5, shuffle=True, random_state=7).split(y, y, groups)
    for mine, other in zip(group_folds(groups, 5, 7, y=y), theirs, strict=True):
        np.testing.assert_array_equal(mine[1], other[1])


def test_a_split_seed_gives_other_folds():
    groups = np.arange(40) // 2
    first, second = (np.concatenate(group_folds(groups, 4, seed)[0]) for seed in (0, 1))
    assert first.tolist() != second.tolist()


@given(codes, st.integers(1, 4), st.floats(0.05, 0.95), seeds)
def test_a_random_split_tests_whole_groups(groups, n, test_size, seed):
    n_groups = len(np.unique(groups))
    n_test = max(1, int(np.ceil(np.round(test_size * n_groups, 9))))
    assume(n_test < n_groups)
    splits = group_shuffle(groups, n, test_size, seed)
    assert len(splits) == n
    for train, test in splits:
        check_rows((train, test), len(groups))
        assert len(train) + len(test) == len(groups)
        assert not np.intersect1d(groups[train], groups[test]).size
        assert len(np.unique(groups[test])) == n_test
    for mine, other in zip(splits, group_shuffle(groups, n + 1, test_size, seed), strict=False):
        np.testing.assert_array_equal(mine[1], other[1])


@given(codes, st.integers(1, 6))
def test_training_rows_are_earlier_than_all_test_rows(times, folds):
    assume(len(np.unique(times)) > folds)
    splits = time_windows(times, folds)
    assert len(splits) == folds
    before = np.array([], dtype=np.int64)
    for train, test in splits:
        check_rows((train, test), len(times))
        assert times[train].max() < times[test].min()
        # All earlier rows are trained on, so that a window begins where the last one ended.
        np.testing.assert_array_equal(train, np.flatnonzero(times < times[test].min()))
        assert np.isin(before, train).all()
        before = np.union1d(train, test)
    np.testing.assert_array_equal(before, np.arange(len(times)))


def test_windows_of_distinct_times_are_those_of_scikit_learn():
    times = np.arange(23)
    for mine, other in zip(time_windows(times, 4), TimeSeriesSplit(4).split(times), strict=True):
        np.testing.assert_array_equal(mine[0], other[0])
        np.testing.assert_array_equal(mine[1], other[1])


@given(codes, st.floats(0.05, 0.95))
def test_the_last_share_is_cut_between_two_times(times, test_size):
    assume(len(np.unique(times)) > 1)
    ((train, test),) = time_holdout(times, test_size)
    check_rows((train, test), len(times))
    assert len(train) + len(test) == len(times)
    assert times[train].max() < times[test].min()


def test_the_last_share_has_as_many_rows_as_a_random_test_part():
    ((train, test),) = time_holdout(np.array([3, 1, 4, 0, 5, 9, 2, 6]), 0.3)
    assert test.tolist() == [4, 5, 7]
    assert train.tolist() == [0, 1, 2, 3, 6]


def test_a_long_tie_is_not_divided():
    times = np.array([0] * 9 + [1])
    ((train, test),) = time_holdout(times, 0.5)
    assert test.tolist() == [9]
    assert train.tolist() == list(range(9))


@given(codes, st.integers(1, 3), st.data())
def test_with_groups_and_times_both_hold(times, folds, data):
    few = st.lists(st.integers(0, 9), min_size=len(times), max_size=len(times))
    groups = np.array(data.draw(few))
    assume(len(np.unique(times)) > folds)

    def divide(groups):
        return [
            *time_windows(times, folds, groups=groups),
            *time_holdout(times, 0.3, groups=groups),
        ]

    by_time = divide(None)
    if any(np.isin(groups[train], groups[test]).all() for train, test in by_time):
        with pytest.raises(DataError, match="leave group or time out"):
            divide(groups)
        return
    for (train, test), (earlier, later) in zip(divide(groups), by_time, strict=True):
        check_rows((train, test), len(times))
        np.testing.assert_array_equal(test, later)
        kept = earlier[~np.isin(groups[earlier], groups[later])]
        np.testing.assert_array_equal(train, kept)


@pytest.mark.parametrize(
    ("divide", "words"),
    [
        (lambda: group_folds(np.zeros(9, int), 3, 0), "1 group, fewer than the 3 folds"),
        (lambda: group_shuffle(np.zeros(9, int), 2, 0.25, 0), "none would be left for training"),
        (lambda: time_windows(np.array([1, 1, 2]), 2), "2 distinct times, too few for 2 windows"),
        (lambda: time_holdout(np.array([1, 1]), 0.5), "one distinct time only"),
        (
            lambda: time_windows(np.array([1, 2]), 1, groups=np.array([7, 7])),
            "leave group or time out",
        ),
        (
            lambda: group_folds(np.array([0, 0, 1]), 2, 0, y=np.array([0, 1, 2])),
            "cannot be divided into 2 stratified folds",
        ),
    ],
)
def test_what_cannot_be_divided_is_refused_in_a_sentence(divide, words):
    with pytest.raises(DataError, match=words):
        divide()
