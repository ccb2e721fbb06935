"""Verdicts on claims, from runs made by hand: each rule passing, failing and unknown."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from claim_cells import SETS, Invented, cell, claim, evidence, measured, noisy, two_depths

from boostbench.papers import estimates
from boostbench.papers.conditions import Scope
from boostbench.papers.estimates import estimate
from boostbench.papers.evidence import Measurements
from boostbench.papers.judge import ClaimVerdict, decide, judge
from boostbench.papers.language import Values
from boostbench.papers.readings import judge_all
from boostbench.report.document.answer import lacking_settings

LEAD = "f = lead(x, y, over=mean)"
BANDS = ("f > 0.2", "f > 0", "f < 0")


def ruled(by: float, spread: float = 0.0, text: str = LEAD, bands=BANDS, **more):
    cells = {"x": noisy(0.5 + by, spread), "y": noisy(0.5)}
    return judge(claim(text, *bands), "as described", {}, evidence(cells, **more))


def verdict(one, own):
    judged = judge(one, "", {}, own)
    return f"{judged.verdict}: {judged.why}"


@pytest.mark.parametrize(
    ("by", "ruling"),
    [
        (0.3, ClaimVerdict.REPRODUCED),
        (0.1, ClaimVerdict.WEAKER),
        (-0.1, ClaimVerdict.NOT_REPRODUCED),
        (0.0, ClaimVerdict.UNDECIDED),
    ],
)
def test_the_first_condition_that_holds_decides(by, ruling) -> None:
    judged = ruled(by)
    assert judged.verdict is ruling
    assert judged.why == ("the values lie between the bands" if by == 0 else "")
    assert (judged.runs, judged.missing, judged.settings) == (48, [], [(3,)])
    assert judged.datasets == list(SETS)


def test_without_a_last_condition_it_is_whatever_is_left() -> None:
    assert ruled(0.0, bands=BANDS[:2]).verdict is ClaimVerdict.NOT_REPRODUCED
    assert ruled(0.1, bands=BANDS[:1]).verdict is ClaimVerdict.NOT_REPRODUCED


def test_the_data_sets_that_decide_an_order_are_named() -> None:
    means = {"a": 0.9, "b": 0.49, "c": 0.49, "d": 0.49}
    own = evidence({"x": {name: noisy(mean) for name, mean in means.items()}, "y": noisy(0.5)})
    assert verdict(claim(LEAD, *BANDS), own) == "weaker: in the other order without a"
    # Of single data sets, or where no choice of them reverses it, there is nothing to say.
    assert verdict(claim("f = lead(x, y)", "most(f > 0)"), own) == "not reproduced: "
    assert ruled(0.1).why == ""


def test_an_interval_that_crosses_leaves_it_open_and_one_within_does_not() -> None:
    # Folds .4 apart on four sets: the mean's standard error is .4 / sqrt(3) / 2 / 2 = .058.
    judged = ruled(0.1, 0.2)
    values = judged.shown[0].values
    half = scipy.special.stdtrit(12, 0.975) * 0.2 * np.sqrt(4 / 3) / np.sqrt(16)
    assert values.low.item() == pytest.approx(0.1 - half)
    assert values.high.item() == pytest.approx(0.1 + half)
    assert judged.verdict is ClaimVerdict.UNDECIDED
    assert judged.why == "measured: weaker, but the interval reaches beyond"
    assert ruled(0.1, 0.1).verdict is ClaimVerdict.WEAKER
    # Not reproduced, but possibly weaker.
    assert ruled(-0.1, 0.2).verdict is ClaimVerdict.UNDECIDED
    assert ruled(-0.1, 0.1).verdict is ClaimVerdict.NOT_REPRODUCED


def test_a_reproduced_claim_may_reach_into_weaker() -> None:
    judged = ruled(0.25, 0.1)
    assert (judged.verdict, judged.why) == (
        ClaimVerdict.REPRODUCED,
        "the interval reaches into weaker",
    )
    assert ruled(0.4, 0.1).why == ""
    # A weaker claim is not reported to reach into better verdicts.
    assert ruled(0.15, 0.1).why == ""


@pytest.mark.parametrize(
    ("values", "ruling", "crosses", "reaches"),
    [
        ((3.0, 2.5, 3.5), ClaimVerdict.REPRODUCED, False, False),
        ((3.0, 1.5, 3.5), ClaimVerdict.REPRODUCED, False, True),
        ((3.0, 0.5, 3.5), ClaimVerdict.REPRODUCED, True, True),
        ((1.5, 1.2, 1.8), ClaimVerdict.WEAKER, False, False),
        ((1.5, 1.2, 9.0), ClaimVerdict.WEAKER, False, False),
        ((1.5, 0.5, 1.8), ClaimVerdict.WEAKER, True, False),
        ((0.5, 0.1, 0.9), ClaimVerdict.NOT_REPRODUCED, False, False),
        ((0.5, 0.1, 1.5), ClaimVerdict.NOT_REPRODUCED, True, False),
        ((0.5, 0.1, 2.5), ClaimVerdict.NOT_REPRODUCED, True, False),
    ],
)
def test_from_intervals_to_a_verdict(values, ruling, crosses, reaches) -> None:
    named = {"f": Values(*(np.array([[x]]) for x in values))}
    decision = decide(claim("f = lead(x, y)", "f > 2", "f > 1"), Scope(SETS, [(3,)]), named)
    assert (decision.verdict, decision.crosses, decision.reaches) == (ruling, crosses, reaches)


def test_a_claim_on_two_depths_must_hold_at_both() -> None:
    both = claim(LEAD, *BANDS, at={"depth": [2, 3]})
    assert judge(both, "", {}, two_depths(0.3, 0.3)).verdict is ClaimVerdict.REPRODUCED
    assert judge(both, "", {}, two_depths(0.3, 0.1)).verdict is ClaimVerdict.WEAKER
    assert judge(both, "", {}, two_depths(0.3, -0.1)).verdict is ClaimVerdict.NOT_REPRODUCED
    assert verdict(both, two_depths(0.3, depths=[3])) == "undecided: reproduced at depth 3 only"
    assert verdict(both, two_depths(-0.3, depths=[3])) == "not reproduced: at depth 3 only"
    # More runs would not decide it, as the sentence on the page says.
    claims = judge_all([both], two_depths(0.3, depths=[3]))
    assert lacking_settings(claims) == "For 1 of the undecided, trees of other depths are missing."
    for own in (two_depths(-0.3, depths=[3]), two_depths(0.3, 0.3)):
        assert lacking_settings(judge_all([both], own)) == ""
    assert verdict(both, two_depths(0.3, depths=[4])) == "not judged: no trees of depth 2 or 3"


def test_each_depth_with_half_of_the_data_sets_counts() -> None:
    both = two_depths(0.3, -0.3)
    for few, settings in (("c", [(3,)]), ("cd", [(2,), (3,)])):
        cells = {key: own for key, own in both.cells.items() if key[1] == (3,) or key[2] in few}
        judged = judge(claim(LEAD, *BANDS), "", {}, replace(both, cells=cells))
        assert judged.settings == settings
        assert judged.datasets == (list(SETS) if few == "c" else ["c", "d"])


def test_a_depth_that_only_a_condition_names_must_have_been_run() -> None:
    one = claim(LEAD, "at_depth(2, f > 0)")
    assert verdict(one, two_depths(0.3, depths=[3])) == "not judged: needs trees of depth 2"
    assert judge(one, "", {}, two_depths(0.3, -0.3)).verdict is ClaimVerdict.REPRODUCED


def test_half_of_the_data_sets_and_twenty_runs_are_needed() -> None:
    def on(names, shape=(1, 4, 3)):
        return {m: {n: noisy(0.5 + 0.3 * (m == "x"), shape=shape) for n in names} for m in "xy"}

    half = judge(claim("f = lead(x, y)", "any(f > 0.2)"), "", {}, evidence(on("ab")))
    assert (half.verdict, half.missing) == (ClaimVerdict.REPRODUCED, ["c", "d"])
    assert half.why == "2 of 4 data sets"
    few = judge(claim(LEAD, *BANDS), "", {}, evidence(on("a", (1, 4, 9))))
    assert (few.verdict, few.why) == (ClaimVerdict.NOT_JUDGED, "1 of 4 data sets")
    assert few.shown
    short = verdict(claim(LEAD, *BANDS), evidence(on("abcd", (1, 4, 1))))
    assert short == "not judged: 16 runs of at least 20"
    own = judge(claim(LEAD, *BANDS), "", {}, evidence(on("abcd", (1, 4, 1)), Invented(runs=4)))
    assert own.verdict is ClaimVerdict.REPRODUCED
    named = judge(claim(LEAD, *BANDS, data_sets=["a"]), "", {}, evidence(on("a", (1, 4, 9))))
    assert named.verdict is ClaimVerdict.REPRODUCED


def test_an_average_needs_all_of_its_data_sets() -> None:
    own = {m: {n: noisy(0.5 + 0.3 * (m == "x")) for n in "abc"} for m in "xy"}
    why = "not judged: one number over all data sets needs each: 3 of 4 data sets"
    for figure in (
        "ratio(x, y, over=mean)",
        "ratio(x, y, over=geometric)",
        "ratio(x, y, over=median)",
        "rank(x, y, over=mean)",
        "rank_lead(x, y)",
        "wilcoxon(x, y)",
        "friedman(x, y)",
        "power(x, by=classes, of=score)",
    ):
        one = claim(f"f = {figure}", "f > 0")
        assert verdict(one, evidence(own)) == why, figure
        assert judge(one, "", {}, evidence(own)).shown, figure
    # Those that it leaves out itself may be missing.
    without = claim("f = lead(x, y, over=mean, without=d)", *BANDS)
    assert judge(without, "", {}, evidence(own)).verdict is ClaimVerdict.REPRODUCED
    assert judge(claim(LEAD, *BANDS, data_sets=["a", "b", "c"]), "", {}, evidence(own)).why == ""


def leads(**by_set: float):
    """Return runs in which x leads y by so much on some of the data sets a to d."""
    cells = {"x": {n: noisy(0.5 + by) for n, by in by_set.items()}}
    return evidence({**cells, "y": {n: noisy(0.5) for n in by_set}})


@pytest.mark.parametrize(
    ("condition", "won", "lost"),
    [
        ("all(f > 0)", "undecided", "not reproduced"),
        ("any(f < 0)", "undecided", "reproduced"),
        ("count(f > 0) >= 4", "undecided", "not reproduced"),
        ("count(f > 0) >= 3", "reproduced", "undecided"),
        ("count(f > 0) == 3", "undecided", "undecided"),
        ("count(f > 0) <= 2", "not reproduced", "undecided"),
        ("share(f > 0) >= 3/4", "reproduced", "undecided"),
        ("share(f > 0) == 1", "undecided", "not reproduced"),
        ("most(f > 0)", "reproduced", "undecided"),
        ("pairs(f > 0) > 3/4", "undecided", "not reproduced"),
        ("not all(f > 0)", "undecided", "reproduced"),
        ("unlike(f > 0, a, b, c) == 0", "undecided", "not reproduced"),
        ("unlike(f > 0, d) >= 3", "reproduced", "undecided"),
        ("at_least(2, any(f > 0), all(f > 0))", "undecided", "not reproduced"),
        ("count(all(f > 0)) == 1", "undecided", "not reproduced"),
    ],
)
def test_a_missing_data_set_is_unknown(condition, won, lost) -> None:
    """Three of four sets are measured: x leads on all of them, or on all but one."""
    one = claim("f = lead(x, y)", condition)
    for own, ruling in ((leads(a=0.1, b=0.1, c=0.1), won), (leads(a=0.1, b=0.1, c=-0.1), lost)):
        judged = judge(one, "", {}, own)
        assert judged.verdict == ruling, condition
        assert judged.why == "3 of 4 data sets" + ", the others decide" * (ruling == "undecided")
    # With the fourth one nothing is open.
    assert judge(one, "", {}, leads(a=0.1, b=0.1, c=0.1, d=0.1)).verdict != "undecided"


def test_missing_data_sets_leave_open_whether_a_claim_is_more_than_weaker() -> None:
    one = claim("f = lead(x, y)", "all(f > 0)", "most(f > 0)")
    assert verdict(one, leads(a=0.1, b=0.1, c=0.1)) == (
        "weaker: 3 of 4 data sets, the others may make it reproduced"
    )
    assert verdict(one, leads(a=0.1, b=0.1)) == "undecided: 2 of 4 data sets, the others decide"
    assert verdict(one, leads(a=-0.1, b=-0.1)) == "not reproduced: 2 of 4 data sets"
    assert verdict(one, leads(a=0.1, b=0.1, c=0.1, d=0.1)) == "reproduced: "
    bands = claim("f = lead(x, y)", "all(f > 0)", "", "count(f < 0) >= 2")
    assert verdict(bands, leads(a=-0.1, b=0.1)) == "undecided: 2 of 4 data sets, the others decide"
    assert verdict(bands, leads(a=-0.1, b=-0.1)) == "not reproduced: 2 of 4 data sets"


def test_intervals_of_measured_sets_count_beside_missing_ones() -> None:
    """On c the lead may be one or none; d is not measured."""
    cells = {"x": {n: noisy(0.6, 0.2 * (n == "c")) for n in "abc"}, "y": noisy(0.5)}
    for condition, why in (
        ("count(f > 0) >= 2", "reproduced: 3 of 4 data sets"),
        ("count(f > 0) >= 3",
         "undecided: measured: reproduced, but the interval reaches beyond; 3 of 4 data sets"),
        ("count(f > 0) >= 4", "undecided: 3 of 4 data sets, the others decide"),
    ):  # fmt: skip
        assert verdict(claim("f = lead(x, y)", condition), evidence(cells)) == why


def test_missing_data_sets_at_two_depths() -> None:
    both = two_depths(0.3, 0.3)
    cells = {key: own for key, own in both.cells.items() if key[2] != "d"}
    three = replace(both, cells=cells)
    for condition, ruling in (
        ("pairs(f > 0) >= 6/8", "reproduced"), ("pairs(f > 0) >= 7/8", "undecided"),
        ("some_depth(all(f > 0))", "undecided"), ("at_depth(2, any(f < 0))", "undecided"),
        ("every_depth(most(f > 0))", "reproduced"), ("at_depth(3, all(f < 0))", "not reproduced"),
    ):  # fmt: skip
        assert judge(claim("f = lead(x, y)", condition), "", {}, three).verdict == ruling, condition


def test_figures_of_some_data_sets_are_unknown_on_the_missing_ones() -> None:
    own = leads(a=0.1, b=0.1, c=-0.1)
    for figure, condition, text in (
        ("lead(x, y, without=c)", "all(f > 0)", "undecided: 3 of 4 data sets, the others decide"),
        ("lead(x, y, without=[c, d])", "all(f > 0)", "reproduced: 3 of 4 data sets"),
        ("lead(x, y, on=[c, d])", "all(f > 0)", "not reproduced: 3 of 4 data sets"),
        ("lead(x, y, on=[a, d])", "any(f > 0)", "reproduced: 3 of 4 data sets"),
        ("lead(x, y, without=[a, b, c])", "any(f > 0)", "not judged: needs d; 3 of 4 data sets"),
        ("lead(x, y, on=d)", "f > 0", "not judged: needs d; 3 of 4 data sets"),
    ):
        assert verdict(claim(f"f = {figure}", condition), own) == text


def test_a_verdict_that_rests_on_a_stand_in_says_so() -> None:
    cells = {"x": noisy(0.9), "y": noisy(0.5)}
    own = evidence(cells, stand_ins={"b": "on JPEG copies", "c": "on 32 x 32 copies"})
    assert verdict(claim(LEAD, *BANDS), own) == (
        "reproduced: b on JPEG copies; c on 32 x 32 copies"
    )
    assert verdict(claim(LEAD, *BANDS, data_sets=["a", "c"]), own) == (
        "reproduced: c on 32 x 32 copies"
    )
    assert verdict(claim(LEAD, *BANDS, data_sets=["a", "d"]), own) == "reproduced: "


def test_only_runs_that_all_methods_have_are_used() -> None:
    scores = np.full((1, 4, 3), 0.9)
    lost = scores.copy()
    lost[0, 0, 0] = np.nan
    scores[0, 0, 0] = -50.0
    cells = {"x": cell(scores), "y": cell(lost - 0.3)}
    judged = judge(claim(LEAD, *BANDS), "", {}, evidence(cells))
    assert judged.shown[0].values.point.item() == pytest.approx(0.3)
    assert judged.runs == 44


def test_a_method_that_is_not_there_or_another_one() -> None:
    here = evidence({"x": noisy(0.5)})
    group = claim("f = lead(x, best(y, z), over=mean)", *BANDS)
    assert verdict(group, here) == "not judged: y, z are not measured"
    changed = replace(here, design_differences={"y": "y is run with mu = 3"})
    assert verdict(claim(LEAD, *BANDS), changed) == "not comparable: y is run with mu = 3"
    other = replace(evidence({}), design_differences={"a": "5 folds, in the paper 4 folds"})
    assert judge(claim(LEAD, *BANDS), "", {}, other).verdict is ClaimVerdict.NOT_COMPARABLE


def test_claims_that_are_not_judged_say_why() -> None:
    why = "needs the code book"
    one = replace(claim(LEAD), figures=(), reason=why)
    assert verdict(one, evidence({})) == f"not judged: {why}"
    other = replace(one, reason="not comparable: seconds of 2012")
    assert verdict(other, evidence({})) == "not comparable: seconds of 2012"


def test_a_claim_without_figures_has_no_runs() -> None:
    one = replace(claim(LEAD, "1 > 0"), figures=())
    judged = judge(one, "", {}, evidence({"x": noisy(0.5)}))
    assert judged.verdict is ClaimVerdict.NOT_JUDGED
    assert "no finished run in common" in judged.why


@pytest.mark.parametrize("seconds", [1.0, 9.0])
def test_seconds_of_two_implementations_are_not_comparable_in_either_direction(seconds) -> None:
    cells = {"x": noisy(0.8, time=3.0), "y": noisy(0.5, time=seconds)}
    one = claim("f = speedup(x, y, over=mean)", "f > 1")
    apart = Invented(groups={"x": "ours", "y": "a package"})
    judged = judge(one, "", {}, evidence(cells, apart))
    assert judged.verdict is ClaimVerdict.NOT_COMPARABLE
    assert judged.why == "times of different implementations: ours; a package"
    assert judged.shown[0].values.point.item() == pytest.approx(seconds / 3)
    same = Invented(groups={"x": "ours", "y": "ours"})
    assert judge(one, "", {}, evidence(cells, same)).verdict is (
        ClaimVerdict.REPRODUCED if seconds > 3 else ClaimVerdict.NOT_REPRODUCED
    )
    score = judge(claim(LEAD, *BANDS), "", {}, evidence(cells, apart))
    assert score.verdict is ClaimVerdict.REPRODUCED


def test_times_of_two_processors_are_left_out_and_scores_are_not() -> None:
    cells = {"x": noisy(0.8, time=1.0), "y": noisy(0.5, time=2.0, processor="q")}
    own = evidence(cells)
    judged = judge(claim("f = speedup(x, y, over=mean)", "f > 1"), "", {}, own)
    assert judged.verdict is ClaimVerdict.NOT_JUDGED
    assert judged.why.endswith("times of runs on different processors left out")
    assert judge(claim(LEAD, *BANDS), "", {}, own).verdict is ClaimVerdict.REPRODUCED
    unknown = {**cells, "y": noisy(0.5, time=2.0, processor="")}
    one = claim("f = speedup(x, y, over=mean)", "f > 1")
    assert judge(one, "", {}, evidence(unknown)).verdict is ClaimVerdict.REPRODUCED


def test_a_group_counts_as_its_best_or_worst_in_the_interval_too() -> None:
    cells = {"x": noisy(0.5, 0.2), "y": noisy(0.9), "z": noisy(0.4)}
    # Only y is the best, and it does not vary.
    low = measured("lead(best(x, y), z, over=mean)", cells).low.item()
    assert low == pytest.approx(0.5, abs=1e-6)


def test_ratios_have_intervals_on_the_log_scale() -> None:
    cells = {"x": noisy(0.5, time=1.0), "y": noisy(0.5)}
    times = np.array([1.0, 4.0, 1.0, 4.0])[None, :, None]
    cells["y"] = cell(np.full((1, 4, 3), 0.5), time=times)
    values = measured("speedup(x, y, over=mean)", cells)
    point, low, high = (x.item() for x in (values.point, values.low, values.high))
    assert point == pytest.approx(2.5)
    assert low * high == pytest.approx(point**2)


def test_a_ratio_of_nothing_has_a_plain_interval() -> None:
    times = np.array([0.5, 1.5, 0.5, 1.5])[None, :, None] - 1
    cells = {"x": noisy(0.5, time=1.0), "y": cell(np.full((1, 4, 3), 0.5), time=times)}
    values = measured("speedup(x, y, over=mean)", cells)
    assert values.point.item() == 0
    assert -1 < values.low.item() == -values.high.item() < 0


# Four folds of sd .11547: t(.975; 3) = 3.18245. Three partitions of sd .1: t(.975; 2) = 4.30265.
@pytest.mark.parametrize(
    ("times", "half"),
    [([[0.9, 1.1, 0.9, 1.1]], 2.2 * 3.18245 * 0.11547 / 2),
     ([[0.9] * 4, [1.0] * 4, [1.1] * 4], 4.30265 * 0.1 / 3**0.5)],
)  # fmt: skip
def test_seconds_of_one_partition_have_wider_intervals(times, half) -> None:
    runs = np.full((len(times), 4, 3), 0.5)
    values = measured("seconds(x)", {"x": cell(runs, time=np.array(times)[..., None])})
    assert (values.high - values.point)[0] == pytest.approx(half, rel=1e-4)


@pytest.mark.parametrize(("partitions", "wider"), [(1, 2.0), (3, 1.1)])
def test_intervals_of_sds_are_wider(partitions, wider, monkeypatch) -> None:
    draw, sds = np.random.default_rng(0), {"x": 0.1, "y": 0.2}
    runs = {name: cell(draw.normal(0.5, sd, (partitions, 4, 3))) for name, sd in sds.items()}
    known = measured("steadier(x, y, over=mean)", runs)
    monkeypatch.setattr(estimates, "WIDER", {})
    plain = measured("steadier(x, y, over=mean)", runs)
    low, narrow = (np.log(values.point / values.low).item() for values in (known, plain))
    assert low == pytest.approx(wider * narrow)
    assert narrow > 0.1


def test_one_fold_says_nothing_of_other_partitions() -> None:
    cells = {"x": noisy(0.8, shape=(1, 1, 12)), "y": noisy(0.5, shape=(1, 1, 12))}
    flat = judge(claim(LEAD, *BANDS), "", {}, evidence(cells))
    assert flat.verdict is ClaimVerdict.UNDECIDED
    assert np.isinf(flat.shown[0].values.high).all()
    single = {m: noisy(mean, shape=(1, 1, 1)) for m, mean in (("x", 0.8), ("y", 0.5))}
    known = measured("lead(x, y, over=mean)", single, Invented(runs=1)).point
    assert known.item() == pytest.approx(0.3)
    # On one data set only it leaves the others as they are.
    one = {m: {n: cells[m] if n == "a" else noisy(0.5, 0.1) for n in SETS} for m in "xy"}
    assert np.isinf(measured("lead(x, y)", one).high).tolist() == [[True, False, False, False]]


@pytest.mark.parametrize(
    "figure",
    ["rank(y, x, over=mean)", "rank(y, x)", "rank_lead(x, y)", "friedman(x, y)", "reach(x, y)",
     "lead(x, y, over=median)"],
)  # fmt: skip
def test_a_single_fold_leaves_resampled_figures_open(figure) -> None:
    falling = {of: np.arange(3.0, 0.0, -1.0) for of in ("objective", "solver_s")}
    cells = {
        name: noisy(mean, shape=(1, 1, 12), curves=[falling] * 12)
        for name, mean in (("x", 0.8), ("y", 0.5))
    }
    for bound in ("f > -9", "f < -9"):
        bound = bound if "over" in figure or "rank_lead" in figure else f"all({bound})"
        judged = judge(claim(f"f = {figure}", bound), "", {}, evidence(cells))
        (shown,) = judged.shown
        assert np.isneginf(shown.values.low).all()
        assert np.isposinf(shown.values.high).all()
        assert judged.verdict is ClaimVerdict.UNDECIDED
        assert judged.why.startswith("measured: ")
        single = "all runs on a, b, c, d are of one split into training and test rows, which says"
        assert judged.why.endswith(f"reproduced, but {single} nothing of others")


def test_a_single_split_is_the_reason_also_of_ratios_and_of_one_data_set() -> None:
    """The lower end of a ratio's interval is 0, not minus infinity."""
    several = {method: noisy(0.5, 0.2) for method in "xy"}
    one = {
        m: {n: noisy(0.5, 0.2, (1, 1, 20)) if n == "b" else own for n in SETS}
        for m, own in several.items()
    }
    one["x"] = {**one["x"], "b": noisy(0.51, 0.2, (1, 1, 20))}
    against = {"x": several["x"], "y": noisy(0.49, -0.2)}
    for text, cells, reason in (
        ("f = ratio(x, y)", one, "all runs on b are of one split into training and test rows"),
        ("f = lead(x, y, over=mean)", one, "all runs on b are of one split"),
        ("f = ratio(x, y)", against, "the interval reaches beyond"),
    ):
        bound = "f > -0.1" if "over" in text else "all(f > 0.9)"
        judged = judge(claim(text, bound), "", {}, evidence(cells))
        assert judged.verdict is ClaimVerdict.UNDECIDED
        assert judged.why.startswith(f"measured: reproduced, but {reason}"), judged.why


