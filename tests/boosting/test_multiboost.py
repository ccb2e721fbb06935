import pickle

import numpy as np
import pytest
from boosters import BOOSTERS
from boosting_reference import adaboost, algorithm_1, blobs, model_scores, says
from sklearn.base import clone

from boostbench.boosting import InputError, MultiBoost, MultiBoostCW, ParameterError


@pytest.fixture(params=["cw", "cw1", "multiboost", "multiboost-fcd"])
def model(request):
    return clone(BOOSTERS[request.param])


def test_two_classes_stagewise_is_adaboost():
    X, y = blobs(n=80, d=3, K=2, seed=1, spread=2.0)
    model = MultiBoostCW(stagewise=True, rule="adaboost", max_iter=20).fit(X, y)
    # Class 0 takes the round's whole coefficient; class 1, whose stump is the same except for its
    # sign, then finds nothing left to gain. The margin F_1 - F_0 is AdaBoost's sum.
    stumps, alphas = adaboost(X, np.where(y == 1, 1.0, -1.0), 20)
    expected = sum(a * says(s, X) for s, a in zip(stumps, alphas, strict=True))
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-6, atol=1e-8)


def test_scores_are_those_of_the_stumps(model):
    X, y = blobs(seed=1)
    model.fit(X, y)
    new = np.random.default_rng(0).normal(size=(50, 4)) * 2
    scores = model.decision_function(new)
    np.testing.assert_allclose(scores, model_scores(model, new), atol=1e-10)
    np.testing.assert_array_equal(model.predict(new), np.argmax(scores, axis=1))
    assert (model.coef_ >= 0).all()


def test_a_refused_warm_start_leaves_the_model_as_it_was(model):
    X, y = blobs(seed=14)
    model.set_params(warm_start=True).fit(X, y)
    labels = model.predict(X)
    model.set_params(max_iter=20)
    with pytest.raises(ParameterError, match="resumes a fit with the classes"):
        model.fit(X, y + 1)
    with pytest.raises(ParameterError, match=r"resumes a fit with the 4 features .* X now has 2"):
        model.fit(X[:, :2], y)
    np.testing.assert_array_equal(model.predict(X), labels)


def test_a_fit_that_has_ended_is_left_as_it_is():
    X, y = np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1]
    model = MultiBoostCW(max_iter=50, warm_start=True, random_state=0).fit(X, y)
    n, history = model.n_iter_, model.objective_history_
    assert n < 50
    model.fit(X, y).fit(X, y)
    assert model.n_iter_ == n
    np.testing.assert_array_equal(model.objective_history_, history)


def test_no_tolerance_means_no_stop_for_lack_of_change():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    model = MultiBoostCW(stagewise=True, rule="adaboost", C=1e8, max_iter=400, objective_tol=0).fit(
        X, y
    )
    assert model.n_iter_ == 400


def test_labels_without_an_order_are_refused():
    X, _ = blobs(n=20)
    with pytest.raises(InputError, match="mixes labels of the types int, str"):
        MultiBoostCW().fit(X, np.array([1, "a"] * 10, dtype=object))


def test_monotone_maps_of_features_change_nothing(model):
    X, y = blobs(seed=7)
    plain = model.fit(X, y)
    history, labels = plain.objective_history_, plain.predict(X)
    mapped = np.column_stack([np.exp(X[:, 0]), 3 * X[:, 1] + 7, X[:, 2] ** 3, np.arctan(X[:, 3])])
    model.fit(mapped, y)
    np.testing.assert_allclose(model.objective_history_, history, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(mapped), labels)


def test_order_of_rows_changes_nothing_but_rounding(model):
    X, y = blobs(seed=8)
    history = model.fit(X, y).objective_history_
    order = np.random.default_rng(0).permutation(y.shape[0])
    # scipy stops where its own rounding leads it.
    accuracy = 1e-6 if model.solver == "fcd" else 1e-2
    np.testing.assert_allclose(
        model.fit(X[order], y[order]).objective_history_, history, rtol=accuracy
    )


@pytest.mark.parametrize("C", [1e8, 1e50])
@pytest.mark.parametrize("kind", ["stagewise", "corrective", "adaboost-rule"])
def test_a_perfect_stump_gets_a_large_but_finite_coefficient(C, kind):
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    y = np.array([0, 0, 1, 1, 1, 2])
    model = MultiBoostCW(
        C=C,
        max_iter=30,
        stagewise=kind != "corrective",
        rule="adaboost" if kind == "adaboost-rule" else "exact",
        random_state=0,
    )
    with np.errstate(all="raise"):
        model.fit(X, y)
        assert model.score(X, y) == 1.0
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.objective_history_).all()
    assert 0 < model.coef_.max() <= np.log(C) + 5


