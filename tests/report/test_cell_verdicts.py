"""The statistical verdict on a cell, beside the simple rule that it never stands for."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from summary_parts import FOUR_FOLDS, A, data, method, paper_of, row, summary_of

from boostbench import stats
from boostbench.data.splits import SplitRule
from boostbench.papers import get_paper
from boostbench.papers.design import Design
from boostbench.papers.metrics import Verdict
from boostbench.report.cells import Cell

EQUIVALENT, DIFFERENT = stats.Verdict.EQUIVALENT, stats.Verdict.DIFFERENT
INCONCLUSIVE = stats.Verdict.INCONCLUSIVE
PARTITIONS = (0.860, 0.868, 0.855, 0.863, 0.859)


def cell(folder: Path, scores, printed=None, **given) -> Cell:
    paper = paper_of(folder, [printed or row()])
    return summary_of({("d", "srt"): scores}, replace(paper, **given)).cell("d", "srt")


def partitions(means=PARTITIONS):
    """Return runs of 4 folds x 4 seeds a partition, with a seed component of .0001."""
    off = math.sqrt(0.0001 * 3 / 4)
    return [[[m - off, m + off, m - off, m + off]] * 4 for m in means]


def test_one_partition_takes_the_published_sd(tmp_path: Path) -> None:
    found = cell(tmp_path, A).evidence
    assert (found.way, found.margin) == ("folds", 0.01)
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.042617, 0.052617), 1e-4)
    seeds_only = found.seeds_only
    assert (seeds_only.low, seeds_only.high) == pytest.approx((-0.035271, 0.045271), 1e-4)
    assert found.verdict is found.verdict_seeds_only is INCONCLUSIVE
    assert found.plan == "no number of seeds decides; 3 or more split seeds may"


@pytest.mark.parametrize(
    ("mean", "verdict", "simple"),
    [(0.9, EQUIVALENT, Verdict.WITHIN), (0.98, DIFFERENT, Verdict.BELOW),
     (0.91, INCONCLUSIVE, Verdict.WITHIN)],
)  # fmt: skip
def test_the_two_verdicts_on_steady_runs(tmp_path: Path, mean, verdict, simple) -> None:
    steady = [[0.9, 0.901], [0.9, 0.899], [0.901, 0.899], [0.9, 0.9]]
    found = cell(tmp_path, steady, row(mean=mean, sd=0.005))
    assert (found.evidence.verdict, found.verdict) == (verdict, simple)


def test_the_margin_is_a_quarter_of_the_published_sd(tmp_path: Path) -> None:
    assert cell(tmp_path, A, row(sd=0.08)).evidence.margin == pytest.approx(0.02)


def test_several_partitions_need_no_published_sd(tmp_path: Path) -> None:
    found = cell(tmp_path, partitions(), row(mean=0.864, sd="")).evidence
    assert found.way == "partitions"
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.013768, 0.007768), 1e-4)
    assert (found.verdict, found.seeds_only) == (INCONCLUSIVE, None)
    assert found.plan.startswith("no number of runs decides: that takes a margin of 0.0")
    wide = cell(tmp_path, partitions(), row(mean=0.864, sd=0.08)).evidence
    assert wide.verdict is EQUIVALENT
    assert wide.interval.p_equivalent == pytest.approx(0.013321, 1e-3)
    planned = cell(tmp_path, partitions(), row(mean=0.864, sd=0.044)).evidence
    assert (planned.partitions, planned.plan) == (28, "28 split seeds would decide")


def test_two_partitions_are_too_few(tmp_path: Path) -> None:
    assert cell(tmp_path, partitions()[:2]).evidence.way == "folds"


def test_other_rows_take_the_correction_for_new_rows(tmp_path: Path) -> None:
    paper = paper_of(tmp_path, [row()])
    listed = {"d": replace(paper.datasets["d"], cards=("first", "d"))}
    object.__setattr__(paper, "datasets", listed)
    found = summary_of({("d", "srt"): A}, paper).cell("d", "srt").evidence
    assert found.way == "rows"
    wider = math.sqrt(1 + 4 / 3)
    same = cell(tmp_path, A).evidence.interval
    width = (same.high - same.low) / 2 - 0.0005
    assert (found.interval.high - found.interval.low) / 2 == pytest.approx(
        wider * width + 0.0005, rel=0.02
    )


def test_a_partition_that_lacks_folds_decides_nothing(tmp_path: Path) -> None:
    steady = [[0.8, 0.801], [0.8, 0.799], [0.801, 0.799], [0.8, 0.8]]
    assert cell(tmp_path, steady, row(sd=0.003)).evidence.verdict is EQUIVALENT
    found = cell(tmp_path, [*steady[:3], [None, None]], row(sd=0.003)).evidence
    assert (found.verdict, found.verdict_seeds_only) == (INCONCLUSIVE, INCONCLUSIVE)
    assert found.reason == "3 of 4 folds have a finished run"
    shuffled = Design(SplitRule("shuffle", 5, 0.25), 1)
    paper = replace(paper_of(tmp_path, [row(sd=0.003)]), design=shuffled)
    for scores, reason in (
        (steady, ""), (steady[:1], "one split says nothing of others"),
    ):  # fmt: skip
        summary = summary_of({("d", "srt"): scores}, paper, datasets=[data("d", rule=SHUFFLED)])
        assert summary.cell("d", "srt").evidence.reason == reason


@pytest.mark.parametrize(
    ("printed", "given", "reason"),
    [
        (row(out=44), {}, "55 % of the published runs are left out"),
        (row(out=8), {}, ""),
        (row(sd=""), {}, "no sd is printed"),
        (row(sd=0.9), {}, "no scores can have the printed sd"),
        (row(), {"design": None}, "the paper does not say how it split the rows"),
    ],
)
def test_what_makes_every_interval_inconclusive(tmp_path: Path, printed, given, reason) -> None:
    steady = [[0.8, 0.801], [0.8, 0.799], [0.801, 0.799], [0.8, 0.8]]
    printed = {**printed, "r2_sd": 0.003 if printed["r2_sd"] == 0.03 else printed["r2_sd"]}
    found = cell(tmp_path, steady, printed, **given).evidence
    assert (found.reason, found.verdict) == (reason, INCONCLUSIVE if reason else EQUIVALENT)


def test_runs_that_the_published_mean_leaves_out_are_left_out(tmp_path: Path) -> None:
    runs = [[0.8, -5.0], [0.8, 0.801], [0.799, 0.8], [0.8, 0.8]]
    found = cell(tmp_path, runs, row(sd=0.003, out=3)).evidence
    assert found.verdict is EQUIVALENT
    assert cell(tmp_path, runs, row(sd=0.003)).evidence.verdict is INCONCLUSIVE


def test_the_number_of_seeds_is_the_least_that_decides(tmp_path: Path) -> None:
    runs = [[0.77, 0.84], [0.78, 0.81], [0.76, 0.83], [0.79, 0.83]]
    found = cell(tmp_path, runs, row(mean=0.802, sd=0.005)).evidence
    parts = stats.variance_components(runs)
    theirs = stats.StandardError(stats.published_se(0.005, 4, 20), 3.0)

    def decided(seeds: int) -> bool:
        own = stats.StandardError(math.sqrt((parts.fold + parts.seed / seeds) / 4), 3.0)
        error = stats.difference_se(own, theirs)
        verdict = stats.equivalence(found.difference, error.se, error.df, found.margin).verdict
        return verdict is not INCONCLUSIVE

    assert found.verdict is INCONCLUSIVE
    assert found.seeds == next(s for s in range(1, 1000) if decided(s))
    assert found.plan == f"{found.seeds} seeds per fold would decide"


def test_rounding_is_that_of_the_printed_decimals(tmp_path: Path) -> None:
    cells = paper_of(tmp_path, [row(mean="2.46"), row("e", mean="2.460")]).cells[:2]
    assert [cell.mean for cell in cells] == [2.46, 2.46]
    assert [cell.rounding for cell in cells] == [0.005, 0.0005]
    # Final zeros are left out in this paper's tables.
    assert {cell.rounding for cell in get_paper("srt").cells} == {0.0005}


OTHER = SplitRule("kfold", 10)
SHUFFLED = SplitRule("shuffle", 5, 0.25)


@pytest.mark.parametrize(
    ("theirs", "ours", "reason"),
    [
        (FOUR_FOLDS, FOUR_FOLDS, ""),
        (FOUR_FOLDS, OTHER, "10 folds, in the paper 4 folds"),
        (FOUR_FOLDS, SplitRule("stratified", 4), "4 stratified folds, in the paper 4 folds"),
        (SHUFFLED, SHUFFLED, ""),
        # More random splits estimate the same mean.
        (SHUFFLED, SplitRule("shuffle", 50, 0.25), ""),
        (SHUFFLED, SplitRule("shuffle", 5, 0.1),
         "90 % of the rows for training, 10 % for the test, in the paper 75 % of the rows for "
         "training, 25 % for the test"),
        (SHUFFLED, SplitRule("given", 5, train_per_class=100),
         "100 rows per class for training, all others for the test, in the paper 75 % of the rows "
         "for training, 25 % for the test"),
    ],
)  # fmt: skip
def test_another_protocol_is_not_comparable(tmp_path: Path, theirs, ours, reason) -> None:
    paper = replace(paper_of(tmp_path, [row()]), design=Design(theirs, 20))
    summary = summary_of({("d", "srt"): A}, paper, datasets=[data("d", rule=ours)])
    found = summary.cell("d", "srt")
    assert found.not_comparable == reason
    assert found.published is not None
    assert (found.verdict is Verdict.NONE) == (found.evidence is None) == bool(reason)
    assert (found.difference is None) == bool(reason)


def test_other_scaling_is_not_comparable(tmp_path: Path) -> None:
    design = Design(FOUR_FOLDS, 20, scale_features="minmax")
    paper = replace(paper_of(tmp_path, [row()]), design=design)
    for given, reason in (("minmax", ""), ("none", "scale_features is none, in the paper minmax")):
        summary = summary_of({("d", "srt"): A}, paper, scale_features=given)
        assert summary.cell("d", "srt").not_comparable == reason


def test_errors_in_another_unit_are_not_comparable(tmp_path: Path) -> None:
    paper = replace(paper_of(tmp_path, [row()]), design=Design(FOUR_FOLDS, 20, units="original"))
    for given, reason in (("original", ""), ("scaled", "units is scaled, in the paper original")):
        summary = summary_of({("d", "srt"): A}, paper, units=given)
        assert summary.cell("d", "srt").not_comparable == reason


def test_more_published_partitions_make_a_narrower_interval(tmp_path: Path) -> None:
    designs = [Design(FOUR_FOLDS, 20, partitions=n) for n in (1, 10)]
    by_sd = [cell(tmp_path, A, design=design).evidence for design in designs]
    assert [found.way for found in by_sd] == ["folds", "folds"]
    by_partitions = [cell(tmp_path, partitions(), design=design).evidence for design in designs]
    assert [found.way for found in by_partitions] == ["partitions", "partitions"]
    for one, ten in (by_sd, by_partitions):
        assert ten.interval.high - ten.interval.low < one.interval.high - one.interval.low


def test_changed_parameters_are_not_comparable(tmp_path: Path) -> None:
    paper = paper_of(tmp_path, [row()])
    summary = summary_of({("d", "srt"): A}, paper, methods=[method("srt", changed={"max_iter": 0})])
    found = summary.cell("d", "srt")
    assert found.not_comparable == "max_iter = 0 is not the registered method's"
    assert (found.verdict, found.evidence, found.meant) == (Verdict.NONE, None, False)


def test_a_depth_of_which_nothing_is_printed_has_no_verdict() -> None:
    deep = replace(method("srt"), depth=4)
    found = summary_of({("yacht", "srt"): A}, get_paper("srt"), methods=[deep]).cell("yacht", "srt")
    assert (found.published, found.verdict, found.evidence) == (None, Verdict.NONE, None)
