"""The named figures of claims: functions of measured means, sds and times over data sets.

A figure is a function of :class:`~boostbench.papers.evidence.Measurements` on data sets at one
depth, and of methods, and returns values (..., data sets), or (..., 1) for a number over all of
them. The quantity, or the metric of a score, decides which values are better. Its options are

- ``of``: the quantity, by default the paper's metric; any recorded metric, or one of
  :data:`QUANTITIES`
- ``over``: ``mean``, ``geometric`` or ``median`` over the data sets; without it one value each
- ``on``, ``without``: some of the data sets only

Intervals of 95 % are for other seeds and another partition of exactly these data sets: by the delta
method from the means and sds of cells, seeds averaged in folds and folds paired over methods, or,
for a discontinuous figure, from resampled folds and runs.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from boostbench import stats
from boostbench.papers.evidence import LEAST_RUNS, TIMES, Measurements, StatisticKey, fold_means
from boostbench.papers.language import DRAWS, TAIL, Array, FigureCall, Role, Unknown, Values
from boostbench.suggest import listing
from boostbench.yamltree import read_yaml

_ORDERS = ("lead", "ratio", "gain", "steadier", "speedup", "saving")
QUANTITIES = ("score", "sd", *TIMES, "failures", "area", "objective")
# Without these, intervals of sds hold the truth of made-up runs in 77 to 96 % (one partition) and
# 92 % (five), those of seconds in 75 % (one): what another partition changes, or another hour, is
# not in them (scripts/calibrate.py).
WIDER = {"sds": (2.0, 1.1), "seconds": (2.2, 1.0)}
"""By what an interval of 95 % is multiplied, from one partition and from several."""
_STEP, _LEAST = 1e-5, 1e-3
_TRAITS: Mapping[str, Any] = read_yaml(Path(__file__).with_suffix(".yaml")).value
HalfWidthRule = Callable[[FigureCall, Any, Array], Array]


def _mean(x: Array) -> Array:
    return np.asarray(x.mean(axis=-1, keepdims=True))


def _geometric(x: Array) -> Array:
    return np.where((x > 0).all(axis=-1), np.exp(np.log(x).mean(axis=-1)), np.nan)[..., None]


AVERAGES: Mapping[str, Callable[[Array], Array]] = {
    "each": np.asarray, "mean": _mean, "geometric": _geometric, "observed": _mean,
    "median": lambda x: np.median(x, axis=-1, keepdims=True),
}  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A named figure: its function, its title and its unit.

    ``log`` says that its interval is computed on the log scale. ``across`` is a function of the
    values by depth, (depths, ...), and the opposite ends of their intervals, for figures over all
    depths at once. ``resampled`` figures are discontinuous, so that their intervals come from
    resampled runs. ``even`` is the value at which neither method is ahead. All except the functions
    are in ``figures.yaml``.
    """

    of: Callable[..., Array]
    words: str
    unit: str
    log: bool = False
    resampled: bool = False
    across: Callable[[Array, Array], Array] | None = None
    even: float | None = None


def _times(s: Measurements, x: Array, y: Array) -> Array:
    """Return x to y, NaN where one as measured is negative: then it is no number of times.

    Raises Unknown where y as measured is 0.
    """
    if s.shifts is None and (y == 0).any():
        zeros = listing([n for n, zero in zip(s.names, y == 0, strict=False) if zero])
        raise Unknown(f"a ratio to 0 has no value{f' ({zeros})' if len(y) == len(s.names) else ''}")
    return np.where((s.shifts is None) & ((x < 0) | (y < 0)), np.nan, x / y)


def _difference(x: Array, y: Array, over: str) -> Array:
    """Return the average of x - y; of geometric means, which need x and y > 0, the difference."""
    average = AVERAGES[over]
    return average(x - y) if over == "median" else average(x) - average(y)


def lead(s: Measurements, a: Role, b: Role, *, of: str = "score", over: str = "each") -> Array:
    """By how much a is better than b."""
    factor = s.sign(of) * s.scale(of)
    return _difference(factor * s.value(a, of), factor * s.value(b, of), over)


def ratio(s: Measurements, a: Role, b: Role, *, of: str = "score", over: str = "each") -> Array:
    """How many times as good a is as b."""
    x, y = s.value(a, of), s.value(b, of)
    if s.sign(of) < 0:
        x, y = y, x
    average = AVERAGES[over]
    return average(_times(s, x, y)) if over == "median" else _times(s, average(x), average(y))


