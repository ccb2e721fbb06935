"""The numbers of a report, from a store to its files, against values worked out by hand."""

import io
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pages import cell_of, csv_of, files_of, page_of
from parts import ok, results_of, store_of

from boostbench.papers import get_paper
from boostbench.report.document.main_tables import overview
from boostbench.report.frames.results import collect
from boostbench.report.sentences.beside_print import would_decide

BESIDE = "Measured beside printed"
ALL_OF_THEM = list(get_paper("srt").datasets)


def averages(store, method: str) -> dict[str, dict[str, str]]:
    """Return the rows of averages of a method in ``table.csv`` by their label."""
    rows = (row for row in csv_of(store) if row["row"] != "cell" and row["method"] == method)
    return {row["row"]: row for row in rows}


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(-1e3, 1.0), min_size=2, max_size=8))
def test_cells_agree_with_the_statistics_module(values: list[float]) -> None:
    cell = collect(store_of({("mine", "own"): [ok(value) for value in values]})).cells[0]
    kept = [value for value in values if value >= 0]
    assert cell.finished == cell.planned == len(values)
    assert cell.mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert cell.sd == pytest.approx(statistics.stdev(values), abs=1e-12)
    assert cell.median == statistics.median(values)
    assert cell.exploded == len(values) - len(kept)
    assert cell.compared == cell.mean
    mean = statistics.fmean(kept) if kept else None
    sd = statistics.stdev(kept) if kept[1:] else None
    assert cell.kept_mean == (mean if mean is None else pytest.approx(mean, abs=1e-12))
    assert cell.kept_sd == (sd if sd is None else pytest.approx(sd, abs=1e-12))


def test_the_csv_file_has_the_cells(cells) -> None:
    store = store_of(cells)
    made = collect(store).cells
    content = files_of(store, "csv")["table.csv"]
    read = pd.read_csv(io.BytesIO(content), keep_default_na=False)
    texts = pd.read_csv(io.BytesIO(content), keep_default_na=False, dtype=str)
    assert list(read.row) == [cell.row if cell.average else "cell" for cell in made]
    for name in ("dataset", "method", "planned", "finished"):
        assert list(read[name]) == [getattr(cell, name) for cell in made], name
    assert list(read.to_decide) == [would_decide(cell.to_decide) for cell in made]
    assert list(read.verdict) == [cell.verdict or "" for cell in made]
    numbers = {
        "r2_mean": "mean",
        "r2_sd": "sd",
        "r2_median": "median",
        "negative_runs": "exploded",
        "r2_mean_without_negative": "kept_mean",
        "margin": "margin",
        "published_r2": "published",
        "compared_r2": "compared",
        "difference": "difference",
        "interval_low": "low",
        "interval_high": "high",
        "p_different": "p_different",
    }
    for name, own in numbers.items():
        found = [float(text or "nan") for text in texts[name]]
        expected = np.array([getattr(cell, own) for cell in made], dtype=float)
        # Equal to the last bit.
        np.testing.assert_array_equal(found, expected, name)
    seconds = [float(text or "nan") for text in texts.fit_s_mean]
    expected = np.array([cell.fit_s.mean for cell in made], dtype=float)
    np.testing.assert_array_equal(seconds, expected)
    assert list(read.meant) == [
        {True: "yes", False: "no"}[cell.primary]
        if cell.published is not None and not cell.average
        else ""
        for cell in made
    ]


def test_negative_runs_are_left_out_only_where_the_paper_counts_them(cells) -> None:
    results = collect(store_of(cells))
    orrt, srt = results.cell("yacht", "orrt"), results.cell("housing", "srt")
    assert (orrt.compared, orrt.leaves_out, orrt.mean) == (0.64, True, pytest.approx(-1.18))
    assert (srt.compared, srt.leaves_out, srt.kept_mean) == (pytest.approx(-14.1), False, 0.8)
    beside = [results.beside_print(*of) for of in (("yacht", "orrt"), ("housing", "srt"))]
    assert list(map(len, beside)) == [1, 2]


def test_every_state_is_counted_with_its_reason(cells) -> None:
    rows = {row["method"]: row for row in csv_of(store_of(cells)) if row["dataset"] == "housing"}
    orrt, l2 = rows["orrt"], rows["srt_l2"]
    assert (orrt["planned"], orrt["finished"], orrt["r2_mean"]) == ("2", "0", "")
    assert orrt["missing"] == "1 error: singular | matrix; 1 killed: by SIGKILL"
    assert rows["orrt_trained"]["missing"] == "2 pending"
    assert (l2["finished"], l2["missing"]) == ("1", "1 timeout: over the limit of 10 s")


def test_a_mean_that_lacks_whole_folds_says_so_and_others_count_their_runs() -> None:
    folds = [[0.8, 0.8], [0.7, 0.7], [0.7, 0.7], [0.7, 0.7]]
    without_a_fold = [[0.8, None], [None, None], *folds[2:]]
    without_a_run = [[0.8, None], *folds[1:]]
    cells = {("d", "a"): without_a_fold, ("d", "b"): without_a_run, ("d", "c"): folds}
    (row,) = overview(results_of(cells)).rows
    assert [item.note for item in row[1:]] == ["3 of 4 folds", "7/8", ""]
    partitions = {("d", "a"): [folds, without_a_fold], ("d", "b"): [folds, folds]}
    (row,) = overview(results_of(partitions)).rows
    assert [item.note for item in row[1:]] == ["7 of 8 folds", ""]


