"""Rules of the soft regression tree paper's claims on ORT-L, its grid search and ORT-LH."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from boostbench.papers.claim import Array, Figure, Mask, Rule, Sets, Values
from boostbench.papers.rules import (
    FASTER,
    GAIN,
    GAINS,
    GAP,
    GEOMETRIC_GAP,
    GEOMETRIC_SD_RATIO,
    GEOMETRIC_TIME_RATIO,
    INF,
    LARGEST_GAIN,
    SAVINGS,
    SD_RATIO,
    TIME_RATIO,
    TIME_RATIOS,
    WINS,
    above,
    bands,
    count,
    gain_without,
    geometric,
    inside,
    left,
    named,
    number_at_most,
    number_below,
    right,
    time_without,
)

_LITTLE = 1e-12
_BY_ORT_L = ("airfoil", "computer_hardware", "delta_ailerons", "yacht")
_SIZES = Figure(
    "gaps", "largest difference", "difference",
    lambda s: np.abs(left(s) - right(s)), np.max, True,
)  # fmt: skip
_POINTS = Figure(
    "points", "difference of means, points", "points", lambda s: 100 * np.mean(left(s) - right(s))
)
_FASTER_AT_ALL = Figure(
    "savings", "faster on", "sets",
    lambda s: 100 * (1 - left(s, "fit_s") / right(s, "fit_s")), lambda v: np.count_nonzero(v > 0),
)  # fmt: skip
_MUCH_FASTER = Figure(
    "savings", "more than 81 % saved on", "sets",
    lambda s: 100 * (1 - left(s, "fit_s") / right(s, "fit_s")), lambda v: np.count_nonzero(v > 81),
)  # fmt: skip
_MEDIAN_TIME = Figure(
    "median_time", "median of the ratios by set", "ratio",
    lambda s: np.median(right(s, "fit_s") / left(s, "fit_s")),
)  # fmt: skip


def _of_15(values: Mask) -> Array:
    """Return a count of data sets in proportion to the paper's 15."""
    return count(values) * 15 / values.shape[-1]


def _printed_winner(sets: Sets) -> Array:
    """Return differences of means in the direction of the printed ones; a tie counts for both."""
    mine, theirs = (sets.printed(role, "mean") for role in (sets.left[0], sets.right[0]))
    gap = left(sets) - right(sets)
    return np.where(mine == theirs, np.abs(gap), gap * np.sign(mine - theirs))


def _printed_faster(sets: Sets) -> Array:
    """Return logarithms of ratios of times in the direction of the printed ones."""
    mine, theirs = (sets.printed(role, "time_s") for role in (sets.left[0], sets.right[0]))
    ratio = np.log(right(sets, "fit_s") / left(sets, "fit_s"))
    return ratio * np.sign(np.log(theirs / mine))


def _improvement(mine: Array, theirs: Array) -> Array:
    """Return by how many percent the better one is better, below 0 where it is theirs."""
    better, worse = np.maximum(mine, theirs), np.minimum(mine, theirs)
    return 100 * (better / worse - 1) * np.sign(mine - theirs)


def _printed_sizes(sets: Sets) -> Array:
    """Return distances of improvements from the printed ones; up to 1 is allowed."""
    (mine, own_sd), (theirs, their_sd) = (
        (sets.printed(role), sets.printed(role, "sd")) for role in (sets.left[0], sets.right[0])
    )
    away = _improvement(left(sets), right(sets)) - _improvement(mine, theirs)
    return np.abs(away) / np.maximum(2.0, 100 * np.maximum(own_sd, their_sd))


