"""Randomized regression trees: solvers, bounds, mixture."""

import numpy as np
import pytest
import reference
from scipy.optimize import minimize
from sklearn.linear_model import LinearRegression

from boostbench.trees import RandomizedRegressionTree, orrt_objective

TRAINED = {"mu": 1.0, "branch_bound": None, "objective_scaling": "sum", "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return reference.friedman(np.random.default_rng(2), 120, 3)


@pytest.mark.parametrize(("depth", "mu"), [(1, 1.0), (3, 512.0)])
def test_prediction_is_the_mixture_of_all_leaves(data, depth, mu):
    X, y = data
    model = RandomizedRegressionTree(depth, mu=mu, max_iter=15, random_state=0).fit(X, y)
    expected = reference.predict_orrt(model.branch_coef_, model.leaf_coef_, X, mu)
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-8, atol=1e-10)
    assert model.objective(X, y) == pytest.approx(np.mean((expected - y) ** 2), rel=1e-9)
    assert model.objective_ == pytest.approx(model.objective(X, y), rel=1e-9)
    np.testing.assert_allclose(model.leaf_probabilities(X).sum(axis=1), 1.0)


@pytest.mark.parametrize(("solver", "scaling"), [("slsqp", "mean"), ("lbfgsb", "sum")])
def test_bounds_hold_and_the_history_is_the_mean_error(data, solver, scaling):
    X, y = data
    model = RandomizedRegressionTree(
        2, solver, mu=4.0, branch_bound=0.2, objective_scaling=scaling, random_state=0
    ).fit(X, y)
    assert np.abs(model.branch_coef_).max() == pytest.approx(0.2, abs=1e-4)
    assert np.abs(model.branch_coef_).max() <= 0.2
    free = RandomizedRegressionTree(2, solver, mu=4.0, branch_bound=None, random_state=0)
    assert np.abs(free.fit(X, y).branch_coef_).max() > 0.2
    assert model.objective_history_[0] > model.objective_history_[-1]
    assert model.objective_history_[-1] == pytest.approx(model.objective_, rel=1e-8)


def test_the_published_setting_is_the_default():
    parameters = RandomizedRegressionTree().get_params()
    published = {"mu": 512.0, "branch_bound": 1.0, "tol": 1e-5, "max_iter": 300, "solver": "slsqp"}
    assert parameters | published == parameters


@pytest.mark.parametrize("solver", ["slsqp", "lbfgsb"])
def test_a_converged_tree_is_stationary_and_cannot_be_polished(data, solver):
    X, y = data
    model = RandomizedRegressionTree(1, solver, max_iter=3000, tol=1e-13, **TRAINED).fit(X, y)
    assert model.converged_, model.message_
    value, *gradients = orrt_objective(model.branch_coef_, model.leaf_coef_, X, y)
    assert np.sqrt(sum(np.sum(g**2) for g in gradients)) < 1e-4
    size = model.branch_coef_.size

    def independent(v):
        P = 1 / (1 + np.exp(-(v[0] + X @ v[1:size] / 3)))
        left, right = v[size:].reshape(2, -1)
        mixture = P * (left[0] + X @ left[1:]) + (1 - P) * (right[0] + X @ right[1:])
        return np.mean((mixture - y) ** 2)

    start = np.concatenate([model.branch_coef_.ravel(), model.leaf_coef_.ravel()])
    assert independent(start) == pytest.approx(value, rel=1e-10)
    polished = minimize(independent, start, method="SLSQP", options={"ftol": 1e-12})
    assert polished.fun >= value * (1 - 1e-4)


def test_slsqp_goes_where_scipys_goes_from_the_same_start(data):
    X, y = data
    p = X.shape[1]
    start = np.random.RandomState(0).uniform(-1, 1, 3 * (p + 1))

    def independent(v):
        return 120 * reference.error_orrt(v[: p + 1][None], v[p + 1 :].reshape(2, -1), X, y)

    def gradient(v):
        parts = orrt_objective(v[: p + 1][None], v[p + 1 :].reshape(2, -1), X, y)[1:]
        return 120 * np.concatenate([g.ravel() for g in parts])

    expected = minimize(
        independent, start, jac=gradient, method="SLSQP", options={"maxiter": 12, "ftol": 1e-9}
    )
    model = RandomizedRegressionTree(1, max_iter=12, tol=1e-9, **TRAINED).fit(X, y)
    assert model.objective_history_[0] == pytest.approx(independent(start) / 120, rel=1e-10)
    assert model.objective_ == pytest.approx(expected.fun / 120, rel=1e-5)
    assert model.n_iter_ == expected.nit


def test_without_slope_the_mixture_is_linear_regression(data):
    X, y = data
    flat = RandomizedRegressionTree(2, mu=1e-9, max_iter=500, tol=1e-14, random_state=0).fit(X, y)
    expected = LinearRegression().fit(X, y).predict(X)
    np.testing.assert_allclose(flat.predict(X), expected, atol=1e-4)


def test_the_start_by_clustering_is_better_than_a_random_one(data):
    random = RandomizedRegressionTree(2, max_iter=1, **TRAINED).fit(*data)
    clustered = RandomizedRegressionTree(2, max_iter=1, init="clustering", **TRAINED).fit(*data)
    assert clustered.objective_history_[0] < random.objective_history_[0]
    bounded = RandomizedRegressionTree(2, max_iter=1, mu=0.01, init="clustering", random_state=0)
    assert np.abs(bounded.fit(*data).branch_coef_).max() <= 1.0


def test_the_start_of_least_training_objective_is_kept(data):
    # Starts that share a generator draw what the restarts of one fit draw in turn.
    rng = np.random.RandomState(5)
    singles = [RandomizedRegressionTree(2, max_iter=20, random_state=rng) for _ in range(6)]
    singles = [model.fit(*data) for model in singles]
    objectives = [model.objective_ for model in singles]
    assert min(objectives) < objectives[0] < max(objectives)
    best = singles[int(np.argmin(objectives))]
    model = RandomizedRegressionTree(2, max_iter=20, n_restarts=6, random_state=5).fit(*data)
    assert model.objective_ == best.objective_
    np.testing.assert_array_equal(model.branch_coef_, best.branch_coef_)
    np.testing.assert_array_equal(model.leaf_coef_, best.leaf_coef_)
    np.testing.assert_array_equal(model.objective_history_, best.objective_history_)
    assert (model.n_iter_, model.message_) == (best.n_iter_, best.message_)
    np.testing.assert_array_equal(model.feature_importances_, best.feature_importances_)


def test_a_start_that_overflows_is_left_out(data, monkeypatch):
    X, y = data
    draw = RandomizedRegressionTree._initial_solution
    drawn = []

    def overflowing(self, points, rng):
        drawn.append(draw(self, points, rng))
        return drawn[-1] * (1e200 if len(drawn) in broken else 1.0)

    monkeypatch.setattr(RandomizedRegressionTree, "_initial_solution", overflowing)
    broken = {1}
    model = RandomizedRegressionTree(1, n_restarts=2, random_state=0).fit(X, y)
    assert len(drawn) == 2
    assert np.isfinite(model.objective_)
    drawn.clear()
    broken = {1, 2}
    with pytest.raises(ValueError, match="the objective overflowed; scale the features"):
        RandomizedRegressionTree(1, n_restarts=2, random_state=0).fit(X, y)
