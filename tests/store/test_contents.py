"""The runs, the shard and the rows of a store, and the columns of its tables."""

import csv
import os
import sqlite3
import threading
import time

import pytest
from store_parts import LEARNT, OK, PLAN, make_trial

from boostbench.errors import ConfigError
from boostbench.plan.shard import Shard
from boostbench.store.export import export_results
from boostbench.store.merge import contents_of
from boostbench.store.store import Store
from boostbench.store.types import Contents, Outcome, OutcomeRow, Run

DETAILS = {"git": None, "cpus": 2}


@pytest.fixture
def ran(tmp_path):
    """A store with one run of a shard on a cluster, and one plain run after it."""
    with Store.open(tmp_path / "ran", create=True) as store:
        store.set_plan({"name": "d3", "shard": "2/3"}, PLAN)
        store.begin_run(
            "env", {"cpu": "one"}, command=["boostbench", "run"], shard="2/3", cluster="slurm",
            details=DETAILS,
        )  # fmt: skip
        store.record(PLAN[1], OK, "env")
        store.begin_run("env", {"cpu": "one"})
        store.record(PLAN[4], Outcome("error", "no"), "env")
    return tmp_path / "ran"


def test_a_run_comes_back_with_all_that_was_said_of_it(ran):
    with Store.open(ran, create=False, read_only=True) as store:
        first, second = store.runs()
        assert first == Run(
            first.id, "env", ["boostbench", "run"], first.started, "2/3", "slurm", DETAILS
        )
        assert second == Run(second.id, "env", [], second.started, "", "", {})
        assert first.id != second.id
        assert time.time() - 600 < first.started <= second.started <= time.time()
        assert store.run_of(PLAN[4].key) == second
        assert store.run_of(PLAN[5].key) is None


def test_a_store_of_a_shard_is_for_its_trials_only(ran, folder):
    with Store.open(ran, create=False, read_only=True) as store:
        assert store.shard() == Shard(2, 3)
        assert store.part() == Shard(2, 3).part(PLAN) == PLAN[1::3]
        assert store.plan() == PLAN
    with Store.open(folder, create=False, read_only=True) as store:
        assert store.shard() is None
        assert store.part() == PLAN


def test_what_is_not_there_is_none_or_empty(ran, tmp_path):
    with Store.open(ran, create=False, read_only=True) as store:
        assert store.environment_of(PLAN[5].key) == ""
        assert store.environment_of(PLAN[1].key) == "env"
        assert store.environment("env") == {"cpu": "one"}
        assert store.environment("none") is None
        assert store.planned_fingerprints() == {"yacht": "f" * 64}
        assert store.has_plan()
    with Store.open(tmp_path / "new", create=True) as store:
        assert (store.experiment(), store.plan(), store.runs()) == ({}, [], [])
        assert not store.has_plan()


def test_the_rows_of_a_store_are_all_in_its_contents(ran):
    with Store.open(ran, create=False, read_only=True) as store:
        rows = contents_of(store)
        assert isinstance(rows, Contents)
        assert rows.experiment == {"name": "d3", "shard": "2/3"}
        assert [key for key, _ in rows.plan] == [trial.key for trial in PLAN]
        assert set(rows.outcomes) == {PLAN[1].key, PLAN[4].key}
        one = rows.outcomes[PLAN[1].key]
        assert isinstance(one, OutcomeRow)
        assert (one.status, one.environment_id) == ("ok", "env")
        assert [row[0] for row in rows.environments] == ["env"]
        assert len(rows.environments[0]) == 3
        assert [(row[0], row[4], row[5]) for row in rows.runs] == [
            (run.id, run.shard, run.cluster) for run in store.runs()
        ]


def test_timed_gives_the_trials_that_ended_well(ran):
    with Store.open(ran, create=False) as store:
        store.record(PLAN[7], Outcome("error", "no", times={"fit_s": 2.0}))
        assert (PLAN[1], dict(OK.times)) in store.timed()
        assert PLAN[7] not in [trial for trial, _ in store.timed()]


def test_brief_outcomes_are_the_counts_and_the_times_only(ran):
    with Store.open(ran, create=False) as store:
        store.record(
            PLAN[7], Outcome("error", "no", times={"fit_s": 2.0}, traceback="x", output="y")
        )
        brief = store.outcomes(brief=True)
    assert brief[PLAN[1].key] == Outcome("ok", times=OK.times)
    assert brief[PLAN[7].key] == Outcome("error", "no", times={"fit_s": 2.0})


def test_an_outcome_is_written_and_read_as_a_mapping():
    whole = Outcome(
        "error", "no", {"r2": 1.0}, {"fit_s": 2.0}, "tb", {"a": [1.0]}, {"b": [2.0]}, "out"
    )
    assert Outcome.from_dict(whole.to_dict()) == whole


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_store_opened_in_one_thread_is_read_in_another(folder, journal, monkeypatch, tmp_path):
    with sqlite3.connect(folder / "store.sqlite") as db:
        db.execute(f"PRAGMA journal_mode = {journal}")
    db.close()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = []
    with Store.open(folder, create=False, read_only=True) as store:
        thread = threading.Thread(target=lambda: found.append(store.plan()))
        thread.start()
        thread.join()
    assert found == [PLAN]
    # Reading leaves no file, here or there.
    assert os.listdir() == []  # noqa: PTH208
    with Store.open(folder, create=False) as store:
        thread = threading.Thread(target=store.record, args=(PLAN[6], OK))
        thread.start()
        thread.join()
        assert store.outcome(PLAN[6].key) == OK


def header(path):
    return path.read_text().splitlines()[0].split(",")


