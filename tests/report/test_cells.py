"""The numbers of a report: cells, averages and verdicts, against values worked out by hand."""

import statistics

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pages import cell_of, csv_of, page_of
from report_parts import ok

from boostbench.papers import get_paper
from boostbench.store.types import Outcome

BESIDE = "Measured beside published"
ALL_OF_THEM = list(get_paper("srt").datasets)


def averages(store, method: str) -> dict[str, dict[str, str]]:
    """Return the rows of averages of a method in ``table.csv`` by their label."""
    rows = (row for row in csv_of(store) if row["row"] != "cell" and row["method"] == method)
    return {row["row"]: row for row in rows}


# Of housing 0.809 with an sd of .083 is published for SRT, of yacht 0.990 with .0049.
@pytest.mark.parametrize(
    ("dataset", "r2", "verdict", "tolerance"),
    [
        ("housing", 0.809, "within", 0.083),
        ("housing", 0.892, "within", 0.083),
        ("housing", 0.893, "above", 0.083),
        ("housing", 0.726, "within", 0.083),
        ("housing", 0.725, "below", 0.083),
        ("yacht", 0.980, "within", 0.01),
        ("yacht", 1.0, "within", 0.01),
        ("yacht", 0.9799, "below", 0.01),
    ],
)
def test_verdicts_allow_one_published_sd_but_at_least_a_hundredth(
    make_store, dataset, r2, verdict, tolerance
) -> None:
    cell = cell_of(make_store({(dataset, "srt"): [r2]}), dataset, "srt")
    assert (cell["verdict"], float(cell["tolerance"])) == (verdict, tolerance)


@settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.floats(-1e3, 1.0), min_size=2, max_size=8))
def test_cells_agree_with_the_statistics_module(make_store, values: list[float]) -> None:
    cell = cell_of(make_store({("mine", "own"): [ok(value) for value in values]}), "mine", "own")
    kept = [value for value in values if value >= 0]
    assert cell["finished"] == cell["planned"] == str(len(values))
    assert float(cell["r2_mean"]) == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert float(cell["r2_sd"]) == pytest.approx(statistics.stdev(values), abs=1e-12)
    assert float(cell["r2_median"]) == pytest.approx(statistics.median(values))
    assert cell["negative_runs"] == str(len(values) - len(kept))
    without = cell["r2_mean_without_negative"]
    assert (float(without) if without else None) == (
        pytest.approx(statistics.fmean(kept)) if kept else None
    )


def test_one_run_has_no_sd(make_store) -> None:
    cell = cell_of(make_store({("yacht", "srt"): [0.99]}), "yacht", "srt")
    assert (cell["r2_mean"], cell["r2_sd"]) == ("0.99", "")


def test_an_r2_of_zero_is_not_negative(make_store) -> None:
    cell = cell_of(make_store({("yacht", "srt"): [0.0, 0.5, -0.001]}), "yacht", "srt")
    assert (cell["negative_runs"], cell["r2_mean_without_negative"]) == ("1", "0.25")


def test_negative_runs_are_left_out_only_where_the_paper_counts_them(make_store, cells) -> None:
    store = make_store(cells)
    orrt, srt = cell_of(store, "yacht", "orrt"), cell_of(store, "housing", "srt")
    assert (orrt["compared_r2"], orrt["verdict"]) == ("0.64", "within")
    assert float(orrt["r2_mean"]) == pytest.approx(-1.18)
    assert float(srt["compared_r2"]) == pytest.approx(-14.1)
    assert (srt["r2_mean_without_negative"], srt["verdict"]) == ("0.8", "below")


def test_every_state_is_counted_with_its_reason(make_store, cells) -> None:
    store = make_store(cells)
    orrt = cell_of(store, "housing", "orrt")
    assert (orrt["planned"], orrt["finished"], orrt["r2_mean"]) == ("2", "0", "")
    assert orrt["missing"] == "1 error: singular | matrix; 1 killed: by SIGKILL"
    assert cell_of(store, "housing", "orrt_trained")["missing"] == "2 pending"
    l2 = cell_of(store, "housing", "srt_l2")
    assert (l2["finished"], l2["missing"]) == ("1", "1 timeout: over the limit of 10 s")


