"""Loops over a block of points, written so that LLVM turns them into SIMD code."""

from boostbench.kernels.exp_log import exp, log
from boostbench.kernels.jit import helper

# Sums may be re-ordered by the compiler, always in the same way: see ``target``.
FASTMATH = {"reassoc", "contract"}

# Beyond this, exp leaves the normal numbers.
_LIMIT = 700.0


@helper(fastmath={"contract"})
def sigmoid(z, n):
    """Replace the first ``n`` entries of ``z`` by 1 / (1 + exp(-z)).

    In place by design: two arrays that may be the same one would cost the vector code.
    """
    for i in range(n):
        x = min(max(-z[i], -_LIMIT), _LIMIT)
        z[i] = 1.0 / (1.0 + exp(x))


@helper(fastmath=FASTMATH)
def weighted_log_loss(z, is_left, weights, n):
    """``-sum_i weights[i] * log P(label i)`` where P(left) = sigmoid(z) and labels are 1.0, 0.0."""
    total = 0.0
    for i in range(n):
        x = (1.0 - 2.0 * is_left[i]) * z[i]
        x = min(max(x, -_LIMIT), _LIMIT)
        total += weights[i] * log(1.0 + exp(x))
    return total


@helper(fastmath=FASTMATH)
def affine(rows, weights, out, n):
    """``out[i] = sum_j weights[j] * rows[j, i]`` for the first ``n`` columns."""
    n_rows = weights.shape[0]
    w0 = weights[0]
    row0 = rows[0]
    for i in range(n):
        out[i] = w0 * row0[i]
    j = 1
    while j + 4 <= n_rows:
        w0 = weights[j]
        w1 = weights[j + 1]
        w2 = weights[j + 2]
        w3 = weights[j + 3]
        r0 = rows[j]
        r1 = rows[j + 1]
        r2 = rows[j + 2]
        r3 = rows[j + 3]
        for i in range(n):
            out[i] += w0 * r0[i] + w1 * r1[i] + w2 * r2[i] + w3 * r3[i]
        j += 4
    while j < n_rows:
        w0, r0 = weights[j], rows[j]
        for i in range(n):
            out[i] += w0 * r0[i]
        j += 1


@helper(fastmath=FASTMATH)
def add_products(rows, values, out, n):
    """``out[j] += sum_i rows[j, i] * values[i]`` over the first ``n`` columns."""
    n_rows = out.shape[0]
    j = 0
    while j + 4 <= n_rows:
        r0 = rows[j]
        r1 = rows[j + 1]
        r2 = rows[j + 2]
        r3 = rows[j + 3]
        s0 = s1 = s2 = s3 = 0.0
        for i in range(n):
            v = values[i]
            s0 += v * r0[i]
            s1 += v * r1[i]
            s2 += v * r2[i]
            s3 += v * r3[i]
        out[j] += s0
        out[j + 1] += s1
        out[j + 2] += s2
        out[j + 3] += s3
        j += 4
    while j < n_rows:
        r0 = rows[j]
        s0 = 0.0
        for i in range(n):
            s0 += values[i] * r0[i]
        out[j] += s0
        j += 1


@helper(fastmath=FASTMATH)
def multiply(a, b, out, n):
    """``out[i] = a[i] * b[i]`` for the first ``n`` entries."""
    for i in range(n):
        out[i] = a[i] * b[i]


@helper
def copy(source, out, n):
    """``out[:n] = source[:n]``; numba compiles that slice assignment far more slowly."""
    for i in range(n):
        out[i] = source[i]


@helper(fastmath=FASTMATH)
def total_of(values, n):
    """Return the sum of the first ``n`` entries."""
    total = 0.0
    for i in range(n):
        total += values[i]
    return total


@helper(fastmath=FASTMATH)
def dot(a, b, n):
    """``sum_i a[i] * b[i]`` over the first ``n`` entries."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total
