"""Methods over data sets, one score each: Wilcoxon with Holm, Friedman with Nemenyi, wins."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from boostbench.stats import _checks
from boostbench.stats._checks import Floats

# Differences that are equal on paper differ in their last bits.
_DECIMALS = 12
# Up to here multiples of 2**-n are exact in double precision.
_EXACT = 50


@dataclass(frozen=True)
class Wilcoxon:
    """Wilcoxon's signed-rank test of differences.

    Attributes
    ----------
    r_plus, r_minus : float
        The sums of the ranks of the differences above and below 0.
    p : float
        The two-sided p-value.
    effect : float
        (r_plus - r_minus) / (r_plus + r_minus), from -1 to 1; 0 where all differences are 0.
    n : int
        The number of all differences.
    zeros : int
        The number of differences that are 0.
    """

    r_plus: float
    r_minus: float
    p: float
    effect: float
    n: int
    zeros: int


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of methods over data sets.

    Attributes
    ----------
    ranks : tuple of float, of length m
        The mean rank of each of the m methods, 1 the best.
    chi2 : float
        Friedman's statistic, with m - 1 degrees of freedom.
    p : float
        Its p-value.
    f : float
        Iman and Davenport's statistic, infinite where all data sets rank the methods alike, and NaN
        of one data set.
    p_f : float
        Its p-value.
    """

    ranks: tuple[float, ...]
    chi2: float
    p: float
    f: float
    p_f: float


@dataclass(frozen=True)
class WinTieLoss:
    """How many differences are above, within and below the region of practical equivalence.

    Attributes
    ----------
    wins, ties, losses : int
        The three numbers.
    """

    wins: int
    ties: int
    losses: int


def wilcoxon(differences: ArrayLike) -> Wilcoxon:
    """Return Wilcoxon's signed-rank test of differences, one for each data set.

    Differences are rounded to 12 decimals, so that ties are ties. Zeros are ranked and then dropped
    (Pratt). For up to 50 other differences the p-value is exact, ties or not: all sign patterns of
    the mid-ranks are counted. Above, it is the normal approximation.

    Parameters
    ----------
    differences : array-like of shape (n_datasets,)
        How much better the one method is than the other on each data set.

    Returns
    -------
    Wilcoxon
        The rank sums, the p-value and the effect.

    Raises
    ------
    ValueError
        If there is no value, or one is NaN or infinite.

    References
    ----------
    J. W. Pratt, "Remarks on zeros and ties in the Wilcoxon signed rank procedures", Journal of the
    American Statistical Association 54, 1959. J. Demsar, "Statistical comparisons of classifiers
    over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> from boostbench.stats import wilcoxon
    >>> test = wilcoxon([0.02, 0.01, -0.01, 0.03, 0, 0.05, 0.01, 0.04])
    >>> test.r_plus, test.r_minus, test.p, round(test.effect, 6)
    (32.0, 3.0, 0.0625, 0.828571)
    """
    rounded = np.round(_checks.known(differences, "differences"), _DECIMALS)
    ranks = scipy.stats.rankdata(np.abs(rounded))
    r_plus = float(ranks[rounded > 0].sum())
    r_minus = float(ranks[rounded < 0].sum())
    signed = ranks[rounded != 0]
    total = r_plus + r_minus
    return Wilcoxon(
        r_plus=r_plus,
        r_minus=r_minus,
        p=_signed_rank_p(signed, max(r_plus, r_minus)),
        effect=(r_plus - r_minus) / total if total else 0.0,
        n=len(rounded),
        zeros=len(rounded) - len(signed),
    )


def _signed_rank_p(ranks: Floats, larger: float) -> float:
    """Return the two-sided p-value of the larger rank sum of the mid-ranks ``ranks``."""
    if not len(ranks):
        return 1.0
    if len(ranks) > _EXACT:
        sd = np.sqrt(np.sum(ranks**2)) / 2.0
        return min(1.0, 2.0 * float(scipy.special.ndtr((ranks.sum() / 2.0 - larger) / sd)))
    # Mid-ranks are halves: doubled they are whole numbers. Each has either sign with half a chance.
    doubled = np.rint(2.0 * ranks).astype(np.int64)
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(chances)
        shifted[rank:] = chances[: len(chances) - rank]
        chances = (chances + shifted) / 2.0
    return min(1.0, 2.0 * float(chances[round(2.0 * larger) :].sum()))


def fewest_to_reverse(leads: ArrayLike) -> tuple[int, ...] | None:
    """Return the fewest data sets without which the order of two methods by mean reverses.

    The result is exact: a sum without k values is least without the k largest.

    Parameters
    ----------
    leads : array-like of shape (n_datasets,)
        By how much the first method is better on each data set.

    Returns
    -------
    tuple of int, or None
        Positions in ``leads``, the most important first. None if no data sets reverse the order, as
        when all leads have the same sign or their mean is 0.

    Raises
    ------
    ValueError
        If there is no value, or one is NaN or infinite.

    Examples
    --------
    >>> from boostbench.stats import fewest_to_reverse
    >>> fewest_to_reverse([0.30, -0.02, 0.01, -0.05])
    (0,)
    """
    rounded = np.round(_checks.known(leads, "leads"), _DECIMALS)
    ahead = rounded * np.sign(np.round(rounded.sum(), _DECIMALS))
    order = np.argsort(-ahead, kind="stable")
    rest = np.cumsum(ahead[order][::-1])[::-1]
    (turned,) = np.nonzero(np.round(rest, _DECIMALS) < 0)
    return tuple(order[: turned[0]].tolist()) if len(turned) else None


