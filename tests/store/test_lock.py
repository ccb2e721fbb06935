"""The holder of a results folder, by the text of the lock file, and files that are no lock."""

import errno
import fcntl
import json
import os
import socket
import time

import pytest
from store_parts import OK, PLAN

from boostbench.errors import StoreError
from boostbench.store.lock import WriterLock, holder
from boostbench.store.store import Store


@pytest.fixture
def held(tmp_path):
    """Holds the lock of ``tmp_path`` with any text in the file; a function that sets the text."""
    path = tmp_path / "store.lock"
    with path.open("w+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield path.write_text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"pid": 12345, "host": "tower"}', "another run (process 12345 on tower)"),
        ('{"pid": 12345}', "another run (process 12345 on an unknown host)"),
        ('{"host": "tower"}', "in use by another run: "),
        ("[1]", "in use by another run: "),
        ('{"pi', "in use by another run: "),
        ("", "in use by another run: "),
    ],
)
def test_the_known_facts_about_the_holder_are_named(tmp_path, held, text, words):
    held(text)
    with pytest.raises(StoreError) as error:
        Store.open(tmp_path)
    assert words in str(error.value)
    assert str(tmp_path) in str(error.value)
    found = holder(tmp_path)
    assert isinstance(found, dict)
    assert found == (json.loads(text) if text.endswith("}") else {})
    assert not (tmp_path / "store.sqlite").exists()


def test_a_lock_names_this_process(tmp_path):
    lock = WriterLock(tmp_path)
    assert holder(tmp_path) == {"pid": os.getpid(), "host": socket.gethostname()}
    assert json.loads((tmp_path / "store.lock").read_text()) == holder(tmp_path)
    lock.release()
    lock.release()
    assert holder(tmp_path) is None
    (tmp_path / "store.lock").write_text('{"pid": 1, "host": "' + "x" * 300 + '"}')
    again = WriterLock(tmp_path)
    # What a longer name left behind the new one would make it unreadable.
    assert holder(tmp_path)["pid"] == os.getpid()
    again.release()


def test_a_reader_that_looks_for_an_instant_keeps_no_run_from_starting(tmp_path):
    (tmp_path / "store.lock").write_text("")
    fd = os.open(tmp_path / "store.lock", os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_SH)
    # With a shared lock the folder is not in use, whoever asks.
    assert holder(tmp_path) is None
    os.close(fd)
    with Store.open(tmp_path) as store:
        assert holder(tmp_path)["pid"] == os.getpid()
        store.set_plan({}, PLAN)
        store.mark_running(PLAN[0], 3)
        with Store.read(tmp_path) as reader:
            ((trial, started),) = reader.running()
        assert trial == PLAN[0]
        assert abs(started - time.time()) < 60
        store.record(PLAN[0], OK)
        assert store.running() == []


@pytest.mark.parametrize("text", ["my notes", "pid 17", '{"name": "a"}', '["pid"]'])
def test_a_file_of_the_users_in_place_of_the_lock_stays(tmp_path, text):
    (tmp_path / "store.lock").write_text(text)
    with pytest.raises(StoreError, match="is in the way") as error:
        Store.open(tmp_path)
    assert str(tmp_path / "store.lock") in str(error.value)
    assert (tmp_path / "store.lock").read_text() == text
    assert not (tmp_path / "store.sqlite").exists()


def test_a_lock_torn_by_a_power_cut_is_taken(tmp_path):
    (tmp_path / "store.lock").write_bytes(b"\0" * 40)
    with Store.open(tmp_path):
        assert holder(tmp_path)["pid"] == os.getpid()


def test_a_lock_removed_while_it_is_waited_for_is_not_the_lock(tmp_path, monkeypatch):
    first = WriterLock(tmp_path)
    real = fcntl.flock
    calls = []

    def flock(fd, operation):
        calls.append(operation)
        if len(calls) == 1:
            # The holder ends just now, and removes its file.
            first.remove()
            first.release()
        return real(fd, operation)

    monkeypatch.setattr("fcntl.flock", flock)
    second = WriterLock(tmp_path)
    monkeypatch.undo()
    assert (tmp_path / "store.lock").exists()
    assert holder(tmp_path)["pid"] == os.getpid()
    second.release()


def test_a_failing_lock_is_one_sentence_and_keeps_no_file_open(tmp_path, monkeypatch):
    def refuse(fd, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(StoreError) as error:
        Store.open(tmp_path)
    assert str(error.value).startswith(f"{tmp_path} cannot be locked (")
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    assert holder(tmp_path) is None
    assert not (tmp_path / "store.sqlite").exists()
    with pytest.raises(StoreError, match="holds no results yet"):
        Store.read(tmp_path)
