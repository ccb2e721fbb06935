"""Weighted binary logistic regression by damped Newton steps, as in scikit-learn's default:
half the squared norm of the slopes plus the weighted sum of log losses, free intercept."""

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
from boostbench.kernels.team import (
    add_rows,
    allocated,
    barrier,
    claim,
    floats,
    next_loop,
    ordered_sums,
    partial_sums,
    release,
)
from boostbench.trees._blocks import BLOCK, claim_blocks
from boostbench.trees._equations import normal_equations
from boostbench.trees._leaf_step import solve_cholesky

_MAX_ITER = 25
_TOL = 1e-6


@helper(fastmath=FASTMATH)
def _residual_and_curvature(p, goes_left, weights, residual, curvature, n):
    for i in range(n):
        residual[i] = weights[i] * (p[i] - goes_left[i])
        curvature[i] = weights[i] * p[i] * (1.0 - p[i])


@helper
def _objective(points, goes_left, weights, coef, z):
    blocks, n, team = points.blocks, points.n, points.team
    value = 0.0
    for j in range(1, coef.shape[0]):
        value += 0.5 * coef[j] * coef[j]
    is_shared = team.size > 1
    if is_shared:
        sums = partial_sums(team, (n + BLOCK - 1) // BLOCK, 1)
    loop = next_loop(team)
    first_block, end_block = claim_blocks(team, loop, n, 0)
    while first_block < end_block:
        for b in range(first_block, end_block):
            first = b * BLOCK
            m = min(BLOCK, n - first)
            affine(blocks[b], coef, z, m)
            here = weighted_log_loss(z, goes_left[first : first + m], weights[first : first + m], m)
            if is_shared:
                sums[b, 0] = here
            else:
                value += here
        first_block, end_block = claim_blocks(team, loop, n, end_block)
    if is_shared:
        barrier(team)
        for b in range(sums.shape[0]):
            value += sums[b, 0]
    return value


@helper
def _gradient_of_blocks(
    blocks, n, goes_left, weights, first_block, end_block, coef, z, curvature, grad
):
    """Add some blocks' part of :func:`_gradient` to ``grad``; ``z`` (2, BLOCK) is scratch."""
    p, residual = z[0], z[1]
    for b in range(first_block, end_block):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        affine(blocks[b], coef, p, m)
        sigmoid(p, m)
        _residual_and_curvature(
            p,
            goes_left[first : first + m],
            weights[first : first + m],
            residual,
            curvature[first : first + m],
            m,
        )
        add_products(blocks[b], residual, grad, m)


@helper
def _gradient(points, goes_left, weights, coef, z, curvature, grad):
    """Add the gradient of the weighted log loss to ``grad``, and fill ``curvature`` (n,)."""
    blocks, n, _, _, team = points
    n_blocks = (n + BLOCK - 1) // BLOCK
    if team.size == 1:
        _gradient_of_blocks(blocks, n, goes_left, weights, 0, n_blocks, coef, z, curvature, grad)
        return
    sums = ordered_sums(team, n_blocks, grad)
    loop = next_loop(team)
    first, end = claim(team, loop, n_blocks, 0)
    while first < end:
        for b in range(first, end):
            part = sums[b]
            part[:] = 0.0
            _gradient_of_blocks(blocks, n, goes_left, weights, b, b + 1, coef, z, curvature, part)
        first, end = claim(team, loop, n_blocks, end)
    copy(add_rows(team, loop, sums, 0), grad, grad.shape[0])


@helper
def fit_logistic(points, goes_left, weights, coef, mass):
    """Fit P(left | x) = logistic(x.coef) from ``coef`` = 0; a single class leaves ``coef`` as is.

    ``goes_left`` (n,) holds 1.0 or 0.0, ``weights`` (n,) the weight of each point's loss. Stops
    when half the squared Newton decrement is at most _TOL times ``mass``, the points' weight.
    """
    n, team, tol = points.n, points.team, _TOL * mass
    n_left = total_of(goes_left, n)
    if n_left < 0.5 or n_left > n - 0.5:
        return False
    mark = allocated(team)
    solved = _newton(points, goes_left, weights, coef, tol, floats(team, n))
    release(team, mark)
    return solved


@helper
def _newton(points, goes_left, weights, coef, tol, curvature):
    n, n_rows = points.n, coef.shape[0]
    coef[:] = 0.0
    hessian = matrix(n_rows, n_rows)
    grad = vector(n_rows)
    step = vector(n_rows)
    trial = vector(n_rows)
    z = matrix(2, BLOCK)
    value = _objective(points, goes_left, weights, coef, z[0])
    for _ in range(_MAX_ITER):
        grad[0] = 0.0
        for j in range(1, n_rows):
            grad[j] = coef[j]
        _gradient(points, goes_left, weights, coef, z, curvature, grad)
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
            new_value = _objective(points, goes_left, weights, trial, z[0])
            if new_value <= value - 1e-4 * alpha * decrement:
                break
            alpha *= 0.5
        else:
            break
        copy(trial, coef, n_rows)
        value = new_value
    return True
