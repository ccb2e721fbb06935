"""A complete binary tree in heap order: root 1, children 2t (left) and 2t + 1, leaves last."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import expit
from sklearn.utils.validation import _check_sample_weight

from boostbench.trees._routing import leaf_values, walk
from boostbench.trees._types import FloatArray, IntArray


def kernel_array(values: ArrayLike) -> FloatArray:
    """Return ``values`` as float64, C-ordered and writable, copied only where needed.

    numba would compile every kernel again for a read-only array.
    """
    return np.require(values, np.float64, ["C", "W"])


def checked_weights(sample_weight: ArrayLike | None, X: FloatArray) -> FloatArray:
    """Return the weights of the rows of ``X``, 1 for None; ValueError unless they can be weights.

    Zeros are weights, unless all are.
    """
    weights = kernel_array(_check_sample_weight(sample_weight, X, dtype=np.float64))
    if (weights < 0.0).any():
        row = int(np.argmax(weights < 0.0))
        raise ValueError(
            f"sample_weight is {weights[row]:g} at row {row} (counted from 0); "
            "weights must not be negative"
        )
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not 0.0 < total < np.inf:
        raise ValueError(f"the sum of sample_weight is {total:g}; it must be positive and finite")
    return weights


def total_variance(X: FloatArray, weights: FloatArray | None = None) -> float:
    """Return the sum of the variances of X's columns (n, p), whose rows have ``weights`` (n,).

    A sum beyond the range of floats is their largest, since infinity times 0 would not be 0.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.average(X, axis=0, weights=weights)
        total = float(np.average((X - mean) ** 2, axis=0, weights=weights).sum())
    return total if np.isfinite(total) else float(np.finfo(np.float64).max)


def tree_depth(branch_coef: FloatArray) -> int:
    """Return D for coefficients of shape (2**D - 1, p + 1); ValueError for any other length."""
    n_leaves = len(branch_coef) + 1
    depth = n_leaves.bit_length() - 1
    if depth < 1 or 2**depth != n_leaves:
        raise ValueError(
            f"branch_coef has {len(branch_coef)} rows; a tree of depth D >= 1 has 2**D - 1"
        )
    return depth


