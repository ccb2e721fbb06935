"""Output files are complete or absent, and a file of the user's is never replaced."""

import errno
import os
import stat

import pytest

from boostbench.errors import StoreError
from boostbench.outputs import RECORD, OutputFolder, os_sentence


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_are_written_into_a_folder_made_for_them(tmp_path, monkeypatch):
    # The temporary file lies in the same folder: another folder may be on another disk.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    folder = tmp_path / "a" / "b"
    paths = OutputFolder(folder).write({"trials.csv": b"x\n", "times.csv": b""})
    assert paths == [folder / "trials.csv", folder / "times.csv"]
    assert names(folder) == [RECORD, "times.csv", "trials.csv"]
    assert (folder / "trials.csv").read_bytes() == b"x\n"
    assert stat.S_IMODE((folder / "trials.csv").stat().st_mode) == 0o644


def test_own_files_are_replaced_and_removed_and_others_are_not(tmp_path):
    (tmp_path / "mine.csv").write_text("mine")
    folder = OutputFolder(tmp_path)
    folder.write({"a.csv": b"1", "b.csv": b"1"})
    OutputFolder(tmp_path).write({"a.csv": b"2", "ü.csv": b"2"})
    assert (tmp_path / "a.csv").read_bytes() == b"2"
    with pytest.raises(StoreError, match="in the way") as error:
        folder.write({"a.csv": b"3", "mine.csv": b"3"})
    assert str(tmp_path / "mine.csv") in str(error.value)
    # Nothing was written, not even what could have been.
    assert (tmp_path / "a.csv").read_bytes() == b"2"
    # One is gone already: the others are removed all the same.
    (tmp_path / "a.csv").unlink()
    OutputFolder(tmp_path).remove(["mine.csv", "a.csv", "b.csv", "ü.csv"])
    assert names(tmp_path) == [RECORD, "mine.csv"]


def test_the_record_has_each_file_once(tmp_path):
    for files in ({"a.csv": b"1"}, {"a.csv": b"2"}, {"a.csv": b"3", "b.csv": b"3"}):
        OutputFolder(tmp_path).write(files)
    assert (tmp_path / RECORD).read_text().splitlines() == ["a.csv", "b.csv"]
    (tmp_path / RECORD).unlink()
    with pytest.raises(StoreError, match="in the way"):
        OutputFolder(tmp_path).write({"a.csv": b"4"})


def test_a_link_of_the_users_is_in_the_way_though_it_leads_nowhere(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "nothing")
    with pytest.raises(StoreError, match="in the way"):
        OutputFolder(tmp_path).check(["a.csv"])


def test_a_record_that_is_no_text_claims_nothing(tmp_path):
    (tmp_path / RECORD).write_bytes(b"#\n\xff\xfe\n")
    (tmp_path / "a.csv").write_text("mine")
    OutputFolder(tmp_path).remove(["a.csv"])
    assert (tmp_path / "a.csv").read_text() == "mine"


def test_a_file_that_cannot_be_written_leaves_no_half_of_it(tmp_path):
    (tmp_path / RECORD).write_text("a.csv\n")
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(StoreError, match="cannot be written to"):
        OutputFolder(tmp_path).write({"a.csv": b"1"})
    with pytest.raises(StoreError, match="cannot be written to"):
        OutputFolder(tmp_path).remove(["a.csv"])
    assert names(tmp_path) == [RECORD, "a.csv"]


def test_a_disk_that_is_full_leaves_no_half_of_a_file(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(StoreError, match="No space left") as error:
        OutputFolder(tmp_path).write({"a.csv": b"1"})
    assert str(tmp_path) in str(error.value)
    assert names(tmp_path) == [RECORD]


def test_a_failure_without_a_system_message_has_its_own(tmp_path):
    assert "what broke" in str(os_sentence(tmp_path, OSError("what broke")))
