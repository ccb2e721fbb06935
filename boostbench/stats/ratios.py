"""Ratios of two methods' scores over data sets: several means, with intervals."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from boostbench.stats import _checks


@dataclass(frozen=True)
class Ratio:
    """A ratio with its interval, unbounded where nothing bounds it."""

    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class FixedRatio:
    """A ratio on exactly these data sets: ``se`` with ``df`` degrees of freedom."""

    ratio: float
    se: float
    df: float
    low: float
    high: float


@dataclass(frozen=True)
class RatioMeans:
    """Four means of one ratio, which need not agree: always name the one you quote.

    ``of_means`` is mean(a) / mean(b); ``mean``, ``geometric`` (NaN unless all ratios are positive)
    and ``median`` are of the ratios a / b. Without the data set number ``carrier``, ``of_means``
    changes most, to ``without``.
    """

    of_means: float
    mean: float
    geometric: float
    median: float
    carrier: int
    without: float


def ratio_interval(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Ratio:
    """Return mean(a) / mean(b) over data sets like these, with Fieller's interval.

    ``a`` and ``b`` (n,) are the scores of two methods on n data sets. The interval is the set of R
    for which the paired t-test of a - R b does not reject; it is unbounded where mean(b) is not
    clearly above 0, and with one data set. Source: Fieller, JRSS B 16 (1954).
    """
    first, second = _checks.pair(a, b)
    level = _checks.share(level, "level")
    n = len(first)
    mean_a, mean_b = float(first.mean()), float(second.mean())
    ratio = mean_a / mean_b if mean_b else float(np.nan)
    if n == 1 or mean_b <= 0.0:
        return Ratio(ratio, -np.inf, np.inf)
    (aa, ab), (_, bb) = (
        np.cov(first, second) * float(scipy.special.stdtrit(n - 1, (1 + level) / 2)) ** 2 / n
    )
    # (mean_b^2 - bb) R^2 - 2 (mean_a mean_b - ab) R + (mean_a^2 - aa) <= 0, and R = ratio is in it.
    square = mean_b**2 - bb
    half = mean_a * mean_b - ab
    constant = mean_a**2 - aa
    if square <= 0.0:
        return Ratio(ratio, -np.inf, np.inf)
    root = float(np.sqrt(max(0.0, half**2 - square * constant)))
    low, high = (half - root) / square, (half + root) / square
    return Ratio(ratio, float(min(ratio, low)), float(max(ratio, high)))


def ratio_interval_fixed(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> FixedRatio:
    """Return mean(a) / mean(b) on exactly these data sets, with other folds.

    ``a`` and ``b`` (n data sets, k folds) are fold means; a fold that is NaN on either side counts
    on neither. The delta method: the squared standard error is
    sum_i var(a_if - R b_if) / k / (n mean b)^2, with Satterthwaite's degrees of freedom.

    Raises ValueError also where a data set has fewer than two folds on both sides, or mean(b) is
    not above 0.
    """
    first, second = _checks.array(a, "a", ndim=(2,)), _checks.array(b, "b", ndim=(2,))
    _checks.same_shape(first, second)
    level = _checks.share(level, "level")
    both = ~np.isnan(first + second)
    counts = both.sum(axis=1)
    if (counts < 2).any():
        lacking = int(np.flatnonzero(counts < 2)[0])
        raise ValueError(f"a and b must have two folds in common in row {lacking}")
    first, second = np.where(both, first, np.nan), np.where(both, second, np.nan)
    mean_a = float(np.nanmean(first, axis=1).mean())
    mean_b = float(np.nanmean(second, axis=1).mean())
    if mean_b <= 0.0:
        raise ValueError(f"the mean of b must be above 0, not {mean_b}")
    ratio = mean_a / mean_b
    variances = np.nanvar(first - ratio * second, axis=1, ddof=1) / counts
    total = float(variances.sum())
    se = float(np.sqrt(total)) / (len(counts) * mean_b)
    spread = float(np.sum(variances**2 / (counts - 1)))
    df = total**2 / spread if spread > 0.0 else float(np.sum(counts - 1))
    width = float(scipy.special.stdtrit(df, (1 + level) / 2)) * se
    return FixedRatio(ratio, se, df, ratio - width, ratio + width)


def ratio_means(a: ArrayLike, b: ArrayLike) -> RatioMeans:
    """Return four means of the ratios of ``a`` and ``b`` (n,), and the data set that carries one.

    Raises ValueError also with fewer than two data sets, where a value of b is 0, and where b has
    a mean of 0, with or without one data set.
    """
    first, second = _checks.pair(a, b)
    n = len(first)
    if n < 2:
        raise ValueError("a and b must be of at least two data sets")
    sums = second.sum() - second
    if (second == 0).any() or not second.sum() or (sums == 0).any():
        raise ValueError("b, its mean, or its mean without one data set is 0")
    ratios = first / second
    of_means = float(first.sum() / second.sum())
    without = (first.sum() - first) / sums
    carrier = int(np.argmax(np.abs(without - of_means)))
    return RatioMeans(
        of_means=of_means,
        mean=float(ratios.mean()),
        geometric=float(np.exp(np.log(ratios).mean())) if (ratios > 0).all() else float(np.nan),
        median=float(np.median(ratios)),
        carrier=carrier,
        without=float(without[carrier]),
    )
