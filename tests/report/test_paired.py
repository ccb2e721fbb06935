"""Runs of two methods side by side."""

import numpy as np
from numpy.testing import assert_array_equal

from boostbench.report.collect import Run
from boostbench.report.paired import as_array, common, finished


def _runs(scores: dict[tuple[int, int, int], float | None]) -> list[Run]:
    return [
        Run("d", "m", "timeout" if score is None else "ok", "", *index, score=score)
        for index, score in scores.items()
    ]


def test_only_runs_that_all_have_are_common() -> None:
    first = finished(_runs({(0, 0, 0): 0.1, (0, 1, 0): 0.5, (0, 2, 0): 0.3}))
    second = finished(_runs({(0, 0, 0): 0.2, (0, 1, 0): None, (0, 2, 0): 0.4}))
    assert common(first, second) == [(0, 0, 0), (0, 2, 0)]
    assert common(first) == [(0, 0, 0), (0, 1, 0), (0, 2, 0)]
    assert common(first, {}) == common() == []


def test_arrays_say_what_is_missing() -> None:
    array = as_array({(7, 0, 3): 1.0, (7, 2, 3): 2.0, (9, 0, 3): 3.0, (9, 2, 4): 4.0})
    nan = np.nan
    assert_array_equal(array, [[[1.0, nan], [2.0, nan]], [[3.0, nan], [nan, 4.0]]])
    assert as_array({}).shape == (0, 0, 0)
