"""The named figures, on runs made by hand: their values, directions and intervals."""

import inspect
from dataclasses import replace

import numpy as np
import pytest
import scipy
from claim_cells import SETS, Invented, cell, claim, evidence, measured, names, noisy, two_depths

from boostbench.papers.figures import FIGURES, compares_times, is_resampled, title
from boostbench.papers.judge import judge

SCORES = dict(zip(SETS, (0.9, 0.8, 0.6, 0.5), strict=True))


def by_set(values, **more):
    return {name: noisy(value, 0.0, **more) for name, value in zip(SETS, values, strict=True)}


def figure(text: str, cells, paper=None):
    """Return the values of a figure at depth 3, and the ends of their intervals."""
    return [each[0] for each in measured(text, cells, paper)[:3]]


X, Y = by_set((0.9, 0.8, 0.6, 0.5)), by_set((0.6, 0.8, 0.3, 1.0))


def test_a_lead_is_positive_where_the_first_is_better_whatever_the_direction() -> None:
    assert figure("lead(x, y)", {"x": X, "y": Y})[0] == pytest.approx([0.3, 0.0, 0.3, -0.5])
    assert figure("lead(x, y, over=mean)", {"x": X, "y": Y})[0] == pytest.approx([0.025])
    errors = {"x": by_set((0, 0, 0, 0), rmse=1.0), "y": by_set((0, 0, 0, 0), rmse=3.0)}
    assert figure("lead(x, y, of=rmse)", errors)[0] == pytest.approx([2.0] * 4)
    assert figure("gain(x, y, of=rmse)", errors)[0] == pytest.approx([200.0] * 4)
    assert figure("saving(x, y, of=rmse)", errors)[0] == pytest.approx([200 / 3] * 4)
    assert figure("rank(x, y, of=rmse)", errors)[0] == pytest.approx([1.0] * 4)


def test_gains_and_ratios_are_of_means_or_of_averages() -> None:
    cells = {"x": X, "y": Y}
    assert figure("gain(x, y)", cells)[0] == pytest.approx([50.0, 0.0, 100.0, -50.0])
    assert figure("ratio(x, y, over=mean)", cells)[0] == pytest.approx([2.8 / 2.7])
    assert figure("ratio(x, y, over=geometric)", cells)[0] == pytest.approx([1.5**0.25])
    assert figure("ratio(x, y, over=median)", cells)[0] == pytest.approx([1.25])
    with pytest.raises(AssertionError, match="not known of all runs"):
        figure("gain(x, y, over=mean)", {"x": by_set((-0.4,) * 4), "y": by_set((-0.6,) * 4)})


def test_a_median_is_that_of_leads_ratios_and_savings() -> None:
    """The medians of x and y are 3.5 and 3; those of the leads -3, 3, 7 and -1 are 1, and -1."""
    x, y = (1.0, 5.0, 9.0, 2.0), (4.0, 2.0, 2.0, 3.0)
    cells = {"x": by_set(x), "y": by_set(y)}
    assert figure("lead(x, y, over=median)", cells)[0] == [1.0]
    assert figure("lead(x, y, over=median, without=c)", cells)[0] == [-1.0]
    timed = {
        m: {n: noisy(0.5, time=t) for n, t in zip(SETS, own, strict=True)}
        for m, own in (("x", x), ("y", y))
    }
    expected = 100 * np.median(1 - np.array(x) / y)
    assert figure("saving(x, y, over=median)", timed)[0] == pytest.approx([expected])
    paper = Invented(means=dict(zip(SETS, y, strict=True)))
    assert figure("off(x, over=median)", cells, paper)[0] == [1.0]
    three = {"x": by_set((3, 2, 1, 2)), "y": by_set((2, 3, 3, 1)), "z": by_set((1, 1, 2, 3))}
    # The ranks of x are 1, 2, 3, 2, those of y 2, 1, 1, 3: medians 2 and 1.5.
    assert figure("rank_lead(x, y, z, over=median)", three)[0] == [0.0]


