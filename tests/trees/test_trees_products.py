"""Products with the coefficients of several nodes at once are those of one node, bit for bit."""

import numpy as np
import pytest

from boostbench.kernels.elementwise import add_products, affine
from boostbench.trees._blocks import BLOCK
from boostbench.trees._products import add_products_of_nodes, affine_of_nodes


def one_by_one(rows, coef, values, n, out, sums):
    for k in range(len(coef)):
        affine(rows, coef[k], out[k], n)
        add_products(rows, values[k], sums[k], n)


def at_once(rows, coef, values, n, out, sums):
    affine_of_nodes(rows, coef, out, n)
    add_products_of_nodes(rows, values, sums, n)


@pytest.mark.parametrize("n", [1, 7, 77, 100, BLOCK])
@pytest.mark.parametrize("n_features", [1, 2, 4, 5, 8, 11])
def test_nodes_at_once_have_the_bits_of_each_alone(n, n_features):
    rng = np.random.default_rng(n_features)
    rows = rng.standard_normal((n_features, BLOCK))
    for n_nodes in (1, 2, 3, 4, 5, 7, 15):
        coef = rng.standard_normal((n_nodes, n_features))
        values = rng.standard_normal((n_nodes, BLOCK))
        before = rng.standard_normal((n_nodes, n_features))
        results = []
        for compute in (one_by_one, at_once):
            out, sums = np.zeros((n_nodes, BLOCK)), before.copy()
            compute(rows, coef, values, n, out, sums)
            results.append((out[:, :n], sums))
        (expected, expected_sums), (found, found_sums) = results
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(found_sums, expected_sums)
        np.testing.assert_allclose(found, (coef @ rows)[:, :n], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(
            found_sums, before + values[:, :n] @ rows[:, :n].T, rtol=1e-12, atol=1e-11
        )
