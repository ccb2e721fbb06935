"""Intervals of resampled folds and runs, and which runs of several experiments go together."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from claim_cells import SETS, Invented, cell, claim, evidence, measured, noisy

from boostbench.papers.evidence import CellRuns, same_rows
from boostbench.papers.figures import FIGURES
from boostbench.papers.judge import ClaimVerdict, judge
from boostbench.papers.language import Values
from boostbench.papers.resampling import resampled


def ends(found: Values, place: int = 0) -> tuple[float, float, float]:
    return tuple(float(x[0, place]) for x in (found.point, found.low, found.high))


def test_folds_are_drawn_within_partitions_and_seeds_within_folds() -> None:
    index = list(np.ndindex(2, 3, 2))
    drawn = resampled(index, np.random.default_rng(0)).reshape(-1, 2, 3, 2)
    assert (drawn.sum(axis=(2, 3)) == 6).all()
    folds = drawn.sum(axis=3)
    assert set(np.unique(folds)) == {0, 2, 4, 6}
    assert (folds == 0).any(axis=(0, 1)).all()
    assert set(np.unique(drawn[folds == 2])) == {0, 1, 2}
    assert drawn.mean() == 1
    assert np.abs(drawn.mean(axis=0) - 1).max() < 0.2


def test_random_splits_are_drawn_as_folds_are() -> None:
    """Each has one part, of a seed of its own: drawn within these nothing would vary."""
    drawn = resampled([(split, 0, 0) for split in range(5)], np.random.default_rng(0))
    assert (drawn.sum(axis=1) == 5).all()
    assert len(np.unique(drawn, axis=0)) > 50
    missing = resampled([(0, 0, 0), (1, 0, 0), (1, 1, 0)], np.random.default_rng(0))
    assert (missing[:, 0] == 1).all()


def curve(steps: float) -> dict[str, np.ndarray]:
    """Return an objective that falls from 10 to 0, by 1 in each time of ``steps``."""
    objective = np.arange(10.0, -1.0, -1.0)
    seconds = steps * np.arange(1.0, 12.0)
    return {"objective": objective, "solver_s": seconds, "fit_s": 2 * seconds}


def run_curves(*steps: float, shape=(1, 2, 3)) -> CellRuns:
    curves = [curve(step) for step in steps]
    return cell(np.ones(shape), curves=curves)


def test_the_time_to_an_objective_is_resampled_over_folds() -> None:
    """One fold takes three times as long: the mean time may be that of either, or between."""
    cells = {"x": run_curves(*[1.0] * 3, *[3.0] * 3), "y": run_curves(*[6.0] * 6)}
    assert ends(measured("reach(x, y)", cells)) == pytest.approx((3.0, 2.0, 6.0))
    turned = {"x": cells["y"], "y": cells["x"]}
    assert ends(measured("reach(x, y)", turned)) == pytest.approx((1 / 3, 1 / 6, 0.5))
    over = measured("reach(x, y, over=geometric)", cells)
    assert over.point.item() == pytest.approx(3.0)
    assert 2.0 < over.low.item() < over.high.item() < 6.0
    assert over.log


def test_seeds_are_resampled_within_folds() -> None:
    cells = {"x": run_curves(*[1.0, 1.0, 3.0] * 2), "y": run_curves(*[6.0] * 6)}
    point, low, high = ends(measured("reach(x, y)", cells))
    assert point == pytest.approx(6 / (5 / 3))
    assert (low, high) == pytest.approx((6 / (14 / 6), 6.0), rel=0.15)
    # Whenever they are made, the draws are the same.
    over = measured("reach(x, y, over=geometric)", cells)
    assert ends(over) == pytest.approx((3.6, 3.0, 4.83556), abs=1e-5)


def test_objectives_that_are_not_reached_in_any_run_have_no_time() -> None:
    cells = {"x": run_curves(*[1.0] * 6), "y": noisy(0.5, shape=(1, 2, 3))}
    judged = judge(claim("f = reach(x, y)", "all(f > 0)"), "", {}, evidence(cells))
    assert "not known of all runs" in judged.why


def test_times_are_at_most_after_the_papers_rounds() -> None:
    lasting = {"x": np.arange(2.0, 23.0, 2.0) ** 2, "y": np.array([1.0, 2.0, 3.0, 40.0, 50.0])}
    cells = {m: cell(np.ones((1, 2, 3)), curves=[{"fit_s": own}] * 6) for m, own in lasting.items()}
    for rounds, expected in {3: 3 / 36, 4: 40 / 64, 9: 50 / 100, 0: 50 / 100}.items():
        found = measured("speedup(x, y, rounds=common)", cells, Invented(rounds=rounds))
        assert found.point[0, 0] == pytest.approx(expected), rounds


def test_a_resampled_mean_is_as_uncertain_as_the_delta_method_has_it() -> None:
    random = np.random.default_rng(1)
    cells = {m: cell(random.normal(0.5, 0.1, (2, 8, 3))) for m in "xy"}
    plain = measured("lead(x, y, over=mean, on=a)", cells)
    drawn = measured("lead(x, y, over=median, on=a)", cells)
    assert drawn.point.item() == plain.point.item()
    for end, other in ((drawn.low, plain.low), (drawn.high, plain.high)):
        half = end.item() - drawn.point.item()
        assert half == pytest.approx(other.item() - plain.point.item(), rel=0.15)
    # Half the width comes of the folds' variance over their number, by Student's t of 14 degrees.
    folds = (cells["x"].values["score"] - cells["y"].values["score"]).reshape(2, 8, 3).mean(axis=2)
    half = scipy.special.stdtrit(14, 0.975) * np.sqrt(folds.var(axis=1, ddof=1).mean() / 16)
    assert plain.high.item() - plain.point.item() == pytest.approx(half)


def test_intervals_from_draws_are_the_same_whenever_they_are_made() -> None:
    random = np.random.default_rng(5)
    cells = {m: {n: cell(random.normal(0.5, 0.1, (1, 5, 2))) for n in SETS} for m in "xyz"}
    assert ends(measured("lead(x, y, over=median)", cells)) == pytest.approx(
        (-0.04218, -0.08117, 0.02298), abs=1e-5
    )
    assert ends(measured("rank(x, y, z, over=mean)", cells)) == pytest.approx((2.5, 1.75, 2.75))
    one = claim("f = lead(x, y, over=median)", "f > 0")
    (shown,) = judge(one, "", {}, evidence(cells, depth=None)).shown
    assert ends(shown.values) == pytest.approx((-0.04218, -0.08225, 0.01400), abs=1e-5)


def test_from_three_partitions_on_these_vary() -> None:
    random = np.random.default_rng(2)
    scores = random.normal(0.5, 0.1, (4, 4, 2))
    cells = {"x": cell(scores), "y": noisy(0.4, shape=(4, 4, 2))}
    found = measured("lead(x, y, over=mean, on=a)", cells)
    means = scores.mean(axis=(1, 2))
    half = scipy.special.stdtrit(3, 0.975) * means.std(ddof=1) / 2
    assert found.high.item() - found.point.item() == pytest.approx(half)


def test_methods_as_good_as_each_other_have_figures_at_even() -> None:
    scores = np.linspace(0.4, 0.7, 12).reshape(1, 4, 3)
    same = cell(scores, time=2.0, curves=[curve(1.0)] * 12)
    for name, one in FIGURES.items():
        if one.even is not None:
            by = ", by=rows" if name == "power_lead" else ""
            found = measured(f"{name}(x, y{by})", {"x": same, "y": same})
            assert found.point == pytest.approx(one.even), name
    even = {name: one.even for name, one in FIGURES.items() if one.log and one.even}
    assert even == dict.fromkeys(("ratio", "steadier", "speedup", "reach"), 1.0)


def test_an_sd_of_runs_that_do_not_vary_has_no_width() -> None:
    random = np.random.default_rng(2)
    cells = {"x": noisy(0.5), "y": cell(random.normal(0.5, 0.1, (1, 4, 3)))}
    found = measured("lead(x, y, of=sd, over=mean)", cells)
    assert found.low.item() < found.point.item() < found.high.item()
    # The delta method: an sd moves by (deviation squared) / (2 sd), here twice for one partition.
    runs = cells["y"].values["score"].reshape(4, 3)
    squares = ((runs - runs.mean()) ** 2).mean(axis=1) / (2 * runs.std(ddof=1))
    half = scipy.special.stdtrit(12, 0.975) * squares.std(ddof=1) / np.sqrt(4 * 4)
    assert found.high.item() - found.point.item() == pytest.approx(2 * half)
    alone = measured("lead(x, x, of=sd, over=mean)", cells)
    assert alone.low.item() == alone.high.item() == 0


def test_sizes_that_do_not_differ_enough_have_no_power() -> None:
    listed = Invented().datasets
    for by, column, few in (("rows", "n_samples", 3), ("classes", "n_classes", 2)):
        for different in (few, few + 1):
            data = {
                name: replace(one, n_features=5, **{column: 10 + min(i, different - 1)})
                for i, (name, one) in enumerate(listed.items())
            }
            cells = {"x": noisy(0.5, time=2.0)}
            one = claim(f"f = power(x, by={by})", "f == 0")
            judged = judge(one, "", {}, evidence(cells, Invented(datasets=data)))
            assert (judged.verdict is ClaimVerdict.REPRODUCED) is (different > few), (by, different)


def test_cells_timed_on_one_processor_are_matched() -> None:
    on_p, on_q = (noisy(0.5, processor=name, time=1.0) for name in "pq")
    for first in ([on_p, on_q], [on_q, on_p]):
        chosen = same_rows([first, [on_q]])
        assert [one.processors for one in chosen] == [on_q.processors] * 2
        assert not np.isnan(chosen[0].values["time"]).any()
    apart = same_rows([[on_p], [on_q]])
    assert np.isnan(apart[0].values["time"]).all()
    assert not np.isnan(apart[0].values["score"]).any()
    # More runs in common count before one processor.
    longer = noisy(0.5, shape=(1, 4, 5), processor="p")
    most = same_rows([[longer, on_q], [longer, on_q]])
    assert len(most[0].index) == 20
    mixed = np.where(np.arange(3) == 1, "q", "p")
    partly = same_rows([[on_p], [noisy(0.5, processor=mixed, time=1.0)]])
    assert np.isnan(partly[0].values["time"]).tolist() == [False, True, False] * 4
    assert partly[0].curves == {}
    single = same_rows([[cell([[[0.5]]], processor="q")], [on_p]])
    assert [one.index for one in single] == [[(0, 0, 0)]] * 2
    assert same_rows([[noisy(0.5, rows="these")], [noisy(0.5, rows="others")]]) == []
    few, many = (noisy(0.5, shape=(1, 4, seeds), rows=seeds) for seeds in (2, 3))
    assert [one.rows for one in same_rows([[few, many], [many, few]])] == [3, 3]


def test_several_partitions_come_before_more_runs_of_one() -> None:
    one, several = noisy(0.5, shape=(1, 4, 20)), noisy(0.5, shape=(5, 4, 2))
    for order in ([one, several], [several, one]):
        chosen = same_rows([order, order])
        assert {len({partition for partition, _, _ in c.index}) for c in chosen} == {5}
    # Where only one side has them, they are not in common.
    assert len(same_rows([[one], [one, several]])[0].index) == 80
    # Too few of them are no reason to leave many runs.
    few = noisy(0.5, shape=(3, 1, 2))
    assert len(same_rows([[one, few]] * 2)[0].index) == 80