def test_a_ratio_to_a_measured_zero_is_unknown() -> None:
    none = {"a": noisy(0.0), "b": noisy(0.5), "c": noisy(0.5), "d": noisy(0.0)}
    cells = {"x": none, "y": noisy(0.9, 0.1)}
    one_set = "a ratio to 0 has no value (a)"
    for text, why in (
        ("ratio(y, x)", "a ratio to 0 has no value (a, d)"),
        ("gain(y, x, on=[a, b])", one_set),
        ("ratio(y, x, over=median, without=d)", one_set),
        ("ratio(x, x, on=a)", one_set),
        ("gain(y, x, over=mean, on=a)", one_set),
        ("steadier(x, y)", "a ratio to 0 has no value (a, b, c, d)"),
        ("gain(y, x, over=mean, on=[a, d])", "a ratio to 0 has no value"),
        ("speedup(x, y)", "a ratio to 0 has no value (a, b, c, d)"),
    ):
        timed = {
            m: {
                n: replace(one, values={**one.values, "time": 0 * one.values["score"]})
                for n, one in (own if isinstance(own, dict) else dict.fromkeys(SETS, own)).items()
            }
            for m, own in cells.items()
        }
        judged = judge(claim(f"f = {text}", "count(f > 0) >= 0"), "", {}, evidence(timed))
        assert judged.verdict == "not judged"
        assert judged.why == why, text
    # Nothing as a share of something is known.
    assert figure("ratio(x, y)", cells)[0] == pytest.approx([0.0, 5 / 9, 5 / 9, 0.0])
    assert figure("steadier(y, x)", cells)[0] == pytest.approx([0.0] * 4)
    errors = {"x": by_set((0,) * 4, rmse=0.0), "y": by_set((0,) * 4, rmse=3.0)}
    assert figure("saving(x, y, of=rmse)", errors)[0] == pytest.approx([100.0] * 4)
    assert figure("ratio(y, x, of=rmse)", errors)[0] == pytest.approx([0.0] * 4)


def test_the_power_of_no_time_and_the_reach_within_none_are_unknown() -> None:
    cells = {"x": {**by_set((1, 1, 1, 1), time=2.0), "b": noisy(1.0, time=0.0)}}
    one = claim("f = power(x, by=classes)", "f > 0")
    assert "not known" in judge(one, "", {}, evidence(cells)).why
    curves = {"x": curved([4, 2], [0, 0]), "y": curved([4, 3], [1, 2])}
    reach = claim("f = reach(x, y)", "all(f > 0)")
    assert not judge(reach, "", {}, evidence(curves, Invented(runs=1))).shown
    assert figure("reach(y, x)", curves)[0] == pytest.approx([0.0] * 4)


def test_counts_of_ranks_are_by_the_intervals_of_ranks() -> None:
    """x is surely the first on a, perhaps on b, and surely the last on c and d."""
    x = {"a": noisy(0.9), "b": noisy(0.55, 0.4), "c": noisy(0.1), "d": noisy(0.1)}
    cells = {"x": x, "y": noisy(0.5), "z": noisy(0.2)}
    one = "f = rank(x, y, z)"
    _, low, high = figure("rank(x, y, z)", cells)
    assert (low.tolist(), high.tolist()) == ([1, 1, 3, 3], [1, 3, 3, 3])
    for condition, ruling in (
        ("count(f == 1) >= 1", "reproduced"), ("count(f == 1) >= 2", "undecided"),
        ("count(f == 1) >= 3", "not reproduced"), ("count(f <= 1) == 2", "undecided"),
        ("count(f < 1.5) <= 2", "reproduced"), ("count(f == 3) >= 2", "reproduced"),
        ("share(f == 3) >= 3/4", "undecided"), ("most(f == 3)", "undecided"),
        ("unlike(f == 1, a, b) <= 1", "reproduced"), ("count(f > 0) == 4", "reproduced"),
    ):  # fmt: skip
        judged = judge(claim(one, condition), "", {}, evidence(cells))
        assert judged.verdict == ruling, condition


def test_ranks_that_are_open_on_all_sets_leave_a_count_of_them_open() -> None:
    """Each rank is 1, or else 2: no draw between them says how many are below 1.4."""
    cells = {"x": noisy(0.55, 0.4), "y": noisy(0.5)}
    judged = judge(claim("f = rank(x, y)", "count(f < 1.4) >= 1"), "", {}, evidence(cells))
    assert judged.verdict == "undecided"


def test_counts_of_equal_values_are_by_their_intervals() -> None:
    """Failed runs: none, surely, on two sets; some, perhaps none, on the two others."""
    some = np.array([0.5, 0.0, 0.0, 0.0])[None, :, None]
    few = cell(np.zeros((1, 4, 3)), failures=some)
    cells = {"x": {**by_set((0,) * 4, failures=0.0), "c": few, "d": few}}
    for condition, ruling in (
        ("count(f == 0) >= 2", "reproduced"), ("count(f == 0) >= 3", "undecided"),
        ("count(f == 0) == 4", "undecided"), ("count(f == 0) >= 1", "reproduced"),
    ):  # fmt: skip
        judged = judge(claim("f = failures(x)", condition), "", {}, evidence(cells))
        assert judged.verdict == ruling, condition


