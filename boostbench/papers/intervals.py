"""The 95 % intervals of figures: for other seeds and another partition of these very data sets.

By the delta method from the means and sds of cells, seeds averaged in folds and folds paired over
methods, or, where the figure jumps, from resampled folds and runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import scipy

from boostbench.papers.conditions import DRAWS, TAIL, Array, Values
from boostbench.papers.figures import FIGURES, evaluated, is_exact, is_resampled, title, uses_spread
from boostbench.papers.language import FigureCall, Unknown
from boostbench.papers.sets import Key, Sets, fold_means
from boostbench.stats import se_over_partitions

# Intervals of sds from one partition would else cover 77 to 96 % where 95 is claimed.
ONE_PARTITION = 2.0
_STEP, _LEAST = 1e-5, 1e-3


@np.errstate(all="ignore")
def estimate(call: FigureCall, every: Sequence[Sets]) -> Values:
    """Return a figure's values and intervals, by depth; Unknown where a value is not measured."""
    kind = FIGURES[call.figure]
    rows, drawn = [], []
    for sets in every:
        point = evaluated(call, sets)
        if np.isnan(point).any():
            raise Unknown(f"{title(call)}: not known of all runs")
        half = np.zeros_like(point)
        if is_resampled(call):
            draws = evaluated(call, sets, {key: sets.draws(key) for key in sets.used}, True)
            drawn.append(np.broadcast_to(draws, (DRAWS, len(point))))
        elif not is_exact(call):
            half = _half(call, sets, point)
        rows.append([point, *(_end(point, end, kind.log) for end in (-half, half))])
    found = [np.stack(each) for each in zip(*rows, strict=True)]
    if kind.across is not None:
        if len(every) < 2:
            raise Unknown("needs trees of several depths")
        found[0] = kind.across(found[0])
        if drawn:
            drawn = [kind.across(np.stack(drawn))[0]]
        else:
            low, high = found[1][1:] / found[2][:-1], found[2][1:] / found[1][:-1]
            found[1:] = [each.min(axis=0, keepdims=True) for each in (low, high)]
    if drawn:
        with warnings.catch_warnings():
            # A single fold says nothing of others: its draws are all NaN.
            warnings.simplefilter("ignore", RuntimeWarning)
            low, high = np.nanquantile(np.stack(drawn), [TAIL, 1 - TAIL], axis=1)
        found[1] = np.where(np.isnan(low), -np.inf, np.minimum(low, found[0]))
        found[2] = np.where(np.isnan(high), np.inf, np.maximum(high, found[0]))
    shape = len(every), found[0].shape[-1]
    return Values(*(np.broadcast_to(each, shape) for each in found), log=kind.log)


def _end(point: Array, half: Array, log: bool) -> Array:
    return np.where(log & (point > 0), point * np.exp(half / point), point + half)


def _half(call: FigureCall, sets: Sets, point: Array) -> Array:
    """Return half the widths of the intervals of a figure's values, by the delta method."""
    total, squares = np.zeros_like(point), np.zeros_like(point)
    unknown = np.zeros(point.shape, dtype=bool)
    slopes = slopes_of(call, sets, point)
    for place in range(len(sets.names)):
        moved = {key: slope[place] for key, slope in slopes.items() if slope[place].any()}
        if not moved:
            continue
        folds = np.sum([
            fold_means(slope[:, None, None, None] * sets.influence(key, place))
            for key, slope in moved.items()
        ], axis=0)  # fmt: skip
        for row in np.flatnonzero(np.any([slope != 0 for slope in moved.values()], axis=0)):
            kept = folds[row][~np.isnan(folds[row]).all(axis=1)][..., None]
            error = se_over_partitions(kept) if len(kept) else None
            if error is None or not error.df:
                unknown[row] = True
                continue
            total[row] += error.se**2
            squares[row] += error.se**4 / error.df
    df = np.divide(total**2, squares, out=np.ones_like(total), where=squares > 0)
    half = scipy.special.stdtrit(df, 1 - TAIL) * np.sqrt(total)
    half = np.where(unknown, np.inf, np.where(total > 0, half, 0.0))
    if uses_spread(call) and any(
        len(sets.runs(role, name, "score")) == 1 for role in call.roles for name in sets.names
    ):
        half = half * ONE_PARTITION
    return half


def slopes_of(call: FigureCall, sets: Sets, point: Array) -> Mapping[Key, Array]:
    """Return the slopes (data sets, values) of a figure by each statistic, all in one batch."""
    used, n = dict(sets.used), len(sets.names)
    steps = {key: _STEP * np.maximum(np.abs(base), _LEAST) for key, base in used.items()}
    shifts = {}
    for i, key in enumerate(used):
        moved = np.zeros((2, len(used), n, n))
        moved[:, i] = np.array([1.0, -1.0])[:, None, None] * np.diag(np.nan_to_num(steps[key]))
        shifts[key] = moved.reshape(-1, n)
    values = np.broadcast_to(evaluated(call, sets, shifts), (2 * len(used) * n, len(point)))
    above, below = values.reshape(2, len(used), n, len(point))
    wide = np.array([2 * steps[key] for key in used])[..., None]
    slopes = np.nan_to_num((above - below) / wide, posinf=0.0, neginf=0.0)
    return dict(zip(used, slopes, strict=True))
