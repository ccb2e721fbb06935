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
    """Wilcoxon's signed-rank test: rank sums, two-sided ``p``, and its details.

    ``effect`` is (r_plus - r_minus) / (r_plus + r_minus), 0 where all differences are; ``n`` counts
    all differences, ``zeros`` those that are 0.
    """

    r_plus: float
    r_minus: float
    p: float
    effect: float
    n: int
    zeros: int


@dataclass(frozen=True)
class Friedman:
    """Friedman's test: ``ranks`` (m,) are mean ranks, 1 the best.

    ``f`` and ``p_f`` are Iman and Davenport's, ``f`` infinite where all data sets rank the methods
    alike, NaN of one data set.
    """

    ranks: tuple[float, ...]
    chi2: float
    p: float
    f: float
    p_f: float


@dataclass(frozen=True)
class WinTieLoss:
    """How many differences are above, within and below the region of practical equivalence."""

    wins: int
    ties: int
    losses: int


def wilcoxon(differences: ArrayLike) -> Wilcoxon:
    """Return Wilcoxon's signed-rank test of ``differences`` (n,), one per data set.

    They are rounded to 12 decimals, so that ties are ties. Zeros are ranked and then dropped
    (Pratt, JASA 54, 1959). For up to 50 other differences the p-value is exact, ties or not: all
    sign patterns of the mid-ranks are counted; above, it is the normal approximation.
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

    ``leads`` (n,) is by how much the first is better on each data set; positions in it are
    returned, the most important first. The result is exact: a sum without k values is least without
    the k largest. ``None`` if no data sets reverse it, as when all leads have the same sign or the
    mean is 0.
    """
    rounded = np.round(_checks.known(leads, "leads"), _DECIMALS)
    ahead = rounded * np.sign(np.round(rounded.sum(), _DECIMALS))
    order = np.argsort(-ahead, kind="stable")
    rest = np.cumsum(ahead[order][::-1])[::-1]
    (turned,) = np.nonzero(np.round(rest, _DECIMALS) < 0)
    return tuple(order[: turned[0]].tolist()) if len(turned) else None


def holm(p: ArrayLike) -> Floats:
    """Return the p-values ``p`` (m,) of one family, adjusted by Holm's step-down method.

    Source: Holm, Scandinavian Journal of Statistics 6 (1979).
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
    """Return Friedman's test of ``scores`` (N data sets, m methods), corrected for ties.

    Scores are rounded to 12 decimals and get mid-ranks. Where every row is tied, chi2 is 0 and p 1.
    Source: Demsar, JMLR 7 (2006); f = (N-1) chi2 / (N (m-1) - chi2), Iman and Davenport (1980).
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
    """Return the critical difference of the mean ranks of ``m`` methods on ``n`` data sets.

    q(1 - alpha; m, inf) / sqrt(2) * sqrt(m (m+1) / (6 n)). For diagrams only: mean ranks of two
    methods depend on the others (Benavoli et al., JMLR 17, 2016); test pairs by :func:`wilcoxon`.
    """
    m, n = _checks.at_least(m, 2, "m"), _checks.at_least(n, 1, "n")
    alpha = _checks.share(alpha, "alpha")
    quantile = float(scipy.stats.studentized_range.ppf(1.0 - alpha, m, np.inf))
    return quantile / float(np.sqrt(2.0)) * float(np.sqrt(m * (m + 1) / (6.0 * n)))


def win_tie_loss(differences: ArrayLike, rope: float) -> WinTieLoss:
    """Return how many ``differences`` (n,) are wins, ties and losses.

    A tie is at most ``rope`` in size, after rounding to 12 decimals.
    """
    rounded = np.round(_checks.known(differences, "differences"), _DECIMALS)
    rope = _checks.not_negative(rope, "rope")
    wins, losses = int((rounded > rope).sum()), int((rounded < -rope).sum())
    return WinTieLoss(wins, len(rounded) - wins - losses, losses)