def test_a_single_fold_leaves_one_order_at_all_depths_open() -> None:
    for second in (0.3, -0.3):
        both = two_depths(0.3, second)
        single = {
            key: [noisy(own.values["score"][0], shape=(1, 1, 12))]
            for key, (own,) in both.cells.items()
        }
        judged = judge(claim("f = same_order(x, y)", "f == 1"), "", {}, replace(both, cells=single))
        assert judged.verdict is ClaimVerdict.UNDECIDED
        assert judged.shown[0].values.point.tolist() == [[float(second > 0)]] * 2


@pytest.mark.parametrize(
    "figure",
    [
        "lead(x, y, over=mean)",
        "gain(x, best(y, z))",
        "steadier(x, z)",
        "power_lead(x, y, by=rows, of=score)",
    ],
)
def test_half_widths_are_those_of_fresh_measurements(figure) -> None:
    """A figure declares its statistics: nothing has to be asked before its interval is."""
    (call,) = claim(f"f = {figure}", "f > 0" if "=" in figure else "all(f > 0)").figures
    cells = {
        (method, name): noisy(mean, 0.05)
        for method, mean in (("x", 0.9), ("y", 0.7), ("z", 0.6))
        for name in SETS
    }
    values = estimate(call, [Measurements(evidence({}), SETS, 3, cells)])
    half = estimates.delta(call, Measurements(evidence({}), SETS, 3, cells), values.point[0])
    assert (half > 0).all()
    high = values.point[0] + half
    if values.log:
        high = values.point[0] * np.exp(half / values.point[0])
    np.testing.assert_array_equal(values.high[0], high)


