"""Products of a block of points with the coefficients of several nodes at once.

The sums are those of ``affine`` and ``add_products``, bit for bit. The features of a block are
larger than the first cache, so they are read once for four nodes rather than once for each.
"""

from boostbench.kernels.elementwise import add_products, affine
from boostbench.kernels.float_vectors import f8_fma, f8_load, f8_mul, f8_splat, f8_store
from boostbench.kernels.jit import helper
from boostbench.kernels.product_sums import sums_of_products

_FOUR_BY_TWO, _FOUR_BY_ONE = sums_of_products(4, 2), sums_of_products(4, 1)
_THREE_BY_TWO, _THREE_BY_ONE = sums_of_products(3, 2), sums_of_products(3, 1)
_TWO_BY_TWO, _TWO_BY_ONE = sums_of_products(2, 2), sums_of_products(2, 1)


@helper
def affine_of_nodes(rows, coef, out, n):
    """``out[k, i] = sum_j coef[k, j] * rows[j, i]`` for the first ``n`` columns."""
    n_nodes = coef.shape[0]
    k = 0
    while k + 4 <= n_nodes:
        _affine_of_four(rows, coef[k : k + 4], out[k : k + 4], n)
        k += 4
    if k + 3 == n_nodes:
        _affine_of_three(rows, coef[k : k + 3], out[k : k + 3], n)
        k += 3
    while k < n_nodes:
        affine(rows, coef[k], out[k], n)
        k += 1


@helper
def _affine_of_four(rows, coef, out, n):
    n_rows = coef.shape[1]
    in_fours = n_rows - ((n_rows - 1) & 3)
    for i in range(0, n, 8):
        row = f8_load(rows[0], i)
        z = (
            f8_mul(f8_splat(coef[0, 0]), row),
            f8_mul(f8_splat(coef[1, 0]), row),
            f8_mul(f8_splat(coef[2, 0]), row),
            f8_mul(f8_splat(coef[3, 0]), row),
        )
        # Of each four features, affine adds the second first.
        for j in range(1, in_fours, 4):
            z = _with_feature_of_four(rows, coef, i, j + 1, z)
            z = _with_feature_of_four(rows, coef, i, j, z)
            z = _with_feature_of_four(rows, coef, i, j + 2, z)
            z = _with_feature_of_four(rows, coef, i, j + 3, z)
        for j in range(in_fours, n_rows):
            z = _with_feature_of_four(rows, coef, i, j, z)
        f8_store(out[0], i, z[0])
        f8_store(out[1], i, z[1])
        f8_store(out[2], i, z[2])
        f8_store(out[3], i, z[3])


@helper
def _with_feature_of_four(rows, coef, i, j, z):
    row = f8_load(rows[j], i)
    return (
        f8_fma(f8_splat(coef[0, j]), row, z[0]),
        f8_fma(f8_splat(coef[1, j]), row, z[1]),
        f8_fma(f8_splat(coef[2, j]), row, z[2]),
        f8_fma(f8_splat(coef[3, j]), row, z[3]),
    )


@helper
def _affine_of_three(rows, coef, out, n):
    n_rows = coef.shape[1]
    in_fours = n_rows - ((n_rows - 1) & 3)
    for i in range(0, n, 8):
        row = f8_load(rows[0], i)
        z = (
            f8_mul(f8_splat(coef[0, 0]), row),
            f8_mul(f8_splat(coef[1, 0]), row),
            f8_mul(f8_splat(coef[2, 0]), row),
        )
        # Of each four features, affine adds the second first.
        for j in range(1, in_fours, 4):
            z = _with_feature_of_three(rows, coef, i, j + 1, z)
            z = _with_feature_of_three(rows, coef, i, j, z)
            z = _with_feature_of_three(rows, coef, i, j + 2, z)
            z = _with_feature_of_three(rows, coef, i, j + 3, z)
        for j in range(in_fours, n_rows):
            z = _with_feature_of_three(rows, coef, i, j, z)
        f8_store(out[0], i, z[0])
        f8_store(out[1], i, z[1])
        f8_store(out[2], i, z[2])


@helper
def _with_feature_of_three(rows, coef, i, j, z):
    row = f8_load(rows[j], i)
    return (
        f8_fma(f8_splat(coef[0, j]), row, z[0]),
        f8_fma(f8_splat(coef[1, j]), row, z[1]),
        f8_fma(f8_splat(coef[2, j]), row, z[2]),
    )


@helper
def add_products_of_nodes(rows, values, out, n):
    """``out[k, j] += sum_i rows[j, i] * values[k, i]`` over the first ``n`` columns."""
    n_nodes = out.shape[0]
    for first in range(0, n_nodes, 4):
        some = min(4, n_nodes - first)
        if some == 1:
            add_products(rows, values[first], out[first], n)
        else:
            _add_products_of_some(rows, values[first:], out[first:], some, n)


@helper
def _add_products_of_some(rows, values, out, some, n):
    """Do the work of :func:`add_products_of_nodes` for the first two, three or four nodes."""
    n_rows = out.shape[1]
    for j in range(0, n_rows - 1, 2):
        if some == 4:
            _FOUR_BY_TWO(values, rows, j, out, n)
        elif some == 3:
            _THREE_BY_TWO(values, rows, j, out, n)
        else:
            _TWO_BY_TWO(values, rows, j, out, n)
    if n_rows & 1:
        last = n_rows - 1
        if some == 4:
            _FOUR_BY_ONE(values, rows, last, out, n)
        elif some == 3:
            _THREE_BY_ONE(values, rows, last, out, n)
        else:
            _TWO_BY_ONE(values, rows, last, out, n)
