"""The store keeps what it was given, through readers, crashes and bad disks."""

import csv
import dataclasses
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import deque
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from old_formats import ENVIRONMENT, make_old

from boostbench.errors import ConfigError, StoreError
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.database import Store
from boostbench.store.export import export_parquet, export_results
from boostbench.store.types import FINAL_STATUSES, Outcome


def make_trial(fold=0, seed=0, **changes):
    trial = Trial(
        dataset="yacht",
        method="srt",
        estimator="package.module:Class",
        method_version="1",
        fingerprint="f" * 64,
        task="regression",
        folds=4,
        fold=fold,
        split_seed=0,
        seed=seed,
        scale_features="minmax",
        scale_target="standard",
        params={"depth": 3},
    )
    return dataclasses.replace(trial, **changes)


PLAN = [make_trial(fold, seed) for fold in range(4) for seed in range(3)]
OK = Outcome("ok", metrics={"r2": 0.1 + 0.2, "n_test": 77}, times={"fit_s": 0.5})

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
finite = st.floats(allow_nan=False, allow_infinity=False)
outcomes = st.builds(
    Outcome,
    status=st.sampled_from(FINAL_STATUSES),
    reason=text,
    metrics=st.dictionaries(text, finite | st.integers() | text | st.none(), max_size=3),
    times=st.dictionaries(text, finite, max_size=2),
    traceback=text,
    curve=st.none() | st.dictionaries(text, st.lists(finite, max_size=3), max_size=2),
    time_curve=st.none() | st.dictionaries(text, st.lists(finite, max_size=3), max_size=2),
)


@pytest.fixture
def folder(tmp_path):
    with Store.open(tmp_path / "results", create=True) as store:
        store.set_plan({"name": "d3", "folds": 4}, PLAN)
        store.record(PLAN[0], OK, "env")
        store.record(PLAN[1], Outcome("error", "ValueError: no"), "env")
        store.record(PLAN[2], Outcome("skipped", "no R here"), "env")
    return tmp_path / "results"


def test_what_was_recorded_is_there_for_the_next_process(folder):
    with Store.open(folder, create=False, read_only=True) as store:
        assert store.plan() == PLAN
        assert store.experiment() == {"name": "d3", "folds": 4}
        assert store.outcome(PLAN[0].key) == OK
        assert store.outcome(PLAN[5].key) is None
        assert set(store.outcomes()) == {t.key for t in PLAN[:3]}
        assert store.missing() == PLAN[3:]
        assert store.missing(retry_failed=True) == [PLAN[1], *PLAN[3:]]


def test_a_new_plan_keeps_the_outcomes_of_trials_it_shares(folder):
    others = [make_trial(seed=seed, method="other label") for seed in (9, 0)]
    with Store.open(folder, create=False) as store:
        store.set_plan({"name": "other"}, others)
        assert store.missing() == others[:1]
        assert store.experiment() == {"name": "other"}
        store.set_plan({"name": "d3"}, PLAN)
        assert len(store.outcomes()) == 3


def test_two_labels_of_one_key_are_one_missing_trial_and_two_rows(tmp_path):
    plan = [make_trial(), make_trial(method="same thing")]
    with Store.open(tmp_path, create=True) as store:
        store.set_plan({}, plan)
        assert store.missing() == plan[:1]
        store.record(plan[0], OK, "")
        rows = list(csv.DictReader(export_results(store, tmp_path)[0].open()))
    assert [(r["method"], r["r2"]) for r in rows] == [("srt", repr(0.1 + 0.2))] * 1 + [
        ("same thing", repr(0.1 + 0.2))
    ]


def test_trials_are_found_by_the_start_of_their_key(folder):
    with Store.open(folder, create=False, read_only=True) as store:
        assert store.find(PLAN[4].key[:12]) == [PLAN[4]]
        assert store.find(PLAN[4].key) == [PLAN[4]]
        assert store.find("%") == store.find("") == []


def test_environments_are_those_of_planned_trials(folder):
    with Store.open(folder, create=False) as store:
        store.add_environment("env", {"cpu": "one"})
        store.add_environment("env", {"cpu": "one"})
        store.add_environment("unused", {"cpu": "two"})
        assert store.environments() == {"env": {"cpu": "one"}}
        assert store.environment_of(PLAN[0].key) == "env"


