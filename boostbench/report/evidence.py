"""Figures of a claim with their uncertainty, from the runs that all of its methods have.

The question is "on these data sets": how far a figure would move with other seeds and another
partition of the same rows. A figure is a function of means and standard deviations of cells; its
variance follows from theirs by the delta method, seeds averaged within folds and folds paired over
methods (``boostbench.stats.se_over_partitions``), with Satterthwaite's degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from boostbench.papers.claim import Array, Figure, Quantity
from boostbench.papers.paper import Paper
from boostbench.papers.results import Curve
from boostbench.report.collect import Run
from boostbench.report.paired import Index, as_array, common
from boostbench.report.processors import on_one_processor, without_time_curves, without_times
from boostbench.stats import se_over_partitions, variance_components

LEVEL = 0.95
_STEP = 1e-5
_LEAST = 1e-3
# A cell's statistic: the role, mean or sd, and of what.
_Key = tuple[str, str, Quantity]


@dataclass(frozen=True)
class CellRuns:
    """The finished runs of a role on a data set.

    ``out`` are those that a mean score leaves out, as the published one does. ``apart``: whether
    runs of other roles were timed on other processors, so that their times are left out.
    """

    runs: Mapping[Index, Run]
    out: frozenset[Index] = frozenset()
    curve: Curve | None = None
    apart: bool = False


@dataclass(frozen=True)
class MeasuredSets:
    """What roles measured on data sets at one depth (:class:`boostbench.papers.claim.Sets`)."""

    paper: Paper
    names: Sequence[str]
    depth: int | None
    left: Sequence[str]
    right: Sequence[str]
    cells: Mapping[tuple[str, str], CellRuns]
    _used: dict[_Key, Array] = field(default_factory=dict, repr=False)
    _cache: dict[_Key, Array] = field(default_factory=dict, repr=False)
    _influences: dict[tuple[_Key, int], Array] = field(default_factory=dict, repr=False)
    _estimates: dict[Figure, Estimate] = field(default_factory=dict, repr=False)

    def mean(self, role: str, quantity: Quantity = "score") -> Array:
        """Return means over runs."""
        return self._statistic((role, "mean", quantity))

    def sd(self, role: str, quantity: Quantity = "score") -> Array:
        """Return sample standard deviations over runs."""
        return self._statistic((role, "sd", quantity))

    def runs(self, role: str) -> Array:
        """Return numbers of runs."""
        return np.array([float(len(self.cells[role, name].runs)) for name in self.names])

    def printed(self, role: str, what: str = "mean", table: str | None = None) -> Array:
        """Return what the paper prints, NaN where it does not."""
        column = self.paper.column(role, self.depth, table)
        if column is None or (table is not None and column.table != table):
            return np.full(len(self.names), np.nan)
        cells = [column.cells.get(name) for name in self.names]
        found = [None if cell is None else getattr(cell, what) for cell in cells]
        return np.array([np.nan if value is None else float(value) for value in found])

    @property
    def apart(self) -> bool:
        """Whether times are left out because runs were timed on different processors."""
        return any(cell.apart for cell in self.cells.values())

    def curves(self, role: str) -> Sequence[Curve | None]:
        """Return the mean learning curves."""
        return [self.cells[role, name].curve for name in self.names]

    def shapes(self) -> Sequence[tuple[int | None, int | None]]:
        """Return the (rows, features) of each data set as the paper lists them."""
        listed = [self.paper.datasets[name] for name in self.names]
        return [(data.n_samples, data.n_features) for data in listed]

    def _statistic(self, key: _Key) -> Array:
        if key not in self._used:
            if key not in self._cache:
                role, what, quantity = key
                arrays = [self._values(role, name, quantity) for name in self.names]
                self._cache[key] = np.array([_STATISTICS[what](array) for array in arrays])
            self._used[key] = self._cache[key]
        return self._used[key].copy()

    def _values(self, role: str, name: str, quantity: Quantity) -> Array:
        """Return a quantity of the runs, (partitions, folds, seeds), NaN where there is none."""
        cell = self.cells[role, name]
        values: dict[Index, float] = {}
        for index, run in cell.runs.items():
            value = _value(run, quantity)
            out = quantity == "score" and index in cell.out
            values[index] = np.nan if value is None or out else value
        return as_array(values)

    def traced(self, used: Mapping[_Key, Array] | None = None) -> MeasuredSets:
        """Return these sets with a record of their own of what is ``used``, empty by default."""
        return replace(self, _used=dict(used or {}))

    def changed(self, key: _Key, place: int, by: float) -> MeasuredSets:
        """Return these sets with one cell's statistic moved."""
        moved = self._used[key].copy()
        moved[place] += by
        return self.traced({**self._used, key: moved})

    def influences(self, key: _Key, place: int) -> Array:
        """Return how much each run moves a cell's statistic, in proportion to its weight."""
        known = self._influences.get((key, place))
        if known is None:
            known = self._influences[key, place] = self._influence(key, place)
        return known

    def _influence(self, key: _Key, place: int) -> Array:
        role, what, quantity = key
        values = self._values(role, self.names[place], quantity)
        centred = values - np.nanmean(values)
        if what == "mean":
            return centred
        sd = self._used[key][place]
        if not sd > 0:
            return np.where(np.isnan(values), np.nan, 0.0)
        return (centred**2 - np.nanmean(centred**2)) / (2.0 * sd)