def test_times_favour_the_faster() -> None:
    cells = {"x": by_set((1, 1, 1, 1), time=2.0), "y": by_set((1, 1, 1, 1), time=6.0)}
    assert figure("speedup(x, y)", cells)[0] == pytest.approx([3.0] * 4)
    assert figure("saving(y, x, over=mean)", cells)[0] == pytest.approx([-200.0])
    assert figure("lead(x, y, of=time)", cells)[0] == pytest.approx([4.0] * 4)
    assert figure("seconds(x, over=mean)", cells)[0] == pytest.approx([2.0])


def test_the_best_and_the_worst_of_a_group_are_taken_on_each_set() -> None:
    z = by_set((0.7, 0.9, 0.7, 0.0), time=9.0)
    cells = {"x": X, "y": Y, "z": z}
    assert figure("lead(best(x, y), z)", cells)[0] == pytest.approx([0.2, -0.1, -0.1, 1.0])
    assert figure("lead(worst(x, y), z)", cells)[0] == pytest.approx([-0.1, -0.1, -0.4, 0.5])
    timed = {"x": by_set((1,) * 4, time=2.0), "y": by_set((1,) * 4, time=6.0), "z": z}
    assert figure("speedup(best(x, y), z)", timed)[0] == pytest.approx([4.5] * 4)
    assert figure("speedup(worst(x, y), z)", timed)[0] == pytest.approx([1.5] * 4)


def test_some_data_sets_only() -> None:
    cells = {"x": X, "y": Y}
    assert figure("lead(x, y, on=[a, d])", cells)[0] == pytest.approx([0.3, -0.5])
    assert figure("lead(x, y, over=mean, without=d)", cells)[0] == pytest.approx([0.2])


def test_failures_are_scaled_to_the_papers_runs() -> None:
    failed = {"x": by_set((0, 0, 0, 0), failures=0.25)}
    assert figure("failures(x)", failed)[0] == pytest.approx([3.0] * 4)
    point, low, high = figure("failures(x, over=observed)", failed)
    assert (point, low, high) == ([3.0], [3.0], [3.0])


def test_the_sd_is_over_all_runs_and_steadier_is_above_one_for_the_steadier() -> None:
    cells = {"x": noisy(0.5, 0.01), "y": noisy(0.5, 0.03)}
    assert figure("steadier(x, y)", cells)[0] == pytest.approx([3.0] * 4)
    assert figure("steadier(x, y, over=geometric)", cells)[0] == pytest.approx([3.0])


def test_powers_of_sizes_are_fitted() -> None:
    rows = np.array([100.0, 400.0, 1600.0, 6400.0])
    cells = {
        "x": {n: noisy(0.0, time=r**0.5) for n, r in zip(SETS, rows, strict=True)},
        "y": {n: noisy(0.0, time=r**1.5) for n, r in zip(SETS, rows, strict=True)},
    }
    # Features do not grow with the rows: both together explain the times.
    listed = {
        name: replace(one, n_features=7 if name in "ac" else 9)
        for name, one in Invented().datasets.items()
    }
    same = Invented(datasets=listed)
    assert figure("power(y, by=rows)", cells, same)[0] == pytest.approx([1.5])
    assert figure("power_lead(x, y, by=rows)", cells, same)[0] == pytest.approx([1.0])
    classes = {n: noisy(0.0, time=float((2 + i) ** 2)) for i, n in enumerate(SETS)}
    assert figure("power(x, by=classes)", {"x": classes})[0] == pytest.approx([2.0])


def test_growth_and_order_look_at_all_depths() -> None:
    growth = judge(claim("f = growth(x)", "f > 2"), "", {}, two_depths(0.3, 0.3))
    assert growth.shown[0].values.point == pytest.approx(np.full((2, 1), 5.0))
    order = claim("f = same_order(x, y)", "f == 1")
    for leads, ruling in (((0.3, 0.3), "reproduced"), ((0.3, -0.3), "not reproduced")):
        assert judge(order, "", {}, two_depths(*leads)).verdict == ruling
    open_ = judge(order, "", {}, two_depths(0.01, -0.01, by=0.2)).shown[0].values
    assert [ends[0, 0] for ends in open_[:3]] == [0.0, 0.0, 1.0]
    assert "several depths" in judge(order, "", {}, evidence({"x": X, "y": Y})).why


