"""Runs of several partitions: collected with their place, and never mixed up in a fold."""

from dataclasses import replace

import pytest
from pages import csv_of, page_of
from report_parts import EXPERIMENT, ok, trial

from boostbench.report.results import collect
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
                made.record(one, ok(score), "e1")
        yield made


def test_all_runs_count_each_in_its_place(store) -> None:
    runs = collect(store).runs
    assert list(zip(runs.split_seed, runs.fold, runs.seed, strict=True)) == PLACES
    assert list(runs.score[:7]) == SCORES[:7]
    (cell,) = (row for row in csv_of(store) if row["row"] == "cell")
    assert (cell["planned"], cell["finished"]) == ("8", "7")
    assert float(cell["r2_mean"]) == pytest.approx(0.4)
    page = page_of(store)
    assert "2 partitions × 2 folds × 2 seeds, 8 runs, 7 finished." in page.text
    assert "over all finished runs together" in page.text
