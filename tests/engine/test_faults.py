"""Any fault of a trial becomes its own row, and changes no other trial."""

import os
import signal
import sys
from dataclasses import dataclass

import pytest
from support import NO_LIMITS, TrialLimits, ended, living, reader, run, save_small, trial

from boostbench.engine.interface import Event, Summary
from boostbench.engine.os_processes import children
from boostbench.errors import BoostbenchError
from boostbench.store.types import Outcome

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
    ("KilledOnce", "ok", ""),
    ("Forks", "ok", ""),
    ("ForksAndAborts", "killed", "ended by signal SIGABRT"),
    ("ChangesData", "ok", ""),
    ("ChangesDataToo", "ok", ""),
]
# Those over a limit of a second, whose imports may take a little longer.
OVER_TIME = [
    ("IgnoresSigterm", "over the time limit of 1 s"),
    ("Slow", "over the time limit of 1 s"),
    ("ForksAndStays", "over the time limit of 1 s"),
    ("endless_import:Never", "importing endless_import takes more than 1.5 s"),
]


@dataclass
class Run:
    """A run of trials with a fault, each before a good one.

    ``children`` has, by fault, all processes that a trial has started, and those of them that still
    live when the good trial after it has ended.
    """

    faults: dict[str, Outcome]
    others: list[Outcome]
    summary: Summary
    events: list[Event]
    children: dict[str, tuple[list[int], list[int]]]


