"""Scores of classifiers: balanced accuracy, and what needs probabilities."""

import dataclasses
import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from support import save, trial

from boostbench.data.arrays import load_arrays
from boostbench.data.dataset import Dataset
from boostbench.data.prepare import prepare_split
from boostbench.data.splits import stratified_kfold_indices
from boostbench.engine.evaluation import classification_metrics, probability_metrics
from boostbench.engine.execution import run_trial

TWO, THREE = np.array([0, 1]), np.array([0, 1, 2])
X = np.zeros((4, 1))


class Fixed:
    """Returns the same probabilities for all rows that it is given."""

    def __init__(self, probabilities, classes=None):
        self.probabilities = probabilities
        if classes is not None:
            self.classes_ = np.array(classes)

    def predict_proba(self, X):
        return self.probabilities


def _saved(tmp_path, n_classes: int) -> tuple[str, Dataset]:
    rng = np.random.default_rng(n_classes)
    y = np.arange(90) % n_classes
    X = rng.normal(size=(90, 3)) + 0.8 * y[:, None]
    mark = save(tmp_path, X, y, "classification")
    return mark, load_arrays(mark, tmp_path)


def _outcome(tmp_path, mark: str, estimator: str, **params):
    one = dataclasses.replace(
        trial(mark, estimator, fold=1, **params),
        task="classification",
        split="stratified",
        scale_target="none",
    )
    return run_trial(one, tmp_path)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_trial_records_the_scores_of_its_test_rows(tmp_path, n_classes: int) -> None:
    mark, made = _saved(tmp_path, n_classes)
    outcome = _outcome(tmp_path, mark, "sklearn.linear_model:LogisticRegression", C=0.5)
    train, test = stratified_kfold_indices(made.y, 4, 1, 0)
    data = prepare_split(made, train, test, scale_target="none")
    model = LogisticRegression(C=0.5).fit(data.X_train, data.y_train)
    found = model.predict_proba(data.X_test)
    scores = found[:, 1] if n_classes == 2 else found
    assert outcome.status == "ok"
    accuracy = np.mean(data.y_test == model.predict(data.X_test))
    expected = {
        "accuracy": accuracy,
        "error": 1.0 - accuracy,
        "train_accuracy": np.mean(data.y_train == model.predict(data.X_train)),
        "balanced_accuracy": balanced_accuracy_score(data.y_test, model.predict(data.X_test)),
        "train_balanced_accuracy": balanced_accuracy_score(
            data.y_train, model.predict(data.X_train)
        ),
        "log_loss": log_loss(data.y_test, found),
        "roc_auc": roc_auc_score(data.y_test, scores, multi_class="ovr"),
    }
    assert {name: outcome.metrics[name] for name in expected} == pytest.approx(expected)
    json.dumps(vars(outcome), allow_nan=False)


def test_without_probabilities_decisions_have_an_area(tmp_path) -> None:
    mark, made = _saved(tmp_path, 2)
    outcome = _outcome(tmp_path, mark, "sklearn.linear_model:RidgeClassifier", alpha=2.0)
    train, test = stratified_kfold_indices(made.y, 4, 1, 0)
    data = prepare_split(made, train, test, scale_target="none")
    model = RidgeClassifier(alpha=2.0).fit(data.X_train, data.y_train)
    area = roc_auc_score(data.y_test, model.decision_function(data.X_test))
    assert outcome.metrics["roc_auc"] == area
    assert "log_loss" not in outcome.metrics
    mark, _ = _saved(tmp_path, 3)
    outcome = _outcome(tmp_path, mark, "sklearn.linear_model:RidgeClassifier")
    assert outcome.metrics["roc_auc"] is None
    assert "needs predict_proba" in outcome.metrics["roc_auc_missing"]


def test_without_probabilities_and_decisions_nothing_is_recorded_of_them(tmp_path) -> None:
    mark, _ = _saved(tmp_path, 2)
    outcome = _outcome(tmp_path, mark, "faulty:FirstClass")
    assert outcome.status == "ok"
    assert "balanced_accuracy" in outcome.metrics
    assert not {"log_loss", "roc_auc"} & outcome.metrics.keys()


@pytest.mark.parametrize(
    ("decisions", "y", "classes", "words"),
    [
        ([0.1, 0.2, 0.3], [0, 0, 1, 1], None, "returned shape (3,) for 4 rows"),
        (["1", "2", "3", "4"], [0, 0, 1, 1], None, "decision_function returned texts, not numbers"),
        ([1.0, np.nan, 2.0, 3.0], [0, 0, 1, 1], None, "NaN"),
        ([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1], [1, 0], "not the sorted classes"),
        ([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1], None, "the test rows have no row of the class 0"),
    ],
)
def test_decisions_without_an_area_have_a_reason(decisions, y, classes, words, capsys) -> None:
    model = SimpleNamespace(decision_function=lambda X: np.array(decisions))
    if classes:
        model.classes_ = np.array(classes)
    metrics, probabilities = probability_metrics(model, X, np.array(y), TWO)
    assert (probabilities, metrics["roc_auc"]) == (None, None)
    assert words in metrics["roc_auc_missing"]
    # A column of decisions is one a row.
    model = SimpleNamespace(decision_function=lambda X: np.array([[1.0], [2.0], [2.0], [4.0]]))
    assert probability_metrics(model, X, np.array([0, 0, 1, 1]), TWO)[0] == {"roc_auc": 7 / 8}


