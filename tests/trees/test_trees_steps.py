"""The steps of NODEC-DR by themselves: leaves, reassignment, clustering and its index."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import davies_bouldin_score

from boostbench.trees import cluster_leaves, davies_bouldin_index, leaf_step, reassign_points


def _weights(rng, n, k):
    raw = rng.random((n, k)) ** 4
    return raw / raw.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n", [30, 129, 40_000])
@pytest.mark.parametrize("ridge", [0.0, 0.03, 5.0])
def test_leaf_step_solves_the_weighted_ridge_problems(n, ridge):
    rng = np.random.default_rng(n)
    X, y = reference.friedman(rng, n)
    P = _weights(rng, n, 4)
    beta = leaf_step(P, X, y, ridge)
    np.testing.assert_allclose(beta, reference.leaf_step(P, X, y, ridge), rtol=1e-5, atol=1e-6)
    design = np.column_stack([np.ones(n), X])
    for weights, row in zip(P.T, beta, strict=True):
        if ridge:
            # The intercept is penalised too, so it is a column of ones here.
            other = Ridge(ridge, fit_intercept=False).fit(design, y, weights).coef_
        else:
            model = LinearRegression().fit(X, y, weights)
            other = np.r_[model.intercept_, model.coef_]
        np.testing.assert_allclose(row, other, rtol=1e-5, atol=1e-6)


def test_a_leaf_that_nothing_reaches_stays_finite():
    rng = np.random.default_rng(0)
    X, y = reference.friedman(rng, 40)
    P = np.column_stack([np.ones(40), np.zeros(40), np.full(40, 1e-300)])
    for ridge in (0.0, 1.0):
        beta = leaf_step(P, X, y, ridge)
        assert np.isfinite(beta).all()
        assert (beta[1] == 0).all()


@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_leaf_step_on_collinear_columns_fits_as_well_as_least_squares(scale):
    rng = np.random.default_rng(1)
    onehot = np.eye(6)[rng.integers(0, 6, 90)]
    X = scale * np.column_stack([onehot, onehot[:, 0], np.full(90, 0.7), rng.random(90)])
    y = rng.normal(size=90)
    design = np.column_stack([np.ones(90), X])
    best = np.linalg.lstsq(design, y, rcond=None)[0]
    beta = leaf_step(np.ones((90, 1)), X, y)[0]
    residual = np.mean((design @ beta - y) ** 2)
    assert residual <= np.mean((design @ best - y) ** 2) * (1 + 1e-4)
    assert np.abs(beta).max() < 1e3


@given(
    seed=st.integers(0, 10**6),
    share=st.floats(0.02, 0.98),
    epsilon2=st.sampled_from([0.0, 0.1, 0.3, 0.45]),
    epsilon3=st.sampled_from([0.0, 0.25, 0.4, 1.0]),
    n=st.sampled_from([2, 9, 50, 131, 3000]),
    residuals=st.sampled_from(["differ", "ties", "magnitudes", "signs"]),
)
@settings(max_examples=80)
def test_reassigned_sides_follow_the_rule(seed, share, epsilon2, epsilon3, n, residuals):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    residual = {
        "differ": rng.random(n),
        "ties": rng.integers(0, 4, n) / 8.0,
        "magnitudes": 10.0 ** rng.uniform(-300.0, 300.0, n),
        "signs": rng.choice([-np.inf, -2.0, -1e-9, -0.0, 0.0, 5e-324, 2.0, np.inf], n),
    }[residuals]
    goes_left = rng.random(n) < share
    omega, sides = reassign_points(X, goes_left, residual, epsilon2, epsilon3)
    expected = reference.reassigned_sides(goes_left, residual, epsilon2, epsilon3)
    np.testing.assert_array_equal(sides, expected)
    assert np.isfinite(omega).all()
    if expected.all() or not expected.any():
        assert (omega == 0).all()


def test_at_exactly_the_threshold_the_imbalance_is_high_and_beside_it_moderate():
    X, residual = np.linspace(0, 1, 10)[:, None], np.arange(10.0)
    at = np.arange(10) < 2
    above = np.arange(10) < 3
    assert reassign_points(X, at, residual, 0.2, 0.5)[1].sum() == 6
    np.testing.assert_array_equal(reassign_points(X, above, residual, 0.2, 0.5)[1], above)


@pytest.mark.parametrize(("n", "mu"), [(12, 1.0), (500, 4.0)])
def test_reassignment_fits_the_balanced_logistic_regression(n, mu):
    rng = np.random.default_rng(n)
    X = rng.random((n, 4))
    goes_left = X[:, 0] + 0.3 * rng.normal(size=n) > 0.8
    goes_left[:2] = [True, False]
    residual = rng.random(n)
    omega, sides = reassign_points(X, goes_left, residual, mu=mu)
    weights = reference.balanced_weights(sides)
    model = LogisticRegression(class_weight="balanced", tol=1e-12, max_iter=10_000)
    model.fit(X, sides)
    optimum = np.r_[model.intercept_, 4 * model.coef_[0]]
    reached = reference.logistic_value(mu * omega, X, sides, weights)
    least = reference.logistic_value(optimum, X, sides, weights)
    assert least - 1e-6 <= reached <= least + 2e-6 * n
    np.testing.assert_allclose(mu * omega, optimum, atol=0.02 * np.abs(optimum).max())


def test_points_of_one_side_only_give_no_logistic_regression():
    X = np.random.default_rng(0).random((20, 2))
    omega, sides = reassign_points(X, np.ones(20), np.arange(20.0), 0.0, 0.0)
    assert (omega == 0).all()
    assert sides.all()


def test_reassignment_survives_separable_and_huge_features():
    X = np.array([[0.0], [1e8], [2e8], [3e8]])
    omega, _ = reassign_points(X, [True, True, False, False], np.ones(4), 0.0)
    assert np.isfinite(omega).all()
    z = omega[0] + X[:, 0] * omega[1]
    assert ((z >= 0) == [True, True, False, False]).all()


@given(seed=st.integers(0, 10**6), n=st.integers(5, 300), k=st.integers(2, 8), p=st.integers(1, 6))
@settings(max_examples=60)
def test_davies_bouldin_agrees_with_scikit_learn(seed, n, k, p):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    labels = rng.integers(0, k, n)
    labels[:2] = [0, k - 1]
    if len(np.unique(labels)) >= n:
        return
    index = davies_bouldin_index(X, labels)
    assert index == pytest.approx(reference.davies_bouldin(X, labels), rel=1e-10)
    # Its distances come from differences of large squares: fewer digits.
    assert index == pytest.approx(davies_bouldin_score(X, labels), rel=1e-6)


def test_davies_bouldin_of_one_cluster_or_of_coinciding_centres_is_infinite():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [5.0, 5.0], [5.0, 6.0]])
    assert davies_bouldin_index(X, [0, 0, 0, 0]) == np.inf
    assert davies_bouldin_index(X, [0, 1, 2, 2]) == np.inf
    assert davies_bouldin_index(np.array([[0.0], [2.0], [1.0], [1.0]]), [0, 0, 1, 1]) == np.inf


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 300),
    depth=st.integers(1, 4),
    p=st.integers(1, 5),
)
@settings(max_examples=50)
def test_every_split_of_the_clustering_is_a_fixed_point_of_lloyds_algorithm(seed, n, depth, p):
    X = np.random.default_rng(seed).random((n, p))
    leaves = cluster_leaves(X, depth, random_state=seed)
    assert leaves.shape == (n,)
    assert leaves.min() >= 0
    assert leaves.max() < 2**depth
    for down in range(depth):
        for parent in np.unique(leaves >> (down + 1)):
            side = leaves >> down
            left, right = side == 2 * parent, side == 2 * parent + 1
            if not (left.any() and right.any()):
                assert (left | right).sum() == 1
                continue
            centres = X[left].mean(axis=0), X[right].mean(axis=0)
            to_left, to_right = (np.linalg.norm(X - c, axis=1) for c in centres)
            assert (to_left[left] <= to_right[left] + 1e-9).all()
            assert (to_right[right] <= to_left[right] + 1e-9).all()


def test_indistinguishable_points_are_halved():
    leaves = cluster_leaves(np.ones((16, 3)), 2, random_state=0)
    assert np.bincount(leaves, minlength=4).tolist() == [4, 4, 4, 4]