def test_a_run_that_is_ok_without_r2_counts_as_failed(make_store) -> None:
    store = make_store({("yacht", "srt"): [0.9, Outcome("ok", metrics={"mse": 1.0})]})
    cell = cell_of(store, "yacht", "srt")
    assert (cell["finished"], cell["missing"]) == ("1", "1 error: the run recorded no test R²")


def test_averages_cover_the_same_data_sets_on_both_sides(make_store) -> None:
    store = make_store(
        {("yacht", "srt"): [0.9], ("housing", "srt"): [0.7], ("kin8nm", "srt"): [None],
         ("kin8nm", "own"): [0.5]}
    )  # fmt: skip
    rows = averages(store, "srt")
    mean, geometric = rows["Arithmetic mean"], rows["Geometric mean"]
    assert (mean["finished"], mean["planned"]) == ("2", "3")
    assert float(mean["compared_r2"]) == pytest.approx(0.8)
    assert float(mean["published_r2"]) == pytest.approx((0.99 + 0.809) / 2)
    assert float(mean["published_sd"]) == pytest.approx((0.0049 + 0.083) / 2)
    assert float(mean["published_time_s"]) == pytest.approx((5.1 + 7.2) / 2)
    assert float(mean["difference"]) == pytest.approx(0.8 - (0.99 + 0.809) / 2)
    assert mean["verdict"] == "below"
    assert float(geometric["compared_r2"]) == pytest.approx((0.9 * 0.7) ** 0.5)
    assert float(geometric["published_r2"]) == pytest.approx((0.99 * 0.809) ** 0.5)
    assert geometric["published_negative_runs"] == ""
    page = page_of(store)
    assert page.row(BESIDE, Data_set="Arithmetic mean")["srt"] == "0.800 ▼ (0.899) [2/3]"
    assert page.row("srt, beside Table 2", Data_set="Arithmetic mean")["Runs"] == "2 of 3 sets"


def test_over_all_data_sets_the_printed_average_is_used(make_store) -> None:
    store = make_store({(name, "srt_l2_best5"): [0.861] for name in ALL_OF_THEM})
    mean = averages(store, "srt_l2_best5")["Arithmetic mean"]
    assert (mean["published_r2"], mean["published_time_s"]) == ("0.861", "57.9")
    assert mean["verdict"] == "within"


def test_data_sets_of_ones_own_have_averages_apart(make_store) -> None:
    rows = averages(make_store({(n, "srt"): [0.9] for n in ("yacht", "housing", "mine")}), "srt")
    assert list(rows) == [
        "Arithmetic mean, the paper's data sets",
        "Geometric mean, the paper's data sets",
        "Arithmetic mean, all data sets",
        "Geometric mean, all data sets",
    ]
    assert [row["planned"] for row in rows.values()] == ["2", "2", "3", "3"]
    assert [bool(row["published_r2"]) for row in rows.values()] == [True, True, False, False]


def test_without_a_paper_averages_are_over_all_data_sets(make_store) -> None:
    store = make_store({(n, "own"): [0.9] for n in ("a", "b")}, paper=None)
    assert list(averages(store, "own")) == ["Arithmetic mean", "Geometric mean"]
    assert averages(make_store({("a", "own"): [0.9]}, paper=None), "own") == {}


def test_a_geometric_mean_of_negative_cells_says_whose_fault_it_is(make_store, cells) -> None:
    row = page_of(make_store(cells)).row(BESIDE, Data_set="Geometric mean")
    assert row["srt"] == "– [housing is not positive; 0.888 without R² < 0]"


@settings(
    deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.floats(0.01, 10), min_size=2, max_size=5))
def test_geometric_mean_is_at_most_the_arithmetic(make_store, values: list[float]) -> None:
    cells = {(f"d{n}", "own"): [value] for n, value in enumerate(values)}
    rows = averages(make_store(cells, paper=None), "own")
    low, high = (float(rows[f"{kind} mean"]["compared_r2"]) for kind in ("Geometric", "Arithmetic"))
    assert low <= high * (1 + 1e-12)


def test_depth_chooses_the_table(make_store) -> None:
    cell = cell_of(make_store({("yacht", "srt"): [0.9]}, depth=2), "yacht", "srt")
    assert (cell["published_table"], cell["published_r2"]) == ("C.4", "0.987")
    cell = cell_of(make_store({("yacht", "srt"): [0.9]}, depth=5), "yacht", "srt")
    assert (cell["published_table"], cell["published_r2"]) == ("", "")


