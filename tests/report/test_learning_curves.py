"""Mean learning curves: the CSV files behind the figures, and which figures there are."""

import csv
import io
from dataclasses import replace

import pytest
from boosting_parts import ok
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pages import Page, files_of, panels_of, words_in
from PIL import Image
from report_parts import ok as regression_ok

from boostbench.store.store import Store
from boostbench.store.types import Outcome

SOLVERS = {
    "FCD-1": {"C": 1e4, "max_sweeps": 1},
    "FCD-2": {"C": 1e4, "max_sweeps": 2},
    "LBFGS-B": {"C": 1e4, "solver": "lbfgsb"},
}
ERRORS = "vowel: test error against iterations"


def rows_of(store: Store, ending: str = "curves") -> list[dict[str, str]]:
    text = files_of(store, "csv")[f"small-{ending}.csv"].decode()
    return list(csv.DictReader(io.StringIO(text)))


def numbers(rows: list[dict[str, str]], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def test_mean_and_sd_at_every_iteration(make) -> None:
    rows = rows_of(make({("vowel", "m"): [ok([0.5, 0.3]), ok([0.7, 0.3])]}))
    assert numbers(rows, "test_error_mean") == [0.6, 0.3]
    assert numbers(rows, "test_error_sd") == pytest.approx([0.02**0.5, 0.0])
    assert [(row["runs"], row["iteration"]) for row in rows] == [("2", "1"), ("2", "2")]


def test_a_run_that_ended_by_itself_keeps_its_last_values(make) -> None:
    store = make({("vowel", "m"): [ok([0.5, 0.1], stop="separated"), ok([0.7, 0.5, 0.3, 0.3])]})
    assert numbers(rows_of(store), "test_error_mean") == pytest.approx([0.6, 0.3, 0.2, 0.2])
    assert "m 20.00 ± 14.14" in words_in(panels_of(store)[ERRORS])


def test_a_mean_ends_where_a_time_budget_first_cut_a_run_off(make) -> None:
    runs = [ok([0.5, 0.4, 0.3], stop="time"), ok([0.6, 0.5, 0.4, 0.2], stop="time")]
    store = make({("vowel", "m"): runs})
    assert numbers(rows_of(store), "test_error_mean") == pytest.approx([0.55, 0.45, 0.35])
    # The last iteration of each run, although the mean curve ends before.
    assert "m 25.00 ± 7.07" in words_in(panels_of(store)[ERRORS])


def test_one_run_has_no_sd(make) -> None:
    store = make({("vowel", "m"): [ok([0.5, 0.4])]})
    assert [row["test_error_sd"] for row in rows_of(store)] == ["", ""]
    assert "m 40.00" in words_in(panels_of(store)[ERRORS])


@settings(
    deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
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


def test_tables_behind_the_figures_read_back_exactly(make) -> None:
    store = make({("vowel", "a"): [ok([0.5, 1 / 3], 0.1), ok([0.25, 0.1], 0.3)]})
    rows = rows_of(store)
    assert float(rows[1]["test_error_mean"]) == (1 / 3 + 0.1) / 2
    assert not any(name.endswith("_s_mean") for name in rows[0])
    times = rows_of(store, "times")
    assert float(times[1]["solver_s_mean"]) == pytest.approx(0.2)
    assert not any("error" in name for name in times[0])


def test_figures_of_errors_have_a_row_a_data_set(make) -> None:
    cells = {
        (dataset, method): [ok([0.5, 0.3, 0.2]), ok([0.6, 0.3, 0.3])]
        for dataset in ("vowel", "usps")
        for method in ("multiboost_cw", "adaboost_mh")
    }
    store = make(cells)
    assert list(panels_of(store)) == [
        f"{name}: {y} against iterations"
        for name in ("vowel", "usps")
        for y in ("test error", "training time", "solver time")
    ]
    heading = "Test error, training time and solver time against iterations"
    assert f"<h2>{heading}</h2>" in files_of(store, "html")["table.html"].decode()


def test_figures_of_solvers_have_a_column_a_data_set_and_errors_come_second(make) -> None:
    cells = {
        (dataset, method): [ok([0.5, 0.3])] for dataset in ("vowel", "usps") for method in SOLVERS
    }
    store = make(cells, SOLVERS)
    assert list(panels_of(store))[:4] == [
        f"{name}: objective against {x}"
        for x in ("iterations", "solver time")
        for name in ("vowel", "usps")
    ]
    files = files_of(store, "md", "figure")
    assert {"small.png", "small-errors.png"} <= set(files)
    headings = Page(files["table.md"].decode()).headings()
    assert "Objective against iterations and seconds" in headings


def test_objectives_of_other_problems_are_not_compared(make) -> None:
    cells = {("vowel", method): [ok([0.5, 0.3])] for method in SOLVERS}
    for params in ({**SOLVERS, "LBFGS-B": {"C": 1e3}}, {}):
        assert not [words for words in panels_of(make(cells, params)) if "objective" in words]


def test_no_panel_without_times_and_no_curves_without_curves(make) -> None:
    bare = ok([0.5, 0.3])
    no_times = replace(bare, time_curve=None)
    panels = panels_of(make({("vowel", "a"): [no_times], ("vowel", "b"): [no_times]}))
    assert list(panels) == [ERRORS]
    nothing = Outcome("ok", metrics=bare.metrics, times=bare.times)
    assert list(panels_of(make({("vowel", "a"): [nothing]}))) == ["Mean test error on vowel"]


def test_regression_with_learning_curves_needs_nothing_new(make_store) -> None:
    run = replace(regression_ok(0.9), curve={"test_r2": [-0.5, 0.5, 0.9], "objective": [3, 2, 1]})
    store = make_store({("mine", "own"): [run, run]}, paper=None)
    assert numbers(rows_of(store), "test_r2_mean") == [-0.5, 0.5, 0.9]
    words = words_in(panels_of(store)["mine: test R² against iterations"])
    assert "own 0.9000 ± 0" in words
    # The axis begins below the first, negative R2.
    assert "−0.4" in words


def test_legends_print_names_as_the_paper_does_with_mean_and_sd_at_the_end(make) -> None:
    cells = {
        ("vowel", "multiboost_cw"): [ok([0.5, 0.10]), ok([0.6, 0.14])],
        ("vowel", "multiboost_cw1"): [ok([0.5, 0.2])],
        ("usps", "mine"): [ok([0.5, 0.2])],
    }
    panels = panels_of(make(cells))
    words = words_in(panels[ERRORS])
    assert {"CW 12.00 ± 2.83", "CW-1 20.00"} <= set(words)
    assert not any("mine" in word for word in words)
    assert "var(--ink)" in panels[ERRORS]
    assert "CW 0.0200 ± 0" in words_in(panels["vowel: training time against iterations"])
    assert "not recorded" not in words


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


def test_a_panel_of_what_was_not_recorded_says_so(make) -> None:
    run = ok([0.5, 0.3])
    cells = {("vowel", "a"): [run], ("usps", "a"): [replace(run, time_curve=None)]}
    panels = panels_of(make(cells))
    assert "not recorded" in words_in(panels["usps: solver time against iterations"])
    assert "not recorded" not in words_in(panels["vowel: solver time against iterations"])