@settings(max_examples=30, deadline=None)
@given(outcome=outcomes)
def test_an_outcome_comes_back_to_the_bit(tmp_path_factory, outcome):
    with Store.open(tmp_path_factory.mktemp("bits"), create=True) as store:
        store.record(PLAN[0], outcome, "")
        back = store.outcome(PLAN[0].key)
    assert back == outcome
    assert canonical_json(back.to_dict()) == canonical_json(outcome.to_dict())


@settings(max_examples=15, deadline=None)
@given(order=st.permutations(range(len(PLAN))), data=st.data())
def test_the_order_of_recording_leaves_no_trace_in_the_export(tmp_path_factory, order, data):
    found = data.draw(st.lists(outcomes, min_size=len(PLAN), max_size=len(PLAN)))
    exports = []
    for sequence in (range(len(PLAN)), order):
        folder = tmp_path_factory.mktemp("order")
        with Store.open(folder, create=True) as store:
            store.set_plan({}, PLAN)
            for i in sequence:
                store.record(PLAN[i], found[i], "")
            exports.append(export_results(store, folder)[0].read_bytes())
    assert exports[0] == exports[1]


def test_the_export_has_a_row_for_each_planned_trial_and_times_apart(folder):
    with Store.open(folder, create=False, read_only=True) as store:
        trials, times = export_results(store, folder / "out")
    with trials.open() as lines:
        rows = list(csv.DictReader(lines))
    assert [(int(r["fold"]), int(r["seed"])) for r in rows] == [(t.fold, t.seed) for t in PLAN]
    assert [r["status"] for r in rows] == ["ok", "error", "skipped"] + ["pending"] * 9
    assert float(rows[0]["r2"]) == 0.1 + 0.2
    assert json.loads(rows[0]["params"]) == {"depth": 3}
    assert "fit_s" not in rows[0]
    with times.open() as lines:
        assert next(csv.DictReader(lines))["fit_s"] == "0.5"


LEARNT = Outcome(
    "ok",
    metrics={"error": 0.25},
    curve={"iteration": [1, 2], "objective": [0.1 + 0.2, 0.1], "test_error": [0.5, 0.25]},
    time_curve={"fit_s": [0.5, 1.5]},
)
SPLIT = make_trial(
    task="classification", split="shuffle", test_size=0.25, choose={"C": [1.0, 10.0]}, curves=True
)


def _rows(path):
    with path.open() as lines:
        return list(csv.DictReader(lines))


@pytest.fixture
def learnt(tmp_path):
    folder = tmp_path / "learnt"
    with Store.open(folder, create=True) as store:
        store.set_plan({}, [SPLIT, dataclasses.replace(SPLIT, fold=1), PLAN[0]])
        store.record(SPLIT, LEARNT)
        store.record(PLAN[0], dataclasses.replace(OK, curve={"gap": [2.0]}))
    return folder


def test_curves_have_a_row_for_each_iteration_and_times_apart(learnt):
    with Store.open(learnt, create=False, read_only=True) as store:
        assert store.plan()[0] == SPLIT
        assert store.outcome(SPLIT.key) == LEARNT
        paths = export_results(store, learnt)
    assert [path.name for path in paths] == [
        "trials.csv", "times.csv", "curves.csv", "curve_times.csv",
    ]  # fmt: skip
    trials, _, curves, times = (_rows(path) for path in paths)
    assert [(r["split"], r["test_size"], r["choose"]) for r in trials] == [
        ("shuffle", "0.25", '{"C":[1.0,10.0]}')
    ] * 2 + [("kfold", "", "{}")]
    assert [
        [r[n] for n in ("fold", "iteration", "objective", "test_error", "gap")] for r in curves
    ] == [
        ["0", "1", "0.30000000000000004", "0.5", ""],
        ["0", "2", "0.1", "0.25", ""],
        ["0", "1", "", "", "2.0"],
    ]
    assert [(r["iteration"], r["fit_s"]) for r in times] == [("1", "0.5"), ("2", "1.5")]
    assert "fit_s" not in curves[0]
    assert curves[0]["key"] == SPLIT.key


