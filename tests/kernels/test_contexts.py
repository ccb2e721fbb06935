"""Answers of numba's that are kept while kernels are compiled: the same, and for nobody else."""

import numpy as np
import pytest
from llvmlite import ir
from numba import config, njit, types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction
from numba.extending import overload

from boostbench.kernels.contexts import target_context
from boostbench.kernels.jit import helper, kernel

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the compiler is switched off")


def _made_up(x):
    raise NotImplementedError


@pytest.fixture
def numbas_own():
    before = BaseFunction.get_call_type
    yield before
    assert BaseFunction.get_call_type is before


def test_a_function_may_gain_types_after_a_kernel_has_been_refused(numbas_own):
    @overload(_made_up)
    def _of_integers(x):
        return (lambda x: x + 1) if isinstance(x, types.Integer) else None

    @kernel
    def calls(x):
        return _made_up(x)

    assert calls(3) == 4
    for _ in range(2):
        with pytest.raises(TypingError):
            calls(1.5)
    assert BaseFunction.get_call_type is numbas_own

    @overload(_made_up)
    def _of_floats(x):
        return (lambda x: 2.0 * x) if isinstance(x, types.Float) else None

    @kernel
    def calls_later(x):
        return _made_up(x)

    assert calls_later(1.5) == 3.0
    assert calls_later(3) == 4


def _is_nan(x):
    raise NotImplementedError


@overload(_is_nan)
def _by_comparison(x):
    return lambda x: x != x


def test_a_function_is_compiled_with_the_options_of_its_caller():
    @kernel(fastmath=True)
    def fast(x):
        return _is_nan(x)

    @kernel
    def exact(x):
        return _is_nan(x)

    @njit(fastmath=True)
    def of_a_user(x):
        return _is_nan(x)

    @kernel
    def exact_again(x):
        return _is_nan(x)

    # With fastmath no number is NaN.
    assert [each(np.nan) for each in (fast, exact, of_a_user, exact_again)] == [
        False, True, False, True,
    ]  # fmt: skip


def test_one_function_with_arguments_of_several_types(numbas_own):
    @helper
    def add(a, b):
        return a + b

    @kernel
    def sums(i, x, z, row):
        return add(i, i), add(i, x), add(x, z), add(row[0], i), row[1:][0]

    expected = (4, 4.5, 2.5 + 1j, 5.0, 7.0)
    assert sums(2, 2.5, 1j, np.array([3.0, 7.0])) == expected
    assert njit(sums.py_func)(2, 2.5, 1j, np.array([3.0, 7.0])) == expected


def test_sizes_of_types_are_numbas():
    numbas = cpu_target.target_context
    ours = target_context(numbas)
    for each in (types.int8, types.int64, types.float64[:, ::1], types.UniTuple(types.float32, 3)):
        value = numbas.get_value_type(each)
        for _ in range(2):
            assert ours.get_abi_sizeof(value) == numbas.get_abi_sizeof(value)
    assert ours.get_abi_sizeof(ir.IntType(16)) == 2


def test_what_a_context_finds_belongs_to_it():
    numbas = cpu_target.target_context
    ours = target_context(numbas)
    signature = types.int64(types.int64, types.int64)
    other = ours.subtarget(enable_nrt=False)
    found = [each.get_function(pow, signature) for each in (ours, ours, other)]
    assert found[0] is found[1]
    assert found[0] is not found[2]
    assert not hasattr(numbas, "_found")
