"""The named figures of claims: functions of measured means, sds and times over data sets.

A figure is a function of :class:`~boostbench.papers.evidence.Statistics` of data sets in one
setting, those that it declares, and of methods, and returns values (..., data sets), or (..., 1)
for a number over all of them. The quantity, or the metric of a score, decides which values are
better. Its options are

- ``of``: the quantity, by default the paper's metric; any recorded metric, or one of
  :data:`QUANTITIES`
- ``over``: ``mean``, ``geometric`` or ``median`` over the data sets; without it one value each. A
  figure whose function does not take it is one number over all data sets
- ``on``, ``without``: some of the data sets only
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boostbench import stats
from boostbench.papers.evidence import LEAST_RUNS, TIMES, Statistics
from boostbench.papers.language import Array, FigureCall, Role, Unknown
from boostbench.papers.settings import USUAL
from boostbench.papers.tables import PublishedDataset
from boostbench.suggest import listing
from boostbench.yamltree import read_yaml

ALONG = next(iter(USUAL))
"""The condition along which times grow, in a paper with the usual conditions."""
QUANTITIES = ("score", "sd", *TIMES, "failures", "area", "objective")
_TRAITS: Mapping[str, Any] = read_yaml(Path(__file__).with_suffix(".yaml")).value


def _mean(x: Array) -> Array:
    return np.asarray(x.mean(axis=-1, keepdims=True))


def _geometric(x: Array) -> Array:
    return np.where((x > 0).all(axis=-1), np.exp(np.log(x).mean(axis=-1)), np.nan)[..., None]


def _median(x: Array) -> Array:
    return np.asarray(np.median(x, axis=-1, keepdims=True))


AVERAGES: Mapping[str, Callable[[Array], Array]] = {
    "each": np.asarray,
    "mean": _mean,
    "geometric": _geometric,
    "observed": _mean,
    "median": _median,
}


@dataclass(frozen=True)
class Figure:
    """A named figure: its ``function``, its title in ``words`` and its unit.

    ``log`` says that its interval is computed on the log scale. ``across`` is a function of the
    values by setting, (settings, ...), and the opposite ends of their intervals, for figures over
    several settings at once. ``resampled`` figures are discontinuous, so that their intervals come
    from resampled runs. ``even`` is the value at which neither method is ahead. ``quantity`` is the
    one of which it needs the statistics, by default that of its option ``of``. Methods after the
    first ``ranked`` ones, if that is given, are the others among which these have ranks. All except
    the functions are in ``figures.yaml``.
    """

    function: Callable[..., Array]
    words: str
    unit: str
    log: bool = False
    resampled: bool = False
    across: Callable[[Array, Array], Array] | None = None
    even: float | None = None
    quantity: str = ""
    ranked: int | None = None


def _times(s: Statistics, x: Array, y: Array) -> Array:
    """Return x to y, NaN where one as measured is negative: then it is no number of times.

    Raises Unknown where y as measured is 0.
    """
    if s.moved:
        return np.asarray(x / y)
    if (y == 0).any():
        names = s.measurements.names
        if len(y) != len(names):
            raise Unknown("a ratio to 0 has no value")
        zeros = [name for name, is_zero in zip(names, y == 0, strict=True) if is_zero]
        raise Unknown(f"a ratio to 0 has no value ({listing(zeros)})")
    return np.where((x < 0) | (y < 0), np.nan, x / y)


def _difference(x: Array, y: Array, over: str) -> Array:
    """Return the average of x - y; of geometric means, which need x and y > 0, the difference."""
    average = AVERAGES[over]
    return average(x - y) if over == "median" else average(x) - average(y)


def lead(s: Statistics, a: Role, b: Role, *, of: str = "score", over: str = "each") -> Array:
    """By how much a is better than b."""
    factor = s.measurements.sign(of) * s.measurements.scale(of)
    return _difference(factor * s.value(a, of), factor * s.value(b, of), over)


def _ratio(s: Statistics, x: Array, y: Array, over: str) -> Array:
    """Return the average ratio of x to y: of averages, except that a median is one of ratios."""
    average = AVERAGES[over]
    return average(_times(s, x, y)) if over == "median" else _times(s, average(x), average(y))


def ratio(s: Statistics, a: Role, b: Role, *, of: str = "score", over: str = "each") -> Array:
    """How many times as good a is as b."""
    x, y = s.value(a, of), s.value(b, of)
    return _ratio(s, y, x, over) if s.measurements.sign(of) < 0 else _ratio(s, x, y, over)


def gain(s: Statistics, a: Role, b: Role, *, of: str = "score", over: str = "each") -> Array:
    """By how many percent a is better than b."""
    return 100 * (ratio(s, a, b, of=of, over=over) - 1)


def steadier(s: Statistics, a: Role, b: Role, *, over: str = "each") -> Array:
    """Return the sd of b to that of a."""
    return ratio(s, a, b, of="sd", over=over)


def speedup(
    s: Statistics, a: Role, b: Role, *, of: str = "time", over: str = "each", rounds: str = "all"
) -> Array:
    """Return the time of b to that of a; ``rounds=common``: after the rounds that all runs have."""
    if rounds == "common":
        of = s.measurements.at_common_round(of, a, b)
    return ratio(s, a, b, of=of, over=over)


def saving(s: Statistics, a: Role, b: Role, *, of: str = "time", over: str = "each") -> Array:
    """Return the percentage of b's time, or error, that a saves."""
    return 100 * (1 - _ratio(s, s.value(a, of), s.value(b, of), over))


