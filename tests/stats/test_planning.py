"""How many more seeds or partitions decide."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_parts import PARTITION_MEANS

from boostbench.stats import (
    StandardError,
    difference_se,
    equivalence,
    partition_se,
    partitions_to_decide,
    seeds_to_decide,
)


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


@settings(max_examples=60)
@given(
    st.floats(-0.03, 0.03),
    st.floats(0, 1e-4),
    st.floats(0, 1e-2),
    st.integers(2, 8),
    st.floats(0, 0.02),
    st.floats(0, 0.004),
    st.floats(1, 100),
)
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
