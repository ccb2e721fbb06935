"""The file system of a store, the note about it, and files in the way of a store."""

import sqlite3
from typing import NamedTuple

import pytest
from store_parts import OK, PLAN, make_trial

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


def test_of_two_mounts_at_one_place_the_later_counts(tmp_path, mounts):
    mounts += [Mount("/", "nfs4"), Mount("/", "ext4")]
    assert note_of(tmp_path / "local") == ""
    mounts.append(Mount("/", "fuse.sshfs"))
    assert "(fuse.sshfs)" in note_of(tmp_path / "net")
    with Store.open(tmp_path / "net", create=False, read_only=True) as reader:
        assert reader.note == ""


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


def test_what_a_check_of_the_file_finds_is_reported_in_a_line(folder):
    path = folder / "store.sqlite"
    content = bytearray(path.read_bytes())
    for page in range(4096, len(content), 4096):
        # A page of a table whose cells lie beyond the page.
        content[page + 5 : page + 7] = b"\xff\xff"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged") as error:
        Store.open(folder, create=False)
    message = str(error.value)
    assert "***" not in message
    assert "None" not in message
    assert "\n" not in message


def test_trials_of_an_earlier_plan_are_found_by_their_keys(folder):
    others = [make_trial(seed=9)]
    with Store.open(folder, create=False) as store:
        store.set_plan({}, others)
        assert store.find(PLAN[0].key[:20]) == [PLAN[0]]
        assert store.find(others[0].key) == others
        assert store.find(PLAN[5].key) == []
        assert store.to_run_again() == set()
        store.run_again([others[0].key])
        assert store.to_run_again() == {others[0].key}


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
