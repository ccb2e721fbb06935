"""Pruning by weakest link, l1 and cp chosen on held-out rows, splits by several features."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from boostbench.trees import OptimalRegressionTree, OptimalRegressionTreeCV
from boostbench.trees.local_search.oblique import weights_of
from boostbench.trees.local_search.problem import Problem
from boostbench.trees.local_search.pruning import cost_complexity_path
from boostbench.trees.local_search.search import Search
from boostbench.trees.local_search.tree import Branch, Split, n_splits

DEFINITION = {
    "l1": 1e-2,
    "cp": 0.0,
    "penalty_weight": "leaf",
    "penalty_scale": "sd",
    "min_samples_leaf": 1,
}


def noisy(seed, n=60, p=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    y = np.where(X[:, 0] + 0.7 * X[:, 1] < 0.8, X[:, 2], 2.0 - X[:, 0]) + 0.1 * rng.normal(size=n)
    return X, y


def prunings(node):
    """All trees that come of making leaves of some branches."""
    yield None
    if node is not None:
        for left, right in itertools.product(prunings(node.left), prunings(node.right)):
            yield Branch(node.split, left, right)


@pytest.mark.parametrize("seed", range(2))
def test_each_tree_of_the_path_is_the_best_pruning_on_its_interval(seed):
    X, y = noisy(seed)
    problem = Problem(X, y, **DEFINITION)
    root = Search(problem).random(np.random.default_rng(seed).random((8, 2)))
    path = cost_complexity_path(root, problem)
    prices = [step.cp for step in path]
    assert prices[0] == 0.0
    assert path[-1].tree is None
    assert (np.diff(prices) > 0.0).all()
    for k, (low, tree) in enumerate(path):
        cp = np.sqrt(low * prices[k + 1]) if k + 1 < len(path) else 2.0 * low
        cp = cp or 0.5 * prices[min(k + 1, len(path) - 1)]
        costs = {
            other: problem.cost(other) / len(y) + cp * n_splits(other) for other in prunings(root)
        }
        assert costs[tree] == pytest.approx(min(costs.values()), rel=1e-9)


def test_the_final_tree_is_that_of_the_chosen_values_on_all_rows():
    X, y = noisy(0, 120)
    model = OptimalRegressionTreeCV(2, n_restarts=3, random_state=5).fit(X, y)
    assert set(model.scores_) == {1e-3, 5e-3, 1e-2}
    best = max(score for path in model.scores_.values() for _, score in path)
    assert (model.cp_, best) in model.scores_[model.l1_]
    plain = OptimalRegressionTree(2, l1=model.l1_, cp=model.cp_, n_restarts=3, random_state=5)
    assert_array_equal(model.predict(X), plain.fit(X, y).predict(X))
    assert model.objective_ == plain.objective_


def test_the_scores_are_those_of_rows_that_were_not_trained_on():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 3)), rng.normal(size=60)
    model = OptimalRegressionTreeCV(3, l1s=[1e-4], n_restarts=3, random_state=0).fit(X, y)
    deepest = OptimalRegressionTree(3, l1=1e-4, n_restarts=3, random_state=0).fit(X, y)
    assert deepest.score(X, y) > 0.5
    assert model.scores_[1e-4][0][1] < 0.0
    assert (model.n_splits_, model.cp_) == (0, 1.0)


@pytest.mark.parametrize("l1s", [[], [np.nan], "abc"])
def test_values_of_l1_that_are_no_penalties_are_refused_in_one_sentence(l1s):
    with pytest.raises(ValueError, match="'l1s' parameter of OptimalRegressionTreeCV") as refused:
        OptimalRegressionTreeCV(l1s=l1s).fit(*noisy(0))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("seed", range(3))
def test_a_turn_is_the_best_of_all_values_of_one_weight(seed):
    X, y = noisy(seed, 25)
    problem = Problem(X, y, **DEFINITION)
    search = Search(problem)
    split = Split(-2, 0.9, (1.0, 0.4, -0.3)) if seed else Split(1, 0.5)
    node = Branch(split, Branch(Split(2, 0.5), None, None), None)
    found = search.best_turn((), node, 10.0 * problem.n)
    weights, low = weights_of(split, 3), X.min(axis=0)
    least = np.inf
    for j in range(3):
        rise = X[:, j] - low[j]
        flips = (split.threshold - X @ weights)[rise > 0.0] / rise[rise > 0.0]
        flips = np.r_[flips.min() - 1.0, np.sort(flips), flips.max() + 1.0]
        for change in 0.5 * (flips[1:] + flips[:-1]):
            left = X @ weights + change * rise < split.threshold
            inner = left & (X[:, 2] < 0.5)
            if left.any() and not left.all():
                sides = (inner, left & ~inner, ~left)
                least = min(least, sum(problem.fit_leaf(side)[0] for side in sides))
    for cut in np.sort(X @ weights)[1:]:
        left = X @ weights < cut
        inner = left & (X[:, 2] < 0.5)
        sides = (inner, left & ~inner, ~left)
        least = min(least, sum(problem.fit_leaf(side)[0] for side in sides))
    cost = search.total(Branch(found, node.left, node.right))
    assert cost == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("depth", [1, 2])
def test_hyperplanes_lower_the_objective_of_parallel_splits(depth):
    X, y = noisy(2, 150)
    args = {"n_restarts": 4, "random_state": 0}
    parallel = OptimalRegressionTree(depth, **args).fit(X, y)
    oblique = OptimalRegressionTree(depth, "hyperplane", **args).fit(X, y)
    assert oblique.objective_ < 0.8 * parallel.objective_
    left = X @ oblique.split_coef_[1] < oblique.threshold_[1]
    leaves = oblique.apply(X)
    level = np.array([int(t).bit_length() for t in leaves])
    assert_array_equal(leaves >> (level - 2) == 2, left)
    assert oblique.feature_[1] == -2


def test_hyperplanes_do_not_depend_on_the_units_of_the_features():
    X, y = noisy(3, 80)
    args = {"n_restarts": 3, "random_state": 0}
    one = OptimalRegressionTree(2, "hyperplane", **args).fit(X, y)
    two = OptimalRegressionTree(2, "hyperplane", **args).fit(X * [4.0, 0.5, 8.0] + 3.0, y)
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-9)
    assert_allclose(two.predict(X * [4.0, 0.5, 8.0] + 3.0), one.predict(X), rtol=1e-6)


@parametrize_with_checks(
    [
        OptimalRegressionTree(2, "hyperplane", n_restarts=2),
        OptimalRegressionTreeCV(2, n_restarts=2),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
