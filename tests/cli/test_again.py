"""The lines that resume with a run or run a trial again say what the run's own command said."""

import sys
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import pytest
from experiments import DUMMY, write

pytestmark = pytest.mark.usefixtures("undrawn")

RUN = ("run", "tiny.yaml", "--jobs", "1", "--set", "seeds=1", "--mirror", "a mirror", "--offline")


@pytest.fixture
def line(folder: Path) -> str:
    """The command that repeats ``RUN``, to which options may be added."""
    (folder / "a mirror").mkdir()
    return f"boostbench run tiny.yaml --set seeds=1 --mirror '{folder}/a mirror' --offline"


def test_status_and_show_print_the_command_of_the_run(cli, line: str) -> None:
    cli.well(*RUN, "--only", "method=dummy")
    assert f"resume with: {line} --jobs 1\n" in cli("status", "tiny.yaml").out
    assert (
        f"run it again: {line} --only dataset=diabetes --only method=dummy --only fold=0 "
        "--only seed=0 --again\n"
    ) in cli("show", "diabetes/dummy/0/0").out


def test_a_resumed_run_keeps_its_selection(cli, line: str, interrupt_at) -> None:
    with interrupt_at("cli.screen.Screen.downloads"):
        done = cli(*RUN, "--only", "method=dummy", "--only", "seed=0", "--retry-failed", "--strict")
        text = f"{line} --jobs 1 --only method=dummy --only seed=0 --retry-failed --strict"
        assert f"resume with: {text}\n" in done.err
        assert "resume with: boostbench run tiny.yaml --dry-run\n" in (
            cli("run", "tiny.yaml", "--dry-run").err
        )


def test_an_interrupt_of_the_imports_says_how_to_resume(cli, line: str, monkeypatch) -> None:
    importing = mock.Mock(spec=[])
    type(importing).Run = mock.PropertyMock(side_effect=KeyboardInterrupt)
    monkeypatch.setitem(sys.modules, "boostbench.experiment.run", importing)
    done = cli(*RUN)
    assert (done.code, done.out) == (130, "")
    assert done.err == f"interrupted; nothing is lost, resume with: {line} --jobs 1\n"


def test_failed_trials_are_reported_and_run_again_on_request(cli) -> None:
    gamma = "{name: gamma, estimator: sklearn.linear_model.GammaRegressor}"
    command = ("run", write("bad", gamma, DUMMY, seeds=2), "-j", "1", "--only", "fold=1")
    line = "boostbench run bad.yaml --jobs 1 --only fold=1"
    for flags, ran in ([], "trials: 2 error, 2 ok"), (["--again"], ""), (["--retry-failed"], ""):
        done = cli(*command, *flags)
        assert (done.code, ran in done.out) == (1, True)
        assert f"run them again with: {line} --retry-failed\n" in done.err
    assert "2 of 4 trials to run" in done.err
    assert "diabetes/gamma/1/0: error: ValueError: Some value(s) of y" in done.err
    again = cli(*command)
    assert (again.code, "nothing was missing" in again.out) == (1, True)
    there = cli(*command, "--set", "results=else where")
    assert "2 trials failed; see them with: boostbench status 'else where';" in there.err
    status = cli.well("status", "bad.yaml").out
    for text in ("4 of 8 trials done (2 ok, 2 error)", "boostbench show diabetes/gamma/1/0"):
        assert text in status
    assert "Traceback (most recent call last)" in cli.well("show", "diabetes/gamma/1/0").out


def test_nothing_is_left_to_resume_after_the_last_trial(cli, interrupt_after) -> None:
    with interrupt_after(None):
        done = cli.well("run", "tiny.yaml", "-j", "1", "--only", "seed=0")
    assert "resume" not in done.err
    assert "trials: 4 ok" in done.out


def test_an_interrupt_at_the_report_of_all(cli, interrupt_at) -> None:
    command = ("run", "tiny.yaml", "-j", "1", "--only", "method=dummy")
    with interrupt_at("experiment.run.write_report"):
        done = cli(*command)
    assert done.code == 130
    assert "nothing is lost, resume with: boostbench run tiny.yaml --jobs 1 --only" in done.err
    assert "nothing was missing; trials: 4 ok" in cli.well(*command).out


@pytest.mark.parametrize("at", ["experiment.run.write_report", None])
def test_an_interrupted_repetition_resumes_where_it_was(
    cli, tiny_run, interrupt_at, interrupt_after, at
) -> None:
    with interrupt_after(3), interrupt_at(at) if at else nullcontext():
        done = cli("run", "tiny.yaml", "--again", "-j", "1")
    assert done.code == 130
    assert "resume with: boostbench run tiny.yaml --jobs 1\n" in done.err
    assert "5 trials of --again still to be run again" in cli("status", "tiny").out
    assert "3 done, 5 to run" in cli("run", "tiny.yaml", "--dry-run").out
    assert "5 of 8 trials to run" in cli.well("run", "tiny.yaml", "-j", "1").err
    assert "nothing was missing" in cli("run", "tiny.yaml").out
