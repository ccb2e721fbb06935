"""Probabilities, routing, predictions and both objectives, against formulas written out."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad

from boostbench.trees import (
    branch_probabilities,
    leaf_outputs,
    leaf_probabilities,
    orrt_objective,
    predict_hard,
    route,
    srt_objective,
)

OBJECTIVES = {"srt": srt_objective, "orrt": orrt_objective}


@st.composite
def problems(draw, max_depth=4):
    """(omega, beta, X, y, mu): any depth, with sizes around the kernels' blocks of points."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    depth = draw(st.integers(1, max_depth))
    p = draw(st.integers(1, 9))
    n = draw(st.sampled_from([1, 2, 5, 17, 127, 128, 129, 256, 300]))
    omega, beta = reference.random_tree(rng, depth, p, draw(st.sampled_from([0.1, 3.0, 50.0])))
    X = rng.normal(0.5, 1.0, (n, p))
    return omega, beta, X, rng.normal(size=n), draw(st.sampled_from([0.3, 1.0, 8.0]))


@pytest.fixture(params=[(1, 1), (1, 4), (2, 3), (3, 5), (4, 2)], ids=lambda s: f"D{s[0]}p{s[1]}")
def problem(request):
    depth, p = request.param
    rng = np.random.default_rng(depth * 10 + p)
    omega, beta = reference.random_tree(rng, depth, p)
    X = rng.random((37, p))
    return omega, beta, X, rng.normal(size=37)


@pytest.mark.parametrize("mu", [1.0, 2.5])
def test_probabilities_follow_eq_1(problem, mu):
    omega, _, X, _ = problem
    left = [[reference.p_left(row, x, mu) for row in omega] for x in X]
    leaves = [[reference.p_leaf(omega, x, t, mu) for t in reference.leaves_of(omega)] for x in X]
    np.testing.assert_allclose(branch_probabilities(omega, X, mu), left, rtol=1e-12)
    np.testing.assert_allclose(leaf_probabilities(omega, X, mu), leaves, rtol=1e-11)


def test_predictions_follow_eq_2(problem):
    omega, beta, X, _ = problem
    np.testing.assert_array_equal(route(omega, X), [reference.hbp_leaf(omega, x) for x in X])
    np.testing.assert_allclose(
        predict_hard(omega, beta, X), reference.predict_srt(omega, beta, X), rtol=1e-11, atol=1e-13
    )


@pytest.mark.parametrize("mu", [1.0, 2.5])
def test_objectives_follow_eq_3_4_and_7(problem, mu):
    omega, beta, X, y = problem
    assert srt_objective(omega, beta, X, y, mu)[0] == pytest.approx(
        reference.error_srt(omega, beta, X, y, mu), rel=1e-12
    )
    assert srt_objective(omega, beta, X, y, mu, 0.3, 0.07)[0] == pytest.approx(
        reference.error_srt(omega, beta, X, y, mu, 0.3, 0.07), rel=1e-12
    )
    assert orrt_objective(omega, beta, X, y, mu)[0] == pytest.approx(
        reference.error_orrt(omega, beta, X, y, mu), rel=1e-12
    )


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradients_are_those_of_the_value(problem, name):
    omega, beta, X, y = problem
    mu, regularization = 2.5, (0.2, 0.05)
    function, size = OBJECTIVES[name], omega.size

    def unpack(v):
        return v[:size].reshape(omega.shape), v[size:].reshape(beta.shape)

    def value(v):
        return function(*unpack(v), X, y, mu, *regularization)[0]

    def gradient(v):
        return np.concatenate(
            [g.ravel() for g in function(*unpack(v), X, y, mu, *regularization)[1:]]
        )

    point = np.concatenate([omega.ravel(), beta.ravel()])
    size_of_gradient = np.linalg.norm(gradient(point))
    assert check_grad(value, gradient, point) <= 2e-6 * max(1.0, size_of_gradient)
    np.testing.assert_allclose(
        gradient(point),
        reference.numerical_gradient(value, point),
        rtol=1e-6,
        atol=1e-7 * max(1.0, size_of_gradient),
    )


@pytest.mark.parametrize("name", OBJECTIVES)
@given(problem=problems())
@settings(max_examples=25)
def test_one_directional_derivative_in_any_problem(name, problem):
    omega, beta, X, y, mu = problem
    function = OBJECTIVES[name]
    rng = np.random.default_rng(0)
    to, tb = rng.normal(size=omega.shape), rng.normal(size=beta.shape)
    _, grad_omega, grad_beta = function(omega, beta, X, y, mu, 0.01, 0.02)
    assert grad_omega.shape == omega.shape
    assert grad_beta.shape == beta.shape
    slope = np.sum(grad_omega * to) + np.sum(grad_beta * tb)
    h = 1e-6
    above = function(omega + h * to, beta + h * tb, X, y, mu, 0.01, 0.02)[0]
    below = function(omega - h * to, beta - h * tb, X, y, mu, 0.01, 0.02)[0]
    assert (above - below) / (2 * h) == pytest.approx(slope, rel=2e-5, abs=1e-6 * max(1.0, above))


