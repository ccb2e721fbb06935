"""Each verdict on a claim, from runs made by hand: what is enough of them, and what decides."""

import numpy as np
import pytest
from claim_parts import SRT, Runs, judged_as, ledger_of, of, spread, summary_of, verdict_on

from boostbench.papers.claim import Ruling
from boostbench.papers.metrics import R2
from boostbench.report.claimtable import note, plan_text, rows_of, shown
from boostbench.report.ledger import Judged

NAMES = list(SRT.datasets)
UP, DOWN = (1.0, -1.0, 1.0, -1.0), (-1.0, 1.0, -1.0, 1.0)
HIGHER, WINS, SD, TIMES = "S-RR-1", "S-RR-7", "S-RR-2", "S-RR-5"
"""29 % higher than ORRT; higher on 14 of 15; three times the sd; seven times the time; D = 3."""


def two(left: Runs, right: Runs, names=NAMES, methods=("srt_l2", "orrt")) -> dict:
    """Return the cells of two methods that have the same runs on every data set."""
    return {
        (name, method): own
        for name in names
        for method, own in zip(methods, (left, right), strict=True)
    }


def noisy(mean: float, by: float, signs=UP) -> Runs:
    return spread(mean, between=[sign * by for sign in signs])


def first(judged: Judged) -> str:
    return shown(judged.shown[0], judged, R2)


# The bands are those of the claim's row: 20 to 40 %, above 0, the rest.
@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (0.50 * 1.29, Ruling.REPRODUCED),
        (0.50 * 1.2001, Ruling.REPRODUCED),
        (0.50 * 1.19, Ruling.DIRECTION),
        (0.50 * 1.41, Ruling.DIRECTION),
        (0.50 * 1.001, Ruling.DIRECTION),
        (0.50 * 0.999, Ruling.CONTRADICTED),
        (0.50, Ruling.CONTRADICTED),
    ],
)
def test_a_claim_is_judged_by_its_bands(left, expected) -> None:
    judged = judged_as(HIGHER, two(spread(left), spread(0.5)))
    assert (judged.ruling, judged.why) == (expected, "")
    assert (judged.runs, judged.depths, len(judged.datasets)) == (1200, [3], 15)


def test_the_interval_decides_whether_a_verdict_stands() -> None:
    right = noisy(0.5, 0.01, DOWN)
    sure = judged_as(HIGHER, two(noisy(0.65, 0.01), right))
    assert sure.ruling is Ruling.REPRODUCED
    # The same noise, and a difference that is inside it: above 0, and below.
    for mean in (0.501, 0.499):
        open_ = judged_as(HIGHER, two(noisy(mean, 0.01), right))
        assert open_.ruling is Ruling.UNDECIDED
        ((value, low, high),) = open_.shown[0].values
        assert low < 0 < high
        assert low < value < high


def test_reproduced_or_only_the_direction_is_a_matter_of_the_figure_itself() -> None:
    # 20.5 % is in the band, its interval reaches to the direction, and not to what contradicts.
    judged = judged_as(HIGHER, two(noisy(0.6025, 0.01), noisy(0.5, 0.01, DOWN)))
    ((_, low, high),) = judged.shown[0].values
    assert 0 < low < 20 < high
    assert judged.ruling is Ruling.REPRODUCED


@pytest.mark.parametrize(
    ("claim", "orrt", "figure"),
    [
        (HIGHER, spread(0.9), "mean higher by 0.0 %"),
        (WINS, spread(0.9), "higher on 0 of 1"),
        (SD, spread(0.8, 0.0101), "sd of orrt to srt_l2's × 1.01"),
        (TIMES, spread(0.8, fit_s=0.74), "time of orrt to srt_l2's × 0.74"),
    ],
)
def test_one_data_set_of_fifteen_is_no_verdict(claim, orrt, figure) -> None:
    l2 = spread(0.9 - 1e-5 if claim in (HIGHER, WINS) else 0.9)
    judged = judged_as(claim, two(l2, orrt, ["lpga2009"]))
    assert (judged.ruling, judged.why) == (Ruling.NOT_JUDGED, "1 of 15 data sets")
    assert first(judged).replace(" [0, 0]", "").startswith(figure)