def test_averages_cover_the_same_data_sets_on_both_sides() -> None:
    store = store_of(
        {
            ("yacht", "srt"): [0.9],
            ("housing", "srt"): [0.7],
            ("kin8nm", "srt"): [None],
            ("kin8nm", "own"): [0.5],
        }
    )
    rows = averages(store, "srt")
    mean, geometric = rows["Arithmetic mean"], rows["Geometric mean"]
    assert (mean["finished"], mean["planned"]) == ("2", "3")
    for name, value in (
        ("compared_r2", 0.8),
        ("published_r2", (0.99 + 0.809) / 2),
        ("published_sd", (0.0049 + 0.083) / 2),
        ("published_time_s", (5.1 + 7.2) / 2),
        ("difference", 0.8 - (0.99 + 0.809) / 2),
    ):
        assert float(mean[name]) == pytest.approx(value), name
    assert float(geometric["compared_r2"]) == pytest.approx((0.9 * 0.7) ** 0.5)
    assert float(geometric["published_r2"]) == pytest.approx((0.99 * 0.809) ** 0.5)
    assert (geometric["published_negative_runs"], mean["verdict"]) == ("", "")
    page = page_of(store)
    assert page.row(BESIDE, Data_set="Arithmetic mean")["srt"] == "0.800 (0.899) [2/3]"
    assert page.row("srt, beside Table 2", Data_set="Arithmetic mean")["Runs"] == "2 of 3 sets"


def test_over_all_data_sets_the_printed_average_is_used() -> None:
    store = store_of({(name, "srt_l2_best5"): [0.861] for name in ALL_OF_THEM})
    mean = averages(store, "srt_l2_best5")["Arithmetic mean"]
    assert (mean["published_r2"], mean["published_time_s"]) == ("0.861", "57.9")


def test_data_sets_of_ones_own_have_averages_apart() -> None:
    rows = averages(store_of({(n, "srt"): [0.9] for n in ("yacht", "housing", "mine")}), "srt")
    assert list(rows) == [
        "Arithmetic mean, the paper's data sets",
        "Geometric mean, the paper's data sets",
        "Arithmetic mean, all data sets",
        "Geometric mean, all data sets",
    ]
    assert [row["planned"] for row in rows.values()] == ["2", "2", "3", "3"]
    assert [bool(row["published_r2"]) for row in rows.values()] == [True, True, False, False]


def test_a_geometric_mean_of_negative_cells_says_whose_fault_it_is(cells) -> None:
    row = page_of(store_of(cells)).row(BESIDE, Data_set="Geometric mean")
    assert row["srt"] == "– [housing is not positive]"


@pytest.mark.parametrize(
    ("given", "label", "table", "published"),
    [
        ({"depth": 2}, "srt", "C.4", "0.987"),
        ({"depth": 5}, "srt", "", ""),
        # Table F.8 prints another mean of SRT than Table 2.
        ({"table": "F.8"}, "srt", "F.8", "0.994"),
        ({"table": "2"}, "srt", "2", "0.99"),
        ({"methods": [{"name": "renamed", "method": "srt", "params": {}}]}, "renamed", "2", "0.99"),
        ({"methods": [{"name": "srt_l2", "estimator": "mine:Tree", "params": {}}]},
         "srt_l2", "", ""),
    ],
)  # fmt: skip
def test_the_printed_column_is_that_of_depth_table_and_registered_method(
    given, label: str, table: str, published: str
) -> None:
    cell = cell_of(store_of({("yacht", label): [0.9]}, **given), "yacht", label)
    assert (cell["published_table"], cell["published_r2"]) == (table, published)


def test_a_methods_table_compares_printed_values() -> None:
    cells = {("yacht", "orrt"): [0.7, -3.0], ("mine", "orrt"): [0.5, 0.5]}
    page = page_of(store_of(cells))
    title = "orrt, beside Table 2"
    assert page.row(title, Data_set="yacht") == {
        "Data set": "yacht",
        "Runs": "2/2",
        "R²": "−1.150",
        "sd": "2.6163",
        "R² < 0": "1",
        "Time, s": "0.500",
        "Printed: R²": "0.645",
        "Printed: sd": "0.0560",
        "Printed: R² < 0": "21",
        "Printed: Time, s": "3.60",
        "Difference": "+0.055",
        "Margin": "0.0140",
        "Verdict": "undecided ?",
        "Why, or what would decide": "26 % of the printed runs are left out",
    }
    assert page.row(title, Data_set="mine")["Verdict"] == ""


def test_data_sets_published_as_one_count_once() -> None:
    cells = {(name, "srt"): [0.93, 0.94] for name in ("friedman", "friedman1", "yacht")}
    store = store_of(cells)
    assert cell_of(store, "friedman1", "srt")["same_published_as"] == "friedman"
    assert cell_of(store, "friedman1", "srt")["published_r2"] == "0.937"
    results = collect(store)
    assert [cell.counts for cell in results.only_cells] == [True, False, True]
    mean = results.cell("Arithmetic mean", "srt")
    assert (mean.finished, mean.planned) == (2, 2)
    assert mean.published == pytest.approx((0.937 + 0.990) / 2)
    note = "friedman1 is published as the same data as friedman: only the first is averaged"
    assert note in page_of(store).section(BESIDE)


def test_the_frame_of_cells_has_the_fields_of_cells_and_one_type_each() -> None:
    some = results_of({("d", "a"): [[0.5, 0.7]], ("d", "b"): [[None, None]]})
    frame, none = some.cell_frame, results_of({("d", "a"): [[None]]}).cell_frame
    assert list(zip(frame.dataset, frame.method, strict=True)) == [("d", "a"), ("d", "b")]
    assert list(frame.finished) == [2, 0]
    assert frame["mean"][0] == pytest.approx(0.6)
    assert np.isnan(frame["mean"][1])
    for column in ("mean", "published", "difference", "margin", "compared_half_width"):
        assert frame[column].dtype == none[column].dtype == float