def holm(p: ArrayLike) -> Floats:
    """Return p-values of one family, adjusted by Holm's step-down method.

    Parameters
    ----------
    p : array-like of shape (m,)
        The p-values of all tests of the family, from 0 to 1.

    Returns
    -------
    ndarray of shape (m,)
        The adjusted p-values, in the order of ``p``.

    Raises
    ------
    ValueError
        If there is no value, or one is NaN or not from 0 to 1.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6, 1979.

    Examples
    --------
    >>> from boostbench.stats import holm
    >>> holm([0.01, 0.04, 0.03, 0.005])
    array([0.03, 0.06, 0.06, 0.02])
    """
    values = _checks.known(p, "p")
    if (values < 0).any() or (values > 1).any():
        raise ValueError("p must be from 0 to 1")
    order = np.argsort(values, kind="stable")
    factors = len(values) - np.arange(len(values))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * values[order]))
    return adjusted


def friedman(scores: ArrayLike, greater_is_better: bool = True) -> Friedman:
    """Return Friedman's test of methods over data sets, corrected for ties.

    Scores are rounded to 12 decimals and get mid-ranks. Where every row is tied, chi2 is 0 and p 1.
    Iman and Davenport's statistic is f = (N-1) chi2 / (N (m-1) - chi2), for N data sets and m
    methods.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        One score of each method on each data set; at least two methods.
    greater_is_better : bool, default=True
        Whether the largest score has rank 1.

    Returns
    -------
    Friedman
        The mean ranks and both statistics with their p-values.

    Raises
    ------
    ValueError
        If there are fewer than two methods, or a value is NaN or infinite.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
    R. L. Iman and J. M. Davenport, "Approximations of the critical region of the Friedman
    statistic", Communications in Statistics A9, 1980.

    Examples
    --------
    >>> from boostbench.stats import friedman
    >>> test = friedman([[0.81, 0.80, 0.75], [0.90, 0.91, 0.85], [0.66, 0.60, 0.59]])
    >>> [round(rank, 3) for rank in test.ranks], round(test.chi2, 3), round(test.p, 3)
    ([1.333, 1.667, 3.0], 4.667, 0.097)
    """
    rounded = np.round(_checks.known(scores, "scores", ndim=(2,)), _DECIMALS)
    n, m = rounded.shape
    if m < 2:
        raise ValueError("scores must be of at least two methods")
    ranks = scipy.stats.rankdata(-rounded if greater_is_better else rounded, axis=1)
    means = ranks.mean(axis=0)
    shown = tuple(means.tolist())
    # A row without ties has m (m^2 - 1) / 12. scipy.stats.friedmanchisquare refuses two methods.
    spread = float(np.sum((ranks - (m + 1) / 2.0) ** 2))
    if spread == 0.0:
        return Friedman(shown, 0.0, 1.0, 0.0, 1.0)
    chi2 = (m - 1) * n**2 * float(np.sum((means - (m + 1) / 2.0) ** 2)) / spread
    p = float(scipy.special.chdtrc(m - 1, chi2))
    if n == 1:
        return Friedman(shown, chi2, p, np.nan, np.nan)
    rest = n * (m - 1) - chi2
    f = (n - 1) * chi2 / rest if rest > 1e-9 else np.inf
    return Friedman(shown, chi2, p, f, float(scipy.special.fdtrc(m - 1, (m - 1) * (n - 1), f)))


def nemenyi_cd(m: int, n: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks.

    It is q(1 - alpha; m, inf) / sqrt(2) * sqrt(m (m+1) / (6 n)), q being the quantile of the
    studentized range. Use it for diagrams only: mean ranks of two methods depend on the others.
    Test pairs by :func:`wilcoxon`.

    Parameters
    ----------
    m : int
        The number of methods, at least 2.
    n : int
        The number of data sets, at least 1.
    alpha : float, default=0.05
        The level, above 0 and below 1.

    Returns
    -------
    float
        Two methods differ whose mean ranks are further apart.

    Raises
    ------
    ValueError
        If a number is outside its range.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
    A. Benavoli, G. Corani and F. Mangili, "Should we really use post-hoc tests based on
    mean-ranks?", JMLR 17, 2016.

    Examples
    --------
    >>> from boostbench.stats import nemenyi_cd
    >>> round(nemenyi_cd(4, 6), 6)
    1.914843
    """
    m, n = _checks.at_least(m, 2, "m"), _checks.at_least(n, 1, "n")
    alpha = _checks.share(alpha, "alpha")
    quantile = float(scipy.stats.studentized_range.ppf(1.0 - alpha, m, np.inf))
    return quantile / float(np.sqrt(2.0)) * float(np.sqrt(m * (m + 1) / (6.0 * n)))


def win_tie_loss(differences: ArrayLike, rope: float) -> WinTieLoss:
    """Return how many differences are wins, ties and losses.

    Parameters
    ----------
    differences : array-like of shape (n_datasets,)
        How much better the one method is than the other on each data set.
    rope : float
        The region of practical equivalence: a difference of at most this size, after rounding to 12
        decimals, is a tie.

    Returns
    -------
    WinTieLoss
        The three numbers.

    Raises
    ------
    ValueError
        If there is no value, one is NaN or infinite, or ``rope`` is negative.

    Examples
    --------
    >>> from boostbench.stats import win_tie_loss
    >>> win_tie_loss([0.03, 0.01, -0.02, 0.002, -0.004], rope=0.005)
    WinTieLoss(wins=2, ties=2, losses=1)
    """
    rounded = np.round(_checks.known(differences, "differences"), _DECIMALS)
    rope = _checks.not_negative(rope, "rope")
    wins, losses = int((rounded > rope).sum()), int((rounded < -rope).sum())
    return WinTieLoss(wins, len(rounded) - wins - losses, losses)
