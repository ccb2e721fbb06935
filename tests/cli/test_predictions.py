"""Predictions that are kept: what they reproduce, where they go, and metrics without a fit."""

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import boostbench
from boostbench.store.store import Store
from results import rows

MODULE = """\
import numpy as np


def worst(y, predicted, probabilities):
    return float(np.abs(y - predicted).max())


def worst_of(estimator, X, y):
    return float(np.abs(y - estimator.predict(X)).max())


def sure(y, predicted, probabilities):
    return float(probabilities.max(axis=1).mean())


def sure_of(estimator, X, y):
    return float(estimator.predict_proba(X).max(axis=1).mean())


def share(y, predicted):
    return float(np.mean(y == predicted))
"""
REGRESSION = """\
name: numbers
datasets: [{name: prices, file: prices.csv, target: price}]
methods:
  - {estimator: sklearn.linear_model.Ridge}
  - {estimator: sklearn.tree.DecisionTreeRegressor, params: {max_depth: 3}}
folds: 3
seeds: 2
"""
CLASSES = """\
name: classes
datasets: [{name: kinds, file: kinds.csv, target: kind, task: classification}]
methods:
  - {estimator: sklearn.linear_model.LogisticRegression}
  - {estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: 3}}
folds: 2
seeds: 2
"""
# It has decisions and no probabilities.
OF_MARGINS = CLASSES.replace("linear_model.LogisticRegression", "svm.LinearSVC")
KEEP = "keep: [predictions]\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a table of numbers, one of classes, and a module of metrics."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(72, 2))
    price = 50 + 30 * X[:, 0] - 12 * X[:, 1] + rng.normal(size=72) * 9
    signal = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=72)
    kind = np.where(signal > 0.5, "high", np.where(signal < -0.5, "low", "mid"))
    for name, column, values in (("prices", "price", price), ("kinds", "kind", kind)):
        lines = [f"{a:.6f},{b:.6f},{value}" for (a, b), value in zip(X, values, strict=True)]
        Path(f"{name}.csv").write_text("\n".join([f"a,b,{column}", *lines]) + "\n")
    Path("kept_metrics_here.py").write_text(MODULE)
    return tmp_path


def run(cli, text: str, *words: str) -> None:
    """Run an experiment in this process."""
    Path("it.yaml").write_text(text)
    cli.run_only("it.yaml", "--in-process", *words)


def scores(name: str, metric: str) -> list[float]:
    return list(boostbench.load(name).means(metric=metric)["mean"])


@pytest.mark.parametrize("units", ["scaled", "original"])
def test_predictions_reproduce_every_score_of_a_regression(cli, place: Path, units: str) -> None:
    run(cli, REGRESSION + KEEP + f"units: {units}\n")
    results = boostbench.load("numbers")
    frame = results.predictions
    assert list(frame) == [
        *("dataset", "method", "split_seed", "fold", "seed", "row", "y", "predicted"),
    ]
    file = np.loadtxt("prices.csv", delimiter=",", skiprows=1)[:, 2]
    np.testing.assert_array_equal(frame["y"], file[frame["row"]])
    trials = results.trials.set_index(["method", "fold", "seed"])
    groups = frame.groupby(["method", "fold", "seed"])
    assert len(groups) == len(trials) == 12
    for labels, own in groups:
        train = np.delete(file, own["row"])
        scale = train.std() if units == "scaled" else 1.0
        residual = (own["y"] - own["predicted"]) / scale
        recorded = trials.loc[labels]
        assert recorded["mse"] == pytest.approx(np.mean(residual**2), rel=1e-12)
        assert recorded["mae"] == pytest.approx(np.mean(np.abs(residual)), rel=1e-12)
        r2 = 1 - np.mean(residual**2) / (own["y"] / scale).var(ddof=0)
        assert recorded["r2"] == pytest.approx(r2, rel=1e-12)


