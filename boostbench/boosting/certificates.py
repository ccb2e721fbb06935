"""Proofs of how good a solution of (2) is: objective, KKT residual (16), certified lower bound.

All for ``min_{w >= 0} sum(w) + C/p sum_i weight_i sum_{y != y_i} exp(F_y(x_i) - F_{y_i}(x_i))``
with p = sum(weight) (K - 1), from plain arrays, in plain NumPy, apart from the solvers they check.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from boostbench.boosting._types import Floats
from boostbench.boosting.stumps import best_stumps


def pair_weights(scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
    """Return mu (n_samples, K) = weight * exp(F_y - F_own), with 0 in the own column (15).

    ``scores`` (n_samples, K) are F; ``y`` (n_samples,) the codes 0..K-1 of the own classes.
    """
    F = np.asarray(scores, dtype=np.float64)
    codes = np.asarray(y)
    rows = np.arange(F.shape[0])
    mu: Floats = np.exp(F - F[rows, codes][:, None])
    mu[rows, codes] = 0.0
    mu *= _weights(scores, sample_weight)[:, None]
    return mu


def _weights(scores: ArrayLike, sample_weight: ArrayLike | None) -> Floats:
    if sample_weight is None:
        return np.ones(len(np.asarray(scores)))
    return np.asarray(sample_weight, dtype=np.float64)


def _c_over_p(scores: ArrayLike, C: float, sample_weight: ArrayLike | None) -> float:
    n_classes = np.shape(scores)[1]
    return float(C / (_weights(scores, sample_weight).sum() * (n_classes - 1)))


def column_weights(
    scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> Floats:
    """U (n_samples, K): the stump sought for class c by (4) maximises ``sum_i U[i, c] h(x_i)``."""
    mu = pair_weights(scores, y, sample_weight)
    U = -mu
    U[np.arange(U.shape[0]), np.asarray(y)] = mu.sum(axis=1)
    return U


def objective(
    coef: ArrayLike,
    scores: ArrayLike,
    y: ArrayLike,
    C: float,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the value of problem (2).

    Parameters
    ----------
    coef : array-like
        The coefficients w, of any shape.
    scores : array-like of shape (n_samples, n_classes)
        The scores F that they give.
    y : array-like of shape (n_samples,)
        The class of each sample, as a number from 0.
    C : float
        The weight of the loss.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights of the samples, None for 1.

    Returns
    -------
    float
        The value of sum(w) + C/p sum_i weight_i sum_{y != y_i} exp(F_y(x_i) - F_{y_i}(x_i)), where
        p is sum(weight) (n_classes - 1).

    References
    ----------
    G. Lin, C. Shen, A. van den Hengel and D. Suter, "Fast training of
    effective multi-class boosting using coordinate descent optimization", ACCV 2012, problem (2).

    Examples
    --------
    >>> from boostbench.boosting import objective
    >>> objective([0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]], [0, 1], C=10.0)
    10.0
    """
    loss = pair_weights(scores, y, sample_weight).sum()
    return float(np.sum(coef) + _c_over_p(scores, C, sample_weight) * loss)