def test_a_figure_sees_only_the_statistics_that_it_declares() -> None:
    (call,) = claim("f = lead(x, y)", "all(f > 0)").figures
    cells = {(method, name): noisy(0.9, 0.05) for method in "xy" for name in SETS}
    measurements = Measurements(evidence({}), SETS, 3, cells)
    moved = {("x", "score"): np.full(4, 0.25), ("x", "time"): np.full(4, 9.0)}
    known = estimates.statistics_of(call, measurements, moved)
    assert list(known.values) == [("x", "score"), ("y", "score")]
    lead = estimates.evaluated(call, measurements, moved) - estimates.evaluated(call, measurements)
    np.testing.assert_allclose(lead, 0.25)


@pytest.mark.parametrize("average", ["mean", "geometric"])
@pytest.mark.parametrize("share", [0.0, 0.9])
def test_intervals_of_sds_cover(average, share) -> None:
    """Two methods of equal sds, of which the folds have a share: the ratio is 1."""
    random = np.random.default_rng(3)
    (call,) = claim(f"f = steadier(x, y, over={average})", "f > 1").figures
    covered = 0
    for _ in range(120):
        own = evidence({})
        cells = {}
        for name in SETS:
            for method in "xy":
                folds = np.sqrt(share) * random.standard_normal((1, 4, 1))
                runs = folds + np.sqrt(1 - share) * random.standard_normal((1, 4, 10))
                cells[method, name] = cell(runs)
        values = estimate(call, [Measurements(own, SETS, 3, cells)])
        covered += values.low.item() <= 1.0 <= values.high.item()
    assert covered >= 0.91 * 120


