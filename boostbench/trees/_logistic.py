"""Weighted binary logistic regression by damped Newton steps.

As in scikit-learn's default: half the squared norm of the slopes plus the weighted sum of log
losses, free intercept.
"""

from boostbench.kernels.arrays import matrix, vector
from boostbench.kernels.elementwise import (
    FASTMATH,
    add_products,
    affine,
    copy,
    sigmoid,
    total_of,
    weighted_log_loss,
)
from boostbench.kernels.jit import helper
from boostbench.trees._blocks import BLOCK, blocks_of
from boostbench.trees._cholesky import solve_cholesky
from boostbench.trees._equations import normal_equations

_MAX_ITER = 25
_TOL = 1e-6


@helper(fastmath=FASTMATH)
def _residual_and_curvature(p, goes_left, weights, residual, curvature, n):
    for i in range(n):
        residual[i] = weights[i] * (p[i] - goes_left[i])
        curvature[i] = weights[i] * p[i] * (1.0 - p[i])


@helper
def _objective(points, goes_left, weights, coef, z):
    """Return the value that is minimised, and fill ``z`` (n,) with x.coef of each point."""
    n = points.n
    value = 0.0
    for j in range(1, coef.shape[0]):
        value += 0.5 * coef[j] * coef[j]
    for b in range(blocks_of(n)):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        here = z[first : first + m]
        affine(points.blocks[b], coef, here, m)
        value += weighted_log_loss(
            here, goes_left[first : first + m], weights[first : first + m], m
        )
    return value


@helper
def _gradient(points, goes_left, weights, z, curvature, grad):
    """Add the gradient of the weighted log loss to ``grad``, and fill ``curvature`` (n,).

    ``z`` (n,) is x.coef of each point, and P(left) afterwards.
    """
    n = points.n
    residual = vector(BLOCK)
    for b in range(blocks_of(n)):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        p = z[first : first + m]
        sigmoid(p, m)
        _residual_and_curvature(
            p,
            goes_left[first : first + m],
            weights[first : first + m],
            residual,
            curvature[first : first + m],
            m,
        )
        add_products(points.blocks[b], residual, grad, m)


@helper
def fit_logistic(points, goes_left, weights, coef):
    """Fit P(left | x) = logistic(x.coef) from ``coef`` = 0; a single class leaves ``coef`` as is.

    ``goes_left`` (n,) holds 1.0 or 0.0, ``weights`` (n,) the weight of each point's loss,
    which may have factors beside the point's own. Stops
    when half the squared Newton decrement is at most _TOL times the sum of the points' weights.
    """
    n = points.n
    n_rows = coef.shape[0]
    tol = _TOL * points.total
    n_left = total_of(goes_left, n)
    if n_left < 0.5 or n_left > n - 0.5:
        return False
    curvature = vector(n)
    coef[:] = 0.0
    hessian = matrix(n_rows, n_rows)
    grad = vector(n_rows)
    step = vector(n_rows)
    trial = vector(n_rows)
    z = vector(n)
    value = _objective(points, goes_left, weights, coef, z)
    for _ in range(_MAX_ITER):
        grad[0] = 0.0
        for j in range(1, n_rows):
            grad[j] = coef[j]
        _gradient(points, goes_left, weights, z, curvature, grad)
        normal_equations(points, curvature[:n].reshape(1, n), hessian.reshape(1, hessian.size))
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
