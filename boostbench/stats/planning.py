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
    """Return the least number of seeds whose verdict is not *inconclusive*, None if none decides.

    ``fold`` and ``seed`` are the variance components measured on ``folds`` folds (of all
    partitions), ``other_se`` and ``other_df`` belong to the published mean; the rest is as for
    :func:`~boostbench.stats.equivalence.equivalence`. The squared standard error with s seeds is
    (1/folds + test_ratio) (fold + seed / s) + other_se^2. For A against B take their differences,
    ``test_ratio`` = n_test / n_train, ``margin`` 0, ``rounding`` 0 and ``alpha`` .025: then it is
    the number of seeds whose 95 % interval leaves out 0.
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
    """Return the least number of partitions whose verdict is not *inconclusive*, or None.

    The squared standard error with P partitions is variance / (folds P) + ``least_variance``, with
    folds P - 1 degrees of freedom. Against a published mean, ``variance`` is that of the partition
    means, ``folds`` 1 and ``least_variance`` the ``one`` of
    :func:`~boostbench.stats.equivalence.partition_se`. For A against B, ``variance`` is that of the
    differences of fold means, ``least_variance`` n_test / n_train times it, ``margin`` and
    ``rounding`` 0 and ``alpha`` .025.
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
