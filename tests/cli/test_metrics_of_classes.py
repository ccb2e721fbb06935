"""Metrics of own data: what they are given, the positive class, and scores without a value."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score

from boostbench.config.loading import load_experiment
from boostbench.data.splits import stratified_kfold_indices
from boostbench.plan.expand import expand
from results import rows

MODULE = """\
import numpy as np
from sklearn.base import ClassifierMixin, BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


class Column(Ridge):
    def predict(self, X):
        return super().predict(X).reshape(-1, 1)


class ColumnOfClasses(LogisticRegression):
    def predict(self, X):
        return super().predict(X).reshape(-1, 1)


def scaled():
    return make_pipeline(StandardScaler(), LogisticRegression())


def gap(estimator, X, y):
    return float(np.mean(np.abs(estimator.predict(X) - y)))


def share_of_leavers(estimator, X, y):
    return float(np.mean(estimator.predict(X)[y == "leaves"] == "leaves"))


def own_score(estimator, X, y):
    return estimator.score(X, y)


def largest_weight(estimator, X, y):
    return float(np.abs(estimator[-1].coef_).max())


def ended(estimator, X, y):
    raise ValueError("there is none, nor will there be.")


def f1_of_one(estimator, X, y):
    return f1_score(y, estimator.predict(X), pos_label=1)


def of_even_sums(estimator, X, y):
    if int(1000 * X[:, 0].sum()) % 2:
        raise RuntimeError("an odd sum")
    return 1.0


def labels_seen(estimator, X, y):
    return float(len(set(y) | set(estimator.predict(X))) * 1000 + len("".join(sorted(set(y)))))


def quits(estimator, X, y):
    raise SystemExit(3)


def huge(estimator, X, y):
    return float(1e300 * (2 + estimator.predict_proba(X)[:, 0].mean()))


leavers = make_scorer(f1_score, pos_label="leaves")
"""
LOGISTIC = "{name: logit, estimator: sklearn.linear_model.LogisticRegression}"


@pytest.fixture
def write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that writes an experiment on a file of two classes, or of others."""
    (folder / "own_metrics.py").write_text(MODULE)

    def experiment(more: str = "", keys: str = "", methods: str = LOGISTIC, **given) -> None:
        labels = given.get("labels", ("leaves", "stays"))
        X, y = values(len(labels))
        lines = [f"{a:.3f},{b:.3f},{labels[code]}" for (a, b), code in zip(X, y, strict=True)]
        Path("d.csv").write_text("\n".join(["a,b,k", *lines]) + "\n")
        data = f"{{name: ours, file: d.csv, target: k, task: classification{keys}}}"
        head = f"name: x\ndatasets: [{data}]\nmethods: [{methods}]\nfolds: 4\nseeds: 1\n"
        Path("x.yaml").write_text(head + more)

    return experiment


