"""Orders of numbers beside NumPy's."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from boostbench.kernels.arrays import descending_key
from boostbench.kernels.jit import kernel


@kernel
def _keys(values, out):
    for i in range(values.shape[0]):
        out[i] = descending_key(values[i])


@given(st.lists(st.floats() | st.sampled_from([0.0, -0.0, 1.0, float("nan")]), max_size=20))
@settings(max_examples=200)
def test_the_key_of_a_greater_number_is_less_and_those_of_equals_are_equal(
    some: list[float],
) -> None:
    values, keys = np.array(some, dtype=np.float64), np.empty(len(some), np.int64)
    _keys(values, keys)
    np.testing.assert_array_equal(
        np.argsort(keys, kind="stable"), np.argsort(-values, kind="stable")
    )
    both_nan = np.isnan(values)[:, None] & np.isnan(values)
    same = (values[:, None] == values) | both_nan
    np.testing.assert_array_equal(keys[:, None] == keys, same)