def failures(s: Statistics, a: Role, *, over: str = "each") -> Array:
    """How many of the paper's number of runs have a score worse than the metric's line.

    ``over=observed`` is the observed mean, for "never": one failure refutes it.
    """
    runs = s.measurements.evidence.paper.runs or LEAST_RUNS
    return AVERAGES[over](runs * s.value(a, "failures"))


def value(s: Statistics, a: Role, *, of: str = "score", over: str = "each") -> Array:
    """Return the mean of a score, or of another quantity."""
    return s.measurements.scale(of) * AVERAGES[over](s.value(a, of))


def seconds(s: Statistics, a: Role, *, of: str = "time", over: str = "each") -> Array:
    """Seconds of training."""
    return value(s, a, of=of, over=over)


def _growth(x: Array, before: Array) -> Array:
    return np.asarray((x[1:] / before[:-1]).min(axis=0, keepdims=True))


def growth(s: Statistics, a: Role, *, of: str = "time", along: str = ALONG) -> Array:
    """Return the least ratio of the geometric mean time at a value to that at the value before.

    The values are those of the condition ``along``.
    """
    return _geometric(s.value(a, of))


def _sizes(data: PublishedDataset, by: str) -> Sequence[int | None]:
    """Return the sizes of a data set, ``None`` for those that the paper does not state."""
    return (data.n_samples, data.n_features) if by == "rows" else (data.n_classes,)


def power(s: Statistics, a: Role, *, by: str, of: str = "time") -> Array:
    """Return the power of the rows (beside the features) or of the classes by which time grows.

    It is unknown if fewer than four data sets differ in their sizes, or three in classes.
    """
    values = s.value(a, of)
    published = s.measurements.evidence.paper.datasets
    listed = [published[name] for name in s.measurements.names]
    sizes = np.array([_sizes(data, by) for data in listed], dtype=float)
    if len(np.unique(sizes, axis=0)) < 2 + sizes.shape[-1] or np.isnan(sizes).any():
        return np.full((*values.shape[:-1], 1), np.nan)
    known = np.column_stack([np.log(sizes), np.ones(len(sizes))])
    logs = np.log(np.where(values > 0, values, np.nan))
    return np.asarray(logs @ np.linalg.pinv(known)[0][:, None])


def power_lead(s: Statistics, a: Role, b: Role, *, by: str, of: str = "time") -> Array:
    """By how much smaller a's power is than b's."""
    return power(s, b, by=by, of=of) - power(s, a, by=by, of=of)


