"""A measured mean against a published one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_parts import PARTITION_MEANS, A, B

from boostbench.stats import (
    StandardError,
    difference_se,
    equivalence,
    partition_se,
    published_se,
    se_over_partitions,
)


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, 0.111803), (0.5, 0.386252), (0.9, 0.537357), (1.0, 0.573730)]
)
def test_the_published_error_of_80_runs(share: float, expected: float) -> None:
    assert published_se(1.0, 4, 20, share) == pytest.approx(expected, abs=5e-7)


def test_one_published_run_has_no_error() -> None:
    assert np.isnan(published_se(0.1, 1, 1))
    assert np.isnan(published_se(0.1, 1, 20, share=1.0))
    assert published_se(0.1, 1, 20, share=0.0) == pytest.approx(0.1 / np.sqrt(20))


@pytest.mark.parametrize(
    ("share", "df", "se", "total_df", "low", "high"),
    [
        (1.0, 3, 0.024247, 5.999635, -0.042617, 0.052617),
        (0.0, 79, 0.017405, 3.235709, -0.035271, 0.045271),
    ],
)
def test_a_mean_against_a_published_one(
    share: float, df: int, se: float, total_df: float, low: float, high: float
) -> None:
    published = StandardError(published_se(0.03, 4, 20, share), df)
    assert published.se == pytest.approx(0.017212 if share else 0.003354, abs=5e-7)
    error = difference_se(se_over_partitions(A), published)
    assert (error.se, error.df) == pytest.approx((se, total_df), abs=5e-7)
    found = equivalence(A.mean() - 0.80, error.se, error.df, 0.01)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-7)
    assert found.verdict == "inconclusive"


@pytest.mark.parametrize(
    ("difference", "low", "high", "name", "p", "verdict"),
    [
        (0.004, -0.000386, 0.008386, "p_equivalent", 0.016646, "equivalent"),
        (0.015, 0.010614, 0.019386, "p_different", 0.032721, "different"),
        (0.008, 0.003614, 0.012386, "p_equivalent", 0.240809, "inconclusive"),
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_three_verdicts(
    difference: float, low: float, high: float, name: str, p: float, verdict: str, sign: int
) -> None:
    found = equivalence(sign * difference, 0.002, 6, 0.01)
    ends = sorted((sign * found.low, sign * found.high))
    assert ends == pytest.approx([low, high], abs=5e-7)
    assert getattr(found, name) == pytest.approx(p, abs=5e-7)
    assert found.verdict == verdict


def test_two_independent_means_are_tested_as_statsmodels_does() -> None:
    error = difference_se(se_over_partitions(A), se_over_partitions(B))
    assert (error.se, error.df) == pytest.approx((0.021016, 5.440284), abs=5e-7)
    found = equivalence(A.mean() - B.mean(), error.se, error.df, 0.05, rounding=0)
    assert found.p_equivalent == pytest.approx(0.141763, abs=5e-7)
    weightstats = pytest.importorskip(
        "statsmodels.stats.weightstats", reason="statsmodels is not installed"
    )
    rng = np.random.default_rng(4)
    for _ in range(20):
        a, b = rng.normal(0, 1, (7, 1)), rng.normal(0.2, 2, (9, 1))
        margin = rng.uniform(0.1, 3)
        error = difference_se(se_over_partitions(a), se_over_partitions(b))
        found = equivalence(a.mean() - b.mean(), error.se, error.df, margin, rounding=0)
        expected = weightstats.ttost_ind(a[:, 0], b[:, 0], -margin, margin, usevar="unequal")[0]
        assert found.p_equivalent == pytest.approx(expected, rel=1e-9)


def test_partitions_need_no_published_sd() -> None:
    error = partition_se(PARTITION_MEANS, 0.0001, 4, 4, 20)
    assert (error.one, error.df) == (pytest.approx(0.0000185), 4)
    assert error.se == pytest.approx(0.004817, abs=5e-7)
    found = equivalence(float(np.mean(PARTITION_MEANS)) - 0.864, error.se, error.df, 0.02)
    assert (found.low, found.high) == pytest.approx((-0.013768, 0.007768), abs=5e-7)
    assert (found.verdict, found.p_equivalent) == ("equivalent", pytest.approx(0.013321, abs=5e-7))
    smaller = equivalence(float(np.mean(PARTITION_MEANS)) - 0.864, error.se, error.df, 0.01)
    assert smaller.verdict == "inconclusive"


def test_seeds_that_explain_all_leave_the_published_seeds_alone() -> None:
    error = partition_se([0.1, 0.1001, 0.1002], 1.0, 4, 5, 20)
    assert error.one == pytest.approx(1 / 80)
    assert partition_se([0.1] * 3, 0.0, 4, 5, 20).se == 0


def test_a_published_mean_over_several_partitions_varies_less() -> None:
    one, ten = (partition_se(PARTITION_MEANS, 0.0001, 4, 4, 20, n) for n in (1, 10))
    assert ten.one == pytest.approx(one.one / 10)
    assert ten.se**2 == pytest.approx(one.se**2 - 0.9 * one.one)


VALUES = st.floats(0, 0.1)


@settings(max_examples=200)
@given(
    st.floats(-0.1, 0.1),
    st.floats(1e-6, 0.1),
    st.floats(0.5, 200),
    VALUES,
    VALUES,
    st.sampled_from([0.005, 0.05, 0.2]),
)
def test_the_verdict_follows_from_the_interval_and_the_p_values(
    difference: float, se: float, df: float, margin: float, rounding: float, alpha: float
) -> None:
    found = equivalence(difference, se, df, margin, rounding, alpha)
    assert found.low <= difference <= found.high
    for p, verdict in ((found.p_equivalent, "equivalent"), (found.p_different, "different")):
        if abs(p - alpha) > 1e-9:
            assert (found.verdict == verdict) == (p < alpha)
    wider = equivalence(difference, se, df, margin + 0.01, rounding, alpha)
    assert not (found.verdict == "equivalent" and wider.verdict != "equivalent")
    assert not (wider.verdict == "different" and found.verdict != "different")


def test_unknown_values_decide_nothing() -> None:
    for se, df in ((np.nan, 0.0), (np.nan, 3.0), (0.001, 0.0)):
        found = equivalence(0.0, se, df, 0.01)
        assert (found.low, found.high, found.verdict) == (-np.inf, np.inf, "inconclusive")
        assert (found.p_equivalent, found.p_different) == (1, 1)


@pytest.mark.parametrize(
    ("difference", "verdict", "p_equivalent", "p_different"),
    [
        (0.0, "equivalent", 0, 1),
        (0.0094, "equivalent", 0, 1),
        (0.0098, "inconclusive", 1, 1),
        (0.0102, "inconclusive", 1, 1),
        (-0.0106, "different", 1, 0),
    ],
)
def test_without_any_variance_only_rounding_is_in_doubt(
    difference: float, verdict: str, p_equivalent: float, p_different: float
) -> None:
    found = equivalence(difference, 0.0, 3, 0.01)
    assert found.verdict == verdict
    assert (found.p_equivalent, found.p_different) == (p_equivalent, p_different)


def test_a_margin_of_zero_is_never_reached_from_inside() -> None:
    assert equivalence(0.0, 0.0, 3, 0.0, rounding=0).verdict == "inconclusive"
