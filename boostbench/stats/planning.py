"""How many more seeds or partitions decide, if the difference does not change.

The answers are plans for the next run, not a licence to stop when a verdict is reached: fix the
numbers beforehand.
"""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
import scipy

from boostbench.stats import _checks
from boostbench.stats._checks import Floats
from boostbench.stats.equivalence import ROUNDING

MOST = 1_000_000
"""A number of seeds or partitions above this one counts as none that decides."""

_SCANNED = 4096


def seeds_to_decide(
    difference: float,
    fold: float,
    seed: float,
    folds: int,
    margin: float,
    *,
    test_ratio: float = 0.0,
    other_se: float = 0.0,
    other_df: float = np.inf,
    rounding: float = ROUNDING,
    alpha: float = 0.05,
) -> int | None:
    """Return the least number of seeds whose verdict is not *inconclusive*.

    The difference is taken to stay as it is. The squared standard error with s seeds is
    (1/folds + test_ratio) (fold + seed / s) + other_se^2. For A against B take the components of
    their differences, ``test_ratio`` = n_test / n_train, ``margin`` 0, ``rounding`` 0 and ``alpha``
    .025: then it is the number of seeds whose 95 % interval leaves out 0.

    Parameters
    ----------
    difference : float
        The difference of the means, in the unit of the scores.
    fold, seed : float
        The variance components (:func:`variance_components`) that were measured, at least 0.
    folds : int
        The number of folds, of all partitions, that will be run.
    margin : float
        The margin of equivalence, at least 0.
    test_ratio : float, default=0.0
        The number of test rows over that of training rows, for a verdict on new rows.
    other_se : float, default=0.0
        The standard error of the published mean.
    other_df : float, default=inf
        Its degrees of freedom, above 0.
    rounding : float, default=0.0005
        Half a unit of the last printed decimal of the published mean.
    alpha : float, default=0.05
        The level of each one-sided test, above 0 and below 1.

    Returns
    -------
    int or None
        The number of seeds in each fold, or None if no number up to a million decides, as with one
        fold.

    Raises
    ------
    ValueError
        If a number is outside its range.

    Examples
    --------
    >>> from boostbench.stats import seeds_to_decide
    >>> seeds_to_decide(0.004, 4e-6, 4e-4, 4, margin=0.01, other_se=0.001, other_df=3)
    22
    """
    fold, seed = _checks.not_negative(fold, "fold"), _checks.not_negative(seed, "seed")
    n = _checks.at_least(folds, 1, "folds")
    factor = 1.0 / n + _checks.not_negative(test_ratio, "test_ratio")
    other = _checks.not_negative(other_se, "other_se") ** 2
    if not other_df > 0:
        raise ValueError(f"other_df must be above 0, not {other_df}")
    if n == 1:
        return None

    def error(seeds: Floats) -> tuple[Floats, Floats]:
        own = factor * (fold + seed / seeds)
        total = own + other
        spread = own**2 / (n - 1) + other**2 / other_df
        df = np.divide(total**2, spread, out=np.full_like(own, n - 1.0), where=spread > 0)
        return np.sqrt(total), df

    return _least(error, difference, margin, rounding, alpha)


def partitions_to_decide(
    difference: float,
    variance: float,
    margin: float,
    *,
    least_variance: float,
    folds: int = 1,
    rounding: float = ROUNDING,
    alpha: float = 0.05,
) -> int | None:
    """Return the least number of partitions whose verdict is not *inconclusive*.

    The difference is taken to stay as it is. The squared standard error with P partitions is
    variance / (folds P) + ``least_variance``, with folds P - 1 degrees of freedom. Against a
    published mean, ``variance`` is that of the partition means, ``folds`` 1 and ``least_variance``
    the ``one`` of :func:`partition_se`. For A against B, ``variance`` is that of the differences of
    fold means, ``least_variance`` n_test / n_train times it, ``margin`` and ``rounding`` 0 and
    ``alpha`` .025.

    Parameters
    ----------
    difference : float
        The difference of the means, in the unit of the scores.
    variance : float
        The measured variance, at least 0.
    margin : float
        The margin of equivalence, at least 0.
    least_variance : float
        The part of the squared standard error that stays however many partitions are run.
    folds : int, default=1
        How many values of the measured variance a partition has.
    rounding : float, default=0.0005
        Half a unit of the last printed decimal of the published mean.
    alpha : float, default=0.05
        The level of each one-sided test, above 0 and below 1.

    Returns
    -------
    int or None
        The number of partitions, or None if no number up to a million decides.

    Raises
    ------
    ValueError
        If a number is outside its range.

    Examples
    --------
    >>> from boostbench.stats import partitions_to_decide
    >>> partitions_to_decide(-0.003, 2.35e-5, margin=0.011, least_variance=1.85e-5)
    28
    >>> print(partitions_to_decide(-0.003, 2.35e-5, margin=0.01, least_variance=1.85e-5))
    None
    """
    variance = _checks.not_negative(variance, "variance")
    least = _checks.not_negative(least_variance, "least_variance")
    k = _checks.at_least(folds, 1, "folds")

    def error(partitions: Floats) -> tuple[Floats, Floats]:
        n = k * partitions
        return np.sqrt(variance / n + least), n - 1.0

    return _least(error, difference, margin, rounding, alpha)


def _least(
    error: Callable[[Floats], tuple[Floats, Floats]],
    difference: float,
    margin: float,
    rounding: float,
    alpha: float,
) -> int | None:
    size = abs(_checks.finite(difference))
    margin = _checks.not_negative(margin, "margin")
    rounding = _checks.not_negative(rounding, "rounding")
    alpha = _checks.share(alpha, "alpha")

    def decided(numbers: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        se, df = error(numbers)
        known = df > 0
        width = rounding + scipy.special.stdtrit(np.where(known, df, 1.0), 1.0 - alpha) * se
        return np.asarray(known & ((size + width < margin) | (size - width > margin)))

    # Welch's degrees of freedom can fall while runs are added, so few numbers are tried one by one.
    first = decided(np.arange(1.0, _SCANNED + 1.0))
    if first.any():
        return int(first.argmax()) + 1
    more = range(_SCANNED + 1, MOST + 1)
    place = bisect_left(more, True, key=lambda number: bool(decided(np.array([float(number)]))[0]))
    return more[place] if place < len(more) else None
