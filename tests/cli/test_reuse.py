"""``run --reuse``: trials that are the same in another results folder are taken over."""

from pathlib import Path

import pytest

SHALLOW = """
name: {name}
datasets: [diabetes]
methods:
  - {{name: mean, estimator: sklearn.dummy.DummyRegressor}}
  - {{name: ridge, estimator: sklearn.linear_model.Ridge, params: {{alpha: {alpha}}}}}
folds: 2
seeds: {seeds}
"""


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two experiments of which one method is the same, in one more seed."""
    monkeypatch.chdir(tmp_path)
    Path("first.yaml").write_text(SHALLOW.format(name="first", alpha=1.0, seeds=1))
    Path("second.yaml").write_text(SHALLOW.format(name="second", alpha=2.0, seeds=2))
    return tmp_path


def test_the_same_trials_are_taken_over_and_the_others_run(two: Path, cli) -> None:
    assert cli("run", "first.yaml", "-j1").code == 0
    dry = cli("run", "second.yaml", "--reuse", "first.yaml", "--dry-run", "-j1")
    assert "2 trials to take over from results/first" in dry.out
    assert "0 done, 6 to run" in dry.out
    assert not Path("results/second").exists()
    done = cli("run", "second.yaml", "--reuse", "first.yaml", "-j1")
    assert done.code == 0
    assert "2 trials taken over from results/first" in done.err
    assert "6 of 8 trials to run" in done.err
    # What is recorded is what a run without it records.
    reused = Path("results/second/trials.csv").read_bytes()
    assert cli("run", "second.yaml", "-j1", "--set", "results=plain").code == 0
    assert Path("plain/trials.csv").read_bytes() == reused
    # With everything done nothing is taken over again.
    again = cli("run", "second.yaml", "--reuse", "results/first", "-j1")
    assert "0 trials taken over" in again.err
    assert "nothing was missing" in again.out


def test_a_trial_that_two_results_have_is_taken_from_the_first(two: Path, cli) -> None:
    assert cli("run", "first.yaml", "-j1").code == 0
    assert cli("run", "first.yaml", "-j1", "--set", "results=copy").code == 0
    done = cli("run", "second.yaml", "--reuse", "copy", "--reuse", "first.yaml", "-j1")
    assert "2 trials taken over from copy" in done.err
    assert "0 trials taken over from results/first" in done.err


def test_failed_trials_are_not_taken_over(two: Path, cli) -> None:
    Path("reuse_fails.py").write_text(
        "from sklearn.dummy import DummyRegressor\n"
        "class Fails(DummyRegressor):\n"
        "    def fit(self, X, y):\n"
        "        raise RuntimeError('no luck')\n"
    )
    text = (
        Path("first.yaml")
        .read_text()
        .replace("sklearn.linear_model.Ridge, params: {alpha: 1.0}", "reuse_fails.Fails")
    )
    for name in ("bad", "good"):
        Path(f"{name}.yaml").write_text(text.replace("name: first", f"name: {name}"))
    assert cli("run", "bad.yaml", "-j1").code == 1
    done = cli("run", "good.yaml", "--reuse", "bad.yaml", "-j1")
    assert done.code == 1
    assert "2 trials taken over from results/bad" in done.err
    assert "2 of 4 trials to run" in done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--reuse", "results/second"), "these are the results of this very experiment"),
        (("--reuse", "nowhere"), "there is no folder results/nowhere"),
        (("--reuse", "second.yaml", "--again"), "leave one of them out"),
    ],
)
def test_what_cannot_be_reused_is_one_sentence(two: Path, cli, words, sentence) -> None:
    assert cli("run", "second.yaml", "-j1").code == 0
    before = Path("results/second/trials.csv").read_bytes()
    done = cli("run", "second.yaml", "-j1", *words)
    assert done.code == 2
    assert sentence in done.err
    assert Path("results/second/trials.csv").read_bytes() == before
