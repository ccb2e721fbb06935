"""Weighted binary logistic regression by damped Newton steps, as in scikit-learn's default:
half the squared norm of the slopes plus the weighted sum of log losses, free intercept."""

import numpy as np

from boostbench.kernels.elementwise import (
    FASTMATH,
    add_products,
    affine,
    copy,
    sigmoid,
    weighted_log_loss,
)
from boostbench.kernels.jit import kernel
from boostbench.trees._blocks import BLOCK
from boostbench.trees._leaf_step import solve_cholesky, weighted_gram

_MAX_ITER = 25
_TOL = 1e-6


@kernel(fastmath=FASTMATH)
def _residual_and_curvature(p, goes_left, weights, residual, curvature, n):
    for i in range(n):
        residual[i] = weights[i] * (p[i] - goes_left[i])
        curvature[i] = weights[i] * p[i] * (1.0 - p[i])


@kernel
def _objective(points, goes_left, weights, coef, z):
    blocks, n = points.blocks, points.n
    value = 0.0
    for j in range(1, coef.shape[0]):
        value += 0.5 * coef[j] * coef[j]
    for b in range((n + BLOCK - 1) // BLOCK):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        affine(blocks[b], coef, z, m)
        value += weighted_log_loss(z, goes_left[first : first + m], weights[first : first + m], m)
    return value


@kernel
def fit_logistic(points, goes_left, weights, coef, mass):
    """Fit P(left | x) = logistic(x.coef) from ``coef`` = 0; a single class leaves ``coef`` as is.

    ``goes_left`` (n,) holds 1.0 or 0.0, ``weights`` (n,) the weight of each point's loss. Stops
    when half the squared Newton decrement is at most _TOL times ``mass``, the points' weight.
    """
    blocks, n, tol = points.blocks, points.n, _TOL * mass
    n_left = 0.0
    for i in range(n):
        n_left += goes_left[i]
    if n_left < 0.5 or n_left > n - 0.5:
        return False
    n_rows = coef.shape[0]
    coef[:] = 0.0
    hessian = np.empty((n_rows, n_rows))
    grad = np.empty(n_rows)
    step = np.empty(n_rows)
    trial = np.empty(n_rows)
    z = np.empty(BLOCK)
    residual = np.empty(BLOCK)
    curvature = np.empty(n)
    value = _objective(points, goes_left, weights, coef, z)
    for _ in range(_MAX_ITER):
        grad[0] = 0.0
        for j in range(1, n_rows):
            grad[j] = coef[j]
        for b in range((n + BLOCK - 1) // BLOCK):
            first = b * BLOCK
            m = min(BLOCK, n - first)
            affine(blocks[b], coef, z, m)
            sigmoid(z, m)
            _residual_and_curvature(
                z,
                goes_left[first : first + m],
                weights[first : first + m],
                residual,
                curvature[first : first + m],
                m,
            )
            add_products(blocks[b], residual, grad, m)
        weighted_gram(points, curvature, hessian)
        hessian[0, 0] += 1e-9
        for j in range(1, n_rows):
            hessian[j, j] += 1.0
        copy(grad, step, n_rows)
        if not solve_cholesky(hessian, step):
            return False
        decrement = 0.0
        for j in range(n_rows):
            decrement += step[j] * grad[j]
        if decrement <= 2.0 * tol:
            break
        alpha = 1.0
        for _ in range(30):
            for j in range(n_rows):
                trial[j] = coef[j] - alpha * step[j]
            new_value = _objective(points, goes_left, weights, trial, z)
            if new_value <= value - 1e-4 * alpha * decrement:
                break
            alpha *= 0.5
        else:
            break
        copy(trial, coef, n_rows)
        value = new_value
    return True
