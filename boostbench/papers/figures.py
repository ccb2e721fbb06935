"""The named figures of claims: functions of measured means, sds and times over data sets.

A figure is a function of :class:`~boostbench.papers.sets.Sets`, what methods measured on data sets
at one depth, and of methods, and returns values (..., data sets), or (..., 1) for a number over all
of them. "Better" is asked of the quantity, and of a score its metric. Its options are

- ``of``: the quantity, by default the paper's metric; any recorded metric, or one of
  :data:`QUANTITIES`
- ``over``: ``mean``, ``geometric`` or ``median`` over the data sets; without it one value each
- ``on``, ``without``: some of the data sets only
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from boostbench import stats
from boostbench.papers.conditions import Array
from boostbench.papers.evidence import TIMES
from boostbench.papers.language import FigureCall, Group, Role, members
from boostbench.papers.sets import Key, Sets

QUANTITIES = ("score", "sd", *TIMES, "failures", "area", "objective")
FIGURES: dict[str, Figure] = {}


def _geometric(x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.where((x > 0).all(axis=-1), np.exp(np.log(x).mean(axis=-1)), np.nan)[..., None]


AVERAGES: Mapping[str, Callable[[Array], Array]] = {
    "each": lambda x: x,
    "mean": lambda x: x.mean(axis=-1, keepdims=True),
    "geometric": _geometric,
    "median": lambda x: np.median(x, axis=-1, keepdims=True),
    "observed": lambda x: x.mean(axis=-1, keepdims=True),
}


@dataclass(frozen=True)
class Figure:
    """A named figure: its function, the words it is shown under and the unit.

    ``log``: its interval is taken on the log scale. ``across``: a function of the values by depth,
    (depths, ...), where it looks at all depths at once. ``resampled``: it jumps, so that its
    interval is that of resampled runs. ``even`` is the value at which neither method is ahead.
    """

    of: Callable[..., Array]
    words: str
    unit: str
    log: bool = False
    resampled: bool = False
    across: Callable[[Array], Array] | None = None
    even: float | None = None


def figure(words: str, unit: str, **traits: Any) -> Callable[[Any], Any]:
    """Register a function as a figure of its name."""

    def register(of: Callable[..., Array]) -> Callable[..., Array]:
        FIGURES[of.__name__] = Figure(of, words, unit, **traits)
        return of

    return register


def evaluated(
    call: FigureCall, sets: Sets, shifts: Mapping[Key, Array] | None = None, drawing: bool = False
) -> Array:
    """Return a figure's values, with statistics moved by ``shifts``, or of ``drawing`` curves."""
    sets.shifts, sets.drawing = shifts or {}, drawing
    found = FIGURES[call.figure].of(sets, *call.methods, **call.passed)
    return np.asarray(found, dtype=np.float64)


def _option(call: FigureCall, key: str) -> Any:
    """Return the value of an option of a figure, given or by default."""
    defaults = FIGURES[call.figure].of.__kwdefaults__ or {}
    return call.options.get(key, defaults.get(key))


def by_data_set(call: FigureCall) -> bool:
    """Return whether a figure has a value per data set."""
    return _option(call, "over") == "each"


def is_exact(call: FigureCall) -> bool:
    """Return whether a figure is judged as observed: one run refutes a "never"."""
    return _option(call, "over") == "observed"


def is_resampled(call: FigureCall) -> bool:
    """Return whether a figure's interval is that of resampled runs."""
    return FIGURES[call.figure].resampled or _option(call, "over") == "median"


def compares_times(call: FigureCall) -> bool:
    """Return whether a figure sets seconds of several methods against each other."""
    timed = _option(call, "of") in TIMES or call.figure == "reach"
    return timed and not call.figure.startswith("power") and len(set(call.roles)) > 1


def uses_spread(call: FigureCall) -> bool:
    """Return whether a figure is one of standard deviations."""
    return call.figure == "steadier" or _option(call, "of") == "sd"


def value(s: Sets, method: Role, of: str) -> Array:
    """Return the values of a method, or of the best or worst member of a group on each set."""
    if isinstance(method, Group):
        values = np.stack(np.broadcast_arrays(*(s.value(each, of) for each in method.members)))
        upper = (s.sign(of) > 0) == (method.pick == "best")
        return np.asarray(values.max(axis=0) if upper else values.min(axis=0))
    return s.value(method, of)


