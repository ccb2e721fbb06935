"""Cholesky's factorisation by eights of columns has the bits of the one by single numbers."""

import numpy as np
import pytest

from boostbench.trees._cholesky import solve_cholesky


def eliminated(matrix, right):
    """Solve by single numbers, subtracting products in the order of the rows."""
    n = len(right)
    upper, x = matrix.copy(), right.copy()
    for i in range(n):
        for j in range(i, n):
            for k in range(i):
                upper[i, j] -= upper[k, i] * upper[k, j]
        pivot = np.sqrt(upper[i, i])
        upper[i, i + 1 :] /= pivot
        upper[i, i] = pivot
    for i in range(n):
        for k in range(i):
            x[i] -= upper[k, i] * x[k]
        x[i] /= upper[i, i]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] -= upper[i, k] * x[k]
        x[i] /= upper[i, i]
    return x


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 16, 19, 31])
def test_eights_of_columns_have_the_bits_of_single_numbers(n):
    rng = np.random.default_rng(n)
    half, right = rng.standard_normal((n + 5, n)), rng.standard_normal(n)
    whole = half.T @ half
    # Below the diagonal nothing is read.
    matrix = np.triu(whole) + np.tril(np.full((n, n), np.nan), -1)
    expected, solution = eliminated(np.triu(whole), right), right.copy()
    assert solve_cholesky(matrix, solution)
    np.testing.assert_array_equal(solution, expected)
    np.testing.assert_allclose(whole @ solution, right, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("n", [1, 7, 8, 19])
@pytest.mark.parametrize("pivot", [0.0, -1.0, np.nan])
def test_a_pivot_that_is_not_positive_is_told(n, pivot):
    for place in {0, n - 1}:
        matrix = np.eye(n)
        matrix[place, place] = pivot
        assert not solve_cholesky(matrix, np.ones(n))
