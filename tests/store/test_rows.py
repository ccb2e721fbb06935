"""Stores with thousands of rows, damaged rows, and locks held for an instant."""

import hashlib
import os
import stat

import pytest
from store_parts import OK, PLAN, altered, make_trial

from boostbench.errors import StoreError
from boostbench.plan.trial import canonical_json
from boostbench.store.database_rows import insert
from boostbench.store.merge_stores import contents_of
from boostbench.store.store import Store
from boostbench.store.types import Contents, Outcome


def test_each_of_thousands_of_rows_is_read_in_its_place(tmp_path):
    many = [make_trial(seed=seed) for seed in range(2500)]
    with Store.open(tmp_path) as store:
        store.set_plan({}, many)
        store.record(many[0], OK)
        (row,) = contents_of(store).outcomes.values()
        rows = {
            trial.key: row._replace(key=trial.key, metrics=f'{{"r2":{i}}}', digest="")
            for i, trial in enumerate(many)
        }
        with store.database.transaction() as db:
            insert(db, Contents({}, [], rows, [], []))
    with Store.read(tmp_path) as store:
        assert store.plan() == many
        found = store.outcomes()
        assert [found[trial.key].metrics["r2"] for trial in many] == list(range(2500))
        assert store.missing() == []


def test_a_record_that_fails_is_over(folder):
    altered(folder, "DROP TABLE again")
    with Store.open(folder) as store:
        with pytest.raises(StoreError, match=r"is damaged \(no such table: again\)"):
            store.record(PLAN[5], OK)
        assert store.outcomes().get(PLAN[5].key) is None
        store.add_environment("env", {})


def test_the_lock_is_a_file_that_others_may_read(tmp_path):
    old = os.umask(0)
    try:
        Store.open(tmp_path / "r").close()
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "r" / "store.lock").stat().st_mode) == 0o644


def test_a_file_system_that_cannot_sync_folders_is_used_all_the_same(tmp_path, monkeypatch):
    sync = os.fsync

    def files_only(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(22, "Invalid argument")
        sync(descriptor)

    monkeypatch.setattr("os.fsync", files_only)
    with Store.open(tmp_path / "a" / "b") as store:
        store.set_plan({}, PLAN)
    with Store.read(tmp_path / "a" / "b") as store:
        assert store.plan() == PLAN


def sha(*cells):
    return hashlib.sha256("\0".join(cells).encode()).hexdigest()[:16]


def test_digests_are_those_that_earlier_versions_wrote(folder):
    """Another digest would make every store of today look damaged."""
    printed = Outcome("error", "no", times={"fit_s": 1.0}, traceback="Trace", output="ü")
    with Store.open(folder) as store:
        store.record(PLAN[5], printed, "env")
        rows = contents_of(store).outcomes
    plain, spoken = rows[PLAN[0].key], rows[PLAN[5].key]
    metrics = '{"n_test":77,"r2":0.30000000000000004}'
    assert plain.digest == sha(PLAN[0].key, "ok", "", metrics, '{"fit_s":0.5}', "", "", "")
    assert spoken.digest == sha(
        PLAN[5].key, "error", "no", "{}", '{"fit_s":1.0}', "Trace", "", "", "ü"
    )
    ((seal,),) = altered(folder, "SELECT value FROM meta WHERE name = 'plan_digest'")
    alike = {"split_seed": 0, "fold": 0, "seed": 0}
    text = canonical_json({**PLAN[0].to_dict(), **alike})
    cells = [(1, PLAN[0].dataset, PLAN[0].method, text)]
    places = [
        (position, trial.key, 1, trial.split_seed, trial.fold, trial.seed, None)
        for position, trial in enumerate(PLAN)
    ]
    assert seal == sha(f"{places}{cells}")
