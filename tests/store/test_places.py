"""The file system of a store, and files in the way of a store."""

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


def is_wal(folder):
    Store.open(folder).close()
    return (folder / "store.sqlite").read_bytes()[18:20] == b"\2\2"


def test_the_innermost_mount_counts(tmp_path, mounts):
    assert is_wal(tmp_path / "none")
    mounts += [Mount("/", "ext4"), Mount(str(tmp_path / "net"), "nfs4")]
    mounts += [
        Mount(str(tmp_path / "net" / "local"), "ext4"),
        Mount("/elsewhere/deep/down/x/y/z/a/b/c/d", "cifs"),
    ]
    assert is_wal(tmp_path / "here")
    assert not is_wal(tmp_path / "net" / "results")
    assert is_wal(tmp_path / "net" / "local" / "results")
    assert not is_wal(tmp_path / "net" / "localised")
    # A store that moves changes its journal.
    for kind in ("ext4", "nfs4", "nfs4", "ext4"):
        mounts[:] = [Mount("/", kind)]
        assert is_wal(tmp_path / "r") == (kind == "ext4")


def test_an_object_in_place_of_the_file_is_named(tmp_path):
    (tmp_path / "store.sqlite").mkdir()
    for opened, words in (
        (Store.open, "cannot be used: unable to open"),
        (Store.read, "holds no results yet"),
    ):
        with pytest.raises(StoreError, match=words) as error:
            opened(tmp_path)
        assert str(tmp_path) in str(error.value)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="File exists") as error:
        Store.open(tmp_path / "file")
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
        Store.open(folder) as store,
        pytest.raises(StoreError, match="locked by another program"),
    ):
        store.record(PLAN[5], OK)
    other.execute("ROLLBACK")
    other.close()
    with Store.open(folder) as store:
        store.record(PLAN[5], OK)
        assert store.outcomes()[PLAN[5].key] == OK