def _mean(values: Array) -> float:
    return float(np.nanmean(values)) if not np.isnan(values).all() else np.nan


def _sd(values: Array) -> float:
    known = values[~np.isnan(values)]
    return float(np.std(known, ddof=1)) if len(known) > 1 else np.nan


_STATISTICS: Mapping[str, Callable[[Array], float]] = {"mean": _mean, "sd": _sd}


def _value(run: Run, quantity: Quantity) -> float | None:
    if callable(quantity):
        return quantity(run)
    if quantity == "exploded":
        return None if run.score is None else float(run.score < 0.0)
    value = getattr(run, quantity)
    return None if value is None else float(value)


def paired(
    cells: Mapping[tuple[str, str], CellRuns], roles: Sequence[str], names: Sequence[str]
) -> dict[tuple[str, str], CellRuns]:
    """Return the cells with the runs only that all ``roles`` have on a data set.

    Where these took place on different processors, they are without their times.
    """
    found = {}
    for name in names:
        own = [cells[role, name] for role in roles]
        both = common(*(cell.runs for cell in own))
        apart = set(both).difference(on_one_processor(both, *(cell.runs for cell in own)))
        for role, cell in zip(roles, own, strict=True):
            runs = {
                index: without_times(cell.runs[index]) if index in apart else cell.runs[index]
                for index in both
            }
            curve = without_time_curves(cell.curve) if apart else cell.curve
            found[role, name] = CellRuns(runs, cell.out, curve, bool(apart))
    return found


@dataclass(frozen=True)
class Part:
    """What one data set adds to the squared standard error of each value of a figure, (m,).

    ``variance`` is that of the mean over ``folds`` folds in all ``partitions``; ``influences``
    (n, P, k, s) of each role's runs are those on the n values that ``used`` (m,) marks.
    """

    variance: Array
    influences: Sequence[NDArray[np.float64]]
    used: NDArray[np.bool_]
    df: float
    folds: int
    seeds: int
    partitions: int

    @cached_property
    def seed(self) -> Array:
        """The variance of a single run inside a fold, NaN with one seed."""
        found = np.zeros(self.used.shape)
        known = ~np.isnan(self.variance)
        for row, place in enumerate(np.flatnonzero(self.used)):
            own = [each[row].reshape(-1, each.shape[3]) for each in self.influences]
            found[place] = (
                float(np.sum([variance_components(each).seed for each in own]))
                if known[place]
                else np.nan
            )
        return found

    @property
    def fold(self) -> Array:
        """The rest of the variance of a fold's mean."""
        return np.maximum(0.0, self.variance * self.folds - self.seed / self.seeds)

    def planned(self, seeds: float | None = None, partitions: float | None = None) -> Array:
        """Return the variance with other numbers of seeds per fold or of partitions."""
        variance = self.variance
        if seeds is not None:
            variance = (self.fold + self.seed / seeds) / self.folds
        return variance if partitions is None else variance * self.partitions / partitions

    def planned_df(self, partitions: float | None) -> float:
        """Return the degrees of freedom with another number of partitions."""
        if partitions is None or not self.df:
            return self.df
        per_partition = self.folds / self.partitions
        return partitions - 1 if partitions >= 3 else partitions * (per_partition - 1)


