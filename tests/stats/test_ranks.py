"""Methods over data sets: Wilcoxon, Holm, Friedman, Nemenyi, wins."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from stats_parts import FRIEDMAN

from boostbench.stats import friedman, holm, nemenyi_cd, wilcoxon, win_tie_loss

TENTHS = st.integers(-4, 4).map(lambda value: value / 10)


def _enumerated(differences: list[float]) -> float:
    """Return the two-sided p-value by trying every pattern of signs."""
    values = np.round(differences, 12)
    ranks = scipy_stats.rankdata(np.abs(values))
    kept, signs = ranks[values != 0], np.sign(values[values != 0])
    observed = abs(float(kept @ signs))
    sums = [abs(float(kept @ pattern)) for pattern in product((-1.0, 1.0), repeat=len(kept))]
    return sum(value >= observed for value in sums) / len(sums)


def test_wilcoxon_of_the_design() -> None:
    found = wilcoxon([0.02, 0.01, -0.01, 0.03, 0, 0.05, 0.01, 0.04])
    assert (found.r_plus, found.r_minus, found.n, found.zeros) == (32, 3, 8, 1)
    assert found.p == 0.0625
    assert found.effect == pytest.approx(0.828571, abs=5e-7)
    other = wilcoxon([0.10, 0.07, -0.02, 0.05, 0.03, -0.01, 0.08, 0.09])
    assert (other.r_plus, other.r_minus, other.p) == (33, 3, 0.0390625)


def test_differences_that_are_equal_on_paper_are_tied() -> None:
    scores = [(0.3, 0.2), (0.4, 0.3), (0.8, 0.7), (0.1, 0.2), (0.9, 0.9), (0.7, 0.4)]
    computed = [a - b for a, b in scores]
    assert len({abs(value) for value in computed}) > 3
    assert wilcoxon(computed) == wilcoxon([0.1, 0.1, 0.1, -0.1, 0.0, 0.3])


@settings(max_examples=80)
@given(st.lists(TENTHS, min_size=1, max_size=9))
def test_wilcoxon_counts_every_pattern_of_signs(differences: list[float]) -> None:
    found = wilcoxon(differences)
    assert found.p == pytest.approx(_enumerated(differences), abs=1e-15)
    reversed_ = wilcoxon([-value for value in differences])
    assert (reversed_.p, reversed_.effect) == (found.p, -found.effect)
    zeros = sum(value == 0 for value in differences)
    n = len(differences)
    assert found.r_plus + found.r_minus == n * (n + 1) / 2 - zeros * (zeros + 1) / 2


@pytest.mark.parametrize("n", [1, 5, 20, 50])
def test_wilcoxon_without_ties_is_that_of_scipy(n: int) -> None:
    differences = np.random.default_rng(n).normal(0.3, 1, n)
    expected = scipy_stats.wilcoxon(differences, method="exact")
    found = wilcoxon(differences)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)
    assert min(found.r_plus, found.r_minus) == expected.statistic


def test_wilcoxon_of_many_data_sets_is_the_normal_approximation() -> None:
    differences = np.round(np.random.default_rng(3).normal(0.2, 1, 60), 1)
    assert (differences == 0).any()
    found = wilcoxon(differences)
    assert 51 <= found.n - found.zeros < 60
    expected = scipy_stats.wilcoxon(
        differences, zero_method="pratt", method="approx", correction=False
    )
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_no_difference_at_all_is_no_evidence() -> None:
    found = wilcoxon([0.0, 0.0, 1e-14])
    assert (found.p, found.effect, found.n, found.zeros) == (1, 0, 3, 3)


def test_holm_of_the_design() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_is_that_of_statsmodels() -> None:
    multitest = pytest.importorskip(
        "statsmodels.stats.multitest", reason="statsmodels is not installed"
    )
    p = [0.04, 0.0, 0.01, 1.0, 0.02, 0.01, 0.6, 0.03]
    # Once: each call collects garbage.
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])


def _closed(p: list[float]) -> list[float]:
    """Return the largest p-value, by Bonferroni, of all sets of hypotheses with each one."""
    sets = [c for size in range(1, len(p) + 1) for c in combinations(range(len(p)), size)]
    of_set = {own: min(1.0, len(own) * min(p[i] for i in own)) for own in sets}
    return [max(of_set[own] for own in sets if i in own) for i in range(len(p))]


@settings(max_examples=40)
@given(st.lists(st.integers(0, 100).map(lambda p: p / 100), min_size=1, max_size=6))
def test_holm_rejects_what_every_set_of_hypotheses_rejects(p: list[float]) -> None:
    found = holm(p)
    assert found == pytest.approx(_closed(p))
    assert (found >= p).all()
    assert (found <= 1).all()


def test_friedman_and_nemenyi_of_the_design() -> None:
    found = friedman(FRIEDMAN)
    assert found.ranks == pytest.approx((1.583333, 2.25, 2.416667, 3.75), abs=5e-7)
    assert (found.chi2, found.p) == pytest.approx((9.368421, 0.024773), abs=5e-7)
    assert (found.f, found.p_f) == pytest.approx((5.426829, 0.009933), abs=5e-7)
    assert nemenyi_cd(4, 6) == pytest.approx(1.914843, abs=5e-7)


@pytest.mark.parametrize(
    ("m", "expected"), [(2, 1.9600), (3, 2.3437), (4, 2.5690), (5, 2.7278), (8, 3.0309)]
)
def test_quantiles_of_nemenyi(m: int, expected: float) -> None:
    assert nemenyi_cd(m, 1) / np.sqrt(m * (m + 1) / 6) == pytest.approx(expected, abs=6e-5)


@settings(max_examples=60)
@given(st.integers(2, 8), st.integers(3, 6), st.integers(0, 2**32 - 1), st.booleans())
def test_friedman_is_that_of_scipy(n: int, m: int, seed: int, greater_is_better: bool) -> None:
    scores = np.random.default_rng(seed).integers(0, 4, (n, m)) / 10
    found = friedman(scores, greater_is_better)
    assert sum(found.ranks) == pytest.approx(m * (m + 1) / 2)
    if (scores == scores[:, :1]).all():
        assert (found.chi2, found.p, found.p_f) == (0, 1, 1)
        return
    expected = scipy_stats.friedmanchisquare(*scores.T)
    assert found.chi2 == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)


def test_friedman_at_its_ends() -> None:
    same_order = np.array([[0.1, 0.2, 0.3]] * 4) + np.arange(4)[:, None]
    found = friedman(same_order)
    assert found.ranks == (3, 2, 1)
    assert (found.chi2, found.f, found.p_f) == (pytest.approx(8), np.inf, 0)
    assert friedman(same_order, greater_is_better=False).ranks == (1, 2, 3)
    one = friedman([[0.1, 0.2]])
    assert one.chi2 == pytest.approx(1)
    assert np.isnan([one.f, one.p_f]).all()
    tied = friedman([[0.3, 0.1 + 0.2]] * 3)
    assert (tied.ranks, tied.p) == ((1.5, 1.5), 1)


def test_wins_ties_and_losses() -> None:
    found = win_tie_loss([0.03, 0.01, -0.02, 0.002, -0.004], 0.005)
    assert (found.wins, found.ties, found.losses) == (2, 2, 1)
    edge = win_tie_loss([0.3 - 0.29, 0.29 - 0.3, 0.0101, -0.0101], 0.01)
    assert (edge.wins, edge.ties, edge.losses) == (1, 2, 1)
    exact = win_tie_loss([0.0, 1e-6], 0.0)
    assert (exact.wins, exact.ties, exact.losses) == (1, 1, 0)
