import numpy as np
import pytest
from numba import njit

from boostbench.boosting import _simd as simd


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
