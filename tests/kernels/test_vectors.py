import numpy as np
import pytest
from numba import njit

from boostbench.kernels import float_vectors as simd
from boostbench.kernels import int_rows as rows_


@njit
def exp_all(x, out):
    for i in range(0, x.shape[0], 8):
        simd.f8_store(out, i, simd.f8_exp(simd.f8_load(x, i)))


@njit
def masked_sum(x, bits):
    total = simd.f8_splat(0.0)
    for b in range(bits.shape[0]):
        picked = simd.f8_pick(bits[b], simd.f8_load(x, 8 * b), simd.f8_splat(0.0))
        total = simd.f8_add(total, picked)
    return simd.f8_sum(total)


def test_exp_is_exact_to_an_ulp_or_two():
    x = np.concatenate(
        [np.linspace(-599, 599, 4000), np.random.default_rng(0).normal(size=4000), np.zeros(8)]
    )
    out = np.empty_like(x)
    exp_all(x, out)
    np.testing.assert_allclose(out, np.exp(x), rtol=5e-16)


def test_exp_is_finite_and_never_denormal():
    x = np.array([np.inf, -np.inf, 1e308, -1e308, 601.0, -601.0, 0.0, -0.0])
    out = np.empty_like(x)
    exp_all(x, out)
    assert np.isfinite(out).all()
    assert out[[1, 3, 5]].tolist() == [0, 0, 0]
    assert out[[6, 7]].tolist() == [1, 1]


@pytest.mark.parametrize("n", [8, 24, 800])
def test_masked_sum(n):
    rng = np.random.default_rng(n)
    x, mask = rng.normal(size=n), rng.random(n) < 0.5
    bits = np.packbits(mask, bitorder="little")
    assert masked_sum(x, bits) == pytest.approx(x[mask].sum(), rel=1e-12, abs=1e-12)


@njit
def fill_rows(masses, columns, factors, rows, like):
    total = rows_.row_splat(np.int32(0), like)
    for i in range(0, rows.shape[0], 8):
        block = rows_.put_block(masses, i, columns, factors, rows, like)
        total = rows_.row_add(total, block)
    return rows_.row_any_above(total, rows_.row_splat(np.int32(0), like))


@pytest.mark.parametrize("width", [4, 8, 16, 32])
def test_columns_become_rows(width):
    rng = np.random.default_rng(width)
    masses = rng.exponential(size=(width - 1, 24))
    columns = np.minimum(np.arange(width), width - 2) * 24
    factors = np.append(rng.choice([-1.0, 1.0], width - 1) * 2.0**20, 0.0)
    rows = np.full((24, width), -1, dtype=np.int32)
    fill_rows(masses, columns, factors, rows, (0,) * width)
    wanted = 2 * np.rint(masses * factors[:-1, None]).T
    np.testing.assert_array_equal(rows[:, :-1], wanted)
    assert not rows[:, -1].any()
