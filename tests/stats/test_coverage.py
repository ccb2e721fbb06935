"""How often intervals hold the truth, on drawn runs with a fixed seed.

The bounds are three binomial standard errors around the rate that the theory gives.
"""

import numpy as np
import pytest

from boostbench.stats import (
    StandardError,
    corrected_ttest,
    equivalence,
    partition_se,
    se_over_partitions,
)

N = 1000


def _near(rate: float, expected: float) -> bool:
    return abs(rate - expected) < 3 * np.sqrt(expected * (1 - expected) / N)


def _covers(mean: float, error: StandardError, truth: float) -> bool:
    found = equivalence(mean - truth, error.se, error.df, 1.0, rounding=0, alpha=0.025)
    return found.low <= 0 <= found.high


@pytest.mark.parametrize("partitions", [3, 6])
def test_another_partition_of_the_same_rows(partitions: int) -> None:
    rng = np.random.default_rng(2)
    # Folds complete each other: in every partition their true means are 0 together, nearly.
    folds = rng.normal(0, 1, (N, partitions, 4, 1))
    folds += rng.normal(0, 0.1, (N, partitions, 1, 1)) - folds.mean(axis=2, keepdims=True)
    runs = folds + rng.normal(0, 0.2, (N, partitions, 4, 3))
    rate = np.mean([_covers(r.mean(), se_over_partitions(r), 0.0) for r in runs])
    assert _near(rate, 0.95)
    one = np.mean([_covers(r[0].mean(), se_over_partitions(r[0]), 0.0) for r in runs[:500]])
    assert one > 0.99


def _correlated_folds(rng: np.random.Generator, correlation: float, shape: tuple) -> np.ndarray:
    """Draw fold means that share a part of their variance, which their own spread cannot show."""
    common = rng.normal(0, np.sqrt(correlation), (*shape[:-1], 1))
    return common + rng.normal(0, np.sqrt(1 - correlation), shape)


def test_new_rows_where_folds_are_as_correlated_as_assumed() -> None:
    # Nadeau and Bengio: correlation n_test / n, that is test_ratio = correlation / (1 - it).
    rng = np.random.default_rng(3)
    folds = _correlated_folds(rng, 0.25, (N, 4))
    tests = [corrected_ttest(means, 1 / 3) for means in folds]
    assert _near(np.mean([test.p < 0.05 for test in tests]), 0.05)
    plain = np.mean([corrected_ttest(means, 0.0).p < 0.05 for means in folds])
    assert plain > 0.1


def _published_partitions(seed_sd: float) -> float:
    """Return how often the interval of measured - published mean holds 0: both are drawn alike."""
    rng = np.random.default_rng(7)
    partitions = rng.normal(0, 0.02, (N, 6))
    measured = partitions[:, :5] + rng.normal(0, seed_sd / np.sqrt(16), (N, 5))
    published = partitions[:, 5] + rng.normal(0, seed_sd / np.sqrt(80), N)
    covered = []
    for means, other in zip(measured, published, strict=True):
        error = partition_se(means, seed_sd**2, 4, 4, 20)
        covered.append(_covers(means.mean() - other, StandardError(error.se, error.df), 0.0))
    return float(np.mean(covered))


def test_a_published_partition_is_one_more_draw() -> None:
    assert _near(_published_partitions(0.0), 0.95)
    # With seeds its variance is a difference of estimates, and the level is not exact.
    assert 0.92 < _published_partitions(0.1) < 0.98