def test_growth_is_the_least_over_depths_with_its_interval() -> None:
    times = np.array([0.9, 1.1, 0.9, 1.1])[None, :, None]
    cells = {
        ("x", (depth,), name): [cell(np.ones((1, 4, 3)), time=times * mean)]
        for depth, mean in ((1, 1.0), (2, 4.0), (3, 8.0))
        for name in SETS
    }
    both = type(evidence({}))(Invented(), cells, [(1,), (2,), (3,)], {"score": 1})
    judged = judge(claim("f = growth(x); g = seconds(x, over=geometric)", "f > 1"), "", {}, both)
    grown, seconds = (one.values for one in judged.shown)
    assert grown.point == pytest.approx(np.full((3, 1), 2.0))
    share = (seconds.high - seconds.point) / seconds.point
    low, high = ((seconds.point * np.exp(sign * share))[:, 0] for sign in (-1, 1))
    assert grown.low == pytest.approx(np.full((3, 1), low[2] / high[1]), rel=1e-3)
    assert grown.high == pytest.approx(np.full((3, 1), high[2] / low[1]), rel=1e-3)
    assert grown.low[0, 0] < 1.99
    assert grown.log


def test_a_geometric_mean_needs_values_above_zero() -> None:
    cells = {"x": by_set((1, 1, 1, 1), time=0.0), "y": by_set((1, 1, 1, 1), time=6.0)}
    one = claim("f = speedup(x, y, over=geometric)", "f > 1")
    assert "not known" in judge(one, "", {}, evidence(cells)).why


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lead(x, y)", "lead of x over y"),
        ("lead(x, best(y, z), over=mean)", "lead of x over the best of y, z, mean"),
        ("lead(x, y, of=rmse)", "rmse: lead of x over y"),
        ("lead(x, y, of=time)", "time: lead of x over y"),
        (
            "speedup(x, y, of=solver, over=geometric)",
            "solver time of y to that of x, geometric mean",
        ),
        ("power(x, by=rows)", "power of the rows in the time of x"),
        ("gain(x, y, over=median, on=[a, b])", "lead of x over y, median, on a, b"),
        ("rank(x, y, without=c)", "rank of x, without c"),
        ("rank_lead(x, y)", "rank of y less that of x, mean"),
        ("rank_lead(x, y, over=median)", "rank of y less that of x, median"),
        ("lead(x, y, over=geometric)", "lead of x over y, of geometric means"),
        ("ratio(x, y, over=geometric)", "x as many times as good as y, geometric mean"),
    ],
)
def test_figures_have_titles(text, words) -> None:
    (call,) = names()._replace(choices={}).read(text)
    assert title(call) == words


def test_ranks_share_ties() -> None:
    cells = {"x": by_set((3, 2, 1, 1)), "y": by_set((2, 2, 3, 0)), "z": by_set((1, 1, 2, 3))}
    assert figure("rank(x, y, z)", cells)[0] == pytest.approx([1.0, 1.5, 3.0, 2.0])
    assert figure("rank(x, y, z, over=mean)", cells)[0] == pytest.approx([1.875])
    assert figure("rank_lead(x, z, y)", cells)[0] == pytest.approx([2.25 - 1.875])


def test_any_figure_takes_the_best_of_a_group() -> None:
    cells = {"x": by_set((3, 2, 1, 1)), "y": by_set((2, 2, 3, 0)), "z": by_set((1, 1, 2, 3))}
    assert figure("rank(best(x, y), z)", cells)[0] == pytest.approx([1, 1, 1, 2])
    assert figure("friedman(best(x, y), z)", cells)[0] == pytest.approx([0.31731], abs=1e-5)
    failed = {m: by_set((0,) * 4, failures=f) for m, f in (("x", 0.25), ("y", 0.5))}
    assert figure("failures(worst(x, y))", failed)[0] == pytest.approx([6.0] * 4)


