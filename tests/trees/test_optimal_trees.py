"""Optimal regression trees through their estimator: J, its optimum, invariances, scikit-learn."""

import itertools
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Lasso
from sklearn.utils.estimator_checks import parametrize_with_checks

from boostbench.trees import OptimalRegressionTree

PENALTIES = [(w, s) for w in ("leaf", "points") for s in ("sd", "raw")]


def kinked(seed, n=60, p=3, noise=0.1):
    """Two planes, and features of several sizes, one of them coarse."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * [1.0, 20.0, 0.1, *[1.0] * (p - 3)]
    X[:, 1] = np.round(X[:, 1], -1)
    y = np.where(X[:, 0] < 0.3, X[:, 0] + 0.1 * X[:, 1], 2.0 - 30.0 * X[:, 2])
    return X, 5.0 * y + noise * rng.normal(size=n) + 100.0


def objective(model, X, y):
    """J as the class defines it, from the attributes and predictions of the fitted model."""
    base = y.var()
    scale = X.std(axis=0) if model.penalty_scale == "sd" else np.ones(X.shape[1])
    total = np.mean((y - model.predict(X)) ** 2) / base
    leaf = model.apply(X)
    for t, coef in zip(model.leaves_, model.coef_, strict=True):
        share = 1.0 if model.penalty_weight == "leaf" else np.mean(leaf == t)
        total += model.l1 * share * np.sum(scale * np.abs(coef)) / np.sqrt(base)
    return total + model.cp * model.n_splits_


def lasso_leaf(X, y, rows, model_args):
    """The least N * J of a leaf by scikit-learn; X and y are standardised by all rows."""
    l1, weight, scale = model_args
    Z = (X - X.mean(0)) / X.std(0)
    z = (y - y.mean()) / y.std()
    n, m = len(y), int(rows.sum())
    if m == 0:
        return 0.0
    if scale == "raw":
        Z = Z * X.std(0)
    share = 1.0 if weight == "leaf" else m / n
    Z, z = Z[rows], z[rows]
    if l1 == 0.0:
        A = np.column_stack([np.ones(m), Z])
        return float(np.sum((z - A @ np.linalg.lstsq(A, z, rcond=None)[0]) ** 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alpha = l1 * n * share / (2 * m)
        fit = Lasso(alpha=alpha, tol=1e-13, max_iter=200_000).fit(Z, z)
    return float(np.sum((z - fit.predict(Z)) ** 2) + l1 * n * share * np.abs(fit.coef_).sum())


def all_sides(X, rows):
    """Each division of ``rows`` by one feature and threshold, as the rows on the left."""
    seen = set()
    for j in range(X.shape[1]):
        values = np.unique(X[rows, j])
        for low, high in itertools.pairwise(values):
            left = rows & (X[:, j] < 0.5 * (low + high))
            if left.tobytes() not in seen:
                seen.add(left.tobytes())
                yield left


@pytest.mark.parametrize(("weight", "scale"), PENALTIES)
@pytest.mark.parametrize("l1", [0.0, 1e-3])
def test_depth_one_is_the_best_of_all_splits(weight, scale, l1):
    X, y = kinked(1, n=30)
    model = OptimalRegressionTree(
        1, l1=l1, penalty_weight=weight, penalty_scale=scale, random_state=0
    ).fit(X, y)
    args = (l1, weight, scale)
    everyone = np.ones(len(y), dtype=bool)
    costs = [lasso_leaf(X, y, everyone, args)]
    for left in all_sides(X, everyone):
        costs.append(lasso_leaf(X, y, left, args) + lasso_leaf(X, y, ~left, args))
    assert model.objective_ == pytest.approx(min(costs) / len(y), rel=1e-8)
    assert model.objective_ == pytest.approx(objective(model, X, y), rel=1e-10)


@pytest.mark.parametrize(("seed", "cp"), [(0, 0.0), (1, 0.01)])
def test_depth_two_reaches_the_optimum_over_all_trees_of_tiny_data(seed, cp):
    X, y = kinked(seed, n=14, noise=1.0)
    args = (0.01, "leaf", "sd")
    known = {}

    def leaf(rows):
        key = rows.tobytes()
        if key not in known:
            known[key] = lasso_leaf(X, y, rows, args) / len(y)
        return known[key]

    def stump(rows):
        splits = [leaf(left) + leaf(rows & ~left) + cp for left in all_sides(X, rows)]
        return min([leaf(rows), *splits])

    everyone = np.ones(len(y), dtype=bool)
    splits = [stump(left) + stump(~left) + cp for left in all_sides(X, everyone)]
    model = OptimalRegressionTree(2, l1=0.01, cp=cp, n_restarts=60, random_state=0).fit(X, y)
    assert model.objective_ == pytest.approx(min([stump(everyone), *splits]), rel=1e-8)


@pytest.mark.parametrize(("weight", "scale"), PENALTIES)
def test_each_leaf_meets_the_optimality_conditions_of_its_lasso(weight, scale):
    X, y = kinked(2, n=300, p=6)
    X = np.column_stack([X, X[:, 3] + 1e-4 * X[:, 4]])  # nearly collinear
    model = OptimalRegressionTree(
        2, l1=3e-3, penalty_weight=weight, penalty_scale=scale, n_restarts=3, random_state=0
    ).fit(X, y)
    assert model.n_leaves_ > 2
    leaf, residual = model.apply(X), y - model.predict(X)
    sizes = X.std(0) if scale == "sd" else np.ones(X.shape[1])
    for t, coef in zip(model.leaves_, model.coef_, strict=True):
        rows = leaf == t
        share = 1.0 if weight == "leaf" else rows.mean()
        limit = model.l1 * len(y) * y.var() * share * sizes / y.std()
        slope = 2.0 * X[rows].T @ residual[rows]
        slack = 1e-6 * np.abs(limit)
        assert abs(residual[rows].sum()) <= 1e-8 * len(y) * y.std()
        assert (np.abs(slope) <= limit + slack).all()
        active = coef != 0.0
        assert_allclose(slope[active], np.sign(coef[active]) * limit[active], rtol=1e-6)


@pytest.mark.parametrize("weight", ["leaf", "points"])
def test_affine_maps_of_features_and_target_change_nothing_but_units(weight):
    X, y = kinked(4, n=80)
    shift, scale = np.array([3.0, -70.0, 0.5]), np.array([0.25, 8.0, 2.0])
    args = {"n_restarts": 4, "random_state": 0, "penalty_weight": weight}
    one = OptimalRegressionTree(2, **args).fit(X, y)
    two = OptimalRegressionTree(2, **args).fit(scale * X + shift, 4.0 * y - 9.0)
    assert two.objective_ == pytest.approx(one.objective_, rel=1e-9)
    assert_allclose(two.predict(scale * X + shift), 4.0 * one.predict(X) - 9.0, rtol=1e-6)
    assert_array_equal(one.feature_, two.feature_)


def test_more_restarts_never_do_worse_and_the_first_is_at_most_the_greedy_tree():
    X, y = kinked(6, n=150, p=5, noise=2.0)
    values = [
        OptimalRegressionTree(3, n_restarts=k, random_state=0).fit(X, y).objective_
        for k in (1, 3, 9)
    ]
    assert values[0] >= values[1] >= values[2]


@pytest.mark.parametrize("least", [1, 7, 20])
def test_leaves_have_at_least_the_samples_asked_for(least):
    X, y = kinked(7, n=70, noise=3.0)
    model = OptimalRegressionTree(3, l1=1e-4, min_samples_leaf=least, random_state=0).fit(X, y)
    sizes = np.unique(model.apply(X), return_counts=True)[1]
    assert sizes.min() >= least
    assert len(sizes) == model.n_leaves_ == model.n_splits_ + 1


def test_a_price_of_splits_is_paid_where_it_pays():
    X, y = kinked(8, n=100)
    counts = []
    for cp in (0.0, 0.01, 1.0):
        model = OptimalRegressionTree(3, cp=cp, n_restarts=3, random_state=0).fit(X, y)
        assert model.objective_ == pytest.approx(objective(model, X, y), rel=1e-10)
        counts.append(model.n_splits_)
    assert counts[0] > counts[1] > counts[2] == 0


def test_rows_at_the_threshold_go_right_and_thresholds_are_halfway():
    X = np.array([[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]])
    y = np.array([1.0, 1.0, 1.0, -4.0, -4.0, -4.0])
    model = OptimalRegressionTree(1, random_state=0).fit(X, y)
    assert model.threshold_[1] == 3.5
    assert_array_equal(model.apply([[3.4999], [3.5], [9.0]]), [2, 3, 3])
    assert_allclose(model.predict([[3.0], [4.0]]), [1.0, -4.0])
    assert_array_equal(model.leaves_, [2, 3])


def test_neighbouring_numbers_are_divided_where_halfway_rounds_to_the_lower():
    low = 1.0
    high = np.nextafter(low, 2.0)
    X = np.array([[low]] * 5 + [[high]] * 5)
    model = OptimalRegressionTree(1, random_state=0).fit(X, np.repeat([0.0, 1.0], 5))
    assert model.threshold_[1] == high
    assert_allclose(model.predict([[low], [high]]), [0.0, 1.0], atol=1e-12)


@parametrize_with_checks(
    [
        OptimalRegressionTree(n_restarts=3),
        OptimalRegressionTree(1, l1=0.0, penalty_weight="points", penalty_scale="raw"),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("seed", range(3))
def test_streed_finds_no_better_piecewise_linear_tree(seed):
    pystreed = pytest.importorskip("pystreed", reason="needs pip install pystreed")
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (120, 3)).astype(float)  # few values, so that it binarises at each
    y = np.where(X[:, 0] < 2, X[:, 1] + 0.5 * X[:, 2], 3 - 2 * X[:, 1] * (X[:, 2] > 1))
    y += 0.3 * rng.normal(size=120)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimal = pystreed.STreeDPiecewiseLinearRegressor(
            max_depth=2, min_leaf_node_size=10, cost_complexity=0.0, n_thresholds=20
        ).fit(X, y, continuous_columns=[0, 1, 2])
        theirs = np.sum((y - optimal.predict(X)) ** 2)
    model = OptimalRegressionTree(
        2, l1=0.0, min_samples_leaf=10, n_restarts=30, random_state=0
    ).fit(X, y)
    ours = np.sum((y - model.predict(X)) ** 2)
    # Its leaves are regressions to a tolerance of their own.
    assert (1.0 - 2e-3) * theirs <= ours <= (1.0 + 1e-9) * theirs


def test_thresholds_lie_midway_between_the_rows_that_reach_them():
    rng = np.random.default_rng(11)
    X = rng.random((150, 4))
    y = np.sin(7 * X[:, 0]) * X[:, 1] + (X[:, 2] > 0.4) * X[:, 3] + rng.normal(0, 0.1, 150)
    tree = OptimalRegressionTree(3, n_restarts=2, random_state=0).fit(X, y)
    assert tree.n_splits_ == 7
    rows = {1: np.arange(150)}
    for t in range(1, 8):
        values, threshold = X[rows[t], tree.feature_[t]], tree.threshold_[t]
        left = values < threshold
        assert threshold == pytest.approx((values[left].max() + values[~left].min()) / 2)
        rows[2 * t], rows[2 * t + 1] = rows[t][left], rows[t][~left]
