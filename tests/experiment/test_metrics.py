"""Metrics that an experiment asks for: recorded for each trial, missing where asked too late."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_percentage_error, root_mean_squared_error

from boostbench.cli.app import main
from boostbench.config.loading import load_experiment
from boostbench.data.splits import kfold_indices
from boostbench.plan.expand import expand
from boostbench.resources import shipped_dir
from results import rows

HEAD = """\
name: x
datasets: [diabetes]
methods: [{name: ridge, estimator: sklearn.linear_model.Ridge}]
folds: 2
seeds: 1
"""
MODULE = """\
import numpy as np

def widest(estimator, X, y):
    return float(np.abs(estimator.predict(X) - y).max())

def broken(estimator, X, y):
    raise RuntimeError("not today")

def endless(estimator, X, y):
    return float("inf")
"""


@pytest.fixture
def command(tmp_path: Path, monkeypatch, capsys, cheap) -> Callable[..., str]:
    """Return a function that runs a command for an experiment file of that text."""
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "widths", raising=False)
    Path("widths.py").write_text(MODULE)

    def start(*words: str, text: str | None = None, code: int = 0) -> str:
        if text is not None:
            Path("x.yaml").write_text(HEAD + text)
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        said = capsys.readouterr()
        assert ended.value.code == code, said
        return said.out + said.err

    return start


def _run(command, text: str, *more: str, where: str = "--in-process") -> list[dict[str, str]]:
    command("run", "x.yaml", where, "--offline", *more, text=text)
    return rows("results/x")


@pytest.mark.end_to_end
def test_scorers_and_functions_are_recorded_and_a_failure_loses_nothing(
    command, no_figures
) -> None:
    plain = _run(command, "")
    text = (
        "metrics: [r2, neg_max_error, 'widths:broken', 'widths:endless', {name: widest, function: "
        "'widths:widest', greater_is_better: false}]\n"
    )
    asked = _run(command, text, "--again", where="--jobs=1")
    for before, after in zip(plain, asked, strict=True):
        assert {name: after[name] for name in before} == before
        assert float(after["neg_max_error"]) == -float(after["widest"]) < 0
        assert after["widths:broken"] == after["widths:endless"] == ""
    said = command("show", "diabetes/ridge/0/0")
    assert "no widths:broken: the metric failed: RuntimeError: not today" in said
    assert "no widths:endless: the metric failed: ValueError: it returned inf" in said
    assert "Mean test widest" in command("report", "x.yaml", "--metric", "widest")


def test_a_metric_that_is_asked_for_later_is_missing_and_named(command) -> None:
    before = _run(command, "")
    text = "metrics: [neg_max_error]\nmetric: neg_max_error\n"
    said = command("run", "x.yaml", "--in-process", "--offline", text=text)
    assert "metric neg_max_error: 2 recorded trials ran before it was asked for; --again" in said
    assert "2 without a score" in said
    page = Path("results/x/table.md").read_text()
    assert "in all 2 folds the test neg max error was asked for after the run" in page
    assert rows("results/x") == before
    assert "neg_max_error" in _run(command, text, "--again")[0]


def test_an_edited_function_is_reported_as_changed(command) -> None:
    text = "metrics: ['widths:widest']\n"
    _run(command, text)
    Path("widths.py").write_text(MODULE + "# another\n")
    said = command("run", "x.yaml", "--in-process", "--offline")
    assert "metric widths:widest: widths.py changed since recorded trials ran" in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metric: rmsee\n", r"x.yaml:6:9: no metric 'rmsee' (did you mean 'rmse'?)"),
        ("metrics: [neg_max_eror]\n", "x.yaml:6:11: no metric 'neg_max_eror' (did you mean 'neg_"),
        ("metrics: ['widths:wide']\n", "the module widths has no 'wide'"),
        ("metrics: ['nowhere:f']\n", "the metric nowhere:f cannot be imported: No module"),
        ("metrics: [error]\n", "x.yaml:6:11: error is for classification, but the data set"),
        ("metrics: [{name: a, digit: 2}]\n", "unknown key 'digit' in metrics[0] (did you mean"),
        ("units: originals\n", "units must be one of scaled, original"),
    ],
)
def test_an_unknown_metric_is_a_sentence_before_anything_runs(command, text, message) -> None:
    assert message in command("run", "x.yaml", "--offline", text=text, code=2)
    assert not Path("results").exists()


def test_report_and_compare_refuse_a_metric_that_there_is_not(command) -> None:
    _run(command, "")
    shutil.copytree("results/x", "results/y")
    for words in (("report", "x.yaml"), ("compare", "x.yaml", "results/y")):
        said = command(*words, "--metric", "rmsee", code=2)
        assert "no metric 'rmsee' (did you mean 'rmse'?)" in said
    assert "test mean absolute error" in command(
        "compare", "x.yaml", "results/y", "--metric", "mae"
    )


def test_errors_in_the_targets_own_unit_are_those_of_scikit_learn(command) -> None:
    metrics = "metrics: [neg_mean_absolute_percentage_error]\n"
    scaled = _run(command, metrics)
    original = _run(command, f"units: original\n{metrics}")
    X, y = load_diabetes(return_X_y=True)
    for fold, row in enumerate(original):
        train, test = kfold_indices(len(y), 2, fold, 0)
        mean, sd = y[train].mean(), y[train].std()
        low, width = X[train].min(axis=0), np.ptp(X[train], axis=0)
        Z = (X - low) / width
        predicted = Ridge().fit(Z[train], (y[train] - mean) / sd).predict(Z[test]) * sd + mean
        assert float(row["rmse"]) == pytest.approx(root_mean_squared_error(y[test], predicted))
        assert float(row["neg_mean_absolute_percentage_error"]) == pytest.approx(
            -mean_absolute_percentage_error(y[test], predicted)
        )
        assert float(row["rmse"]) > 40 > 1 > float(scaled[fold]["rmse"])
    assert [float(r["r2"]) for r in scaled] == pytest.approx([float(r["r2"]) for r in original])
    assert {row["key"] for row in scaled}.isdisjoint(row["key"] for row in original)


def test_listed_test_rows_are_those_that_are_tested(command) -> None:
    Path("rows").mkdir()
    listed = [np.arange(split, 442, 10) for split in range(11)]
    for split, part in enumerate(listed):
        Path(f"rows/test_{split}.txt").write_text("\n".join(map(str, part)))
    text = HEAD.replace("folds: 2\n", "splits: {n: 2}\n")
    ours = "datasets: [{card: diabetes, splits: {test_rows: [rows/test_*.txt]}}]"
    text = text.replace("datasets: [diabetes]", ours)
    Path("x.yaml").write_text(text)
    command("run", "x.yaml", "--in-process", "--offline")
    found = rows("results/x")
    assert [int(row["n_test"]) for row in found] == [len(part) for part in listed]
    X, y = load_diabetes(return_X_y=True)
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    test = listed[10]
    train = np.setdiff1d(np.arange(len(y)), test)
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    ridge = Ridge().fit((X[train] - low) / (high - low), y[train] / y[train].std())
    r2 = ridge.score((X[test] - low) / (high - low), y[test] / y[train].std())
    assert float(found[10]["r2"]) == pytest.approx(r2)
    command("archive", "x")
    assert "11 equal bit for bit" in command(
        "verify", "results/x/archive", "--sample", "11", "--offline"
    )
    # Other rows are other trials; what a file lists wrongly is said.
    keys = {row["key"] for row in found}
    Path("rows/test_3.txt").write_text("1 2 3")
    command("run", "x.yaml", "--in-process", "--offline")
    assert keys.isdisjoint(row["key"] for row in rows("results/x"))
    for content, message, code in (
        ("1 1", "lists the row 1 twice", 2), ("1.5", "where the number of a row", 2),
        ("one", "where the number of a row", 2), ("", "lists no row", 2),
        ("442", "lists the row 442, but the data set has 442 rows", 4),
    ):  # fmt: skip
        Path("rows/test_3.txt").write_text(content)
        assert message in command("run", "x.yaml", "--offline", code=code)
    Path("x.yaml").write_text(text.replace("test_*", "tests_*"))
    assert "there is no file rows/tests_*.txt" in command("run", "x.yaml", "--offline", code=2)


def test_a_data_set_may_have_fewer_splits(command) -> None:
    text = HEAD.replace("folds: 2\n", "splits: {n: 3}\n")
    both = "datasets: [diabetes, {name: few, openml: 1, splits: {n: 2}}]"
    Path("x.yaml").write_text(text.replace("datasets: [diabetes]", both))
    experiment = load_experiment("x.yaml")
    trials = expand(experiment, {"diabetes": "d", "few": "f"})
    assert [(t.dataset, t.fold) for t in trials] == [
        *(("diabetes", fold) for fold in range(3)),
        ("few", 0),
        ("few", 1),
    ]
    rules = {trial.dataset: trial.split_rule for trial in trials}
    assert experiment.n_trials == 5
    assert " x 2 to 3 splits x " in experiment.grid_in_words(2, 1, rules)


def test_cards_lie_beside_the_experiment_and_in_packages(command, install, tmp_path) -> None:
    card = (shipped_dir("datasets") / "diabetes.yaml").read_text()
    text = HEAD.replace("[diabetes]", "[sugar]")
    Path("x.yaml").write_text(text)
    assert "no data set 'sugar'" in command("run", "x.yaml", "--offline", code=2)
    for place in ("datasets", "package"):
        Path(place).mkdir()
        path = Path(place) / "sugar.yaml"
        path.write_text(card.replace("name: diabetes", "name: sugar"))
        if place == "package":
            install("boostbench.datasets", mine=tmp_path / place)
        command("run", "x.yaml", "--in-process", "--offline", "--again")
        path.unlink()
    install("boostbench.datasets")
    Path("datasets/diabetes.yaml").write_text(card + "notes: other\n")
    said = command("run", "x.yaml", "--offline", code=2)
    assert "datasets/diabetes.yaml: there is a card 'diabetes' already" in said