def values(n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    y = np.array([0, 0, 0, 1] * 20) if n_classes == 2 else np.arange(80) % n_classes
    return (rng.normal(size=(80, 2)) + np.outer(y, [0.7, 0.2])).round(3), y


def independent(fold: int, labels: tuple[str, ...]) -> tuple[LogisticRegression, np.ndarray, ...]:
    """Return a model fitted on the labels of the file, and the test rows of a fold."""
    X, codes = values(len(labels))
    y = np.array(labels)[codes]
    order = np.argsort(np.argsort(labels))  # codes are in the order of sorted labels
    train, test = stratified_kfold_indices(order[codes], 4, fold, 0)
    low, width = X[train].min(axis=0), np.ptp(X[train], axis=0)
    Z = (X - low) / width
    return LogisticRegression().fit(Z[train], y[train]), Z[test], y[test]


def test_an_experiment_cannot_turn_the_direction_of_its_papers_metric(cli, folder: Path) -> None:
    (folder / "own_metrics.py").write_text(MODULE)
    paper = Path("p")
    paper.mkdir()
    (paper / "paper.yaml").write_text(
        "title: T\nauthors: A. Author\nmetric: gap\n"
        "metrics: [{name: gap, function: 'own_metrics:gap', greater_is_better: false}]\n"
    )
    text = "name: x\npaper: ./p\ndatasets: [diabetes]\nmethods: [random_forest]\nfolds: 4\n"
    text += "defaults: {n_estimators: 3}\n"
    Path("x.yaml").write_text(f"{text}metrics: [mae, {{name: gap, greater_is_better: true}}]\n")
    for command in (["check"], ["run", "--in-process", "--offline"]):
        said = cli.refused(*command, "x.yaml")
        assert "x.yaml:7:16: the metric 'gap' of the paper has 'greater_is_better: false'" in said
    assert not Path("results").exists()
    Path("x.yaml").write_text(f"{text}metrics: [mae, {{name: gap, digits: 1}}]\n")
    cli.well("check", "x.yaml")


# -- what a metric is given --------------------------------------------------------------------


def test_a_column_of_predictions_is_one_value_a_row_for_every_metric(cli, folder: Path) -> None:
    (folder / "own_metrics.py").write_text(MODULE)
    methods = "{name: flat, estimator: sklearn.linear_model.Ridge}, {name: column, estimator: "
    methods += '"own_metrics:Column"}'
    for units in ("scaled", "original"):
        Path("x.yaml").write_text(
            f"name: {units}\ndatasets: [diabetes]\nmethods: [{methods}]\nfolds: 4\nseeds: 1\n"
            f"units: {units}\nmetric: gap\n"
            "metrics: [neg_mean_absolute_error, 'own_metrics:own_score', {name: gap, function: "
            "'own_metrics:gap', greater_is_better: false}]\n"
        )
        cli.well("check", "x.yaml")
        cli.run_only("x.yaml", "--in-process", "--offline")
        flat, column = np.split(np.array(rows(f"results/{units}")), 2)
        for one, other in zip(flat, column, strict=True):
            assert float(one["gap"]) == float(other["gap"]) == float(one["mae"])
            assert float(other["neg_mean_absolute_error"]) == -float(one["mae"])
            assert float(other["own_metrics:own_score"]) == pytest.approx(float(one["r2"]))


@pytest.mark.parametrize("labels", [("leaves", "stays"), ("0", "1")])
def test_a_metric_that_one_class_leaves_undefined_has_no_value(cli, write, labels) -> None:
    """scikit-learn gives 0 and a warning."""
    lists = ", splits: {test_rows: ['rows_*.txt']}"
    keys = f", positive: '{labels[1]}'" + lists
    own = "{name: own, function: 'own_metrics:quits'}"
    asked = f"recall, average_precision, roc_auc_ovr, balanced_accuracy, {own}"
    write(f"splits: {{n: 2}}\nmetrics: [{asked}]\nmetric: recall\n", keys=keys, labels=labels)
    text = Path("x.yaml").read_text().replace("folds: 4\n", "")
    Path("x.yaml").write_text(text)
    _, y = values()
    Path("rows_a.txt").write_text("\n".join(map(str, np.flatnonzero(y == 0)[:20])))
    Path("rows_b.txt").write_text("\n".join(map(str, range(20))))
    done = cli.well("run", "x.yaml", "--in-process", "--offline")
    one, both = rows("results/x")
    reason = f"it is not defined where all test rows are of the class '{labels[0]}'"
    for name in ("recall", "average_precision", "roc_auc_ovr"):
        assert one[name] == ""
        assert one[f"{name}_missing"] == reason
        assert both[name] != ""
    assert one["balanced_accuracy"] != ""
    # A metric that ends the process fails as any other does.
    assert one["own_missing"] == both["own_missing"] == "the metric failed: SystemExit: 3"
    assert f"in split 0 (counted from 0) {reason}; the mean is over 1 of 2 splits" in done.out


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_values_whose_squares_overflow_are_reported(cli, write) -> None:
    other = "{name: strong, estimator: sklearn.linear_model.LogisticRegression, params: {C: 0.01}}"
    asked = "metrics: [{name: huge, function: 'own_metrics:huge'}]\nmetric: huge\n"
    write(asked, methods=f"{LOGISTIC}, {other}")
    done = cli.well("run", "x.yaml", "--in-process", "--offline")
    assert re.search(r"2\.\de300", done.out)
    assert "−∞, ∞" in Path("results/x/table.html").read_text()


def test_a_reason_that_ends_a_sentence_ends_it_once(cli, write) -> None:
    write("metrics: ['own_metrics:ended']\nmetric: 'own_metrics:ended'\n")
    done = cli.well("run", "x.yaml", "--in-process", "--offline")
    assert "ValueError: there is none, nor will there be.\n" in done.out


@pytest.mark.parametrize("labels", [("leaves", "stays"), ("stays", "leaves")])
def test_metrics_of_classes_get_the_labels_of_the_file(cli, write, labels) -> None:
    methods = f'{LOGISTIC}, {{name: column, estimator: "own_metrics:ColumnOfClasses"}}'
    own = ("share_of_leavers", "own_score", "leavers")
    asked = ", ".join(f"'own_metrics:{name}'" for name in own)
    write(f"metrics: [{asked}, f1_macro, roc_auc_ovr]\n", methods=methods, labels=labels)
    cli.well("check", "x.yaml")
    cli.run_only("x.yaml", "--in-process", "--offline")
    flat, column = np.split(np.array(rows("results/x")), 2)
    for fold, row in enumerate(flat):
        model, X, y = independent(fold, labels)
        predicted = model.predict(X)
        share = np.mean(predicted[y == "leaves"] == "leaves")
        assert float(row["own_metrics:share_of_leavers"]) == pytest.approx(share)
        assert float(row["own_metrics:own_score"]) == float(row["accuracy"])
        expected = f1_score(y, predicted, pos_label="leaves")
        assert float(row["own_metrics:leavers"]) == pytest.approx(expected)
        assert float(row["f1_macro"]) == pytest.approx(f1_score(y, predicted, average="macro"))
        assert float(row["roc_auc_ovr"]) == pytest.approx(float(row["roc_auc"]))
        names = [*(f"own_metrics:{name}" for name in own), "f1_macro", "roc_auc_ovr", "accuracy"]
        assert [row[name] for name in names] == [column[fold][name] for name in names]


def test_classes_that_are_numbers_stay_numbers(cli, write) -> None:
    write("metrics: [f1, 'own_metrics:f1_of_one']\n", labels=("0", "1"))
    cli.well("check", "x.yaml")
    cli.run_only("x.yaml", "--in-process", "--offline")
    for fold, row in enumerate(rows("results/x")):
        model, X, y = independent(fold, ("0", "1"))
        expected = f1_score(y, model.predict(X), pos_label="1")
        assert float(row["f1"]) == float(row["own_metrics:f1_of_one"]) == pytest.approx(expected)


def test_labels_that_were_renamed_are_those_of_the_file_now(cli, write) -> None:
    """The numbers are the same, so that the arrays in the cache are those of the old labels."""
    for labels in (("a", "b"), ("aaa", "bb")):
        write("metrics: ['own_metrics:labels_seen']\n", labels=labels)
        cli.run_only("x.yaml", "--in-process", "--offline", "--again")
        found = {row["own_metrics:labels_seen"] for row in rows("results/x")}
        assert found == {f"{2000.0 + len(''.join(labels))}"}


def test_a_metric_may_use_the_estimator_itself(cli, write) -> None:
    methods = '{name: piped, estimator: "own_metrics:scaled"}'
    write("metrics: ['own_metrics:largest_weight']\n", methods=methods)
    said = cli.well("check", "x.yaml").err
    assert "own_metrics:largest_weight on made-up predictions for 'ours'" in said
    assert "not known to be right" in said
    cli.run_only("x.yaml", "--in-process", "--offline")
    assert all(float(row["own_metrics:largest_weight"]) > 0 for row in rows("results/x"))


@pytest.mark.parametrize(
    ("metric", "labels", "words"),
    [
        ("own_metrics:f1_of_one", ("leaves", "stays"), "pos_label=1 is not a valid label"),
        ("own_metrics:leavers", ("quits", "stays"), "pos_label=leaves is not a valid label"),
        ("f1", ("a", "b", "c"), "failed: ValueError: "),
    ],
)
def test_check_calls_each_metric_once(cli, write, metric: str, labels, words: str) -> None:
    write(f"metrics: ['{metric}']\n", labels=labels)
    done = cli("check", "x.yaml")
    assert done.code == 2
    assert f"x.yaml:6:11: {metric} on made-up predictions for 'ours': the metric failed" in done.err
    assert words in done.err


def test_each_data_set_has_its_own_labels_in_check(cli, write) -> None:
    """Two data sets of one shape: what suits the labels of the first fails on the second."""
    write("metrics: ['own_metrics:leavers']\n")
    text = Path("x.yaml").read_text()
    lines = Path("d.csv").read_text().replace("leaves", "quits").splitlines()
    Path("e.csv").write_text("\n".join(lines[:-1]))
    second = "{name: other, file: e.csv, target: k, task: classification, drop: []}"
    Path("x.yaml").write_text(text.replace("}]\nmethods", f"}}, {second}]\nmethods"))
    said = cli.well("check", "x.yaml").err
    assert "own_metrics:leavers on made-up predictions for 'other': the metric failed" in said
    assert "for 'ours'" not in said


# -- the positive class ------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("check",), ("run", "--in-process", "--offline")])
@pytest.mark.parametrize("labels", [("leaves", "stays"), ("2", "3")])
@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "jaccard", "average_precision"])
def test_without_a_positive_class_nothing_is_guessed(cli, write, metric, labels, command) -> None:
    name, *options = command
    write(f"metric: {metric}\n", labels=labels)
    said = cli.refused(name, "x.yaml", *options)
    both = " and ".join(map(repr, labels))
    assert f"x.yaml:2:12: {metric} needs the positive one of the classes {both}" in said
    assert f"of the data set 'ours': add 'positive: {labels[1]}' or" in said.replace('"', "")
    assert not Path("results/x/trials.csv").exists()