LABELS = [
    "dataset", "method", "fold", "seed", "folds", "split_seed", "task", "scale_features",
    "scale_target", "estimator", "method_version", "fingerprint",
]  # fmt: skip
LAST = ["params", "key", "status", "reason"]
SPLIT = {"split": "shuffle", "test_size": 0.25}


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
        with Store.open(tmp_path / name, create=True) as store:
            store.set_plan({}, plan)
            store.record(plan[0], curve)
            trials, times, curves = export_results(store, tmp_path / name)
        assert header(trials) == [*LABELS, *LAST, "r2"]
        assert header(times) == [*labels, "status", "fit_s"]
        assert header(curves) == [*labels, "iteration", "objective"]
        with times.open() as lines:
            rows = list(csv.DictReader(lines))
        assert [row.get("split_seed") for row in rows] == (["5", "0"] if len(plan) > 1 else [None])


@pytest.mark.parametrize(
    ("changes", "later"),
    [
        ({}, []),
        (SPLIT, ["split", "test_size", "choose"]),
        ({"choose": {"C": [1.0, 2.0]}}, ["split", "test_size", "choose"]),
        ({"choose_with": {"tol": 1.0}}, ["choose_with"]),
    ],
)
def test_columns_of_splits_and_choices_are_there_where_a_trial_has_any(tmp_path, changes, later):
    plan = [make_trial(), make_trial(seed=1, **changes)]
    with Store.open(tmp_path / "r", create=True) as store:
        store.set_plan({}, plan)
        store.record(plan[1], OK)
        trials, times = export_results(store, tmp_path / "r")
    assert header(trials) == [*LABELS, *later, *LAST, "n_test", "r2"]
    assert header(times) == ["dataset", "method", "fold", "seed", "key", "status", "fit_s"]
    for path in (trials, times):
        assert b"\r" not in path.read_bytes()
        assert path.read_bytes().endswith(b"\n")
        with path.open() as lines:
            rows = list(csv.DictReader(lines))
        assert [row["key"] for row in rows] == [trial.key for trial in plan]
        assert [row["status"] for row in rows] == ["pending", "ok"]


def test_a_curve_of_one_trial_only_has_its_rows_and_no_others(tmp_path):
    plan = [make_trial(seed=seed) for seed in range(3)]
    with Store.open(tmp_path / "r", create=True) as store:
        store.set_plan({}, plan)
        store.record(plan[1], LEARNT)
        store.record(plan[2], Outcome("ok", curve={"objective": []}))
        paths = export_results(store, tmp_path / "r")
    curves, times = paths[2:]
    assert header(curves)[5:] == ["iteration", "objective", "test_error"]
    for path in (curves, times):
        with path.open() as lines:
            assert [row["key"] for row in csv.DictReader(lines)] == [plan[1].key] * 2


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_store_that_is_discarded_takes_what_it_created_and_no_more(tmp_path, folder):
    store = Store.open(tmp_path / "new" / "deep", create=True)
    assert store.is_new
    store.set_plan({}, PLAN)
    store.discard()
    assert not (tmp_path / "new").exists()
    # A folder of the user's, and files that only begin alike.
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "store.sqlite.bak").write_text("mine")
    Store.open(mine / "deep", create=True).discard()
    Store.open(mine, create=True).discard()
    assert tree(mine) == ["store.sqlite.bak"]
    # What another call has put in between stays, with the folders that hold it.
    store = Store.open(tmp_path / "x" / "y", create=True)
    (tmp_path / "x" / "notes.txt").write_text("mine")
    store.discard()
    assert tree(tmp_path / "x") == ["notes.txt"]
    # A store that was there stays as it is, and its lock is free again.
    before = (folder / "store.sqlite").read_bytes()
    store = Store.open(folder, create=True)
    assert not store.is_new
    store.discard()
    assert (folder / "store.sqlite").read_bytes() == before
    assert (folder / "store.lock").exists()
    Store.open(folder, create=False, read_only=True).discard()
    with Store.open(folder, create=False) as store:
        assert store.plan() == PLAN


def test_a_lock_that_was_there_stays_when_a_new_store_is_discarded(tmp_path):
    (tmp_path / "store.lock").write_text("")
    Store.open(tmp_path, create=True).discard()
    assert tree(tmp_path) == ["store.lock"]


def test_discarding_leaves_no_journal_where_there_is_no_wal(tmp_path, monkeypatch):
    monkeypatch.setattr("boostbench.store.sqlite._mount_of", lambda path: ("nfs4", "rw"))
    store = Store.open(tmp_path / "r", create=True)
    store.set_plan({}, PLAN)
    # As a transaction that failed leaves it.
    for suffix in ("-journal", "-wal", "-shm"):
        (tmp_path / "r" / f"store.sqlite{suffix}").write_bytes(b"")
    store.discard()
    assert not (tmp_path / "r").exists()


def test_a_reader_selects_trials_and_keeps_what_it_has_read(ran):
    only = ["seed=1", "fold=0,1"]
    with Store.open(ran, create=False, read_only=True, only=only) as reader:
        assert reader.part() == [t for t in PLAN[1::3] if t.seed == 1 and t.fold in (0, 1)]
        reader.part().clear()
        reader.outcomes().clear()
        assert reader.part()
        before = reader.outcomes()
        with Store.open(ran, create=False) as writer:
            assert before == writer.outcomes()
            writer.record(PLAN[7], OK, "env")
            assert PLAN[7].key in writer.outcomes()
            assert writer.part() == PLAN[1::3]
        assert reader.outcomes() == before
        assert all(not outcome.metrics for outcome in reader.outcomes(brief=True).values())
    with (
        Store.open(ran, create=False, read_only=True, only=["seed=9"]) as reader,
        pytest.raises(ConfigError, match="seed '9'"),
    ):
        reader.part()
