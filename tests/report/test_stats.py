import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_parts import ok, trial

from boostbench.report.frame import DatasetInfo, MethodInfo, Results, load_results, runs_frame
from boostbench.report.stats import Cell, Summary, Verdict, average, summarise, verdict
from boostbench.store.types import Outcome


def summary_of(store) -> Summary:
    return summarise(load_results(store))


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (0.0, Verdict.REPRODUCED),
        (0.01, Verdict.REPRODUCED),
        (-0.01, Verdict.REPRODUCED),
        (0.564 - 0.554, Verdict.REPRODUCED),
        (0.0101, Verdict.ABOVE),
        (-0.0101, Verdict.BELOW),
        (None, Verdict.NONE),
    ],
)
def test_verdict(difference: float | None, expected: Verdict) -> None:
    assert verdict(difference, 0.01) is expected


def test_tolerance_is_the_published_sd_but_at_least_a_hundredth(make_store) -> None:
    summary = summary_of(make_store({("housing", "srt"): [0.8], ("yacht", "srt"): [0.98]}))
    assert summary.cell("housing", "srt").tolerance == 0.083
    assert summary.cell("yacht", "srt").tolerance == 0.01


@settings(deadline=None)
@given(st.lists(st.floats(-1e3, 1.0), min_size=2, max_size=8))
def test_cells_agree_with_the_statistics_module(values: list[float]) -> None:
    plan = [trial("yacht", "srt", seed) for seed in range(len(values))]
    runs = runs_frame(plan, {item.key: ok(r2) for item, r2 in zip(plan, values, strict=True)})
    methods = [MethodInfo("srt", "srt", "", "1", {}, 3)]
    results = Results(runs, [DatasetInfo("yacht", "", "")], methods, {}, None)
    cell = summarise(results).cell("yacht", "srt")
    kept = [value for value in values if value >= 0]
    assert cell.finished == cell.planned == len(values)
    assert cell.r2_mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert cell.r2_sd == pytest.approx(statistics.stdev(values), abs=1e-12)
    assert cell.r2_median == pytest.approx(statistics.median(values))
    assert cell.negative == len(values) - len(kept)
    assert cell.kept_mean == (pytest.approx(statistics.fmean(kept)) if kept else None)


def test_one_run_has_no_sd(make_store) -> None:
    cell = summary_of(make_store({("yacht", "srt"): [0.99]})).cell("yacht", "srt")
    assert (cell.r2_mean, cell.r2_sd) == (0.99, None)


def test_negative_runs_are_left_out_only_where_the_paper_counts_them(make_store, cells) -> None:
    summary = summary_of(make_store(cells))
    orrt, srt = summary.cell("yacht", "orrt"), summary.cell("housing", "srt")
    assert orrt.leaves_out_negative
    assert (orrt.compared, orrt.verdict) == (0.64, Verdict.REPRODUCED)
    assert orrt.r2_mean == pytest.approx(-1.18)
    assert not srt.leaves_out_negative
    assert srt.compared == pytest.approx(-14.1)
    assert srt.kept_mean == 0.8
    assert srt.verdict is Verdict.BELOW


def test_every_state_is_counted_with_its_reason(make_store, cells) -> None:
    summary = summary_of(make_store(cells))
    cell = summary.cell("housing", "orrt")
    assert (cell.planned, cell.finished, cell.r2_mean) == (2, 0, None)
    assert list(cell.reasons) == [("error", "singular | matrix", 1), ("killed", "by SIGKILL", 1)]
    assert list(summary.cell("housing", "orrt_trained").reasons) == [("pending", "", 2)]
    assert list(summary.cell("housing", "srt_l2").reasons) == [
        ("timeout", "over the limit of 10 s", 1)
    ]
    assert summary.cell("housing", "srt_l2").finished == 1


