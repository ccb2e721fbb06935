"""New arrays and orders for kernels; numba's own take longer to compile, once per kind of shape."""

import numpy as np

from boostbench.kernels.jit import helper


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


@helper
def descending_order(values, n):
    """Return the places of ``values[:n]`` from the greatest on, equals in order, NaN last."""
    order, spare = indices(n), indices(n)
    for i in range(n):
        order[i] = i
    width = 1
    while width < n:
        for first in range(0, n, 2 * width):
            middle, end = min(first + width, n), min(first + 2 * width, n)
            i, j = first, middle
            for k in range(first, end):
                take_right = i == middle
                if i < middle and j < end:
                    left, right = values[order[i]], values[order[j]]
                    take_right = right > left or (np.isnan(left) and not np.isnan(right))
                if take_right:
                    spare[k] = order[j]
                    j += 1
                else:
                    spare[k] = order[i]
                    i += 1
        order, spare = spare, order
        width *= 2
    return order
