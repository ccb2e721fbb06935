"""The uncertainty of a claim's figures against slow references, and what would decide a claim."""

from collections.abc import Mapping

import numpy as np
import pytest
from claim_parts import SRT, of, summary_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from boostbench.papers import rules
from boostbench.papers.claim import Claim, Figure, Rule, Ruling
from boostbench.report.claimtable import plan_text
from boostbench.report.collect import Run
from boostbench.report.evidence import CellRuns, Estimate, MeasuredSets, estimate, paired
from boostbench.report.ledger import Judged, judge
from boostbench.report.paired import Index
from boostbench.report.sources import Sources
from boostbench.stats import (
    half_width,
    ratio_interval_fixed,
    se_over_partitions,
    seeds_to_decide,
    variance_components,
)

Array = NDArray[np.float64]
SD = Figure("sd", "", "score", lambda sets: np.mean(sets.sd("a")))
NUMBER = Figure("number", "", "count", lambda sets: 80 * np.mean(sets.mean("a", "exploded")))
T3 = 3.1824463052837086
"""The 97.5 % quantile of Student's t with 3 degrees of freedom."""


def sets_of(*roles: Mapping[str, Array], out: frozenset[Index] = frozenset()) -> MeasuredSets:
    """Return roles a, b with the scores (partitions, folds, seeds) of each data set.

    The means of none of them have the runs that are ``out``.
    """
    letters = "ab"[: len(roles)]
    cells = {}
    for letter, own in zip(letters, roles, strict=True):
        for name, scores in own.items():
            runs = {
                place: Run(name, letter, "ok", "", *place, score=float(scores[place]))
                for place in np.ndindex(scores.shape)
                if not np.isnan(scores[place])
            }
            cells[letter, name] = CellRuns(runs, out)
    names = list(roles[0])
    return MeasuredSets(
        SRT, names, 3, ("a",), tuple(letters[1:]), paired(cells, list(letters), names)
    )


def draws(seed: int, shape: tuple[int, ...], fold: float, noise: float, n: int = 1) -> list[Array]:
    """Return scores (partitions, folds, seeds) whose folds and seeds vary by these sds."""
    random = np.random.default_rng(seed)
    return [
        0.7
        + fold * random.standard_normal(shape[:-1])[..., None]
        + noise * random.standard_normal(shape)
        for _ in range(n)
    ]


def half(found: Estimate) -> float:
    (value,) = found.half()
    return float(value)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 5), seeds=st.integers(1, 4))
def test_a_ratio_of_means_has_the_interval_of_the_delta_method(seed, n, seeds) -> None:
    a, b = (
        {f"d{i}": each for i, each in enumerate(draws(seed + k, (1, 4, seeds), 0.05, 0.05, n))}
        for k in (0, 20_000)
    )
    found = estimate(rules.GAIN, sets_of(a, b))
    by_fold = [np.array([each[0].mean(axis=1) for each in own.values()]) for own in (a, b)]
    expected = ratio_interval_fixed(*by_fold)
    assert found.values[0] == pytest.approx(100 * (expected.ratio - 1))
    assert half(found) == pytest.approx(100 * (expected.high - expected.ratio), rel=1e-6)


@pytest.mark.parametrize("partitions", [1, 2, 3, 5])
def test_a_difference_has_the_interval_of_its_fold_means(partitions) -> None:
    a, b = draws(3, (partitions, 4, 5), 0.05, 0.02, 2)
    found = estimate(rules.GAP, sets_of({"d": a}, {"d": b}))
    error = se_over_partitions(a - b)
    assert found.values[0] == pytest.approx((a - b).mean())
    (part,) = found.parts
    assert part.variance[0] == pytest.approx(error.se**2)
    assert (
        part.df == error.df == (3 if partitions == 1 else 6 if partitions == 2 else partitions - 1)
    )
    if partitions == 1:
        assert half(found) == pytest.approx(T3 * error.se)


