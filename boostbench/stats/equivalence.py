"""A measured mean against a published one: equivalent, different or inconclusive."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import scipy
from numpy.typing import ArrayLike

from boostbench.stats import _checks

ROUNDING = 0.0005
"""Half a unit of the third decimal, the last one that the papers print."""


class Verdict(StrEnum):
    """The verdict of an interval of a difference, given the margin of equivalence."""

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Equivalence:
    """An interval of a difference, widened by the rounding, and its verdict.

    ``p_equivalent`` is the larger p-value of the two one-sided tests that the difference lies
    inside the margin, ``p_different`` the smaller one that it lies beyond.
    """

    low: float
    high: float
    p_equivalent: float
    p_different: float
    verdict: Verdict


@dataclass(frozen=True)
class PartitionError:
    """The standard error ``se`` of measured - published mean, with ``df`` degrees of freedom.

    ``one`` is the variance of the published mean, a single partition: the square of ``se`` never
    falls below it, however many partitions are measured.
    """

    se: float
    df: float
    one: float


def published_se(sd: float, folds: int, seeds: int, share: float = 1.0) -> float:
    """Return the standard error of a published mean over ``folds`` x ``seeds`` runs.

    ``sd`` is the published standard deviation of all these runs together, ``share`` the part of
    their variance that is between folds, in [0, 1]. Nobody publishes it; 1 is the most cautious and
    goes with folds - 1 degrees of freedom, 0 (seeds only, the optimistic bound) with
    folds * seeds - 1.
    With V = sd^2 / (f s (k-1) / (k s - 1) + 1 - f), its square is V (f / k + (1-f) / (k s)).
    """
    sd = _checks.not_negative(sd, "sd")
    k, s = _checks.at_least(folds, 1, "folds"), _checks.at_least(seeds, 1, "seeds")
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share must be from 0 to 1, not {share}")
    # One fold or one run shows nothing of the variance between folds.
    seen = share * s * (k - 1) / (k * s - 1) + 1.0 - share if k * s > 1 else 0.0
    if seen <= 0.0:
        return float(np.nan)
    return float(np.sqrt(sd**2 / seen * (share / k + (1.0 - share) / (k * s))))


def partition_se(
    means: ArrayLike,
    seed_variance: float,
    folds: int,
    seeds: int,
    published_seeds: int,
    published_partitions: int = 1,
) -> PartitionError:
    """Return the standard error of measured - published mean, from several partitions.

    The published mean is taken as one more partition of the same rows, with ``published_seeds``
    seeds, or as the mean over ``published_partitions`` more. ``means`` (P,) are those of P >= 3
    measured partitions of ``folds`` x ``seeds`` runs, ``seed_variance`` is the seed component. Its
    square is var(means) / P + one, where
    one = (max(0, var(means) - seed_variance / (k s)) + seed_variance / (k published_seeds)) /
    published_partitions, with P - 1 degrees of freedom. No published sd is needed.

    Raises ValueError also with fewer than three partitions.
    """
    measured = _checks.known(means, "means")
    if len(measured) < 3:
        raise ValueError(f"means must be of at least 3 partitions, not {len(measured)}")
    seed_variance = _checks.not_negative(seed_variance, "seed_variance")
    k, s = _checks.at_least(folds, 1, "folds"), _checks.at_least(seeds, 1, "seeds")
    published = _checks.at_least(published_seeds, 1, "published_seeds")
    variance = _checks.variance(measured)
    one = max(0.0, variance - seed_variance / (k * s)) + seed_variance / (k * published)
    one /= _checks.at_least(published_partitions, 1, "published_partitions")
    return PartitionError(float(np.sqrt(variance / len(measured) + one)), len(measured) - 1.0, one)


def equivalence(
    difference: float,
    se: float,
    df: float,
    margin: float,
    rounding: float = ROUNDING,
    alpha: float = 0.05,
) -> Equivalence:
    """Return whether a difference of means is practically none: two one-sided t-tests.

    The interval of level 1 - 2 ``alpha`` is widened by ``rounding`` on both sides. The verdict is
    *equivalent* if it lies inside (-margin, margin), *different* if it lies wholly outside, else
    *inconclusive*; only *equivalent* says that the means are equal. Where ``se`` is NaN or ``df``
    0 the interval is unbounded and both p-values are 1. Choose ``margin`` before looking.
    Source: Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15 (1987).
    """
    difference = _checks.finite(difference)
    margin = _checks.not_negative(margin, "margin")
    rounding = _checks.not_negative(rounding, "rounding")
    alpha = _checks.share(alpha, "alpha")
    if np.isnan(se) or not df > 0:
        return Equivalence(-np.inf, np.inf, 1.0, 1.0, Verdict.INCONCLUSIVE)
    se = _checks.not_negative(se, "se")
    width = float(scipy.special.stdtrit(df, 1.0 - alpha)) * se + rounding
    low, high = float(difference - width), float(difference + width)
    size = abs(difference)
    if -margin < low and high < margin:
        verdict = Verdict.EQUIVALENT
    elif low > margin or high < -margin:
        verdict = Verdict.DIFFERENT
    else:
        verdict = Verdict.INCONCLUSIVE
    return Equivalence(
        low=low,
        high=high,
        p_equivalent=_one_sided(margin - size - rounding, se, df),
        p_different=_one_sided(size - rounding - margin, se, df),
        verdict=verdict,
    )


def _one_sided(distance: float, se: float, df: float) -> float:
    if se == 0.0:
        return 0.0 if distance > 0 else 1.0
    return float(scipy.special.stdtr(df, -distance / se))
