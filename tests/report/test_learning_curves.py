"""Mean learning curves: the CSV files behind the figures, and which figures there are."""

import csv
import io
from dataclasses import replace

import pytest
from boosting_parts import ok
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pages import files_of, page_of, panels_of, words_in
from PIL import Image
from report_parts import ok as regression_ok

from boostbench.report.results import collect
from boostbench.report.figures import curves
from boostbench.report.figures.lines import without_stages
from boostbench.report.figures.panels import TRAINING_TIME, _score, layouts
from boostbench.report.summary import summarise
from boostbench.store.store import Store
from boostbench.store.types import Outcome

LAST = "Last values of the curves"


def rows_of(store: Store, ending: str = "curves") -> list[dict[str, str]]:
    text = files_of(store, "csv")[f"small-{ending}.csv"].decode()
    return list(csv.DictReader(io.StringIO(text)))


def numbers(rows: list[dict[str, str]], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def test_a_run_that_ended_by_itself_keeps_its_last_values(make) -> None:
    store = make({("vowel", "m"): [ok([0.5, 0.1], stop="separated"), ok([0.7, 0.5, 0.3, 0.3])]})
    assert numbers(rows_of(store), "test_error_mean") == pytest.approx([0.6, 0.3, 0.2, 0.2])
    assert page_of(store).column(LAST, "Test error, %") == ["20.00 ± 14.14"]


def test_a_mean_ends_where_a_time_budget_first_cut_a_run_off(make) -> None:
    runs = [ok([0.5, 0.4, 0.3], stop="time"), ok([0.6, 0.5, 0.4, 0.2], stop="time")]
    store = make({("vowel", "m"): runs})
    assert numbers(rows_of(store), "test_error_mean") == pytest.approx([0.55, 0.45, 0.35])
    # The last iteration of each run, although the mean curve ends before.
    row = page_of(store).row(LAST, Method="m")
    assert (row["Test error, %"], row["Iterations"]) == ("25.00 ± 7.07", "3")


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=8), min_size=1, max_size=5))
def test_a_mean_curve_lies_between_its_runs_and_ends_at_their_ends(make, all_errors) -> None:
    values = numbers(
        rows_of(make({("vowel", "m"): [ok(errors) for errors in all_errors]})), "test_error_mean"
    )
    assert len(values) == max(map(len, all_errors))
    held = [[*errors, *[errors[-1]] * (len(values) - len(errors))] for errors in all_errors]
    for step, value in enumerate(values):
        at = [errors[step] for errors in held]
        assert min(at) - 1e-12 <= value <= max(at) + 1e-12
    assert values[-1] == pytest.approx(sum(errors[-1] for errors in all_errors) / len(all_errors))


def test_figures_of_errors_have_a_row_a_data_set(make) -> None:
    cells = {
        (dataset, method): [ok([0.5, 0.3, 0.2]), ok([0.6, 0.3, 0.3])]
        for dataset in ("vowel", "usps")
        for method in ("multiboost_cw", "adaboost_mh")
    }
    store = make(cells)
    found = panels_of(store)
    assert list(found) == [
        "Legend: CW, Ada.MH, ± one sd, log axis: smallest to largest",
        *(
            f"{name}: {y} against iterations"
            for name in ("vowel", "usps")
            for y in ("test error", "training time", "solver time")
        ),
    ]
    titles = [
        word
        for svg in found.values()
        for word in words_in(svg)
        if word.startswith("(") or word in ("vowel", "usps")
    ]
    row = ["(a) test error", "(b) training time", "(c) solver time"]
    assert titles == [word for name in ("vowel", "usps") for title in row for word in (name, title)]
    heading = "Test error, training time and solver time against iterations"
    assert f"<h2>{heading}</h2>" in files_of(store, "html")["table.html"].decode()


def test_regression_with_learning_curves_needs_nothing_new(make_store) -> None:
    run = replace(regression_ok(0.9), curve={"test_r2": [-0.5, 0.5, 0.9], "objective": [3, 2, 1]})
    store = make_store({("mine", "own"): [run, run]}, paper=None)
    assert numbers(rows_of(store), "test_r2_mean") == [-0.5, 0.5, 0.9]
    words = words_in(panels_of(store)["mine: test R² against iterations"])
    assert page_of(store).column(LAST, "Test R²") == ["0.900 ± 0"]
    # The axis begins below the first, negative R2.
    assert "−0.4" in words


