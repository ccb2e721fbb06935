"""The leaf step: weighted ridge regressions by Cholesky or LSMR on their normal equations."""

import numpy as np

from boostbench.kernels.arrays import vector, zero_vector
from boostbench.kernels.elementwise import FASTMATH, affine, copy, multiply, sigmoid
from boostbench.kernels.jit import helper
from boostbench.trees._blocks import BLOCK, blocks_of
from boostbench.trees._cholesky import solve_cholesky
from boostbench.trees._equations import normal_equations
from boostbench.trees._lsmr import lsmr

# Relative to the mean of the diagonal: keeps collinear columns (30 vendor dummies and an intercept)
# solvable, with about the minimum-norm solution that the paper's iterative solver gives.
RIDGE_FLOOR = 1e-9


@helper
def _fit_by_lsmr(ridge, squared, coef, gram, moment):
    """Set ``coef`` from the upper triangle of ``gram``, ``moment``, and sum_i weights_i y_i^2."""
    for j in range(coef.shape[0]):
        gram[j, j] += ridge
        for i in range(j):
            gram[j, i] = gram[i, j]
    solution = vector(coef.shape[0])
    lsmr(gram, moment, np.sqrt(squared), solution)
    for j in range(coef.shape[0]):
        if not np.isfinite(solution[j]):
            return
    copy(solution, coef, coef.shape[0])


@helper
def fit_leaves(points, weights, ridge, iterative, coef, equations):
    """Set each coef[k] to the minimiser of sum_i weights[k, i] (x_i.coef - y_i)^2 + ridge |coef|^2.

    ``iterative`` takes LSMR's result in place of the minimiser. ``weights`` is (m, n), ``coef``
    (m, p + 1), ``equations`` (m or more, (p + 1) (p + 2)) scratch.

    Without a ridge, weights that vanish leave coef[k] as it is. So does a system that cannot be
    solved.
    """
    n_leaves, n_rows = coef.shape
    is_empty, squared = zero_vector(n_leaves), zero_vector(n_leaves)
    for k in range(n_leaves if ridge <= 0.0 else 0):
        is_empty[k] = 1.0
        total = 0.0
        for i in range(points.n):
            total += weights[k, i]
            if total > 1e-10:
                is_empty[k] = 0.0
                break
    if iterative:
        # Side by side, as each sum waits for itself.
        for i in range(points.n):
            for k in range(n_leaves):
                squared[k] += weights[k, i] * points.y[i] * points.y[i]
    normal_equations(points, weights, equations[:n_leaves])
    size = n_rows * n_rows
    for k in range(n_leaves):
        gram, moment = equations[k, :size].reshape(n_rows, n_rows), equations[k, size:]
        if is_empty[k] > 0.0:
            continue
        if iterative:
            _fit_by_lsmr(ridge, squared[k], coef[k], gram, moment)
        else:
            _fit_by_cholesky(ridge, coef[k], gram, moment)


@helper
def _fit_by_cholesky(ridge, coef, gram, moment):
    n_rows = coef.shape[0]
    trace = 0.0
    for j in range(n_rows):
        trace += gram[j, j]
    diagonal = ridge + RIDGE_FLOOR * trace / n_rows
    for j in range(n_rows):
        gram[j, j] += diagonal
    if not solve_cholesky(gram, moment):
        return
    for j in range(n_rows):
        if not np.isfinite(moment[j]):
            return
    copy(moment, coef, n_rows)


@helper(fastmath=FASTMATH)
def _divide(share, p, left, right):
    for i in range(share.shape[0]):
        q = share[i] * p[i]
        right[i] = share[i] - q
        left[i] = q


@helper
def subtree_shares(points, branch, top, down, shares):
    """Fill ``shares`` (2**down, n): P of reaching each leaf of the subtree from ``top``."""
    p, whole = vector(BLOCK), vector(BLOCK)
    for b in range(blocks_of(points.n)):
        _shares_of_block(points, b, branch, top, down, p, whole, shares)


@helper
def _shares_of_block(points, b, branch, top, down, p, whole, shares):
    rows, first = points.blocks[b], b * BLOCK
    m = min(BLOCK, points.n - first)
    shares[0, first : first + m] = 1.0
    for step in range(down):
        width = 1 << (down - step - 1)
        for u in range((1 << step) - 1, -1, -1):
            affine(rows, branch[(top << step) + u - 1], p, m)
            sigmoid(p, m)
            left = shares[2 * u * width, first : first + m]
            right = shares[(2 * u + 1) * width, first : first + m]
            copy(left, whole, m)
            _divide(whole[:m], p, left, right)


@helper
def leaf_step(here, reach, tree, node, down, penalty, space):
    """Fit the leaves ``down`` levels below ``node`` to the points ``here``.

    ``reach`` (n,) weighs the points beside their probabilities from ``node`` on.
    """
    width = 1 << down
    shares = space.store[: width * here.n].reshape(width, here.n)
    subtree_shares(here, tree.branch, node, down, shares)
    for k in range(width):
        multiply(reach, shares[k], shares[k], here.n)
    leaf = tree.leaf[(node << down) - tree.leaf.shape[0] :]
    at_once = space.equations.shape[0]
    for first in range(0, width, at_once):
        end = min(width, first + at_once)
        fit_leaves(
            here,
            shares[first:end],
            penalty.ridge,
            penalty.lsmr,
            leaf[first:end],
            space.equations,
        )
