"""Readers, killed runs, bad files, bad disks and file systems without what a store needs."""

import dataclasses
import os
import shutil
import subprocess
import sys
from collections import deque
from contextlib import contextmanager

import pytest
from store_parts import OK, PLAN, altered, make_trial

from boostbench.errors import StoreError
from boostbench.store.export import export_results
from boostbench.store.merge_stores import contents_of
from boostbench.store.store import Store


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_reader_sees_one_moment_and_keeps_no_writer_waiting(folder, journal):
    altered(folder, f"PRAGMA journal_mode = {journal}")
    with Store.read(folder) as reader:
        assert reader.experiment()["name"] == "d3"
        with Store.open(folder) as writer:
            writer.set_plan({"name": "another"}, PLAN[:3])
            writer.record(PLAN[4], OK, "")
        # The plan of one moment and the experiment of the next were seen together.
        assert reader.experiment()["name"] == "d3"
        assert reader.plan() == PLAN
        assert PLAN[4].key not in reader.outcomes()
        assert len(contents_of(reader).plan) == len(PLAN)
    with Store.read(folder) as reader:
        assert (reader.experiment()["name"], len(reader.plan())) == ("another", 3)


def test_trials_to_be_run_again_are_missing_until_they_are_recorded(folder):
    keys = [trial.key for trial in PLAN[:2]]
    with Store.open(folder) as writer:
        writer.run_again(keys)
        writer.run_again(keys[:1])
        assert [trial.key for trial in writer.missing()][:2] == keys
        writer.record(PLAN[0], OK, "")
    with Store.read(folder) as reader:
        assert reader.to_run_again() == {keys[1]}
        assert reader.missing()[0].key == keys[1]
        assert reader.outcomes()[keys[1]].status == "error"


def test_no_store_there(tmp_path):
    with pytest.raises(StoreError, match="holds no results yet"):
        Store.read(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_run_killed_before_its_tables_were_made_starts_again(tmp_path):
    altered(tmp_path, "PRAGMA journal_mode = WAL")
    with pytest.raises(StoreError, match="holds no results yet"):
        Store.read(tmp_path)
    with Store.open(tmp_path) as store:
        assert store.plan() == []


@contextmanager
def tmpfs(path, options):
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a file system")
    path.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=False)
    if done.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_full_disk_keeps_recorded_results(tmp_path):
    big = dataclasses.replace(OK, traceback="x" * 20_000)
    trials = [make_trial(seed=seed) for seed in range(200)]
    with tmpfs(tmp_path / "disk", "size=1m") as disk:
        store = Store.open(disk / "r")
        store.set_plan({}, trials)
        recorded = []

        def record(trial):
            store.record(trial, big, "")
            recorded.append(trial.key)

        with pytest.raises(StoreError, match="is full; recorded results are kept"):
            deque(map(record, trials))
        store.close()
        assert 5 < len(recorded) < 200
        with Store.read(disk / "r") as store:
            assert list(store.outcomes()) == recorded
        (disk / "filler").write_bytes(b"x" * shutil.disk_usage(disk).free)
        with (
            Store.read(disk / "r") as store,
            pytest.raises(StoreError, match="No space left"),
        ):
            export_results(store, disk)
        assert not (disk / "trials.csv").exists()
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        with Store.open(disk / "r") as store:
            assert len(store.missing()) == 200 - len(recorded)
            for trial in store.missing():
                store.record(trial, big, "")
            assert store.missing() == []


@pytest.mark.parametrize("killed", [False, True])
def test_a_read_only_disk_is_reported_and_can_be_read(tmp_path, killed):
    with tmpfs(tmp_path / "disk", "size=8m") as disk:
        if killed:
            script = (
                "import os, sys; from pathlib import Path; sys.path[:] = eval(sys.argv[2]);"
                "from store_parts import OK, PLAN; from boostbench.store.store import Store;"
                "s = Store.open(Path(sys.argv[1]));"
                "s.set_plan({}, PLAN); s.record(PLAN[0], OK, ''); os.kill(os.getpid(), 9)"
            )
            here = repr(sys.path)
            subprocess.run([sys.executable, "-P", "-c", script, str(disk), here], check=False)
        else:
            with Store.open(disk) as store:
                store.set_plan({}, PLAN)
                store.record(PLAN[0], OK, "")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(StoreError, match="results cannot be written to"):
            Store.open(disk)
        with pytest.raises(StoreError, match="results cannot be written to"):
            Store.open(disk / "new")
        with Store.read(disk) as store:
            assert store.outcomes()[PLAN[0].key] == OK
            with pytest.raises(StoreError, match="results cannot be written to"):
                export_results(store, disk)
