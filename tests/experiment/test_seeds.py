"""Methods of the user's own whose runs are the same for every seed are named."""

import sys
from pathlib import Path

import pytest
from experiments import RIDGE, experiment
from unreported import without_report

import boostbench
from boostbench.cli.app import main

MODULE = """\
from sklearn.ensemble import BaggingRegressor, ExtraTreesRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


class Hidden(ExtraTreesRegressor):
    def fit(self, X, y):
        self.random_state = 3
        return super().fit(X, y)


def fixed(n_estimators=2):
    trees = ExtraTreesRegressor(n_estimators, random_state=7)
    return make_pipeline(StandardScaler(), trees)


def open_(n_estimators=2):
    return make_pipeline(StandardScaler(), ExtraTreesRegressor(n_estimators))


both = BaggingRegressor(ExtraTreesRegressor(2, random_state=1), n_estimators=2)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cheap: None) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "own_seeded.py").write_text(MODULE)
    return tmp_path


class _Notes(boostbench.Listener):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str, level: str = "info") -> None:
        self.notes.append(text)


def _run(*methods: str, **keys: object) -> list[str]:
    Path("x.yaml").write_text(experiment("x", *methods, **keys))
    listener = _Notes()
    with without_report():
        boostbench.run("x.yaml", listener=listener, in_process=True)
    return [text for text in listener.notes if "same bits" in text]


FIXED = "{name: fixed, estimator: 'own_seeded:fixed'}"
OPEN = "{name: open, estimator: 'own_seeded:open_'}"
HIDDEN = "{name: hidden, estimator: 'own_seeded:Hidden', params: {n_estimators: 2}}"
BOTH = "{name: both, estimator: 'own_seeded:both'}"


def test_seeds_that_give_the_same_bits_are_told() -> None:
    unknown = "nothing in it is random, or a seed in it is fixed"
    assert _run(FIXED, OPEN, HIDDEN, BOTH, RIDGE, seeds="[1, 2, 3, 4, 5]") == [
        "fixed: seeds 1 to 5 gave the same bits: extratreesregressor__random_state is fixed at 7; "
        "one seed says as much",
        f"hidden: seeds 1 to 5 gave the same bits: {unknown}; one seed says as much",
    ]
    assert _run(HIDDEN, seeds="[1, 5, 9]")[0].startswith("hidden: seeds 1, 5, 9 gave the same bits")
    # One seed cannot be compared with another.
    assert _run(FIXED, HIDDEN, seeds=1) == []


@pytest.mark.parametrize(
    ("method", "seeds", "said"),
    [
        (FIXED, 2, "fixed: extratreesregressor__random_state is fixed at 7, so that the"),
        (BOTH, 2, "both: estimator__random_state is fixed at 1, so that the experiment's seeds"),
        (FIXED, 1, ""),
        (OPEN, 2, ""),
        (RIDGE, 2, ""),
    ],
)
def test_a_check_names_seeds_that_are_fixed(capsys, method: str, seeds: int, said: str) -> None:
    Path("x.yaml").write_text(experiment("x", method, seeds=seeds))
    with pytest.raises(SystemExit) as ended:
        main(["check", "x.yaml"])
    assert not ended.value.code
    err = capsys.readouterr().err
    assert said in err
    assert bool(said) == ("is fixed at" in err)