def run_faults(folder, names, limits):
    """Return the ``Run`` in ``folder`` of a trial with each of the faults ``names``."""
    mark = save_small(folder / "arrays")
    bad = [trial(mark, name, where=str(folder / name)) for name in names]
    good = [trial(mark, "SeesFaults", i % 4, i // 4) for i in range(len(names))]
    fault_before = dict(zip([one.key for one in good], names, strict=True))
    events, seen = [], {}

    def listen(event):
        events.append(event)
        # The end of the run kills all anyway: they must be dead while it is in progress.
        if event.kind == "end" and "Forks" in (name := fault_before.get(event.trial.key, "")):
            pids = [int(pid) for pid in (folder / name).read_text().split()]
            ended(pids, 200)
            seen[name] = pids, living(pids)

    trials = [one for pair in zip(bad, good, strict=True) for one in pair]
    outcomes, summary = run(folder, trials, limits=limits, listener=listen)
    faults = dict(zip(names, outcomes[::2], strict=True))
    return Run(faults, outcomes[1::2], summary, events, seen)


@pytest.fixture(scope="module")
def unlimited(tmp_path_factory):
    """A run of all ``FAULTS``."""
    return run_faults(tmp_path_factory.mktemp("faults"), [name for name, *_ in FAULTS], NO_LIMITS)


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    """A run of all that are ``OVER_TIME``."""
    limits = TrialLimits(time_s=1.0, grace_s=0.3, import_s=1.5)
    return run_faults(tmp_path_factory.mktemp("limited"), [name for name, _ in OVER_TIME], limits)


@pytest.mark.parametrize(("name", "status", "reason"), FAULTS, ids=[f[0] for f in FAULTS])
def test_a_fault_is_one_row(unlimited, name, status, reason):
    outcome = unlimited.faults[name]
    assert (outcome.status, outcome.reason) == (status, reason)


def test_a_fault_harms_no_other_trial(unlimited):
    assert [o.status for o in unlimited.others] == ["ok"] * len(FAULTS)
    assert unlimited.summary.done == 2 * len(FAULTS)
    assert not unlimited.summary.interrupted


def test_a_failure_keeps_its_traceback_and_the_end_of_the_output(unlimited):
    outcome = unlimited.faults["PrintsAndFails"]
    assert 'raise ValueError("after printing")' in outcome.traceback
    assert outcome.output.startswith("yyy")
    assert outcome.output.endswith("the last words")
    assert len(outcome.traceback) + len(outcome.output) < 50_000
    # An abort is reported with its place.
    outcome = unlimited.faults["Aborts"]
    assert "Fatal Python error: Aborted" in outcome.output
    assert "faulty.py" in outcome.output


@pytest.mark.parametrize(("name", "reason"), OVER_TIME, ids=[name for name, _ in OVER_TIME])
def test_a_trial_over_its_time_is_killed_also_when_it_ignores_sigterm(limited, name, reason):
    outcome = limited.faults[name]
    assert (outcome.status, outcome.reason) == ("timeout", reason)
    # Left alone, they take a minute and more, or for ever.
    assert 1.0 <= outcome.times["wall_s"] < 60
    assert [o.status for o in limited.others] == ["ok"] * len(OVER_TIME)


def test_a_trial_over_its_time_says_where_it_was(limited):
    assert "in harm" in limited.faults["Slow"].output


def test_a_trial_over_its_memory_is_ended(tmp_path, mark):
    # What earlier trials left in memory does not count.
    names = ["Mean", "Allocates", "Noisy", "AllocatesShared", "Prints"]
    trials = [trial(mark, name) for name in names]
    trials += [trial(mark, "Hoards", fold=fold) for fold in range(4)]
    # Memory that is asked for counts, also where it is never touched.
    trials += [trial(mark, "own_workers:Reserves"), trial(mark, "own_workers:Where")]
    outcomes, _ = run(tmp_path, trials, limits=TrialLimits(memory_bytes=2**28, time_s=60))
    statuses = ["ok", "memory", "ok", "memory", *["ok"] * 5, "memory", "ok"]
    assert [o.status for o in outcomes] == statuses
    assert {o.reason for o in outcomes} == {"", "over the memory limit of 256 MiB"}


def test_fifty_children_die_with_their_trial_daemons_too(unlimited, limited):
    assert set(unlimited.children) == {"Forks", "ForksAndAborts"}
    for started, left in unlimited.children.values():
        assert len(started) == 50
        assert left == []
    # A trial killed by the clock may not have started its fiftieth child.
    started, left = limited.children["ForksAndStays"]
    assert started
    assert left == []


def test_a_trial_that_writes_into_its_arrays_changes_no_other(unlimited):
    first, second = (unlimited.faults[name] for name in ("ChangesData", "ChangesDataToo"))
    assert first.metrics["seen"] == second.metrics["seen"]


def test_a_trial_whose_worker_is_killed_from_outside_runs_again(unlimited):
    first, last = (
        number
        for number, event in enumerate(unlimited.events)
        if event.trial is not None and event.trial.method == "killedonce"
    )
    details = [event.detail for event in unlimited.events[first + 1 : last]]
    assert details == ["a worker was ended by SIGKILL: its trial runs again"]


def test_workers_also_start_without_forking(tmp_path, mark, monkeypatch):
    monkeypatch.setenv("BOOSTBENCH_START_METHOD", "spawn")
    outcomes, _ = run(tmp_path, [trial(mark, "Aborts"), trial(mark)])
    assert [o.status for o in outcomes] == ["killed", "ok"]
    assert children(os.getpid()) == []


def test_workers_that_cannot_start_end_the_run_in_a_sentence(tmp_path, mark, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(BoostbenchError, match="worker processes cannot be started"):
        run(tmp_path, [trial(mark)])


def test_a_killed_warm_process_costs_no_trial_and_an_error_of_the_listener_leaves_no_process(
    tmp_path, mark
):
    trials = [trial(mark, "Noisy", i % 4, i // 4) for i in range(12)]
    killed, kinds = [], []

    def listener(event):
        kinds.append(event.kind)
        if event.kind == "start" and event.trial.key == trials[5].key:
            killed.extend(children(os.getpid()))
            for server in killed:
                os.kill(server, signal.SIGKILL)
        if kinds.count("end") == 12:
            assert children(os.getpid()) != []
            raise RuntimeError("the listener's own")

    # Several threads find the same process gone. The last trial is running when the listener fails.
    with pytest.raises(RuntimeError, match="the listener's own"):
        run(tmp_path, [*trials, trial(mark, "Slow")], jobs=4, listener=listener)
    assert children(os.getpid()) == []
    assert len(killed) == 1
    assert kinds.count("start") == 13
    with reader(tmp_path / "results") as store:
        outcomes = store.outcomes()
    assert {outcomes[one.key].status for one in trials} == {"ok"}
    assert len(outcomes) == 12