@pytest.mark.parametrize("positive", ["leaves", "stays"])
def test_the_positive_class_is_that_of_the_key(cli, write, positive: str) -> None:
    metrics = "metrics: [f1, average_precision, roc_auc_ovr, neg_brier_score, matthews_corrcoef]\n"
    write(metrics, keys=f", positive: {positive}")
    cli.well("check", "x.yaml")
    cli.run_only("x.yaml", "--in-process", "--offline")
    for fold, row in enumerate(rows("results/x")):
        model, X, y = independent(fold, ("leaves", "stays"))
        predicted, column = model.predict(X), list(model.classes_).index(positive)
        expected = f1_score(y, predicted, pos_label=positive)
        assert float(row["f1"]) == pytest.approx(expected)
        found = model.predict_proba(X)[:, column]
        area = average_precision_score(y == positive, found)
        assert float(row["average_precision"]) == pytest.approx(area)
        assert float(row["roc_auc_ovr"]) == pytest.approx(float(row["roc_auc"]))
        brier = -np.mean((found - (y == positive)) ** 2)
        assert float(row["neg_brier_score"]) == pytest.approx(brier)


def test_another_positive_class_runs_again_and_none_keeps_the_keys(cli, write) -> None:
    def keys() -> set[str]:
        return {row["key"] for row in rows("results/x")}

    write("metrics: [f1_macro]\n")
    cli.well("run", "x.yaml", "--in-process", "--offline")
    without = keys()
    experiment = load_experiment("x.yaml")
    (mark,) = {row["fingerprint"] for row in rows("results/x")}
    assert without == {trial.key for trial in expand(experiment, {"ours": mark})}
    write("metrics: [f1]\n", keys=", positive: leaves")
    said = cli.well("run", "x.yaml", "--in-process", "--offline").err
    assert "the positive class changed since 4 trials of it ran" in said
    assert "the positive class is 'leaves'" in Path("results/x/table.md").read_text()
    first = {row["fold"]: row["f1"] for row in rows("results/x")}
    write("metrics: [f1]\n", keys=", positive: stays")
    cli.well("run", "x.yaml", "--in-process", "--offline")
    assert {row["fold"]: row["f1"] for row in rows("results/x")} != first
    assert keys().isdisjoint(without)