_AS_PRINTED = Rule(
    (
        Figure("winners", "winner as printed on", "sets", _printed_winner,
               lambda v: np.count_nonzero(v >= 0), exact=True),
        Figure("sizes", "size near the printed one on", "sets", _printed_sizes,
               number_at_most(1.0), exact=True),
    ),
    lambda v: bool(
        np.all(_of_15(v.winners >= 0) >= 12 - 1e-9) and np.all(_of_15(v.sizes <= 1) >= 12 - 1e-9)
    ),
    lambda v: bool(np.all(_of_15(v.winners >= 0) >= 10 - 1e-9)),
    lambda v: bool(np.any(_of_15(v.winners >= 0) < 8 - 1e-9)),
)  # fmt: skip
_MILO = Rule(
    (GAP, TIME_RATIO, GEOMETRIC_TIME_RATIO),
    lambda v: inside(v.gap, 0, 0.05) & above(v.time, 2) & above(v.geometric_time, 2),
    lambda v: bool(inside(v.gap, 0, 0.05) or (above(v.time, 2) & above(v.geometric_time, 2))),
)
_SAME = bands(
    Figure("gap", "size of the difference of means", "difference",
           lambda s: np.abs(np.mean(left(s) - right(s))), size=True),
    (0, 0.01), (0, 0.02), (0.02, INF),
)  # fmt: skip
_COMPARABLE = Rule(
    (_SIZES,),
    lambda v: inside(v.gaps, 0, 0.03),
    lambda v: bool(np.sum(v.gaps <= 0.03) * 6 >= 4 * v.gaps.size),
)


def _in_range(values: Values) -> Mask:
    return (values.gains >= -0.2) & (values.gains <= 6)


def _near_print(sets: Sets, role: str) -> float:
    table = "D.5" if sets.depth == 2 else "D.6"
    printed = sets.printed(role, "mean", table)
    return float(np.abs(geometric(sets.mean(role)) - geometric(printed)))


_GEOMETRIC_MEANS = Rule(
    (
        Figure("plain", "distance of the geometric mean without the grid", "score",
               lambda s: _near_print(s, "ort_l"), size=True),
        Figure("grid", "with it", "score", lambda s: _near_print(s, "ort_l_grid"), size=True),
        Figure("gain", "gain by the grid", "difference",
               lambda s: geometric(s.mean("ort_l_grid")) - geometric(s.mean("ort_l"))),
    ),
    lambda v: inside(v.plain, 0, 0.01) & inside(v.grid, 0, 0.01) & above(v.gain, -0.005),
    lambda v: inside(v.plain, 0, 0.02) & inside(v.grid, 0, 0.02),
)  # fmt: skip

