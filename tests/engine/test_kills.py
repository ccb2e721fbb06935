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
SIZE = 12 * KILLS
PLAN = f"varied{SIZE}"
TARGETS = ("parent", "worker", "warm process", "group", "everything")

pytestmark = pytest.mark.timeout(300 + 20 * STRESS)


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


def test_random_kills_of_any_process_lose_nothing(tmp_path, uninterrupted):
    moments = random.Random(1)
    kept, process = {}, None
    struck = dict.fromkeys(TARGETS, 0)
    for number in range(KILLS):
        process = process or start(tmp_path, 2, PLAN, start_new_session=True)
        if not wait_for(process, "end"):
            break
        time.sleep(moments.uniform(0.0, 0.1))
        target = TARGETS[number % len(TARGETS)]
        struck[target] += 1
        if strike(process, target, moments):
            process.communicate()
            assert left_of(process.pid) == []
            now = recorded(tmp_path)
            assert kept.items() <= now.items()
            kept, process = now, None
    assert min(struck.values()) >= 1, struck
    assert finish(tmp_path, kept, process) == uninterrupted


def moments_of_death():
    """In the making of the tables, in the plan, and around the first outcomes."""
    if STRESS == 1:
        return ["sql:7", "sql:30", f"sql:{SIZE + 22}", "end:1", "start:13"]
    early, late = range(1, 60), range(SIZE, SIZE + 10 * STRESS, 3)
    return [*(f"sql:{n}" for n in (*early, *late)), "end:1", "start:13"]


def test_a_run_killed_at_any_statement_resumes_by_any_clock(tmp_path, uninterrupted, monkeypatch):
    # The clock jumps back by an hour each time that an outcome is recorded.
    monkeypatch.setenv("DRIVER_CLOCK", "3600")
    kept, killed = {}, 0
    for moment in moments_of_death():
        process = start(tmp_path, 2, PLAN, die=moment)
        out, _ = process.communicate(timeout=200)
        now = recorded(tmp_path)
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
    assert killed >= 5
    assert finish(tmp_path, kept) == uninterrupted
    with reader(tmp_path / "results") as store:
        times = [outcome.times["wall_s"] for outcome in store.outcomes().values()]
        assert 0 < min(times) <= max(times) < 3600
    moments = sorted(row[9] for row in recorded(tmp_path).values())
    # With many kills each process records few outcomes, and its clock starts anew.
    hours = SIZE / 2 if STRESS == 1 else 10
    assert moments[-1] - moments[0] > hours * 3600


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


@pytest.fixture
def bombs(tmp_path, monkeypatch):
    """A run of a trial with fifty children, and these; none is left in the end."""
    log = tmp_path / "pids"
    monkeypatch.setenv("DRIVER_PIDS", str(log))
    process = start(tmp_path, 1, "bombs", start_new_session=True)
    try:
        wait_for(process, "start")
        wait_until(lambda: log.exists() and len(log.read_text().split()) >= 50)
        yield process, [int(pid) for pid in log.read_text().split()]
    finally:
        process.kill()
        process.communicate()
    assert ended([int(pid) for pid in log.read_text().split()])
    assert left_of(process.pid) == []


@pytest.mark.parametrize("target", ["parent", "worker"])
def test_the_fifty_children_of_a_trial_die_with_its_process(bombs, target):
    process, children = bombs
    strike(process, target, random.Random(0))
    assert ended(children)


def test_daemons_of_a_killed_warm_process_are_found_without_their_parents(bombs):
    process, children = bombs
    # The worker is dead and its daemons are orphans before the run can look after them.
    process.send_signal(signal.SIGSTOP)
    (server,) = psutil.Process(process.pid).children()
    workers = [worker.pid for worker in server.children()]
    strike(process, "warm process", random.Random(0))
    assert ended(workers)
    # Its end of the socket closes before its children are killed: they may have killed some.
    assert living(children)
    process.send_signal(signal.SIGCONT)
    assert ended(children)