def test_curves_of_an_earlier_plan_do_not_stay(learnt):
    with Store.open(learnt, create=False) as store:
        export_results(store, learnt)
        store.set_plan({}, PLAN[1:])
        export_results(store, learnt)
    assert sorted(path.name for path in learnt.glob("*.csv")) == ["times.csv", "trials.csv"]


def test_parquet_has_what_csv_has(learnt):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    with Store.open(learnt, create=False, read_only=True) as store:
        texts = export_results(store, learnt)
        paths = export_parquet(store, learnt)
        again = [path.read_bytes() for path in paths]
        assert [path.read_bytes() for path in export_parquet(store, learnt)] == again
    for text, path in zip(texts, paths, strict=True):
        assert path.name == f"{text.stem}.parquet"
        frame = pd.read_parquet(path)
        expected = pd.read_csv(text, dtype={"method_version": str})
        assert list(frame) == list(expected)
        for name in frame:
            found = ["" if pd.isna(v) else v for v in frame[name]]
            assert found == ["" if pd.isna(v) else v for v in expected[name]], name


def test_parquet_without_pyarrow_is_one_sentence(learnt, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with (
        Store.open(learnt, create=False, read_only=True) as store,
        pytest.raises(ConfigError, match="the format parquet needs the package pyarrow"),
    ):
        export_parquet(store, learnt)


@pytest.mark.parametrize("version", [1, 2])
def test_a_store_of_an_earlier_format_is_read_as_it_is_and_brought_up_by_a_run(tmp_path, version):
    folder = tmp_path / "old"
    first = OK if version == 1 else LEARNT
    make_old(folder, version, {"name": "old"}, PLAN, {PLAN[0].key: first})
    path = folder / "store.sqlite"
    before = path.read_bytes()
    with Store.open(folder, create=False, read_only=True) as store:
        assert store.plan() == store.part() == PLAN
        assert store.outcome(PLAN[0].key) == first
        assert store.environments() == {"old": ENVIRONMENT}
        assert store.runs() == []
        assert store.run_of(PLAN[0].key) is None
    assert path.read_bytes() == before
    with Store.open(folder, create=False) as store:
        assert store.outcome(PLAN[0].key) == first
        run_id = store.begin_run("new", {"cpu": "two"}, command=["boostbench", "run", "old"])
        store.record(PLAN[1], LEARNT, "new")
    with Store.open(folder, create=False, read_only=True) as store:
        assert store.outcomes() == {PLAN[0].key: first, PLAN[1].key: LEARNT}
        assert [run.id for run in store.runs()] == [run_id]
        assert store.run_of(PLAN[0].key) is None
        assert store.run_of(PLAN[1].key).command == ["boostbench", "run", "old"]
        assert store.environment_ids() == {PLAN[0].key: "old", PLAN[1].key: "new"}


def test_a_status_that_is_not_final_is_not_recorded(folder):
    with Store.open(folder, create=False) as store, pytest.raises(ValueError, match="not final"):
        store.record(PLAN[5], Outcome("running"), "")


def test_readers_see_each_commit_while_a_writer_works(folder):
    with (
        Store.open(folder, create=False) as writer,
        Store.open(folder, create=False, read_only=True) as reader,
    ):
        for i, trial in enumerate(PLAN[3:]):
            assert len(reader.missing()) == 9 - i
            writer.record(trial, OK, "")


def test_a_second_writer_is_told_who_holds_the_folder(folder):
    with Store.open(folder, create=False), pytest.raises(StoreError) as error:
        Store.open(folder, create=False)
    assert f"is in use by another run (process {os.getpid()} on " in str(error.value)
    Store.open(folder, create=False).close()


@pytest.mark.parametrize("read_only", [False, True])
def test_no_store_there(tmp_path, read_only):
    with pytest.raises(StoreError, match="holds no results yet"):
        Store.open(tmp_path / "none", create=False, read_only=read_only)
    assert not (tmp_path / "none").exists()


def test_a_run_killed_before_its_tables_were_made_starts_again(tmp_path):
    blank = sqlite3.connect(tmp_path / "store.sqlite")
    blank.execute("PRAGMA journal_mode = WAL")
    blank.close()
    with pytest.raises(StoreError, match="holds no results yet"):
        Store.open(tmp_path, create=False, read_only=True)
    with Store.open(tmp_path, create=True) as store:
        assert store.plan() == []


def _text(path):
    path.write_text("dataset,method\n" * 1000)


def _other_program(path):
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE plan (a)")
    db.close()


def _later_version(path):
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()


def _overwritten(path):
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))