def gain(s: Measurements, a: Role, b: Role, *, of: str = "score", over: str = "each") -> Array:
    """By how many percent a is better than b."""
    return 100 * (ratio(s, a, b, of=of, over=over) - 1)


def steadier(s: Measurements, a: Role, b: Role, *, over: str = "each") -> Array:
    """Return the sd of b to that of a."""
    return ratio(s, a, b, of="sd", over=over)


def speedup(
    s: Measurements, a: Role, b: Role, *, of: str = "time", over: str = "each", rounds: str = "all"
) -> Array:
    """Return the time of b to that of a; ``rounds=common``: after the rounds that all runs have."""
    return ratio(s, a, b, of=s.at_common_round(of, a, b) if rounds == "common" else of, over=over)


def saving(s: Measurements, a: Role, b: Role, *, of: str = "time", over: str = "each") -> Array:
    """Return the percentage of b's time, or error, that a saves."""
    x, y, average = s.value(a, of), s.value(b, of), AVERAGES[over]
    share = average(_times(s, x, y)) if over == "median" else _times(s, average(x), average(y))
    return 100 * (1 - share)


def failures(s: Measurements, a: Role, *, over: str = "each") -> Array:
    """How many of the paper's number of runs have a score worse than the metric's line.

    ``over=observed`` is the observed mean, for "never": one failure refutes it.
    """
    return AVERAGES[over]((s.evidence.paper.runs or LEAST_RUNS) * s.value(a, "failures"))


def seconds(s: Measurements, a: Role, *, of: str = "time", over: str = "each") -> Array:
    """Seconds of training."""
    return AVERAGES[over](s.value(a, of))


def _growth(x: Array, before: Array) -> Array:
    return np.asarray((x[1:] / before[:-1]).min(axis=0, keepdims=True))


def growth(s: Measurements, a: Role, *, of: str = "time") -> Array:
    """Return the least ratio of the geometric mean time at a depth to that at the depth before."""
    return _geometric(s.value(a, of))


def power(s: Measurements, a: Role, *, by: str, of: str = "time") -> Array:
    """Return the power of the rows (beside the features) or of the classes by which time grows.

    It is unknown if fewer than four data sets differ in their sizes, or three in classes.
    """
    columns = ("n_samples", "n_features") if by == "rows" else ("n_classes",)
    listed, values = [s.evidence.paper.datasets[name] for name in s.names], s.value(a, of)
    sizes = np.array([[getattr(d, c) or np.nan for c in columns] for d in listed], dtype=float)
    if len(np.unique(sizes, axis=0)) < 2 + len(columns) or np.isnan(sizes).any():
        return np.full((*values.shape[:-1], 1), np.nan)
    known = np.column_stack([np.log(sizes), np.ones(len(sizes))])
    logs = np.log(np.where(values > 0, values, np.nan))
    return np.asarray(logs @ np.linalg.pinv(known)[0][:, None])


def power_lead(s: Measurements, a: Role, b: Role, *, by: str, of: str = "time") -> Array:
    """By how much smaller a's power is than b's."""
    return power(s, b, by=by, of=of) - power(s, a, by=by, of=of)


def _same_signs(x: Array, _: Array) -> Array:
    same = (np.sign(x) == np.sign(x[:1])).all(axis=(0, -1))
    return np.where(np.isnan(x).any(axis=(0, -1)), np.nan, same)[None, ..., None]


def same_order(s: Measurements, a: Role, b: Role, *methods: Role, of: str = "score") -> Array:
    """1 where the order of the methods' means is the same at all depths, else 0."""
    means = [s.value(method, of).mean(axis=-1) for method in (a, b, *methods)]
    return np.stack([means[i] - means[j] for i in range(len(means)) for j in range(i)], axis=-1)


def off(s: Measurements, a: Role, *, table: str | None = None, over: str = "mean") -> Array:
    """Return the average minus that of the printed means of the same data sets."""
    factor = s.scale("score")
    return _difference(factor * s.value(a, "score"), factor * s.printed(a, table), over)


def reach(s: Measurements, a: Role, b: Role, *, over: str = "each") -> Array:
    """Return the ratio of b's to a's solver seconds until both reach an objective."""
    return AVERAGES[over](np.min([s.reached(x, y) for x in a.members for y in b.members], axis=0))


def rank(s: Measurements, a: Role, *others: Role, of: str = "score", over: str = "each") -> Array:
    """Return the rank of a among these methods on each data set: 1 is best, ties share."""
    ahead = [s.sign(of) * (s.value(other, of) - s.value(a, of)) for other in others]
    return AVERAGES[over](1 + np.sum([np.heaviside(d, 0.5) for d in ahead], axis=0))