def test_a_run_that_is_ok_without_r2_counts_as_failed(make_store) -> None:
    store = make_store({("yacht", "srt"): [0.9, Outcome("ok", metrics={"mse": 1.0})]})
    cell = summary_of(store).cell("yacht", "srt")
    assert (cell.finished, list(cell.reasons)) == (1, [("error", "the run recorded no R2", 1)])


def test_averages_cover_the_same_data_sets_on_both_sides(make_store) -> None:
    store = make_store(
        {("yacht", "srt"): [0.9], ("housing", "srt"): [0.7], ("kin8nm", "srt"): [None]}
    )
    arithmetic, geometric = summary_of(store).rows
    mean = arithmetic.averages["srt"]
    assert (mean.used, mean.of) == (2, 3)
    assert mean.r2 == pytest.approx(0.8)
    assert mean.published_r2 == pytest.approx((0.99 + 0.809) / 2)
    assert geometric.averages["srt"].r2 == pytest.approx((0.9 * 0.7) ** 0.5)


def test_over_all_data_sets_the_printed_average_is_used(make_store) -> None:
    from boostbench.papers import published_datasets

    store = make_store({(name, "srt_l2_best5"): [0.861] for name in published_datasets("srt")})
    mean = summary_of(store).rows[0].averages["srt_l2_best5"]
    assert (mean.published_r2, mean.published_time) == (0.861, 57.9)
    assert mean.verdict is Verdict.REPRODUCED


def test_data_sets_of_ones_own_have_averages_apart(make_store) -> None:
    names = ("yacht", "housing", "mine")
    rows = summary_of(make_store({(name, "srt"): [0.9] for name in names})).rows
    assert [row.label for row in rows] == [
        "Arithmetic mean, the paper's data sets",
        "Geometric mean, the paper's data sets",
        "Arithmetic mean, all data sets",
        "Geometric mean, all data sets",
    ]
    assert rows[2].averages["srt"].published_r2 is None


def test_a_geometric_mean_of_negative_cells_says_whose_fault_it_is(make_store, cells) -> None:
    geometric = summary_of(make_store(cells)).rows[1].averages["srt"]
    assert (geometric.r2, geometric.problem) == (None, "housing is not positive")


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=9))
def test_geometric_mean_is_at_most_the_arithmetic(values: list[float]) -> None:
    low, high = average("geometric", values), average("arithmetic", values)
    assert low is not None
    assert high is not None
    assert low <= high * (1 + 1e-12)


def test_published_as_of_a_card_is_the_row_beside_which_it_stands(make_store) -> None:
    summary = summary_of(make_store({("friedman1", "srt"): [0.937]}))
    printed = summary.cell("friedman1", "srt").published
    assert printed is not None
    assert (printed.dataset, printed.r2_mean) == ("friedman", 0.937)


def test_depth_chooses_the_table(make_store) -> None:
    printed = (
        summary_of(make_store({("yacht", "srt"): [0.9]}, depth=2)).cell("yacht", "srt").published
    )
    assert printed is not None
    assert (printed.table, printed.r2_mean) == ("C.4", 0.987)
    assert (
        summary_of(make_store({("yacht", "srt"): [0.9]}, depth=5)).cell("yacht", "srt").published
        is None
    )


def test_a_label_stands_beside_the_column_of_its_registered_method(make_store) -> None:
    entries = [
        {"name": "renamed", "method": "srt", "params": {}},
        {"name": "srt_l2", "estimator": "mine:Tree", "params": {}},
    ]
    store = make_store({("yacht", "renamed"): [0.9], ("yacht", "srt_l2"): [0.9]}, methods=entries)
    summary = summary_of(store)
    assert summary.cell("yacht", "renamed").published is not None
    assert summary.cell("yacht", "srt_l2").published is None


def test_without_a_paper_nothing_is_compared(make_store) -> None:
    summary = summary_of(make_store({("yacht", "srt"): [0.9]}, paper=None))
    assert summary.cell("yacht", "srt").published is None
    assert not summary.compares
    assert summary.cell("yacht", "nothing") == Cell("yacht", "nothing", planned=0)
