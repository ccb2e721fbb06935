"""The ends of axes: round numbers, and without outliers that would squeeze all other values."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_DOTS = 500
"""Of more single runs of a method so many are drawn as dots, at even ranks."""


def near_median(values: Floats, base: Floats, times: float, share: float) -> NDArray[np.bool_]:
    """Return which values are near the median of ``base``, so that outliers do not squeeze them.

    Near is within so many ``times`` the median distance, and a ``share`` of the median itself.
    """
    middle = np.median(base)
    away = times * np.median(np.abs(base - middle)) + share * np.abs(middle)
    return np.asarray(np.abs(values - middle) <= away)


def at_even_ranks(runs: Sequence[float] | Floats) -> Sequence[float] | Floats:
    """Return single runs, or of many so many as show how they are distributed."""
    if len(runs) <= MOST_DOTS:
        return runs
    ranks = np.linspace(0, len(runs) - 1, MOST_DOTS).round().astype(int)
    return np.sort(runs)[ranks]


def limit(differences: Iterable[float | None]) -> float:
    """Return the end of an axis of differences: a round number above the largest of them."""
    known = [abs(one) for one in differences if one is not None and not math.isnan(one)]
    largest = max(known, default=0.0) or 0.01
    step = 10.0 ** math.floor(math.log10(largest)) / 2
    return math.ceil(largest / step + 1e-9) * step