def test_predictions_reproduce_every_score_of_classes(cli, place: Path) -> None:
    run(cli, CLASSES + KEEP)
    results = boostbench.load("classes")
    trials = results.trials.set_index(["method", "fold", "seed"])
    columns = [f"probability_{label}" for label in ("high", "low", "mid")]
    assert list(results.predictions)[-3:] == columns
    for labels, own in results.predictions.groupby(["method", "fold", "seed"]):
        recorded, given = trials.loc[labels], own[columns].to_numpy()
        assert recorded["accuracy"] == pytest.approx(np.mean(own["y"] == own["predicted"]))
        assert recorded["log_loss"] == log_loss(own["y"], given)
        area = roc_auc_score(own["y"], given, multi_class="ovr")
        assert recorded["roc_auc"] == area


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (
            REGRESSION,
            {
                "neg_max_error": "neg_max_error",
                "kept_metrics_here:worst_of": "kept_metrics_here:worst",
            },
        ),
        (
            f"{REGRESSION}units: original\n",
            {"kept_metrics_here:worst_of": "kept_metrics_here:worst"},
        ),
        (
            CLASSES,
            {
                "f1_macro": "f1_macro",
                "neg_log_loss": "neg_log_loss",
                "kept_metrics_here:sure_of": "kept_metrics_here:sure",
                "accuracy": "kept_metrics_here:share",
            },
        ),
        (OF_MARGINS, {"top_k_accuracy": "top_k_accuracy"}),
    ],
)
def test_a_metric_without_a_fit_is_what_a_trial_would_record(
    cli, place: Path, text: str, asked: dict[str, str]
) -> None:
    run(cli, text + KEEP)
    folder = "numbers" if text.startswith(REGRESSION) else "classes"
    now = {recorded: scores(folder, name) for recorded, name in asked.items()}
    for name in asked.values():
        cli.well("report", folder, "--metric", name)
    run(cli, f"{text}metrics: {list(asked)}\n", "--again")
    assert not boostbench.load(folder).predictions.size
    assert now == {recorded: scores(folder, recorded) for recorded in asked}


def test_an_edited_metric_is_imported_again(cli, place: Path) -> None:
    run(cli, REGRESSION + KEEP)
    before = scores("numbers", "kept_metrics_here:worst")
    Path("kept_metrics_here.py").write_text(MODULE.replace(".max())", ".max()) * 2.0"))
    assert scores("numbers", "kept_metrics_here:worst") == [2.0 * value for value in before]


def test_metrics_that_predictions_cannot_answer_are_refused(cli, place: Path) -> None:
    run(cli, REGRESSION)
    assert "keep: [predictions]" in cli.refused("report", "numbers", "--metric", "neg_max_error")
    run(cli, REGRESSION + KEEP, "--again")
    refused = cli.refused("report", "numbers", "--metric", "kept_metrics_here:worst_of")
    assert "needs the fitted estimator (its parameter 'estimator')" in refused
    assert "no metric 'neg_max_eror'" in cli.refused(
        "report", "numbers", "--metric", "neg_max_eror"
    )
    fails = cli.refused("report", "numbers", "--metric", "kept_metrics_here:sure")
    assert "no kept predictions have a value of 'kept_metrics_here:sure'" in fails


def test_predictions_asked_for_after_the_run_need_again(cli, place: Path) -> None:
    run(cli, REGRESSION)
    keys = {row["key"] for row in rows("results/numbers")}
    tables = "SELECT name FROM sqlite_master WHERE name IN ('predictions', 'test_parts')"
    with sqlite3.connect("results/numbers/store.sqlite") as db:
        assert not db.execute(tables).fetchall()
    Path("it.yaml").write_text(REGRESSION + KEEP)
    said = cli.run_only("it.yaml", "--in-process").err
    assert "predictions: 12 recorded trials ran before they were asked for; --again" in said
    assert "predictions" not in cli.well("show", "prices/Ridge/0/0").out
    cli.run_only("it.yaml", "--in-process", "--again", "--only", "fold=0")
    assert "kept, of 24 test rows" in cli.well("show", "prices/Ridge/0/0").out
    assert set(boostbench.load("numbers").predictions["fold"]) == {0}
    said = cli.run_only("it.yaml", "--in-process").err
    assert "predictions: 8 recorded trials ran before" in said
    assert {row["key"] for row in rows("results/numbers")} == keys
    # A trial that runs again without them loses those of its earlier outcome.
    run(cli, REGRESSION, "--again")
    assert boostbench.load("numbers").predictions.empty


def test_predictions_of_an_outcome_that_was_replaced_are_not_read(cli, place: Path) -> None:
    run(cli, REGRESSION + KEEP)
    with sqlite3.connect("results/numbers/store.sqlite") as db:
        earlier = db.execute("SELECT * FROM predictions").fetchall()
    db.close()
    run(cli, REGRESSION, "--again")
    with sqlite3.connect("results/numbers/store.sqlite") as db:
        assert db.execute("SELECT count(*) FROM predictions").fetchone() == (0,)
        # A version that knows nothing of predictions leaves them beside the new outcomes.
        db.executemany("INSERT INTO predictions VALUES (?, ?, ?, ?)", earlier)
    db.close()
    assert boostbench.load("numbers").predictions.empty


