"""Gram matrices of sets of rows, packed in tiles of 8 x 8 so that sums of them are sums of vectors.

A packed matrix has the tiles (I, J), J >= I, of X'X row after row, then the sums of x and of x y
(width each), then the number of rows, the sums of y and of y y, and zeros up to eight numbers.
"""

from boostbench.kernels.arrays import zero_indices, zero_matrix, zero_vector
from boostbench.kernels.float_vectors import f8_fma, f8_load, f8_splat, f8_store, f8_sub
from boostbench.kernels.jit import helper
from boostbench.trees.local_search._types import Gram, Scratch

_CHUNK = 64
_CONSTANT = 1e-10  # a feature whose variance in a leaf is below counts as constant there


@helper
def packed_length(width):
    """Return the numbers in a packed matrix."""
    tiles = width // 8
    return 32 * tiles * (tiles + 1) + 2 * width + 8


@helper
def _one_tile(z, m, stride, i, j, out, at):
    a0 = f8_load(out, at)
    a1 = f8_load(out, at + 8)
    a2 = f8_load(out, at + 16)
    a3 = f8_load(out, at + 24)
    a4 = f8_load(out, at + 32)
    a5 = f8_load(out, at + 40)
    a6 = f8_load(out, at + 48)
    a7 = f8_load(out, at + 56)
    for r in range(m):
        base = r * stride
        v = f8_load(z, base + j)
        k = base + i
        a0 = f8_fma(f8_splat(z[k]), v, a0)
        a1 = f8_fma(f8_splat(z[k + 1]), v, a1)
        a2 = f8_fma(f8_splat(z[k + 2]), v, a2)
        a3 = f8_fma(f8_splat(z[k + 3]), v, a3)
        a4 = f8_fma(f8_splat(z[k + 4]), v, a4)
        a5 = f8_fma(f8_splat(z[k + 5]), v, a5)
        a6 = f8_fma(f8_splat(z[k + 6]), v, a6)
        a7 = f8_fma(f8_splat(z[k + 7]), v, a7)
    f8_store(out, at, a0)
    f8_store(out, at + 8, a1)
    f8_store(out, at + 16, a2)
    f8_store(out, at + 24, a3)
    f8_store(out, at + 32, a4)
    f8_store(out, at + 40, a5)
    f8_store(out, at + 48, a6)
    f8_store(out, at + 56, a7)


@helper
def _sums(z, m, stride, width, out, at):
    """Add the sums of x and x y, and those of y, of the ``m`` rows in ``z``."""
    for j in range(0, width, 8):
        a = f8_load(out, at + j)
        b = f8_load(out, at + width + j)
        for r in range(m):
            base = r * stride
            v = f8_load(z, base + j)
            a = f8_fma(f8_splat(z[base + width]), v, a)
            b = f8_fma(f8_splat(z[base + width + 1]), v, b)
        f8_store(out, at + j, a)
        f8_store(out, at + width + j, b)
    last = at + 2 * width
    count = out[last]
    sum_y = out[last + 1]
    sum_yy = out[last + 2]
    for r in range(m):
        one, y = z[r * stride + width], z[r * stride + width + 1]
        count += one * one
        sum_y += one * y
        sum_yy += y * y
    out[last] = count
    out[last + 1] = sum_y
    out[last + 2] = sum_yy


@helper
def _add_chunk(z, m, stride, out):
    width = stride - 8
    at = 0
    for i in range(0, width, 8):
        for j in range(i, width, 8):
            _one_tile(z, m, stride, i, j, out, at)
            at += 64
    _sums(z, m, stride, width, out, at)


@helper
def add_rows(rows, chosen, n_chosen, z, out):
    """Add the products of ``rows[chosen[:n_chosen]]`` to the packed matrix ``out``.

    ``z`` (64 * (width + 8),) is scratch.
    """
    stride = rows.shape[1]
    for first in range(0, n_chosen, _CHUNK):
        m = min(_CHUNK, n_chosen - first)
        for r in range(m):
            row = rows[chosen[first + r]]
            base = r * stride
            for j in range(0, stride, 8):
                f8_store(z, base + j, f8_load(row, j))
        _add_chunk(z, m, stride, out)


@helper
def centred_rows(rows, chosen, n_chosen, z, centre, out):
    """Fill ``out`` with the packed products of the chosen rows less their mean.

    The mean of x goes to ``centre[:width]``, that of y to ``centre[width]``.
    """
    stride = rows.shape[1]
    width = stride - 8
    centre[:] = 0.0
    for r in range(n_chosen):
        row = rows[chosen[r]]
        for j in range(width):
            centre[j] += row[j]
        centre[width] += row[width + 1]
    for j in range(width + 1):
        centre[j] /= n_chosen
    out[:] = 0.0
    for first in range(0, n_chosen, _CHUNK):
        m = min(_CHUNK, n_chosen - first)
        for r in range(m):
            row = rows[chosen[first + r]]
            base = r * stride
            for j in range(width):
                z[base + j] = row[j] - centre[j]
            z[base + width] = 1.0
            z[base + width + 1] = row[width + 1] - centre[width]
            for j in range(width + 2, stride):
                z[base + j] = 0.0
        _add_chunk(z, m, stride, out)


@helper
def difference(a, b, out):
    """``out = a - b`` for packed matrices."""
    for i in range(0, out.shape[0], 8):
        f8_store(out, i, f8_sub(f8_load(a, i), f8_load(b, i)))


@helper
def make_gram(p, width):
    """Return an empty :class:`Gram`."""
    return Gram(
        zero_matrix(p, width),
        zero_vector(width),
        zero_vector(width),
        zero_vector(width),
        zero_vector(width),
        zero_vector(4),
    )


@helper
def make_scratch(p, width):
    """Return an empty :class:`Scratch`."""
    return Scratch(zero_vector(width), zero_matrix(p, p), zero_vector(p), zero_indices(p))


@helper
def unpack(packed, penalty, gram):
    """Fill ``gram`` from the products of rows that are not centred."""
    matrix = gram.matrix
    moment = gram.moment
    centre = gram.centre
    inverse = gram.inverse
    p, width = matrix.shape
    tiles = width // 8
    sums = 32 * tiles * (tiles + 1)
    count = packed[sums + 2 * width]
    scale = 1.0 / count if count > 0.0 else 0.0
    mean_y = scale * packed[sums + 2 * width + 1]
    for j in range(width):
        centre[j] = scale * packed[sums + j]
        moment[j] = packed[sums + width + j] - packed[sums + j] * mean_y
    at = 0
    for i in range(0, p, 8):
        for j in range(i, width, 8):
            means = f8_load(centre, j)
            for k in range(min(8, p - i)):
                x = f8_splat(-packed[sums + i + k])
                f8_store(matrix[i + k], j, f8_fma(x, means, f8_load(packed, at + 8 * k)))
            at += 64
    for i in range(8, p):
        row = matrix[i]
        for j in range(i - i % 8):
            row[j] = matrix[j, i]
    times = count if penalty.by_count else 1.0
    for j in range(p):
        diagonal = matrix[j, j]
        inverse[j] = 1.0 / diagonal if diagonal > _CONSTANT * count else 0.0
        gram.half[j] = times * penalty.half[j]
    scalars = gram.scalars
    scalars[0] = max(packed[sums + 2 * width + 2] - packed[sums + 2 * width + 1] * mean_y, 0.0)
    scalars[1] = count
    scalars[2] = mean_y