def test_p_values_are_those_of_scipy() -> None:
    scores = {
        "x": (0.91, 0.84, 0.66, 0.52),
        "y": (0.90, 0.80, 0.63, 0.57),
        "z": (0.7, 0.75, 0.64, 0.4),
    }
    cells = {name: by_set(values) for name, values in scores.items()}
    x, y, z = (np.array(values) for values in scores.values())
    for text, expected in (
        ("wilcoxon(x, y)", scipy.stats.wilcoxon(x - y, method="exact").pvalue),
        ("wilcoxon(y, x)", scipy.stats.wilcoxon(x - y, method="exact").pvalue),
        (
            "wilcoxon(best(x, y), z)",
            scipy.stats.wilcoxon(np.maximum(x, y) - z, method="exact").pvalue,
        ),
        ("friedman(x, y, z)", scipy.stats.friedmanchisquare(x, y, z).pvalue),
        ("friedman(z, y, x)", scipy.stats.friedmanchisquare(x, y, z).pvalue),
    ):
        # Folds that do not vary leave the p-value where it is.
        for value in figure(f"{text}", cells):
            assert value == pytest.approx([expected]), text
    assert figure("wilcoxon(x, y, on=[a, b, c])", cells)[0] == pytest.approx([0.25])


def test_p_values_have_intervals_from_resampled_folds() -> None:
    cells = {"x": noisy(0.51, 0.1), "y": noisy(0.5)}
    point, low, high = figure("wilcoxon(x, y)", cells)
    assert (point, low, high) == ([0.125], [0.125], [1.0])
    one_fold = {name: noisy(mean, shape=(1, 1, 6)) for name, mean in (("x", 0.6), ("y", 0.5))}
    point, low, high = figure("friedman(x, y)", one_fold)
    assert (point, low, high) == (pytest.approx([0.0455], abs=1e-4), [-np.inf], [np.inf])
    judged = judge(claim("p = wilcoxon(x, y)", "p < 0.05"), "", {}, evidence({"x": X}))
    assert judged.verdict == "not judged"


def test_differences_of_scores_in_percent_are_in_points() -> None:
    cells = {"x": by_set((0.9, 0.8, 0.6, 0.5), rmse=2.0, time=4.0), "y": by_set((0.8,) * 4)}
    cells["y"] = by_set((0.8,) * 4, rmse=3.0, time=1.0)
    paper = Invented(means=dict.fromkeys(SETS, 0.5))
    own = evidence(cells, paper, scales={"score": 100.0, "sd": 100.0})
    for text, value in (
        ("lead(x, y, on=a)", 10.0), ("lead(x, y, over=mean)", -10.0),
        ("lead(x, y, over=median)", -10.0), ("off(x)", 20.0),
        ("gain(x, y, on=a)", 12.5), ("lead(x, y, of=rmse, on=a)", 1.0),
        ("rank(x, y, on=a)", 1.0), ("lead(x, y, of=time, on=a)", -3.0),
    ):  # fmt: skip
        one = claim(f"f = {text}", f"{value - 1e-6} < f < {value + 1e-6}")
        judged = judge(one, "", {}, own)
        assert judged.shown[0].values.point.item() == pytest.approx(value), text
        assert judged.verdict in ("reproduced", "undecided"), text
    judged = judge(claim("f = lead(x, y, of=time, on=a)", "f < 0"), "", {}, own)
    assert judged.shown[0].unit == "seconds"


def test_an_average_is_measured_from_the_printed_one() -> None:
    paper = Invented(means=dict.fromkeys(SETS, 0.5))
    assert figure("off(x)", {"x": X}, paper)[0] == pytest.approx([0.2])
    assert "not known" in judge(claim("f = off(x)", "f > 0"), "", {}, evidence({"x": X})).why


def curved(objectives, seconds):
    """Return four runs of one fold each that have these curves."""
    one = {
        "objective": np.asarray(objectives, float),
        "solver_s": np.asarray(seconds, float),
        "fit_s": 2 * np.asarray(seconds, float),
    }
    return cell(np.ones((4, 1, 1)), curves=[one] * 4, time=2.0 * seconds[-1])


def test_reach_is_the_time_to_the_objective_that_both_reach() -> None:
    cells = {"x": curved([9, 4, 2], [1, 2, 3]), "y": curved([9, 8, 4], [4, 8, 12])}
    point, low, high = figure("reach(x, y)", cells)
    # x is at 4 after two seconds, y after twelve.
    assert point == pytest.approx([6.0] * 4)
    assert low == pytest.approx([6.0] * 4)
    assert high == pytest.approx([6.0] * 4)
    group = {**cells, "z": curved([9, 5, 4], [2, 3, 4])}
    assert figure("reach(worst(x, z), y)", group)[0] == pytest.approx([3.0] * 4)


