"""The leaf step: weighted ridge regressions by Cholesky or LSMR on their normal equations."""

import numpy as np

from boostbench.kernels.arrays import vector
from boostbench.kernels.elementwise import FASTMATH, add_products, affine, copy, multiply, sigmoid
from boostbench.kernels.jit import helper, kernel
from boostbench.kernels.team import add_rows, barrier, capacity, partial_sums, share
from boostbench.trees._blocks import BLOCK, share_blocks
from boostbench.trees._lsmr import lsmr

# Relative to the mean of the diagonal: keeps collinear columns (30 vendor dummies and an intercept)
# solvable, with about the minimum-norm solution that the paper's iterative solver gives.
RIDGE_FLOOR = 1e-9


@helper
def weighted_gram(points, weights, gram):
    """Fill the upper triangle of ``gram`` (p + 1, p + 1) with X' diag(weights) X."""
    blocks, n, _, _, team = points
    n_blocks = (n + BLOCK - 1) // BLOCK
    scaled = vector(BLOCK)
    gram[:] = 0.0
    if team.size == 1:
        _gram_of_blocks(blocks, n, weights, 0, n_blocks, scaled, gram)
        return
    size = gram.size
    window = capacity(team) // size
    for first in range(0, n_blocks, window):
        here = min(window, n_blocks - first)
        sums = partial_sums(team, here, size)
        start, end = share(team, here)
        for b in range(start, end):
            sums[b] = 0.0
            part = sums[b].reshape(gram.shape)
            _gram_of_blocks(blocks, n, weights, first + b, first + b + 1, scaled, part)
        barrier(team)
        for b in range(here):
            _add_upper(sums[b].reshape(gram.shape), gram)


@helper
def _gram_of_blocks(blocks, n, weights, first_block, end_block, scaled, gram):
    """Add some blocks' part of :func:`weighted_gram` to ``gram``; ``scaled`` is scratch."""
    for b in range(first_block, end_block):
        rows = blocks[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        block_weights = weights[first : first + m]
        for j in range(gram.shape[0]):
            multiply(block_weights, rows[j], scaled, m)
            add_products(rows[j:], scaled, gram[j, j:], m)


@helper
def _add_upper(matrix, out):
    for j in range(out.shape[0]):
        source, target = matrix[j], out[j]
        for k in range(j, out.shape[1]):
            target[k] += source[k]


@helper
def _sum_blocks(blocks, n, y, weights, first_block, end_block, product, out):
    """Add some blocks' part of :func:`weighted_sum` to ``out``; ``product`` is scratch."""
    for b in range(first_block, end_block):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        multiply(weights[first : first + m], y[first : first + m], product, m)
        add_products(blocks[b], product, out, m)


@helper
def weighted_sum(points, weights, out):
    """Fill ``out`` (p + 1,) with X' (weights * y)."""
    blocks, n, y, _, team = points
    n_blocks = (n + BLOCK - 1) // BLOCK
    product = vector(BLOCK)
    out[:] = 0.0
    if team.size == 1:
        _sum_blocks(blocks, n, y, weights, 0, n_blocks, product, out)
        return
    sums = partial_sums(team, n_blocks, out.shape[0])
    first, end = share(team, n_blocks)
    for b in range(first, end):
        sums[b] = 0.0
        _sum_blocks(blocks, n, y, weights, b, b + 1, product, sums[b])
    barrier(team)
    add_rows(sums, 0, out)


@helper
def solve_cholesky(matrix, right):
    """Solve ``matrix @ x = right`` in place of ``right``; False if singular.

    Only the upper triangle of ``matrix`` is read; it is overwritten by U with U'U = matrix.
    """
    n = right.shape[0]
    for k in range(n):
        pivot = matrix[k, k]
        if not pivot > 0.0:
            return False
        pivot = np.sqrt(pivot)
        matrix[k, k] = pivot
        row_k = matrix[k]
        for j in range(k + 1, n):
            row_k[j] /= pivot
        for i in range(k + 1, n):
            row_i = matrix[i]
            f = row_k[i]
            for j in range(i, n):
                row_i[j] -= f * row_k[j]
    for i in range(n):
        s = right[i]
        for k in range(i):
            s -= matrix[k, i] * right[k]
        right[i] = s / matrix[i, i]
    for i in range(n - 1, -1, -1):
        s = right[i]
        row = matrix[i]
        for k in range(i + 1, n):
            s -= row[k] * right[k]
        right[i] = s / row[i]
    return True


@helper
def _fit_by_lsmr(ridge, squared, coef, gram, moment):
    """Set ``coef`` from the upper triangle of ``gram``, ``moment``, and sum_i weights_i y_i^2."""
    for j in range(coef.shape[0]):
        gram[j, j] += ridge
        for i in range(j):
            gram[j, i] = gram[i, j]
    found = vector(coef.shape[0])
    lsmr(gram, moment, np.sqrt(squared), found)
    for j in range(coef.shape[0]):
        if not np.isfinite(found[j]):
            return
    copy(found, coef, coef.shape[0])


@helper
def fit_leaf(points, weights, ridge, iterative, coef, gram, moment):
    """Set ``coef`` to the minimiser of sum_i weights_i (x_i.coef - y_i)^2 + ridge |coef|^2.

    ``iterative`` takes what LSMR reaches in place of the minimiser.

    Without a ridge, weights that vanish leave ``coef`` as it is. So does a system that cannot be
    solved. Returns False in both cases.
    """
    if ridge <= 0.0:
        total = 0.0
        for i in range(points.n):
            total += weights[i]
            if total > 1e-10:
                break
        if not total > 1e-10:
            return False
    n_rows = coef.shape[0]
    squared = 0.0
    if iterative:
        # Before the team meets in the sums: after it, others may overwrite the weights.
        for i in range(points.n):
            squared += weights[i] * points.y[i] * points.y[i]
    weighted_gram(points, weights, gram)
    weighted_sum(points, weights, moment)
    if iterative:
        _fit_by_lsmr(ridge, squared, coef, gram, moment)
        return True
    trace = 0.0
    for j in range(n_rows):
        trace += gram[j, j]
    diagonal = ridge + RIDGE_FLOOR * trace / n_rows
    for j in range(n_rows):
        gram[j, j] += diagonal
    if not solve_cholesky(gram, moment):
        return False
    for j in range(n_rows):
        if not np.isfinite(moment[j]):
            return False
    copy(moment, coef, n_rows)
    return True


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
    first_block, end_block = share_blocks(points.team, points.n)
    for b in range(first_block, end_block):
        _shares_of_block(points, b, branch, top, down, p, whole, shares)
    barrier(points.team)


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


@kernel(inline=True)
def leaf_step(here, reach, tree, node, down, penalty, space):
    """Fit the leaves ``down`` levels below ``node`` to the points ``here``.

    ``reach`` (n,) weighs the points beside their probabilities from ``node`` on, or is (0,).
    """
    shares = space.store[: (1 << down) * here.n].reshape(1 << down, here.n)
    subtree_shares(here, tree.branch, node, down, shares)
    first = (node << down) - tree.leaf.shape[0]
    start, end = share(here.team, here.n)
    for k in range(1 << down):
        if reach.shape[0] > 0:
            part = shares[k, start:end]
            multiply(reach[start:end], part, part, end - start)
            barrier(here.team)
        coef = tree.leaf[first + k]
        fit_leaf(here, shares[k], penalty.ridge, penalty.lsmr, coef, space.gram, space.moment)
