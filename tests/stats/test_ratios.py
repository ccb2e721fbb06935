"""Ratios of two methods over data sets."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as scipy_stats

from boostbench.papers import get_paper
from boostbench.stats import corrected_ttest, ratio_interval, ratio_interval_fixed, ratio_means

SCORES_A, SCORES_B = [0.90, 0.80, 0.70, 0.85], [0.70, 0.75, 0.30, 0.80]
PAIRS = st.lists(st.tuples(st.integers(1, 100), st.integers(1, 100)), min_size=2, max_size=10).map(
    lambda pairs: np.array(pairs).T / 100
)


def test_fieller_of_the_design() -> None:
    found = ratio_interval(SCORES_A, SCORES_B)
    assert found.ratio == pytest.approx(1.274510, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.909599, 2.574664), abs=1e-6)


def test_the_papers_29_percent() -> None:
    paper = get_paper("srt")
    soft, hard = (paper.column(method, (3,), "2") for method in ("srt_l2", "orrt"))
    assert soft is not None
    assert hard is not None
    means = [[column.cells[name].mean for name in soft.datasets] for column in (soft, hard)]
    assert len(means[0]) == 15
    found = ratio_interval(*means)
    assert (found.ratio, found.low, found.high) == pytest.approx((1.293, 1.128, 1.510), abs=5e-4)


@settings(max_examples=60)
@given(PAIRS)
def test_fieller_ends_where_the_paired_t_test_begins_to_reject(scores: np.ndarray) -> None:
    a, b = scores

    def p(ratio: float) -> float:
        return float(scipy_stats.ttest_1samp(a - ratio * b, 0).pvalue)

    found = ratio_interval(a, b)
    assert found.low <= found.ratio <= found.high
    if np.isinf(found.high):
        # Not clearly above 0: its own interval has 0 inside.
        assert scipy_stats.ttest_1samp(b, 0).pvalue > 0.05 - 1e-9
        return
    if np.ptp(a / b) < 1e-9:
        assert found.high - found.low < 1e-6
        return
    assume(found.high < 1000)
    for inside, end in ((found.ratio, found.low), (found.ratio, found.high)):
        outside = end + (end - inside)
        root = optimize.brentq(lambda ratio: p(ratio) - 0.05, inside, outside, xtol=1e-12)
        assert root == pytest.approx(end, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("b", [[0.01, 1.0], [-0.2, -0.21, -0.19], [-1.0, 1.0]])
def test_a_mean_that_is_not_clearly_above_zero_bounds_nothing(b: list[float]) -> None:
    found = ratio_interval([0.5] * len(b), b)
    assert (found.low, found.high) == (-np.inf, np.inf)
    assert np.isnan(found.ratio) == (sum(b) == 0)


def test_one_data_set_has_a_ratio_and_no_interval() -> None:
    found = ratio_interval([0.6], [0.5])
    assert (found.ratio, found.low, found.high) == (1.2, -np.inf, np.inf)


def test_proportional_scores_have_one_ratio() -> None:
    b = np.array([0.8, 0.85, 0.9])
    found = ratio_interval(1.5 * b, b)
    assert (found.low, found.high) == pytest.approx((1.5, 1.5))


def test_exactly_these_data_sets_of_the_design() -> None:
    a = [[0.90, 0.88, 0.92, 0.90], [0.80, 0.78, 0.82, 0.80]]
    b = [[0.70, 0.66, 0.74, 0.70], [0.60, 0.64, 0.56, 0.60]]
    found = ratio_interval_fixed(a, b)
    assert found.ratio == pytest.approx(1.307692, abs=5e-7)
    assert (found.se, found.df) == pytest.approx((0.024871, 4.151917), abs=5e-7)
    assert (found.low, found.high) == pytest.approx((1.239625, 1.375760), abs=5e-7)


def test_on_one_data_set_against_a_constant_it_is_the_t_interval() -> None:
    a = np.array([0.9, 0.7, 0.8, 0.6])
    found = ratio_interval_fixed([a], [[0.5] * 4])
    expected = corrected_ttest(a / 0.5, 0.0)
    assert (found.se, found.df) == pytest.approx((expected.se, 3))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    flat = ratio_interval_fixed([[0.5, 0.5]], [[0.25, 0.25]])
    assert (flat.ratio, flat.se, flat.low, flat.high) == (2, 0, 2, 2)


def test_a_fold_that_one_side_lacks_counts_on_neither() -> None:
    nan = np.nan
    a = [[0.9, 0.8, 0.85, 0.1], [0.7, 0.6, nan, 0.65]]
    b = [[0.5, 0.4, 0.42, nan], [0.6, 0.5, 0.9, 0.58]]
    found = ratio_interval_fixed(a, b)
    x, y = np.array([0.9, 0.8, 0.85]), np.array([0.7, 0.6, 0.65])
    u, v = np.array([0.5, 0.4, 0.42]), np.array([0.6, 0.5, 0.58])
    ratio = (x.mean() + y.mean()) / (u.mean() + v.mean())
    parts = [np.var(p - ratio * q, ddof=1) / 3 for p, q in ((x, u), (y, v))]
    assert found.ratio == pytest.approx(ratio)
    assert found.se == pytest.approx(np.sqrt(sum(parts)) / (u.mean() + v.mean()))


def test_the_data_set_that_carries_a_ratio_is_named() -> None:
    found = ratio_means(SCORES_A, SCORES_B)
    assert found.of_means == pytest.approx(3.25 / 2.55)
    assert found.mean == pytest.approx(np.mean(np.array(SCORES_A) / SCORES_B))
    assert found.geometric == pytest.approx(scipy_stats.gmean(np.array(SCORES_A) / SCORES_B))
    assert found.median == pytest.approx((0.90 / 0.70 + 0.80 / 0.75) / 2)
    assert (found.carrier, found.without) == (2, pytest.approx(2.55 / 2.25))
    assert np.isnan(ratio_means([-0.1, 0.5], [0.3, 0.4]).geometric)
