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
    """Return the value of (2) for coefficients ``coef`` (any shape) that give ``scores``."""
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
    """Return the violated values theta (16) of the variables; all at most eps means solved to eps.

    Parameters
    ----------
    outputs : (n_variables, n_samples) of +-1, the stump of each variable
    columns : (n_variables,) its class code
    coef : (n_variables,) its coefficient
    scores, y, C, sample_weight : as in ``objective``
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
    """Return a value that no solution of (2) over *all* stumps on ``X`` can fall below.

    lambda = C/p mu, divided by the largest left side of (3b) if that is above 1, is feasible for
    the dual; (3b) is checked for every stump by the exact search, rounding included.
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
