"""Any fault of a trial becomes its own row, and changes no other trial."""

import os
import signal
import sys

import pytest
from support import TrialLimits, ended, living, run, save_small, trial

from boostbench.engine.interface import Event
from boostbench.engine.os_processes import children
from boostbench.errors import BoostbenchError

FAULTS = [
    ("Aborts", "killed", "ended by signal SIGABRT"),
    ("Segfaults", "killed", "ended by signal SIGSEGV"),
    ("Exits", "killed", "the process ended itself with exit code 0"),
    ("KillsItself", "killed", "ended by signal SIGKILL"),
    ("RaisesUnpicklable", "error", "Unpicklable: no pickle takes me"),
    ("RaisesUnprintable", "error", "Unprintable: <exception str() failed>"),
    ("RaisesSurrogate", "error", "ValueError: lone \\udc80 and nul \\0 at 0x…"),
    ("RaisesSystemExit", "error", "SystemExit: 3"),
    ("RaisesKeyboardInterrupt", "error", "KeyboardInterrupt"),
    ("RaisesMemoryErrorInside", "memory", "out of memory"),
    ("Prints", "ok", ""),
    ("PrintsAndFails", "error", "ValueError: after printing"),
    ("ClosesFiles", "killed", "the process ended itself with exit code 97"),
    ("ClosesOutput", "ok", ""),
    ("LeavesThread", "ok", ""),
    ("NotJson", "error", "benchmark_metrics_ gave a object for 'model': not a number or text"),
    ("NonFinite", "error", "non-finite predictions"),
    ("Overflows", "error", "non-finite predictions: their squared error overflows"),
    ("WrongShape", "error", "predict returned shape (10, 2) for 10 rows"),
    ("Unavailable", "skipped", "needs a thing that is not there"),
]


