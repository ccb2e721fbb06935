"""Ratios of two methods' scores over data sets: several means, with intervals."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from boostbench.stats import _checks


@dataclass(frozen=True)
class Ratio:
    """A ratio of means with its interval.

    Attributes
    ----------
    ratio : float
        The ratio.
    low, high : float
        The ends of the interval, infinite where nothing bounds it.
    """

    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class FixedRatio:
    """A ratio of means on exactly these data sets.

    Attributes
    ----------
    ratio : float
        The ratio.
    se : float
        Its standard error.
    df : float
        Satterthwaite's degrees of freedom.
    low, high : float
        The ends of the interval.
    """

    ratio: float
    se: float
    df: float
    low: float
    high: float


@dataclass(frozen=True)
class RatioMeans:
    """Four means of one ratio, which need not agree: always name the one that you quote.

    Attributes
    ----------
    of_means : float
        The mean of a over the mean of b.
    mean : float
        The arithmetic mean of the ratios a / b.
    geometric : float
        Their geometric mean, NaN unless all ratios are positive.
    median : float
        Their median.
    carrier : int
        The position of the data set without which ``of_means`` changes most.
    without : float
        ``of_means`` without that data set.
    """

    of_means: float
    mean: float
    geometric: float
    median: float
    carrier: int
    without: float


def ratio_interval(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Ratio:
    """Return mean(a) / mean(b) over data sets like these, with Fieller's interval.

    The interval is the set of R for which the paired t-test of a - R b does not reject. It is
    unbounded where mean(b) is not clearly above 0, and with one data set.

    Parameters
    ----------
    a, b : array-like of shape (n_datasets,)
        The scores of two methods on the same data sets.
    level : float, default=0.95
        The level of the interval, above 0 and below 1.

    Returns
    -------
    Ratio
        The ratio, NaN where mean(b) is 0, and the ends of its interval.

    Raises
    ------
    ValueError
        If the lengths differ, a value is NaN or infinite, or ``level`` is not between 0 and 1.

    References
    ----------
    E. C. Fieller, "Some problems in interval estimation", Journal of the Royal Statistical Society
    B 16, 1954.

    Examples
    --------
    >>> from boostbench.stats import ratio_interval
    >>> found = ratio_interval([0.90, 0.80, 0.70, 0.85], [0.70, 0.75, 0.30, 0.80])
    >>> round(found.ratio, 6), round(found.low, 6), round(found.high, 6)
    (1.27451, 0.909599, 2.574664)
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
    """Return mean(a) / mean(b) on exactly these data sets, if only the folds were others.

    By the delta method the squared standard error is sum_i var(a_if - R b_if) / k / (n mean b)^2,
    over n data sets i and their k folds f.

    Parameters
    ----------
    a, b : array-like of shape (n_datasets, n_folds)
        The fold means of two methods. A fold that is NaN on either side counts on neither.
    level : float, default=0.95
        The level of the interval, above 0 and below 1.

    Returns
    -------
    FixedRatio
        The ratio with its standard error, degrees of freedom and interval.

    Raises
    ------
    ValueError
        If the shapes differ, a value is infinite, a data set has fewer than two folds on both
        sides, mean(b) is not above 0, or ``level`` is not between 0 and 1.

    Examples
    --------
    >>> from boostbench.stats import ratio_interval_fixed
    >>> a = [[0.90, 0.88, 0.92, 0.90], [0.80, 0.78, 0.82, 0.80]]
    >>> b = [[0.70, 0.66, 0.74, 0.70], [0.60, 0.64, 0.56, 0.60]]
    >>> found = ratio_interval_fixed(a, b)
    >>> round(found.ratio, 6), round(found.se, 6), round(found.df, 4)
    (1.307692, 0.024871, 4.1519)
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
    """Return four means of the ratios a / b, and the data set that changes the ratio of means most.

    Parameters
    ----------
    a, b : array-like of shape (n_datasets,)
        The scores of two methods on the same data sets, at least two.

    Returns
    -------
    RatioMeans
        The four means, and the ratio of means without one data set.

    Raises
    ------
    ValueError
        If the lengths differ or are below two, a value is NaN or infinite, a value of ``b`` is 0,
        or ``b`` has a mean of 0, with or without one data set.

    Examples
    --------
    >>> from boostbench.stats import ratio_means
    >>> found = ratio_means([0.9, 0.8, 0.8], [0.6, 0.8, 0.2])
    >>> round(found.of_means, 4), round(found.mean, 4), found.median, found.carrier
    (1.5625, 2.1667, 1.5, 1)
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
