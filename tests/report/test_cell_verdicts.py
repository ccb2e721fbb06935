"""The verdict on a cell: what its runs say of the printed mean."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pages import cell_of, page_of
from parts import FOUR_FOLDS, A, data, method, paper_of, results_of, row, store_of

from boostbench import stats
from boostbench.data.splits import SplitRule
from boostbench.papers import get_paper
from boostbench.papers.design import Design
from boostbench.report.document.listings import what_ran
from boostbench.report.document.main_tables import overview
from boostbench.report.frames.cell import CellVerdict
from boostbench.report.sentences.beside_print import would_decide

AGREES, DIFFERS, UNDECIDED, NOT_COMPARABLE = CellVerdict
PARTITIONS = (0.860, 0.868, 0.855, 0.863, 0.859)
STEADY = [[0.8, 0.801], [0.8, 0.799], [0.801, 0.799], [0.8, 0.8]]


def cell(folder: Path, scores, printed=None, **given) -> Any:
    paper = paper_of(folder, [printed or row()])
    return results_of({("d", "srt"): scores}, replace(paper, **given)).cell("d", "srt")


def partitions(means=PARTITIONS):
    """Return runs of 4 folds x 4 seeds a partition, with a seed component of .0001."""
    off = math.sqrt(0.0001 * 3 / 4)
    return [[[m - off, m + off, m - off, m + off]] * 4 for m in means]


def test_one_partition_takes_the_printed_sd(tmp_path: Path) -> None:
    found = cell(tmp_path, A)
    assert (found.interval_from, found.margin, found.verdict) == (
        "folds",
        0.01,
        UNDECIDED,
    )
    assert (found.low, found.high) == pytest.approx((-0.042617, 0.052617), 1e-4)
    assert found.to_decide == (None, False)
    assert would_decide(found.to_decide) == "no known number of seeds per fold decides"


def with_runs(folder: Path, less: float) -> Any:
    """Return the cell of runs ``A`` beside the same ones of a paper, which have ``less`` each."""
    lines = [
        f"1,d,srt,0/{fold},{seed},{score - less}"
        for fold, scores in enumerate(A)
        for seed, score in enumerate(scores)
    ]
    header = "table,dataset,method,split,seed,score"
    (folder / "runs.csv").write_text("\n".join([header, *lines]))
    return cell(folder, A, row(mean=round(0.805 - less, 3)))


@pytest.mark.parametrize(("less", "verdict"), [(0.001, AGREES), (0.05, DIFFERS), (0.01, UNDECIDED)])
def test_printed_runs_are_compared_run_by_run(tmp_path: Path, less, verdict) -> None:
    found = with_runs(tmp_path, less)
    assert (found.interval_from, found.verdict) == ("runs", verdict)
    # All differences are one number: its interval has the width of the printed digits.
    assert (found.low, found.high) == pytest.approx((less - 0.0005, less + 0.0005), abs=1e-9)


@pytest.mark.parametrize(
    "other",
    ["", "1,d,srt,0/3,9,0.5", "1,d,srt,fold 9,0,0.5"],
    ids=["one of ours is lacking", "a seed more", "a split that is not ours"],
)
def test_printed_runs_that_are_not_ours_are_not_paired(tmp_path: Path, other: str) -> None:
    assert with_runs(tmp_path, 0.001).interval_from == "runs"
    path = tmp_path / "runs.csv"
    every = path.read_text().splitlines()
    path.write_text("\n".join([*every, other] if other else every[:-1]))
    assert cell(tmp_path, A).interval_from == "folds"


def test_printed_runs_of_a_method_at_two_depths_are_not_told_apart(tmp_path: Path) -> None:
    with_runs(tmp_path, 0.001)
    paper = paper_of(tmp_path, [row() | {"depth": 3}, row() | {"depth": 2}])
    assert results_of({("d", "srt"): A}, paper).cell("d", "srt").interval_from == "folds"


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [
        (0.8, AGREES),
        (0.88, DIFFERS),
        (0.72, DIFFERS),
        (0.81, UNDECIDED),
    ],
)
def test_the_verdicts_on_steady_runs(tmp_path: Path, mean, verdict) -> None:
    found = cell(tmp_path, STEADY, row(mean=mean, sd=0.005))
    assert found.verdict == verdict
    assert found.difference == pytest.approx(0.8 - mean)
    assert (found.p_equivalent < 0.05) == (verdict == AGREES)
    assert (found.p_different < 0.05) == (verdict == DIFFERS)
    inside = -found.margin < found.low < found.high < found.margin
    outside = found.low > found.margin or found.high < -found.margin
    assert (inside, outside) == (verdict == AGREES, verdict == DIFFERS)


def test_the_margin_is_a_quarter_of_the_printed_sd(tmp_path: Path) -> None:
    assert cell(tmp_path, A, row(sd=0.08)).margin == pytest.approx(0.02)
    # No scores have such an sd: it is a misprint, which would let any mean pass.
    assert cell(tmp_path, A, row(sd=0.9)).margin == 0.01


def test_several_partitions_need_no_printed_sd(tmp_path: Path) -> None:
    found = cell(tmp_path, partitions(), row(mean=0.864, sd=""))
    assert (found.interval_from, found.verdict) == ("partitions", UNDECIDED)
    assert (found.low, found.high) == pytest.approx((-0.013768, 0.007768), 1e-4)
    assert would_decide(found.to_decide) == "no known number of split seeds decides"
    wide = cell(tmp_path, partitions(), row(mean=0.864, sd=0.08))
    assert (wide.verdict, wide.p_equivalent) == (AGREES, pytest.approx(0.013321, 1e-3))
    planned = cell(tmp_path, partitions(), row(mean=0.864, sd=0.044))
    assert planned.to_decide == (28, True)
    assert would_decide(planned.to_decide) == "28 split seeds would decide"


def test_the_harmonic_mean_of_the_folds_seeds_counts(tmp_path: Path) -> None:
    runs = [[[m], [m + 0.01], [m - 0.01], [m]] for m in PARTITIONS[:3]]
    # 12 / 11.5, as good as one.
    runs[0][0] = [0.859, 0.861]
    found = cell(tmp_path, runs, row(mean=0.864, sd=""))
    error = stats.partition_se(PARTITIONS[:3], 2e-6, 4, 1, 20, 1)
    difference = sum(PARTITIONS[:3]) / 3 - 0.864
    expected = stats.equivalence(difference, error.se, error.df, 0.01, 0.0005)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-6)


def test_two_partitions_are_too_few_and_one_that_lacks_folds_does_not_count(tmp_path: Path) -> None:
    runs = partitions()
    assert cell(tmp_path, runs[:2]).interval_from == "folds"
    torn = [[*runs[0][:3], [None] * 4], *runs[1:]]
    assert cell(tmp_path, [torn[0], *runs[1:3]]).interval_from == "folds"
    found, whole = cell(tmp_path, torn), cell(tmp_path, runs[1:])
    assert (found.interval_from, found.low, found.high) == ("partitions", whole.low, whole.high)


def test_other_rows_take_the_correction_for_new_rows(tmp_path: Path) -> None:
    paper = paper_of(tmp_path, [row()])
    listed = {"d": replace(paper.datasets["d"], cards=("first", "d"))}
    object.__setattr__(paper, "datasets", listed)
    found, same = results_of({("d", "srt"): A}, paper).cell("d", "srt"), cell(tmp_path, A)
    assert found.interval_from == "rows"
    width = (same.high - same.low) / 2 - 0.0005
    assert (found.high - found.low) / 2 == pytest.approx(
        math.sqrt(1 + 4 / 3) * width + 0.0005, rel=0.02
    )


def test_a_partition_that_lacks_folds_decides_nothing(tmp_path: Path) -> None:
    assert cell(tmp_path, STEADY, row(sd=0.003)).verdict == AGREES
    found = cell(tmp_path, [*STEADY[:3], [None, None]], row(sd=0.003))
    assert (found.verdict, found.undecided_reason) == (
        UNDECIDED,
        "3 of 4 folds have a finished run",
    )
    paper = replace(paper_of(tmp_path, [row(sd=0.003)]), design=Design(SHUFFLED, 1))
    few = STEADY[:1]
    for scores, why in ((STEADY, ""), ([few] * 3, ""), (few, "one split says nothing of others")):
        results = results_of({("d", "srt"): scores}, paper, datasets=[data("d", rule=SHUFFLED)])
        assert results.cell("d", "srt").undecided_reason == why


@pytest.mark.parametrize(
    ("printed", "given", "reason"),
    [
        (row(out=44), {}, "55 % of the printed runs are left out"),
        (row(out=9), {}, "11 % of the printed runs are left out"),
        (row(out=8), {}, ""),
        (row(sd=""), {}, "no sd is printed"),
        (row(sd=0.9), {}, "no scores can have the printed sd"),
        (row(), {"design": None}, "the paper does not say how it split the rows"),
        (
            row(),
            {"design": Design(SplitRule("shuffle", 1, 0.25), 1)},
            "the printed mean is over one fold",
        ),
    ],
)
def test_reasons_for_undecided_cells(tmp_path: Path, printed, given, reason) -> None:
    printed = {**printed, "r2_sd": 0.003 if printed["r2_sd"] == 0.03 else printed["r2_sd"]}
    rule = given["design"].split if given.get("design") else FOUR_FOLDS
    paper = replace(paper_of(tmp_path, [printed]), **given)
    results = results_of({("d", "srt"): STEADY}, paper, datasets=[data("d", rule=rule)])
    found = results.cell("d", "srt")
    assert (found.undecided_reason, found.verdict) == (
        reason,
        UNDECIDED if reason else AGREES,
    )


def test_runs_that_the_printed_mean_leaves_out_are_left_out(tmp_path: Path) -> None:
    runs = [[0.8, -5.0], [0.8, 0.801], [0.799, 0.8], [0.8, 0.8]]
    found = cell(tmp_path, runs, row(sd=0.003, out=3))
    assert (found.verdict, found.compared) == (AGREES, pytest.approx(5.6 / 7))
    found = cell(tmp_path, runs, row(sd=0.003))
    assert (found.verdict, found.compared) == (UNDECIDED, pytest.approx(0.6 / 8))


def test_the_number_of_seeds_that_would_decide_is_given(tmp_path: Path) -> None:
    runs = [[0.77, 0.84], [0.78, 0.81], [0.76, 0.83], [0.79, 0.83]]
    found = cell(tmp_path, runs, row(mean=0.802, sd=0.005))
    parts = stats.variance_components(runs)
    theirs = stats.published_se(0.005, 4, 20)
    seeds = stats.seeds_to_decide(
        found.difference, parts.fold, parts.seed, 4, found.margin, other_se=theirs, other_df=3
    )
    assert (found.verdict, found.to_decide) == (UNDECIDED, (seeds, False))
    assert would_decide(found.to_decide) == f"{seeds} seeds per fold would decide"


SHUFFLED = SplitRule("shuffle", 5, 0.25)
LISTED = SplitRule("listed", 5, test_rows="0123456789abcdef")
FIRST_ROWS = SplitRule("given", 1, train_rows=30)


IN_UNITS = {"units": "original"}
SCALED = {"scale_features": "minmax"}


@pytest.mark.parametrize(
    ("theirs", "ours", "reason"),
    [
        (FOUR_FOLDS, FOUR_FOLDS, ""),
        (FOUR_FOLDS, SplitRule("kfold", 10), "10 folds, in the paper 4 folds"),
        (FOUR_FOLDS, SplitRule("stratified", 4), "4 stratified folds, in the paper 4 folds"),
        (SHUFFLED, SHUFFLED, ""),
        # More random splits estimate the same mean.
        (SHUFFLED, SplitRule("shuffle", 50, 0.25), ""),
        (
            SHUFFLED,
            SplitRule("shuffle", 5, 0.1),
            "90 % of the rows for training, 10 % for the test, in the paper 75 % of the rows for "
            "training, 25 % for the test",
        ),
        (
            SplitRule("listed", 5),
            SplitRule("kfold", 5),
            "5 folds, in the paper the authors' own splits",
        ),
        (
            SplitRule("listed", 5),
            LISTED,
            "the test rows of given files, all others for training, in the paper the authors' own "
            "splits, which may be other rows",
        ),
        (LISTED, LISTED, ""),
        (
            SplitRule("given", 1),
            SplitRule("stratified", 4),
            "4 stratified folds, in the paper the authors' own training and test rows",
        ),
        (
            SplitRule("given", 1),
            FIRST_ROWS,
            "the first 30 rows for training, all after row 30 for the test, in the paper the "
            "authors' own training and test rows, which may be other rows",
        ),
        (FIRST_ROWS, FIRST_ROWS, ""),
        (
            FIRST_ROWS,
            SplitRule("kfold", 4),
            "4 folds, in the paper the first 30 rows for training, all after row 30 for the test",
        ),
        (SCALED, {"scale_features": "none"}, "scale_features is none, in the paper minmax"),
        (SCALED, SCALED, ""),
        (IN_UNITS, {"units": "scaled"}, "units is scaled, in the paper original"),
        (IN_UNITS, IN_UNITS, ""),
    ],
)
def test_another_protocol_is_not_comparable(tmp_path: Path, theirs, ours, reason) -> None:
    rules = [FOUR_FOLDS if isinstance(side, dict) else side for side in (theirs, ours)]
    keys = [side if isinstance(side, dict) else {} for side in (theirs, ours)]
    paper = replace(paper_of(tmp_path, [row()]), design=Design(rules[0], 20, **keys[0]))
    datasets = [data("d", rule=rules[1])]
    results = results_of({("d", "srt"): A}, paper, datasets=datasets, **keys[1])
    (found,) = results.only_cells
    assert (found.not_comparable, found.published) == (reason, 0.8)
    assert results.cell("d", "srt").published == (None if reason else 0.8)
    assert (found.verdict == NOT_COMPARABLE) == (found.difference is None) == bool(reason)
    assert found.counts == (not reason)


@pytest.mark.parametrize(
    ("rule", "ours", "shown"),
    [
        (FOUR_FOLDS, {"folds": 4}, {"Setting": "folds", "Here": "4", "Paper": "4"}),
        (
            SplitRule("listed", 5),
            {"folds": 4, "splits": {"n": 3}},
            {"Setting": "splits", "Here": "n = 3", "Paper": "5 splits: the authors' own splits"},
        ),
        (
            SHUFFLED,
            {"folds": 4},
            {
                "Setting": "splits",
                "Here": "",
                "Paper": "5 splits: 75 % of the rows for training, 25 % for the test",
            },
        ),
    ],
)
def test_folds_are_listed_only_of_a_division_into_folds(tmp_path: Path, rule, ours, shown) -> None:
    paper = replace(paper_of(tmp_path, [row()]), design=Design(rule))
    (settings, *_) = what_ran(results_of({("d", "srt"): A}, paper, **{"splits": None, **ours}))
    listed = [
        {title: cells.text for title, cells in zip(("Setting", "Here", "Paper"), line, strict=True)}
        for line in settings.rows
    ]
    assert shown in listed
    names = [line["Setting"] for line in listed]
    assert ("folds" in names) == ("splits" not in ours)


@pytest.mark.parametrize(
    ("splits", "shown"),
    [
        ({"splitter": "a.B", "params": {"k": 3}}, "params = k = 3, splitter = a.B"),
        ({"splitter": "my:Halves", "params": {}}, "splitter = my:Halves"),
        ({"splitter": None, "params": {}, "n": 7}, "n = 7, test_size = 0.25"),
    ],
)
def test_settings_have_the_keys_of_splits_that_are_used(splits, shown) -> None:
    defaults = {"n": 5, "test_size": 0.25}
    settings, *_ = what_ran(results_of({("d", "srt"): A}, splits={**defaults, **splits}))
    assert ["splits", shown] in [[cell.text for cell in line] for line in settings.rows]


def test_more_printed_partitions_make_a_narrower_interval(tmp_path: Path) -> None:
    designs = [Design(FOUR_FOLDS, 20, partitions=n) for n in (1, 10)]
    for scores, way in ((A, "folds"), (partitions(), "partitions")):
        one, ten = (cell(tmp_path, scores, design=design) for design in designs)
        assert one.interval_from == ten.interval_from == way
        assert ten.high - ten.low < one.high - one.low


def test_changed_parameters_are_not_comparable(tmp_path: Path) -> None:
    paper = paper_of(tmp_path, [row()])
    changed = method("srt", changed={"max_iter": 0, "mu": [1, 2]})
    results = results_of({("d", "srt"): A}, paper, methods=[changed])
    found = results.cell("d", "srt")
    assert found.not_comparable == "max_iter = 0, mu = chosen is not the registered method's"
    assert (found.verdict, found.low, found.primary) == (NOT_COMPARABLE, None, False)
    said = f"Not comparable with the printed values: {found.not_comparable}."
    assert said in overview(results).legend
    assert "Not comparable" not in overview(results_of({("d", "srt"): A}, paper)).legend


def test_what_is_not_comparable_is_printed_for_programs_only() -> None:
    cells = {("yacht", name): A for name in ("srt", "orrt_trained")}
    of_srt, of_another = (cell_of(store_of(cells), *key) for key in cells)
    assert of_another["published_r2"] == "0.645"
    assert of_another["not_comparable"].startswith("it is trained with mu = 1 and without bounds")
    assert (of_another["verdict"], of_another["meant"]) == (NOT_COMPARABLE, "no")
    assert (of_srt["not_comparable"], of_srt["meant"]) == ("", "yes")
    page = page_of(store_of(cells))
    whole = page.section("Measured beside printed")
    assert "0.805 ≠ (0.990) | 0.805 |" in whole
    assert "values of orrt_trained: it is trained with mu = 1 and without bounds" in whole
    assert "0.645" not in page.text
    # Where such a run counts in print, it is left out of the printed method's mean alone.
    fails = [[*fold[:2], -0.5] for fold in A]
    both = {("yacht", name): fails for name in ("orrt", "orrt_trained")}
    printed, other = (cell_of(store_of(both), *key) for key in both)
    assert printed["compared_r2"] != printed["r2_mean"]
    assert other["compared_r2"] == other["r2_mean"] == printed["r2_mean"]


def test_each_printed_cell_counts_once_by_the_reading_that_is_meant() -> None:
    names = (
        "srt_best5",
        "srt",
        "srt_l2_literal",
        "orrt_trained",
        "orrt",
        "random_forest",
        "random_forest_r",
    )
    cells = {("yacht", name): [[0.9], [0.9], [0.91], [0.9]] for name in names}
    results = results_of(cells, get_paper("srt"))
    # Only another reading of SRT-l2's column is run, and nothing counts.
    assert [cell.method for cell in results.counted_cells] == ["srt", "orrt", "random_forest_r"]
    # Without a finished run the next reading counts in its place.
    cells["yacht", "random_forest_r"] = [[None]] * 4
    results = results_of(cells, get_paper("srt"))
    assert [cell.method for cell in results.counted_cells] == ["srt", "orrt", "random_forest"]


def test_the_first_entry_that_is_the_registered_method_counts() -> None:
    methods = [method("short", "srt", {"max_iter": 0}), method("full", "srt"), method("b", "srt")]
    cells = {("yacht", m.label): [[0.9], [0.9]] for m in methods}
    results = results_of(cells, get_paper("srt"), methods=methods)
    assert [cell.counts for cell in results.only_cells] == [False, True, False]
