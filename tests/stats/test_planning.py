"""How many more seeds or partitions decide."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_parts import PARTITION_MEANS, A, B

from boostbench.stats import (
    StandardError,
    corrected_ttest,
    decidable_margin,
    difference_se,
    equivalence,
    half_width,
    partition_se,
    partitions_to_decide,
    seeds_to_decide,
    variance_components,
)


@pytest.mark.parametrize(
    ("seeds", "partitions", "expected"),
    [
        (3, 1, 0.031379),
        (10, 1, 0.021627),
        (np.inf, 1, 0.015690),
        (3, 2, 0.020667),
        (3, 5, 0.016730),
    ],
)
def test_planned_widths_of_the_design(seeds: float, partitions: int, expected: float) -> None:
    parts = variance_components(A - B)
    found = half_width(parts.fold, parts.seed, 4, seeds, partitions=partitions, test_ratio=1 / 3)
    assert found == pytest.approx(expected, abs=5e-7)


def test_the_plan_of_what_was_run_is_its_own_interval() -> None:
    parts = variance_components(A - B)
    test = corrected_ttest((A - B).mean(axis=1), 1 / 3, 0.9)
    planned = half_width(parts.fold, parts.seed, 4, 3, test_ratio=1 / 3, level=0.9)
    assert planned == pytest.approx((test.high - test.low) / 2)
    assert half_width(parts.fold, parts.seed, 1, 20) == np.inf


def test_seeds_of_the_design() -> None:
    other = {"other_se": 0.001, "other_df": 3}
    assert seeds_to_decide(0.004, 4e-6, 4e-4, 4, 0.01, **other) == 22
    assert seeds_to_decide(-0.004, 4e-6, 4e-4, 4, 0.01, **other) == 22
    assert seeds_to_decide(0.004, 1e-4, 4e-4, 4, 0.01, **other) is None


def test_partitions_of_the_design() -> None:
    variance = float(np.var(PARTITION_MEANS, ddof=1))
    one = partition_se(PARTITION_MEANS, 0.0001, 4, 4, 20).one
    assert partitions_to_decide(-0.003, variance, 0.011, least_variance=one) == 28
    assert partitions_to_decide(-0.003, variance, 0.010, least_variance=one) is None
    margin = decidable_margin(-0.003, one**0.5)
    assert 0.010 < margin < 0.011
    assert partitions_to_decide(-0.003, variance, margin * 1.001, least_variance=one) is not None
    assert partitions_to_decide(-0.003, variance, margin * 0.999, least_variance=one) is None


@settings(max_examples=60)
@given(
    st.floats(-0.03, 0.03), st.floats(0, 1e-4), st.floats(0, 1e-2), st.integers(2, 8),
    st.floats(0, 0.02), st.floats(0, 0.004), st.floats(1, 100),
)  # fmt: skip
def test_the_number_of_seeds_is_the_first_whose_verdict_is_decided(
    difference: float,
    fold: float,
    seed: float,
    folds: int,
    margin: float,
    other_se: float,
    other_df: float,
) -> None:
    def verdict(seeds: float) -> str:
        own = StandardError(np.sqrt((fold + seed / seeds) / folds), folds - 1)
        error = difference_se(own, StandardError(other_se, other_df))
        return equivalence(difference, error.se, error.df, margin).verdict

    found = seeds_to_decide(
        difference, fold, seed, folds, margin, other_se=other_se, other_df=other_df
    )
    if found is None:
        assert {verdict(s) for s in (1, 2, 5, 20, 1000, 10**6)} == {"inconclusive"}
    else:
        assert verdict(found) != "inconclusive"
        earlier = range(1, found) if found <= 30 else (1, found // 2, found - 1)
        assert {verdict(s) for s in earlier} <= {"inconclusive"}


def test_large_numbers_are_found_and_larger_ones_are_none() -> None:
    # 1.6449 sqrt(1 / P) < .01 (the folds part as they are: df is large) from P = 27056 on.
    found = partitions_to_decide(0.0, 1.0, 0.01, least_variance=0.0, rounding=0)
    assert found is not None
    assert found > 4096
    verdicts = [
        equivalence(0, n**-0.5, n - 1, 0.01, rounding=0).verdict for n in (found - 1, found)
    ]
    assert verdicts == ["inconclusive", "equivalent"]
    assert partitions_to_decide(0.0, 1.0, 1e-6, least_variance=0.0, rounding=0) is None


def test_one_fold_is_never_enough() -> None:
    assert seeds_to_decide(0.0, 0.0, 1e-9, 1, 1.0) is None
    assert partitions_to_decide(0.0, 0.0, 1.0, least_variance=0.0) == 2
    assert seeds_to_decide(0.0, 0.0, 0.0, 4, 1.0) == 1
