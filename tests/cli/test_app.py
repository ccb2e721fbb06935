"""Failures nobody foresaw: a bug is one, a full disk is none, and both leave a traceback."""

import errno
import re
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for temporary files, where tracebacks are written: of one test only."""
    found = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(found))
    return found


def _failing(error: BaseException):
    def fails(*_: object, **__: object) -> None:
        raise error

    return fails


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "No such file or directory", "/of/ours"),
        KeyError("r2_mean"),
    ],
)
def test_a_bug_is_a_bug_with_a_traceback(
    cli, monkeypatch: pytest.MonkeyPatch, temporary: Path, error
) -> None:
    monkeypatch.setattr("boostbench.experiment.folders.find_results", _failing(error))
    done = cli("status", "tiny.yaml")
    assert done.code == 70
    assert f"this is a bug in boostbench ({type(error).__name__}" in done.err
    trace = Path(re.search(r"its traceback is in (\S+)", done.err)[1])
    assert "Traceback" in trace.read_text()
    assert list(temporary.iterdir()) == [trace]


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "No space left"), (errno.EMFILE, "Too many open files")]
)
def test_what_the_machine_refuses_is_said_and_leaves_a_traceback(
    cli, monkeypatch: pytest.MonkeyPatch, temporary: Path, number: int, words: str
) -> None:
    import os

    error = OSError(number, os.strerror(number), "/some/file")
    monkeypatch.setattr("boostbench.experiment.folders.find_results", _failing(error))
    done = cli("status", "tiny.yaml")
    assert (done.code, "bug" in done.err.partition("traceback")[0]) == (2, False)
    assert re.match(rf"error: /some/file: {words}.*; the traceback is in (\S+)\n", done.err)
    assert list(temporary.iterdir()) == [Path(done.err.split()[-1])]


def test_an_awkward_name_is_no_bug(cli, folder: Path) -> None:
    assert cli("run", "x" * 300 + ".yaml").code == 2
    assert cli("report", "x" * 300).code == 2


def test_a_removed_command_says_what_to_use_instead(cli) -> None:
    done = cli("serve", "tiny", "--port", "0")
    assert done.code == 2
    assert re.match(r"error: serve was removed: .*boostbench report NAME --open", done.err)