def checked_branches(branch_coef: ArrayLike, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both as float64; ValueError when ``branch_coef`` is no tree on ``X``'s columns."""
    branch, points = _checked_columns("branch_coef", branch_coef, X)
    tree_depth(branch)
    return branch, points


def checked_leaves(leaf_coef: ArrayLike, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both as float64; ValueError when ``leaf_coef`` does not fit the columns of ``X``."""
    return _checked_columns("leaf_coef", leaf_coef, X)


def _checked_columns(name: str, values: ArrayLike, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
    coef = np.array(values, dtype=np.float64, ndmin=2, order="C")
    points = kernel_array(X)
    if points.ndim != 2 or coef.shape[1] != points.shape[1] + 1:
        raise ValueError(
            f"{name} has shape {coef.shape} and X {points.shape}; "
            f"X must be (n, p) and {name} have p + 1 columns"
        )
    return coef, points


def checked_tree(
    branch_coef: ArrayLike, leaf_coef: ArrayLike, X: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return all as float64; ValueError when the coefficients are no tree on ``X``'s columns."""
    branch, points = checked_branches(branch_coef, X)
    leaf, points = checked_leaves(leaf_coef, points)
    if len(leaf) != len(branch) + 1:
        raise ValueError(
            f"leaf_coef has {len(leaf)} rows; the tree has one leaf more than branches"
        )
    return branch, leaf, points


def check_enough_samples(n_samples: int, depth: int) -> None:
    """Raise ValueError when there are fewer samples than leaves."""
    if n_samples < 2**depth:
        raise ValueError(
            f"n_samples={n_samples} is fewer than the {2**depth} leaves of a tree of depth {depth}"
        )


def to_inner(branch_coef: ArrayLike, mu: float) -> FloatArray:
    """From omega to v, where logistic(v0 + v.x) is the probability of going left (eq. 1)."""
    inner = np.array(branch_coef, dtype=np.float64)
    inner *= mu
    inner[:, 1:] /= inner.shape[1] - 1
    return inner


def from_inner(inner: FloatArray, mu: float) -> FloatArray:
    """Inverse of :func:`to_inner`."""
    branch_coef = inner / mu
    branch_coef[:, 1:] *= inner.shape[1] - 1
    return branch_coef


def route(branch_coef: ArrayLike, X: ArrayLike) -> IntArray:
    """Return the leaf at the end of each point's likeliest path: equation (2).

    At each branch node the likelier side is taken. The value of mu does not matter here.

    Parameters
    ----------
    branch_coef : array-like of shape (2**D - 1, p + 1)
        The coefficients omega, intercepts first, in heap order: root 1, children 2t (left) and
        2t + 1.
    X : array-like of shape (n, p)
        The points.

    Returns
    -------
    ndarray of shape (n,)
        The leaves' numbers in heap order, 2**D to 2**(D + 1) - 1; a tie goes left.

    Raises
    ------
    ValueError
        If the shapes do not fit, or ``branch_coef`` has not 2**D - 1 rows for any D of at least 1.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, equation (2).

    Examples
    --------
    >>> from boostbench.trees import route
    >>> route([[-0.5, 1.0]], [[0.2], [0.8]])
    array([3, 2])
    """
    branch, X = checked_branches(branch_coef, X)
    out = np.empty(len(X), np.int64)
    walk(X, to_inner(branch, 1.0), out)
    return out


def path_matrix(leaves: IntArray, depth: int) -> sparse.csr_matrix:
    """Return which samples meet node t in column t, 0 unused: (n, 2**(depth + 1))."""
    levels = np.arange(depth, -1, -1)
    nodes = leaves[:, None] >> levels
    indptr = np.arange(len(leaves) + 1) * len(levels)
    data = np.ones(nodes.size, dtype=np.int64)
    return sparse.csr_matrix((data, nodes.ravel(), indptr), shape=(len(leaves), 2 ** (depth + 1)))


def predict_hard(branch_coef: ArrayLike, leaf_coef: ArrayLike, X: ArrayLike) -> FloatArray:
    """Return the regression of the leaf that each point reaches: equation (2).

    Parameters
    ----------
    branch_coef : array-like of shape (2**D - 1, p + 1)
        The coefficients omega, intercepts first, in heap order.
    leaf_coef : array-like of shape (2**D, p + 1)
        The coefficients beta, intercepts first, from left to right.
    X : array-like of shape (n, p)
        The points.

    Returns
    -------
    ndarray of shape (n,)
        The predictions.

    Raises
    ------
    ValueError
        If the shapes do not fit, or ``branch_coef`` has not 2**D - 1 rows for any D of at least 1.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, equation (2).

    Examples
    --------
    >>> from boostbench.trees import predict_hard
    >>> predict_hard([[-0.5, 1.0]], [[1.0, 0.0], [0.0, 2.0]], [[0.25], [0.75]])
    array([0.5, 1. ])
    """
    branch, leaf, X = checked_tree(branch_coef, leaf_coef, X)
    out = np.empty(len(X))
    leaf_values(X, leaf, route(branch, X), out)
    return out


def branch_probabilities(branch_coef: ArrayLike, X: ArrayLike, mu: float = 1.0) -> FloatArray:
    """Return p_it, the probability of going left at each branch node: equation (1).

    Parameters
    ----------
    branch_coef : array-like of shape (2**D - 1, p + 1)
        The coefficients omega, intercepts first, in heap order.
    X : array-like of shape (n, p)
        The points.
    mu : float, default=1.0
        The steepness of the logistic function.

    Returns
    -------
    ndarray of shape (n, 2**D - 1)
        The probabilities, logistic(mu (omega_0 + (1/p) sum_j omega_j x_j)).

    Raises
    ------
    ValueError
        If the shapes do not fit, or ``branch_coef`` has not 2**D - 1 rows for any D of at least 1.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, equation (1).

    Examples
    --------
    >>> from boostbench.trees import branch_probabilities
    >>> branch_probabilities([[-0.5, 1.0]], [[0.5], [1.5]]).round(3)
    array([[0.5  ],
           [0.731]])
    """
    branch, X = checked_branches(branch_coef, X)
    inner = to_inner(branch, mu)
    probabilities: FloatArray = expit(inner[:, 0] + X @ inner[:, 1:].T)
    return probabilities


def leaf_probabilities(branch_coef: ArrayLike, X: ArrayLike, mu: float = 1.0) -> FloatArray:
    """Return P_it, the probability of falling into each leaf.

    Parameters
    ----------
    branch_coef : array-like of shape (2**D - 1, p + 1)
        The coefficients omega, intercepts first, in heap order.
    X : array-like of shape (n, p)
        The points.
    mu : float, default=1.0
        The steepness of the logistic function (1).

    Returns
    -------
    ndarray of shape (n, 2**D)
        The probabilities, leaves from left to right; rows sum to 1.

    Raises
    ------
    ValueError
        If the shapes do not fit, or ``branch_coef`` has not 2**D - 1 rows for any D of at least 1.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, Section 3.1.

    Examples
    --------
    >>> from boostbench.trees import leaf_probabilities
    >>> leaf_probabilities([[-0.5, 1.0]], [[0.5], [1.5]]).round(3)
    array([[0.5  , 0.5  ],
           [0.731, 0.269]])
    """
    p = branch_probabilities(branch_coef, X, mu)
    level = np.ones((len(p), 1))
    first = 0
    while level.shape[1] <= p.shape[1]:
        left = p[:, first : first + level.shape[1]]
        level = np.stack([level * left, level * (1.0 - left)], axis=2).reshape(len(p), -1)
        first += left.shape[1]
    return level


def leaf_outputs(leaf_coef: ArrayLike, X: ArrayLike) -> FloatArray:
    """Return yhat_it, every leaf's regression at every point.

    Parameters
    ----------
    leaf_coef : array-like of shape (2**D, p + 1)
        The coefficients beta, intercepts first, from left to right.
    X : array-like of shape (n, p)
        The points.

    Returns
    -------
    ndarray of shape (n, 2**D)
        The value of each leaf's regression.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, Section 3.1.

    Examples
    --------
    >>> from boostbench.trees import leaf_outputs
    >>> leaf_outputs([[1.0, 0.0], [0.0, 2.0]], [[0.25], [0.75]])
    array([[1. , 0.5],
           [1. , 1.5]])
    """
    leaf, X = checked_leaves(leaf_coef, X)
    return leaf[:, 0] + X @ leaf[:, 1:].T
