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
    """Davies-Bouldin index of a clustering: smaller is better, empty clusters do not count.

    ``X`` is (n, p), ``labels`` (n,) non-negative integers, ``sample_weight`` (n,) how many points
    each stands for. Infinite for fewer than two clusters and when two centroids coincide. Raises
    ValueError for shapes that do not fit.
    Source: Davies and Bouldin (1979).
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
    """Cut the points in two, again and again, by 2-means; return leaves, 0 to 2**depth - 1.

    Of ``n_clusterings`` (r) tries the one with the least Davies-Bouldin index is returned.
    Source: Section 5.4.
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
    """Return beta, (n_leaves, p + 1): each leaf's weighted ridge regression, intercept first.

    ``weights`` (n, n_leaves) are probabilities; solves (X'PX + ridge I) beta = X'Py for the *sum*
    of squared residuals. A leaf whose weights vanish gets zeros.
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
    """Re-balance one branch node by the weighted logistic regression (17).

    ``X`` (n, p) are the node's points, ``goes_left`` (n,) where they go now, ``residual`` (n,)
    their error terms (18), ``sample_weight`` (n,) how many points each stands for. Returns omega
    (p + 1,) and the side that each point was asked to take; omega is zero when all were asked to
    take the same.
    """
    X = _points(X, goes_left=goes_left, residual=residual)
    labels = np.array(goes_left, dtype=np.float64)
    coef = np.zeros(X.shape[1] + 1)
    imbalance = Imbalance(0.0, float(high_imbalance_threshold), float(reassigned_share), 1.0)
    points = to_points(X, None, checked_weights(sample_weight, X))
    reassign(points, labels, kernel_array(residual), imbalance, coef)
    return from_inner(coef[None, :], mu)[0], labels > 0.5