@pytest.mark.parametrize(
    ("claim", "orrt", "expected"),
    [
        (HIGHER, spread(0.9), Ruling.CONTRADICTED),
        (WINS, spread(0.9), Ruling.CONTRADICTED),
        (SD, spread(0.8, 0.0101), Ruling.DIRECTION),
        (SD, spread(0.8, 0.0099), Ruling.CONTRADICTED),
        (TIMES, spread(0.8, fit_s=0.74), Ruling.CONTRADICTED),
        (TIMES, spread(0.8, fit_s=1.01), Ruling.DIRECTION),
        (TIMES, spread(0.8, fit_s=3.6), Ruling.REPRODUCED),
    ],
)
def test_a_claim_holds_in_its_own_size_or_is_not_reproduced(claim, orrt, expected) -> None:
    l2 = spread(0.9 - 1e-5 if claim in (HIGHER, WINS) else 0.9)
    assert judged_as(claim, two(l2, orrt)).ruling is expected


@pytest.mark.parametrize(("names", "judged"), [(NAMES[:7], False), (NAMES[:8], True)])
def test_half_of_the_data_sets_are_needed(names, judged) -> None:
    found = judged_as(HIGHER, two(spread(0.65), spread(0.5), names))
    assert (found.ruling is Ruling.REPRODUCED) is judged
    assert found.why == ("" if judged else "7 of 15 data sets")
    assert found.missing == [name for name in NAMES if name not in names]


@pytest.mark.parametrize(
    ("folds", "seeds", "why"), [(1, 1, "15 paired runs of at least 20"), (2, 1, "")]
)
def test_twenty_runs_that_both_have_are_needed(folds, seeds, why) -> None:
    own = [spread(mean, folds=folds, seeds=seeds) for mean in (0.65, 0.5)]
    judged = judged_as(HIGHER, two(*own))
    assert judged.why == why
    assert (judged.ruling is Ruling.NOT_JUDGED) is bool(why)


def test_runs_that_only_one_side_has_are_not_counted_as_paired() -> None:
    # 30 runs each; 15 of them both.
    l2 = of([[0.65, 0.66, np.nan]])
    orrt = of([[np.nan, 0.5, 0.51]])
    judged = judged_as(HIGHER, two(l2, orrt))
    assert judged.why == "15 paired runs of at least 20"


def test_claims_on_what_was_not_run_are_not_judged() -> None:
    pair = two(spread(0.65), spread(0.5))
    assert judged_as("S-OL-1", pair).why == "ort_l is not measured"
    assert judged_as("S-T3-1", pair, 2).why == "ort_l is not measured"
    for depth in (2, 4):
        judged = judged_as(HIGHER, pair, depth)
        assert (judged.ruling, judged.why) == (Ruling.NOT_JUDGED, "no trees of depth 3")
        assert not judged.shown
    elsewhere = {("yacht", "srt_l2"): spread(0.6), ("housing", "orrt"): spread(0.5)}
    assert judged_as(HIGHER, elsewhere).why.startswith("its methods have no finished run in common")


def test_nothing_of_depth_four_counts_for_or_against_anything() -> None:
    ledger = ledger_of(summary_of(two(spread(0.65), spread(0.5)), 4))
    assert {entry.judged.ruling for entry in ledger.entries} <= {
        Ruling.NOT_JUDGED,
        Ruling.NOT_COMPARABLE,
    }


def test_a_claim_on_two_depths_says_which_one_it_was_judged_at() -> None:
    pair = two(spread(0.65), spread(0.5))
    one = judged_as("S-CON-2", pair)
    assert (one.depths, one.why) == ([3], "at depth 3 only")
    worse = two(spread(0.45), spread(0.5))
    both = verdict_on("S-CON-2", summary_of(pair, 3), summary_of(worse, 2))
    # In favour at one depth and against at the other.
    assert (both.depths, both.why, both.ruling) == ([2, 3], "", Ruling.CONTRADICTED)


