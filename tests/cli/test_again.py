"""The lines that resume with a run or run a trial again say what the run's own command said."""

from pathlib import Path

import pytest

RUN = ("run", "tiny.yaml", "--jobs", "1", "--set", "seeds=1", "--mirror", "a mirror", "--offline")


@pytest.fixture
def line(folder: Path) -> str:
    """How the command ``RUN`` is told again, but for what may follow."""
    (folder / "a mirror").mkdir()
    return f"boostbench run tiny.yaml --set seeds=1 --mirror '{folder}/a mirror' --offline"


def test_status_and_show(cli, line: str) -> None:
    assert cli(*RUN, "--only", "method=dummy").code == 0
    assert f"resume with: {line} --jobs 1\n" in cli("status", "tiny.yaml").out
    assert (
        f"run it again: {line} --only dataset=diabetes --only method=dummy --only fold=0 "
        "--only seed=0 --again\n"
    ) in cli("show", "diabetes/dummy/0/0").out


def test_what_was_chosen_to_run_is_carried_on(cli, line: str, interrupt_at) -> None:
    with interrupt_at("gather"):
        done = cli(*RUN, "--only", "method=dummy", "--only", "seed=0", "--retry-failed", "--strict")
        told = f"{line} --jobs 1 --only method=dummy --only seed=0 --retry-failed --strict"
        assert f"resume with: {told}\n" in done.err
        assert "resume with: boostbench run tiny.yaml --dry-run\n" in (
            cli("run", "tiny.yaml", "--dry-run").err
        )


def test_failed_trials_are_run_again_as_chosen_and_nothing_else(cli, folder: Path) -> None:
    (folder / "bad.yaml").write_text(
        "name: bad\ndatasets: [diabetes]\nfolds: 2\nseeds: 1\nmethods:\n"
        "  - {name: gamma, estimator: sklearn.linear_model.GammaRegressor}\n"
        "  - {name: dummy, estimator: sklearn.dummy.DummyRegressor}\n"
    )
    command = ("run", "bad.yaml", "-j", "1", "--only", "fold=1")
    line = "boostbench run bad.yaml --jobs 1 --only fold=1"
    for flags in ([], ["--again"], ["--retry-failed"]):
        assert f"run them again with: {line} --retry-failed\n" in cli(*command, *flags).err
    there = cli(*command, "--set", "results=else where")
    assert "see them with: boostbench status 'else where';" in there.err


def test_nothing_is_left_to_resume_after_the_last_trial(cli, interrupt_after) -> None:
    with interrupt_after(None):
        done = cli("run", "tiny.yaml", "-j", "1", "--only", "seed=0")
    assert (done.code, "resume" in done.err) == (0, False)
    assert "trials: 4 ok" in done.out


def test_an_interrupt_at_the_report_of_all(cli, interrupt_at) -> None:
    command = ("run", "tiny.yaml", "-j", "1", "--only", "method=dummy")
    with interrupt_at("write_report"):
        done = cli(*command)
    assert done.code == 130
    assert "nothing is lost, resume with: boostbench run tiny.yaml --jobs 1 --only" in done.err
    again = cli(*command)
    assert (again.code, "nothing was missing; trials: 4 ok" in again.out) == (0, True)


def test_an_interrupt_at_the_report_does_not_start_again_over(
    cli, tiny_run: Path, interrupt_at, interrupt_after
) -> None:
    with interrupt_after(1), interrupt_at("write_report"):
        done = cli("run", "tiny.yaml", "--again", "-j", "1")
    assert done.code == 130
    assert "resume with: boostbench run tiny.yaml --jobs 1\n" in done.err
    status = cli("status", "tiny.yaml").out
    assert "7 trials of --again still to be run again" in status
    with interrupt_after(1):
        rest = cli("run", "tiny.yaml", "-j", "1")
    assert "trials: 2 ok, 6 pending" in rest.out
