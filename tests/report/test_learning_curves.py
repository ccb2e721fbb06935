"""Mean learning curves: what the figures draw."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pages import page_of
from parts import boosted, boosting_of, ok, store_of

from boostbench.report.frames.results import collect
from boostbench.store.store import Store


def values(store: Store, name: str = "test_error", part: str = "mean") -> list[float]:
    (line,) = collect(store).convergence.lines(name, part).values()
    return list(line.value)


def test_a_run_that_ended_early_keeps_its_last_values() -> None:
    store = boosting_of(
        {("vowel", "m"): [boosted([0.5, 0.1], stop="separated"), boosted([0.7, 0.5, 0.3, 0.3])]}
    )
    assert values(store) == pytest.approx([0.6, 0.3, 0.2, 0.2])
    assert page_of(store).column("m", "Test error, %") == ["20.00"]


def test_a_mean_ends_where_a_time_budget_first_cut_a_run_off() -> None:
    runs = [boosted([0.5, 0.4, 0.3], stop="time"), boosted([0.6, 0.5, 0.4, 0.2], stop="time")]
    store = boosting_of({("vowel", "m"): runs})
    assert values(store) == pytest.approx([0.55, 0.45, 0.35])
    # The drawn line ends there too.
    (line,) = collect(store).convergence.lines("test_error").values()
    assert list(line.value) == pytest.approx([0.55, 0.45, 0.35])
    assert list(line.solver_s) == pytest.approx([0.005, 0.01, 0.015])
    assert list(line.fit_s) == pytest.approx([0.01, 0.02, 0.03])
    # The last iteration of each run, although the mean curve ends before.
    row = page_of(store).row("m", Data_set="vowel")
    assert (row["Test error, %"], row["sd"]) == ("25.00", "7.07")


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=8), min_size=1, max_size=5))
def test_a_mean_curve_lies_between_its_runs_and_ends_at_their_ends(all_errors) -> None:
    found = values(boosting_of({("vowel", "m"): [boosted(errors) for errors in all_errors]}))
    assert len(found) == max(map(len, all_errors))
    held = [[*errors, *[errors[-1]] * (len(found) - len(errors))] for errors in all_errors]
    for step, value in enumerate(found):
        at = [errors[step] for errors in held]
        assert min(at) - 1e-12 <= value <= max(at) + 1e-12
    assert found[-1] == pytest.approx(sum(errors[-1] for errors in all_errors) / len(all_errors))


def test_regression_with_learning_curves_needs_nothing_new() -> None:
    run = replace(ok(0.9), curve={"test_r2": [-0.5, 0.5, 0.9], "objective": [3, 2, 1]})
    store = store_of({("mine", "own"): [run, run]}, paper=None)
    assert values(store, "test_r2") == [-0.5, 0.5, 0.9]
    assert page_of(store).column("own", "R²") == ["0.900"]


def test_times_are_medians_from_the_smallest_to_the_largest() -> None:
    # One run is a hundred times as slow: the mean would be 3.4 s, above two of three runs.
    runs = [boosted([0.5, 0.3], 0.1), boosted([0.5, 0.3], 0.2), boosted([0.5, 0.3], 10.0)]
    store = boosting_of({("vowel", "m"): runs})
    assert values(store, "fit_s", "median") == [0.2, 0.4]
    assert (values(store, "fit_s", "min"), values(store, "fit_s", "max")) == ([0.1, 0.2], [10, 20])


def test_the_objective_above_the_lowest_ends_where_a_run_was_cut_off() -> None:
    own = boosted([0.5] * 3, objective=[4.0, 3.0, 2.0], stop="time")
    runs = {
        ("vowel", "fcd"): [own, boosted([0.5] * 4, objective=[8.0, 4.0, 2.0, 1.0])],
        ("vowel", "lbfgsb"): [
            boosted([0.5] * 2, objective=[3.0, 2.0]),
            boosted([0.5], objective=[1.0]),
        ],
    }
    params = {name: {"C": 1.0, "solver": name} for name in ("fcd", "lbfgsb")}
    excess = collect(boosting_of(runs, params)).convergence.excess
    # Medians over splits, of which each has its own lowest: 2 and 1.
    assert list(excess["vowel", "fcd"].value) == pytest.approx([400.0, 175.0, 50.0])
    assert len(excess["vowel", "fcd"].solver_s) == 3
    assert list(excess["vowel", "lbfgsb"].value) == pytest.approx([25.0, 0.0])


def test_a_data_set_has_a_panel_for_iterations_and_for_each_clock_and_a_legend_of_last_values() -> (
    None
):
    runs = {
        ("vowel", "multiboost_cw"): [boosted([0.5, 0.2]), boosted([0.5, 0.3])],
        ("vowel", "adaboost_mh"): [boosted([0.6, 0.4], 1.0)],
    }
    panels = collect(boosting_of(runs)).convergence.panels["score"]
    assert [*panels] == ["iterations", "training seconds", "solver seconds"]
    fast, slow = zip(*(panels[axis][0].traces for axis in panels), strict=True)
    assert [list(trace.x) for trace in fast] == [[1, 2], [0.01, 0.02], [0.005, 0.01]]
    assert [list(trace.x) for trace in slow] == [[1, 2], [1.0, 2.0], [0.5, 1.0]]
    assert {trace.end for trace in fast} == {"25.00 ± 7.07 %"}
    # Of a single run there is no sd.
    assert {trace.end for trace in slow} == {"40.00 %"}


def test_no_line_is_a_stub() -> None:
    late = [0.9] * 50 + [0.5, 0.4]
    runs = {("vowel", "a"): [boosted([0.1, 0.06, 0.05] * 20)], ("vowel", "b"): [boosted(late)]}
    (shown,) = collect(boosting_of(runs)).convergence.panels["score"]["iterations"]
    assert shown.log
    assert (shown.low, shown.high) == pytest.approx((5.0, 90.0))


@pytest.mark.parametrize("values", [[0.5, 0.0], [0.5, 0.1, 0.0, 0.0]])
def test_an_error_of_zero_has_a_linear_axis(values: list[float]) -> None:
    store = boosting_of({("vowel", "m"): [boosted(values)]})
    (shown,) = collect(store).convergence.panels["score"]["iterations"]
    assert not shown.log
    assert shown.low == 0.0


@pytest.mark.parametrize(("figure", "marked"), [("Figure 5", True), ("Figure 2", False)])
def test_a_curve_that_the_papers_figure_lacks_is_marked(figure: str, marked: bool) -> None:
    names = "multiboost_cw", "adaboost_mo"
    store = boosting_of(
        {("vowel", name): [boosted([0.3, 0.2])] * 2 for name in names}, table=figure
    )
    panels = collect(store).convergence.panels["score"]["iterations"]
    found = [trace.name for panel in panels for trace in panel.traces]
    assert found == ["MultiBoost-cw", "AdaBoost.MO (added)" if marked else "AdaBoost.MO"]
