"""How runs vary over folds and seeds, and the standard errors that follow for two questions."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from boostbench.stats import _checks
from boostbench.stats._checks import Floats


@dataclass(frozen=True)
class VarianceComponents:
    """Variances of runs between folds and between the seeds inside a fold.

    Unknown values are NaN: with one seed in every fold the two components, with one fold
    ``means_variance`` and ``fold``.

    Attributes
    ----------
    mean : float
        The mean of the fold means, in the unit of the scores.
    fold : float
        The variance of the folds' true means, in the squared unit of the scores; at least 0.
    seed : float
        The variance of seeds inside a fold, in the squared unit of the scores.
    means_variance : float
        The sample variance of the fold means, which holds both components.
    share : float
        The part of the fold component in the sum of both, from 0 to 1.
    """

    mean: float
    fold: float
    seed: float
    means_variance: float
    share: float


@dataclass(frozen=True)
class StandardError:
    """The standard error of a mean and its degrees of freedom.

    Attributes
    ----------
    se : float
        The standard error, in the unit of the mean; NaN where ``df`` is 0.
    df : float
        Its degrees of freedom.
    """

    se: float
    df: float

    def half_width(self, level: float = 0.95) -> float:
        """Return half the width of the t-interval of the mean.

        Parameters
        ----------
        level : float, default=0.95
            The probability with which the interval covers the true mean, above 0 and below 1.

        Returns
        -------
        float
            The quantile of Student's t times ``se``, NaN where ``df`` is 0.
        """
        return float(scipy.special.stdtrit(self.df, (1.0 + level) / 2.0)) * self.se


@dataclass(frozen=True)
class PairedDifferences:
    """Differences a - b, one for each fold of which both sides have a run.

    Attributes
    ----------
    differences : tuple of float, of length n
        For each of the n folds the mean difference over the seeds that both sides have.
    folds : tuple of int, of length n
        The positions of these folds in the compared arrays, with partitions one after the other.
    runs : int
        How many runs both sides have.
    """

    differences: tuple[float, ...]
    folds: tuple[int, ...]
    runs: int


def variance_components(runs: ArrayLike) -> VarianceComponents:
    """Return the variances of runs between folds and between seeds inside a fold.

    This is the analysis of variance of seeds that are nested in folds. The seed component is the
    pooled variance inside folds (MSW, ddof 1). The fold component is
    max(0, v - MSW mean(1/s_f)), where v is the variance of the k fold means (ddof 1) and s_f the
    number of runs of fold f. REML gives the same for complete runs where the fold component is
    positive.

    Parameters
    ----------
    runs : array-like of shape (n_folds, n_seeds)
        The scores, NaN where a run is missing. Folds without any run are left out.

    Returns
    -------
    VarianceComponents
        Both components, the mean and the share of the folds.

    Raises
    ------
    ValueError
        If ``runs`` has another number of dimensions, an infinite value, or no run at all.

    References
    ----------
    S. R. Searle, G. Casella and C. E. McCulloch, "Variance Components", 1992: unweighted means.

    Examples
    --------
    >>> from boostbench.stats import variance_components
    >>> runs = [[0.80, 0.82, 0.81], [0.75, 0.77, 0.79], [0.85, 0.84, 0.86], [0.78, 0.80, 0.79]]
    >>> found = variance_components(runs)
    >>> round(found.fold, 6), round(found.seed, 6), round(found.share, 4)
    (0.001108, 0.000175, 0.8636)
    """
    means, counts, within, df = _nested(_checks.array(runs, "runs", ndim=(2,)))
    seed = within / df if df else np.nan
    variance = _checks.variance(means) if len(means) > 1 else np.nan
    fold = max(0.0, variance - seed * float(np.mean(1.0 / counts)))
    if np.isnan(variance + seed):
        fold = np.nan
    total = fold + seed
    return VarianceComponents(
        mean=float(np.mean(means)),
        fold=fold,
        seed=seed,
        means_variance=variance,
        share=fold / total if total > 0 else np.nan,
    )


def se_over_partitions(runs: ArrayLike) -> StandardError:
    """Return the standard error of the mean for another partition of these rows into folds.

    From three partitions or more its square is var(partition means) / P, with P - 1 degrees of
    freedom. From fewer it is v / (k P), where v is the mean over partitions of the variance of
    their k fold means, with P (k - 1) degrees of freedom. That is far too wide, because the folds
    of one partition complete each other.

    Parameters
    ----------
    runs : array-like of shape (n_folds, n_seeds) or (n_partitions, n_folds, n_seeds)
        The scores, NaN where a run is missing.

    Returns
    -------
    StandardError
        The standard error with its degrees of freedom.

    Raises
    ------
    ValueError
        If ``runs`` has another number of dimensions, an infinite value, or a partition without
        any run.

    Examples
    --------
    >>> from boostbench.stats import se_over_partitions
    >>> error = se_over_partitions([[[0.80], [0.76]], [[0.79], [0.79]], [[0.82], [0.78]]])
    >>> round(error.se, 5), error.df
    (0.00577, 2.0)
    """
    partitions = _partitions(runs)
    folds = [_nested(partition)[0] for partition in partitions]
    if len(folds) >= 3:
        return _se_of_mean(np.array([means.mean() for means in folds]))
    df = sum(len(means) - 1 for means in folds)
    if not df:
        return StandardError(np.nan, 0.0)
    pooled = sum((len(m) - 1) * _checks.variance(m) for m in folds if len(m) > 1) / df
    variance = pooled * sum(1.0 / len(means) for means in folds) / len(folds) ** 2
    return StandardError(float(np.sqrt(variance)), float(df))


def se_over_rows(runs: ArrayLike, test_ratio: float) -> StandardError:
    """Return the standard error of the mean for new rows of the same kind.

    Its square is (1/n + test_ratio) var(fold means) for the n folds of all partitions, with n - 1
    degrees of freedom. Seeds are averaged inside folds and count in neither.

    Parameters
    ----------
    runs : array-like of shape (n_folds, n_seeds) or (n_partitions, n_folds, n_seeds)
        The scores, NaN where a run is missing.
    test_ratio : float
        The number of test rows over that of training rows; 1 / (k - 1) for k equal folds.

    Returns
    -------
    StandardError
        The standard error with its degrees of freedom.

    Raises
    ------
    ValueError
        If ``runs`` has another number of dimensions, an infinite value or no run at all, or if
        ``test_ratio`` is negative or not finite.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003:
    the corrected resampled t-test.

    Examples
    --------
    >>> from boostbench.stats import se_over_rows
    >>> error = se_over_rows([[0.03], [0.02], [0.04], [0.01]], test_ratio=1 / 3)
    >>> round(error.se, 6), error.df
    (0.00986, 3.0)
    """
    ratio = _checks.not_negative(test_ratio, "test_ratio")
    partitions = _partitions(runs)
    means = _nested(partitions.reshape(-1, partitions.shape[-1]))[0]
    plain = _se_of_mean(means)
    return StandardError(plain.se * float(np.sqrt(1.0 + len(means) * ratio)), plain.df)


def difference_se(first: StandardError, second: StandardError) -> StandardError:
    """Return the standard error of a difference of two independent means.

    The variances are added. The degrees of freedom are those of Welch and Satterthwaite.

    Parameters
    ----------
    first, second : StandardError
        The standard errors of both means, in one unit.

    Returns
    -------
    StandardError
        The standard error of the difference; NaN with 0 degrees of freedom where one is NaN.

    References
    ----------
    B. L. Welch, "The generalization of 'Student's' problem when several different population
    variances are involved", Biometrika 34, 1947.

    Examples
    --------
    >>> from boostbench.stats import StandardError, difference_se
    >>> error = difference_se(StandardError(0.017078, 3), StandardError(0.017212, 3))
    >>> round(error.se, 5), round(error.df, 3)
    (0.02425, 6.0)
    """
    variances = np.array([first.se**2, second.se**2])
    df = np.array([first.df, second.df])
    total = float(variances.sum())
    if total == 0.0:
        return StandardError(0.0, float(df.min()))
    if np.isnan(total):
        return StandardError(np.nan, 0.0)
    # A variance of 0 does not affect the degrees of freedom, whatever its own are.
    terms = np.divide(variances**2, df, out=np.zeros(2), where=variances > 0)
    spread = float(terms.sum())
    return StandardError(float(np.sqrt(total)), total**2 / spread if spread else np.inf)


def paired_differences(a: ArrayLike, b: ArrayLike) -> PairedDifferences:
    """Return the differences a - b of the fold means, over the runs that both sides have.

    Parameters
    ----------
    a, b : array-like of shape (n_folds, n_seeds) or (n_partitions, n_folds, n_seeds)
        The scores of both sides, of one shape, NaN where a run is missing.

    Returns
    -------
    PairedDifferences
        One difference for each fold with a run on both sides.

    Raises
    ------
    ValueError
        If the shapes differ or have another number of dimensions, a value is infinite, or no run
        is on both sides.

    Examples
    --------
    >>> import numpy as np
    >>> from boostbench.stats import paired_differences
    >>> found = paired_differences([[0.8, 0.9], [0.7, np.nan]], [[0.75, np.nan], [0.5, 0.6]])
    >>> [round(each, 2) for each in found.differences], found.folds, found.runs
    ([0.05, 0.2], (0, 1), 2)
    """
    first = _checks.array(a, "a", ndim=(2, 3))
    second = _checks.array(b, "b", ndim=(2, 3))
    _checks.same_shape(first, second)
    differences = (first - second).reshape(-1, first.shape[-1])
    both = ~np.isnan(differences)
    folds = np.flatnonzero(both.any(axis=1))
    if not len(folds):
        raise ValueError("a and b have no run in common")
    means = np.nanmean(differences[folds], axis=1)
    return PairedDifferences(tuple(means.tolist()), tuple(folds.tolist()), int(both.sum()))


def _se_of_mean(values: Floats) -> StandardError:
    n = len(values)
    if n < 2:
        return StandardError(np.nan, 0.0)
    return StandardError(float(np.sqrt(_checks.variance(values) / n)), n - 1.0)


def _partitions(runs: ArrayLike) -> Floats:
    values = _checks.array(runs, "runs", ndim=(2, 3))
    return values[None] if values.ndim == 2 else values


def _nested(runs: Floats) -> tuple[Floats, Floats, float, int]:
    """Return fold means and runs per fold, the sum of squares inside folds and its df."""
    has_run = ~np.isnan(runs).all(axis=1)
    if not has_run.any():
        raise ValueError("runs must have at least one run that is not NaN in each partition")
    kept = runs[has_run]
    counts = (~np.isnan(kept)).sum(axis=1).astype(np.float64)
    # Relative to one of the fold's own values, so that equal runs have no variance at all.
    origins = kept[np.arange(len(kept)), np.argmax(~np.isnan(kept), axis=1)]
    kept = kept - origins[:, None]
    shifts = np.nanmean(kept, axis=1)
    within = float(np.nansum((kept - shifts[:, None]) ** 2))
    means = origins + shifts
    return means, counts, within, int(counts.sum()) - len(counts)