@pytest.fixture(scope="module")
def among_others(tmp_path_factory):
    """(outcomes by fault, those of good trials before, between and after them, summary)."""
    folder = tmp_path_factory.mktemp("faults")
    mark = save_small(folder / "arrays")
    good = [trial(mark, "SeesFaults", i % 4, i // 4) for i in range(len(FAULTS) + 1)]
    bad = [trial(mark, name) for name, _, _ in FAULTS]
    trials = [one for pair in zip(good[:-1], bad, strict=True) for one in pair]
    outcomes, summary = run(folder, [*trials, good[-1]])
    faults = {name: outcome for (name, _, _), outcome in zip(FAULTS, outcomes[1::2], strict=True)}
    return faults, outcomes[::2], summary


@pytest.mark.parametrize(("name", "status", "reason"), FAULTS, ids=[f[0] for f in FAULTS])
def test_a_fault_is_one_row(among_others, name, status, reason):
    outcome = among_others[0][name]
    assert (outcome.status, outcome.reason) == (status, reason)


def test_a_fault_harms_no_other_trial(among_others):
    faults, others, summary = among_others
    assert [o.status for o in others] == ["ok"] * (len(FAULTS) + 1)
    assert summary.done == len(others) + len(faults)
    assert not summary.interrupted


def test_a_failure_keeps_its_traceback_and_the_end_of_the_output(among_others):
    outcome = among_others[0]["PrintsAndFails"]
    assert 'raise ValueError("after printing")' in outcome.traceback
    assert outcome.output.startswith("yyy")
    assert outcome.output.endswith("the last words")
    assert len(outcome.traceback) + len(outcome.output) < 50_000
    # An abort is reported with its place.
    outcome = among_others[0]["Aborts"]
    assert "Fatal Python error: Aborted" in outcome.output
    assert "faulty.py" in outcome.output


def test_a_trial_over_its_time_is_killed_also_when_it_ignores_sigterm(tmp_path, mark):
    names = ("IgnoresSigterm", "Mean", "Slow", "Noisy")
    trials = [trial(mark, name) for name in names]
    outcomes, _ = run(tmp_path, trials, limits=TrialLimits(time_s=0.5, grace_s=0.3))
    assert [o.status for o in outcomes] == ["timeout", "ok", "timeout", "ok"]
    for outcome in outcomes[::2]:
        assert outcome.reason == "over the time limit of 0.5 s"
        # Left alone, they take a minute and for ever.
        assert 0.5 <= outcome.times["wall_s"] < 60
    # It says where it was.
    assert "in harm" in outcomes[2].output


def test_a_trial_over_its_memory_is_ended(tmp_path, mark):
    # What earlier trials left in memory does not count.
    names = ["Mean", "Allocates", "Noisy", "AllocatesShared", "Prints"]
    trials = [trial(mark, name) for name in names]
    trials += [trial(mark, "Hoards", fold=fold) for fold in range(4)]
    outcomes, _ = run(tmp_path, trials, limits=TrialLimits(memory_bytes=2**28, time_s=60))
    assert [o.status for o in outcomes] == ["ok", "memory", "ok", "memory", *["ok"] * 5]
    assert {o.reason for o in outcomes} == {"", "over the memory limit of 256 MiB"}


def test_fifty_children_die_with_their_trial_daemons_too(tmp_path, mark):
    ends = {"Forks": "ok", "ForksAndAborts": "killed", "ForksAndStays": "timeout"}
    trials, left, limited = [], {}, TrialLimits(time_s=3, grace_s=0.3)
    for seed, name in enumerate(ends):
        trials += [trial(mark, name, where=str(tmp_path / name)), trial(mark, seed=seed)]
    bomb_before = dict(zip([t.key for t in trials[1::2]], ends, strict=True))

    def listener(event: Event):
        # The end of the run kills all anyway: they must be dead while it is in progress.
        if event.kind == "end" and event.trial.key in bomb_before:
            name = bomb_before[event.trial.key]
            pids = [int(pid) for pid in (tmp_path / name).read_text().split()]
            # A trial killed by the clock may not have started its fiftieth child.
            assert len(pids) == 50 or ends[name] == "timeout"
            ended(pids, 200)
            left[name] = living(pids)

    outcomes, _ = run(tmp_path, trials[:4], listener=listener)
    outcomes += run(
        tmp_path / "limited",
        trials[4:],
        limits=limited,
        listener=listener,
        arrays_dir=tmp_path / "arrays",
    )[0]
    assert [o.status for o in outcomes[::2]] == list(ends.values())
    assert [o.status for o in outcomes[1::2]] == ["ok"] * 3
    assert left == {name: [] for name in ends}


def test_a_trial_that_writes_into_its_arrays_changes_no_other(tmp_path, mark):
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
    assert children(os.getpid()) == []


def test_workers_that_cannot_start_end_the_run_in_a_sentence(tmp_path, mark, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(BoostbenchError, match="worker processes cannot be started"):
        run(tmp_path, [trial(mark)])


def test_an_interrupt_lets_the_running_trial_end(tmp_path, mark):
    trials = [trial(mark, "Naps", i % 4, i // 4) for i in range(8)]

    def listener(event):
        if event.kind == "end":
            signal.raise_signal(signal.SIGINT)

    outcomes, summary = run(tmp_path, trials, jobs=1, listener=listener)
    assert summary.interrupted
    assert [o is not None for o in outcomes] == [True] + [False] * 7


def test_an_error_of_the_listener_leaves_no_process(tmp_path, mark):
    def listener(event):
        if event.kind == "end":
            raise RuntimeError("the listener's own")

    with pytest.raises(RuntimeError, match="the listener's own"):
        run(tmp_path, [trial(mark, "Slow", 1), trial(mark)], jobs=2, listener=listener)
    assert children(os.getpid()) == []


def test_a_killed_warm_process_costs_no_trial(tmp_path, mark):
    trials = [trial(mark, "Noisy", i % 4, i // 4) for i in range(16)]
    killed, moments = set(), {trials[5].key, trials[10].key}

    def listener(event):
        if event.kind == "start" and event.trial.key in moments:
            moments.remove(event.trial.key)
            for server in children(os.getpid()):
                os.kill(server, signal.SIGKILL)
                killed.add(server)

    # Several threads find the same process gone.
    outcomes, summary = run(tmp_path, trials, jobs=4, listener=listener)
    assert len(killed) == 2
    assert [o.status for o in outcomes] == ["ok"] * 16
    assert summary.done == 16