def _same_signs(x: Array, _: Array) -> Array:
    same = (np.sign(x) == np.sign(x[:1])).all(axis=(0, -1))
    return np.where(np.isnan(x).any(axis=(0, -1)), np.nan, same)[None, ..., None]


def same_order(s: Statistics, a: Role, b: Role, *methods: Role, of: str = "score") -> Array:
    """1 where the order of the methods' means is the same in all settings, else 0."""
    means = [s.value(method, of).mean(axis=-1) for method in (a, b, *methods)]
    return np.stack([means[i] - means[j] for i in range(len(means)) for j in range(i)], axis=-1)


def off(s: Statistics, a: Role, *, table: str | None = None, over: str = "mean") -> Array:
    """Return the average minus that of the printed means of the same data sets."""
    factor = s.measurements.scale("score")
    return _difference(
        factor * s.value(a, "score"), factor * s.measurements.printed(a, table), over
    )


def reach(s: Statistics, a: Role, b: Role, *, over: str = "each") -> Array:
    """Return the ratio of b's to a's solver seconds until both reach an objective."""
    return AVERAGES[over](s.reached(a, b))


def rank(s: Statistics, a: Role, *others: Role, of: str = "score", over: str = "each") -> Array:
    """Return the rank of a among these methods on each data set: 1 is best, ties share."""
    sign = s.measurements.sign(of)
    ahead = [
        np.where(
            s.has_run(other), np.heaviside(sign * (s.value(other, of) - s.value(a, of)), 0.5), 0.0
        )
        for other in others
    ]
    return AVERAGES[over](1 + np.sum(ahead, axis=0))


def _leads_shown(s: Statistics, a: Role, others: Sequence[Role], of: str) -> Array:
    """By how much a is better than the best other on each data set, 0 where print shows nothing.

    That is less than half a unit of the last printed digit.
    """
    sign, roles = s.measurements.sign(of), (a, *others)
    leads = [
        np.where(s.has_run(other), sign * (s.value(a, of) - s.value(other, of)), np.inf)
        for other in others
    ]
    least = np.min(np.broadcast_arrays(*leads), axis=0)
    members = [method for role in roles for method in role.members]
    unseen = np.max([s.measurements.rounding(method, of) for method in members], axis=0)
    return np.where(np.abs(least) < unseen, 0.0, least)


def _count(leads: Array, sign: int) -> Array:
    """Return the number of leads of a sign, NaN where one is unknown."""
    is_so = np.where(np.isnan(leads), np.nan, np.sign(leads) == sign)
    return np.asarray(is_so.sum(axis=-1, keepdims=True))


def wins(s: Statistics, a: Role, b: Role, *others: Role, of: str = "score") -> Array:
    """Return on how many data sets a is better than every other method."""
    return _count(_leads_shown(s, a, (b, *others), of), 1)


def ties(s: Statistics, a: Role, b: Role, *others: Role, of: str = "score") -> Array:
    """Return on how many data sets a is as good as the best other method, in printed digits."""
    return _count(_leads_shown(s, a, (b, *others), of), 0)


def losses(s: Statistics, a: Role, b: Role, *others: Role, of: str = "score") -> Array:
    """Return on how many data sets another method is better than a."""
    return _count(_leads_shown(s, a, (b, *others), of), -1)


def rank_lead(
    s: Statistics, a: Role, b: Role, *others: Role, of: str = "score", over: str = "mean"
) -> Array:
    """By how much better a's average rank is than b's, among these methods."""
    return _difference(rank(s, b, a, *others, of=of), rank(s, a, b, *others, of=of), over)


def wilcoxon(s: Statistics, a: Role, b: Role, *, of: str = "score") -> Array:
    """Return the two-sided p-value of Wilcoxon's signed-rank test over the data sets."""
    return _p_values(lambda x: stats.wilcoxon(x).p, s.value(a, of) - s.value(b, of), 1)


def friedman(s: Statistics, a: Role, b: Role, *others: Role, of: str = "score") -> Array:
    """Return the p-value of Friedman's test, by chi-squared, over the data sets."""
    scores = np.stack([s.value(method, of) for method in (a, b, *others)], axis=-1)
    return _p_values(lambda x: stats.friedman(x).p, scores, 2)


