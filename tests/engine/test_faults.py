"""Whatever a trial does becomes its own row, and every other trial ends as if it were alone."""

import os
import sys
import time
from pathlib import Path

import pytest
from support import Limits, run, trial

from boostbench.engine.types import Event
from boostbench.errors import BoostbenchError

FAULTS = [
    ("Aborts", "killed", "ended by signal SIGABRT"),
    ("Segfaults", "killed", "ended by signal SIGSEGV"),
    ("Exits", "killed", "the process ended itself with exit code 0"),
    ("KillsItself", "killed", "ended by signal SIGKILL"),
    ("RaisesUnpicklable", "error", "Unpicklable: no pickle takes me"),
    ("RaisesUnprintable", "error", "Unprintable: (its text is unavailable)"),
    ("RaisesSurrogate", "error", "ValueError: lone \\udc80 and nul \\0 at 0x…"),
    ("RaisesSystemExit", "error", "SystemExit: 3"),
    ("RaisesKeyboardInterrupt", "error", "KeyboardInterrupt"),
    ("RaisesMemoryErrorInside", "memory", "out of memory"),
    ("Prints", "ok", ""),
    ("PrintsAndFails", "error", "ValueError: after printing"),
    ("ClosesFirstFiles", "ok", ""),
    ("ClosesFiles", "killed", "the trial closed the files of its worker"),
    ("ClosesOutput", "ok", ""),
    ("LeavesThread", "ok", ""),
    (
        "NotJson",
        "error",
        "benchmark_metrics_ gave a object for 'model': not a number or text",
    ),
    ("NonFinite", "error", "non-finite predictions"),
    ("Overflows", "error", "non-finite predictions: their squared error overflows"),
    ("WrongShape", "error", "predict returned shape (10, 2) for 10 rows"),
    ("Unavailable", "skipped", "needs a thing that is not there"),
]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("name", "status", "reason"), FAULTS, ids=[f[0] for f in FAULTS])
def test_a_fault_is_one_row_and_harms_no_other_trial(tmp_path, mark, name, status, reason):
    good = [trial(mark, "SeesFaults", fold) for fold in range(4)]
    outcomes, summary = run(tmp_path, [*good[:2], trial(mark, name), *good[2:]])
    assert (outcomes[2].status, outcomes[2].reason) == (status, reason)
    assert [o.status for o in outcomes[:2] + outcomes[3:]] == ["ok"] * 4
    assert summary.done == 5
    assert not summary.interrupted


def test_a_failure_keeps_its_traceback_and_the_end_of_the_output(tmp_path, mark):
    (outcome,), _ = run(tmp_path, [trial(mark, "PrintsAndFails")])
    assert 'raise ValueError("after printing")' in outcome.traceback
    assert outcome.output.endswith("the last words")
    assert outcome.output.startswith("yyy")
    assert "bytes left out" in outcome.output
    assert len(outcome.traceback) < 30_000
    assert len(outcome.output) < 10_000


def test_an_abort_keeps_the_place_where_it_happened(tmp_path, mark):
    (outcome,), _ = run(tmp_path, [trial(mark, "Aborts")])
    assert "Fatal Python error: Aborted" in outcome.output
    assert "faulty.py" in outcome.output


@pytest.mark.parametrize("name", ["IgnoresSigterm", "Slow"])
def test_a_trial_over_its_time_is_killed_also_when_it_ignores_sigterm(tmp_path, mark, name):
    trials = [trial(mark, name), trial(mark), trial(mark, fold=1)]
    started = time.monotonic()
    outcomes, _ = run(tmp_path, trials, limits=Limits(time_s=0.5, grace_s=0.3))
    assert time.monotonic() - started < 20
    assert [o.status for o in outcomes] == ["timeout", "ok", "ok"]
    assert outcomes[0].reason == "over the time limit of 0.5 s"
    assert 0.5 <= outcomes[0].times["wall_s"] < 10


def test_a_trial_over_its_time_says_where_it_was(tmp_path, mark):
    (outcome,), _ = run(tmp_path, [trial(mark, "Slow")], limits=Limits(time_s=0.3))
    assert "in harm" in outcome.output


