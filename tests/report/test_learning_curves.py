import csv
import io
import math

import pytest
from boosting_parts import fill, ok
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from boostbench.report.classification import csvfiles
from boostbench.report.classification.curves import Curve, curves
from boostbench.report.classification.figures import figure_files, panel_svgs
from boostbench.report.classification.layout import layouts
from boostbench.report.classification.runs import Results, Run, load_results
from boostbench.store.store import Store
from boostbench.store.types import Outcome

SOLVERS = {
    "FCD-1": {"C": 1e4, "max_sweeps": 1},
    "FCD-2": {"C": 1e4, "max_sweeps": 2},
    "LBFGS-B": {"C": 1e4, "solver": "lbfgsb"},
}


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store", create=True) as opened:
        yield opened


def results_of(runs: list[Run]) -> Results:
    return Results(runs, [], [], {}, None)


def run(errors: list[float], stop: str = "max_iter") -> Run:
    return Run("d", "m", "ok", "", error=errors[-1], stop=stop, curve={"test_error": errors})


def one(*runs: Run) -> Curve:
    (curve,) = curves(results_of(list(runs))).values()
    return curve


def test_mean_and_sd_at_every_iteration() -> None:
    curve = one(run([0.5, 0.3]), run([0.7, 0.3]))
    assert curve.means["test_error"] == [0.6, 0.3]
    assert curve.sds["test_error"] == pytest.approx([math.sqrt(0.02), 0.0])
    assert (curve.runs, curve.length) == (2, 2)
    assert (curve.finals["test_error"].mean, curve.finals["test_error"].sd) == (0.3, 0.0)


def test_a_run_that_ended_by_itself_keeps_its_last_values() -> None:
    curve = one(run([0.5, 0.1], stop="separated"), run([0.7, 0.5, 0.3, 0.3]))
    assert curve.means["test_error"] == pytest.approx([0.6, 0.3, 0.2, 0.2])
    assert curve.finals["test_error"].mean == pytest.approx(0.2)


def test_a_mean_ends_where_a_time_budget_first_cut_a_run_off() -> None:
    curve = one(run([0.5, 0.4, 0.3], stop="time"), run([0.6, 0.5, 0.4, 0.2], stop="time"))
    assert curve.length == 3
    assert curve.means["test_error"] == pytest.approx([0.55, 0.45, 0.35])
    # The last iteration of each run, although the mean curve ends before.
    assert curve.finals["test_error"].mean == pytest.approx(0.25)


def test_one_run_has_no_sd() -> None:
    curve = one(run([0.5, 0.4]))
    assert curve.sds == {}
    assert curve.finals["test_error"].sd is None


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.floats(0, 1), min_size=1, max_size=8),
        min_size=1,
        max_size=5,
    )
)
def test_a_mean_curve_lies_between_its_runs_and_ends_at_their_ends(all_errors) -> None:
    curve = one(*(run(errors) for errors in all_errors))
    values = curve.means["test_error"]
    assert len(values) == max(map(len, all_errors))
    held = [[*errors, *[errors[-1]] * (len(values) - len(errors))] for errors in all_errors]
    for step, value in enumerate(values):
        at = [errors[step] for errors in held]
        assert min(at) - 1e-12 <= value <= max(at) + 1e-12
    assert values[-1] == pytest.approx(curve.finals["test_error"].mean)


def test_figures_of_errors_have_a_row_a_data_set(store) -> None:
    cells = {
        (dataset, method): [ok([0.5, 0.3, 0.2]), ok([0.6, 0.3, 0.3])]
        for dataset in ("vowel", "usps")
        for method in ("multiboost_cw", "adaboost_mh")
    }
    results = load_results(fill(store, cells))
    (layout,) = layouts(results, curves(results))
    assert [[panel.words for panel in row] for row in layout.rows] == [
        [
            f"{name}: test error against iterations",
            f"{name}: training time against iterations",
            f"{name}: solver time against iterations",
        ]
        for name in ("vowel", "usps")
    ]


