"""Runs of two methods side by side."""

import numpy as np
from numpy.testing import assert_array_equal

from boostbench.stats.paired import as_array, common, fold_means, whole_partitions

NAN = np.nan


def test_only_runs_that_all_have_are_common() -> None:
    first, second = [(0, 2, 0), (0, 0, 0), (0, 1, 0)], [(0, 0, 0), (0, 2, 0), (1, 0, 0)]
    assert common(first, second) == [(0, 0, 0), (0, 2, 0)]
    assert common(first) == [(0, 0, 0), (0, 1, 0), (0, 2, 0)]
    assert common(first, []) == common() == []


def test_arrays_have_nan_for_missing_runs() -> None:
    array = as_array([(7, 0, 3), (7, 2, 3), (9, 0, 3), (9, 2, 4)], [1.0, 2.0, 3.0, 4.0])
    assert_array_equal(array, [[[1.0, NAN], [2.0, NAN]], [[3.0, NAN], [NAN, 4.0]]])
    assert as_array([], []).shape == (0, 0, 0)


def test_fold_means_are_of_the_seeds_that_a_fold_has() -> None:
    array = np.array([[[1.0, 3.0], [NAN, 5.0]], [[NAN, NAN], [4.0, NAN]]])
    assert_array_equal(fold_means(array), [2.0, 5.0, 4.0])
    # A partition is whole where each fold has a run, of whatever seed.
    assert_array_equal(whole_partitions(array), array[:1])
