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
    """What an interval of a difference says, given the margin of equivalence.

    Its members are texts: ``EQUIVALENT`` is ``"equivalent"``, ``DIFFERENT`` is ``"different"`` and
    ``INCONCLUSIVE`` is ``"inconclusive"``.
    """

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Equivalence:
    """An interval of a difference, widened by the rounding, and its verdict.

    Attributes
    ----------
    low, high : float
        The ends of the interval, in the unit of the scores.
    p_equivalent : float
        The larger p-value of the two one-sided tests that the difference lies inside the margin.
    p_different : float
        The smaller p-value of the two one-sided tests that it lies beyond the margin.
    verdict : Verdict
        Equivalent, different or inconclusive.
    """

    low: float
    high: float
    p_equivalent: float
    p_different: float
    verdict: Verdict


@dataclass(frozen=True)
class PartitionError:
    """The standard error of measured - published mean.

    Attributes
    ----------
    se : float
        The standard error, in the unit of the scores.
    df : float
        Its degrees of freedom.
    one : float
        The variance of the published mean, a single partition. The square of ``se`` never falls
        below it, however many partitions are measured.
    """

    se: float
    df: float
    one: float


def published_se(sd: float, folds: int, seeds: int, share: float = 1.0) -> float:
    """Return the standard error of a published mean over folds and seeds.

    With k folds, s seeds, the share f and V = sd^2 / (f s (k-1) / (k s - 1) + 1 - f), the square of
    the standard error is V (f / k + (1-f) / (k s)).

    Parameters
    ----------
    sd : float
        The published standard deviation of all runs together, at least 0.
    folds : int
        The number k of folds.
    seeds : int
        The number s of seeds in each fold.
    share : float, default=1.0
        The part of the variance that is between folds, from 0 to 1. Nobody publishes it. The
        default is the most cautious and goes with k - 1 degrees of freedom; 0, as if only seeds
        varied, is the optimistic bound and goes with k s - 1.

    Returns
    -------
    float
        The standard error, in the unit of ``sd``; NaN where one run, or one fold with ``share`` 1,
        says nothing about it.

    Raises
    ------
    ValueError
        If ``sd`` is negative or not finite, ``folds`` or ``seeds`` is not a whole number of at
        least 1, or ``share`` is not from 0 to 1.

    Examples
    --------
    >>> from boostbench.stats import published_se
    >>> round(published_se(1.0, folds=4, seeds=20), 6)
    0.57373
    >>> round(published_se(1.0, folds=4, seeds=20, share=0.0), 6)
    0.111803
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

    The published mean is taken as one more partition of the same rows, or as the mean over several
    more. No published standard deviation is needed. The squared standard error is
    var(means) / P + one, with P - 1 degrees of freedom, where one =
    (max(0, var(means) - seed_variance / (k s)) + seed_variance / (k published_seeds)) /
    published_partitions, for k folds and s seeds.

    Parameters
    ----------
    means : array-like of shape (n_partitions,)
        The means of at least three measured partitions.
    seed_variance : float
        The seed component (:func:`variance_components`), in the squared unit of the scores.
    folds : int
        The number of folds of each partition.
    seeds : int
        The number of seeds measured in each fold.
    published_seeds : int
        The number of seeds in each fold of the published mean.
    published_partitions : int, default=1
        The number of partitions of the published mean.

    Returns
    -------
    PartitionError
        The standard error, its degrees of freedom and the part that no further partition reduces.

    Raises
    ------
    ValueError
        With fewer than three partitions, a value that is NaN or infinite, a negative
        ``seed_variance``, or a number of folds, seeds or partitions below 1.

    Examples
    --------
    >>> from boostbench.stats import partition_se
    >>> error = partition_se([0.860, 0.868, 0.855, 0.863, 0.859], 0.0001, 4, 4, 20)
    >>> round(error.se, 6), error.df, round(error.one, 7)
    (0.004817, 4.0, 1.85e-05)
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
    """Return whether a difference of means is practically none, by two one-sided t-tests.

    The interval of level 1 - 2 ``alpha`` is widened by ``rounding`` on both sides. The verdict is
    *equivalent* if it lies inside (-margin, margin), *different* if it lies wholly outside, else
    *inconclusive*. Only *equivalent* says that the means are equal.

    Parameters
    ----------
    difference : float
        The measured mean less the published one.
    se : float
        The standard error of the difference. Where it is NaN the interval is unbounded and both
        p-values are 1.
    df : float
        Its degrees of freedom. Where they are 0 the interval is unbounded and both p-values are 1.
    margin : float
        The largest difference that does not matter, in the unit of the scores. Choose it before
        looking at the difference.
    rounding : float, default=0.0005
        Half a unit of the last printed decimal of the published mean.
    alpha : float, default=0.05
        The level of each one-sided test, above 0 and below 1.

    Returns
    -------
    Equivalence
        The interval, both p-values and the verdict.

    Raises
    ------
    ValueError
        If ``difference`` is not finite, ``margin``, ``rounding`` or ``se`` is negative or not
        finite, or ``alpha`` is not between 0 and 1.

    References
    ----------
    D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for
    assessing the equivalence of average bioavailability", Journal of Pharmacokinetics and
    Biopharmaceutics 15, 1987.

    Examples
    --------
    >>> from boostbench.stats import equivalence
    >>> found = equivalence(0.004, se=0.002, df=6, margin=0.01)
    >>> round(found.low, 6), round(found.high, 6), str(found.verdict)
    (-0.000386, 0.008386, 'equivalent')
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
