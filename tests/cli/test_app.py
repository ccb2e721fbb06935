"""Failures nobody foresaw: a bug is one and leaves a traceback, a full disk is none."""

import errno
import re
from pathlib import Path

import pytest


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
def test_a_bug_is_a_bug_with_a_traceback(cli, monkeypatch: pytest.MonkeyPatch, error) -> None:
    monkeypatch.setattr("boostbench.experiment.folders.find_results", _failing(error))
    done = cli("status", "tiny.yaml")
    assert done.code == 70
    assert f"this is a bug in boostbench ({type(error).__name__}" in done.err
    assert done.err.startswith("Traceback (most recent call last)")


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "No space left"), (errno.EMFILE, "Too many open files")]
)
def test_what_the_machine_refuses_is_one_sentence(
    cli, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    import os

    error = OSError(number, os.strerror(number), "/some/file")
    monkeypatch.setattr("boostbench.experiment.folders.find_results", _failing(error))
    done = cli("status", "tiny.yaml")
    assert done.code == 2
    assert re.fullmatch(rf"error: /some/file: {words}.*\n", done.err)


def test_an_awkward_name_is_no_bug(cli, folder: Path) -> None:
    assert cli("run", "x" * 300 + ".yaml").code == 2
    assert cli("report", "x" * 300).code == 2


def test_a_removed_command_says_what_to_use_instead(cli) -> None:
    done = cli("serve", "tiny", "--port", "0")
    assert done.code == 2
    assert re.match(r"error: serve was removed: .*boostbench report NAME --open", done.err)
