"""Power fails at a random moment: what was committed is there, and the file is sound."""

import contextlib
import dataclasses
import os
from pathlib import Path

import pytest

pytest.importorskip("apsw", reason="needs apsw, as in boostbench[test]")

from simulated_disk import mounted, rng_of
from store_parts import LEARNT, OK, PLAN, make_trial

from boostbench.errors import StoreError
from boostbench.store.store import Store

# Of each of four kinds; BOOSTBENCH_STRESS=30 makes 1,200 power losses.
MOMENTS = 20 * int(os.environ.get("BOOSTBENCH_STRESS", "1"))
RECORD = {"name": "d3", "folds": 4}


def write(folder, done):
    """Run the plan to its end; what is committed goes to ``done`` as it is."""
    store = Store.open(folder, create=True)
    try:
        store.set_plan(RECORD, PLAN)
        done["plan"] = PLAN
        store.begin_run("env", {"cpu": "one"}, command=["boostbench", "run", "d3"])
        done["run"] = True
        for i, trial in enumerate(PLAN):
            store.mark_running(trial, 0)
            outcome = LEARNT if i % 2 else OK
            store.record(trial, outcome, "env")
            done[trial.key] = outcome
    finally:
        store.close()


class NothingThere(Exception):
    """No table was committed."""


def read(folder):
    """What the next process finds; it can write there itself."""
    try:
        Store.open(folder, create=False, read_only=True).close()
    except StoreError as error:
        if "holds no results yet" in str(error):
            raise NothingThere from error
        raise
    with Store.open(folder, create=False, read_only=True) as store:
        found = store.plan(), store.outcomes(), store.runs()
    with Store.open(folder, create=False) as store:
        store.set_plan(RECORD, PLAN)
        store.record(PLAN[-1], OK, "later")
        assert store.outcome(PLAN[-1].key) == OK
    return found


@pytest.fixture(params=["WAL", "DELETE"])
def journal(request, monkeypatch):
    """The journal mode, DELETE being that of network file systems."""
    if request.param == "DELETE":
        monkeypatch.setattr("boostbench.store.sqlite._mount_of", lambda path: ("nfs4", "rw"))
    return request.param


@pytest.fixture
def operations(tmp_path, journal):
    """How many operations on the disk an undisturbed run takes."""
    with pytest.MonkeyPatch.context() as patch, mounted(patch) as disk:
        write(tmp_path / "whole", {})
    return disk.operations


def crashed(tmp_path, moment, *, power):
    """End a run at its operation ``moment``; return what was committed and the next folder."""
    done = {}
    folder, image = tmp_path / f"before{moment}", tmp_path / f"after{moment}"
    with pytest.MonkeyPatch.context() as patch, mounted(patch, crash_at=moment) as disk:
        # Where it happens while the file is closed, nobody is left to hear of it.
        with contextlib.suppress(StoreError):
            write(folder, done)
        assert disk.gone
        disk.image(folder, image, rng_of("power", moment) if power else None)
    return done, image


@pytest.mark.parametrize("power", [True, False], ids=["power loss", "kill"])
def test_nothing_committed_is_lost(tmp_path, journal, operations, power):
    rng = rng_of("moments", journal, power)
    assert operations > 60
    for moment in sorted(rng.choices(range(1, operations), k=MOMENTS)):
        done, image = crashed(tmp_path / f"{len(list(tmp_path.iterdir()))}", moment, power=power)
        if "plan" not in done:
            # Before anything was committed there may be nothing, but never half of it.
            with contextlib.suppress(NothingThere):
                read(image)
            continue
        plan, outcomes, runs = read(image)
        committed = {trial.key: done[trial.key] for trial in PLAN if trial.key in done}
        assert plan == PLAN, moment
        assert {key: outcomes.get(key) for key in committed} == committed, moment
        assert set(outcomes) <= {trial.key for trial in PLAN[: len(committed) + 1]}, moment
        assert bool(committed) <= len(runs) <= 1, moment


def test_the_folder_itself_is_on_the_disk_before_the_first_commit(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync

    def noted(descriptor):
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        fsync(descriptor)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs /proc")
    monkeypatch.setattr(os, "fsync", noted)
    Store.open(tmp_path / "a" / "b" / "results", create=True).close()
    made = [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
    assert {str(path) for path in made} <= set(synced)


def test_marks_of_running_trials_keep_what_was_recorded_before_them(tmp_path, monkeypatch):
    """They wait for no disk, but it is one of them that moves the outcomes into the main file."""
    trials = [make_trial(seed=seed) for seed in range(60)]
    big = dataclasses.replace(OK, traceback="x" * 100_000)
    log = tmp_path / "r" / "store.sqlite-wal"
    with mounted(monkeypatch) as disk:
        store = Store.open(tmp_path / "r", create=True)
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
        with Store.open(tmp_path / str(number), create=False, read_only=True) as found:
            assert found.outcomes() == done
            assert found.plan() == trials
