"""SIGKILL to anything, at any moment: committed trials stay, the rest runs, no process is left.

``BOOSTBENCH_STRESS=20 pytest tests/engine/test_kills.py`` kills twenty times and more.
"""

import contextlib
import os
import random
import signal
import time

import psutil
import pytest
from driving import left_of, recorded, start, wait_for
from support import ended, exported, living, reader, wait_until

STRESS = int(os.environ.get("BOOSTBENCH_STRESS", "1"))
KILLS = max(5, STRESS)
SIZE = 36 if STRESS == 1 else 12 * KILLS
PLAN = f"varied{SIZE}"
TARGETS = ("parent", "worker", "warm process", "group", "everything")

pytestmark = pytest.mark.timeout(300 + 20 * STRESS)


def long(test):
    """Mark ``test`` as long, unless it is asked for by ``BOOSTBENCH_STRESS``."""
    return pytest.mark.long(test) if STRESS == 1 else test


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """The export of the whole plan, run by one worker and never disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    process = start(folder, 1, PLAN)
    process.communicate(timeout=300)
    assert process.returncode == 0
    return exported(folder / "results")


def finish(folder, kept, process=None):
    """Run the missing trials; earlier records must not change."""
    process = process or start(folder, 2, PLAN)
    process.communicate(timeout=300)
    assert process.returncode == 0
    assert kept.items() <= recorded(folder).items()
    assert left_of(process.pid) == []
    return exported(folder / "results")


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def strike(process, target, moments):
    """Kill one kind of process of the run; return whether the run itself is dead."""
    try:
        servers = psutil.Process(process.pid).children()
        workers = [child for server in servers for child in server.children()]
    except psutil.NoSuchProcess:
        servers, workers = [], []
    if target == "group":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return True
    chosen = {
        "parent": [process],
        "worker": workers and [moments.choice(workers)],
        "warm process": servers,
        "everything": [process, *servers, *workers],
    }[target]
    for one in chosen:
        kill(one.pid)
    return process in chosen


def kill_from_outside(folder, targets, kept):
    """Kill ``targets`` one after another, at random; return what is recorded, and a living run."""
    moments = random.Random(1)
    process = None
    struck = []
    for target in targets:
        process = process or start(folder, 2, PLAN, start_new_session=True)
        if not wait_for(process, "end"):
            break
        time.sleep(moments.uniform(0.0, 0.05))
        struck.append(target)
        if strike(process, target, moments):
            process.communicate()
            assert left_of(process.pid) == []
            now = recorded(folder)
            assert kept.items() <= now.items()
            kept, process = now, None
    assert set(struck) == set(targets)
    return kept, process


def die_at(folder, moments):
    """Let runs kill themselves at one moment after another; return what is recorded."""
    kept, killed = {}, 0
    for moment in moments:
        process = start(folder, 2, PLAN, die=moment)
        out, _ = process.communicate(timeout=200)
        now = recorded(folder)
        assert kept.items() <= now.items(), moment
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, moment
        assert left_of(process.pid) == []
        if not moment.startswith("sql"):
            text = sum(line.startswith("end") for line in out.splitlines())
            assert len(now) - len(kept) == text + moment.startswith("end")
        kept, killed = now, killed + 1
    assert kept
    assert killed >= min(5, len(moments))
    return kept


@pytest.fixture
def clock(tmp_path, monkeypatch):
    """A clock that is put back by an hour each time that an outcome is recorded."""
    monkeypatch.setenv("DRIVER_CLOCK", "3600")
    yield
    with reader(tmp_path / "results") as store:
        times = [outcome.times["wall_s"] for outcome in store.outcomes().values()]
        assert 0 < min(times) <= max(times) < 3600
    moments = sorted(row[9] for row in recorded(tmp_path).values())
    # The clock of each process starts anew, and some record few outcomes.
    assert moments[-1] - moments[0] > 5 * 3600


@pytest.mark.usefixtures("clock")
def test_a_run_killed_again_and_again_resumes_by_any_clock(tmp_path, uninterrupted):
    kept = die_at(tmp_path, ["sql:7", "sql:30", f"sql:{SIZE + 22}", "end:5"])
    kept, process = kill_from_outside(tmp_path, ["worker", "warm process", "everything"], kept)
    assert finish(tmp_path, kept, process) == uninterrupted


@long
def test_random_kills_of_any_process_lose_nothing(tmp_path, uninterrupted):
    targets = [TARGETS[number % len(TARGETS)] for number in range(KILLS)]
    kept, process = kill_from_outside(tmp_path, targets, {})
    assert finish(tmp_path, kept, process) == uninterrupted


def moments_of_death():
    """In the making of the tables, in the plan, and around the first outcomes."""
    if STRESS == 1:
        return ["sql:7", "sql:30", f"sql:{SIZE + 22}", "end:1", "start:13"]
    early, late = range(1, 60), range(SIZE, SIZE + 10 * STRESS, 3)
    return [*(f"sql:{n}" for n in (*early, *late)), "end:1", "start:13"]


@long
@pytest.mark.usefixtures("clock")
def test_a_run_killed_at_any_statement_resumes_by_any_clock(tmp_path, uninterrupted):
    kept = die_at(tmp_path, moments_of_death())
    assert finish(tmp_path, kept) == uninterrupted


# Beside it, tests/store/test_power_loss.py fills a simulated disk.
@long
def test_a_file_that_may_not_grow_ends_the_run_in_a_sentence(tmp_path, uninterrupted):
    process = start(tmp_path, 2, PLAN, "150000")
    out, _ = process.communicate(timeout=200)
    assert process.returncode == 2, out
    last = out.strip().splitlines()[-1]
    assert last.startswith("sentence:")
    assert "recorded results are kept" in last
    kept = recorded(tmp_path)
    ended = sum(line.startswith("end") for line in out.splitlines())
    assert ended <= len(kept) <= ended + 2 < SIZE
    assert finish(tmp_path, kept) == uninterrupted


def test_the_fifty_children_of_a_trial_die_with_any_process_of_the_run(tmp_path, monkeypatch):
    log = tmp_path / "pids"
    monkeypatch.setenv("DRIVER_PIDS", str(log))
    process = start(tmp_path, 1, "bombs", start_new_session=True)
    started = []

    def next_children():
        """The fifty children of the trial's next attempt, none before all are there."""
        pids = [int(pid) for pid in log.read_text().split()] if log.exists() else []
        new = [pid for pid in pids if pid not in started]
        return new if len(new) >= 50 else []

    try:
        wait_for(process, "start")
        for target in ("warm process", "worker", "parent"):
            wait_until(next_children, target)
            children = next_children()
            started += children
            if target == "warm process":
                # The worker is dead and its daemons are orphans before the run can look after them.
                process.send_signal(signal.SIGSTOP)
                (server,) = psutil.Process(process.pid).children()
                workers = [worker.pid for worker in server.children()]
                strike(process, target, random.Random(0))
                assert ended(workers)
                # Its end of the socket closes before its children are killed: they may have killed
                # some.
                assert living(children)
                process.send_signal(signal.SIGCONT)
            else:
                strike(process, target, random.Random(0))
            assert ended(children), target
    finally:
        process.kill()
        process.communicate()
    assert ended([int(pid) for pid in log.read_text().split()])
    assert left_of(process.pid) == []
