"""The choice of a trial before its fit, and its records of each iteration."""

import dataclasses
import json

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from support import save, trial

from boostbench.boosting import MultiBoostCW
from boostbench.data.arrays import load_arrays
from boostbench.data.prepare import prepare_split
from boostbench.data.splits import shuffle_indices
from boostbench.engine.execution import run_trial

CW = "boostbench.boosting:MultiBoostCW"
MH = "boostbench.boosting:AdaBoostMH"


@pytest.fixture
def blobs(tmp_path):
    """The fingerprint of three overlapping classes saved in ``tmp_path / "arrays"``."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 4)) + y[:, None] * [1.0, 0.0, -0.7, 0.0]
    return save(tmp_path / "arrays", X, y, "classification")


def split_trial(mark, estimator, fold=0, choose=(), curves=True, task="classification", **params):
    return dataclasses.replace(
        trial(mark, estimator, fold=fold, **params),
        task=task,
        scale_features="none",
        scale_target="none",
        split="shuffle",
        test_size=0.25,
        folds=5,
        choose=dict(choose),
        curves=curves,
    )


def parts(tmp_path, one):
    dataset = load_arrays(one.fingerprint, tmp_path / "arrays")
    train, test = shuffle_indices(
        dataset.y, one.test_size, one.fold, one.split_seed, stratify=one.task == "classification"
    )
    return dataset, train, test


def test_curves_are_those_of_the_model_after_each_iteration(tmp_path, blobs):
    # Stage-wise, since a corrective fit solves its last stage more closely than the others.
    one = split_trial(blobs, CW, fold=3, stagewise=True, max_iter=12)
    outcome = run_trial(one, tmp_path / "arrays")
    assert outcome.status == "ok", outcome.traceback
    dataset, train, test = parts(tmp_path, one)
    data = prepare_split(dataset, train, test, "none", "none")
    curve = outcome.curve
    n = outcome.metrics["n_iter"]
    assert set(curve) == {"iteration", "objective", "train_error", "test_error"}
    assert curve["iteration"] == list(range(1, n + 1))
    for rounds in (1, 5, n):
        model = MultiBoostCW(stagewise=True, max_iter=rounds, random_state=one.random_state)
        model.fit(data.X_train, data.y_train)
        assert curve["objective"][rounds - 1] == model.objective_history_[-1]
        assert curve["test_error"][rounds - 1] == np.mean(model.predict(data.X_test) != data.y_test)
        assert curve["train_error"][rounds - 1] == np.mean(
            model.predict(data.X_train) != data.y_train
        )
    assert curve["test_error"][-1] == outcome.metrics["error"]
    assert curve["train_error"][-1] == outcome.metrics["train_error"]
    json.dumps(vars(outcome), allow_nan=False)


def test_clocks_run_on_and_stop_before_the_evaluation(tmp_path, blobs):
    outcome = run_trial(split_trial(blobs, MH, max_iter=40), tmp_path / "arrays")
    clocks = outcome.time_curve
    assert set(clocks) == {"fit_s", "solver_s"}
    assert len(clocks["fit_s"]) == len(clocks["solver_s"]) == outcome.metrics["n_iter"]
    assert (np.diff(clocks["fit_s"]) > 0).all()
    assert (np.diff(clocks["solver_s"]) >= 0).all()
    assert clocks["solver_s"][-1] <= clocks["fit_s"][-1] <= outcome.times["fit_s"]


def test_other_estimators_have_the_curves_that_they_can(tmp_path, blobs):
    one = split_trial(blobs, "sklearn.ensemble:AdaBoostClassifier", n_estimators=7)
    outcome = run_trial(one, tmp_path / "arrays")
    dataset, train, test = parts(tmp_path, one)
    model = AdaBoostClassifier(n_estimators=7, random_state=one.random_state)
    model.fit(dataset.X[train], dataset.y[train])
    errors = [float(np.mean(p != dataset.y[test])) for p in model.staged_predict(dataset.X[test])]
    assert set(outcome.curve) == {"iteration", "train_error", "test_error"}
    assert outcome.curve["test_error"] == errors
    assert outcome.metrics["n_iter"] == len(errors)
    assert outcome.time_curve is None
    plain = split_trial(blobs, "sklearn.naive_bayes:GaussianNB")
    assert run_trial(plain, tmp_path / "arrays").curve is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ShortHistory", "not of one length: {'objective': 2, 'train_error': 3, 'test_error': 3}"),
        ("NotANumberHistory", "objective_history_ is not a list of finite numbers"),
        ("OtherLastStage", "the last of staged_predict is not what predict says (for 23 of 90 ro"),
        ("WideStages", "staged_predict gave the shape (90, 3) in iteration 1 for 90 rows"),
        ("FirstWrong", "predict says -1, which is none of the classes trained on (for 1 of 30 ro"),
        ("FirstText", "predict says 'k', which is none of the classes trained on (for 30 of 30 r"),
    ],
)
def test_impossible_histories_and_predictions_are_errors(tmp_path, blobs, name, words):
    outcome = run_trial(split_trial(blobs, f"faulty:{name}"), tmp_path / "arrays")
    assert (outcome.status, outcome.curve) == ("error", None)
    assert words in outcome.reason


def test_no_stages_are_no_curve(tmp_path, blobs):
    outcome = run_trial(split_trial(blobs, "faulty:NoStages"), tmp_path / "arrays")
    assert (outcome.status, outcome.curve) == ("ok", None)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("GradientBoostingClassifier", {"n_estimators": 6, "subsample": 0.5}),
        ("GradientBoostingClassifier", {"n_estimators": 30, "n_iter_no_change": 2}),
        ("HistGradientBoostingClassifier", {"max_iter": 30, "early_stopping": True}),
    ],
)
def test_the_stages_of_scikit_learn_end_in_its_predictions(tmp_path, name, params):
    n_classes, rng = 3, np.random.default_rng(3)
    # Few different rows: many votes are equal.
    X = rng.integers(0, 3, size=(160, 3)).astype(float)
    y = (X.sum(axis=1) + rng.integers(0, 3, size=160)).astype(int) % n_classes
    mark = save(tmp_path / "arrays", X, y, "classification")
    one = split_trial(mark, f"sklearn.ensemble:{name}", **params)
    outcome = run_trial(one, tmp_path / "arrays")
    assert outcome.status == "ok", outcome.reason
    assert outcome.curve["test_error"][-1] == outcome.metrics["error"]
    assert outcome.curve["train_error"][-1] == outcome.metrics["train_error"]


def test_choose_with_is_not_in_the_fit_after_the_choice(tmp_path, blobs):
    def outcome_of(max_iter, choose_with=(), C=None, choose=(("C", [1e5, 1e2, 10.0]),)):
        given = {"max_iter": max_iter} | ({} if C is None else {"C": C})
        one = split_trial(blobs, CW, choose=() if C else choose, **given)
        one = dataclasses.replace(one, choose_with=dict(choose_with))
        return run_trial(one, tmp_path / "arrays")

    by_one_round = outcome_of(40, choose_with={"max_iter": 1})
    assert by_one_round.metrics["chosen_C"] == outcome_of(1).metrics["chosen_C"] == 1e5
    assert outcome_of(40).metrics["chosen_C"] == 10.0
    plain = outcome_of(40, C=1e5)
    assert by_one_round.curve == plain.curve
    assert 0 < by_one_round.times["choose_s"] < by_one_round.times["wall_s"]
    assert "choose_s" not in plain.times


def test_the_first_of_equally_good_values_is_taken(tmp_path, blobs):
    one = split_trial(blobs, "faulty:Chosen", choose={"a": ["y", "x"], "b": [None, 2]})
    outcome = run_trial(one, tmp_path / "arrays")
    assert outcome.metrics["chosen_a"] == "y"
    assert outcome.metrics["chosen_b"] is None


def test_a_value_that_cannot_be_fitted_is_the_trial_s_error(tmp_path, blobs):
    one = split_trial(blobs, CW, choose={"C": [10.0, -1.0]})
    outcome = run_trial(one, tmp_path / "arrays")
    assert outcome.status == "error"
    assert "'C' parameter" in outcome.reason
