"""Symmetric linear systems by Cholesky's factorisation."""

import numpy as np

from boostbench.kernels.float_vectors import f8_div, f8_load, f8_mul, f8_splat, f8_store, f8_sub
from boostbench.kernels.jit import helper


@helper
def solve_cholesky(matrix, right):
    """Solve ``matrix @ x = right`` in place of ``right``; False if singular.

    Only the upper triangle of ``matrix`` is read. It becomes U with U'U = matrix, and the lower one
    is overwritten by numbers without a meaning.
    """
    n = right.shape[0]
    for i in range(n):
        if not _factorise_row(matrix, i):
            return False
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
def _factorise_row(matrix, i):
    """Set row ``i`` of U from the rows above it; False if the matrix is singular.

    Columns are taken by eights from the last one back, and the few before these one by one.
    """
    n = matrix.shape[0]
    single = n & 7
    before = max(i, single) - 8
    row = matrix[i]
    for j in range(n - 8, before, -8):
        eight = f8_load(row, j)
        for k in range(i):
            eight = f8_sub(eight, f8_mul(f8_splat(matrix[k, i]), f8_load(matrix[k], j)))
        f8_store(row, j, eight)
    for j in range(i, single):
        for k in range(i):
            row[j] -= matrix[k, i] * matrix[k, j]
    pivot = row[i]
    if not pivot > 0.0:
        return False
    pivot = np.sqrt(pivot)
    for j in range(n - 8, before, -8):
        f8_store(row, j, f8_div(f8_load(row, j), f8_splat(pivot)))
    for j in range(i + 1, single):
        row[j] /= pivot
    row[i] = pivot
    return True
