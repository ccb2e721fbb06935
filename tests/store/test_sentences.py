"""The sentence for each failure of SQLite or of the disk, with the path in it."""

import sqlite3
from pathlib import Path

import pytest
from store_parts import OK, PLAN, altered

from boostbench.errors import StoreError
from boostbench.store.merge_stores import contents_of
from boostbench.store.sqlite import sqlite_sentence
from boostbench.store.store import Store

PATH = Path("/somewhere/results/store.sqlite")


def failure(code, text="SQLite's own words"):
    error = sqlite3.OperationalError(text)
    if code is not None:
        error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_READONLY, "results cannot be written to"),
        (sqlite3.SQLITE_CORRUPT, "is damaged (SQLite's own words)"),
        (sqlite3.SQLITE_IOERR, "cannot be read or written (SQLite's own words"),
    ],
)
def test_a_failure_of_the_disk_is_reported(code, words):
    message = str(sqlite_sentence(PATH, failure(code)))
    assert words in message
    assert str(PATH.parent) in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("options", "may_write", "words"),
    [
        ("rw,relatime", True, "store.sqlite cannot be used"),
        ("ro,relatime", True, "results cannot be written to"),
    ],
)
def test_only_a_read_only_file_is_reported_as_read_only(
    tmp_path, monkeypatch, options, may_write, words
):
    monkeypatch.setattr("boostbench.store.sqlite._mount_of", lambda path: ("ext4", options))
    monkeypatch.setattr("os.access", lambda path, mode: may_write)
    message = str(sqlite_sentence(tmp_path / "store.sqlite", failure(sqlite3.SQLITE_CANTOPEN)))
    assert words in message
    assert str(tmp_path) in message


NO_SEAL = "DELETE FROM meta WHERE name = 'plan_digest'"


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (["DROP TABLE outcomes", "PRAGMA user_version = 1"], "has format 1"),
        (["PRAGMA user_version = 99"], "has format 99"),
        (["DELETE FROM places WHERE position = 3"], "is damaged (the plan"),
        (["UPDATE cells SET trial = 'x'", NO_SEAL], "is damaged (a row is not JSON)"),
        (["UPDATE meta SET value = '{' WHERE name = 'experiment'"], "(a row is not JSON)"),
        (["UPDATE outcomes SET metrics = '{\"r2\":1.0}'"], "is damaged (an outcome"),
        (["UPDATE outcomes SET output = 'round 9'"], "is damaged (an outcome"),
        (["UPDATE outcomes SET metrics = '{', digest = ''"], "is damaged (a row is not JSON)"),
        (["UPDATE outcomes SET times = CAST(x'7bff7d' AS TEXT)"], "(a text is not UTF-8)"),
        # A row of pickle is text and nothing more.
        (["UPDATE outcomes SET metrics = CAST('cos\nsystem\n(tR.' AS BLOB)"], "is damaged"),
        (["DROP TABLE environments"], "is damaged (no such table: environments)"),
        (None, "is not a store of boostbench"),
    ],
)
def test_a_damaged_file_is_named(folder, harm, words):
    if harm:
        altered(folder, *harm)
    else:
        (folder / "store.sqlite").write_text("dataset,method\n" * 500)
    # The same is said of a store that is merged into.
    for opened in (Store.read, Store.open):
        with (
            pytest.raises(StoreError) as error,
            opened(folder) as store,
        ):
            contents_of(store)
        assert words in str(error.value)
        assert str(folder / "store.sqlite") in str(error.value)


@pytest.mark.parametrize("harmed", ["'{'", "'{},{}'", "''", "CAST('{}' AS BLOB)"])
def test_a_result_that_is_not_json_is_named_among_others(folder, harmed):
    altered(folder, "UPDATE outcomes SET digest = ''")
    with Store.read(folder) as store:
        assert sum(len(part.metrics) for part in store.results()) > 1
    altered(folder, f"UPDATE outcomes SET metrics = {harmed} WHERE rowid = 2")
    with Store.read(folder) as store, pytest.raises(StoreError, match="a row is not JSON"):
        list(store.results())


def killed(folder):
    """Return the files of a run that was killed before its last outcome was in the main file."""
    db = sqlite3.connect(folder / "store.sqlite")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with Store.open(folder) as store:
        store.record(PLAN[7], OK)
    files = {name: (folder / name).read_bytes() for name in ("store.sqlite", "store.sqlite-wal")}
    db.close()
    return files


@pytest.fixture
def read_only_place(folder, monkeypatch):
    """The store of a killed run where no file can be made: only a copy of it can be opened."""
    files = killed(folder)
    for path in folder.glob("store.sqlite*"):
        path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    # Not even an existing file of that name can be opened, and none be made.
    (folder / "store.sqlite-shm").symlink_to(folder / "none" / "shm")
    monkeypatch.setattr("boostbench.store.sqlite._mount_of", lambda path: ("ext4", "ro"))
    return folder


def test_a_store_that_can_only_be_copied_is_read_with_its_last_commits(read_only_place):
    before = {p.name: p.is_file() and p.read_bytes() for p in read_only_place.iterdir()}
    with Store.read(read_only_place) as store:
        assert store.outcomes()[PLAN[7].key] == OK
    assert {p.name: p.is_file() and p.read_bytes() for p in read_only_place.iterdir()} == before


def test_a_copy_that_fails_names_the_store_and_why(read_only_place):
    path = read_only_place / "store.sqlite"
    (read_only_place / "store.sqlite-journal").mkdir()
    with pytest.raises(StoreError, match="cannot be read: Is a directory") as error:
        Store.read(read_only_place)
    assert str(path) in str(error.value)