def kkt_residuals(
    outputs: ArrayLike,
    columns: ArrayLike,
    coef: ArrayLike,
    scores: ArrayLike,
    y: ArrayLike,
    C: float,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Return the violated values theta (16) of the variables: 0 at the optimum.

    The problem is solved to eps where all are at most eps.

    Parameters
    ----------
    outputs : array-like of shape (n_variables, n_samples)
        The output, +1 or -1, of each variable's stump on each sample.
    columns : array-like of shape (n_variables,)
        The class of each variable, as a number from 0.
    coef : array-like of shape (n_variables,)
        The coefficient of each variable, at least 0.
    scores : array-like of shape (n_samples, n_classes)
        The scores that they give.
    y : array-like of shape (n_samples,)
        The class of each sample, as a number from 0.
    C : float
        The weight of the loss.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights of the samples, None for 1.

    Returns
    -------
    ndarray of shape (n_variables,)
        The absolute gradient of a coefficient above 0; of one that is 0 by how much the gradient is
        below 0.

    References
    ----------
    G. Lin, C. Shen, A. van den Hengel and D. Suter, "Fast training of
    effective multi-class boosting using coordinate descent optimization", ACCV 2012, equation (16).

    Examples
    --------
    >>> from boostbench.boosting import kkt_residuals
    >>> scores = [[0.0, 0.0], [0.0, 0.0]]
    >>> kkt_residuals([[1, -1]], [0], [0.0], scores, [0, 1], C=10.0)
    array([9.])
    """
    U = column_weights(scores, y, sample_weight)
    h = np.asarray(outputs, dtype=np.float64)
    score = np.einsum("vi,vi->v", h, U.T[np.asarray(columns)])
    gradient = 1.0 - _c_over_p(scores, C, sample_weight) * score
    return violated_values(np.asarray(coef), gradient)


def violated_values(coef: Floats, gradient: Floats) -> Floats:
    """Return theta (16) for coefficients and the gradient of (2) in them, of any one shape."""
    theta: Floats = np.where(coef > 0, np.abs(gradient), np.maximum(0.0, -gradient))
    return theta


def dual_from_sums(loss: float, entropy: float, c_over_p: float, largest: float) -> float:
    """Return the dual (3a) at lambda / max(1, largest), where lambda = C/p mu.

    ``loss`` is the sum of mu, ``entropy`` that of mu log(mu / weight), ``largest`` the left side of
    (3b) at its largest over all stumps and classes.
    """
    scale = max(1.0, largest)
    return c_over_p / scale * (loss * (1.0 + math.log(scale)) - entropy)


def dual_lower_bound(
    X: ArrayLike,
    scores: ArrayLike,
    y: ArrayLike,
    C: float,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return a value that no solution of problem (2) over *all* stumps can fall below.

    lambda = C/p mu, divided by the largest left side of (3b) if that is above 1, is feasible for
    the dual; (3b) is checked for every stump by the exact search, rounding included.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples, finite real numbers.
    scores : array-like of shape (n_samples, n_classes)
        The scores of any solution; the better it is, the nearer is the bound.
    y : array-like of shape (n_samples,)
        The class of each sample, as a number from 0.
    C : float
        The weight of the loss.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights of the samples, None for 1.

    Returns
    -------
    float
        The lower bound.

    Raises
    ------
    InputError
        If the shapes do not fit, or ``X`` is not finite.

    References
    ----------
    G. Lin, C. Shen, A. van den Hengel and D. Suter, "Fast training of
    effective multi-class boosting using coordinate descent optimization", ACCV 2012, problem (3).

    Examples
    --------
    >>> from boostbench.boosting import dual_lower_bound, objective
    >>> X, scores, y = [[0.0], [1.0]], [[0.0, 0.0], [0.0, 0.0]], [0, 1]
    >>> dual_lower_bound(X, scores, y, C=10.0) <= objective([0.0], scores, y, C=10.0)
    True
    """
    mu = pair_weights(scores, y, sample_weight)
    U = column_weights(scores, y, sample_weight)
    _, best = best_stumps(X, U)
    # 2**-29 of a column's total mass is the unit that the search rounds each weight to.
    unit = np.abs(U).sum(axis=0) * 2.0**-28
    c_over_p = _c_over_p(scores, C, sample_weight)
    largest = c_over_p * float(np.max(best + unit * U.shape[0]))
    weight = _weights(scores, sample_weight)[:, None]
    ratio = np.divide(mu, weight, out=np.zeros_like(mu), where=weight > 0)
    entropy = float((mu * np.log(np.where(ratio > 0, ratio, 1.0))).sum())
    return dual_from_sums(float(mu.sum()), entropy, c_over_p, largest)
