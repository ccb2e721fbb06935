"""Resampled runs, and the curves that are averaged over them."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from boostbench.papers.language import DRAWS, Array
from boostbench.values import RunKey


def resampled(index: Sequence[RunKey], random: np.random.Generator) -> Array:
    """Return how often each run is drawn: folds within partitions, and seeds within folds.

    NaN with a single fold, which says nothing about others.
    """
    several = _places_by_fold(index)
    if all(len(within) == 1 for within in several):
        # With one fold in each partition, as for random splits, partitions are drawn.
        several = [[places for (places,) in several]]
    weights = np.full((DRAWS, len(index)), 0.0 if max(map(len, several)) > 1 else np.nan)
    for row in weights:
        for within in several:
            for own in [within[fold] for fold in random.integers(len(within), size=len(within))]:
                drawn = own[random.integers(len(own), size=len(own))]
                row += np.bincount(drawn, minlength=len(row))
    return weights


def _places_by_fold(index: Sequence[RunKey]) -> list[list[NDArray[np.intp]]]:
    """Return the places of the runs of each fold, by partition."""
    parts, folds, _ = np.transpose(index)
    several = []
    for part in np.unique(parts):
        own = [np.flatnonzero((parts == part) & (folds == fold)) for fold in np.unique(folds)]
        several.append([places for places in own if len(places)])
    return several


class SolverCurves(NamedTuple):
    """The objective and the solver's seconds of a method after each round, (runs, rounds)."""

    objective: Array
    seconds: Array

    def averaged(self, share: Array) -> Self:
        """Return the curves averaged over runs, each with its share."""
        return type(self)(share @ self.objective, share @ self.seconds)

    def seconds_until(self, objective: float) -> float:
        """Return the seconds until an objective is reached, of averaged curves."""
        return float(self.seconds[np.argmax(self.objective <= objective)])


def until_common(a: SolverCurves, b: SolverCurves, weights: Array) -> Array:
    """Return the ratio of b's to a's seconds, by weights of the runs, (draws, runs)."""
    seconds = []
    for weight in weights:
        share = weight / weight.sum()
        mine, theirs = a.averaged(share), b.averaged(share)
        both_reach = max(mine.objective[-1], theirs.objective[-1]) * 1.001
        seconds.append([theirs.seconds_until(both_reach), mine.seconds_until(both_reach)])
    longer, shorter = np.transpose(seconds)
    return np.asarray(longer / np.where(shorter == 0, np.nan, shorter))
