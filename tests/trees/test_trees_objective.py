"""Probabilities, routing, predictions and both objectives, against formulas written out."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

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


@given(problem=problems())
@settings(max_examples=20)
def test_probabilities_and_predictions_follow_eq_1_and_2(problem):
    omega, beta, X, _, mu = problem
    left = [[reference.p_left(row, x, mu) for row in omega] for x in X]
    leaves = [[reference.p_leaf(omega, x, t, mu) for t in reference.leaves_of(omega)] for x in X]
    # Below 1e-304 the reference's exp overflows.
    np.testing.assert_allclose(branch_probabilities(omega, X, mu), left, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(leaf_probabilities(omega, X, mu), leaves, rtol=1e-11, atol=1e-300)
    reached = route(omega, X)
    np.testing.assert_array_equal(reached, [reference.hbp_leaf(omega, x) for x in X])
    expected = reference.predict_srt(omega, beta, X)
    outputs = leaf_outputs(beta, X)[np.arange(len(X)), reached - len(beta)]
    for found in (predict_hard(omega, beta, X), outputs):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


@given(problem=problems(max_depth=3))
@settings(max_examples=20)
def test_objectives_follow_eq_3_4_and_7(problem):
    omega, beta, X, y, mu = problem
    for penalties in ((), (0.3, 0.07)):
        assert srt_objective(omega, beta, X, y, mu, *penalties)[0] == pytest.approx(
            reference.error_srt(omega, beta, X, y, mu, *penalties), rel=1e-12
        )
    assert orrt_objective(omega, beta, X, y, mu)[0] == pytest.approx(
        reference.error_orrt(omega, beta, X, y, mu), rel=1e-12
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