def rank_lead(
    s: Measurements, a: Role, b: Role, *others: Role, of: str = "score", over: str = "mean"
) -> Array:
    """By how much better a's average rank is than b's, among these methods."""
    return _difference(rank(s, b, a, *others, of=of), rank(s, a, b, *others, of=of), over)


def wilcoxon(s: Measurements, a: Role, b: Role, *, of: str = "score") -> Array:
    """Return the two-sided p-value of Wilcoxon's signed-rank test over the data sets."""
    return _p_values(lambda x: stats.wilcoxon(x).p, s.value(a, of) - s.value(b, of), 1)


def friedman(s: Measurements, a: Role, b: Role, *others: Role, of: str = "score") -> Array:
    """Return the p-value of Friedman's test, by chi-squared, over the data sets."""
    scores = np.stack([s.value(method, of) for method in (a, b, *others)], axis=-1)
    return _p_values(lambda x: stats.friedman(x).p, scores, 2)


def _p_values(test: Callable[[Array], float], x: Array, ndim: int) -> Array:
    before, own = x.shape[: x.ndim - ndim], x.shape[x.ndim - ndim :]
    found = [np.nan if np.isnan(each).any() else test(each) for each in x.reshape(-1, *own)]
    return np.reshape(found, (*before, 1))


_ACROSS = {"growth": _growth, "same_order": _same_signs}
FIGURES = {
    of.__name__: Figure(of, across=_ACROSS.get(of.__name__), **_TRAITS[of.__name__])
    for of in (
        lead, ratio, gain, steadier, speedup, saving, failures, seconds, growth, power, power_lead,
        same_order, off, reach, rank, rank_lead, wilcoxon, friedman,
    )
}  # fmt: skip


def option(call: FigureCall, key: str) -> Any:
    """Return the value of an option of a figure, given or by default."""
    return call.options.get(key, (FIGURES[call.figure].of.__kwdefaults__ or {}).get(key))


def is_over_all(call: FigureCall) -> bool:
    """Return whether a figure is one number over all its data sets, which needs each of them."""
    return option(call, "over") != "each"


def leads(call: FigureCall, sets: Measurements) -> Array | None:
    """Return the lead of the first of two methods on each data set, before averaging.

    ``None`` if a figure does not compare two means.
    """
    over, of = option(call, "over"), "sd" if call.figure == "steadier" else option(call, "of")
    averaged = over in ("mean", "geometric") and option(call, "rounds") != "common"
    if call.figure not in _ORDERS or not averaged:
        return None
    a, b = (sets.value(role, of) for role in call.methods)
    return sets.sign(of) * (a - b if over == "mean" else np.log(a / b))


def is_resampled(call: FigureCall) -> bool:
    """Return whether a figure's interval is that of resampled runs."""
    return FIGURES[call.figure].resampled or option(call, "over") == "median"


def unit(call: FigureCall) -> str:
    """Return the unit of a figure."""
    known = FIGURES[call.figure].unit
    return "seconds" if known == "difference" and is_timed(call) else known


def is_timed(call: FigureCall) -> bool:
    """Return whether a figure is of seconds."""
    return option(call, "of") in TIMES or call.figure == "reach"


def is_spread(call: FigureCall) -> bool:
    """Return whether a figure is of standard deviations."""
    return call.figure == "steadier" or option(call, "of") == "sd"


def compares_times(call: FigureCall) -> bool:
    """Return whether a figure compares the seconds of several methods."""
    return is_timed(call) and not call.figure.startswith("power") and len(set(call.roles)) > 1


def title(call: FigureCall) -> str:
    """Return a figure in words, with its methods, its average and its data sets."""
    a, b, *_ = [*map(str, call.methods), ""]
    words = FIGURES[call.figure].words.format(a=a, b=b, by=call.options.get("by", ""))
    of = str(option(call, "of"))
    if "of" in call.options and of != (FIGURES[call.figure].of.__kwdefaults__ or {}).get("of"):
        quantity = f"{of} time" if of in TIMES else of
        named = re.sub(r"\btime (of|to)\b", rf"{quantity} \1", words)
        words = named if named != words else f"{of}: {words}"
    over = {"mean": "mean", "geometric": "geometric mean", "median": "median"}
    if FIGURES[call.figure].unit == "difference":
        over["geometric"] = "of geometric means"
    usual = "mean" if call.figure == "rank_lead" else ""
    parts = [words, over.get(call.options.get("over", usual), "")]
    parts += [f"{key} {', '.join(call.options[key])}"
              for key in ("on", "without") if key in call.options]  # fmt: skip
    return ", ".join(part for part in parts if part)