def _p_values(test: Callable[[Array], float], x: Array, ndim: int) -> Array:
    before, own = x.shape[: x.ndim - ndim], x.shape[x.ndim - ndim :]
    p_values = [np.nan if np.isnan(each).any() else test(each) for each in x.reshape(-1, *own)]
    return np.reshape(p_values, (*before, 1))


_ACROSS = {"growth": _growth, "same_order": _same_signs}
FIGURES = {
    function.__name__: Figure(
        function, across=_ACROSS.get(function.__name__), **_TRAITS[function.__name__]
    )
    for function in (
        *(lead, ratio, gain, steadier, speedup, saving),
        *(failures, value, seconds, growth, power, power_lead),
        *(same_order, off, reach, rank, rank_lead, wins, ties, losses, wilcoxon, friedman),
    )
}
FIGURES["score"] = FIGURES["value"]
"""One figure with two names: claims on metrics say ``score(a, of=nll)``."""


def roles_of(call: FigureCall) -> list[Role]:
    """Return the roles of a figure, those among which others have a rank as one."""
    ranked = FIGURES[call.figure].ranked
    if ranked is None:
        return list(call.methods)
    others = [method for role in call.methods[ranked:] for method in role.members]
    return [*call.methods[:ranked], *([Role(tuple(others), choice="others")] if others else [])]


def option(call: FigureCall, key: str) -> str | None:
    """Return the value of an option of a figure, given or by default."""
    value = call.options.get(key, _defaults(call).get(key))
    return None if value is None else str(value)


def _defaults(call: FigureCall) -> Mapping[str, str]:
    return FIGURES[call.figure].function.__kwdefaults__ or {}


def is_over_all(call: FigureCall) -> bool:
    """Return whether a figure is one number over all its data sets, which needs each of them."""
    return option(call, "over") != "each"


def is_resampled(call: FigureCall) -> bool:
    """Return whether a figure's interval is that of resampled runs."""
    return FIGURES[call.figure].resampled or option(call, "over") == "median"


def unit(call: FigureCall) -> str:
    """Return the unit of a figure."""
    known = FIGURES[call.figure].unit
    return "seconds" if known in ("difference", "score") and is_timed(call) else known


def is_timed(call: FigureCall) -> bool:
    """Return whether a figure is of seconds."""
    return option(call, "of") in TIMES or call.figure == "reach"


def is_spread(call: FigureCall) -> bool:
    """Return whether a figure is of standard deviations."""
    return call.figure == "steadier" or option(call, "of") == "sd"


def counts_failures(call: FigureCall) -> bool:
    """Return whether a figure is of failed runs."""
    return call.figure == "failures" or option(call, "of") == "failures"


def compares_times(call: FigureCall) -> bool:
    """Return whether a figure compares the seconds of several methods."""
    return is_timed(call) and not call.figure.startswith("power") and len(set(call.roles)) > 1


def title(call: FigureCall) -> str:
    """Return a figure in words, with its methods, its average and its data sets."""
    a, b, *_ = [*map(str, call.methods), ""]
    others = ", ".join(map(str, call.methods[1:]))
    by, along = call.options.get("by", ""), option(call, "along")
    words = FIGURES[call.figure].words.format(a=a, b=b, others=others, by=by, along=along)
    of = str(option(call, "of"))
    if "of" in call.options and of != _defaults(call).get("of"):
        quantity = f"{of} time" if of in TIMES else of
        named = re.sub(r"\btime (of|to)\b", rf"{quantity} \1", words)
        words = named if named != words else f"{of}: {words}"
    over = {"mean": "mean", "geometric": "geometric mean", "median": "median"}
    if FIGURES[call.figure].unit == "difference":
        over["geometric"] = "of geometric means"
    usual = "mean" if call.figure == "rank_lead" else ""
    parts = [words, over.get(str(call.options.get("over", usual)), "")]
    for key in ("on", "without"):
        if key in call.options:
            parts.append(f"{key} {', '.join(call.options[key])}")
    return ", ".join(part for part in parts if part)