def test_what_compares_depths_needs_both() -> None:
    cells = {}
    for place, method in enumerate(("srt_l2", "srt", "ort_l", "orrt")):
        cells |= {(name, method): spread(0.9 - place / 10) for name in NAMES}
    assert judged_as("S-C-2", cells).why == "needs trees of depth 2 and 3"
    assert judged_as("S-G-2", two(spread(0.8), spread(0.7), methods=("srt_l2", "random_forest")),
                     2).why == "needs trees of depth 3"  # fmt: skip
    both = [summary_of(cells, depth) for depth in (2, 3)]
    assert verdict_on("S-C-2", *both).ruling is Ruling.REPRODUCED
    # ORRT second at depth 2: SRT-l2 is first at both. And then ORRT first.
    for mean, expected in ((0.85, Ruling.DIRECTION), (0.95, Ruling.CONTRADICTED)):
        other = {**cells, **{(name, "orrt"): spread(mean) for name in NAMES}}
        judged = verdict_on("S-C-2", summary_of(other, 2), both[1])
        assert judged.ruling is expected


def test_a_data_set_under_two_labels_counts_once() -> None:
    # The other one has more runs, and another gain: the first that is planned counts.
    more = two(spread(0.75, seeds=25), spread(0.5, seeds=25), ["friedman1"])
    judged = judged_as(HIGHER, {**two(spread(0.65), spread(0.5), ["friedman"]), **more})
    assert (list(judged.datasets), judged.runs, judged.why) == (
        ["friedman"], 80, "1 of 15 data sets",
    )  # fmt: skip
    assert judged.shown[0].values[0][0] == pytest.approx(30.0)


def test_a_changed_method_does_not_play_the_papers() -> None:
    cells = two(spread(0.65), spread(0.5))
    weak = {(name, "weak"): spread(0.1, method="srt_l2", params={"max_iter": 0}) for name in NAMES}
    orrt = {key: runs for key, runs in cells.items() if key[1] == "orrt"}
    judged = judged_as(HIGHER, {**weak, **orrt})
    assert judged.ruling is Ruling.NOT_COMPARABLE
    assert judged.why == "srt_l2 is run with max_iter = 0"
    # Beside the method as registered it changes nothing, though it is the first one planned.
    assert judged_as(HIGHER, {**weak, **cells}) == judged_as(HIGHER, cells)


def test_another_division_of_the_rows_is_not_comparable() -> None:
    cells = two(spread(0.65), spread(0.5))
    ten = summary_of(cells, of_folds=10)
    judged = verdict_on(HIGHER, ten)
    assert (judged.ruling, judged.measured) == (Ruling.NOT_COMPARABLE, False)
    assert judged.why == "10 folds, in the paper 4 folds"
    unscaled = verdict_on(HIGHER, summary_of(cells, scale_target="none"))
    assert unscaled.why == "scale_target is none, in the paper standard"
    # Beside an experiment that divides them as the paper does it changes nothing.
    assert verdict_on(HIGHER, ten, summary_of(cells)) == judged_as(HIGHER, cells)


def test_means_are_of_the_runs_that_both_sides_have() -> None:
    # The left side lacks the fold on which both are bad.
    left = np.full((4, 5), 0.6)
    right = np.full((4, 5), 0.5)
    left[3], right[3] = 0.1, 0.1
    all_ = judged_as(HIGHER, two(of(left), of(right)))
    assert all_.shown[0].values[0][0] == pytest.approx(100 * (0.475 / 0.4 - 1))
    left[3] = np.nan
    some = judged_as(HIGHER, two(of(left), of(right)))
    assert some.shown[0].values[0][0] == pytest.approx(20.0)
    assert some.runs == 15 * 15


def test_runs_below_zero_are_left_out_of_orrts_mean_as_in_the_paper() -> None:
    judged = judged_as(HIGHER, two(spread(0.65), spread(0.5, exploded=8)))
    assert judged.shown[0].values[0][0] == pytest.approx(30.0)
    # They count where the paper counts them: at least 3 of 80, on average more than 14.
    for exploded, expected in ((16, Ruling.REPRODUCED), (4, Ruling.DIRECTION)):
        cells = {(name, "orrt"): spread(0.5, exploded=exploded) for name in NAMES}
        often = judged_as("S-RR-3", cells)
        assert (often.ruling, often.shown[0].values[0][0]) == (expected, exploded)
    assert judged_as("S-RR-3", {(n, "orrt"): spread(0.5) for n in NAMES}).ruling is (
        Ruling.CONTRADICTED
    )
    # SRT-l2 has none in print: one that it has counts in its mean.
    one = spread(0.65, exploded=8)
    assert judged_as(HIGHER, two(one, spread(0.5))).shown[0].values[0][0] == pytest.approx(
        100 * ((0.65 * 72 - 8) / 80 / 0.5 - 1)
    )


