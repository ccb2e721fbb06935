"""The leaf step: weighted ridge regressions by Cholesky on their normal equations."""

import numpy as np

from boostbench.kernels.elementwise import add_products, multiply
from boostbench.kernels.jit import kernel
from boostbench.trees._blocks import BLOCK

# Relative to the mean of the diagonal: keeps collinear columns (30 vendor dummies and an intercept)
# solvable, with about the minimum-norm solution that the paper's iterative solver gives.
RIDGE_FLOOR = 1e-9


@kernel
def weighted_gram(tiles, n, weights, gram):
    """Fill the upper triangle of ``gram`` (p + 1, p + 1) with X' diag(weights) X."""
    n_rows = gram.shape[0]
    scaled = np.empty(BLOCK)
    gram[:] = 0.0
    for b in range((n + BLOCK - 1) // BLOCK):
        rows = tiles[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        block_weights = weights[first : first + m]
        for j in range(n_rows):
            multiply(block_weights, rows[j], scaled, m)
            add_products(rows[j:], scaled, gram[j, j:], m)


@kernel
def weighted_sum(tiles, n, weights, values, out):
    """Fill ``out`` (p + 1,) with X' (weights * values)."""
    product = np.empty(BLOCK)
    out[:] = 0.0
    for b in range((n + BLOCK - 1) // BLOCK):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        multiply(weights[first : first + m], values[first : first + m], product, m)
        add_products(tiles[b], product, out, m)


@kernel
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


@kernel
def fit_leaf(tiles, n, weights, y, ridge, coef, gram, moment):
    """Set ``coef`` to the minimiser of sum_i weights_i (x_i.coef - y_i)^2 + ridge |coef|^2.

    Without a ridge, weights that vanish leave ``coef`` as it is. So does a system that cannot be
    solved. Returns False in both cases.
    """
    total = 0.0
    for i in range(n):
        total += weights[i]
    if ridge <= 0.0 and not total > 1e-10:
        return False
    n_rows = coef.shape[0]
    weighted_gram(tiles, n, weights, gram)
    weighted_sum(tiles, n, weights, y, moment)
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
    coef[:] = moment
    return True
