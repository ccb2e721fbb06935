"""Trials in this process: the same outcomes, stored one by one, and an end that loses none."""

import bdb
from collections.abc import Iterator

import numpy as np
import pytest
from support import trial

from boostbench.engine.environment import environment_id, snapshot
from boostbench.engine.execution import run_trial
from boostbench.engine.in_process import run_in_process
from boostbench.engine.interface import TrialLimits
from boostbench.engine.probe import unnamed_parameters
from boostbench.store.store import Store

RIDGE = "sklearn.linear_model:Ridge"


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    with Store.open(tmp_path / "here") as opened:
        yield opened


def call(store, trials, tmp_path, **options):
    store.set_plan({}, trials)
    return run_in_process(
        trials, store, arrays_dir=tmp_path / "arrays", limits=TrialLimits(), **options
    )


def test_trials_are_stored_as_they_are_alone(store, mark, tmp_path):
    trials = [trial(mark, RIDGE, fold, alpha=0.5) for fold in (0, 1)]
    broken = trial(mark, RIDGE, 2, alpha=-1.0)
    same = trial(mark, RIDGE, 0, alpha=0.5)
    events = []
    environment = {"cpu": "a"}
    summary = call(
        store, [*trials, broken, same], tmp_path, listener=events.append, environment=environment
    )
    assert (summary.counts, summary.interrupted) == ({"ok": 2, "error": 1}, False)
    assert summary.environment_id == environment_id(environment)
    assert store.environment(summary.environment_id) == environment
    assert set(store.environment_ids().values()) == {summary.environment_id}
    assert [(e.kind, e.trial.fold, e.worker) for e in events] == [
        (kind, fold, 0) for fold in (0, 1, 2) for kind in ("start", "end")
    ]
    assert [e.outcome and e.outcome.status for e in events] == [
        None,
        "ok",
        None,
        "ok",
        None,
        "error",
    ]
    alone = [run_trial(one, tmp_path / "arrays") for one in trials]
    assert [store.outcomes()[t.key].metrics for t in trials] == [o.metrics for o in alone]
    assert store.missing() == []


def test_without_a_description_that_of_this_machine_is_kept(store, mark, tmp_path):
    summary = call(store, [trial(mark, RIDGE)], tmp_path)
    assert summary.environment_id == environment_id(snapshot())
    assert store.environment(summary.environment_id)["python"] == snapshot()["python"]


def test_trials_here_have_one_thread_and_their_own_seed(store, mark, tmp_path, monkeypatch):
    from threadpoolctl import threadpool_info

    found = []

    def look(*_):
        found.append((np.random.rand(), {pool["num_threads"] for pool in threadpool_info()}))  # noqa: NPY002
        raise KeyboardInterrupt

    monkeypatch.setattr("sklearn.linear_model.Ridge.fit", look)
    for seed in (0, 1, 0):
        call(store, [trial(mark, RIDGE, seed=seed)], tmp_path)
    draws, threads = zip(*found, strict=True)
    assert draws[0] == draws[2] != draws[1]
    assert set(map(frozenset, threads)) == {frozenset({1})}


def test_parameters_that_an_estimator_does_not_name(mark):
    assert unnamed_parameters(RIDGE, {"alpha": 1, "depth": 3, "rate": 1}) == ["depth", "rate"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, bdb.BdbQuit])
def test_an_interrupt_within_a_fit_is_no_error_of_the_trial(
    store, mark, tmp_path, monkeypatch, error
):
    def interrupted(*_):
        raise error

    monkeypatch.setattr("sklearn.linear_model.Ridge.fit", interrupted)
    summary = call(store, [trial(mark, RIDGE)], tmp_path)
    assert (summary.interrupted, summary.counts) == (True, {})
    assert store.outcomes() == {}