def test_claims_on_named_data_sets_need_them() -> None:
    forest = ("srt_l2", "random_forest")
    judged = judged_as("S-G-7", two(spread(0.88), spread(0.8), ["kin8nm"], forest))
    assert (judged.ruling, judged.why) == (Ruling.NOT_JUDGED, "needs elevators")
    both = two(spread(0.88), spread(0.8), ["kin8nm", "elevators"], forest)
    assert judged_as("S-G-7", both).ruling is Ruling.REPRODUCED


def test_unknown_times_are_no_verdict() -> None:
    judged = judged_as(TIMES, two(spread(0.65), spread(0.5, fit_s=None)))
    assert judged.ruling is Ruling.NOT_JUDGED
    assert judged.why.startswith("time of the other to its own")
    assert judged.why.endswith("not known of all runs")
    assert first(judged) == "time of orrt to srt_l2's –"
    # Nor are those from which nothing finite follows.
    none = judged_as("S-RR-10", two(spread(0.65, fit_s=0.0), spread(0.5), ["kin8nm", "yacht"]))
    assert (none.ruling, none.why.endswith("not known of all runs")) == (Ruling.NOT_JUDGED, True)


def test_between_the_bands_a_claim_is_undecided_whatever_the_noise() -> None:
    # 14 or 15 of 15, 11 to 13, fewer than 8: nine are neither.
    cells = {
        **two(spread(0.6), spread(0.5), NAMES[:9]),
        **two(spread(0.4), spread(0.5), NAMES[9:]),
    }
    judged = judged_as(WINS, cells)
    assert judged.ruling is Ruling.UNDECIDED
    assert judged.plan is not None
    assert plan_text(judged.plan) == "between the bands"


def test_the_figure_that_leaves_a_verdict_open_is_the_one_shown() -> None:
    """S-ABS-1: the accuracy is certain; which of the sds is larger is not."""
    signs = np.array([1.0, -1.0, 0.0, 0.0])
    l2 = spread(0.65, 0.01, between=0.02 * signs)
    ledger = ledger_of(summary_of(two(l2, spread(0.4, 0.0176))))
    (entry,) = (entry for entry in ledger.entries if entry.claim.id == "S-ABS-1")
    assert entry.judged.ruling is Ruling.UNDECIDED
    assert rows_of([entry], R2)[0][2].startswith("sd of orrt to srt_l2's × 1.0")
    # Where nothing is open it is the first one.
    pair = two(l2, spread(0.4, 0.05))
    sure = verdict_on("S-ABS-1", summary_of(pair, 2), summary_of(pair, 3))
    assert sure.ruling is not Ruling.UNDECIDED
    assert sure.decisive == 0


def test_a_sentence_on_two_depths_is_not_reproduced_at_one_of_them() -> None:
    pair = two(spread(0.65), spread(0.5, fit_s=3.0))
    one = judged_as("S-CON-2", pair)
    assert one.ruling is Ruling.UNDECIDED
    assert one.why.endswith(" at depth 3 only")
    assert one.plan is None
    both = verdict_on("S-CON-2", summary_of(pair, 2), summary_of(pair, 3))
    assert both.ruling is not Ruling.UNDECIDED
    assert one.why.startswith(both.ruling.value)
    # What contradicts it at one depth does so whatever the other one says.
    worse = judged_as("S-CON-2", two(spread(0.45), spread(0.5)))
    assert (worse.ruling, worse.why) == (Ruling.CONTRADICTED, "at depth 3 only")


def test_an_interval_that_leaves_the_band_is_said() -> None:
    right = noisy(0.5, 0.01, DOWN)
    near = judged_as(HIGHER, two(noisy(0.6025, 0.01), right))
    assert near.ruling is Ruling.REPRODUCED
    assert near.why == "the interval reaches into direction only"
    assert judged_as(HIGHER, two(noisy(0.65, 0.01), right)).why == ""


