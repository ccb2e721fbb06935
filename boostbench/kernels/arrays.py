"""New arrays and orders for kernels; numba's own take longer to compile, once per kind of shape."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from llvmlite import ir
from numba import types

from boostbench.kernels.float_vectors import primitive
from boostbench.kernels.jit import helper

_GREATEST = 0x7FFFFFFFFFFFFFFF
# Up to this many are sorted by insertion, more by the digits of their bits.
_FEW = 64


@helper
def vector(n):
    """An array (n,) of float64, not initialised."""
    return np.empty(n)


@helper
def matrix(n_rows, n_columns):
    """An array (n_rows, n_columns) of float64, not initialised."""
    return np.empty((n_rows, n_columns))


@helper
def indices(n):
    """An array (n,) of int64, not initialised."""
    return np.empty(n, np.int64)


@helper
def numbers(first, end):
    """The integers from ``first`` to before ``end``, as int64."""
    out = indices(max(0, end - first))
    for i in range(out.shape[0]):
        out[i] = first + i
    return out


@helper
def zero_vector(n):
    """An array (n,) of float64 zeros."""
    out = vector(n)
    for i in range(n):
        out[i] = 0.0
    return out


@helper
def zero_matrix(n_rows, n_columns):
    """An array (n_rows, n_columns) of float64 zeros."""
    return zero_vector(n_rows * n_columns).reshape(n_rows, n_columns)


@helper
def zero_indices(n):
    """An array (n,) of int64 zeros."""
    out = indices(n)
    for i in range(n):
        out[i] = 0
    return out


@primitive(lambda x: int(np.float64(x).view(np.int64)))
def _bits(typing, x):
    """The bits of a float64 as an int64."""

    def codegen(context, builder, sig, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@helper
def descending_order(values, n):
    """Return the places of ``values[:n]`` from the greatest on, equals in order, NaN last."""
    order, keys = numbers(0, n), indices(n)
    for i in range(n):
        # Integers in the order wanted; adding 0 makes one zero of the two.
        bits = _bits(values[i] + 0.0)
        keys[i] = ~bits if bits >= 0 else bits & _GREATEST
        if np.isnan(values[i]):
            keys[i] = _GREATEST
    if n <= _FEW:
        for end in range(1, n):
            key, place = keys[end], end
            while place > 0 and keys[place - 1] > key:
                keys[place], order[place] = keys[place - 1], order[place - 1]
                place -= 1
            keys[place], order[place] = key, end
        return order
    return _by_digits(keys, order)


@helper
def _by_digits(keys, order):
    """Sort ``order`` by ``keys``, by one byte of them after the other from the last."""
    n = keys.shape[0]
    spare_keys, spare = indices(n), indices(n)
    counts = indices(256)
    for shift in range(0, 64, 8):
        # The sign counts the other way round.
        flip = 128 if shift == 56 else 0
        counts[:] = 0
        for i in range(n):
            counts[((keys[i] >> shift) & 255) ^ flip] += 1
        if counts[((keys[0] >> shift) & 255) ^ flip] == n:
            continue
        first = 0
        for digit in range(256):
            first, counts[digit] = first + counts[digit], first
        for i in range(n):
            digit = ((keys[i] >> shift) & 255) ^ flip
            place = counts[digit]
            counts[digit] += 1
            spare_keys[place], spare[place] = keys[i], order[i]
        keys, spare_keys = spare_keys, keys
        order, spare = spare, order
    return order
