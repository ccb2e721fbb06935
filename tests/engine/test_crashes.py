"""The run itself is killed, signalled or left without disk: what was recorded stays as it was."""

import os
import random
import signal
import time

import psutil
import pytest
from driving import left_of, processes_of, recorded, start, wait_for
from support import exported, reader, run, trial, wait_until


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    process = start(folder, 2, "mixed")
    process.communicate(timeout=200)
    assert process.returncode == 0
    return exported(folder / "results")


def test_a_run_killed_at_random_moments_and_resumed_exports_the_same_bytes(tmp_path, uninterrupted):
    jobs, moments = 4, random.Random(4)
    done = []
    for _ in range(4):
        process = start(tmp_path, jobs, "mixed")
        wait_for(process, "running")
        time.sleep(moments.uniform(0.0, 0.8))
        process.kill()
        process.communicate()
        with reader(tmp_path / "results") as store:
            done.append(len(store.outcomes()))
            assert len(store.missing()) == 62 - done[-1]
            assert store.running() == []
    assert done == sorted(done)
    process = start(tmp_path, jobs, "mixed")
    process.communicate(timeout=200)
    assert process.returncode == 0
    assert exported(tmp_path / "results") == uninterrupted


def test_a_clock_that_jumps_back_changes_nothing(tmp_path, uninterrupted, monkeypatch):
    monkeypatch.setenv("DRIVER_CLOCK", "3600")
    process = start(tmp_path, 2, "mixed")
    process.communicate(timeout=200)
    assert process.returncode == 0
    assert exported(tmp_path / "results") == uninterrupted
    with reader(tmp_path / "results") as store:
        times = [outcome.times["wall_s"] for outcome in store.outcomes().values()]
        assert 0 < min(times) <= max(times) < 3600
    moments = sorted(row[9] for row in recorded(tmp_path).values())
    assert moments[-1] - moments[0] > 60 * 3600


@pytest.mark.parametrize("whole_group", [False, True])
def test_no_process_outlives_a_killed_run(tmp_path, whole_group):
    process = start(tmp_path, 2, "slow", start_new_session=True)
    wait_for(process, "start", 2)
    # A trial is given to a process that is only being started.
    wait_until(lambda: len(processes_of(process.pid)) >= 3)
    if whole_group:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()
    assert left_of(process.pid) == []


def test_a_killed_warm_process_costs_no_trial(tmp_path, mark):
    trials = [trial(mark, "Noisy", i % 4, i // 4) for i in range(24)]
    killed = []
    moments = {trials[5].key, trials[14].key}

    def listener(event):
        if event.kind == "start" and event.trial.key in moments:
            moments.remove(event.trial.key)
            servers = [p for p in psutil.Process().children() if "warm.main" in str(p.cmdline())]
            for server in servers:
                server.kill()
                killed.append(server.pid)

    # Several threads find the same process gone.
    outcomes, summary = run(tmp_path, trials, jobs=4, listener=listener)
    assert len(set(killed)) == 2
    assert [o.status for o in outcomes] == ["ok"] * 24
    assert summary.done == 24


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
    assert processes_of(os.getpid()) == []


def test_a_file_that_may_not_grow_ends_the_run_in_a_sentence(tmp_path):
    process = start(tmp_path, 2, "300", str(150_000))
    out, _ = process.communicate(timeout=200)
    assert process.returncode == 2, out
    last = out.strip().splitlines()[-1]
    assert last.startswith("sentence:")
    assert "what had been recorded is kept" in last
    with reader(tmp_path / "results") as store:
        kept = store.outcomes()
    ended = sum(line.startswith("end") for line in out.splitlines())
    assert ended <= len(kept) <= ended + 2
    process = start(tmp_path, 2, "300")
    process.communicate(timeout=200)
    assert process.returncode == 0
    with reader(tmp_path / "results") as store:
        assert store.missing() == []
        assert kept.items() <= store.outcomes().items()
