"""Element-wise kernels over a block of points, written so that LLVM turns them into SIMD code."""

import math

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import config
from numba.extending import intrinsic

from boostbench.jit import kernel

# Sums may be re-ordered by the compiler, always in the same way: same machine, same bits.
FASTMATH = {"reassoc", "contract"}

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_SHIFT = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the nearest integer in the low bits
_LIMIT = 700.0


@intrinsic
def _double_bits(typing_context, value):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@intrinsic
def _bits_double(typing_context, value):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@njit(inline="always")
def _exp(x):
    """exp(x) for |x| <= 700 to about 2 ulp, without a branch or a call."""
    shifted = x * _LOG2_E + _SHIFT
    k = shifted - _SHIFT
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return p * _bits_double((_double_bits(shifted) + 1023) << 52)


@njit(inline="always")
def _log(x):
    """log(x) for positive normal x to about 2 ulp, without a branch or a call."""
    bits = _double_bits(x)
    # 0x3FE6A09E667F3BCD is sqrt(0.5): the mantissa lands in [sqrt(0.5), sqrt(2)).
    exponent = (bits - 0x3FE6A09E667F3BCD) >> 52
    m = _bits_double(bits - (exponent << 52))
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    p = 2.0 / 19.0
    p = p * q + 2.0 / 17.0
    p = p * q + 2.0 / 15.0
    p = p * q + 2.0 / 13.0
    p = p * q + 2.0 / 11.0
    p = p * q + 2.0 / 9.0
    p = p * q + 2.0 / 7.0
    p = p * q + 2.0 / 5.0
    p = p * q + 2.0 / 3.0
    p = p * q + 2.0
    return np.float64(exponent) * _LN2_HIGH + (np.float64(exponent) * _LN2_LOW + p * s)


if getattr(config, "DISABLE_JIT", False):  # the bit tricks above exist in compiled code alone
    _exp, _log = math.exp, math.log  # type: ignore[assignment]


@kernel(fastmath={"contract"})
def sigmoid(z, n):
    """Replace the first ``n`` entries of ``z`` by 1 / (1 + exp(-z)).

    In place by design: two arrays that may be the same one would cost the vector code.
    """
    for i in range(n):
        x = min(max(-z[i], -_LIMIT), _LIMIT)
        z[i] = 1.0 / (1.0 + _exp(x))


@kernel(fastmath=FASTMATH)
def weighted_log_loss(z, is_left, weights, n):
    """``-sum_i weights[i] * log P(label i)`` where P(left) = sigmoid(z) and labels are 1.0, 0.0."""
    total = 0.0
    for i in range(n):
        x = (1.0 - 2.0 * is_left[i]) * z[i]
        x = min(max(x, -_LIMIT), _LIMIT)
        total += weights[i] * _log(1.0 + _exp(x))
    return total


@kernel(fastmath=FASTMATH)
def affine(rows, weights, out, n):
    """``out[i] = sum_j weights[j] * rows[j, i]`` for the first ``n`` columns."""
    n_rows = weights.shape[0]
    w0 = weights[0]
    row0 = rows[0]
    for i in range(n):
        out[i] = w0 * row0[i]
    j = 1
    while j + 4 <= n_rows:
        w0, w1, w2, w3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        r0, r1, r2, r3 = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        for i in range(n):
            out[i] += w0 * r0[i] + w1 * r1[i] + w2 * r2[i] + w3 * r3[i]
        j += 4
    while j < n_rows:
        w0, r0 = weights[j], rows[j]
        for i in range(n):
            out[i] += w0 * r0[i]
        j += 1


@kernel(fastmath=FASTMATH)
def add_products(rows, values, out, n):
    """``out[j] += sum_i rows[j, i] * values[i]`` over the first ``n`` columns."""
    n_rows = out.shape[0]
    j = 0
    while j + 4 <= n_rows:
        r0, r1, r2, r3 = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
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


@kernel(fastmath=FASTMATH)
def total_of(values, n):
    """The sum of the first ``n`` entries."""
    total = 0.0
    for i in range(n):
        total += values[i]
    return total


@kernel(fastmath=FASTMATH)
def dot(a, b, n):
    """``sum_i a[i] * b[i]`` over the first ``n`` entries."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total