@figure("{a} better than {b} by", "difference", even=0.0)
def lead(s: Sets, a: Role, b: Role, *, of: str = "score", over: str = "each") -> Array:
    """By how much a is better than b."""
    average = AVERAGES[over]
    return s.sign(of) * (average(value(s, a, of)) - average(value(s, b, of)))


@figure("{a} as many times as good as {b}", "ratio", log=True, even=1.0)
def ratio(s: Sets, a: Role, b: Role, *, of: str = "score", over: str = "each") -> Array:
    """How many times as good a is as b."""
    x, y = value(s, a, of), value(s, b, of)
    if s.sign(of) < 0:
        x, y = y, x
    average = AVERAGES[over]
    with np.errstate(all="ignore"):
        return average(x / y) if over == "median" else average(x) / average(y)


@figure("{a} better than {b} by", "percent", even=0.0)
def gain(s: Sets, a: Role, b: Role, *, of: str = "score", over: str = "each") -> Array:
    """By how many percent a is better than b."""
    return 100 * (ratio(s, a, b, of=of, over=over) - 1)


@figure("sd of {b} to that of {a}", "ratio", log=True, even=1.0)
def steadier(s: Sets, a: Role, b: Role, *, over: str = "each") -> Array:
    """The sd of b to that of a."""
    return ratio(s, a, b, of="sd", over=over)


@figure("time of {b} to that of {a}", "ratio", log=True, even=1.0)
def speedup(
    s: Sets, a: Role, b: Role, *, of: str = "time", over: str = "each", rounds: str = "all"
) -> Array:
    """The time of b to that of a; with ``rounds=common``, after the rounds that all runs have."""
    of = s.at_common_round(of, (a, b)) if rounds == "common" else of
    return ratio(s, a, b, of=of, over=over)


@figure("time of {b} that {a} saves", "percent", even=0.0)
def saving(s: Sets, a: Role, b: Role, *, of: str = "time", over: str = "each") -> Array:
    """The percentage of b's time, or error, that a saves."""
    average = AVERAGES[over]
    with np.errstate(all="ignore"):
        return 100 * (1 - average(value(s, a, of)) / average(value(s, b, of)))


@figure("failed runs of {a}", "count")
def failures(s: Sets, a: str, *, over: str = "each") -> Array:
    """How many of the paper's number of runs have a score worse than the metric's line.

    ``over=observed`` is the mean as it was seen, for "never": one failure refutes it.
    """
    return AVERAGES[over](s.repeats * s.value(a, "failures"))


@figure("time of {a}", "seconds")
def seconds(s: Sets, a: Role, *, of: str = "time", over: str = "each") -> Array:
    """Seconds of training."""
    return AVERAGES[over](value(s, a, of))


def _growth(x: Array) -> Array:
    return (x[1:] / x[:-1]).min(axis=0, keepdims=True)


@figure("time of {a} to that at the depth before", "ratio", log=True, across=_growth)
def growth(s: Sets, a: str, *, of: str = "time") -> Array:
    """The least ratio of the geometric mean time at a depth to that at the depth before."""
    return AVERAGES["geometric"](s.value(a, of))


@figure("power of the {by} in the time of {a}", "exponent")
def power(s: Sets, a: Role, *, by: str, of: str = "time") -> Array:
    """The power of the rows, beside one of the features, or of the classes, by which time grows."""
    sizes, values = s.sizes(by), value(s, a, of)
    if sizes is None:
        return np.full((*values.shape[:-1], 1), np.nan)
    known = np.column_stack([np.log(sizes), np.ones(len(sizes))])
    with np.errstate(all="ignore"):
        return np.log(values) @ np.linalg.pinv(known)[0][:, None]


@figure("power of the {by} in the time of {b} less that of {a}", "exponent", even=0.0)
def power_lead(s: Sets, a: Role, b: Role, *, by: str, of: str = "time") -> Array:
    """By how much smaller a's power is than b's."""
    return power(s, b, by=by, of=of) - power(s, a, by=by, of=of)