def test_figures_of_solvers_have_a_column_a_data_set_and_errors_come_second(store) -> None:
    cells = {
        (dataset, method): [ok([0.5, 0.3])] for dataset in ("vowel", "usps") for method in SOLVERS
    }
    results = load_results(fill(store, cells, SOLVERS))
    objective, errors = layouts(results, curves(results))
    assert [[panel.words for panel in row] for row in objective.rows] == [
        [f"{name}: objective against {x}" for name in ("vowel", "usps")]
        for x in ("iterations", "solver time")
    ]
    assert errors.suffix == "-errors"


def test_objectives_of_other_problems_are_not_compared(store) -> None:
    cells = {("vowel", method): [ok([0.5, 0.3])] for method in SOLVERS}
    results = load_results(fill(store, cells, {**SOLVERS, "LBFGS-B": {"C": 1e3}}))
    assert [layout.suffix for layout in layouts(results, curves(results))] == [""]
    assert "objective" not in layouts(results, curves(results))[0].title.lower()


def test_no_solver_panel_without_solver_times_and_no_figure_without_curves(store) -> None:
    bare = ok([0.5, 0.3])
    no_times = Outcome("ok", metrics=bare.metrics, times=bare.times, curve=bare.curve)
    results = load_results(fill(store, {("vowel", "a"): [no_times], ("vowel", "b"): [no_times]}))
    (layout,) = layouts(results, curves(results))
    assert [panel.y.quantity for panel in layout.panels] == ["test_error"]
    nothing = Outcome("ok", metrics=bare.metrics, times=bare.times)
    results = load_results(fill(store, {("vowel", "a"): [nothing]}))
    assert layouts(results, curves(results)) == []


def test_legends_print_names_as_the_paper_does_with_mean_and_sd_at_the_end(store) -> None:
    cells = {
        ("vowel", "multiboost_cw"): [ok([0.5, 0.10]), ok([0.6, 0.14])],
        ("vowel", "multiboost_cw1"): [ok([0.5, 0.2])],
        ("vowel", "mine"): [None],
    }
    results = load_results(fill(store, cells))
    means = curves(results)
    (layout,) = layouts(results, means)
    panels = dict(panel_svgs(layout, results.methods, means, "p"))
    errors = panels["vowel: test error against iterations"]
    assert "CW 12.00 ± 2.83" in errors
    assert "CW-1 20.00<" in errors
    assert "mine" not in errors
    assert "var(--ink)" in errors
    assert "CW 0.0200 ± 0<" in panels["vowel: training time against iterations"]


def test_figure_files_are_the_same_every_time_and_pictures(store) -> None:
    cells = {
        ("vowel", m): [ok([0.5, 0.3]), ok([0.6, 0.2])] for m in ("multiboost_cw", "multiboost_cw1")
    }
    results = load_results(fill(store, cells))
    means = curves(results)
    (layout,) = layouts(results, means)
    first, second = (figure_files(layout, results.methods, means) for _ in range(2))
    assert first == second
    assert set(first) == {"png", "svg", "pdf"}
    image = Image.open(io.BytesIO(first["png"])).convert("RGB")
    seen = {colour for _, colour in image.getcolors(maxcolors=1_000_000)}
    assert {(0xD5, 0x5E, 0), (0, 0x72, 0xB2)} <= seen
    assert b"CreationDate" not in first["pdf"]
    assert b"mathdefault" not in first["svg"]


def test_tables_behind_the_figures_read_back_exactly(store) -> None:
    cells = {("vowel", "a"): [ok([0.5, 1 / 3], 0.1), ok([0.25, 0.1], 0.3)]}
    results = load_results(fill(store, cells))
    files = csvfiles.curve_files(curves(results))
    rows = list(csv.DictReader(io.StringIO(files["curves"])))
    assert [row["iteration"] for row in rows] == ["1", "2"]
    assert float(rows[1]["test_error_mean"]) == (1 / 3 + 0.1) / 2
    assert rows[0]["runs"] == "2"
    assert not any(name.endswith("_s_mean") for name in rows[0])
    times = list(csv.DictReader(io.StringIO(files["times"])))
    assert float(times[1]["solver_s_mean"]) == pytest.approx(0.2)