def test_the_experiments_table_chooses_among_those_that_print_a_column(make_store) -> None:
    # Table F.8 prints other means of SRT than Table 2, of four data sets.
    cells = {("airfoil", "srt"): [0.9], ("housing", "srt"): [0.9], ("airfoil", "orrt"): [0.9]}
    store = make_store(cells, table="F.8")
    assert cell_of(store, "airfoil", "srt")["published_r2"] == "0.855"
    assert cell_of(store, "airfoil", "srt")["published_table"] == "F.8"
    assert cell_of(store, "housing", "srt")["published_r2"] == ""
    assert cell_of(make_store(cells, table="2"), "airfoil", "srt")["published_r2"] == "0.816"


def test_a_label_stands_beside_the_column_of_its_registered_method(make_store) -> None:
    entries = [
        {"name": "renamed", "method": "srt", "params": {}},
        {"name": "srt_l2", "estimator": "mine:Tree", "params": {}},
    ]
    store = make_store({("yacht", "renamed"): [0.9], ("yacht", "srt_l2"): [0.9]}, methods=entries)
    assert cell_of(store, "yacht", "renamed")["published_r2"] == "0.99"
    assert cell_of(store, "yacht", "srt_l2")["published_r2"] == ""


def test_without_a_paper_the_best_of_each_data_set_is_marked(make_store) -> None:
    cells = {
        ("a", "x"): [0.9, 0.7], ("a", "y"): [0.8004, 0.7996], ("a", "z"): [0.1, 0.2],
        ("b", "x"): [0.5, 0.5], ("b", "y"): [0.6, 0.6], ("b", "z"): [None, None],
    }  # fmt: skip
    page = page_of(make_store(cells, paper=None))
    assert page.column("Test R²", "x")[:2] == ["0.800 ± 0.1414 *", "0.500 ± 0 ~"]
    assert page.column("Test R²", "y")[:2] == ["0.800 ± 0.0006 *", "0.600 ± 0 *"]
    assert page.column("Test R²", "z")[:2] == ["0.150 ± 0.0707 ~", "– [2 pending]"]
    assert page.facts()["Highest mean test R²"] == "y (x: a; y: a, b)"
    assert "the highest mean of the data set" in page.section("Test R²")


def test_all_measured_values_of_a_method_are_in_its_table(make_store) -> None:
    run = Outcome(
        "ok",
        metrics={"r2": 0.5, "train_r2": 0.75, "objective": 0.125, "n_iter": 12},
        times={"fit_s": 0.25, "choose_s": 2.0},
    )
    page = page_of(make_store({("yacht", "own"): [run, run, None]}))
    assert page.row("own", Data_set="yacht") == {
        "Data set": "yacht", "Runs": "2/3", "R²": "0.500", "sd": "0", "Median": "0.500",
        "R² < 0": "0", "Training R²": "0.750 ± 0", "Objective": "0.1250", "Iterations": "12",
        "Time, s": "0.250 ± 0", "Choice, s": "2.00 ± 0",
    }  # fmt: skip


def test_what_is_published_is_compared_in_a_methods_table(make_store) -> None:
    cells = {("yacht", "orrt"): [0.7, -3.0], ("mine", "orrt"): [0.5, 0.5]}
    page = page_of(make_store(cells))
    title = "orrt, beside Table 2"
    assert page.row(title, Data_set="yacht") == {
        "Data set": "yacht", "Runs": "2/2", "R²": "−1.150", "sd": "2.6163", "Median": "−1.150",
        "R² < 0": "1", "R² without": "0.700", "Time, s": "0.500 ± 0",
        "Published: R²": "0.645", "Published: sd": "0.0560", "Published: R² < 0": "21",
        "Published: Time, s": "3.60", "Measured": "0.700",
        "Difference": "+0.055", "Tolerance": "0.0560",
        "By tolerance": "within tolerance ✓", "90 % interval": "unbounded", "Margin": "0.0140",
        "Verdict": "inconclusive ?", "If folds were alike": "inconclusive ?",
        "What would decide": "26 % of the published runs are left out",
    }  # fmt: skip
    assert page.row(title, Data_set="mine")["By tolerance"] == "not published"


