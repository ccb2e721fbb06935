"""How runs vary over folds and seeds, and the standard errors that follow for two questions."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from boostbench.stats import _checks
from boostbench.stats._checks import Floats


@dataclass(frozen=True)
class VarianceComponents:
    """Variances of runs: ``fold`` of the folds' true means, ``seed`` of seeds inside a fold.

    ``mean`` is the mean of the fold means, ``means_variance`` their sample variance, which holds
    both components, and ``share`` is fold / (fold + seed). Unknown values are NaN: with one seed
    the two components, with one fold ``means_variance`` and ``fold``.
    """

    mean: float
    fold: float
    seed: float
    means_variance: float
    share: float


@dataclass(frozen=True)
class StandardError:
    """The standard error ``se`` of a mean, NaN where ``df``, its degrees of freedom, are 0."""

    se: float
    df: float

    def half_width(self, level: float = 0.95) -> float:
        """Return half the width of the t-interval of the mean at a level."""
        return float(scipy.special.stdtrit(self.df, (1.0 + level) / 2.0)) * self.se


@dataclass(frozen=True)
class PairedDifferences:
    """Differences a - b, one per fold of which both sides have a run.

    ``differences`` (n,) are means over the ``runs`` that both have, ``folds`` (n,) the positions of
    these folds in the arrays that were compared, with partitions one after the other.
    """

    differences: tuple[float, ...]
    folds: tuple[int, ...]
    runs: int


def variance_components(runs: ArrayLike) -> VarianceComponents:
    """Return the variance components of ``runs`` (k folds, s seeds), NaN where a run is missing.

    The analysis of variance of seeds nested in folds: the seed component is the pooled variance
    inside folds (MSW, ddof 1), the fold component max(0, v - MSW mean(1/s_f)) with v the variance
    of the k fold means (ddof 1) and s_f the runs of fold f; folds without a run are left out.
    REML gives the same for complete runs where the fold component is positive.
    Source: Searle, Casella and McCulloch, Variance Components (1992), unweighted means.
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

    ``runs`` is (k, s) or (P, k, s), NaN where a run is missing. From P >= 3 partitions its square
    is var(partition means) / P with P - 1 degrees of freedom. From fewer it is v / (k P), v being
    the mean over partitions of the variance of their fold means, with P (k - 1) degrees of freedom:
    far too wide, because the folds of one partition complete each other.
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

    ``runs`` is (k, s) or (P, k, s), NaN where a run is missing; ``test_ratio`` is
    n_test / n_train, 1 / (k - 1) for equal folds. Its square is (1/n + test_ratio) var(fold means)
    for the n = k P folds, with n - 1 degrees of freedom: the corrected resampled t of Nadeau and
    Bengio (Machine Learning 52, 2003). Seeds are averaged within folds and count in neither.
    """
    ratio = _checks.not_negative(test_ratio, "test_ratio")
    partitions = _partitions(runs)
    means = _nested(partitions.reshape(-1, partitions.shape[-1]))[0]
    plain = _se_of_mean(means)
    return StandardError(plain.se * float(np.sqrt(1.0 + len(means) * ratio)), plain.df)


def difference_se(first: StandardError, second: StandardError) -> StandardError:
    """Return the standard error of a difference of independent means (Welch, Satterthwaite)."""
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

    ``a`` and ``b`` are both (k, s) or (P, k, s), NaN where a run is missing.
    Raises ValueError also where no run is on both sides.
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
