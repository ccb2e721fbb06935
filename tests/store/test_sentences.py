"""The sentence for each failure of SQLite or of the disk, with the path in it."""

import sqlite3
from pathlib import Path

import pytest
from store_parts import OK, PLAN, altered

from boostbench.errors import StoreError
from boostbench.store.merge import contents_of
from boostbench.store.sqlite import sqlite_sentence
from boostbench.store.store import Store

PATH = Path("/somewhere/results/store.sqlite")


def failure(code, text="SQLite's own words"):
    error = sqlite3.OperationalError(text)
    if code is not None:
        error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "text", "words", "place"),
    [
        (sqlite3.SQLITE_FULL, "", "is full", PATH.parent),
        (sqlite3.SQLITE_READONLY, "", "results cannot be written to", PATH.parent),
        (sqlite3.SQLITE_CORRUPT, "malformed", "is damaged (malformed)", PATH),
        (None, "Could not decode to UTF-8 column", "is damaged (a text is not UTF-8)", PATH),
        (sqlite3.SQLITE_BUSY, "", "locked by another program", PATH),
        (sqlite3.SQLITE_IOERR, "disk I/O error", "cannot be read or written (disk I/O", PATH),
    ],
)
def test_each_failure_of_sqlite_has_its_sentence(code, text, words, place):
    message = str(sqlite_sentence(PATH, failure(code, text)))
    assert words in message
    assert f"{place} " in message.replace(":", " ")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("options", "may_write", "words"),
    [
        ("rw,relatime", True, "store.sqlite cannot be used"),
        ("ro,relatime", True, "results cannot be written to"),
    ],
)
def test_a_file_that_cannot_be_opened_is_said_to_be_read_only_only_where_it_is(
    tmp_path, monkeypatch, options, may_write, words
):
    monkeypatch.setattr("boostbench.store.sqlite._mount_of", lambda path: ("ext4", options))
    monkeypatch.setattr("os.access", lambda path, mode: may_write)
    message = str(sqlite_sentence(tmp_path / "store.sqlite", failure(sqlite3.SQLITE_CANTOPEN)))
    assert words in message
    assert str(tmp_path) in message


def no_tables_of_its_format(folder):
    altered(folder, "DROP TABLE outcomes", "PRAGMA user_version = 1")


def later_format(folder):
    altered(folder, "PRAGMA user_version = 99")


def text_file(folder):
    (folder / "store.sqlite").write_text("dataset,method\n" * 500)


def plan_of_another_run(folder):
    altered(folder, "DELETE FROM plan WHERE position = 3")


def changed_result(folder):
    altered(folder, """UPDATE outcomes SET metrics = '{"r2":1.0}' WHERE status = 'ok'""")


def metrics_not_json(folder):
    altered(folder, "UPDATE outcomes SET metrics = '{', digest = ''")


def plan_not_json(folder):
    altered(folder, "UPDATE plan SET trial = 'x'", "DELETE FROM meta WHERE name = 'plan_digest'")


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (no_tables_of_its_format, "has format 1"),
        (later_format, "has format 99"),
        (text_file, "is not a store of boostbench"),
        (plan_of_another_run, "is damaged (the plan"),
        (changed_result, "is damaged (an outcome"),
        (metrics_not_json, "is damaged (a row is not JSON)"),
        (plan_not_json, "is damaged (a row is not JSON)"),
    ],
)
def test_a_reader_is_reported_which_file_is_at_fault(folder, harm, words):
    harm(folder)
    with (
        pytest.raises(StoreError) as error,
        Store.open(folder, create=False, read_only=True) as store,
    ):
        contents_of(store)
    assert words in str(error.value)
    assert str(folder / "store.sqlite") in str(error.value)
    # The same is said of a store that is merged into.
    with pytest.raises(StoreError) as error, Store.open(folder, create=False) as store:
        contents_of(store)
    assert words in str(error.value)
    assert str(folder / "store.sqlite") in str(error.value)


def killed(folder):
    """Return the files of a run that was killed before its last outcome was in the main file."""
    db = sqlite3.connect(folder / "store.sqlite")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with Store.open(folder, create=False) as store:
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
    with Store.open(read_only_place, create=False, read_only=True) as store:
        assert store.outcome(PLAN[7].key) == OK
    assert {p.name: p.is_file() and p.read_bytes() for p in read_only_place.iterdir()} == before


def test_a_copy_that_fails_names_the_store_and_why(read_only_place):
    path = read_only_place / "store.sqlite"
    (read_only_place / "store.sqlite-journal").mkdir()
    with pytest.raises(StoreError, match="cannot be read: Is a directory") as error:
        Store.open(read_only_place, create=False, read_only=True)
    assert str(path) in str(error.value)
    (read_only_place / "store.sqlite-journal").rmdir()
    (read_only_place / "store.sqlite-wal").unlink()
    path.write_bytes(b"dataset,method\n" * 500)
    with pytest.raises(StoreError, match="is not a store of boostbench") as error:
        Store.open(read_only_place, create=False, read_only=True)
    assert str(path) in str(error.value)
