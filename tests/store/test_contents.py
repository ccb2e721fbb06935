"""The runs, the shard and the rows of a store, and the columns of its tables."""

import csv
import os
import threading
import time

import pytest
from store_parts import OK, PLAN, altered, make_trial

from boostbench.errors import ConfigError
from boostbench.plan.shard import Shard
from boostbench.store.export import export_results
from boostbench.store.store import Store
from boostbench.store.types import Outcome, RecordedRun

DETAILS = {"git": None, "cpus": 2}


@pytest.fixture
def ran(tmp_path):
    """A store with one run of a shard on a cluster, and one plain run after it."""
    with Store.open(tmp_path / "ran") as store:
        store.set_plan({"name": "d3", "shard": "2/3"}, PLAN)
        store.begin_run(
            "env",
            {"cpu": "one"},
            command=["boostbench", "run"],
            shard="2/3",
            cluster="slurm",
            details=DETAILS,
        )
        store.record(PLAN[1], OK, "env")
        store.begin_run("env", {"cpu": "one"})
        store.record(PLAN[4], Outcome("error", "no"), "env")
    return tmp_path / "ran"


def test_a_run_comes_back_with_all_its_details(ran):
    with Store.read(ran) as store:
        first, second = store.runs()
        assert first == RecordedRun(
            first.id, "env", ["boostbench", "run"], first.started, "2/3", "slurm", DETAILS
        )
        assert second == RecordedRun(second.id, "env", [], second.started, "", "", {})
        assert first.id != second.id
        assert time.time() - 600 < first.started <= second.started <= time.time()
        assert store.run_of(PLAN[4].key) == second
        assert store.run_of(PLAN[5].key) is None


def test_a_store_of_a_shard_is_for_its_trials_only(ran, folder):
    with Store.read(ran) as store:
        assert store.shard() == Shard(2, 3)
        assert store.part() == PLAN[1::3]
        assert store.plan() == PLAN
    with Store.read(folder) as store:
        assert store.shard() is None
        assert store.part() == PLAN


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_store_opened_in_one_thread_is_read_in_another(folder, journal, monkeypatch, tmp_path):
    altered(folder, f"PRAGMA journal_mode = {journal}")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = []
    with Store.read(folder) as store:
        thread = threading.Thread(target=lambda: found.append(store.plan()))
        thread.start()
        thread.join()
    assert found == [PLAN]
    # Reading leaves no file, here or there.
    assert os.listdir() == []  # noqa: PTH208
    with Store.open(folder) as store:
        thread = threading.Thread(target=store.record, args=(PLAN[6], OK))
        thread.start()
        thread.join()
        assert store.outcomes()[PLAN[6].key] == OK


def header(path):
    return path.read_text().splitlines()[0].split(",")


LABELS = [
    "dataset",
    "method",
    "fold",
    "seed",
    "folds",
    "split_seed",
    "task",
    "scale_features",
    "scale_target",
    "estimator",
    "method_version",
    "fingerprint",
]
LAST = ["params", "key", "status", "reason"]