def test_last_values_are_means_of_scores_and_medians_of_times(make) -> None:
    cells = {
        ("vowel", "multiboost_cw"): [ok([0.5, 0.1], 0.1), ok([0.6, 0.2], 0.2), ok([0.3], 10.0)],
        ("usps", "multiboost_cw"): [ok([0.5, 0.2])],
    }
    page = page_of(make(cells))
    assert page.row(LAST, Data_set="vowel") == {
        "Data set": "vowel", "Method": "multiboost_cw", "Runs": "3", "Iterations": "1–2",
        "Objective": "50.00 (50.00 to 100.0)", "Training error, %": "10.00 ± 5.00",
        "Test error, %": "20.00 ± 10.00", "Training time, s": "0.400 (0.200 to 10.0)",
        "Solver time, s": "0.200 (0.100 to 5.00)",
    }  # fmt: skip
    assert page.row(LAST, Data_set="usps")["Training time, s"] == "0.0200"


def test_times_are_medians_from_the_smallest_to_the_largest(make) -> None:
    # One run is a hundred times as slow: the mean would be 3.4 s, above two of three runs.
    runs = [ok([0.5, 0.3], 0.1), ok([0.5, 0.3], 0.2), ok([0.5, 0.3], 10.0)]
    store = make({("vowel", "m"): runs})
    rows = rows_of(store, "times")
    assert [row["fit_s_median"] for row in rows] == ["0.2", "0.4"]
    assert [(row["fit_s_min"], row["fit_s_max"]) for row in rows] == [
        ("0.1", "10.0"),
        ("0.2", "20.0"),
    ]
    summary = summarise(collect(store))
    curve = summary.curves["vowel", "m"]
    assert curves._values(curve, TRAINING_TIME) == [0.2, 0.4]
    assert curves._band(curve, TRAINING_TIME) == ([0.1, 0.2], [10.0, 20.0])
    assert "test_error_median" not in rows_of(store)[0]
    assert curves._band(curve, _score(summary.metric))[0] == pytest.approx([50.0, 30.0])


def test_a_method_without_stages_is_a_horizontal_line(make) -> None:
    flat = Outcome(
        "ok", metrics={"error": 0.125, "n_train": 75, "n_test": 25}, times={"fit_s": 3.0}
    )
    store = make({("vowel", "m"): [ok([0.5, 0.3])], ("vowel", "forest"): [flat, flat]})
    summary = summarise(collect(store))
    levels = {
        panel.y.quantity: [(m.label, level) for m, level in without_stages(panel, summary)]
        for layout in layouts(summary)
        for panel in layout.panels
    }
    assert levels == {"test_error": [("forest", 12.5)], "fit_s": [("forest", 3.0)], "solver_s": []}
    panels = panels_of(store)
    assert next(iter(panels)) == "Legend: m, forest, without stages"
    # The axis of times goes up to its 3 s, with 0.01 s the least.
    assert {"0.01", "0.1", "1"} <= set(words_in(panels["vowel: training time against iterations"]))
    row = page_of(store).row(LAST, Method="forest")
    assert (row["Test error, %"], row["Training time, s"]) == ("12.50 ± 0", "3.00")
    assert (row["Iterations"], row["Solver time, s"]) == ("", "–")


def test_figure_files_are_the_same_every_time_and_pictures(make) -> None:
    runs = [ok([0.5, 0.3]), ok([0.6, 0.2])]
    store = make({("vowel", m): runs for m in ("multiboost_cw", "multiboost_cw1")})
    first, second = (files_of(store, "figure") for _ in range(2))
    assert first == second
    assert set(first) == {"small.png", "small.svg", "small.pdf"}
    image = Image.open(io.BytesIO(first["small.png"]))
    assert image.info["dpi"] == pytest.approx((160, 160), rel=1e-3)
    seen = {colour for _, colour in image.convert("RGB").getcolors(maxcolors=1_000_000)}
    assert {(0xD5, 0x5E, 0), (0, 0x72, 0xB2)} <= seen
    assert b"CreationDate" not in first["small.pdf"]
    assert b"mathdefault" not in first["small.svg"]