def test_readings_put_in_other_methods_where_they_are_measured() -> None:
    cells = {"x": noisy(0.8), "y": noisy(0.5), "z": noisy(0.7)}
    readings = {"with z": {"y": "z"}, "with w": {"y": "w"}, "the same": {"y": "y"}}
    paper = Invented(meant={"y": ["w", "y"]}, readings=readings)
    one = claim(LEAD, *BANDS)
    (entry,) = judge_all([one], evidence(cells, paper))
    assert entry.claim is one
    assert entry.judged.verdict is ClaimVerdict.REPRODUCED
    assert [(one.reading, one.verdict) for one in entry.others] == [("with z", ClaimVerdict.WEAKER)]
    # The first main reading counts if it ran.
    (entry,) = judge_all([one], evidence({**cells, "w": noisy(0.9)}, paper))
    assert entry.judged.verdict is ClaimVerdict.NOT_REPRODUCED
    assert [one.reading for one in entry.others] == ["with z", "the same"]


def test_a_data_set_that_a_figure_names_must_be_there() -> None:
    cells = {m: {n: noisy(0.8 - 0.3 * (m == "y")) for n in "abc"} for m in "xy"}
    found = verdict(claim("f = lead(x, y, on=d)", "f > 0"), evidence(cells))
    assert found == "not judged: needs d; 3 of 4 data sets"


def test_figures_that_are_known_are_shown_beside_those_that_are_not() -> None:
    both = claim("f = lead(x, y, over=mean); g = speedup(x, y, over=mean)", "f > 0 and g > 1")
    judged = judge(both, "", {}, evidence({"x": noisy(0.8), "y": noisy(0.5)}))
    assert (judged.verdict, [one.call.name for one in judged.shown]) == (
        ClaimVerdict.NOT_JUDGED,
        ["f"],
    )
    assert judged.why == "time of y to that of x, mean: not known of all runs"
    assert [(one.title, one.unit) for one in judged.shown] == [
        ("lead of x over y, mean", "difference")
    ]
