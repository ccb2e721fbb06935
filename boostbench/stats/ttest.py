"""A against B on one data set: the corrected resampled t-test."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from boostbench.stats import _checks
from boostbench.stats.components import se_over_rows


@dataclass(frozen=True)
class TTest:
    """A t-test of whether a mean is 0.

    With one difference only the mean is known: ``se``, ``t`` and ``p`` are NaN and the interval is
    unbounded.

    Attributes
    ----------
    mean : float
        The mean difference, in the unit of the scores.
    se : float
        Its standard error.
    df : float
        The degrees of freedom.
    t : float
        The statistic, mean / se.
    p : float
        The two-sided p-value.
    low, high : float
        The ends of the interval of the mean.
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

    The squared standard error is (1/n + test_ratio) var(differences), with n - 1 degrees of
    freedom. Where all differences are equal, p is 1 if they are 0, else 0.

    Parameters
    ----------
    differences : array-like of shape (n,)
        The differences of the fold means of n = folds x partitions folds, seeds averaged before
        (:func:`paired_differences`).
    test_ratio : float
        The number of test rows over that of training rows; 1 / (k - 1) for k equal folds.
    level : float, default=0.95
        The level of the interval, above 0 and below 1.

    Returns
    -------
    TTest
        The mean, its standard error, t, p and interval.

    Raises
    ------
    ValueError
        If there is no value, one is NaN or infinite, ``test_ratio`` is negative or not finite, or
        ``level`` is not between 0 and 1.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
    R. R. Bouckaert and E. Frank, "Evaluating the replicability of significance tests for comparing
    learning algorithms", PAKDD 2004: r is the number of partitions.

    Examples
    --------
    >>> from boostbench.stats import corrected_ttest
    >>> test = corrected_ttest([0.03, 0.02, 0.04, 0.01], test_ratio=1 / 3)
    >>> round(test.mean, 3), round(test.t, 4), round(test.p, 4)
    (0.025, 2.5355, 0.085)
    >>> round(test.low, 4), round(test.high, 4)
    (-0.0064, 0.0564)
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
