"""Power fails, a run is killed, the disk is full: commits are kept, the file is intact."""

import dataclasses
import os
from pathlib import Path

import pytest

pytest.importorskip("apsw", reason="needs apsw, as in boostbench[test]")

from simulated_disk import mounted, rng_of
from store_parts import LEARNT, OK, PLAN, make_trial

from boostbench.errors import StoreError
from boostbench.store.store import Store

# For each of three kinds with either journal; BOOSTBENCH_STRESS=30 makes 1,200 power losses.
MOMENTS = 20 * int(os.environ.get("BOOSTBENCH_STRESS", "1"))
RECORD = {"name": "d3", "folds": 4}


def run(folder, done, **faults):
    """Run the missing trials until an end or a failure: the error, if any, and the disk.

    Committed trials are added to ``done`` at once.
    """
    error = store = None
    with pytest.MonkeyPatch.context() as patch, mounted(patch, **faults) as disk:
        try:
            store = Store.open(folder)
            store.set_plan(RECORD, PLAN)
            done["plan"] = PLAN
            done["runs"] = done.get("runs", 0) + 1
            store.begin_run("env", {"cpu": "one"}, command=["boostbench", "run", "d3"])
            for trial in store.missing():
                store.mark_running(trial, 0)
                outcome = LEARNT if PLAN.index(trial) % 2 else OK
                store.record(trial, outcome, "env")
                done[trial.key] = outcome
        except StoreError as raised:
            error = raised
        finally:
            if store is not None:
                store.close()
    return error, disk


class NothingThere(Exception):
    """No table was committed."""


def read(folder):
    """What the next process finds; it can write there itself."""
    try:
        Store.read(folder).close()
    except StoreError as error:
        if "holds no results yet" in str(error):
            raise NothingThere from error
        raise
    with Store.read(folder) as store:
        found = store.plan(), store.outcomes(), store.runs()
    with Store.open(folder) as store:
        store.set_plan(RECORD, PLAN)
        store.record(PLAN[-1], OK, "later")
        assert store.outcomes()[PLAN[-1].key] == OK
    return found


@pytest.fixture(params=["WAL", "DELETE"])
def journal(request, monkeypatch):
    """The journal mode, DELETE being that of network file systems."""
    if request.param == "DELETE":
        monkeypatch.setattr("boostbench.store.sqlite._mount_of", lambda path: ("nfs4", "rw"))
    return request.param


def check(folder, done):
    """All that is committed is there, and at most one outcome more."""
    try:
        plan, outcomes, runs = read(folder)
    except NothingThere:
        assert "plan" not in done
        return
    # Before anything was committed there may be nothing, but never half of it.
    assert plan == PLAN or (plan == [] and "plan" not in done)
    committed = {trial.key: done[trial.key] for trial in PLAN if trial.key in done}
    assert {key: outcomes.get(key) for key in committed} == committed
    following = [trial.key for trial in PLAN if trial.key not in committed][:1]
    assert outcomes.keys() <= {*committed, *following}
    # The last trial was recorded by no run, but here.
    assert bool(committed.keys() - {PLAN[-1].key}) <= len(runs) <= done.get("runs", 0)
    done |= outcomes | {"plan": PLAN, PLAN[-1].key: OK}


@pytest.mark.parametrize("kind", ["power loss", "kill", "full disk"])
def test_nothing_committed_is_lost_over_any_number_of_mishaps(tmp_path, journal, kind):
    rng = rng_of("moments", journal, kind)
    _, undisturbed = run(tmp_path / "whole", {})
    assert undisturbed.operations > 60
    folder, done = tmp_path / "first", {}
    for number in range(MOMENTS):
        moment = rng.randrange(1, undisturbed.operations)
        if kind == "full disk":
            error, _ = run(folder, done, full_at=moment)
            assert error is None or "no space left; recorded results are kept" in str(error)
        else:
            _, disk = run(folder, done, crash_at=moment)
            if disk.gone:
                image = tmp_path / f"after{number}"
                disk.image(folder, image, rng_of(kind, number) if kind == "power loss" else None)
                folder = image
        check(folder, done)
        if all(trial.key in done for trial in PLAN):
            folder, done = tmp_path / f"new{number}", {}


def test_a_folder_that_cannot_be_written_to_keeps_its_results(tmp_path, journal):
    done = {}
    run(tmp_path / "r", done, crash_at=60)
    error, _ = run(tmp_path / "r", done, read_only=True)
    assert "read-only" in str(error) or "cannot be opened" in str(error)
    check(tmp_path / "r", done)


def test_the_folder_itself_is_on_the_disk_before_the_first_commit(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync

    def noted(descriptor):
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        fsync(descriptor)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs /proc")
    monkeypatch.setattr(os, "fsync", noted)
    Store.open(tmp_path / "a" / "b" / "results").close()
    made = [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
    assert {str(path) for path in made} <= set(synced)


def test_marks_of_running_trials_keep_earlier_records(tmp_path, monkeypatch):
    """They wait for no disk, but it is one of them that moves the outcomes into the main file."""
    trials = [make_trial(seed=seed) for seed in range(60)]
    big = dataclasses.replace(OK, traceback="x" * 100_000)
    log = tmp_path / "r" / "store.sqlite-wal"
    with mounted(monkeypatch) as disk:
        store = Store.open(tmp_path / "r")
        store.set_plan(RECORD, trials)
        done = {}
        # SQLite empties its log once it has a thousand pages.
        while log.stat().st_size < 970 * (4096 + 24):
            trial = trials[len(done)]
            store.record(trial, big)
            done[trial.key] = big
        main = (tmp_path / "r" / "store.sqlite").stat().st_size
        for _ in range(60):
            store.mark_running(trials[-1], 0)
        assert (tmp_path / "r" / "store.sqlite").stat().st_size > main
        # The next outcome is written over the log of those before.
        store.record(trials[-2], OK)
        done[trials[-2].key] = OK
        for number in range(5):
            disk.image(tmp_path / "r", tmp_path / str(number), rng_of("marks", number))
        store.close()
    for number in range(5):
        with Store.read(tmp_path / str(number)) as found:
            assert found.outcomes() == done
            assert found.plan() == trials
