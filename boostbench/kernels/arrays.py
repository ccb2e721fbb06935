"""New arrays for kernels; numba's own take longer to compile, once per kind of shape."""

# mypy: disable-error-code="no-untyped-def"

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from boostbench.kernels.exp_log import double_bits
from boostbench.kernels.jit import helper

_GREATEST = 0x7FFFFFFFFFFFFFFF


def aligned_zeros(shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """``np.zeros`` on a cache line of 64 bytes, which a SIMD load must not straddle."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.zeros(size + 64, dtype=np.uint8)
    offset = -raw.ctypes.data % 64
    aligned: NDArray[Any] = raw[offset : offset + size].view(dtype).reshape(shape)
    return aligned


@helper
def vector(n):
    """Return an array (n,) of float64 on a cache line, not initialised."""
    raw = np.empty(n + 7)
    first = (-raw.ctypes.data & 63) >> 3
    return raw[first : first + n]


@helper
def matrix(n_rows, n_columns):
    """Return an array (n_rows, n_columns) of float64 on a cache line, not initialised."""
    return vector(n_rows * n_columns).reshape(n_rows, n_columns)


@helper
def indices(n):
    """Return an array (n,) of int64, not initialised."""
    return np.empty(n, np.int64)


@helper
def numbers(first, end):
    """Return the integers from ``first`` to before ``end``, as int64."""
    out = indices(max(0, end - first))
    for i in range(out.shape[0]):
        out[i] = first + i
    return out


@helper
def zero_vector(n):
    """Return an array (n,) of float64 zeros."""
    out = vector(n)
    for i in range(n):
        out[i] = 0.0
    return out


@helper
def zero_matrix(n_rows, n_columns):
    """Return an array (n_rows, n_columns) of float64 zeros."""
    return zero_vector(n_rows * n_columns).reshape(n_rows, n_columns)


@helper
def zero_indices(n):
    """Return an array (n,) of int64 zeros."""
    out = indices(n)
    for i in range(n):
        out[i] = 0
    return out


@helper
def descending_key(value):
    """Return an integer, less for a greater ``value``; equal for both zeros, greatest for NaN."""
    if np.isnan(value):
        return _GREATEST
    # Adding 0 makes one zero of the two.
    bits = double_bits(value + 0.0)
    return ~bits if bits >= 0 else bits & _GREATEST
