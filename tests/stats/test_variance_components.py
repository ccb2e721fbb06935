"""Variance components and the standard errors of the three questions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats as scipy_stats
from stats_parts import A, B

from boostbench.stats import (
    StandardError,
    difference_se,
    paired_differences,
    se_over_partitions,
    se_over_rows,
    variance_components,
)

SCORES = st.integers(-1000, 1000).map(lambda value: value / 1000)
RUNS = hnp.arrays(
    float, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6), elements=SCORES
)


def _close(found: float, expected: float) -> bool:
    return found == pytest.approx(expected, abs=5e-7)


def test_the_components_of_the_design() -> None:
    a = variance_components(A)
    assert a.mean == pytest.approx(0.805)
    assert a.means_variance == pytest.approx(0.00116667, abs=5e-9)
    assert a.seed == pytest.approx(0.000175)
    assert a.fold == pytest.approx(0.00110833, abs=5e-9)
    assert _close(a.share, 0.863636)
    difference = variance_components(A - B)
    assert difference.means_variance == pytest.approx(0.000166667, abs=5e-10)
    assert difference.seed == pytest.approx(0.000375)
    assert difference.fold == pytest.approx(0.0000416667, abs=5e-11)
    assert _close(difference.share, 0.1)


def test_reml_gives_the_same_components() -> None:
    mixed = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed").MixedLM
    rng = np.random.default_rng(5)
    runs = rng.normal(0, 2, (6, 1)) + rng.normal(0, 1, (6, 5))
    fit = mixed(runs.ravel(), np.ones(30), groups=np.repeat(np.arange(6), 5)).fit(reml=True)
    found = variance_components(runs)
    assert found.fold > 0
    assert found.fold == pytest.approx(float(fit.cov_re[0, 0]), rel=1e-4)
    assert found.seed == pytest.approx(float(fit.scale), rel=1e-4)


def test_missing_runs_count_by_the_runs_of_their_fold() -> None:
    # Means 2, 10 and 6 of 3, 1 and 2 runs; inside: (1 + 0 + 1) + 0 + (1 + 1) with df 2 + 0 + 1.
    runs = [[1, 2, 3], [10, np.nan, np.nan], [5, np.nan, 7]]
    found = variance_components(runs)
    assert found.mean == 6
    assert found.seed == pytest.approx(4 / 3)
    assert found.means_variance == pytest.approx(16)
    assert found.fold == pytest.approx(16 - 4 / 3 * (1 / 3 + 1 + 1 / 2) / 3)
    with_empty_fold = [*runs, [np.nan, np.nan, np.nan]]
    assert variance_components(with_empty_fold) == found


def test_folds_that_differ_less_than_their_seeds_explain_have_no_component() -> None:
    found = variance_components([[0.1, 0.9], [0.2, 0.82]])
    assert found.means_variance < found.seed / 2
    assert (found.fold, found.share) == (0, 0)


def test_one_seed_keeps_the_variance_of_means_and_parts_nothing() -> None:
    found = variance_components([[0.1], [0.3], [0.5]])
    assert found.means_variance == pytest.approx(0.04)
    assert np.isnan([found.fold, found.seed, found.share]).all()


def test_one_fold_knows_its_seeds_only() -> None:
    found = variance_components([[0.1, 0.3]])
    assert found.seed == pytest.approx(0.02)
    assert np.isnan([found.fold, found.means_variance, found.share]).all()
    for error in (se_over_partitions([[0.1, 0.3]]), se_over_rows([[0.1, 0.3]], 0.25)):
        assert np.isnan(error.se)
        assert error.df == 0


@pytest.mark.parametrize("value", [0.1, 0.83, 1 / 3, 0.0])
def test_equal_runs_have_no_variance_at_all(value: float) -> None:
    runs = np.full((3, 4, 7), value)
    found = variance_components(runs[0])
    assert (found.mean, found.fold, found.seed, found.means_variance) == (value, 0, 0, 0)
    assert np.isnan(found.share)
    errors = se_over_partitions(runs), se_over_rows(runs, 1 / 3)
    assert [error.se for error in errors] == [0, 0]


def test_three_partitions_are_the_units_and_fewer_lend_their_folds() -> None:
    rng = np.random.default_rng(0)
    runs = rng.normal(size=(5, 4, 3))
    many = se_over_partitions(runs)
    assert many.se == pytest.approx(scipy_stats.sem(runs.mean(axis=(1, 2))))
    assert many.df == 4
    one = se_over_partitions(runs[0])
    assert one.se == pytest.approx(scipy_stats.sem(runs[0].mean(axis=1)))
    assert one.df == 3
    two = se_over_partitions(runs[:2])
    v = np.mean(np.var(runs[:2].mean(axis=2), axis=1, ddof=1))
    assert two.se == pytest.approx(np.sqrt(v / 8))
    assert two.df == 6


def test_new_rows_count_partitions_of_folds_and_never_seeds() -> None:
    rng = np.random.default_rng(1)
    runs = rng.normal(size=(3, 4, 5))
    found = se_over_rows(runs, 1 / 3)
    v = np.var(runs.mean(axis=2).ravel(), ddof=1)
    assert found.se == pytest.approx(np.sqrt((1 / 12 + 1 / 3) * v))
    assert found.df == 11
    repeated = np.repeat(runs, 7, axis=2)
    assert se_over_rows(repeated, 1 / 3).se == pytest.approx(found.se)
    assert se_over_rows(repeated, 1 / 3).df == found.df


def test_differences_of_means_have_the_degrees_of_freedom_of_welch() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(0, 1, 6), rng.normal(0, 3, 9)
    found = difference_se(
        StandardError(float(scipy_stats.sem(a)), 5), StandardError(float(scipy_stats.sem(b)), 8)
    )
    expected = scipy_stats.ttest_ind(a, b, equal_var=False)
    assert found.df == pytest.approx(expected.df)
    assert (a.mean() - b.mean()) / found.se == pytest.approx(expected.statistic)


def test_a_side_without_variance_leaves_the_other_as_it_is() -> None:
    own = StandardError(0.2, 3)
    assert difference_se(own, StandardError(0.0, 79)) == StandardError(pytest.approx(0.2), 3)
    assert difference_se(StandardError(0.0, 0), own) == StandardError(pytest.approx(0.2), 3)
    assert difference_se(StandardError(0.0, 3), StandardError(0.0, 5)) == StandardError(0.0, 3)
    exact = difference_se(own, StandardError(0.1, np.inf))
    assert exact.df == pytest.approx(0.05**2 / (0.04**2 / 3))
    unknown = difference_se(own, StandardError(np.nan, 0))
    assert np.isnan(unknown.se)
    assert unknown.df == 0


def test_differences_are_of_runs_that_both_sides_have() -> None:
    nan = np.nan
    a = [[0.9, 0.1], [0.5, nan], [nan, 0.7], [0.4, 0.6]]
    b = [[0.8, nan], [nan, 0.2], [nan, 0.5], [0.3, 0.1]]
    found = paired_differences(a, b)
    assert found.folds == (0, 2, 3)
    assert found.differences == pytest.approx((0.1, 0.2, 0.3))
    assert found.runs == 4


def test_differences_of_partitions_follow_one_another() -> None:
    found = paired_differences(np.array([A, B]), np.array([B, B]))
    assert found.differences == pytest.approx((0.03, 0.02, 0.04, 0.01, 0, 0, 0, 0), abs=1e-12)
    assert found.folds == tuple(range(8))


@settings(max_examples=50)
@given(RUNS, st.randoms(use_true_random=False))
def test_the_order_of_folds_and_of_seeds_in_them_changes_nothing(runs, random) -> None:
    rows = list(range(len(runs)))
    random.shuffle(rows)
    other = np.array([random.sample(row, len(row)) for row in runs[rows].tolist()])
    left, right = variance_components(runs), variance_components(other)
    for name in ("mean", "fold", "seed", "means_variance"):
        assert getattr(left, name) == pytest.approx(getattr(right, name), abs=1e-12)