HALVES, THIRDS = [[0.5, 0.5]] * 4, [[1 / 3] * 3] * 4
TIED = [[0.9, 0.1], [0.6, 0.4], [0.6, 0.4], [0.2, 0.8]]
SINGLE = np.array([[0.1, 0.2, 0.7], THIRDS[0], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], np.float32)
SURE = [[1, 0], [1, 0], [0, 1], [0, 1]]


def _loss(*right):
    return pytest.approx(-np.mean(np.log(right)), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("found", "y", "classes", "loss", "area"),
    [
        # Pairs in their order count, and half of the ties.
        (TIED, [0, 0, 1, 1], TWO, _loss(0.9, 0.6, 0.4, 0.8), 3.5 / 4),
        (SINGLE, [2, 1, 0, 1], THREE, _loss(0.7, 1 / 3, 0.6, 0.5), pytest.approx(1.0)),
        (SURE, [0, 0, 1, 1], TWO, _loss(1.0), 1.0),
        # Without a class in the test rows there is no area, with another one no loss.
        (THIRDS, [0, 0, 1, 1], THREE, _loss(1 / 3), None),
        (HALVES, [1, 1, 1, 1], TWO, _loss(1 / 2), None),
        (HALVES, [0, 1, 2, 1], TWO, None, None),
        ([[1.0]] * 4, [0, 0, 0, 0], TWO[:1], None, None),
    ],
)
def test_the_loss_and_the_area_of_probabilities(found, y, classes, loss, area) -> None:
    metrics, _ = probability_metrics(Fixed(found), X, np.array(y), classes)
    assert (metrics["log_loss"], metrics["roc_auc"]) == (loss, area)
    # What is missing has a reason, and nothing else has one.
    assert ("log_loss_missing" in metrics) == (loss is None)
    assert ("roc_auc_missing" in metrics) == (area is None)


def test_the_reason_of_a_missing_score_names_the_class() -> None:
    def said(y, classes):
        metrics, _ = probability_metrics(
            Fixed(np.full((4, len(classes)), 1 / len(classes))), X, np.array(y), classes, "pqr"
        )
        return metrics.get("log_loss_missing"), metrics.get("roc_auc_missing")

    unknown = "the test rows have the class 'r', of which no training row is"
    assert said([0, 1, 2, 1], TWO) == (unknown, unknown)
    assert said([0, 1, 0, 1], THREE) == (None, "the test rows have no row of the class 'r'")
    assert said([1, 1, 1, 1], TWO) == (None, "the test rows have no row of the class 'p'")
    only = "all training rows are of the class 'p'"
    assert said([0, 0, 0, 0], TWO[:1]) == (only, only)
    assert said([0, 1, 0, 1], TWO) == (None, None)


def test_sure_and_wrong_is_a_large_loss_and_finite() -> None:
    wrong, _ = probability_metrics(Fixed(SURE), X, np.array([1, 1, 0, 0]), TWO)
    assert 30 < wrong["log_loss"] < 50
    assert wrong["roc_auc"] == 0


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Fixed(np.full((4, 3), 1 / 3)), "the shape is (4, 3), not (4, 2)"),
        (Fixed(np.full(4, 0.5)), "the shape is (4,), not (4, 2)"),
        (Fixed(np.full((4, 2), 0.7)), "which add up to 1"),
        (Fixed([[1.5, -0.5]] * 4), "which add up to 1"),
        (Fixed([[np.nan, 1.0]] * 4), "which add up to 1"),
        (Fixed([["0.5", "0.5"]] * 4), "predict_proba returned texts, not numbers"),
        (Fixed(np.full((4, 2), 0.5), classes=[1, 0]), "not the sorted classes"),
        (None, "object has no attribute 'absent'"),
    ],
)
def test_invalid_probabilities_are_printed_and_harm_nothing(model, words, capsys) -> None:
    class Fails:
        def predict_proba(self, X):
            return self.absent

    y = np.array([0, 0, 1, 1])
    metrics, _ = probability_metrics(model or Fails(), X, y, TWO)
    assert metrics.keys() == {"log_loss_missing", "roc_auc_missing"}
    assert all(words in reason for reason in metrics.values())
    out = capsys.readouterr().out
    assert out.startswith("no log loss and no AUC: predict_proba failed: ")
    assert words in out


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_balanced_accuracy_is_that_of_scikit_learn(rows: list[tuple[int, int]]) -> None:
    y, predicted = np.array(rows).T
    found = classification_metrics(y, predicted, "", np.arange(4))["balanced_accuracy"]
    extra = np.setdiff1d(predicted, y)
    if not len(extra):
        assert found == pytest.approx(balanced_accuracy_score(y, predicted))
    recalls = [np.mean(predicted[y == label] == label) for label in set(y.tolist())]
    assert found == pytest.approx(np.mean(recalls))
