"""Reports of many runs, and of many that have not started."""

import numpy as np
import pandas as pd
import pytest
from parts import ok, results_of, trial

from boostbench.report.figures.axes import MOST_DOTS
from boostbench.report.frames.results import collect
from boostbench.report.page.cell_cards import cards
from boostbench.report.sentences.guide import runs_in_lines
from boostbench.store import database_rows
from boostbench.store.export import export_results
from boostbench.store.store import Store
from boostbench.store.types import Outcome


def strip_of(seeds: int):
    """Return the strip of a cell whose runs are even from 0 to 1."""
    folds = [list(np.linspace(0.01 * fold, 1 - 0.01 * fold, seeds)) for fold in range(4)]
    (card,) = cards(results_of({("d", "a"): folds}))
    return card.strip


@pytest.mark.parametrize("seeds", [MOST_DOTS, 10 * MOST_DOTS])
def test_a_page_shows_the_distribution_of_many_runs(seeds) -> None:
    strip = strip_of(seeds)
    assert (strip.runs, strip.most) == (4 * seeds, seeds)
    for _, steps in strip.lines:
        assert len(steps) <= MOST_DOTS
        places = np.cumsum(steps)
        assert np.median(places) == pytest.approx(strip.mean, abs=2)
    few = strip_of(20)
    assert [sum(steps) for _, steps in strip.lines] == [sum(steps) for _, steps in few.lines]
    words = runs_in_lines(strip.runs, 4, strip.most)
    assert ("at even ranks" in words) == (seeds > MOST_DOTS)


@pytest.mark.parametrize(("seeds", "drawn"), [(MOST_DOTS, 10), (10 * MOST_DOTS, 1)])
def test_rare_scores_are_drawn_as_rarely_as_they_are(seeds: int, drawn: int) -> None:
    runs = [*np.linspace(0.4, 0.6, seeds - 10), *np.linspace(0.62, 0.7, 10)]
    (card,) = cards(results_of({("d", "a"): [runs] * 4}))
    (first, left), *_, (last, right) = card.strip.ticks
    beyond = first + (last - first) * (0.61 - float(left)) / (float(right) - float(left))
    for _, steps in card.strip.lines:
        assert (np.cumsum(steps) > beyond).sum() == drawn


def test_trials_that_have_not_ended_are_counted_where_they_are_planned(tmp_path) -> None:
    plan = [
        trial(data, method, fold=fold, seed=seed)
        for data in ("d", "e")
        for method in ("a", "b")
        for fold in range(4)
        for seed in range(5)
    ]
    with Store.open(tmp_path) as store:
        store.set_plan({"name": "x", "metric": "r2", "datasets": []}, plan)
        # Of a on d two folds are complete, one has a run that failed, and one has no run.
        for one in plan[:10]:
            store.record(one, ok(0.5 + 0.01 * one.seed))
        store.record(plan[10], Outcome("error", "it broke"))
        store.record(plan[25], ok(0.4))
    with Store.read(tmp_path) as reader:
        results = collect(reader)
    # Nothing ran on e.
    assert [data.label for data in results.datasets] == ["d"]
    assert results.all_planned == len(plan)
    assert results.not_run == "40 trials not run, of e"
    first, second = results.only_cells
    assert (first.planned, first.finished, first.fewer) == (20, 10, "2 of 4 folds")
    assert first.problem == "1 error, 9 pending"
    assert [(each.status, each.runs) for each in first.missing] == [("error", 1), ("pending", 9)]
    assert (second.planned, second.finished, second.fewer) == (20, 1, "1 of 4 folds")
    assert second.problem == "19 pending"
    # A row for each run, and for each of their splits those that have not ended.
    assert results.runs.groupby("method").trials.agg(["size", "sum"]).to_numpy().tolist() == [
        [13, 20],
        [5, 20],
    ]


@pytest.mark.parametrize("at_once", [1, 4])
def test_results_read_in_several_parts_are_those_read_at_once(
    tmp_path, monkeypatch, at_once: int
) -> None:
    plan = [
        trial("d", method, fold=fold, seed=seed)
        for method in ("a", "b")
        for fold in range(4)
        for seed in range(2)
    ]
    outcomes = [
        ok(0.5, leaves=3),
        Outcome("error", "it broke", metrics={"r2": 0.1}),
        ok(0.4, chosen_depth=2, stop_reason="tol"),
        Outcome("ok", metrics={"r2": None, "r2_missing": "one row"}),
        Outcome("ok", metrics={"r2": 0.3, "leaves": "many"}, time_curve={"fit_s": [1.0, 2.0]}),
        ok(0.7, flag=True),
    ]
    with Store.open(tmp_path / "results") as store:
        store.set_plan({"name": "x", "metric": "r2", "datasets": []}, plan)
        for one, outcome in zip([*plan[:5], plan[9]], outcomes, strict=True):
            store.record(one, outcome)

    def read() -> tuple[pd.DataFrame, list[bytes]]:
        with Store.read(tmp_path / "results") as reader:
            exports = export_results(reader, tmp_path / "out")
            return collect(reader).runs, [path.read_bytes() for path in exports]

    runs, exports = read()
    assert (len(runs), runs.trials.sum()) == (5 + 2 + 2 + 3, len(plan))
    monkeypatch.setattr(database_rows, "_AT_ONCE", at_once)
    in_parts, same = read()
    pd.testing.assert_frame_equal(in_parts, runs, check_like=True)
    assert same == exports


def test_folds_of_several_partitions_are_on_one_line() -> None:
    partition = [[0.1 * fold + 0.01] for fold in range(4)]
    moved = [[[score + 0.02 * k for score in fold] for fold in partition] for k in range(3)]
    (card,) = cards(results_of({("d", "a"): moved}))
    ((name, dots),) = card.strip.lines
    assert (name, len(dots), card.strip.most) == ("runs", 12, 12)