def test_stagewise_raises_c_to_the_papers_value():
    X, y = blobs(n=40)
    assert MultiBoostCW(stagewise=True, max_iter=2).fit(X, y).C_ == 1e8
    assert MultiBoostCW(C=1e9, stagewise=True, max_iter=2).fit(X, y).C_ == 1e9
    assert MultiBoostCW(C=10, max_iter=2).fit(X, y).C_ == 10


def test_time_limit_keeps_the_finished_rounds():
    rng = np.random.default_rng(12)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 3, 400)
    model = MultiBoostCW(max_iter=10**6, time_limit=0.05, stagewise=True).fit(X, y)
    assert model.stop_reason_ == "time"
    assert 1 <= model.n_iter_ < 10**6
    assert 0 < model.solver_time_ <= model.fit_time_
    assert len(list(model.staged_predict(X[:5]))) == model.n_iter_


def test_a_fit_resumed_after_pickling_keeps_its_stumps():
    # Of 61 samples no class fills its row of eight at a time.
    X, y = blobs(n=61, d=2, K=3, seed=26)
    model = MultiBoostCW(C=50.0, max_iter=200, warm_start=True, random_state=0).fit(X, y)
    assert (model.stop_reason_, model.n_iter_ < 200) == ("optimal", True)
    again = pickle.loads(pickle.dumps(model)).set_params(objective_tol=1e-11).fit(X, y)
    assert (again.stop_reason_, again.n_iter_) == ("optimal", model.n_iter_)


def test_without_polishing_a_fit_is_the_papers_algorithm():
    X, y = blobs(n=40, d=3, K=3, seed=4)
    model = MultiBoostCW(C=500.0, max_iter=15, max_sweeps=1, polish=False).fit(X, y)
    coefs, history = algorithm_1(X, y, 500.0, 15)
    np.testing.assert_allclose(model.coef_, coefs.ravel(), atol=1e-6)
    np.testing.assert_allclose(model.objective_history_, history, rtol=1e-6)
    assert model.kkt_residual_ > model.tol


@pytest.mark.parametrize("kind", [MultiBoostCW, MultiBoost])
def test_without_polishing_the_last_round_is_like_any_other(kind):
    X, y = blobs(seed=16)
    long = kind(solver="fcd", max_iter=20, polish=False, random_state=0).fit(X, y)
    short = kind(solver="fcd", max_iter=9, polish=False, random_state=0).fit(X, y)
    np.testing.assert_array_equal(short.objective_history_, long.objective_history_[:9])
    polished = kind(solver="fcd", max_iter=9, random_state=0).fit(X, y)
    assert polished.objective_history_[-1] < short.objective_history_[-1]
    assert polished.kkt_residual_ <= polished.tol < short.kkt_residual_


def test_without_polishing_a_round_may_take_stumps_that_are_there():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]] * 3), np.array([0, 1, 1, 2] * 3)
    model = MultiBoostCW(max_iter=30, polish=False, objective_tol=0, random_state=0).fit(X, y)
    assert (model.n_iter_, model.stop_reason_) == (30, "max_iter")
    assert (np.diff(model.objective_history_) <= 1e-12 * model.objective_history_[0]).all()
    assert np.unique(model.stumps_).shape[0] < model.stumps_.shape[0] / 3


def test_the_unit_of_the_weights_changes_nothing():
    X, y = blobs(seed=15)
    plain = MultiBoostCW(max_iter=5, random_state=0).fit(X, y)
    small = MultiBoostCW(max_iter=5, random_state=0).fit(X, y, np.full(y.shape[0], 2.0**-1000))
    np.testing.assert_allclose(small.objective_history_, plain.objective_history_, rtol=1e-9)


def test_a_class_with_one_sample_is_learnt(model):
    X, y = blobs(n=30, seed=13)
    X, y = np.vstack([X, [[9.0, 9, 9, 9]]]), np.append(y, 4)
    assert model.fit(X, y).predict(X[-1:]) == [4]


def test_metrics_are_deterministic_numbers():
    X, y = blobs(n=40)
    first = MultiBoostCW(max_iter=5, random_state=0).fit(X, y).benchmark_metrics_()
    assert first == MultiBoostCW(max_iter=5, random_state=0).fit(X, y).benchmark_metrics_()
    assert first["n_iter"] == 5
    assert first["n_stumps"] == 20


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"C": 0}, "'C' parameter of MultiBoostCW"),
        ({"C": float("inf")}, "'C' parameter of MultiBoostCW"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"solver": "newton"}, "'solver' parameter"),
        ({"rule": "adaboost", "solver": "lbfgsb"}, "rule='adaboost'.*solver=\"fcd\""),
        ({"stagewise": True, "solver": "lbfgsb"}, 'use solver="fcd"'),
    ],
)
def test_wrong_parameters_are_refused_by_name(params, words):
    with pytest.raises(ValueError, match=words):
        MultiBoostCW(**params).fit(*blobs(n=20))