@np.errstate(all="ignore")
def evaluated(
    call: FigureCall, sets: Measurements, shifts: Mapping[StatisticKey, Array] | None = None
) -> Array:
    """Return a figure's values, with statistics moved by ``shifts``, or of resampled curves."""
    sets.shifts = shifts
    function = FIGURES[call.figure].of
    options = call.arguments_for(inspect.signature(function).parameters)
    found = function(sets, *call.methods, **options)
    return np.asarray(found, dtype=np.float64)


def _end(point: Array, half: Array, log: bool) -> Array:
    return np.where(log & (point > 0), point * np.exp(half / point), point + half)


def delta(call: FigureCall, sets: Measurements, point: Array) -> Array:
    """Return half the widths of the intervals of a figure's values, by the delta method."""
    total, squares = np.zeros_like(point), np.zeros_like(point)
    slopes = slopes_of(call, sets, point)
    for place in range(len(sets.names)):
        moved = {key: slope[place] for key, slope in slopes.items() if slope[place].any()}
        folds = np.sum([fold_means(slope[:, None, None, None] * sets.influence(key, place))
                        for key, slope in moved.items()], axis=0)  # fmt: skip
        for row in np.flatnonzero(np.any([slope != 0 for slope in moved.values()], axis=0)):
            own = folds[row][~np.isnan(folds[row]).all(axis=1)][..., None]
            error = stats.se_over_partitions(own) if len(own) else stats.StandardError(np.nan, 0)
            total[row] += error.se**2 if error.df else np.inf
            squares[row] += error.se**4 / error.df if error.df else 0.0
    df = np.divide(total**2, squares, out=np.ones_like(total), where=squares > 0)
    half = scipy.special.stdtrit(df, 1 - TAIL) * np.sqrt(total)
    runs = [sets.runs(role, name, "score") for role in call.roles for name in sets.names]
    kind = "seconds" if is_timed(call) else "sds" if is_spread(call) else ""
    one, several = WIDER.get(kind, (1.0, 1.0))
    return half * (one if any(len(own) == 1 for own in runs) else several)


def slopes_of(call: FigureCall, sets: Measurements, point: Array) -> Mapping[StatisticKey, Array]:
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


@np.errstate(all="ignore")
def estimate(
    call: FigureCall,
    every: Sequence[Measurements],
    half_of: HalfWidthRule = delta,
    partly: bool = False,
) -> Values:
    """Return a figure's values and intervals, by depth; Unknown where a value is not measured.

    ``half_of`` returns half the widths of intervals that do not come from measured runs. Values
    that are known on a part of the data sets suffice if ``partly``: each other one may be any
    number.
    """
    kind = FIGURES[call.figure]
    rows, drawn = [], []
    for sets in every:
        point = evaluated(call, sets)
        unknown = np.isnan(point)
        if unknown.all() or (unknown.any() and not partly):
            raise Unknown(f"{title(call)}: not known of all runs")
        half = np.zeros_like(point)
        if half_of is delta and is_resampled(call):
            draws = evaluated(call, sets, {key: sets.draws(key) for key in sets.used})
            drawn.append(np.broadcast_to(draws, (DRAWS, len(point))))
        elif option(call, "over") != "observed":
            half = half_of(call, sets, point)
        low, high = (_end(point, end, kind.log) for end in (-half, half))
        rows.append([point, np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)])
    point, low, high = (np.stack(each) for each in zip(*rows, strict=True))
    if kind.across is not None:
        if len(every) < 2:
            raise Unknown("needs trees of several depths")
        ends = ((point, point), (low, high), (high, low))
        point, low, high = (kind.across(each, other) for each, other in ends)
        drawn = [kind.across(np.stack(drawn), np.stack(drawn))[0]] if drawn else []
    if drawn:
        # A single fold says nothing about others: its draws are NaN, and the interval is open.
        low, high = np.quantile(np.stack(drawn), [TAIL, 1 - TAIL], axis=1)
        low = np.where(np.isnan(low), -np.inf, np.minimum(low, point))
        high = np.where(np.isnan(high), np.inf, np.maximum(high, point))
    shape = len(every), point.shape[-1]
    point, low, high = (np.broadcast_to(each, shape) for each in (point, low, high))
    return Values(point, low, high, kind.log, in_steps=kind.unit == "rank")
