"""The steps of NODEC-DR on plain arrays, to check each without the others."""

import numpy as np
from numpy.typing import ArrayLike

from boostbench.trees._blocks import make_workspace, to_points
from boostbench.trees._clustering import best_clustering, davies_bouldin
from boostbench.trees._leaf_step import fit_leaves
from boostbench.trees._reassignment import reassign
from boostbench.trees._types import BoolArray, FloatArray, Imbalance, IntArray
from boostbench.trees.structure import checked_weights, from_inner, kernel_array


def _points(X: ArrayLike, **columns: ArrayLike) -> FloatArray:
    """Return ``X`` as (n, p) float64; ValueError unless every column is (n,)."""
    points = kernel_array(X)
    if points.ndim != 2 or len(points) == 0:
        raise ValueError(f"X has shape {points.shape}; (n, p) with n > 0 is expected")
    for name, column in columns.items():
        if np.shape(column) != (len(points),):
            raise ValueError(f"{name} has shape {np.shape(column)}; ({len(points)},) is expected")
    return points


def davies_bouldin_index(
    X: ArrayLike, labels: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return the Davies-Bouldin index of a clustering: smaller is better.

    Empty clusters do not count.

    Parameters
    ----------
    X : array-like of shape (n, p)
        The points.
    labels : array-like of shape (n,)
        The number of each point's cluster, from 0.
    sample_weight : array-like of shape (n,), default=None
        How many points each stands for, None for one.

    Returns
    -------
    float
        The index, at least 0; infinite for fewer than two clusters and when two centroids coincide.

    Raises
    ------
    ValueError
        If the shapes do not fit, there is no point, a label is below 0 or a weight is negative.

    References
    ----------
    D. L. Davies and D. W. Bouldin, "A cluster separation measure", IEEE Transactions on Pattern
    Analysis and Machine Intelligence 1, 1979.

    Examples
    --------
    >>> from boostbench.trees import davies_bouldin_index
    >>> round(davies_bouldin_index([[0.0], [0.2], [1.0], [1.2]], [0, 0, 1, 1]), 6)
    0.2
    """
    X = _points(X, labels=labels)
    labels = np.require(labels, np.int64, ["C", "W"])
    if labels.min() < 0:
        raise ValueError(f"labels has {labels.min()}; clusters are numbered from 0")
    points = to_points(X, None, checked_weights(sample_weight, X))
    return float(davies_bouldin(points, labels, int(labels.max()) + 1))


def cluster_leaves(
    X: ArrayLike, depth: int, n_clusterings: int = 1, random_state: int | None = None
) -> IntArray:
    """Return leaves for points by cutting them in two, again and again, by 2-means.

    Parameters
    ----------
    X : array-like of shape (n, p)
        The points.
    depth : int
        How often the points are cut, at least 1.
    n_clusterings : int, default=1
        Of so many tries (r), at least 1, the one with the least Davies-Bouldin index is returned.
    random_state : int or None, default=None
        Draws the first centres.

    Returns
    -------
    ndarray of shape (n,)
        The leaf of each point, from 0 to 2**depth - 1.

    Raises
    ------
    ValueError
        If ``X`` has no points or another number of dimensions, or a number is below 1.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, Section 5.4.

    Examples
    --------
    >>> from boostbench.trees import cluster_leaves
    >>> leaves = cluster_leaves([[0.0], [0.1], [0.9], [1.0]], depth=1, random_state=0)
    >>> bool(leaves[0] == leaves[1] != leaves[2] == leaves[3])
    True
    """
    X = _points(X)
    if depth < 1 or n_clusterings < 1:
        raise ValueError(f"depth={depth} and n_clusterings={n_clusterings} must be at least 1")
    points = to_points(X)
    uniforms = np.random.default_rng(random_state).random((n_clusterings, 2**depth - 1, 2))
    leaf = np.empty(len(X), np.int64)
    best_clustering(points, depth, uniforms, leaf, make_workspace(points, depth))
    return leaf


def leaf_step(weights: ArrayLike, X: ArrayLike, y: ArrayLike, ridge: float = 0.0) -> FloatArray:
    """Return beta, each leaf's weighted ridge regression.

    Solves (X'PX + ridge I) beta = X'Py for each leaf, where P has its column of ``weights`` on the
    diagonal: the *sum* of squared residuals is minimised.

    Parameters
    ----------
    weights : array-like of shape (n, n_leaves)
        The probability of each point to fall into each leaf.
    X : array-like of shape (n, p)
        The points.
    y : array-like of shape (n,)
        Their targets.
    ridge : float, default=0.0
        The penalty of the squared coefficients, intercepts included.

    Returns
    -------
    ndarray of shape (n_leaves, p + 1)
        The coefficients, intercept first; zeros for a leaf whose weights vanish.

    Raises
    ------
    ValueError
        If the shapes do not fit, or there is no point.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, the LN step of Section 5.2.

    Examples
    --------
    >>> from boostbench.trees import leaf_step
    >>> leaf_step([[1.0], [1.0], [1.0]], [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).round(6)
    array([[1., 2.]])
    """
    X = _points(X, y=y)
    weights, y = np.asarray(weights, dtype=np.float64), np.array(y, dtype=np.float64)
    if weights.ndim != 2 or len(weights) != len(X):
        raise ValueError(f"weights has shape {weights.shape}; ({len(X)}, n_leaves) is expected")
    points, columns = to_points(X, y), X.shape[1] + 1
    coef = np.zeros((weights.shape[1], columns))
    equations = np.empty((len(coef), columns * (columns + 1)))
    fit_leaves(points, np.ascontiguousarray(weights.T), ridge, False, coef, equations)
    return coef


def reassign_points(
    X: ArrayLike,
    goes_left: ArrayLike,
    residual: ArrayLike,
    high_imbalance_threshold: float = 0.3,
    reassigned_share: float = 0.4,
    mu: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> tuple[FloatArray, BoolArray]:
    """Return new coefficients of one branch node, by the weighted logistic regression (17).

    Parameters
    ----------
    X : array-like of shape (n, p)
        The node's points.
    goes_left : array-like of shape (n,)
        Whether each point goes left now.
    residual : array-like of shape (n,)
        Their error terms (18).
    high_imbalance_threshold : float, default=0.3
        The paper's epsilon_2: where the smaller side has at most this share of the points, some of
        the larger side's are asked to take the other one.
    reassigned_share : float, default=0.4
        The paper's epsilon_3, the share of the larger side's points that are asked, those of the
        largest error terms.
    mu : float, default=1.0
        The steepness of the logistic function (1).
    sample_weight : array-like of shape (n,), default=None
        How many points each stands for, None for one.

    Returns
    -------
    omega : ndarray of shape (p + 1,)
        The coefficients, intercept first; zeros when all points were asked to take the same side.
    goes_left : ndarray of shape (n,)
        The side that each point was asked to take.

    Raises
    ------
    ValueError
        If the shapes do not fit, there is no point, or a weight is negative.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, Section 5.3, equations (17)
    and (18).

    Examples
    --------
    >>> from boostbench.trees import reassign_points
    >>> omega, left = reassign_points(
    ...     [[0.0], [0.3], [0.6], [1.0]], [1, 1, 1, 1], [0.1, 0.2, 0.9, 1.0], reassigned_share=0.5
    ... )
    >>> left
    array([ True,  True, False, False])
    """
    X = _points(X, goes_left=goes_left, residual=residual)
    labels = np.array(goes_left, dtype=np.float64)
    coef = np.zeros(X.shape[1] + 1)
    imbalance = Imbalance(0.0, float(high_imbalance_threshold), float(reassigned_share), 1.0)
    points = to_points(X, None, checked_weights(sample_weight, X))
    reassign(points, labels, kernel_array(residual), imbalance, coef)
    return from_inner(coef[None, :], mu)[0], labels > 0.5
