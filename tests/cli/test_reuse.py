"""``run --reuse``: trials that are the same in another results folder are taken over."""

from pathlib import Path

import pytest
from experiments import DUMMY, RIDGE, experiment, write, write_model

from boostbench.experiment.request import Request

pytestmark = pytest.mark.usefixtures("undrawn")

FIRST = experiment("first", DUMMY, RIDGE)


@pytest.fixture
def two(ran) -> None:
    """A finished experiment and another one of which one method is the same, in one more seed."""
    ran(FIRST)
    write("second", DUMMY, RIDGE.replace("Ridge", "Lasso"), seeds=2)


def test_the_same_trials_are_taken_over_and_the_others_run(two, cli) -> None:
    dry = cli("run", "second.yaml", "--reuse", "first.yaml", "--dry-run", "-j1")
    assert "2 trials to take over from results/first" in dry.out
    assert "0 done, 6 to run" in dry.out
    assert not Path("results/second").exists()
    done = cli.well("run", "second.yaml", "--reuse", "first.yaml", "-j1")
    assert "2 trials taken over from results/first" in done.err
    assert "6 of 8 trials to run" in done.err
    # The records are those of a run without reuse.
    reused = Path("results/second/trials.csv").read_bytes()
    cli.well("run", "second.yaml", "-j1", "--set", "results=plain")
    assert Path("plain/trials.csv").read_bytes() == reused
    # With everything done nothing is taken over again.
    again = cli("run", "second.yaml", "--reuse", "results/first", "-j1")
    assert "0 trials taken over" in again.err
    assert "nothing was missing" in again.out


def test_a_trial_that_two_results_have_is_taken_from_the_first(two, cli) -> None:
    cli.well("run", "first.yaml", "-j1", "--set", "results=copy")
    done = cli("run", "second.yaml", "--reuse", "copy", "--reuse", "first.yaml", "-j1")
    assert "2 trials taken over from copy" in done.err
    assert "0 trials taken over from results/first" in done.err


def test_failed_trials_are_not_taken_over(cli) -> None:
    fails = write_model("reuse_fails", "raise RuntimeError('no luck')")
    for name in ("bad", "good"):
        write(name, DUMMY, fails)
    assert cli("run", "bad.yaml", "-j1").code == 1
    done = cli("run", "good.yaml", "--reuse", "bad.yaml", "-j1")
    assert done.code == 1
    assert "2 trials taken over from results/bad" in done.err
    assert "2 of 4 trials to run" in done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--reuse results/first", "these are the results of this very experiment"),
        ("--reuse nowhere", "there is no folder results/nowhere"),
        ("--reuse first.yaml --again", "leave one of them out"),
    ],
)
def test_errors_of_reuse_are_one_sentence(two, cli, words: str, sentence: str) -> None:
    before = Path("results/first/trials.csv").read_bytes()
    assert sentence in cli.refused("run", "first.yaml", "-j1", *words.split())
    assert Path("results/first/trials.csv").read_bytes() == before


def test_the_command_of_a_call_from_python_has_it() -> None:
    assert str(Request("d2", reuse=["results/d3"])) == "boostbench run d2 --reuse results/d3"