@pytest.mark.parametrize("name", ["Allocates", "AllocatesShared"])
def test_a_trial_over_its_memory_is_ended(tmp_path, mark, name):
    trials = [trial(mark), trial(mark, name), trial(mark, fold=1)]
    outcomes, _ = run(tmp_path, trials, limits=Limits(memory_bytes=2**28, time_s=60))
    assert [o.status for o in outcomes] == ["ok", "memory", "ok"]
    assert outcomes[1].reason == "over the memory limit of 256 MiB"


def test_what_earlier_trials_left_in_memory_does_not_count(tmp_path, mark):
    trials = [trial(mark, "Hoards", fold=fold) for fold in range(4)]
    outcomes, _ = run(tmp_path, trials, limits=Limits(memory_bytes=2**28, time_s=60))
    assert [o.status for o in outcomes] == ["ok"] * 4


@pytest.mark.parametrize(
    ("name", "status"),
    [("Forks", "ok"), ("ForksAndAborts", "killed"), ("ForksAndStays", "timeout")],
)
def test_fifty_children_die_with_their_trial_daemons_too(tmp_path, mark, name, status):
    log = tmp_path / "pids"
    trials = [trial(mark, name, where=str(log)), trial(mark)]
    dead_when_next_began = []

    def listener(event: Event):
        if event.kind == "start" and event.trial.key == trials[1].key:
            dead_when_next_began.extend(not alive(int(p)) for p in log.read_text().split())

    limits = Limits(time_s=3, grace_s=0.3)
    outcomes, _ = run(tmp_path, trials, limits=limits, listener=listener)
    assert [o.status for o in outcomes] == [status, "ok"]
    pids = [int(p) for p in log.read_text().split()]
    assert len(pids) == 50
    assert not any(map(alive, pids))
    assert len(dead_when_next_began) == 50


def test_what_a_trial_leaves_behind_does_not_reach_the_next(tmp_path, mark):
    trials = [trial(mark, "GlobalState", seed=seed) for seed in range(3)]
    cwd, environ = Path.cwd(), dict(os.environ)
    forward, _ = run(tmp_path / "a", trials, arrays_dir=tmp_path / "arrays")
    backward, _ = run(tmp_path / "b", trials[::-1], jobs=2, arrays_dir=tmp_path / "arrays")
    assert [o.status for o in forward] == ["ok"] * 3
    assert [o.metrics for o in forward] == [o.metrics for o in backward[::-1]]
    assert len({o.metrics["drawn"] for o in forward}) == 3
    assert (Path.cwd(), dict(os.environ)) == (cwd, environ)


def test_a_trial_that_writes_into_its_arrays_changes_them_for_itself_alone(tmp_path, mark):
    trials = [trial(mark, "ChangesData", seed=seed) for seed in range(2)]
    outcomes, _ = run(tmp_path, trials)
    assert outcomes[0].metrics["seen"] == outcomes[1].metrics["seen"]


def test_a_trial_whose_worker_is_killed_from_outside_runs_again(tmp_path, mark):
    events = []
    trials = [trial(mark, "KilledOnce", where=str(tmp_path / "mark"))]
    (outcome,), _ = run(tmp_path, trials, listener=events.append)
    assert outcome.status == "ok"
    details = [e.detail for e in events if e.kind == "worker" and e.detail]
    assert details == ["a worker was ended by SIGKILL: its trial runs again"]


def test_workers_also_start_without_forking(tmp_path, mark, monkeypatch):
    monkeypatch.setenv("BOOSTBENCH_START_METHOD", "spawn")
    trials = [trial(mark), trial(mark, "Aborts"), trial(mark, "Noisy", fold=1)]
    outcomes, _ = run(tmp_path, trials)
    assert [o.status for o in outcomes] == ["ok", "killed", "ok"]


def test_workers_that_cannot_start_end_the_run_in_a_sentence(tmp_path, mark, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(BoostbenchError, match="worker processes cannot be started"):
        run(tmp_path, [trial(mark)])