def _same_signs(x: Array) -> Array:
    same = (np.sign(x) == np.sign(x[:1])).all(axis=(0, -1))
    return np.asarray(same, dtype=np.float64)[None, ..., None]


@figure("the methods have one order at all depths", "truth", resampled=True, across=_same_signs)
def same_order(s: Sets, a: str, b: str, *methods: str, of: str = "score") -> Array:
    """1 where the order of the methods' means is the same at all depths, else 0."""
    means = [s.value(method, of).mean(axis=-1) for method in (a, b, *methods)]
    pairs = [means[i] - means[j] for i in range(len(means)) for j in range(i)]
    return np.stack(pairs, axis=-1)


@figure("{a} minus the printed average", "difference")
def off(s: Sets, a: str, *, table: str | None = None, over: str = "mean") -> Array:
    """The average minus that of the printed means of the same data sets."""
    return AVERAGES[over](s.value(a, "score")) - AVERAGES[over](s.printed(a, table))


@figure(
    "solver time of {b} to that of {a} at one objective",
    "ratio",
    log=True,
    resampled=True,
    even=1.0,
)
def reach(s: Sets, a: Role, b: str, *, over: str = "each") -> Array:
    """Solver seconds of b to the objective that both reach, to those of a, of a group the worst."""
    return AVERAGES[over](np.min([s.reached(each, b) for each in members(a)], axis=0))


@figure("rank of {a}", "rank", resampled=True)
def rank(s: Sets, a: str, *others: str, of: str = "score", over: str = "each") -> Array:
    """The rank of a among these methods on each data set: 1 is best, ties share."""
    ahead = [s.sign(of) * (s.value(other, of) - s.value(a, of)) for other in others]
    return AVERAGES[over](1 + np.sum([(d > 0) + 0.5 * (d == 0) for d in ahead], axis=0))


@figure("mean rank of {b} less that of {a}", "rank", resampled=True, even=0.0)
def rank_lead(
    s: Sets, a: str, b: str, *others: str, of: str = "score", over: str = "mean"
) -> Array:
    """By how much better a's average rank is than b's, among these methods."""
    every = (a, b, *others)
    x, y = (rank(s, m, *(o for o in every if o != m), of=of, over=over) for m in (a, b))
    return y - x


@figure("p-value of Wilcoxon's test of {a} against {b}", "p-value", resampled=True)
def wilcoxon(s: Sets, a: Role, b: Role, *, of: str = "score") -> Array:
    """The two-sided p-value of Wilcoxon's signed-rank test of two methods over the data sets."""
    return _p_values(lambda x: stats.wilcoxon(x).p, value(s, a, of) - value(s, b, of), 1)


@figure("p-value of Friedman's test of {a} and others", "p-value", resampled=True)
def friedman(s: Sets, a: str, b: str, *others: str, of: str = "score") -> Array:
    """The p-value of Friedman's test, by chi-squared, of several methods over the data sets."""
    scores = np.stack([s.value(method, of) for method in (a, b, *others)], axis=-1)
    return _p_values(lambda x: stats.friedman(x).p, scores, 2)


def _p_values(test: Callable[[Array], float], x: Array, ndim: int) -> Array:
    before, own = x.shape[: x.ndim - ndim], x.shape[x.ndim - ndim :]
    found = [np.nan if np.isnan(each).any() else test(each) for each in x.reshape(-1, *own)]
    return np.reshape(found, (*before, 1))


def title(call: FigureCall) -> str:
    """Return a figure in words, with its methods, its average and its data sets."""
    a, b, *_ = [
        each if isinstance(each, str) else f"the {each.pick} of {', '.join(each.members)}"
        for each in (*call.methods, "")
    ]
    words = FIGURES[call.figure].words.format(a=a, b=b, by=call.options.get("by", ""))
    of = call.options.get("of", "score")
    if of not in ("score", "time"):
        words = words.replace("time of", f"{of} time of") if of in TIMES else f"{of}: {words}"
    over = {"mean": "mean", "geometric": "geometric mean", "median": "median"}
    parts = [words, over.get(call.options.get("over", ""), "")]
    parts += [f"{key} {', '.join(call.options[key])}"
              for key in ("on", "without") if key in call.options]  # fmt: skip
    return ", ".join(part for part in parts if part)