def test_data_sets_add_their_variances_with_satterthwaites_degrees_of_freedom() -> None:
    scores = {f"d{i}": each for i, each in enumerate(draws(5, (1, 4, 3), 0.05, 0.02, 3))}
    found = estimate(
        Figure("mean", "", "score", lambda sets: np.mean(sets.mean("a"))), sets_of(scores)
    )
    own = np.array([se_over_partitions(each[0]).se ** 2 for each in scores.values()])
    df = own.sum() ** 2 / (own**2 / 3).sum()
    assert 3 < df < 9
    assert half(found) == pytest.approx(stats.t.ppf(0.975, df) * np.sqrt(own.sum()) / 3)


def test_folds_that_are_hard_for_both_do_not_widen_a_comparison() -> None:
    # Both follow the folds, so that only what the seeds leave differs.
    (common,) = draws(7, (1, 4, 1), 0.1, 0.0)
    a, b = (common + each - 0.7 for each in draws(8, (1, 4, 10), 0.0, 0.01, 2))
    together = half(estimate(rules.GAP, sets_of({"d": a}, {"d": b})))
    shuffled = half(estimate(rules.GAP, sets_of({"d": a}, {"d": b[:, ::-1]})))
    assert together < shuffled / 5


def test_missing_runs_are_left_out_on_both_sides() -> None:
    a, b = draws(9, (1, 4, 3), 0.05, 0.02, 2)
    a[0, 0, 1] = b[0, 3, 0] = np.nan
    gone = np.isnan(a + b)
    found = estimate(rules.GAP, sets_of({"d": a}, {"d": b}))
    difference = np.where(gone, np.nan, a - b)
    assert found.values[0] == pytest.approx(np.nanmean(difference))
    assert half(found) == pytest.approx(T3 * se_over_partitions(difference).se)
    # Without one fold three are left, and without two of them two.
    b[0, 1] = np.nan
    left = np.delete((a - b)[0], 1, axis=0)
    (part,) = estimate(rules.GAP, sets_of({"d": a}, {"d": b})).parts
    assert (part.df, part.folds) == (2, 3)
    assert part.variance[0] == pytest.approx(se_over_partitions(left).se ** 2)


def test_a_fold_whose_only_run_is_left_out_has_no_mean() -> None:
    a, b = draws(10, (1, 4, 1), 0.05, 0.02, 2)
    (part,) = estimate(rules.GAP, sets_of({"d": a}, {"d": b}, out=frozenset({(0, 1, 0)}))).parts
    left = np.delete((a - b)[0], 1, axis=0)
    assert part.df == 2
    assert part.variance[0] == pytest.approx(se_over_partitions(left).se ** 2)


def test_an_sd_has_the_error_that_repeating_everything_shows() -> None:
    many = draws(11, (1, 20, 3), 0.03, 0.02, 300)
    found = [estimate(SD, sets_of({"d": scores})) for scores in many]
    truth = np.std([each.values[0] for each in found], ddof=1)
    said = np.sqrt(np.mean([each.parts[0].variance[0] for each in found]))
    # 300 draws know an sd within 8 % (two standard errors); that of an sd is biased a little.
    assert said == pytest.approx(truth, rel=0.12)


def test_an_sd_has_the_error_of_a_jackknife_over_folds() -> None:
    (scores,) = draws(13, (1, 300, 4), 0.03, 0.02)
    left_out = [np.delete(scores[0], fold, axis=0).std(ddof=1) for fold in range(300)]
    jackknife = 299 / 300 * np.sum((left_out - np.mean(left_out)) ** 2)
    (part,) = estimate(SD, sets_of({"d": scores})).parts
    assert part.variance[0] == pytest.approx(jackknife, rel=0.03)


def test_a_ratio_of_sds_is_as_sure_as_its_jackknife() -> None:
    # The two methods of estimating agree up to terms of the order of 1 / folds.
    a, b = draws(14, (1, 300, 4), 0.03, 0.02, 2)
    ratios = [
        np.delete(b[0], fold, axis=0).std(ddof=1) / np.delete(a[0], fold, axis=0).std(ddof=1)
        for fold in range(300)
    ]
    jackknife = 299 / 300 * np.sum((ratios - np.mean(ratios)) ** 2)
    (part,) = estimate(rules.SD_RATIO, sets_of({"d": a}, {"d": b})).parts
    assert part.variance[0] == pytest.approx(jackknife, rel=0.03)


