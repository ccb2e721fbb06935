"""Appendix A: one soft tree whose output is the product or the sum of two others."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, check_is_fitted

from boostbench.trees._types import BoolArray, FloatArray, IntArray
from boostbench.trees.soft import SoftRegressionTree
from boostbench.trees.structure import kernel_array, leaf_probabilities, predict_hard, route

_OPERATIONS = ("product", "sum")


class StackedRegressionTree:
    """The tree that :func:`stack` builds; it is fitted already and has no ``fit``.

    Parameters
    ----------
    branch_coef : ndarray of shape (2**D - 1, p + 1)
        The coefficients omega, intercepts first, in heap order.
    leaf_factors : ndarray of shape (2, 2**D, p + 1)
        The regressions of the first and of the second tree in each leaf.
    operation : {"product", "sum"}
        What the two regressions of a leaf are joined by.
    mu : float
        The steepness of the logistic function (1).

    Attributes
    ----------
    depth : int
        D = D_1 + D_2, the sum of both trees' depths.
    n_features_in_ : int
        The number p of features.
    branch_coef_ : ndarray of shape (2**D - 1, p + 1)
        The coefficients omega, as given.
    leaf_factors_ : ndarray of shape (2, 2**D, p + 1)
        The two regressions of each leaf, as given; the leaf's output is their product or sum.
    leaf_coef_ : ndarray of shape (2**D, p + 1), or None
        The coefficients beta, intercepts first, from left to right; None where a leaf's output is
        not linear, because both of its factors have slopes.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, Appendix A.
    """

    def __init__(
        self, branch_coef: FloatArray, leaf_factors: FloatArray, operation: str, mu: float
    ) -> None:
        self.operation = operation
        self.mu = mu
        self.branch_coef_ = branch_coef
        self.leaf_factors_ = leaf_factors
        self.leaf_coef_ = _linear_leaves(leaf_factors, operation)
        self.depth = leaf_factors.shape[1].bit_length() - 1
        self.n_features_in_ = leaf_factors.shape[2] - 1

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the output of the leaf that each point reaches: equation (2).

        Parameters
        ----------
        X : array-like of shape (n, p)
            The points.

        Returns
        -------
        ndarray of shape (n,)
            The predictions.

        Raises
        ------
        ValueError
            For another number of features, or values that are not finite.
        """
        X = self._checked(X)
        first, second = (predict_hard(self.branch_coef_, leaf, X) for leaf in self.leaf_factors_)
        return first * second if self.operation == "product" else first + second

    def apply(self, X: ArrayLike) -> IntArray:
        """Return the leaf that each point reaches.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The points.

        Returns
        -------
        ndarray of shape (n,)
            The leaves' numbers in heap order, 2**D to 2**(D + 1) - 1.

        Raises
        ------
        ValueError
            For another number of features, or values that are not finite.
        """
        return route(self.branch_coef_, self._checked(X))

    def leaf_probabilities(self, X: ArrayLike) -> FloatArray:
        """Return the probability of falling into each leaf.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The points.

        Returns
        -------
        ndarray of shape (n, 2**D)
            The probabilities, leaves from left to right; rows sum to 1.

        Raises
        ------
        ValueError
            For another number of features, or values that are not finite.
        """
        return leaf_probabilities(self.branch_coef_, self._checked(X), self.mu)

    def _checked(self, X: ArrayLike) -> FloatArray:
        rows: FloatArray = check_array(X, dtype=np.float64)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but the stacked tree has {self.n_features_in_}"
            )
        return kernel_array(rows)


def stack(
    tree_1: SoftRegressionTree | StackedRegressionTree,
    tree_2: SoftRegressionTree | StackedRegressionTree,
    operation: str,
) -> StackedRegressionTree:
    """Return the soft tree whose output is the product or the sum of two fitted trees.

    Each leaf of ``tree_1`` is replaced by a copy of ``tree_2``, so that the depth is the sum of
    both. Leaf t, counted from 0, lies below leaf t // 2**D_2 of ``tree_1`` and stands for leaf
    t % 2**D_2 of ``tree_2``; the product or sum of their regressions is its output. The paper
    proves it for leaves with an intercept only. A sum of regressions is one too, and so is a
    product of which a factor is constant; other products are kept as two factors.

    Parameters
    ----------
    tree_1, tree_2 : SoftRegressionTree or StackedRegressionTree
        Fitted trees on the same p features; what this function returned where its leaves are
        linear.
    operation : {"product", "sum"}
        What to do with the outputs of both.

    Returns
    -------
    StackedRegressionTree
        The stacked tree, fitted.

    Raises
    ------
    TypeError
        For trees of another class: a mixture of all leaves, as in ORRT, is not a soft tree whose
        output comes from one leaf.
    NotFittedError
        Before ``fit``.
    ValueError
        For another operation, different numbers of features, a tree that clips its features, and a
        stacked tree with leaves that are not linear.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, Appendix A, claims 4 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> from boostbench.trees import SoftRegressionTree, stack
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> tree = SoftRegressionTree(depth=1, random_state=0).fit(X, np.sin(6 * X[:, 0]))
    >>> twice = stack(tree, tree, "sum")
    >>> twice.depth, bool(np.allclose(twice.predict(X), 2 * tree.predict(X)))
    (2, True)
    """
    if operation not in _OPERATIONS:
        raise ValueError(f'operation must be "product" or "sum", not {operation!r}')
    for name, tree in (("tree_1", tree_1), ("tree_2", tree_2)):
        _check(name, tree)
    if tree_1.n_features_in_ != tree_2.n_features_in_:
        raise ValueError(
            f"tree_1 has {tree_1.n_features_in_} features and tree_2 {tree_2.n_features_in_}; "
            "both must be fitted on the same ones"
        )
    upper, lower = tree_1.branch_coef_, tree_2.branch_coef_ * (tree_2.mu / tree_1.mu)
    first, second = np.asarray(tree_1.leaf_coef_), np.asarray(tree_2.leaf_coef_)
    # Level by level: heap order puts the copies' nodes of a level side by side.
    levels = [np.tile(lower[2**d - 1 : 2 ** (d + 1) - 1], (len(first), 1)) for d in _depths(lower)]
    factors = np.stack([np.repeat(first, len(second), axis=0), np.tile(second, (len(first), 1))])
    return StackedRegressionTree(np.vstack([upper, *levels]), factors, operation, tree_1.mu)


def _check(name: str, tree: object) -> None:
    if isinstance(tree, SoftRegressionTree):
        check_is_fitted(tree)
        if tree.clip:
            raise ValueError(
                f"{name} clips its features, which a stacked tree cannot; fit it with clip=False"
            )
    elif not isinstance(tree, StackedRegressionTree):
        raise TypeError(f"{name} must be a SoftRegressionTree, not of class {type(tree).__name__}")
    elif tree.leaf_coef_ is None:
        raise ValueError(
            f"{name} has leaves that are products of two regressions; a tree with linear leaves "
            "is expected"
        )


def _depths(branch_coef: FloatArray) -> range:
    return range((len(branch_coef) + 1).bit_length() - 1)


def _linear_leaves(factors: FloatArray, operation: str) -> FloatArray | None:
    first: FloatArray = factors[0]
    second: FloatArray = factors[1]
    if operation == "sum":
        return first + second
    has_slopes: BoolArray = np.any(factors[:, :, 1:] != 0.0, axis=2)
    if has_slopes.all(axis=0).any():
        return None
    return np.where(has_slopes[1, :, None], first[:, :1] * second, second[:, :1] * first)
