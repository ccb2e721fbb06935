"""The convergent mode: conditions (15) and (16), Armijo's reference, stationarity."""

import numpy as np
import pytest
import reference

from boostbench.trees import (
    SoftRegressionTree,
    leaf_probabilities,
    leaf_step,
    reassign_points,
    route,
    srt_objective,
)

L2 = {"regularization": "l2"}


@pytest.fixture(scope="module")
def data():
    return reference.friedman(np.random.default_rng(0), 300, 4)


@pytest.mark.parametrize(
    ("scaling", "depth", "free_iterations"), [("sum", 1, 0), ("sum", 3, 3), ("mean", 2, 0)]
)
def test_the_error_falls_to_a_stationary_point(data, scaling, depth, free_iterations):
    X, y = data
    after = free_iterations * (2**depth - 1)
    model = SoftRegressionTree(
        depth,
        "l2",
        penalty_scaling=scaling,
        convergent_after=after,
        max_iter=300,
        tol=2e-7,
        random_state=0,
    ).fit(X, y)
    history = model.objective_history_
    assert model.n_iter_ < 300
    assert (np.diff(history[after:]) <= 4e-16 * history[0]).all()
    assert history[after:].max() <= history[: after + 1].min() * (1 + 1e-14)
    assert model.gradient_norm(X, y) <= 2e-7
    assert model.objective_ == pytest.approx(history[-1], rel=1e-14)


def test_without_penalties_the_error_falls_and_the_gradient_shrinks(data):
    # No minimum need exist: a branch may grow for ever.
    X, y = data
    for seed in range(3):
        start = SoftRegressionTree(2, max_iter=0, random_state=seed).fit(X, y)
        model = SoftRegressionTree(2, convergent_after=0, max_iter=100, random_state=seed)
        model.fit(X, y)
        assert (np.diff(model.objective_history_) <= 1e-16).all()
        assert model.gradient_norm(X, y) < 1e-3
        assert model.gradient_norm(X, y) < 0.05 * start.gradient_norm(X, y)


def test_it_stops_once_the_gradient_is_small_enough(data):
    options = {**L2, "depth": 1, "convergent_after": 0, "max_iter": 100, "random_state": 0}
    rough = SoftRegressionTree(**options, tol=1e-3).fit(*data)
    fine = SoftRegressionTree(**options, tol=1e-6).fit(*data)
    assert 0 < rough.n_iter_ < fine.n_iter_ < 100
    assert fine.gradient_norm(*data) <= 1e-6 < rough.gradient_norm(*data) <= 1e-3
    n = len(rough.objective_history_)
    np.testing.assert_array_equal(rough.objective_history_, fine.objective_history_[:n])


def _one_step(X, y, **options):
    """Start and state after one inner iteration of a tree with one branch node."""
    common = {**L2, "penalty_scaling": "mean", "lambda_branch": 0.002, "lambda_leaf": 0.004}
    common |= {"random_state": 4, "imbalance_threshold": 0.0, "convergent_after": 0, **options}
    before = SoftRegressionTree(1, max_iter=0, **common).fit(X, y)
    return before, SoftRegressionTree(1, max_iter=1, **common).fit(X, y)


def _error(omega, beta, X, y):
    return srt_objective(omega, beta, X, y, 1.0, 0.002, 0.004)


def _armijo(before, X, y, a, gamma, delta):
    omega, beta = before.branch_coef_, before.leaf_coef_
    gradient = _error(omega, beta, X, y)[1]
    step = reference.armijo_step(
        lambda w: _error(w, beta, X, y)[0], omega, gradient, a, gamma, delta
    )
    return omega - step * gradient, step


@pytest.mark.parametrize(("a", "gamma", "delta"), [(1.0, 1e-4, 0.5), (3e4, 0.6, 0.3)])
def test_where_condition_16_fails_the_armijo_step_is_taken(data, a, gamma, delta):
    X, y = data
    before, after = _one_step(
        X,
        y,
        armijo_step=a,
        armijo_slope=gamma,
        armijo_shrink=delta,
        sufficient_decrease=1e12,
    )
    expected, step = _armijo(before, X, y, a, gamma, delta)
    assert (step < a) == (a > 1.0)
    np.testing.assert_allclose(after.branch_coef_, expected, rtol=1e-9, atol=1e-9)
    ridge = len(X) * 0.004 / 2
    beta = leaf_step(leaf_probabilities(expected, X), X, y, ridge)
    np.testing.assert_allclose(after.leaf_coef_, beta, rtol=1e-6, atol=1e-8)


