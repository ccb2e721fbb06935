"""Runs of several partitions: collected with their place, and never mixed up in a fold."""

from dataclasses import replace

import pytest
from pages import csv_of, page_of
from report_parts import EXPERIMENT, ok, trial

from boostbench.papers.metrics import R2
from boostbench.report.results import collect
from boostbench.report.starts import best_of_starts
from boostbench.store.store import Store

PLACES = [(split_seed, fold, seed) for split_seed in (0, 7) for fold in (0, 1) for seed in (0, 1)]
SCORES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, None]


@pytest.fixture
def store(tmp_path):
    """Two partitions of two folds with two seeds; the last run has not taken place."""
    trials = [
        replace(trial("a", "one", seed), folds=2, fold=fold, split_seed=split_seed)
        for split_seed, fold, seed in PLACES
    ]
    experiment = {**EXPERIMENT, "paper": None, "folds": 2, "split_seeds": [0, 7]}
    with Store.open(tmp_path / "store", create=True) as made:
        made.set_plan(experiment, trials)
        for one, score in zip(trials, SCORES, strict=True):
            if score is not None:
                found = ok(score)
                cost = {"objective": -score}
                made.record(one, replace(found, metrics={**found.metrics, **cost}), "e1")
        yield made


def test_each_run_has_its_place(store) -> None:
    runs = collect(store).runs
    assert [(run.split_seed, run.fold, run.seed) for run in runs] == PLACES
    assert [run.score for run in runs] == SCORES


def test_all_runs_count(store) -> None:
    (cell,) = (row for row in csv_of(store) if row["row"] == "cell")
    assert (cell["planned"], cell["finished"]) == ("8", "7")
    assert float(cell["r2_mean"]) == pytest.approx(0.4)
    page = page_of(store)
    assert page.facts()["Protocol"].startswith("2 split seeds × 2 folds × 2 seeds ")
    assert "over all finished split seeds × folds × seeds together. The folds" in page.text


def test_the_best_start_of_a_fold_is_one_of_its_partition(store) -> None:
    found = best_of_starts(collect(store).runs, R2)
    assert (found.folds, found.planned_folds, found.finished, found.planned) == (4, 4, 7, 8)
    for best in (found.by_score, found.by_objective):
        assert best is not None
        assert best.mean == pytest.approx((0.2 + 0.4 + 0.6 + 0.7) / 4)
