"""A printed column beside a measured one: how many cells agree, and how far averages are apart.

That a printed column or average is met is no claim of a paper: it is said here, in one line.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_LEAST_SHARE = 0.8


@dataclass(frozen=True)
class Agreement:
    """How a measured column agrees with a printed one, over the data sets that both have.

    ``within`` cells of ``of`` are as near as one printed sd, or the tolerance; ``distance`` is the
    mean distance of the means, ``average`` the difference of their averages, which agrees where it
    is as near as the tolerance. The column agrees where four of five cells and the mean distance do
    as well. ``spread`` and ``time`` are the geometric means of the ratios of sds and times,
    measured to printed (``None`` where there are none).
    """

    within: int
    of: int
    distance: float
    average: float
    average_agrees: bool
    agrees: bool
    spread: float | None
    time: float | None


def agreement(
    measured: ArrayLike,
    printed: ArrayLike,
    tolerances: ArrayLike,
    tolerance: float,
    sds: tuple[ArrayLike, ArrayLike] = ((), ()),
    times: tuple[ArrayLike, ArrayLike] = ((), ()),
) -> Agreement | None:
    """Return how measured means agree with printed ones, ``None`` where both are known nowhere.

    ``tolerances`` are those of the cells, ``tolerance`` that of an average; ``sds`` and ``times``
    are (measured, printed). NaN is not known.
    """
    away = np.subtract(measured, printed, dtype=float)
    within = int(np.count_nonzero(np.abs(away) <= np.asarray(tolerances) + 1e-12))
    away = away[~np.isnan(away)]
    if not away.size:
        return None
    distance, average = float(np.abs(away).mean()), float(away.mean())
    near = abs(average) <= tolerance + 1e-12
    agrees = near and within >= _LEAST_SHARE * away.size and distance <= 2 * tolerance + 1e-12
    ratios = _ratio(*sds), _ratio(*times)
    return Agreement(within, away.size, distance, average, near, agrees, *ratios)


def _ratio(measured: ArrayLike, printed: ArrayLike) -> float | None:
    mine, theirs = (np.asarray(x, dtype=float) for x in (measured, printed))
    known = (mine > 0) & (theirs > 0)
    return float(np.exp(np.log(mine[known] / theirs[known]).mean())) if known.any() else None