@given(problem=problems())
@settings(max_examples=40)
def test_shapes_probabilities_and_routing_agree(problem):
    omega, beta, X, _, mu = problem
    n, n_leaves = len(X), len(beta)
    P = leaf_probabilities(omega, X, mu)
    p = branch_probabilities(omega, X, mu)
    assert P.shape == (n, n_leaves)
    assert p.shape == (n, n_leaves - 1)
    assert ((P >= 0) & (P <= 1)).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
    leaves = route(omega, X)
    assert leaves.shape == (n,)
    assert leaves.min() >= n_leaves
    assert leaves.max() < 2 * n_leaves
    parents = leaves
    while parents[0] > 1:
        went_left = parents % 2 == 0
        parents = parents // 2
        assert (went_left == (p[np.arange(n), parents - 1] >= 0.5)).all()
    outputs = leaf_outputs(beta, X)
    assert outputs.shape == (n, n_leaves)
    np.testing.assert_allclose(
        predict_hard(omega, beta, X), outputs[np.arange(n), leaves - n_leaves], rtol=1e-9, atol=1e-9
    )


@given(problem=problems())
@settings(max_examples=40)
def test_srt_error_is_orrt_error_plus_the_spread_of_the_leaves(problem):
    omega, beta, X, y, mu = problem
    P, outputs = leaf_probabilities(omega, X, mu), leaf_outputs(beta, X)
    mixture = np.sum(P * outputs, axis=1)
    spread = np.mean(np.sum(P * (outputs - mixture[:, None]) ** 2, axis=1))
    assert srt_objective(omega, beta, X, y, mu)[0] == pytest.approx(
        orrt_objective(omega, beta, X, y, mu)[0] + spread, rel=1e-10
    )


@given(problem=problems(), factor=st.sampled_from([0.1, 3.0, 40.0]))
@settings(max_examples=25)
def test_only_the_product_of_mu_and_omega_matters(problem, factor):
    omega, beta, X, y, mu = problem
    for function in OBJECTIVES.values():
        value, grad_omega, grad_beta = function(omega, beta, X, y, mu)
        other, other_omega, other_beta = function(omega / factor, beta, X, y, mu * factor)
        assert other == pytest.approx(value, rel=1e-10)
        tiny = 1e-12 * max(1.0, value)
        np.testing.assert_allclose(other_omega, factor * grad_omega, rtol=1e-6, atol=factor * tiny)
        np.testing.assert_allclose(other_beta, grad_beta, rtol=1e-8, atol=tiny)


def _mirrored(rows, t, first):
    """Swap the two subtrees of node t in rows of consecutive nodes that begin with ``first``."""
    out = rows.copy()
    for level in range(1, 6):
        left = [(t << level) + k for k in range(2 ** (level - 1))]
        right = [node + 2 ** (level - 1) for node in left]
        for a, b in zip(left, right, strict=True):
            if first <= a < first + len(rows):
                out[[a - first, b - first]] = rows[[b - first, a - first]]
    return out


@pytest.mark.parametrize("t", [1, 2, 3, 5])
def test_negating_a_node_and_swapping_its_subtrees_changes_nothing(t):
    rng = np.random.default_rng(t)
    omega, beta = reference.random_tree(rng, 3, 4)
    X, y = reference.friedman(rng, 200, 4)
    turned = _mirrored(omega, t, 1)
    turned[t - 1] *= -1
    leaves = _mirrored(beta, t, 8)
    assert not np.array_equal(leaves, beta)
    for function in OBJECTIVES.values():
        assert function(turned, leaves, X, y)[0] == pytest.approx(
            function(omega, beta, X, y)[0], rel=1e-13
        )
    np.testing.assert_array_equal(predict_hard(turned, leaves, X), predict_hard(omega, beta, X))


def test_a_tie_goes_left():
    X = np.array([[1.0, 1.0], [1.0, 1.0 - 1e-12], [1.0, 1.0 + 1e-12], [0.0, 0.0]])
    assert route([[0.0, -1.0, 1.0]], X).tolist() == [2, 3, 2, 2]
    assert route(np.zeros((7, 3)), X).tolist() == [8, 8, 8, 8]


def test_routing_depends_on_the_intercept_and_the_mean_of_the_products():
    # z = w0 + (w1 x1 + w2 x2) / 2 with the factor 1/p: -1 + (2 * 1 + 0) / 2 = 0 is a tie.
    assert route([[-1.0, 2.0, 0.0]], [[1.0, 9.0], [0.999, 9.0]]).tolist() == [2, 3]


@pytest.mark.parametrize("name", OBJECTIVES)
def test_saturated_branches_neither_overflow_nor_warn(name):
    rng = np.random.default_rng(0)
    omega, beta = reference.random_tree(rng, 3, 4)
    X, y = reference.friedman(rng, 50, 4)
    value, grad_omega, grad_beta = OBJECTIVES[name](omega * 1e6, beta, X, y)
    hard = np.mean((predict_hard(omega, beta, X) - y) ** 2)
    assert value == pytest.approx(hard, rel=1e-9)
    assert np.abs(grad_omega).max() < 1e-9
    assert np.isfinite(grad_beta).all()
