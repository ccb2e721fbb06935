"""What a run shows of the version of boostbench: releases count, commits between them do not."""

from pathlib import Path

import pytest
from experiments import write

FOREST = "{name: forest, estimator: boostbench.trees.ForestRegressor, params: {n_estimators: 2}}"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch):
    """Return a function that sets the version that is installed."""
    return lambda version: monkeypatch.setattr("boostbench.release.installed", lambda: version)


@pytest.mark.parametrize(
    ("now", "runs_again"),
    [
        ("0.2.0", False),
        ("0.2.0.post1.dev2+g5d6e7f8", False),
        # An estimator without a version of its own has that of the release.
        ("0.3.0", True),
        ("0.3.0.post1.dev1+g5d6e7f8", True),
    ],
)
def test_a_commit_runs_nothing_again_and_warns_of_nothing(
    cli, folder: Path, installed, now: str, runs_again: bool
) -> None:
    write("own", FOREST)
    installed("0.2.0.post1.dev1+g1a2b3c4")
    cli.run_only("own.yaml", "-j", "1")
    installed(now)
    again = cli.run_only("own.yaml", "-j", "1")
    assert ("nothing was missing" in again.out) is not runs_again
    assert ("its version changed" in again.err) is runs_again


def test_a_version_without_a_release_is_never_a_change(cli, folder: Path, installed) -> None:
    installed("0.2.0")
    cli.run_only("tiny.yaml", "-j", "1")
    installed("0.0.post1.dev7+g1a2b3c4")
    again = cli.run_only("tiny.yaml", "-j", "1")
    assert "nothing was missing" in again.out
    assert "changed" not in again.out + again.err


def test_the_exact_version_is_shown(cli, folder: Path, installed) -> None:
    installed("0.2.0.post1.dev2+g5d6e7f8")
    assert cli.well("--version").out == "boostbench 0.2.0.post1.dev2+g5d6e7f8\n"