def test_test_rows_are_kept_once_a_split(cli, place: Path) -> None:
    run(cli, REGRESSION + KEEP)
    with sqlite3.connect("results/numbers/store.sqlite") as db:
        assert db.execute("SELECT count(*) FROM test_parts").fetchone() == (3,)
        assert db.execute("SELECT count(*) FROM predictions").fetchone() == (12,)
        db.execute("UPDATE test_parts SET content = zeroblob(9)")
    db.close()
    refused = cli.refused("report", "numbers", "--metric", "neg_max_error")
    assert "predictions are not as they were recorded" in refused
    assert cli("report", "numbers").code == 0


def test_shards_merged_and_runs_taken_over_have_the_predictions_of_all(cli, place: Path) -> None:
    run(cli, REGRESSION + KEEP)
    whole = boostbench.load("numbers").predictions
    for part in ("1/2", "2/2"):
        run(cli, REGRESSION + KEEP + "results: parts\n", "--shard", part)
    shards = ("parts/shard-2-of-2", "parts/shard-1-of-2")
    for folders in (shards, (shards[1], "parts", shards[0])):
        cli.well("merge", *folders)
        assert boostbench.load(place / "parts").predictions.equals(whole)
    run(cli, REGRESSION + KEEP + "results: other\n", "--reuse", "numbers")
    assert boostbench.load(place / "other").predictions.equals(whole)
    # Those of a store that has none are taken from one that has the same results.
    run(cli, REGRESSION + "results: without\n")
    cli.well("merge", "without", "numbers", "--into", "both")
    assert boostbench.load(place / "both").predictions.equals(whole)


@pytest.mark.parametrize("text", [REGRESSION, CLASSES])
def test_an_archive_has_predictions_only_where_they_are_asked_for(
    cli, place: Path, text: str
) -> None:
    run(cli, text + KEEP)
    home = place / "results" / ("classes" if text == CLASSES else "numbers")
    whole = boostbench.load(home).predictions
    cli.well("archive", str(home), "--out", "without")
    assert not Path("without/predictions.zip").exists()
    assert boostbench.load(place / "without").predictions.empty
    cli.well("archive", str(home), "--out", "with", "--predictions")
    assert boostbench.load(place / "with").predictions.equals(whole)
    content = Path("with/predictions.zip").read_bytes()
    # It is written again with them, and they are measured there too.
    cli.well("archive", "with")
    assert Path("with/predictions.zip").read_bytes() == content
    asked = "f1_macro" if text == CLASSES else "neg_max_error"
    assert scores(str(place / "with"), asked) == scores(str(home), asked)
    Path("with/predictions.zip").write_bytes(content[:-9])
    assert "predictions.zip is not as it was written" in cli.refused("report", "with")


def test_an_archive_with_predictions_that_no_trial_kept_is_refused(cli, place: Path) -> None:
    run(cli, REGRESSION)
    refused = cli.refused("archive", "numbers", "--predictions")
    assert "no predictions to keep: leave --predictions out" in refused
    assert not Path("results/numbers/archive").exists()


KILLED = """\
import os, signal, sys
from boostbench.store.store import Store
record, left = Store.record, [5]
def dies(self, *arguments):
    record(self, *arguments)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
Store.record = dies
from boostbench.cli.app import main
main(sys.argv[1:])
"""


def test_a_killed_and_resumed_run_has_the_predictions_of_one_in_one_piece(cli, place: Path) -> None:
    run(cli, CLASSES + KEEP)
    whole = boostbench.load("classes").predictions
    Path("killed.yaml").write_text(CLASSES + KEEP + "results: killed\n")
    command = ("killed.yaml", "--in-process")
    done = subprocess.run([sys.executable, "-P", "-c", KILLED, "run", *command], check=False)
    assert done.returncode == -signal.SIGKILL
    with Store.read(place / "killed") as store:
        assert store.with_predictions() == store.outcomes().keys()
        assert len(store.with_predictions()) == 5
    cli.run_only(*command)
    assert boostbench.load(place / "killed").predictions.equals(whole)


@pytest.mark.end_to_end
def test_worker_processes_and_a_resumed_run_keep_the_same_predictions(cli, place: Path) -> None:
    run(cli, CLASSES + KEEP)
    whole = boostbench.load("classes").predictions
    Path("again.yaml").write_text(CLASSES + KEEP + "results: again\n")
    cli.run_only("again.yaml", "--in-process", "--only", "fold=1")
    with Store.read(place / "again") as store:
        assert len(store.with_predictions()) == 4
    cli.run_only("again.yaml", "-j", "2")
    assert boostbench.load(place / "again").predictions.equals(whole)


def test_a_wrong_value_of_keep_is_refused(cli, place: Path) -> None:
    Path("it.yaml").write_text(REGRESSION + "keep: [models]\n")
    refused = cli.refused("run", "it.yaml")
    assert "it.yaml:8" in refused
    assert "keep" in refused
