"""The file system of a store, the note about it, and files in the way of a store."""

import sqlite3
from typing import NamedTuple

import pytest
from store_parts import OK, PLAN

from boostbench.errors import StoreError
from boostbench.store.store import Store


class Mount(NamedTuple):
    mountpoint: str
    fstype: str
    opts: str = "rw"


@pytest.fixture
def mounts(monkeypatch):
    """A list of mounts in the order of mounting; psutil lists network mounts only on request."""
    listed = []

    def partitions(all=False):
        return [mount for mount in listed if all is True or mount.fstype != "nfs4"]

    monkeypatch.setattr("psutil.disk_partitions", partitions)
    return listed


def note_of(folder):
    with Store.open(folder, create=True) as store:
        return store.note


def is_wal(folder):
    return (folder / "store.sqlite").read_bytes()[18:20] == b"\2\2"


def test_the_innermost_mount_counts(tmp_path, mounts):
    assert note_of(tmp_path / "none") == ""
    mounts += [Mount("/", "ext4"), Mount(str(tmp_path / "net"), "nfs4")]
    mounts += [
        Mount(str(tmp_path / "net" / "local"), "ext4"),
        Mount("/elsewhere/deep/down/x/y/z/a/b/c/d", "cifs"),
    ]
    assert note_of(tmp_path / "here") == ""
    assert "(nfs4)" in note_of(tmp_path / "net" / "results")
    assert note_of(tmp_path / "net" / "local" / "results") == ""
    assert "(nfs4)" in note_of(tmp_path / "net" / "localised")
    assert is_wal(tmp_path / "here")
    assert not is_wal(tmp_path / "net" / "results")


def test_a_store_that_moves_changes_its_journal_and_says_so_each_time(tmp_path, mounts):
    mounts.append(Mount("/", "ext4"))
    found = []
    for kind in ("ext4", "nfs4", "nfs4", "ext4", "ext4", "nfs4"):
        mounts[:] = [Mount("/", kind)]
        found.append((note_of(tmp_path / "r") != "", is_wal(tmp_path / "r")))
    assert found == [
        (False, True), (True, False), (False, False), (False, True), (False, True), (True, False),
    ]  # fmt: skip


def test_what_is_in_the_place_of_the_file_is_named(tmp_path):
    (tmp_path / "store.sqlite").mkdir()
    for create, words in ((True, "cannot be opened"), (False, "holds no results yet")):
        with pytest.raises(StoreError, match=words) as error:
            Store.open(tmp_path, create=create)
        assert str(tmp_path) in str(error.value)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="in the way") as error:
        Store.open(tmp_path / "file", create=True)
    assert str(tmp_path / "file") in str(error.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "store.sqlite"]


def test_a_store_that_is_locked_by_another_program_is_waited_for(folder, monkeypatch):
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda path, **options: connect(path, **{**options, "timeout": 0.1})
    )
    other = connect(folder / "store.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with (
        Store.open(folder, create=False) as store,
        pytest.raises(StoreError, match="locked by another program"),
    ):
        store.record(PLAN[5], OK)
    other.execute("ROLLBACK")
    other.close()
    with Store.open(folder, create=False) as store:
        store.record(PLAN[5], OK)
        assert store.outcome(PLAN[5].key) == OK