RULES: Mapping[str, Rule] = {
    "S-ABS-2": _MILO,
    "S-CON-3": _MILO,
    "S-GRID-1": _SAME,
    "S-GRID-2": bands(
        Figure("grid_time", "time with the grid to that without, geometric means", "ratio",
               lambda s: geometric(left(s, "fit_s")) / geometric(right(s, "fit_s"))),
        (2 + _LITTLE, INF), (1.1 + _LITTLE, INF),
    ),
    "S-LH-1": _COMPARABLE,
    "S-OL-1": bands(GAIN, (1.5, 5), (_LITTLE, INF), None, gain_without("elevators")),
    "S-OL-2": Rule(
        (SD_RATIO, GEOMETRIC_SD_RATIO),
        lambda v: above(v.sd_ratio, 1) & above(v.geometric_sd_ratio, 1),
        lambda v: above(v.sd_ratio, 1),
    ),
    "S-OL-3": bands(
        TIME_RATIO, (100, INF), (2, INF), (-INF, 1 - _LITTLE),
        GEOMETRIC_TIME_RATIO, time_without("puma32h"), _MEDIAN_TIME,
    ),
    "S-G1-1": Rule(
        (GAINS,),
        lambda v: above(v.gains, 6 - _LITTLE),
        lambda v: bool(above(v.gains, 0) or np.all(count(v.gains >= 6) >= 3)),
        lambda v: bool(np.any(count(v.gains <= 0) >= 2)),
    ),
    "S-G1-2": Rule(
        (SAVINGS,),
        lambda v: above(v.savings, 50 - _LITTLE),
        lambda v: above(v.savings, 0),
        lambda v: bool(np.any(count(v.savings <= 0) >= 2)),
    ),
    "S-G1-3": Rule(
        (
            Figure("own", "seconds per fit", "seconds", lambda s: np.max(left(s, "fit_s"))),
            Figure("other", "of the other", "seconds",
                   lambda s: np.max(s.mean(s.left[1], "fit_s"))),
            Figure("factor", "the longer to the shorter", "ratio",
                   lambda s: np.exp(np.abs(np.log(
                       left(s, "fit_s")[0] / s.mean(s.left[1], "fit_s")[0])))),
        ),
        lambda v: inside(v.own, 0, 10) & inside(v.other, 0, 10) & inside(v.factor, 1 / 3, 3),
        lambda v: inside(v.own, 0, 10) & inside(v.other, 0, 10),
        lambda v: bool(np.any(v.own > 30) or np.any(v.other > 30)),
        least_runs=20,
    ),
    "S-G2-1": Rule(
        (GAINS,),
        lambda v: bool(np.all(_in_range(v))),
        lambda v: bool(np.all(count(_in_range(v)) >= 4)),
        lambda v: bool(np.any(count(v.gains < -0.2) >= 3)),
    ),
    "S-G2-2": Rule(
        (TIME_RATIOS,),
        lambda v: inside(v.times, 2, 20),
        lambda v: above(v.times, 1),
        lambda v: bool(np.any(count(v.times <= 1) >= 2)),
    ),
    "S-G3-1": Rule(
        (
            Figure("points", "least difference, points", "points",
                   lambda s: 100 * (left(s) - right(s)), np.min),
        ),
        lambda v: inside(v.points, _LITTLE, 5),
        lambda v: bool(np.all(count(v.points > 0) >= 2)),
    ),
    "S-G3-2": Rule(
        (TIME_RATIOS,),
        lambda v: inside(v.times, 1.2, 5),
        lambda v: above(v.times, 1),
        lambda v: bool(np.any(count(v.times <= 1) >= 2)),
    ),
    "S-G3-3": bands(TIME_RATIO, (100, INF), (2, INF), (-INF, 1 - _LITTLE)),
    "S-OV-2": Rule(
        (GAP, GEOMETRIC_GAP, TIME_RATIO, GEOMETRIC_TIME_RATIO),
        lambda v: bool(
            inside(v.gap, _LITTLE, 0.05)
            and inside(v.geometric_gap, _LITTLE, 0.05)
            and above(v.time, 2)
            and above(v.geometric_time, 2)
        ),
        lambda v: above(v.gap, 0),
    ),
    "S-T3-1": _AS_PRINTED,
    "S-T3-2": _AS_PRINTED,
    "S-T3-3": Rule(
        (
            Figure("winners", "faster one as printed on", "sets", _printed_faster,
                   lambda v: np.count_nonzero(v >= 0), exact=True),
        ),
        lambda v: bool(np.all(_of_15(v.winners >= 0) >= 12 - 1e-9)),
        lambda v: bool(np.all(_of_15(v.winners >= 0) >= 8 - 1e-9)),
    ),
    "S-T3-4": Rule(
        (WINS,),
        lambda v: bool(np.all(_of_15(v.gaps > 0) >= 10 - 1e-9)),
        lambda v: bool(np.all(_of_15(v.gaps > 0) >= 8 - 1e-9)),
    ),
    "S-T3-5": bands(GAIN, (20, 36), (10 + _LITTLE, INF), (-INF, 0)),
    "S-T3-6": Rule(
        (WINS, LARGEST_GAIN),
        lambda v: bool(
            inside(_of_15(v.gaps > 0), 3 - 1e-9, 6 + 1e-9)
            and np.all(np.max(v.gains, axis=-1) <= 3)
        ),
        lambda v: bool(np.all(_of_15(v.gaps > 0) <= 7 + 1e-9)),
        lambda v: bool(np.any(_of_15(v.gaps > 0) >= 8 - 1e-9)),
    ),
    "S-T3-7": Rule(
        (_FASTER_AT_ALL,),
        lambda v: bool(
            inside(_of_15(v.savings > 0), 9 - 1e-9, 13 + 1e-9)
            and np.all(np.where(v.savings > 0, v.savings, INF) >= 30)
        ),
        lambda v: bool(np.all(_of_15(v.savings > 0) >= 8 - 1e-9)),
    ),
    "S-T3-8": Rule(
        (_MUCH_FASTER,),
        lambda v: inside(_of_15(v.savings > 81), 7 - 1e-9, 11 + 1e-9),
        lambda v: bool(np.all(_of_15(v.savings > 81) >= 4 - 1e-9)),
        lambda v: bool(np.any(_of_15(v.savings > 81) < 4 - 1e-9)),
    ),
    "S-T3-9": Rule(
        (
            FASTER,
            Figure("named", "unlike the sets named on", "sets",
                   named(_BY_ORT_L, lambda s: np.log(right(s, "fit_s") / left(s, "fit_s"))),
                   number_below(0.0)),
        ),
        lambda v: bool(np.all(_of_15(v.named < 0) <= 2)),
        lambda v: bool(np.all(_of_15(v.times > 1) <= 7 + 1e-9)),
    ),
    "S-T3-10": Rule(
        (WINS,),
        lambda v: inside(_of_15(v.gaps > 0), 9 - 1e-9, 12 + 1e-9),
        lambda v: bool(np.all(_of_15(v.gaps > 0) >= 8 - 1e-9)),
        lambda v: bool(np.any(_of_15(v.gaps > 0) <= 6 + 1e-9)),
    ),
    "S-T3-11": bands(GAIN, (15, 30), (7 + _LITTLE, INF), (-INF, 0)),
    "S-T3-12": Rule(
        (_FASTER_AT_ALL,),
        lambda v: bool(
            inside(_of_15(v.savings > 0), 9 - 1e-9, 13 + 1e-9)
            and np.all(np.max(v.savings, axis=-1) >= 95)
        ),
        lambda v: bool(np.all(_of_15(v.savings > 0) >= 8 - 1e-9)),
    ),
    "S-T3-13": bands(LARGEST_GAIN, (-INF, 6), (-INF, 9)),
    "S-D-1": _SAME,
    "S-D-2": Rule(
        (_POINTS,),
        lambda v: inside(v.points, -0.5, 0.5),
        lambda v: inside(v.points, -1, 1),
        lambda v: bool(np.any(np.abs(v.points) > 2)),
    ),
    "S-D-3": bands(_POINTS, (-0.5, 1.5), (-1, 2)),
    "S-D-5": _GEOMETRIC_MEANS,
    "S-D-6": _GEOMETRIC_MEANS,
    "S-D-7": bands(GEOMETRIC_GAP, (0.01, 0.06), (_LITTLE, INF)),
    "S-D-8": bands(
        replace(GEOMETRIC_TIME_RATIO, title="geometric mean time of the other to its own"),
        (10, INF), (2 + _LITTLE, INF), (-INF, 1),
    ),
    "S-D-9": bands(
        Figure("ratio", "time with the grid to that without", "ratio",
               lambda s: np.mean(left(s, "fit_s") / right(s, "fit_s"))),
        (2, 4), (1.1 + _LITTLE, INF),
    ),
    "S-E-1": _COMPARABLE,
    "S-E-2": bands(
        Figure("times", "least ratio of times", "ratio",
               lambda s: left(s, "fit_s") / right(s, "fit_s"), np.min),
        (100, INF), (2 + _LITTLE, INF), (-INF, 1),
    ),
    "S-E-3": Rule(
        (
            Figure("misses", "within one printed sd on", "sets",
                   lambda s: np.abs(left(s) - s.printed(s.left[0]))
                   / s.printed(s.left[0], "sd"),
                   lambda v: np.count_nonzero(v <= 1), exact=True),
        ),
        lambda v: bool(np.all(v.misses <= 1 + 1e-9)),
        lambda v: bool(np.sum(v.misses <= 1 + 1e-9) * 6 >= 4 * v.misses.size),
    ),
}  # fmt: skip
RULES = {**RULES, "S-D-4": RULES["S-GRID-2"]}
