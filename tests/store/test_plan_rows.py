"""The plan as it is stored, by trials that are alike, and stores of the format before."""

import hashlib
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_parts import OK, PLAN, altered, filled, make_trial

from boostbench.errors import StoreError
from boostbench.plan.trial import canonical_json
from boostbench.store.merge_stores import contents_of
from boostbench.store.store import Store

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
)
PARAMS = st.dictionaries(st.text(), st.one_of(VALUES, st.text(), st.lists(VALUES)))
DIFFERENT = [
    make_trial(1, 2),
    make_trial(2, 3, params={"depth": 1e-7, "text": 'ℓ₂ "%s" \\ \n'}),
    make_trial(3, 0, split_seed=7, rows="a" * 64),
    make_trial(0, 2**32 - 1, split_seed=9, rows="b" * 64),
    make_trial(0, 0, dataset="other", keep=["predictions"]),
    *PLAN,
    PLAN[0],
]


def texts(folder):
    return altered(folder, "SELECT key, trial FROM plan ORDER BY position")


def as_before(folder):
    """Give a store the format before: a text for each trial, and the digest of all."""
    rows = texts(folder)
    digest = hashlib.sha256("\0".join(cell for row in rows for cell in row).encode())
    with sqlite3.connect(folder / "store.sqlite") as db:
        for statement in (
            "CREATE TABLE old (position INTEGER PRIMARY KEY, key TEXT, trial TEXT)",
            "INSERT INTO old SELECT position, key, trial FROM plan",
            "DROP VIEW plan",
            "DROP TABLE places",
            "DROP TABLE cells",
            "ALTER TABLE old RENAME TO plan",
            "CREATE INDEX plan_key ON plan (key)",
            f"UPDATE meta SET value = '{digest.hexdigest()[:16]}' WHERE name = 'plan_digest'",
            "PRAGMA user_version = 5",
        ):
            db.execute(statement)
    db.close()
    altered(folder, "PRAGMA wal_checkpoint(TRUNCATE)")
    return folder


def test_what_trials_share_is_stored_once(tmp_path):
    folder = filled(tmp_path, plan=DIFFERENT)
    assert texts(folder) == [(t.key, canonical_json(t.to_dict())) for t in DIFFERENT]
    with Store.read(folder) as store:
        assert store.plan() == DIFFERENT
    assert altered(folder, "SELECT count(*) FROM cells") == [(4,)]


@given(params=PARAMS)
def test_the_text_of_a_trial_is_read_as_it_was_written(params):
    trials = [make_trial(fold, 5, params=params) for fold in range(2)]
    with Store.made(Path("any"), {}, trials, [OK, OK]) as store:
        expected = [(trial.key, canonical_json(trial.to_dict())) for trial in trials]
        assert contents_of(store).plan == expected


@pytest.mark.parametrize("plan", [PLAN, DIFFERENT], ids=["alike", "different"])
def test_a_store_of_the_format_before_is_read_and_resumed(tmp_path, plan):
    folder = filled(tmp_path, (0, OK), (2, OK), plan=plan)
    with Store.read(folder) as store:
        now = contents_of(store), store.cells()
    as_before(folder)
    file = (folder / "store.sqlite").read_bytes()
    with Store.read(folder) as store:
        assert (contents_of(store), store.cells()) == now
    # A reader leaves it as it is.
    assert (folder / "store.sqlite").read_bytes() == file
    with Store.open(folder) as store:
        assert contents_of(store) == now[0]
        store.record(plan[1], OK, "env")
    with Store.read(folder) as store:
        assert store.plan() == plan
        assert store.outcomes().keys() == {trial.key for trial in plan[:3]}
    assert altered(folder, "PRAGMA user_version") == [(6,)]


@pytest.mark.parametrize("opened", [Store.read, Store.open])
@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("DELETE FROM plan WHERE position = 3", "is damaged (the plan is not as it was made)"),
        ("UPDATE plan SET trial = 'x'", "is damaged (the plan is not as it was made)"),
        ("DROP TABLE plan", "is damaged (no such table: plan)"),
    ],
)
def test_damage_in_the_format_before_is_named_and_left(tmp_path, opened, harm, words):
    folder = as_before(filled(tmp_path, (0, OK)))
    altered(folder, harm)
    before = altered(folder, "SELECT name FROM sqlite_master ORDER BY name")
    with pytest.raises(StoreError) as error:
        opened(folder)
    assert f"{folder / 'store.sqlite'} {words}" in str(error.value)
    assert altered(folder, "SELECT name FROM sqlite_master ORDER BY name") == before
    assert altered(folder, "PRAGMA user_version") == [(5,)]
    # It is not kept open or locked.
    with pytest.raises(StoreError, match="damaged"):
        Store.open(folder)
