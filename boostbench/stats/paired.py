"""Common runs of several methods, as arrays with NaN for missing runs.

A comparison uses the runs that both sides have, so that neither is compared on easier folds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.values import RUN, RunKey

LEAST_PARTITIONS = 3
"""From so many partitions of the same rows their means say how much another one would differ."""

_Run = TypeVar("_Run", bound=RunKey)


def common(*groups: Iterable[_Run]) -> list[_Run]:
    """Return the keys of runs that are in all ``groups``, in order."""
    first, *others = groups or ((),)
    return sorted(set(first).intersection(*others))


def as_array(runs: Iterable[RunKey], values: ArrayLike) -> NDArray[np.float64]:
    """Return ``values`` of runs as an array (partitions, folds, seeds), NaN where one is missing.

    Folds are those that occur in any partition, and seeds those that occur in any fold.
    """
    labels = list(zip(*runs, strict=True)) or [()] * len(RUN)
    axes = [np.unique(own, return_inverse=True) for own in labels]
    array = np.full([len(own) for own, _ in axes], np.nan)
    array[tuple(places for _, places in axes)] = values
    return array


def seed_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return means over seeds of ``values`` (..., folds, seeds), NaN where a fold has no run."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(values, axis=-1) / (~np.isnan(values)).sum(axis=-1))


def fold_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means over seeds of ``values`` (..., folds, seeds), (n,), of folds with a run."""
    means = seed_means(values)
    return means[~np.isnan(means)]


def mean_of_folds(values: NDArray[np.float64]) -> float:
    """Return the mean of the means of folds."""
    return float(fold_means(values).mean())


def whole_partitions(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return those partitions of ``values`` (partitions, folds, seeds) that have all folds."""
    return values[[not np.isnan(one).all(axis=1).any() for one in values]]
