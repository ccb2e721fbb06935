"""The scan against every threshold fitted plainly, and trees that no visit can better."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostbench.trees.local_search import search as search_module
from boostbench.trees.local_search.problem import Problem, used_leaves
from boostbench.trees.local_search.search import IMPROVEMENT, Search
from boostbench.trees.local_search.tree import Branch, Split, descend, midpoint, n_splits, nodes


def every_threshold(search, children, path=()):
    """The least cost over all thresholds at ``path``, each leaf fitted from its rows."""
    data, least = search.problem, np.inf
    rows = data.rows_at(path)
    for feature, column in enumerate(data.columns):
        for low, high in itertools.pairwise(np.unique(column[rows])):
            tree = Branch(Split(feature, midpoint(low, high)), *children)
            least = min(least, search.total(tree, path))
    return least


def problem(seed, n=50, p=4, **changes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, p - 1] = rng.integers(0, 4, n)
    if p > 2:
        X[:, 2] = X[:, 1] + 0.05 * X[:, 2]
    y = np.abs(X[:, 0]) + X[:, p // 2] * (X[:, p - 1] > 1) + 0.3 * rng.normal(size=n)
    arguments = {
        "l1": 1e-2,
        "cp": 0.0,
        "penalty_weight": "leaf",
        "penalty_scale": "sd",
        "min_samples_leaf": 1,
        **changes,
    }
    return Problem(X, y, **arguments)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 70),
    p=st.integers(1, 11),
    l1=st.sampled_from([1e-4, 1e-2, 0.2]),
    weight=st.sampled_from(["leaf", "points"]),
    scale=st.sampled_from(["sd", "raw"]),
    least=st.sampled_from([1, 4]),
    depth=st.integers(0, 2),
    n_blocks=st.sampled_from([2, 5, 48]),
)
def test_the_scan_agrees_with_a_full_scan(seed, n, p, l1, weight, scale, least, depth, n_blocks):
    data = problem(
        seed, n, p, l1=l1, penalty_weight=weight, penalty_scale=scale, min_samples_leaf=least
    )
    rng = np.random.default_rng(seed)
    ours = Search(data)
    children = tuple(ours.random(rng.random((2**depth, 2))) for _ in range(2))
    everything = 10.0 * data.n
    before = search_module.N_BLOCKS
    search_module.N_BLOCKS = n_blocks
    try:
        found = ours.best_split((), children, everything)
    finally:
        search_module.N_BLOCKS = before
    cost = every_threshold(Search(data), children)
    if found is None:
        assert cost == np.inf
    else:
        assert ours.total(Branch(found, *children)) == pytest.approx(cost, rel=1e-9, abs=1e-10)


def test_a_scan_returns_only_costs_below_the_cutoff():
    data = problem(0)
    ours = Search(data)
    best = ours.best_split((), (None, None), 10.0 * data.n)
    cost = ours.total(Branch(best, None, None))
    assert ours.best_split((), (None, None), cost * (1.0 + 1e-6)) == best
    assert ours.best_split((), (None, None), cost * (1.0 - 1e-6)) is None


def test_the_first_of_equal_columns_is_split():
    rng = np.random.default_rng(0)
    x = rng.random(40)
    X = np.column_stack([rng.random(40), x, 3.0 * x - 1.0, x])
    y = np.where(x < 0.4, 1.0, x)
    arguments = {"cp": 0.0, "penalty_weight": "leaf", "penalty_scale": "sd", "min_samples_leaf": 1}
    ours = Search(Problem(X, y, l1=1e-3, **arguments))
    assert ours.best_split((), (None, None), 1e9).feature == 1


@pytest.mark.parametrize("seed", range(2))
def test_no_single_change_betters_a_tree_of_the_search(seed):
    data = problem(seed, 60, 3)
    ours = Search(data)
    rng = np.random.default_rng(seed)
    root = ours.improve(ours.random(rng.random((8, 2))), 3, rng)
    best = ours.total(root)
    assert best <= ours.total(ours.greedy(3)) * 1.5
    for place, node in list(nodes(root)):
        path = descend(root, place)[0]
        here = ours.total(node, path)
        children = (None, None) if node is None else (node.left, node.right)
        changes = [ours.total(child, path) for child in children if node is not None]
        if len(path) < 3:
            changes.append(every_threshold(Search(data), children, path))
        assert all(change >= here - 2.0 * IMPROVEMENT * best for change in changes)


def test_splits_that_leave_a_side_without_rows_are_taken_out():
    data = problem(0, 40, 3)
    inner = Branch(Split(0, 0.0), None, None)
    root = Branch(Split(1, -1e9), Branch(Split(0, 5.0), None, None), inner)
    assert used_leaves(root, (), data) == used_leaves(inner, (), data)
    assert used_leaves(inner, (), data).split.feature == 0
    assert n_splits(root) == 3


def test_midpoints_are_above_the_lower_and_at_most_the_upper_value():
    assert midpoint(1.0, 2.0) == 1.5
    assert midpoint(1.0, np.nextafter(1.0, 2.0)) == np.nextafter(1.0, 2.0)
    assert midpoint(1e308, 1.7e308) == pytest.approx(1.35e308)
