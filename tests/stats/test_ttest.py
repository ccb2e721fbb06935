"""A against B on one data set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from boostbench.stats import corrected_ttest

FOUR = [0.03, 0.02, 0.04, 0.01]
EIGHT = [0.02, 0.01, 0.03, 0, 0.04, 0.01, 0.02, -0.01]
SAMPLES = st.lists(st.integers(-99, 99).map(lambda v: v / 100), min_size=2, max_size=12)


def test_the_numbers_of_the_design() -> None:
    found = corrected_ttest(FOUR, 1 / 3)
    assert (found.mean, found.df) == (pytest.approx(0.025), 3)
    assert found.se == pytest.approx(0.009860, abs=5e-7)
    assert found.t == pytest.approx(2.535463, abs=5e-7)
    assert found.p == pytest.approx(0.085016, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((-0.006379, 0.056379), abs=5e-7)
    two = corrected_ttest(EIGHT, 1 / 3)
    assert (two.se, two.df) == (pytest.approx(0.010856, abs=5e-7), 7)
    assert (two.t, two.p) == pytest.approx((1.381699, 0.209551), abs=5e-7)
    assert (two.low, two.high) == pytest.approx((-0.010671, 0.040671), abs=5e-7)


@settings(max_examples=60)
@given(SAMPLES, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_without_correction_it_is_the_paired_t_test(values: list[float], level: float) -> None:
    if len(set(values)) == 1:
        return
    found = corrected_ttest(values, 0.0, level)
    expected = scipy_stats.ttest_1samp(values, 0.0)
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)
    interval = expected.confidence_interval(level)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


@settings(max_examples=60)
@given(SAMPLES, st.floats(0, 2))
def test_the_other_way_round_says_the_reverse(values: list[float], ratio: float) -> None:
    one, other = (corrected_ttest(sign * np.array(values), ratio) for sign in (1, -1))
    assert one.p == pytest.approx(other.p)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-12)
    assert (one.p < 0.05) == (one.low > 0 or one.high < 0)


@pytest.mark.parametrize(("value", "p"), [(0.0, 1), (0.1, 0), (-0.7, 0)])
def test_equal_differences_have_p_0_or_1(value: float, p: float) -> None:
    found = corrected_ttest([value] * 7, 1 / 6)
    assert (found.mean, found.se, found.p) == (value, 0, p)
    assert found.low == found.high == value
    assert found.t == (0 if p else np.copysign(np.inf, value))


def test_one_difference_is_a_mean_and_no_test() -> None:
    found = corrected_ttest([0.2], 1 / 3)
    assert found.mean == 0.2
    assert np.isnan([found.se, found.t, found.p]).all()
    assert (found.low, found.high, found.df) == (-np.inf, np.inf, 0)
