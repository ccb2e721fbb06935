"""The values of figures on measured runs, with their intervals.

Intervals of 95 % are for other seeds and another partition of exactly these data sets: by the delta
method from the means and sds of cells, seeds averaged in folds and folds paired over methods, or,
for a discontinuous figure, from resampled folds and runs.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import scipy

from boostbench import stats
from boostbench.papers.evidence import Measurements, StatisticKey, Statistics
from boostbench.papers.figures import FIGURES, is_resampled, is_spread, is_timed, option, title
from boostbench.papers.language import DRAWS, TAIL, Array, FigureCall, Unknown, Values
from boostbench.papers.settings import along, several_of
from boostbench.stats.paired import seed_means

_ORDERS = ("lead", "ratio", "gain", "steadier", "speedup", "saving")
# Without these, intervals of sds hold the truth of made-up runs in 77 to 96 % (one partition) and
# 92 % (five), those of seconds in 75 % (one): what another partition changes, or another hour, is
# not in them (scripts/calibrate.py).
WIDER = {"sds": (2.0, 1.1), "seconds": (2.2, 1.0)}
"""By what an interval of 95 % is multiplied, from one partition and from several."""
_STEP = 1e-5
"""The step of a slope, as a share of the statistic, which counts as at least _LEAST."""
_LEAST = 1e-3
CURVES = "curves"
"""The quantity of figures that are calculated from curves, and need no statistics."""
M = TypeVar("M", bound=Measurements)
HalfWidthRule = Callable[[FigureCall, M, Array], Array]
"""Returns half the widths of the intervals of a figure's values."""


def quantity_of(call: FigureCall, measurements: Measurements) -> str:
    """Return the quantity of which a figure needs the statistics."""
    if quantity := FIGURES[call.figure].quantity:
        return quantity
    of = str(option(call, "of"))
    if option(call, "rounds") == "common":
        return measurements.at_common_round(of, *call.methods)
    return of


def statistics_of(
    call: FigureCall,
    measurements: Measurements,
    shifts: Mapping[StatisticKey, Array] | None = None,
) -> Statistics:
    """Return the statistics that a figure needs, moved by ``shifts``, if they are given."""
    quantity = quantity_of(call, measurements)
    keys = [(method, quantity) for method in call.roles if quantity != CURVES]
    values = {key: measurements.values(key) + (shifts or {}).get(key, 0.0) for key in keys}
    return Statistics(measurements, values, moved=shifts is not None)


@np.errstate(all="ignore")
def evaluated(
    call: FigureCall,
    measurements: Measurements,
    shifts: Mapping[StatisticKey, Array] | None = None,
) -> Array:
    """Return a figure's values, with statistics moved by ``shifts``, or of resampled curves."""
    function = FIGURES[call.figure].function
    options = call.arguments_for(inspect.signature(function).parameters)
    values = function(statistics_of(call, measurements, shifts), *call.methods, **options)
    return np.asarray(values, dtype=np.float64)


def leads_of(call: FigureCall, measurements: Measurements) -> Array | None:
    """Return the lead of the first of two methods on each data set, before averaging.

    ``None`` if a figure does not compare two means.
    """
    over = option(call, "over")
    averaged = over in ("mean", "geometric") and option(call, "rounds") != "common"
    if call.figure not in _ORDERS or not averaged:
        return None
    quantity = quantity_of(call, measurements)
    measured = statistics_of(call, measurements)
    a, b = (measured.value(role, quantity) for role in call.methods)
    return measurements.sign(quantity) * (a - b if over == "mean" else np.log(a / b))


def _end(point: Array, half: Array, log: bool) -> Array:
    return np.where(log & (point > 0), point * np.exp(half / point), point + half)


@np.errstate(all="ignore")
def delta(call: FigureCall, measurements: Measurements, point: Array) -> Array:
    """Return half the widths of the intervals of a figure's values, by the delta method."""
    total, squares = np.zeros_like(point), np.zeros_like(point)
    slopes = slopes_of(call, measurements, point)
    for place in range(len(measurements.names)):
        moved = {key: slope[place] for key, slope in slopes.items() if slope[place].any()}
        for row, error in _errors_on(measurements, place, moved):
            total[row] += error.se**2 if error.df else np.inf
            squares[row] += error.se**4 / error.df if error.df else 0.0
    df = np.divide(total**2, squares, out=np.ones_like(total), where=squares > 0)
    half = scipy.special.stdtrit(df, 1 - TAIL) * np.sqrt(total)
    return np.asarray(half * _widening(call, measurements))


def _errors_on(
    measurements: Measurements, place: int, slopes: Mapping[StatisticKey, Array]
) -> Iterator[tuple[int, stats.StandardError]]:
    """Yield the values that depend on a data set, each with its standard error from that."""
    if not slopes:
        return
    folds = np.sum(
        [
            seed_means(slope[:, None, None, None] * measurements.influence(key, place))
            for key, slope in slopes.items()
        ],
        axis=0,
    )
    for row in np.flatnonzero(np.any([slope != 0 for slope in slopes.values()], axis=0)):
        own = folds[row][~np.isnan(folds[row]).all(axis=1)][..., None]
        yield (
            int(row),
            stats.se_over_partitions(own) if len(own) else stats.StandardError(np.nan, 0),
        )