def test_a_count_of_runs_has_the_error_of_its_shares_by_fold() -> None:
    scores = np.where(np.arange(20).reshape(1, 4, 5) % 7 < 2, -1.0, 0.5)
    found = estimate(NUMBER, sets_of({"d": scores}))
    below = (scores[0] < 0).astype(float)
    assert found.values[0] == pytest.approx(80 * below.mean())
    assert half(found) == pytest.approx(80 * T3 * se_over_partitions(below).se)


def test_values_by_data_set_have_an_interval_each() -> None:
    a, b = ({"d": x, "e": y} for x, y in (draws(15, (1, 4, 3), 0.05, 0.02, 2) for _ in "ab"))
    b = {name: scores[:, ::-1] for name, scores in b.items()}
    found = estimate(rules.GAPS, sets_of(a, b))
    expected = [T3 * se_over_partitions(a[name] - b[name]).se for name in "de"]
    assert found.half() == pytest.approx(expected)


def test_a_fold_alone_has_no_interval() -> None:
    found = estimate(rules.GAP, sets_of(*({"d": x} for x in draws(17, (1, 1, 5), 0.1, 0.1, 2))))
    assert half(found) == np.inf


def test_ends_of_ratios_and_sizes_stay_where_they_can_be() -> None:
    a, b = draws(19, (1, 4, 2), 0.5, 0.1, 2)
    sets = sets_of({"d": np.abs(a) + 0.1}, {"d": np.abs(b) + 0.1})
    ratio = Figure("r", "", "ratio", lambda s: np.mean(s.mean("a")) / np.mean(s.mean("b")))
    found = estimate(ratio, sets)
    low, high = (float(found.end(ratio, sign)[0]) for sign in (-1.0, 1.0))
    assert 0 < low < found.values[0] < high
    assert low * high == pytest.approx(found.values[0] ** 2)
    size = Figure("s", "", "score", lambda s: np.abs(s.mean("a") - s.mean("b")), size=True)
    assert estimate(size, sets).end(size, -1.0) == [0.0]
    exact = Figure("e", "", "score", lambda s: np.mean(s.mean("a")), exact=True)
    assert estimate(exact, sets).end(exact, 1.0) == estimate(exact, sets).values


def on_yacht(a: Array, b: Array, figure: Figure = rules.GAP, bound: float = 0.0) -> Judged:
    """Return the verdict on a claim that a figure of srt_l2 against srt is above a bound."""
    rule = Rule(
        (figure,),
        lambda values: rules.above(values[figure.name], bound),
        least_runs=1,
    )
    claim = Claim("X", "", "", ("srt_l2",), ("srt",), rule, datasets=("yacht",))
    summary = summary_of({("yacht", "srt_l2"): of(a), ("yacht", "srt"): of(b)})
    return judge(claim, SRT.readings[0], Sources.of(SRT, [summary]))


def two_means(gap: float, fold: float, noise: float, seeds: int) -> tuple[Array, Array]:
    """Return scores of two methods whose fold means and spread inside folds are exactly these."""
    steps = np.array([1.0, -1.0, 1.0, -1.0])[:, None] * np.sqrt(3) / 2
    inside = np.resize([1.0, -1.0], seeds) * np.sqrt((seeds - 1) / seeds)
    own = 0.7 + gap + fold * steps + noise * inside
    return own, np.full_like(own, 0.7)


def test_as_many_seeds_decide_as_the_variance_components_say() -> None:
    a, b = two_means(0.02, 0.015, 0.1, 4)
    judged = on_yacht(a, b)
    assert judged.ruling is Ruling.UNDECIDED
    parts = variance_components(a - b)
    expected = seeds_to_decide(0.02, parts.fold, parts.seed, 4, 0.0, rounding=0.0, alpha=0.025)
    assert judged.plan is not None
    assert judged.plan.seeds == expected


