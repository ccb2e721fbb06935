"""Orders of numbers beside NumPy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostbench.kernels.arrays import descending_order
from boostbench.kernels.jit import kernel


@kernel
def _order(values, n):
    return descending_order(values, n)


def _expected(values: np.ndarray, n: int) -> np.ndarray:
    return np.argsort(-values[:n], kind="stable")


# Few numbers are sorted in another way than many, and numbers with few digits have ties.
@given(
    st.lists(st.floats() | st.sampled_from([0.0, -0.0, 1.0, float("nan")]), max_size=20),
    st.sampled_from([1, 9]),
    st.integers(0, 3),
)
@settings(max_examples=200, deadline=None)
def test_the_greatest_come_first_and_equals_in_order(
    some: list[float], copies: int, beyond: int
) -> None:
    values = np.array(some * copies, dtype=np.float64)
    n = max(0, len(values) - beyond)
    np.testing.assert_array_equal(_order(values, n), _expected(values, n))


@pytest.mark.parametrize("n", [63, 64, 65, 1000])
def test_numbers_that_all_differ_are_sorted(n: int) -> None:
    rng = np.random.default_rng(n)
    for values in (rng.random(n), rng.standard_normal(n) * 10.0 ** rng.integers(-300, 300, n)):
        np.testing.assert_array_equal(_order(values, n), _expected(values, n))