def test_where_both_conditions_hold_the_candidate_is_taken(data):
    X, y = data
    before, after = _one_step(X, y)
    reference_update, _ = _armijo(before, X, y, 1.0, 1e-4, 0.5)
    beta = before.leaf_coef_
    here = _error(before.branch_coef_, beta, X, y)[0]
    taken = _error(after.branch_coef_, beta, X, y)[0]
    moved = np.sum((after.branch_coef_ - before.branch_coef_) ** 2)
    assert taken < _error(reference_update, beta, X, y)[0]
    assert taken <= here - 1e-8 * moved


def test_where_condition_15_fails_the_armijo_step_is_taken():
    # The reassignment's logistic regression is blind to the target, if better than nothing.
    X, y = reference.friedman(np.random.default_rng(1), 90, 3)
    before, after = _one_step(X, y, imbalance_threshold=0.5, high_imbalance_threshold=0.5)
    expected, _ = _armijo(before, X, y, 1.0, 1e-4, 0.5)
    omega, beta = before.branch_coef_, before.leaf_coef_
    residual = [reference.subtree_error(omega, beta, a, b, 1) for a, b in zip(X, y, strict=True)]
    candidate, _ = reassign_points(X, route(omega, X) == 2, residual, 0.5, 0.4)
    here, passed_over, reached = (
        _error(branch, beta, X, y)[0] for branch in (omega, candidate[None], expected)
    )
    assert reached < passed_over < here - 1e-8 * np.sum((candidate - omega) ** 2)
    np.testing.assert_allclose(after.branch_coef_, expected, rtol=1e-9, atol=1e-9)


def test_a_branch_step_is_skipped_while_its_gradient_is_small(data):
    X, y = data
    before, after = _one_step(X, y, skip_factor=0.999)
    assert np.linalg.norm(_error(before.branch_coef_, before.leaf_coef_, X, y)[1]) < 0.999
    np.testing.assert_allclose(after.branch_coef_, before.branch_coef_, rtol=1e-12, atol=1e-12)
    assert not np.array_equal(after.leaf_coef_, before.leaf_coef_)
    _, moved = _one_step(X, y, skip_factor=1e-9)
    assert not np.allclose(moved.branch_coef_, before.branch_coef_)


@pytest.mark.parametrize("depth", [1, 3])
def test_the_literal_error_7_collapses_to_no_split_and_ridge_leaves(data, depth):
    X, y = data
    n, p = X.shape
    n_leaves = 2**depth
    for seed in range(3):
        model = SoftRegressionTree(
            depth,
            "l2",
            penalty_scaling="mean",
            convergent_after=0,
            max_iter=200,
            tol=1e-9,
            random_state=seed,
        ).fit(X, y)
        assert np.abs(model.branch_coef_).max() < 1e-6
        np.testing.assert_allclose(model.leaf_probabilities(X), 1 / n_leaves, atol=1e-6)
        # Each leaf sees every point with weight 2**-D: X'X / 2**D + n lambda / 2 = (X'X + n / p)
        # / 2**D, whatever the depth.
        design = np.column_stack([np.ones(n), X])
        ridge = np.linalg.solve(design.T @ design + n / p * np.eye(p + 1), design.T @ y)
        np.testing.assert_allclose(model.leaf_coef_, np.tile(ridge, (n_leaves, 1)), atol=1e-6)
        plane = np.mean((design @ ridge - y) ** 2) + ridge @ ridge / p
        assert model.objective_ == pytest.approx(plane, rel=1e-9)


def test_an_abandoned_leaf_is_shrunk_to_zero_by_its_penalty():
    # A steep tree on separate clusters leaves some leaves without weight; with lambda_beta > 0
    # their best coefficients are zeros, and what remains of them would keep the gradient up.
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.uniform(0, 0.1, (60, 2)), rng.uniform(0.9, 1.0, (60, 2))])
    y = np.r_[3 * X[:60, 0] - 1, 2 - X[60:, 1]]
    abandoned = 0
    for seed in range(4):
        model = SoftRegressionTree(
            3,
            "l2",
            lambda_branch=0.0,
            lambda_leaf=0.05,
            max_branch_iter=50,
            convergent_after=0,
            max_iter=100,
            tol=2e-7,
            random_state=seed,
        ).fit(X, y)
        mass = model.leaf_probabilities(X).sum(axis=0)
        abandoned += np.sum(mass < 1e-10)
        assert np.abs(model.leaf_coef_[mass < 1e-10]).max(initial=0.0) < 1e-6
    assert abandoned > 0
    assert set(route(model.branch_coef_, X)) <= set(range(8, 16))