def test_as_many_seeds_as_planned_decide_and_one_fewer_does_not() -> None:
    """With so many seeds of the same spread, whose folds vary as much, the claim is decided."""
    a, b = two_means(0.03, 0.03, 0.06, 4)
    components = variance_components(a - b)
    planned = on_yacht(a, b).plan
    assert planned is not None
    assert planned.seeds is not None
    for seeds, ruling in (
        (planned.seeds, Ruling.REPRODUCED),
        (planned.seeds - 1, Ruling.UNDECIDED),
    ):
        # What the folds' means vary by with so many seeds, and the seeds inside them.
        between = np.sqrt(components.fold + components.seed / seeds)
        again = two_means(0.03, between, np.sqrt(components.seed), seeds)
        assert on_yacht(*again).ruling is ruling


@pytest.mark.parametrize("gap", [0.018, 0.02, 0.022, 0.03])
def test_as_many_partitions_as_planned_decide_and_one_fewer_does_not(gap) -> None:
    a, b = two_means(gap, 0.03, 0.01, 4)
    plan = on_yacht(a, b).plan
    assert plan is not None
    assert (plan.seeds, plan.planned_seeds) == (None, True)
    variance = (a - b).mean(axis=1).var(ddof=1) / 4

    def decides(partitions: int) -> bool:
        df = 6 if partitions == 2 else partitions - 1
        return bool(stats.t.ppf(0.975, df) * np.sqrt(variance / partitions) < gap)

    assert plan.partitions == next(n for n in range(2, 100) if decides(n))
    assert plan_text(plan) == f"{plan.partitions} partitions would decide, no number of seeds"


def test_nothing_decides_between_equal_means() -> None:
    plan = on_yacht(*two_means(0.0, 0.03, 0.01, 4)).plan
    assert plan is not None
    assert (plan.seeds, plan.partitions) == (None, None)
    assert plan_text(plan) == "no number of seeds or partitions decides"


def test_with_one_seed_nothing_is_said_of_seeds() -> None:
    a, b = (scores[:, :1] for scores in two_means(0.02, 0.03, 0.0, 2))
    plan = on_yacht(a, b).plan
    assert plan is not None
    assert (plan.seeds, plan.planned_seeds) == (None, False)
    assert plan_text(plan) == f"{plan.partitions} partitions would decide"


def test_with_one_fold_nothing_is_certain_and_no_interval_is_shown() -> None:
    a, b = (scores[:1] for scores in two_means(0.2, 0.0, 0.01, 20))
    judged = on_yacht(a, b)
    assert judged.ruling is Ruling.UNDECIDED
    ((value, low, high),) = judged.shown[0].values
    assert value == pytest.approx(0.2)
    assert np.isnan(low)
    assert np.isnan(high)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    gap=st.floats(-0.05, 0.05),
    fold=st.floats(0.001, 0.05),
    noise=st.floats(0.001, 0.1),
)
def test_a_verdict_stands_exactly_where_the_interval_leaves_out_zero(
    seed, gap, fold, noise
) -> None:
    a, b = (scores[0] for scores in draws(seed, (1, 4, 3), fold, noise, 2))
    judged = on_yacht(a + gap, b)
    difference = (a + gap - b).mean()
    own = variance_components(a + gap - b)
    error = T3 * se_over_partitions(a + gap - b).se
    expected = Ruling.REPRODUCED if difference > 0 else Ruling.CONTRADICTED
    assert judged.ruling is (expected if abs(difference) > error else Ruling.UNDECIDED)
    if judged.plan is not None and judged.plan.seeds is not None:
        decided, short = (
            half_width(judged_fold(a + gap, b, own), sum_of_seeds(a, b), 4, n)
            for n in (judged.plan.seeds, judged.plan.seeds - 1)
        )
        assert decided < abs(difference) * (1 + 1e-6)
        assert short > abs(difference) * (1 - 1e-6)


def sum_of_seeds(a: Array, b: Array) -> float:
    """Return the variance of seeds of a difference: seeds are nested and pair nothing."""
    return variance_components(a).seed + variance_components(b).seed


def judged_fold(a: Array, b: Array, own) -> float:
    return max(0.0, own.means_variance - sum_of_seeds(a, b) / a.shape[1])
