"""The training objectives, (7) and (4), with their gradients."""

import numpy as np
from numpy.typing import ArrayLike

from boostbench.trees._blocks import BLOCK, to_points
from boostbench.trees._branch_step import subtree_loss
from boostbench.trees._expected_losses import penalty_of
from boostbench.trees._orrt_loss import randomized_tree_loss
from boostbench.trees._types import FloatArray, Penalty, Subtree, Tree
from boostbench.trees.structure import (
    checked_tree,
    checked_weights,
    kernel_array,
    leaf_outputs,
    leaf_probabilities,
    to_inner,
    tree_depth,
)


def _checked(
    branch_coef: ArrayLike, leaf_coef: ArrayLike, X: ArrayLike, y: ArrayLike, mu: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    branch, leaf, X = checked_tree(branch_coef, leaf_coef, X)
    y = kernel_array(y)
    if len(X) == 0 or y.shape != X.shape[:1]:
        raise ValueError(f"X has shape {X.shape} and y {y.shape}; (n, p) and (n,) are expected")
    if not mu > 0:
        raise ValueError(f"mu={mu} must be positive")
    return branch, leaf, X, y


def _to_omega_gradient(grad: FloatArray, mu: float, n: float) -> FloatArray:
    grad = grad * (mu / n)
    grad[:, 1:] /= grad.shape[1] - 1
    return grad


def srt_objective(
    branch_coef: ArrayLike,
    leaf_coef: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    mu: float = 1.0,
    reg_branch: float = 0.0,
    reg_leaf: float = 0.0,
    sample_weight: ArrayLike | None = None,
) -> tuple[float, FloatArray, FloatArray]:
    """Return error (7) of a soft regression tree and its gradients.

    The error is the expected squared residual, as the mean over the points, and the penalties.

    Parameters
    ----------
    branch_coef : array-like of shape (2**D - 1, p + 1)
        The coefficients omega of the branch nodes in heap order, intercepts first.
    leaf_coef : array-like of shape (2**D, p + 1)
        The coefficients beta of the leaves from left to right, intercepts first.
    X : array-like of shape (n, p)
        The points.
    y : array-like of shape (n,)
        Their targets.
    mu : float, default=1.0
        The steepness of the logistic function (1), above 0.
    reg_branch, reg_leaf : float, default=0.0
        The lambdas: half of each times the squared norm of its coefficients is added to the mean
        loss.
    sample_weight : array-like of shape (n,), default=None
        The weights of the points in that mean, None for equal ones.

    Returns
    -------
    value : float
        The error, in the squared unit of the target.
    branch_gradient : ndarray of shape (2**D - 1, p + 1)
        Its gradient for ``branch_coef``.
    leaf_gradient : ndarray of shape (2**D, p + 1)
        Its gradient for ``leaf_coef``.

    Raises
    ------
    ValueError
        If the shapes do not fit, ``mu`` is not above 0, a weight is negative, or all weights are 0.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, equations (3) and (7).

    Examples
    --------
    >>> from boostbench.trees import srt_objective
    >>> branch, leaf = [[0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]
    >>> value, *gradients = srt_objective(branch, leaf, [[0.2], [0.8]], [0.0, 1.0])
    >>> value
    0.5
    """
    branch, leaf, X, y = _checked(branch_coef, leaf_coef, X, y, mu)
    weights = checked_weights(sample_weight, X)
    total = float(weights.sum())
    residual = leaf_outputs(leaf, X) - y[:, None]
    grad_branch = np.empty_like(branch)
    value = subtree_loss(
        Subtree(to_points(X).blocks, len(y), weights, np.ascontiguousarray((residual**2).T)),
        to_inner(branch, mu),
        grad_branch,
        np.empty((4, 2 * len(leaf), BLOCK)),
    )
    weighted = leaf_probabilities(branch, X, mu) * residual * weights[:, None] * (2.0 / total)
    grad_leaf = np.column_stack([weighted.sum(axis=0), weighted.T @ X])
    value = value / total + 0.5 * (reg_branch * np.sum(branch**2) + reg_leaf * np.sum(leaf**2))
    return (
        float(value),
        _to_omega_gradient(grad_branch, mu, total) + reg_branch * branch,
        grad_leaf + reg_leaf * leaf,
    )


def penalised_srt_objective(
    branch_coef: FloatArray,
    leaf_coef: FloatArray,
    X: FloatArray,
    y: FloatArray,
    mu: float,
    weights: FloatArray,
    penalty: Penalty,
) -> tuple[float, FloatArray, FloatArray]:
    """:func:`srt_objective` with ``penalty``, that of the kernels beside the sum of losses."""
    n, p = float(weights.sum()), X.shape[1]
    value, grad_branch, grad_leaf = srt_objective(
        branch_coef, leaf_coef, X, y, mu, sample_weight=weights
    )
    inner = to_inner(branch_coef, mu)
    value += penalty_of(Tree(tree_depth(inner), inner, kernel_array(leaf_coef)), penalty) / n
    grad_branch[:, 0] += penalty.intercept * mu * inner[:, 0] / n
    grad_branch[:, 1:] += penalty.slope * (mu / p) * inner[:, 1:] / n
    return value, grad_branch, grad_leaf + 2.0 * penalty.ridge * leaf_coef / n


def euclidean_norm(*gradients: FloatArray) -> float:
    """Return the Euclidean norm of all ``gradients`` together."""
    with np.errstate(over="ignore"):
        return float(np.sqrt(sum(np.sum(gradient**2) for gradient in gradients)))


def orrt_objective(
    branch_coef: ArrayLike,
    leaf_coef: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    mu: float = 1.0,
    reg_branch: float = 0.0,
    reg_leaf: float = 0.0,
) -> tuple[float, FloatArray, FloatArray]:
    """Return error (4) of a randomized regression tree and its gradients.

    The error is the squared residual of the mixture of all leaves, as the mean over the points, and
    the penalties.

    Parameters
    ----------
    branch_coef : array-like of shape (2**D - 1, p + 1)
        The coefficients omega of the branch nodes in heap order, intercepts first.
    leaf_coef : array-like of shape (2**D, p + 1)
        The coefficients beta of the leaves from left to right, intercepts first.
    X : array-like of shape (n, p)
        The points.
    y : array-like of shape (n,)
        Their targets.
    mu : float, default=1.0
        The steepness of the logistic function (1), above 0.
    reg_branch, reg_leaf : float, default=0.0
        The lambdas: half of each times the squared norm of its coefficients is added to the mean
        loss.

    Returns
    -------
    value : float
        The error, in the squared unit of the target.
    branch_gradient : ndarray of shape (2**D - 1, p + 1)
        Its gradient for ``branch_coef``.
    leaf_gradient : ndarray of shape (2**D, p + 1)
        Its gradient for ``leaf_coef``.

    Raises
    ------
    ValueError
        If the shapes do not fit or ``mu`` is not above 0.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, equation (4).

    Examples
    --------
    >>> from boostbench.trees import orrt_objective
    >>> branch, leaf = [[0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]
    >>> value, *gradients = orrt_objective(branch, leaf, [[0.2], [0.8]], [0.0, 1.0])
    >>> value
    0.25
    """
    branch, leaf, X, y = _checked(branch_coef, leaf_coef, X, y, mu)
    n = len(y)
    grad_branch, grad_leaf = np.empty_like(branch), np.empty_like(leaf)
    value = randomized_tree_loss(
        to_points(X, y),
        Tree(tree_depth(branch), to_inner(branch, mu), leaf),
        grad_branch,
        grad_leaf,
        np.empty((4, 2 * len(leaf), BLOCK)),
    )
    value = value / n + 0.5 * (reg_branch * np.sum(branch**2) + reg_leaf * np.sum(leaf**2))
    return (
        float(value),
        _to_omega_gradient(grad_branch, mu, n) + reg_branch * branch,
        grad_leaf / n + reg_leaf * leaf,
    )