@pytest.mark.parametrize(
    ("positive", "labels", "words"),
    [
        (
            "leave",
            ("leaves", "stays"),
            "has no class 'leave'; its classes are 'leaves' and 'stays'",
        ),
        ("a", ("a", "b", "c"), "'positive' is for two classes, but the data set 'ours' has 3"),
        ("true", ("false", "no"), "has no class 'true'"),
    ],
)
def test_a_positive_class_that_there_is_not_is_refused(cli, write, positive, labels, words) -> None:
    write(keys=f", positive: {positive}", labels=labels)
    assert words in cli.refused("check", "x.yaml")


def test_words_that_yaml_reads_as_truth_values_are_labels(cli, write) -> None:
    write("metrics: [f1]\n", keys=", positive: true", labels=("true", "false"))
    cli.well("check", "x.yaml")


# -- scores without a value --------------------------------------------------------------------


def rare(metric: str, more: str = "") -> None:
    """Write an experiment on a file in which one class has one row."""
    rng = np.random.default_rng(1)
    lines = [f"{a:.3f},{'p' if a > 0.5 else 'q'}" for a in rng.random(60)]
    Path("d.csv").write_text("\n".join(["a,k", "0.4,single", *lines]) + "\n")
    Path("x.yaml").write_text(
        "name: x\ndatasets: [{name: ours, file: d.csv, target: k, task: classification}]\n"
        f"methods: [{LOGISTIC}]\nseeds: 1\nmetric: {metric}\n{more or 'folds: 4'}\n"
    )


