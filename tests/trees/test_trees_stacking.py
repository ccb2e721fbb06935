"""Appendix A: the stacked tree against the two trees it was made of."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from boostbench.trees import RandomizedRegressionTree, SoftRegressionTree, export_text, plot, stack

OPERATIONS = {"product": np.multiply, "sum": np.add}


def _tree(rng, depth, p, mu=1.0, constant=False):
    """A tree with random coefficients: more splits of the data than a short training gives."""
    omega, beta = reference.random_tree(rng, depth, p)
    if constant:
        beta[:, 1:] = 0.0
    tree = SoftRegressionTree(depth, max_iter=0, mu=mu).fit(
        rng.random((2**depth, p)), rng.random(2**depth)
    )
    tree.branch_coef_, tree.leaf_coef_ = omega, beta
    return tree


@settings(max_examples=40)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from([0.5, 1.0, 3.0]),
    st.sampled_from(sorted(OPERATIONS)),
)
def test_the_output_is_that_of_both_trees(seed, depth_1, depth_2, p, mu, operation):
    rng = np.random.default_rng(seed)
    first, second = _tree(rng, depth_1, p), _tree(rng, depth_2, p, mu)
    X = rng.random((60, p))
    stacked = stack(first, second, operation)
    expected = OPERATIONS[operation](first.predict(X), second.predict(X))
    np.testing.assert_array_equal(stacked.predict(X), expected)
    assert stacked.depth == depth_1 + depth_2
    both = first.leaf_probabilities(X)[:, :, None] * second.leaf_probabilities(X)[:, None, :]
    np.testing.assert_allclose(stacked.leaf_probabilities(X), both.reshape(60, -1), rtol=1e-9)
    t_1, t_2 = first.apply(X) - 2**depth_1, second.apply(X) - 2**depth_2
    np.testing.assert_array_equal(stacked.apply(X), 2**stacked.depth + t_1 * 2**depth_2 + t_2)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("order", [1, -1])
def test_leaves_stay_linear_where_they_can(operation, order):
    rng = np.random.default_rng(4)
    first, second = [_tree(rng, 2, 3), _tree(rng, 1, 3, constant=True)][::order]
    X = rng.random((80, 3))
    stacked = stack(first, second, operation)
    plain = reference.predict_srt(stacked.branch_coef_, stacked.leaf_coef_, X)
    expected = OPERATIONS[operation](first.predict(X), second.predict(X))
    np.testing.assert_allclose(plain, expected, rtol=1e-12, atol=1e-12)
    again = stack(stacked, second, operation)
    expected = OPERATIONS[operation](stacked.predict(X), second.predict(X))
    np.testing.assert_allclose(again.predict(X), expected, rtol=1e-12, atol=1e-12)


def test_a_product_of_two_regressions_has_no_linear_leaves():
    rng = np.random.default_rng(0)
    first, second = _tree(rng, 1, 2), _tree(rng, 1, 2)
    stacked = stack(first, second, "product")
    assert stacked.leaf_coef_ is None
    assert stacked.leaf_factors_.shape == (2, 4, 3)
    with pytest.raises(ValueError, match="tree_2 has leaves that are products"):
        stack(first, stacked, "sum")


def test_trees_that_cannot_be_stacked_are_refused():
    rng = np.random.default_rng(0)
    tree = _tree(rng, 1, 2)
    with pytest.raises(ValueError, match="operation must be"):
        stack(tree, tree, "difference")
    with pytest.raises(ValueError, match="tree_1 has 2 features and tree_2 3"):
        stack(tree, _tree(rng, 1, 3), "sum")
    X, y = reference.friedman(np.random.default_rng(0), 60)
    clips = SoftRegressionTree(1, clip=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="tree_1 clips its features"):
        stack(clips, clips, "sum")
    with pytest.raises(NotFittedError):
        stack(tree, SoftRegressionTree(1), "sum")
    mixture = RandomizedRegressionTree(1, max_iter=1).fit(rng.random((20, 2)), rng.random(20))
    with pytest.raises(TypeError, match="tree_2 must be a SoftRegressionTree"):
        stack(tree, mixture, "sum")
    with pytest.raises(ValueError, match="X has 3 features, but the stacked tree has 2"):
        stack(tree, tree, "sum").predict(rng.random((4, 3)))


@pytest.mark.parametrize("show", [export_text, plot])
def test_a_stacked_tree_is_not_shown_and_the_reason_is_given(show) -> None:
    X = np.random.default_rng(0).random((60, 2))
    tree = SoftRegressionTree(1, max_iter=2, random_state=0).fit(X, X[:, 0])
    with pytest.raises(TypeError, match="show the trees that it is made of"):
        show(stack(tree, tree, "sum"))