def _truncated(path):
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (_text, "is not a store of boostbench"),
        (_other_program, "is not a store of boostbench"),
        (_later_version, "has format 99, and this version of boostbench reads format 3"),
        (_overwritten, "is damaged"),
        (_truncated, "is damaged"),
    ],
)
def test_a_file_that_is_no_sound_store_is_said_and_left_alone(folder, harm, sentence):
    path = folder / "store.sqlite"
    harm(path)
    before = path.read_bytes()
    with pytest.raises(StoreError) as error, Store.open(folder, create=True):
        pass
    assert sentence in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    with (
        pytest.raises(StoreError, match=sentence),
        Store.open(folder, create=False, read_only=True) as store,
    ):
        store.plan(), store.outcomes()
    assert path.read_bytes() == before


def test_a_file_in_the_place_of_the_folder(tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(StoreError, match="a file of that name is in the way"):
        Store.open(tmp_path / "results", create=True)


@contextmanager
def tmpfs(path, options):
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("a file system can be mounted by root alone")
    path.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=False)
    if done.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_full_disk_keeps_what_was_recorded(tmp_path):
    big = dataclasses.replace(OK, traceback="x" * 20_000)
    trials = [make_trial(seed=seed) for seed in range(200)]
    with tmpfs(tmp_path / "disk", "size=1m") as disk:
        store = Store.open(disk / "r", create=True)
        store.set_plan({}, trials)
        recorded = []

        def record(trial):
            store.record(trial, big, "")
            recorded.append(trial.key)

        with pytest.raises(StoreError, match="is full; what had been recorded is kept"):
            deque(map(record, trials))
        store.close()
        assert 5 < len(recorded) < 200
        with Store.open(disk / "r", create=False, read_only=True) as store:
            assert list(store.outcomes()) == recorded
        (disk / "filler").write_bytes(b"x" * shutil.disk_usage(disk).free)
        with (
            Store.open(disk / "r", create=False, read_only=True) as store,
            pytest.raises(StoreError, match="is full"),
        ):
            export_results(store, disk)
        assert not (disk / "trials.csv").exists()
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        with Store.open(disk / "r", create=False) as store:
            assert len(store.missing()) == 200 - len(recorded)
            for trial in store.missing():
                store.record(trial, big, "")
            assert store.missing() == []


@pytest.mark.parametrize("killed", [False, True])
def test_a_read_only_disk_is_said_and_can_be_read(tmp_path, killed):
    with tmpfs(tmp_path / "disk", "size=8m") as disk:
        if killed:
            script = (
                "import os, sys; from pathlib import Path; sys.path[:] = eval(sys.argv[2]);"
                "from test_store import *; s = Store.open(Path(sys.argv[1]), create=True);"
                "s.set_plan({}, PLAN); s.record(PLAN[0], OK, ''); os.kill(os.getpid(), 9)"
            )
            here = [os.path.dirname(__file__), *sys.path]  # noqa: PTH120
            subprocess.run([sys.executable, "-c", script, str(disk), repr(here)], check=False)
        else:
            with Store.open(disk, create=True) as store:
                store.set_plan({}, PLAN)
                store.record(PLAN[0], OK, "")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(StoreError, match="it is read-only for this user"):
            Store.open(disk, create=True)
        with pytest.raises(StoreError, match="it is read-only for this user"):
            Store.open(disk / "new", create=True)
        with Store.open(disk, create=False, read_only=True) as store:
            assert store.outcome(PLAN[0].key) == OK
            with pytest.raises(StoreError, match="it is read-only for this user"):
                export_results(store, disk)


def test_a_folder_that_may_not_be_written_to(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root writes where it likes")
    (tmp_path / "locked").mkdir(mode=0o555)
    with pytest.raises(StoreError, match="it is read-only for this user"):
        Store.open(tmp_path / "locked" / "results", create=True)


def test_the_types_can_be_had_without_numpy_or_sqlite():
    script = (
        "import sys, boostbench.store.types as t; print({'numpy', 'sqlite3'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
