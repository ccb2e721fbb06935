"""Failures nobody foresaw: a bug is one and leaves a traceback, a full disk is none."""

import errno
import os
import re
from unittest import mock

import pytest

FIND = "boostbench.experiment.folders.find_results"


@pytest.mark.parametrize(
    "error",
    [FileNotFoundError(errno.ENOENT, "No such file or directory", "/of/ours"), KeyError("r2_mean")],
)
def test_a_bug_is_a_bug_with_a_traceback(cli, monkeypatch, error) -> None:
    monkeypatch.setattr(FIND, mock.Mock(side_effect=error))
    done = cli("status", "tiny.yaml")
    assert done.code == 70
    assert f"this is a bug in boostbench ({type(error).__name__}" in done.err
    assert done.err.startswith("Traceback (most recent call last)")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE])
def test_system_errors_are_one_sentence(cli, monkeypatch, number: int) -> None:
    error = OSError(number, os.strerror(number), "/some/file")
    monkeypatch.setattr(FIND, mock.Mock(side_effect=error))
    assert f"error: /some/file: {os.strerror(number)}" in cli.refused("status", "tiny.yaml")


def test_an_awkward_name_is_no_bug(cli) -> None:
    assert cli("run", "x" * 300 + ".yaml").code == 2
    assert cli("report", "x" * 300).code == 2


def test_a_removed_command_says_what_to_use_instead(cli) -> None:
    text = cli.refused("serve", "tiny", "--port", "0")
    assert re.match(r"error: serve was removed: .*boostbench report NAME --open", text)