@dataclass(frozen=True)
class Estimate:
    """A figure at one depth: its values (m,), and what its data sets add to its uncertainty.

    ``half`` is half the width of its 95 % interval, infinite where one fold says nothing of it.
    """

    values: Array
    parts: Sequence[Part]
    _halves: dict[tuple[float | None, float | None], Array] = field(
        default_factory=dict, repr=False
    )

    def half(self, seeds: float | None = None, partitions: float | None = None) -> Array:
        """Return half the widths of the intervals, with other numbers of runs where given."""
        known = self._halves.get((seeds, partitions))
        if known is None:
            known = self._halves[seeds, partitions] = self._half(seeds, partitions)
        return known

    def _half(self, seeds: float | None, partitions: float | None) -> Array:
        total, spread = np.zeros_like(self.values), np.zeros_like(self.values)
        unknown = np.zeros(self.values.shape, dtype=bool)
        for part in self.parts:
            variance = part.planned(seeds, partitions)
            df = part.planned_df(partitions)
            unknown |= np.isnan(variance)
            variance = np.nan_to_num(variance)
            total += variance
            spread += variance**2 / df if df else 0.0
        df_all = np.divide(total**2, spread, out=np.ones_like(total), where=spread > 0)
        half = scipy.special.stdtrit(df_all, (1.0 + LEVEL) / 2.0) * np.sqrt(total)
        return np.where(unknown, np.inf, np.where(total > 0, half, 0.0))

    def end(
        self,
        figure: Figure,
        sign: float,
        seeds: float | None = None,
        partitions: float | None = None,
    ) -> Array:
        """Return the ends of the intervals below (``sign`` -1) or above (1) the values.

        Ratios are taken on the log scale, sizes end at 0, and an exact figure is its own end.
        """
        if figure.exact:
            return self.values
        half = sign * self.half(seeds, partitions)
        if figure.unit == "ratio":
            with np.errstate(all="ignore"):
                scaled = self.values * np.exp(half / self.values)
            return np.where(self.values > 0, scaled, self.values)
        ends = self.values + half
        return np.maximum(ends, 0.0) if figure.size else ends

    @property
    def one_seed(self) -> bool:
        """Whether any data set has a single seed per fold, so that seeds cannot be planned."""
        return any(part.seeds < 2 for part in self.parts)


def estimate(figure: Figure, sets: MeasuredSets) -> Estimate:
    """Return a figure of ``sets`` with its uncertainty."""
    if figure not in sets._estimates:
        traced = sets.traced()
        values = _evaluated(figure, traced)
        used = [] if figure.exact else range(len(sets.names))
        parts = [_part(figure, traced, place) for place in used]
        sets._estimates[figure] = Estimate(values, [part for part in parts if part is not None])
    return sets._estimates[figure]


def _evaluated(figure: Figure, sets: MeasuredSets) -> Array:
    with np.errstate(all="ignore"):
        return np.atleast_1d(np.asarray(figure.of(sets), dtype=np.float64))


def _part(figure: Figure, sets: MeasuredSets, place: int) -> Part | None:
    """Return what the data set at ``place`` adds, ``None`` where the figure does not use it."""
    moves: dict[str, list[tuple[Array, Array]]] = {}
    for key, values in list(sets._used.items()):
        base = values[place]
        if np.isnan(base):
            continue
        step = _STEP * max(abs(base), _LEAST)
        above, below = (_evaluated(figure, sets.changed(key, place, by)) for by in (step, -step))
        finite = np.isfinite(above) & np.isfinite(below)
        slope = np.subtract(above, below, out=np.zeros_like(above), where=finite) / (2.0 * step)
        if slope.any():
            influences = sets.influences(key, place)
            moves.setdefault(key[0], []).append((slope, influences))
    if not moves:
        return None
    used = np.any([slope != 0.0 for own_moves in moves.values() for slope, _ in own_moves], axis=0)
    per_role = [
        sum(
            (slope[used, None, None, None] * own for slope, own in own_moves), start=np.float64(0.0)
        )
        for own_moves in moves.values()
    ]
    return _combined([np.asarray(each) for each in per_role], used)


def _combined(roles: Sequence[NDArray[np.float64]], used: NDArray[np.bool_]) -> Part:
    """Return the part of a data set from the influences (n, P, k, s) of each role's runs.

    These are of the n values of the figure that are ``used`` (m,): the others do not depend on it.
    """
    shapes = {each.shape[1:3] for each in roles}
    if len(shapes) > 1:
        raise ValueError(f"the roles have folds of different shapes: {sorted(shapes)}")
    (_, partitions, folds, _) = roles[0].shape
    seeds = min(each.shape[3] for each in roles)
    with np.errstate(all="ignore"):
        means = np.sum([np.nanmean(each, axis=3) for each in roles], axis=0)
    variance = np.zeros(used.shape)
    df = 0.0
    for row, place in enumerate(np.flatnonzero(used)):
        own = means[row][..., None]
        kept = own[~np.isnan(own).all(axis=(1, 2))]
        if not len(kept):
            variance[place] = np.nan
            continue
        error = se_over_partitions(kept)
        variance[place], df = error.se**2, error.df
    return Part(variance, roles, used, df, partitions * folds, seeds, partitions)
