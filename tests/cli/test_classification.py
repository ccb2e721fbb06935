"""Boosting through the command line: random splits, chosen parameters, learning curves."""

from pathlib import Path

import pytest
from experiments import experiment

from results import rows as _rows

BOOST = experiment(
    "boost",
    "{name: cw, method: multiboost_cw, choose: {C: [1.0e+2, 1.0e+3]}}",
    "{name: mh, method: adaboost_mh}",
    "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}",
    data="{card: iris, per_class: 20}",
    defaults="{max_iter: 6}",
    splits="{n: 2, test_size: 0.25}",
    scale_features="none",
)


@pytest.fixture
def config(folder: Path) -> str:
    (folder / "boost.yaml").write_text(BOOST)
    return "boost.yaml"


@pytest.fixture
def boosted(once) -> Path:
    """The results folder of ``boost.yaml``, run once in one process."""
    return once(BOOST)


def test_a_run_of_classifiers_leaves_errors_choices_and_curves(boosted: Path) -> None:
    trials = _rows(boosted / "trials.csv")
    assert [(row["method"], row["fold"]) for row in trials] == [
        (method, fold) for method in ("cw", "mh", "bayes") for fold in "01"
    ]
    for row in trials:
        assert row["status"] == "ok"
        assert (row["n_train"], row["n_test"], row["split"]) == ("45", "15", "shuffle")
        assert 0 <= float(row["error"]) < 0.5
        assert row["chosen_C"] in (("100.0", "1000.0") if row["method"] == "cw" else ("",))
    curves = _rows(boosted / "curves.csv")
    assert {row["method"] for row in curves} == {"cw", "mh"}
    for row in trials[:4]:
        own = [c for c in curves if c["key"] == row["key"]]
        assert [c["iteration"] for c in own] == [str(i + 1) for i in range(int(row["n_iter"]))]
        assert own[-1]["test_error"] == row["error"]
    clocks = _rows(boosted / "curve_times.csv")
    assert [c["key"] for c in clocks] == [c["key"] for c in curves]
    assert "fit_s" in clocks[0]


@pytest.mark.end_to_end
def test_results_and_curves_do_not_depend_on_workers(
    cli, config: str, boosted: Path, undrawn: None
) -> None:
    cli.well("run", config, "--jobs", "2", "--offline")
    for name in ("trials.csv", "curves.csv"):
        assert Path("results", "boost", name).read_bytes() == (boosted / name).read_bytes()


def test_splits_in_words_and_more_of_them_run_only_those(cli, config: str, undrawn: None) -> None:
    assert "1 data set x 3 methods x 2 splits x 1 seed = 6 trials" in cli("check", config).out
    assert "3 methods x 2 splits x 1 seed" in cli("run", config, "--dry-run").out
    cli.well("run", config, "-j", "1", "--only", "method=mh")
    more = cli.well("run", config, "-j", "1", "--only", "method=mh", "--set", "splits.n=3")
    assert "1 of 3 trials to run" in more.err


def test_show_has_the_split_and_the_choice(cli, boosted: Path) -> None:
    shown = cli("show", "iris/cw/1/0", "--in", str(boosted)).out
    assert "1 of 2, 75 % of the rows for training, 25 % for the test, split seed 0" in shown
    assert '{"C": [100.0, 1000.0]}' in shown
    assert "chosen_C" in shown