def test_a_mean_over_fewer_folds_says_so_and_why(cli, folder: Path) -> None:
    rare("log_loss")
    said = cli.well("run", "x.yaml", "--in-process", "--offline").out
    assert "[3 of 4 folds]" in said
    fold = next(row["fold"] for row in rows("results/x") if not row["log_loss"])
    sentence = (
        f"logit on ours: 1 without a score: in fold {fold} (counted from 0) the test rows have the "
        "class 'single', of which no training row is; the mean is over 3 of 4 folds."
    )
    assert sentence in said
    page = Path("results/x/table.md").read_text()
    assert sentence in page
    assert "4 runs, all finished" in page
    assert "3 of 4 folds" in Path("results/x/table.html").read_text()
    # With another metric nothing is missing, and nothing is said.
    other = cli.well("report", "x", "--metric", "error").out
    assert "without a score" not in other
    assert "folds]" not in other


def test_a_run_says_which_metrics_have_no_value(cli, folder: Path) -> None:
    Path("own.py").write_text(
        "def often(estimator, X, y):\n    return 1 / ('single' not in list(y))\n\n\n"
        "def never(estimator, X, y):\n    raise ValueError('no such thing')\n\n\n"
        "def always(estimator, X, y):\n    return 1.0\n"
    )
    asked = [f'{{name: {name}, function: "own:{name}"}}' for name in ("often", "never", "always")]
    rare("error", f"folds: 4\nmetrics: [{', '.join(asked)}]")
    said = cli.run_only("x.yaml", "--in-process", "--offline").err
    assert "often: no value in 1 of 4 finished runs: the metric failed: ZeroDivisionError" in said
    reason = "the metric failed: ValueError: no such thing"
    assert f"never: no value in 4 of 4 finished runs: {reason}" in said
    assert "always: no value" not in said


def test_runs_that_ended_well_are_never_said_to_be_unfinished(cli, folder: Path) -> None:
    rare("roc_auc")
    said = cli.well("run", "x.yaml", "--in-process", "--offline").out
    assert "No run has finished" not in said
    assert "The runs that have finished have no test area under the ROC curve." in said
    assert "3 without a score: in folds" in said
    assert "the test rows have no row of the class 'single'" in said
    assert "trials: 4 ok" in said
    page = Path("results/x/table.md").read_text()
    assert "4 runs, all finished" in page
    assert "No run has finished" not in page + Path("results/x/table.html").read_text()


def test_a_failing_metric_is_named_with_its_splits(cli, write) -> None:
    """Splits in place of folds, and a metric that fails on some of them only."""
    write("metric: own_metrics:of_even_sums\nsplits: {n: 5, test_size: 0.2}\n")
    text = Path("x.yaml").read_text().replace("folds: 4\n", "")
    Path("x.yaml").write_text(text)
    said = cli.well("run", "x.yaml", "--in-process", "--offline").out
    found = rows("results/x")
    failed = [row["fold"] for row in found if not row["own_metrics:of_even_sums"]]
    assert 0 < len(failed) < 5
    places = f"split{'s' if failed[1:] else ''} {', '.join(failed)} (counted from 0)"
    assert f"in {places} the metric failed: RuntimeError: an odd sum" in said
    assert f"the mean is over {5 - len(failed)} of 5 splits" in said


def test_a_method_without_probabilities_says_so(cli, write) -> None:
    write(
        "metric: log_loss\n", methods=f"{LOGISTIC}, {{name: svm, estimator: sklearn.svm.LinearSVC}}"
    )
    said = cli.well("run", "x.yaml", "--in-process", "--offline").out
    assert (
        "svm on ours: 4 without a score: in all 4 folds the run recorded no test log loss" in said
    )
    assert "logit on ours" not in said
    assert "only one method has scores there" in said


def test_where_all_runs_have_a_score_nothing_is_said(cli, write) -> None:
    write("metric: roc_auc\n")
    said = cli.run_only("x.yaml", "--in-process", "--offline").out
    assert "without a score" not in said
    assert "of 4 folds" not in said
