"""Claims without one run: found where a verdict or a decisive run changes them, and only there."""

from dataclasses import replace

import numpy as np
import pytest
from claim_cells import Invented, cell, claim, evidence

from boostbench.papers.judge import ClaimVerdict
from boostbench.papers.metrics import R2
from boostbench.papers.readings import judge_all
from boostbench.report.document.claim_tables import in_two_lines

LEAD = claim("f = lead(x, y, over=mean)", "f >= 0.01", "f > 0", "f <= 0")


def scores(mean: float, outlier: float | None = None, spread: float = 0.001):
    """Return 4 x 5 runs; one of them may be an outlier."""
    values = mean + np.random.default_rng(3).normal(0, spread, (1, 4, 5))
    if outlier is not None:
        values[0, 2, 1] = outlier
    return cell(values)


def judged(one, cells):
    (found,) = judge_all([one], evidence(cells, Invented()))
    return found


def without(one, cells):
    return judged(one, cells).without_one_run


def test_a_verdict_that_one_run_changes() -> None:
    # On each of four data sets x leads by 0.02; one run takes 0.03 off the mean of these.
    usual, far = scores(0.52), scores(0.52, outlier=0.52 - 20 * 4 * 0.03)
    cells = {"x": dict.fromkeys("bcd", usual) | {"a": far}, "y": scores(0.5)}
    assert judged(LEAD, cells).judged.verdict is not ClaimVerdict.REPRODUCED
    left = without(LEAD, cells)
    assert left.judged.verdict is ClaimVerdict.REPRODUCED
    assert (left.run.dataset, left.run.method, left.run.index) == ("a", "x", (0, 2, 1))
    assert left.changed == []


def test_no_run_of_a_claim_that_none_changes() -> None:
    assert without(LEAD, {"x": scores(0.52), "y": scores(0.5)}) is None
    assert without(claim("f = lead(x, y)", "all(f > 0)"), {"x": scores(0.52)}) is None


@pytest.mark.parametrize("direction", [1, -1])
def test_a_verdict_that_only_the_width_of_the_interval_changes(direction: int) -> None:
    # The run moves the mean further from 0, and is the reason why the interval reaches it.
    far = scores(0.5 + direction * 0.05, outlier=0.5 + direction * 0.9)
    one = claim("f = lead(x, y, on=a)", "all(f > 0)", "", "all(f < 0)")
    found = judged(one, {"x": far, "y": scores(0.5)})
    assert found.judged.verdict is ClaimVerdict.UNDECIDED
    expected = ClaimVerdict.REPRODUCED if direction > 0 else ClaimVerdict.NOT_REPRODUCED
    assert found.without_one_run.judged.verdict is expected


def test_a_decisive_run_changes_figures_though_not_the_verdict() -> None:
    far = scores(0.52, outlier=0.8)
    cells = {"x": dict.fromkeys("bcd", scores(0.52)), "y": scores(0.5)}
    assert without(LEAD, {**cells, "x": {**cells["x"], "a": far}}) is None
    decisive = replace(far, decisive=(0, 2, 1))
    left = without(LEAD, {**cells, "x": {**cells["x"], "a": decisive}})
    assert left.judged.verdict is ClaimVerdict.REPRODUCED
    (figure,) = left.changed
    assert figure.values.point.item() == pytest.approx(0.02, abs=0.001)


def test_a_run_is_left_out_of_all_methods() -> None:
    # In one run both fail, and y by more: x would lead by 0.02 without it.
    x, y = scores(0.52, outlier=-5.0), scores(0.5, outlier=-4.0)
    found = judged(LEAD, {"x": x, "y": y})
    assert found.judged.verdict is not ClaimVerdict.REPRODUCED
    # On each of the four data sets it is another run, so that one alone changes nothing.
    assert found.without_one_run is None
    one = claim("f = lead(x, y, on=a)", "all(f >= 0.01)", "", "all(f <= 0)")
    left = without(one, {"x": x, "y": y})
    assert left.judged.verdict is ClaimVerdict.REPRODUCED
    assert left.judged.shown[0].values.point.item() == pytest.approx(0.02)


def test_times_are_tried_by_the_slowest_run() -> None:
    seconds = np.ones((3, 4, 2))
    seconds[0, 1, 1] = 100.0
    slow = cell(0.5 + np.zeros((3, 4, 2)), time=seconds)
    fast = cell(0.5 + np.zeros((3, 4, 2)), time=2.0)
    one = claim("f = speedup(x, y, on=a)", "all(f > 1)", "", "all(f < 1)")
    left = without(one, {"x": slow, "y": fast})
    assert left.run.index == (0, 1, 1)
    assert left.judged.verdict is ClaimVerdict.REPRODUCED


def test_a_figure_over_depths_is_tried_at_each() -> None:
    cells = {
        (m, (d,), "a"): [scores(mean)] for m, mean in (("x", 0.52), ("y", 0.5)) for d in (2, 3)
    }
    cells["x", (3,), "a"] = [scores(0.52, outlier=-1.0)]
    one = claim("f = same_order(x, y, on=a)", "f > 0.5", "", "f < 0.5", data_sets=["a"])
    (found,) = judge_all([one], replace(evidence({}), cells=cells, settings=[(2,), (3,)]))
    left = found.without_one_run
    assert (left.setting, left.run.index) == ((3,), (0, 2, 1))
    assert left.judged.verdict is ClaimVerdict.REPRODUCED


@pytest.mark.parametrize(("outlier", "is_said"), [(0.529, False), (0.8, True)])
def test_a_figure_that_is_written_alike_without_the_run_is_not_said(outlier, is_said) -> None:
    far = replace(scores(0.52, outlier=outlier), decisive=(0, 2, 1))
    cells = {"x": dict.fromkeys("bcd", scores(0.52)) | {"a": far}, "y": scores(0.5)}
    found = judged(LEAD, cells)
    assert found.without_one_run.changed
    _, line = in_two_lines(found, R2)
    assert ("without split seed 0" in line) == is_said
