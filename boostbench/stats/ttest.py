"""A against B on one data set: the corrected resampled t-test."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from boostbench.stats import _checks
from boostbench.stats.components import se_over_rows


@dataclass(frozen=True)
class TTest:
    """A t-test of a mean against 0: ``p`` is two-sided, ``low`` to ``high`` the interval.

    With one difference only the mean is known: ``se``, ``t`` and ``p`` are NaN, the interval is
    unbounded.
    """

    mean: float
    se: float
    df: float
    t: float
    p: float
    low: float
    high: float


def corrected_ttest(differences: ArrayLike, test_ratio: float, level: float = 0.95) -> TTest:
    """Return the corrected resampled t-test of whether A is better than B on rows of this kind.

    ``differences`` (n,) are those of the fold means of n = folds x partitions folds, seeds averaged
    before (:func:`~boostbench.stats.components.paired_differences`); ``test_ratio`` is
    n_test / n_train. The squared standard error is (1/n + test_ratio) var, with n - 1 degrees of
    freedom. Where all differences are equal, p is 1 if they are 0, else 0.
    Source: Nadeau and Bengio, Machine Learning 52 (2003); r = partitions as in Bouckaert and Frank,
    PAKDD 2004.
    """
    values = _checks.known(differences, "differences")
    level = _checks.share(level, "level")
    mean = float(values[0] + np.mean(values - values[0]))
    error = se_over_rows(values[:, None], test_ratio)
    if np.isnan(error.se):
        return TTest(mean, error.se, error.df, np.nan, np.nan, -np.inf, np.inf)
    if error.se == 0.0:
        t = float(np.sign(mean)) * np.inf if mean else 0.0
        return TTest(mean, 0.0, error.df, t, 0.0 if mean else 1.0, mean, mean)
    t = mean / error.se
    width = error.half_width(level)
    p = 2.0 * float(scipy.special.stdtr(error.df, -abs(t)))
    return TTest(mean, error.se, error.df, t, p, mean - width, mean + width)
