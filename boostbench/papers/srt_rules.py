"""Rules of the soft regression tree paper's claims on SRT, SRT-l2, ORRT and random forest.

Thresholds are ours where the paper says "slightly" or "several times"; a band around a printed
number allows for other machines and other draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.papers.claim import Array, Figure, Rule, Sets, Values
from boostbench.papers.rules import (
    FASTER,
    GAIN,
    GAINS,
    GAP,
    GAPS,
    GEOMETRIC_GAP,
    GEOMETRIC_SD_RATIO,
    GEOMETRIC_TIME_RATIO,
    INF,
    SD_RATIO,
    SD_RATIOS,
    TIME_RATIO,
    TIME_RATIOS,
    WINS,
    above,
    bands,
    count,
    exploded,
    gain_without,
    geometric,
    inside,
    left,
    named,
    number_below,
    on,
    right,
)

_LITTLE = 1e-12
_QUICK = ("airfoil", "kin8nm", "yacht")
_BY_THE_FOREST = ("auto_mpg", "compactiv", "cpu_small", "delta_ailerons", "housing")

_NEGATIVE = Figure(
    "negative", "runs of 80 with R² < 0, of the other minus its own", "count",
    lambda s: 80 * np.mean(right(s, "exploded") - left(s, "exploded")),
)  # fmt: skip
_OWN_NEGATIVE = Figure(
    "negative", "share of runs with R² < 0", "share",
    lambda s: np.array([np.mean(s.mean(role, "exploded")) for role in s.left]), np.max, exact=True,
)  # fmt: skip
_POINTS = Figure(
    "points", "least difference, points", "points", lambda s: 100 * (left(s) - right(s)), np.min
)
_MOST_POINTS = Figure(
    "points", "largest difference, points", "points", lambda s: 100 * (left(s) - right(s)), np.max
)
_ABOVE_SIX = Figure(
    "gains", "more than 6 % higher on", "sets", lambda s: 100 * (left(s) / right(s) - 1),
    lambda v: np.count_nonzero(v > 6),
)  # fmt: skip
_FACTOR = Figure("factor", "ratio of means", "ratio", lambda s: np.mean(left(s) / right(s)))
_OWN_TIME = Figure(
    "time", "its time to the other's", "ratio",
    lambda s: np.mean(left(s, "fit_s")) / np.mean(right(s, "fit_s")),
)  # fmt: skip
_OWN_GEOMETRIC_TIME = Figure(
    "geometric_time", "the same of geometric means", "ratio",
    lambda s: geometric(left(s, "fit_s")) / geometric(right(s, "fit_s")),
)  # fmt: skip


def _counted(figure: Figure, reproduced: tuple[int, int], direction: int, against: int) -> Rule:
    """Return the rule for how many of the data sets have a figure above 0."""
    name = figure.name

    def scaled(values: Values, number: float) -> float:
        # Of fewer data sets than the paper's 15, as many in proportion.
        return number * values[name].shape[-1] / 15 - 1e-9

    def wins(values: Values) -> Array:
        return count(values[name] > _LITTLE)

    return Rule(
        (figure,),
        lambda v: bool(
            np.all(
                (wins(v) >= scaled(v, reproduced[0])) & (wins(v) <= scaled(v, reproduced[1]) + 2e-9)
            )
        ),
        lambda v: bool(np.all(wins(v) >= scaled(v, direction))),
        lambda v: bool(np.any(wins(v) < scaled(v, against))),
    )


def _all_in_favour(values: Values) -> bool:
    return bool(above(values.gap, 0) and above(values.geometric_gap, 0) and _sds(values))


def _sds(values: Values) -> bool:
    return above(values.sd_ratio, 1) & above(values.geometric_sd_ratio, 1)


_BOTH = (GAP, GEOMETRIC_GAP, SD_RATIO, GEOMETRIC_SD_RATIO, TIME_RATIO, GEOMETRIC_TIME_RATIO)

_AGAINST_ORRT: Mapping[str, Rule] = {
    "S-ABS-1": Rule(
        (GAP, SD_RATIO, _NEGATIVE),
        lambda v: above(v.gap, 0.05) & above(v.sd_ratio, 1.5) & above(v.negative, 0),
        lambda v: above(v.gap, 0) & above(v.sd_ratio, 1),
        lambda v: bool(np.any(v.gap < 0) or np.any(v.sd_ratio < 1)),
    ),
    "S-CON-2": Rule(
        (GAP, TIME_RATIO, GEOMETRIC_TIME_RATIO, FASTER),
        lambda v: bool(
            above(v.gap, 0)
            and above(v.time, 1)
            and above(v.geometric_time, 1)
            and np.all(count(v.times > 1) * 2 > v.times.shape[-1])
        ),
        lambda v: above(v.gap, 0) & above(v.time, 1),
        lambda v: bool(
            np.any(v.gap < 0)
            or np.any(
                (v.time <= 1)
                & (v.geometric_time <= 1)
                & (count(v.times > 1) * 2 <= v.times.shape[-1])
            )
        ),
    ),
    "S-RR-1": bands(GAIN, (20, 40), (_LITTLE, INF)),
    "S-RR-2": bands(SD_RATIO, (3, INF), (1 + _LITTLE, INF), None, GEOMETRIC_SD_RATIO),
    "S-RR-3": Rule(
        (exploded(),),
        lambda v: bool(np.all(v.exploded >= 3) and np.all(np.mean(v.exploded, axis=-1) >= 10)),
        lambda v: bool(np.all(np.mean(v.exploded, axis=-1) >= 1)),
    ),
    "S-RR-4": bands(exploded(), (30, 60), (5, 80)),
    "S-RR-5": Rule(
        (TIME_RATIO, GEOMETRIC_TIME_RATIO),
        lambda v: above(v.time, 3.5 - _LITTLE) & above(v.geometric_time, 1.5),
        lambda v: above(v.time, 1),
    ),
    "S-RR-6": Rule(
        (
            Figure("three", "least ratio of times on the three", "ratio",
                   lambda s: on(_QUICK, s, right(s, "fit_s") / left(s, "fit_s")), np.min),
            FASTER,
        ),
        lambda v: above(v.three, 1) & inside(count(v.times > 1), 3, 5),
        lambda v: inside(count(v.times > 1), 1, 5),
        lambda v: bool(
            np.any(count(v.times > 1) == 0)
            or np.any(count(v.times > 1) * 15 > 7 * v.times.shape[-1])
        ),
        needed=_QUICK,
    ),
    "S-RR-7": _counted(WINS, (14, 15), 11, 8),
    "S-RR-8": Rule(
        (_ABOVE_SIX,),
        lambda v: inside(count(v.gains > 6) * 15 / v.gains.shape[-1], 12 - 1e-9, 14 + 1e-9),
        lambda v: inside(count(v.gains > 6) * 15 / v.gains.shape[-1], 8 - 1e-9, 15),
    ),
    "S-RR-9": bands(GAINS, (50, INF), (_LITTLE, INF)),
    "S-RR-10": bands(TIME_RATIOS, (2 / 3, 3 / 2), (1 / 3, 3)),
    "S-RR-11": bands(_FACTOR, (3, 5.5), (1.2, INF), (-INF, 1)),
    "S-RR-12": bands(TIME_RATIO, (1.5, INF), (1.1, INF), (-INF, 1)),
    "S-RR-13": bands(GAIN, (25, 47), (_LITTLE, INF)),
    "S-RR-14": bands(TIME_RATIO, (6, INF), (1 + _LITTLE, INF)),
    "S-RR-15": bands(GAIN, (_LITTLE, 2), (-1, INF)),
    "S-RR-16": bands(_OWN_TIME, (0.67, 1 - _LITTLE), (0, 0.67)),
    "S-RR-17": Rule(
        (_OWN_NEGATIVE,),
        lambda v: bool(np.all(v.negative == 0)),
        lambda v: bool(np.all(v.negative[:, 0] <= 1 / 400) and np.all(v.negative[:, 1:] == 0)),
    ),
    "S-OV-1": Rule(
        _BOTH,
        lambda v: _all_in_favour(v) and bool(above(v.time, 1) and above(v.geometric_time, 1)),
        lambda v: _all_in_favour(v) and bool(np.any(v.time > 1) or np.any(v.geometric_time > 1)),
        lambda v: bool(np.any(v.gap <= 0) or np.any(v.sd_ratio <= 1)),
    ),
    "S-C-1": Rule(
        _BOTH,
        lambda v: _all_in_favour(v) and bool(above(v.time, 1) and above(v.geometric_time, 1)),
        lambda v: above(v.gap, 0) & above(v.sd_ratio, 1) & above(v.time, 1),
        lambda v: bool(np.any(v.gap <= 0)),
    ),
}  # fmt: skip

_REGULARIZED: Mapping[str, Rule] = {
    "S-L2-1": bands(GAIN, (0.5, 1.5), (_LITTLE, INF), None, gain_without("lpga2009")),
    "S-L2-2": Rule(
        (SD_RATIO, GEOMETRIC_SD_RATIO), _sds, lambda v: above(v.sd_ratio, 1),
    ),
    "S-L2-3": Rule(
        (_OWN_TIME, _OWN_GEOMETRIC_TIME),
        lambda v: inside(v.time, 0.9, 1.1) & inside(v.geometric_time, 0.9, 1.1),
        lambda v: inside(v.time, 0.75, 1.33) & inside(v.geometric_time, 0.75, 1.33),
    ),
    "S-L2-4": bands(GAINS, (7.45, INF), (_LITTLE, INF)),
    "S-L2-5": Rule(
        (GAPS,),
        lambda v: inside(v.gaps, _LITTLE, 0.03),
        lambda v: bool(np.all(count(v.gaps > 0) >= 2)),
    ),
}  # fmt: skip

_FOREST: Mapping[str, Rule] = {
    "S-CON-1": Rule(
        (GAP,),
        lambda v: inside(v.gap, _LITTLE, 0.05),
        lambda v: bool(np.any(v.gap > 0)),
        lambda v: bool(np.all(v.gap < 0)),
    ),
    "S-G-1": bands(
        replace(_OWN_GEOMETRIC_TIME, title="its geometric mean time to the other's"),
        (0, 0.5), (0.5, 1), (1, INF),
    ),
    "S-G-2": Rule(
        (GAP, GEOMETRIC_GAP),
        lambda v: inside(v.gap, _LITTLE, 0.05) & inside(v.geometric_gap, _LITTLE, 0.05),
        # The last depth is the deepest.
        lambda v: bool(v.gap[-1] > 0 and v.geometric_gap[-1] > 0),
        depths_needed=(3,),
    ),
    "S-G-3": Rule(
        (GAP,),
        lambda v: inside(v.gap, -0.02, 0.02),
        lambda v: inside(v.gap, -0.04, 0.04),
        lambda v: bool(np.any(v.gap < -0.04)),
    ),
    "S-G-4": Rule(
        (WINS,),
        lambda v: bool(np.all(count(v.gaps > 0) * 15 >= 8 * v.gaps.shape[-1])),
        lambda v: bool(np.any(count(v.gaps > 0) * 15 >= 8 * v.gaps.shape[-1])),
        lambda v: bool(np.all(count(v.gaps > 0) * 15 <= 6 * v.gaps.shape[-1])),
    ),
    "S-G-5": _counted(WINS, (7, 10), 6, 6),
    "S-G-6": _counted(WINS, (8, 11), 7, 7),
    "S-G-7": Rule(
        (_POINTS,),
        lambda v: inside(v.points[:, 0], 4, 12) & inside(v.points[:, -1], 6, 16),
        lambda v: above(v.points, 0),
        needed=("elevators", "kin8nm"),
    ),
    "S-G-8": Rule(
        (_POINTS,),
        lambda v: above(v.points[:, 0], 5) & above(v.points[:, -1], 4),
        lambda v: above(v.points, 0),
        needed=("elevators", "kin8nm"),
    ),
    "S-G-9": Rule(
        (
            WINS,
            Figure("named", "unlike the sets named on", "sets",
                   named(_BY_THE_FOREST, lambda s: left(s) - right(s)), number_below(0.0)),
        ),
        lambda v: inside(count(v.named < 0) * 15 / v.named.shape[-1], 0, 2),
        lambda v: inside(count(v.gaps > 0) * 15 / v.gaps.shape[-1], 0, 7 + 1e-9),
        lambda v: bool(np.any(count(v.gaps > 0) * 15 >= 9 * v.gaps.shape[-1])),
    ),
    "S-G-10": bands(_MOST_POINTS, (-INF, 1.5), (-INF, 3)),
    "S-G-11": bands(_MOST_POINTS, (-INF, 1), (-INF, 2)),
    "S-G-12": Rule(
        (SD_RATIO, GEOMETRIC_SD_RATIO, SD_RATIOS),
        lambda v: bool(
            _sds(v) and np.all(count(v.sd_ratios > 1) * 2 > v.sd_ratios.shape[-1])
        ),
        lambda v: above(v.sd_ratio, 1),
    ),
}  # fmt: skip

_BEST: Mapping[str, Rule] = {
    "S-BEST-1": Rule(
        (GAPS,),
        lambda v: above(v.gaps, 0.03),
        lambda v: bool(np.all(count(v.gaps > 0) >= 3)),
    ),
    "S-F-1": Rule(
        (GAPS,),
        lambda v: above(v.gaps, 0.03),
        lambda v: above(v.gaps, 0),
        lambda v: bool(np.any(count(v.gaps <= 0) >= 2)),
    ),
    "S-F-2": Rule(
        (GAP, SD_RATIO),
        lambda v: above(v.gap, 0.1) & above(v.sd_ratio, 1),
        lambda v: above(v.gap, 0) & above(v.sd_ratio, 1),
        lambda v: bool(np.any(v.gap <= 0)),
    ),
}


def _order(sets: Sets) -> Array:
    """Return how far the mean of each method lies below that of the one before it in the order."""
    means = [np.mean(sets.mean(role)) for role in sets.left]
    return -np.diff(np.array(means))


def _ranks(steps: Array) -> NDArray[np.intp]:
    """Return the methods by their mean, the highest first, from the steps between them."""
    below = np.cumsum(steps, axis=-1)
    return np.argsort(np.insert(below, 0, 0.0, axis=-1), axis=-1, kind="stable")


def _slope(sets: Sets, role: str) -> np.floating[Any]:
    """Return the power of N by which time grows over the data sets, beside one of p."""
    sizes = [(rows, features) for rows, features in sets.shapes() if rows and features]
    if len(sizes) < max(4, len(sets.names)):
        return np.float64(np.nan)
    logs = np.log(np.array(sizes, dtype=np.float64))
    known = np.column_stack([logs, np.ones(len(logs))])
    slopes = np.linalg.lstsq(known, np.log(sets.mean(role, "fit_s")), rcond=None)[0]
    return np.float64(slopes[0])


_SCALING: Mapping[str, Rule] = {
    "S-SC-1": Rule(
        (
            Figure("time", "seconds, geometric mean", "seconds",
                   lambda s: geometric(left(s, "fit_s"))),
            Figure("other", "the other's", "seconds",
                   lambda s: geometric(s.mean(s.left[1], "fit_s"))),
            Figure("slope", "power of N", "score", lambda s: _slope(s, s.left[0])),
            Figure("other_slope", "the other's", "score", lambda s: _slope(s, s.left[1])),
        ),
        lambda v: bool(
            above(v.time[1:] / v.time[:-1], 1.5)
            and above(v.other[1:] / v.other[:-1], 1.5)
            and above(v.slope, 0.7)
            and above(v.other_slope, 0.7)
        ),
        lambda v: bool(
            above(v.time[1:] / v.time[:-1], 1)
            and above(v.other[1:] / v.other[:-1], 1)
            and above(v.slope, 0)
            and above(v.other_slope, 0)
        ),
        depths_needed=(2, 3),
    ),
    "S-SC-2": Rule(
        (
            Figure("slope", "power of N below the other's by", "score",
                   lambda s: _slope(s, s.right[0]) - _slope(s, s.left[0])),
        ),
        lambda v: above(v.slope, 0.2),
        lambda v: above(v.slope, 0),
    ),
}  # fmt: skip

RULES: Mapping[str, Rule] = {
    **_SCALING,
    **_AGAINST_ORRT,
    **_REGULARIZED,
    **_FOREST,
    **_BEST,
    # In the paper the order is SRT-l2, SRT, ORT-L, ORRT at both depths.
    "S-C-2": Rule(
        (Figure("order", "least step down the paper's order", "difference", _order, np.min),),
        lambda v: bool(np.all(_ranks(v.order) == _ranks(v.order)[0])),
        lambda v: above(np.cumsum(v.order, axis=-1), 0),
        depths_needed=(2, 3),
    ),
}