def test_times_name_the_partition_where_there_are_several(tmp_path):
    curve = Outcome(
        "ok", metrics={"r2": 0.5}, times={"fit_s": 1.0}, curve={"objective": [3.0, 2.0]}
    )
    which = ["dataset", "method", "split_seed", "fold", "seed", "key"]
    for name, split_seeds, labels in (
        ("one", (5,), [label for label in which if label != "split_seed"]),
        ("two", (5, 0), which),
    ):
        plan = [make_trial(split_seed=split_seed) for split_seed in split_seeds]
        with Store.open(tmp_path / name) as store:
            store.set_plan({}, plan)
            store.record(plan[0], curve)
            trials, times, curves = export_results(store, tmp_path / name)
        assert header(trials) == [*LABELS, *LAST, "r2"]
        assert header(times) == [*labels, "status", "fit_s"]
        assert header(curves) == [*labels, "iteration", "objective"]
        with times.open() as lines:
            rows = list(csv.DictReader(lines))
        assert [row.get("split_seed") for row in rows] == (["5"] if len(plan) > 1 else [None])


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_discarded_store_removes_only_its_own_files(tmp_path, folder):
    store = Store.open(tmp_path / "new" / "deep")
    assert store.is_new
    store.set_plan({}, PLAN)
    store.discard()
    assert not (tmp_path / "new").exists()
    # A folder of the user's, and files that only begin alike.
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "store.sqlite.bak").write_text("mine")
    Store.open(mine / "deep").discard()
    Store.open(mine).discard()
    assert tree(mine) == ["store.sqlite.bak"]
    # What another call has put in between stays, with the folders that hold it.
    store = Store.open(tmp_path / "x" / "y")
    (tmp_path / "x" / "notes.txt").write_text("mine")
    store.discard()
    assert tree(tmp_path / "x") == ["notes.txt"]
    # A store that was there stays as it is, and its lock is free again.
    before = (folder / "store.sqlite").read_bytes()
    store = Store.open(folder)
    assert not store.is_new
    store.discard()
    assert (folder / "store.sqlite").read_bytes() == before
    assert (folder / "store.lock").exists()
    Store.read(folder).discard()
    with Store.open(folder) as store:
        assert store.plan() == PLAN


def test_a_reader_selects_trials_and_reads_outcomes_once(ran):
    only = ["seed=1", "fold=0,1"]
    with Store.read(ran, only=only) as reader:
        assert reader.part() == [t for t in PLAN[1::3] if t.seed == 1 and t.fold in (0, 1)]
        reader.part().clear()
        reader.outcomes().clear()
        assert reader.part()
        before = reader.outcomes()
        with Store.open(ran) as writer:
            assert before == writer.outcomes()
            writer.record(PLAN[7], OK, "env")
            assert PLAN[7].key in writer.outcomes()
            assert writer.part() == PLAN[1::3]
        assert reader.outcomes() == before
        assert reader.statuses() == {key: outcome.status for key, outcome in before.items()}
    with (
        Store.read(ran, only=["seed=9"]) as reader,
        pytest.raises(ConfigError, match="seed '9'"),
    ):
        reader.part()


def test_cells_count_what_ran_of_the_trials_that_the_store_is_for(ran):
    again = PLAN[1].key
    with Store.open(ran) as writer:
        writer.run_again([again])
    for only in ([], ["seed=1"], ["seed=1", "fold=0,1"]):
        with Store.read(ran, only=only) as reader:
            (cell,) = reader.cells()
            part, statuses = reader.part(), reader.statuses()
            ended = [statuses[trial.key] for trial in part if trial.key in statuses]
            assert cell.trials == len(part)
            assert (cell.dataset, cell.method) == (part[0].dataset, part[0].method)
            assert cell.recorded == {status: ended.count(status) for status in ended}
            assert sum(cell.again.values()) == sum(trial.key == again for trial in part)
            assert cell.missing == len({t.key for t in reader.missing()} & {t.key for t in part})


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_reader_keeps_no_writer_waiting_and_sees_one_moment(ran, journal, monkeypatch):
    kind = "ext4" if journal == "WAL" else "nfs4"
    monkeypatch.setattr("boostbench.store.sqlite._mount_of", lambda _: (kind, "rw"))
    with Store.open(ran) as writer, Store.read(ran) as reader:
        assert reader.database.query("PRAGMA database_list")[0][2] == (
            str(ran / "store.sqlite") if journal == "WAL" else ""
        )
        before = reader.statuses()
        for trial in PLAN:
            writer.record(trial, OK, "env")
        writer.set_plan({"name": "other"}, PLAN[:2])
        assert reader.statuses() == before != writer.statuses()
        assert reader.experiment() != writer.experiment()
        assert len(reader.outcomes()) == len(before)