def test_times_after_the_rounds_that_all_have() -> None:
    cells = {"x": curved([9, 4, 2, 1], [1, 2, 3, 4]), "y": curved([9, 8], [4, 8])}
    assert figure("speedup(x, y, rounds=common)", cells)[0] == pytest.approx([4.0] * 4)
    assert figure("speedup(x, y, of=solver, rounds=common)", cells)[0] == pytest.approx([4.0] * 4)
    assert figure("speedup(x, y)", cells)[0] == pytest.approx([2.0] * 4)
    one = claim("f = speedup(x, y, of=round, rounds=common)", "all(f > 0)")
    assert not judge(one, "", {}, evidence(cells)).shown


@pytest.mark.parametrize(
    ("rounds", "said"), [(2, ""), (3, ", after 2 rounds"), (0, ", after 2 rounds")]
)
def test_another_round_than_the_printed_one_is_said(rounds: int, said: str) -> None:
    cells = {"x": curved([9, 4, 2, 1], [1, 2, 3, 4]), "y": curved([9, 8], [4, 8])}
    one = claim("f = speedup(x, y, rounds=common)\ng = speedup(x, y)", "all(f > 0)")
    judged = judge(one, "", {}, evidence(cells, Invented(rounds=rounds)))
    assert [value.title for value in judged.shown] == [
        f"time of y to that of x{said}",
        "time of y to that of x",
    ]


@pytest.mark.parametrize(
    ("text", "times", "resampled"),
    [
        ("speedup(x, y)", True, False), ("saving(x, y)", True, False),
        ("lead(x, y, of=time)", True, False), ("saving(x, y, of=rmse)", False, False),
        ("seconds(x)", False, False), ("power_lead(x, y, by=rows)", False, False),
        ("steadier(x, y)", False, False), ("rank(x, y)", False, True),
        ("lead(x, y, over=median)", False, True), ("reach(x, y)", True, True),
        ("same_order(x, y)", False, True), ("speedup(x, x)", False, False),
    ],
)  # fmt: skip
def test_kinds_of_figures(text, times, resampled) -> None:
    (call,) = names()._replace(choices={}).read(text)
    assert (compares_times(call), is_resampled(call)) == (times, resampled)


def test_every_figure_has_words() -> None:
    for name, one in FIGURES.items():
        takes = list(inspect.signature(one.function).parameters.values())[1:]
        methods = [p for p in takes if p.kind is p.POSITIONAL_OR_KEYWORD]
        by = ", by=rows" if any(p.name == "by" for p in takes) else ""
        text = f"{name}({', '.join('xy'[: len(methods)])}{by})"
        (call,) = names()._replace(choices={}).read(text)
        assert "x" in title(call) or name == "same_order"
        assert "{" not in title(call)


def test_wins_ties_and_losses_count_the_data_sets_by_direction() -> None:
    """x leads on a and c, is equal on b and behind on d; of errors it is the other way round."""
    cells = {"x": X, "y": Y}
    assert figure("wins(x, y)", cells)[0] == [2]
    assert figure("ties(x, y)", cells)[0] == [1]
    assert figure("losses(x, y)", cells)[0] == [1]
    errors = {m: by_set((0,) * 4, rmse=e) for m, e in (("x", 1.0), ("y", 3.0))}
    assert figure("wins(x, y, of=rmse)", errors)[0] == [4]
    assert figure("losses(y, x, of=rmse)", errors)[0] == [4]


def test_of_several_others_the_best_decides_and_one_that_the_paper_has_not_run_does_not() -> None:
    third = by_set((0.95, 0.1, 0.1, 0.1))
    cells = {"x": X, "y": Y, "z": third}
    counts = {name: figure(f"{name}(x, y, z)", cells)[0][0] for name in ("wins", "ties", "losses")}
    assert counts == {"wins": 1, "ties": 1, "losses": 2}
    paper = Invented(not_run=[("z", "a")])
    assert figure("wins(x, y, z)", cells, paper)[0] == [2]


def test_the_interval_of_wins_holds_what_other_folds_would_give() -> None:
    cells = {"x": noisy(0.5, 0.2), "y": noisy(0.51)}
    point, low, high = figure("wins(x, y)", cells)
    assert (point, low) == ([0], [0])
    assert high > 1
    sure = figure("wins(x, y)", {"x": noisy(0.9, 0.01), "y": noisy(0.5)})
    assert [each[0] for each in sure] == [4, 4, 4]


def test_a_score_is_the_mean_of_a_metric() -> None:
    cells = {"x": by_set((0.1, 0.2, 0.3, 0.4), rmse=2.0)}
    assert figure("score(x, over=mean)", cells)[0] == pytest.approx([0.25])
    assert figure("score(x, of=rmse)", cells)[0] == pytest.approx([2.0] * 4)
