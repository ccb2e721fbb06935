"""exp and log without branches or calls, for loops that LLVM is to turn into SIMD code.

``float_vectors.f8_exp`` is the same series on eight numbers at a time, with other limits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
SHIFT = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the nearest integer in the low bits


NO_COMPILER = bool(getattr(config, "DISABLE_JIT", False))


def primitive(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Use ``plain`` (NumPy) when the compiler is switched off, else the decorated intrinsic."""

    def choose(typed: Callable[..., Any]) -> Any:
        return plain if NO_COMPILER else intrinsic(typed)

    return choose


@primitive(lambda value: np.float64(value).view(np.int64))
def double_bits(typing_context, value):
    """Return the bits of a float64 as an int64."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@primitive(lambda value: np.int64(value).view(np.float64))
def _bits_double(typing_context, value):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@njit(inline="always")
def exp(x):
    """exp(x) for |x| <= 700 to about 2 ulp, without a branch or a call."""
    shifted = x * LOG2_E + SHIFT
    k = shifted - SHIFT
    r = (x - k * LN2_HIGH) - k * LN2_LOW
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
    return p * _bits_double((double_bits(shifted) + 1023) << 52)


@njit(inline="always")
def log(x):
    """log(x) for positive normal x to about 2 ulp, without a branch or a call."""
    bits = double_bits(x)
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
    return np.float64(exponent) * LN2_HIGH + (np.float64(exponent) * LN2_LOW + p * s)
