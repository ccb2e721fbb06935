"""Splits that keep the rows of one group together, or train on earlier rows only.

Each function returns the sorted row numbers (train, test) of every split.
"""

import warnings
from itertools import pairwise

import numpy as np

from boostbench.data.dataset import Target
from boostbench.data.splits import Rows, Split, n_tested
from boostbench.errors import DataError
from boostbench.suggest import counted


def splits_by_columns(
    groups: Rows | None,
    times: Rows | None,
    classes: Target | None,
    *,
    n: int,
    test_size: float | None,
    split_seed: int,
    name: str,
) -> list[Split]:
    """Return ``n`` folds, or with a ``test_size`` random splits, by groups, by times or by both."""
    if times is not None:
        if test_size is not None:
            return time_holdout(times, test_size, groups=groups, name=name)
        return time_windows(times, n, groups=groups, name=name)
    assert groups is not None
    if test_size is not None:
        return group_shuffle(groups, n, test_size, split_seed, name=name)
    return group_folds(groups, n, split_seed, y=classes, name=name)


def group_folds(
    groups: Rows,
    folds: int,
    split_seed: int,
    *,
    y: Target | None = None,
    name: str = "the data set",
) -> list[Split]:
    """Return shuffled folds of whole groups, of about equally many groups each.

    They are those of ``sklearn.model_selection.GroupKFold(folds, shuffle=True,
    random_state=split_seed)``; with ``y`` those of ``StratifiedGroupKFold``, in which each fold has
    about its share of each class.

    Parameters
    ----------
    groups : (n_samples,) the code of each row's group
    y : (n_samples,) class codes, or None where the folds need no share of each class

    Raises
    ------
    DataError
        if there are fewer groups than folds, or each class of ``y`` has fewer rows than folds
    """
    known = np.unique(groups)
    if len(known) < folds:
        raise DataError(
            f"{name} has {counted(len(known), 'group')}, fewer than the {folds} folds; set folds "
            f"to at most {len(known)}"
        )
    if y is not None:
        return _stratified_group_folds(groups, folds, split_seed, y, name)
    order = np.random.RandomState(split_seed).permutation(known)
    return [_tested_groups(groups, part) for part in np.array_split(order, folds)]


def _stratified_group_folds(
    groups: Rows, folds: int, split_seed: int, y: Target, name: str
) -> list[Split]:
    """Return folds of whole groups, with about the same share of each class in every fold."""
    from sklearn.model_selection import StratifiedGroupKFold

    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=split_seed)
    with warnings.catch_warnings():
        # Classes with fewer rows than folds are named when the plan is made.
        warnings.simplefilter("ignore")
        try:
            return [_sorted(*split) for split in splitter.split(y, y, groups)]
        except ValueError as error:
            raise DataError(
                f"{name} cannot be divided into {folds} stratified folds of whole groups: {error}; "
                "have fewer folds"
            ) from None


def group_shuffle(
    groups: Rows, n: int, test_size: float, split_seed: int, *, name: str = "the data set"
) -> list[Split]:
    """Return ``n`` random splits that leave the share ``test_size`` of the groups for the test.

    These are ``ceil(test_size * n_groups)`` groups, at least one. One split does not depend on how
    many others there are.

    Raises
    ------
    DataError
        if no group would be left for training
    """
    known = np.unique(groups)
    n_test = n_tested(test_size, len(known))
    if n_test >= len(known):
        raise DataError(
            f"{name}: {counted(len(known), 'group')} cannot be split with test_size {test_size}: "
            "none would be left for training"
        )
    orders = (np.random.RandomState([split_seed, split]).permutation(known) for split in range(n))
    return [_tested_groups(groups, order[:n_test]) for order in orders]


def time_windows(
    times: Rows, folds: int, *, groups: Rows | None = None, name: str = "the data set"
) -> list[Split]:
    """Return ``folds`` tests on later and later rows, each trained on all earlier rows.

    The distinct times are divided as ``sklearn.model_selection.TimeSeriesSplit(folds)`` divides
    rows, so that rows of one time stay together. With ``groups``, earlier rows of a group that has
    a test row are left out of the training rows.

    Parameters
    ----------
    times : (n_samples,) numbers that grow with time

    Raises
    ------
    DataError
        if there are too few distinct times, or no training row is left
    """
    known = np.unique(times)
    if len(known) <= folds:
        raise DataError(
            f"{name} has {counted(len(known), 'distinct time')}, too few for {folds} windows, "
            f"which need {folds + 1}; set folds to at most {len(known) - 1}"
        )
    in_each = len(known) // (folds + 1)
    starts = [len(known) - in_each * left for left in range(folds, -1, -1)]
    return [
        _tested_times(times, known[start:stop], groups, f"{name}: window {fold}")
        for fold, (start, stop) in enumerate(pairwise(starts))
    ]


def time_holdout(
    times: Rows, test_size: float, *, groups: Rows | None = None, name: str = "the data set"
) -> list[Split]:
    """Return the one split that tests on the latest rows, about the share ``test_size`` of all.

    It is cut between two distinct times, where the test part has most nearly
    ``ceil(test_size * n_samples)`` rows. With ``groups``, earlier rows of a group that has a test
    row are left out of the training rows.

    Raises
    ------
    DataError
        if all rows have the same time, or no training row is left
    """
    known, counts = np.unique(times, return_counts=True)
    if len(known) < 2:
        raise DataError(f"{name} has one distinct time only, so that no row is later than another")
    n_test = n_tested(test_size, len(times))
    # The rows from each distinct time on, except the first, from which on all rows would be tested.
    from_time_on = np.cumsum(counts[::-1])[::-1][1:]
    first = 1 + int(np.argmin(np.abs(from_time_on - n_test)))
    return [_tested_times(times, known[first:], groups, name)]


def _tested_groups(groups: Rows, tested: Rows) -> Split:
    """Return the split that tests on the rows of the groups ``tested`` and trains on the others."""
    is_test = np.isin(groups, tested)
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _tested_times(times: Rows, tested: Rows, groups: Rows | None, name: str) -> Split:
    """Return the split that tests on the times ``tested`` and trains on earlier rows."""
    is_test, is_train = np.isin(times, tested), times < tested[0]
    if groups is not None:
        is_train &= ~np.isin(groups, groups[is_test])
    if not is_train.any():
        raise DataError(
            f"{name} has no training row: each earlier row is of a group that has test rows; leave "
            "group or time out"
        )
    return np.flatnonzero(is_train), np.flatnonzero(is_test)


def _sorted(train: Rows, test: Rows) -> Split:
    return np.sort(train).astype(np.int64), np.sort(test).astype(np.int64)