def _widening(call: FigureCall, measurements: Measurements) -> float:
    """Return by what an interval is multiplied for what is not in the runs; see WIDER."""
    kind = "seconds" if is_timed(call) else "sds" if is_spread(call) else ""
    one, several = WIDER.get(kind, (1.0, 1.0))
    runs = [
        measurements.runs(method, name, "score")
        for method in call.roles
        for name in measurements.names
        if (method, name) in measurements.cells
    ]
    return one if any(len(own) == 1 for own in runs) else several


def slopes_of(
    call: FigureCall, measurements: Measurements, point: Array
) -> Mapping[StatisticKey, Array]:
    """Return the slopes (data sets, values) of a figure by each statistic, all in one batch."""
    measured = statistics_of(call, measurements).values
    n = len(measurements.names)
    steps = {key: _STEP * np.maximum(np.abs(base), _LEAST) for key, base in measured.items()}
    shifts = {}
    for i, key in enumerate(measured):
        moved = np.zeros((2, len(measured), n, n))
        moved[:, i] = np.array([1.0, -1.0])[:, None, None] * np.diag(np.nan_to_num(steps[key]))
        shifts[key] = moved.reshape(-1, n)
    values = evaluated(call, measurements, shifts)
    values = np.broadcast_to(values, (2 * len(measured) * n, len(point)))
    above, below = values.reshape(2, len(measured), n, len(point))
    wide = np.array([2 * steps[key] for key in measured])[..., None]
    slopes = np.nan_to_num((above - below) / wide, posinf=0.0, neginf=0.0)
    return dict(zip(measured, slopes, strict=True))


class _InSetting(NamedTuple):
    """A figure's values in one setting, the ends of their intervals, and draws where resampled."""

    point: Array
    low: Array
    high: Array
    draws: Array | None


@np.errstate(all="ignore")
def estimate(
    call: FigureCall,
    every: Sequence[M],
    half_of: HalfWidthRule[M] = delta,
    partly: bool = False,
) -> Values:
    """Return a figure's values and intervals, by setting; Unknown where a value is not measured.

    ``half_of`` returns half the widths of intervals that do not come from measured runs. Values
    that are known on a part of the data sets suffice if ``partly``: each other one may be any
    number.
    """
    kind = FIGURES[call.figure]
    by_setting = [_in_setting(call, own, half_of, partly) for own in every]
    points, lows, highs, draws = zip(*by_setting, strict=True)
    point, low, high = (np.stack(each) for each in (points, lows, highs))
    opposite = ((point, point), (low, high), (high, low))
    point, low, high = (across(call, every, each, other) for each, other in opposite)
    if drawn := [each for each in draws if each is not None]:
        stacked = np.stack(drawn)
        low, high = _ends_of_draws(across(call, every, stacked, stacked), point)
    shape = len(every), point.shape[-1]
    point, low, high = (np.broadcast_to(each, shape) for each in (point, low, high))
    return Values(point, low, high, kind.log, in_steps=kind.unit in ("rank", "datasets"))


def across(call: FigureCall, every: Sequence[M], values: Array, opposite: Array) -> Array:
    """Return a figure over several settings, by setting; other figures are left as they are.

    ``values`` are those by setting, and ``opposite`` the other ends of their intervals.
    """
    function = FIGURES[call.figure].across
    if function is None:
        return values
    groups = _compared_settings(call, every)
    made = [function(values[group], opposite[group]) for group in groups]
    whole = np.empty((len(every), *made[0].shape[1:]))
    for group, own in zip(groups, made, strict=True):
        whole[group] = own
    return whole


def _compared_settings(call: FigureCall, every: Sequence[M]) -> list[list[int]]:
    """Return the settings that a figure compares, in groups; Unknown where these are too few."""
    conditions = every[0].evidence.paper.conditions
    name = option(call, "along")
    groups = [list(range(len(every)))]
    if name is not None:
        groups = along([own.setting for own in every], list(conditions).index(name))
    if any(len(group) < 2 for group in groups):
        raise Unknown(f"needs {several_of(conditions, name or next(iter(conditions)))}")
    return groups


def _in_setting(
    call: FigureCall, measurements: M, half_of: HalfWidthRule[M], partly: bool
) -> _InSetting:
    point = evaluated(call, measurements)
    unknown = np.isnan(point)
    if unknown.all() or (unknown.any() and not partly):
        raise Unknown(f"{title(call)}: not known of all runs")
    half, draws = np.zeros_like(point), None
    if half_of is delta and is_resampled(call):
        keys = statistics_of(call, measurements).values
        shifts = {key: measurements.draws(key) for key in keys}
        draws = np.broadcast_to(evaluated(call, measurements, shifts), (DRAWS, len(point)))
    elif option(call, "over") != "observed":
        half = half_of(call, measurements, point)
    low, high = (_end(point, end, FIGURES[call.figure].log) for end in (-half, half))
    low, high = np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)
    return _InSetting(point, low, high, draws)


def _ends_of_draws(draws: Array, point: Array) -> tuple[Array, Array]:
    """Return the ends of intervals from draws, (settings, draws, values).

    A single fold says nothing about others: its draws are NaN, and the interval is open.
    """
    low, high = np.quantile(draws, [TAIL, 1 - TAIL], axis=1)
    return (
        np.where(np.isnan(low), -np.inf, np.minimum(low, point)),
        np.where(np.isnan(high), np.inf, np.maximum(high, point)),
    )