def test_a_count_shows_how_many_are_decided_either_way() -> None:
    noisy_pair = two(noisy(0.501, 0.01), noisy(0.5, 0.01, DOWN), NAMES[12:])
    judged = judged_as(WINS, {**two(spread(0.6), spread(0.5), NAMES[:12]), **noisy_pair})
    assert judged.shown[0].values == [(15.0, 12.0, 15.0)]
    assert first(judged) == "higher on 15 [12, 15] of 15"
    # Twelve decided ones are enough for the direction, and so is what the fifteen say.
    assert judged.ruling is Ruling.REPRODUCED


def test_large_percentages_are_written_out() -> None:
    judged = judged_as(HIGHER, two(spread(0.85), spread(0.05)))
    assert first(judged).startswith("mean higher by 1,600 % [")
    assert judged.ruling is Ruling.DIRECTION


def test_what_no_run_can_show_is_not_comparable_or_not_judged() -> None:
    ledger = ledger_of(summary_of(two(spread(0.65), spread(0.5))))
    by_id = {entry.claim.id: entry.judged for entry in ledger.entries}
    for name, judged in by_id.items():
        if judged.claim.rule is None:
            assert judged.ruling in (Ruling.NOT_JUDGED, Ruling.NOT_COMPARABLE), name
            assert judged.why
            assert not judged.why.startswith("not comparable")
    assert Ruling.NOT_COMPARABLE in {judged.ruling for judged in by_id.values()}
    counts = ledger.counts()
    assert sum(counts.values()) == len(SRT.claims) == 185


def test_a_method_without_a_depth_counts_wherever_it_was_run() -> None:
    trees = summary_of(two(spread(0.65), spread(0.5)), 2)
    forest = summary_of({(name, "random_forest"): spread(0.8) for name in NAMES}, 3)
    assert verdict_on("S-V-G9-random_forest-R2", trees, forest).runs == 1200
    assert verdict_on("S-V-G9-random_forest-R2", forest, trees).runs == 1200


def test_other_readings_are_judged_beside_the_papers() -> None:
    cells = two(spread(0.65), spread(0.5))
    cells |= {(name, "orrt_trained"): spread(0.7) for name in NAMES}
    ledger = ledger_of(summary_of(cells))
    (entry,) = (entry for entry in ledger.entries if entry.claim.id == HIGHER)
    (other,) = entry.others
    assert (other.reading.title, other.ruling) == ("ORRT trained", Ruling.CONTRADICTED)
    assert entry.judged.ruling is Ruling.REPRODUCED
    assert note(entry) == "1,200 runs; ORRT trained: ✗"


def test_methods_of_two_experiments_are_paired_where_rows_and_folds_are_the_same() -> None:
    left = summary_of({(name, "srt_l2"): spread(0.65) for name in NAMES})
    right = summary_of({(name, "orrt"): spread(0.5) for name in NAMES})
    judged = verdict_on(HIGHER, left, right)
    assert (judged.ruling, judged.runs) == (Ruling.REPRODUCED, 1200)
    other_folds = summary_of({(n, "orrt"): spread(0.5, folds=5) for n in NAMES}, folds=5)
    assert verdict_on(HIGHER, left, other_folds).ruling not in (
        Ruling.REPRODUCED,
        Ruling.UNDECIDED,
    )


def test_more_partitions_of_the_same_rows_are_paired_by_partition() -> None:
    """Four partitions in which both move together leave no doubt about the difference."""
    moves = np.array([0.05, -0.05, 0.02, -0.02])[:, None, None]
    l2, orrt = (np.full((4, 4, 2), mean) + moves for mean in (0.65, 0.5))
    judged = judged_as(HIGHER, two(of(l2), of(orrt)))
    assert (judged.ruling, judged.runs) == (Ruling.REPRODUCED, 15 * 32)
    ((value, low, high),) = judged.shown[0].values
    assert value == pytest.approx(30.0)
    # Only the ratio of the means moves, not their difference.
    assert high - low < 3.0
    loose = judged_as(HIGHER, two(of(l2), of(orrt[::-1])))
    ((_, low, high),) = loose.shown[0].values
    assert high - low > 6.0