def test_scores_and_times_have_a_group_per_method(make_store) -> None:
    cells = {("yacht", m): [ok(0.5, 2.0), ok(0.7, 4.0)] for m in "abcde"}
    page = page_of(make_store(cells, paper=None))
    titles = [heading for heading in page.headings() if heading.startswith("Measured: ")]
    assert titles == ["Measured: a, b, c, d", "Measured: e"]
    assert page.rows("Measured: e") == [
        {"Data set": "yacht", "R² ± sd": "0.600 ± 0.1414", "Time, s": "3.00", "R² < 0": "0"}
    ]


def test_what_the_paper_prints_of_other_methods_is_listed(make_store) -> None:
    title = "Published of methods that are not run here"
    cells = {("airfoil", "srt"): [0.9], ("mine", "srt"): [0.9], ("airfoil", "random_forest"): [0.8]}
    assert page_of(make_store(cells)).rows(title) == [
        {"Data set": "airfoil", "srt_l2, Table 2": "0.807 ± 0.0214",
         "ort_l, Table 2": "0.842 ± 0.0130", "orrt, Table 2": "0.513 ± 0.0180"},
        {"Data set": "mine", "srt_l2, Table 2": "", "ort_l, Table 2": "", "orrt, Table 2": ""},
    ]  # fmt: skip
    chosen = page_of(make_store(cells, table="D.6"))
    assert list(chosen.rows(title)[0]) == [
        "Data set", "srt_l2, Table D.6", "ort_l, Table D.6", "ort_l_grid, Table D.6",
    ]  # fmt: skip
    assert title not in page_of(make_store({("mine", "srt"): [0.9]})).headings()


@pytest.mark.parametrize(
    ("seconds", "expected"), [(999.9, "× 1,000"), (1110.4, "× 1,110"), (999.4, "× 999")]
)
def test_large_ratios_are_written_out(make_store, seconds, expected) -> None:
    cells = {("yacht", "srt_l2"): [ok(0.9, 1.0)], ("yacht", "orrt"): [ok(0.6, seconds)]}
    row = page_of(make_store(cells)).row("Claims and verdicts", Id="S-RR-5")
    assert row["Measured"].startswith(f"time of orrt to that of srt_l2, mean {expected}")


def test_what_is_one_in_print_counts_once_from_the_store_to_the_page(make_store) -> None:
    cells = {(name, "srt"): [0.93, 0.94] for name in ("friedman", "friedman1", "yacht")}
    store = make_store(cells)
    assert cell_of(store, "friedman1", "srt")["same_published_as"] == "friedman"
    assert cell_of(store, "friedman1", "srt")["published_r2"] == "0.937"
    page = page_of(store)
    assert " of 2 (" in page.facts()["Published cells"]
    assert "not counted: friedman1 (published as friedman)" in page.facts()["Published cells"]
    row = page.row("Verdicts by method", Method="srt")
    assert row["? inconclusive"] == "2"


def test_another_protocol_has_no_verdict_on_the_page(make_store) -> None:
    store = make_store({("yacht", "srt"): [0.99, 0.99]}, scale_features="none")
    cell = cell_of(store, "yacht", "srt")
    assert (cell["verdict"], cell["statistical_verdict"], cell["difference"]) == ("", "", "")
    assert cell["not_comparable"] == "scale_features is none, in the paper minmax"
    page = page_of(store)
    assert page.row(BESIDE, Data_set="yacht")["srt"] == "0.990 (0.990) [not comparable]"
    assert page.facts()["Published cells"] == (
        "none comparable (scale_features is none, in the paper minmax)"
    )


def test_one_run_of_many_is_called_nothing_like_reproduced(make_store) -> None:
    store = make_store({("yacht", "srt"): [0.99, *[None] * 19]})
    cell = cell_of(store, "yacht", "srt")
    assert (cell["verdict"], cell["statistical_verdict"]) == ("within", "inconclusive")
    assert (cell["interval_low"], cell["interval_high"]) == ("", "")
    assert cell["inconclusive_because"] == "1 of 4 folds have a finished run"
    page = page_of(store)
    assert page.row(BESIDE, Data_set="yacht")["srt"] == "0.990 ✓? (0.990) [1/20]"
    assert page.facts()["Published cells"].startswith("equivalent 0, different 0, inconclusive 1 ")
