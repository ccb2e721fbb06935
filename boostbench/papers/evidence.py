"""The runs by which claims are judged: matching them, and their statistics for figures."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product, repeat
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.papers.language import DRAWS, Array, Role
from boostbench.papers.paper import Paper
from boostbench.stats.paired import as_array, common

Depth = int | None
Index = tuple[int, int, int]
"""A run's split seed, fold and seed."""
StatisticKey = tuple[str, str]
"""A method and a quantity."""
LEAST_RUNS = 20
TIMES = ("time", "solver", "round", "search")
_OF_CURVES = {"time": "fit_s", "solver": "solver_s"}


@dataclass(frozen=True)
class CellRuns:
    """The runs of a method on a data set of one experiment.

    ``values`` has one number per run of each quantity, NaN if it is unknown or left out; ``rows``
    identifies the rows and folds. ``curves`` has recorded quantities (runs, rounds), NaN after a
    run has ended.
    """

    index: Sequence[Index]
    values: Mapping[str, Array]
    rows: Hashable = ()
    processors: Sequence[str] = ()
    curves: Mapping[str, Array] = field(default_factory=dict)

    def curve(self, of: str) -> Array:
        """Return a quantity (runs, rounds), with each run's last value kept to the end."""
        unknown = np.full((len(self.index), 1), np.nan)
        return np.ascontiguousarray(pd.DataFrame(self.curves.get(of, unknown)).ffill(axis=1))

    def only(self, index: Sequence[Index], timed: NDArray[np.bool_]) -> Self:
        """Return some of the runs, with the times of those that are ``timed``."""
        place = {one: i for i, one in enumerate(self.index)}
        kept = [place[one] for one in index]
        values = {
            of: np.where(timed | (of not in TIMES), own[kept], np.nan)
            for of, own in self.values.items()
        }
        curves = {of: own[kept] for of, own in self.curves.items() if timed.all()}
        return replace(self, index=index, values=values, curves=curves)


@dataclass(frozen=True)
class Evidence:
    """The runs for judging a paper's claims: cells by (method, depth, data set).

    ``signs`` has 1 for each quantity of which larger values are better. ``design_differences``
    says, by method or data set, how its runs differ from the paper's design: such runs are left
    out. ``stand_ins`` has the data sets whose runs are those of a stand-in, with its remark.
    ``scales`` has the factor of each score whose differences are in other units, such as 100 for
    percent.
    """

    paper: Paper
    cells: Mapping[tuple[str, Depth, str], Sequence[CellRuns]]
    depths: Sequence[Depth]
    signs: Mapping[str, int]
    design_differences: Mapping[str, str] = field(default_factory=dict)
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, float] = field(default_factory=dict)

    @property
    def methods(self) -> set[str]:
        """The methods with runs."""
        return {method for method, _, _ in self.cells}

    def common_runs(
        self, methods: Sequence[str], depth: Depth, names: Sequence[str]
    ) -> Measurements:
        """Return the common runs of the methods, on the data sets that have any."""
        found = {name: same_rows([self.cells.get((method, depth, name), ()) for method in methods])
                 for name in names}  # fmt: skip
        cells = {(m, name): cell for name, own in found.items()
                 for m, cell in zip(methods, own, strict=False)}  # fmt: skip
        return Measurements(self, [name for name, own in found.items() if own], depth, cells)


def same_rows(candidates: Sequence[Sequence[CellRuns]]) -> list[CellRuns]:
    """Return one cell per method, all of the same rows, with the most common runs, if any.

    Several partitions are preferred to more runs, if there are :data:`LEAST_RUNS`, and among such
    choices the one with the most runs timed on one processor. Runs that were timed on different
    processors lose their times.
    """
    found: list[CellRuns] = []
    most = (False, 0, 0)
    for cells in product(*candidates):
        if len({cell.rows for cell in cells}) == 1:
            where = [dict(zip(c.index, c.processors or repeat(""), strict=False)) for c in cells]
            shared = common(*where)
            timed = np.array([len({w[one] for w in where} - {""}) < 2 for one in shared])
            several = len({partition for partition, _, _ in shared}) > 2
            many = several and len(shared) >= LEAST_RUNS, len(shared), timed.sum()
            if many > most:
                most = many
                found = [cell.only(shared, timed) for cell in cells]
    return found


@dataclass
class Measurements:
    """The measurements of methods on data sets at one depth; arrays are (..., data sets).

    ``used`` records the statistics that :meth:`value` returned, and ``shifts`` move these; with
    shifts, curves are resampled.
    """

    evidence: Evidence
    names: Sequence[str]
    depth: Depth
    cells: Mapping[StatisticKey, CellRuns]
    known: dict[tuple[str, str, str], Array] = field(default_factory=dict)
    used: dict[StatisticKey, Array] = field(default_factory=dict)
    shifts: Mapping[StatisticKey, Array] | None = None

    def only(self, names: Sequence[str]) -> Self:
        """Return some of the data sets."""
        return replace(self, names=names, used={})

    def sign(self, of: str) -> int:
        """Return 1 where larger values are better, else -1."""
        return self.evidence.signs.get(of.partition("@")[0], -1)

    def scale(self, of: str) -> float:
        """Return by what differences of a quantity are multiplied."""
        return self.evidence.scales.get(of, 1.0)

    def value(self, role: Role, of: str) -> Array:
        """Return the mean over runs, or the sd of the score, of each data set, moved by its shift.

        For several methods it is that of the best or the worst.
        """
        values = []
        for method in role.members:
            if (key := (method, of)) not in self.used:
                self.used[key] = np.array([self.statistic(method, of, name) for name in self.names])
            values.append(self.used[key] + (self.shifts or {}).get(key, 0.0))
        upper = (self.sign(of) > 0) == (role.choice == "best")
        return np.asarray((np.max if upper else np.min)(np.broadcast_arrays(*values), axis=0))

    def statistic(self, method: str, of: str, name: str) -> float:
        """Return a mean or sd of one data set, NaN if it is unknown."""
        runs = self.runs(method, name, of)
        spread, least = (partial(np.nanstd, ddof=1), 2) if of == "sd" else (np.nanmean, 1)
        return float(spread(runs) if np.count_nonzero(~np.isnan(runs)) >= least else np.nan)

    def runs(self, method: str, name: str, of: str) -> Array:
        """Return a quantity of the runs, (partitions, folds, seeds), NaN where there is none."""
        if (key := (method, name, of)) not in self.known:
            cell = self.cells[method, name]
            quantity, _, rounds = ("score" if of == "sd" else of).partition("@")
            values = cell.values.get(quantity, np.array(np.nan))
            if rounds:
                values = cell.curve(_OF_CURVES.get(quantity, ""))
                values = values[:, min(int(rounds), values.shape[1]) - 1]
            values = np.broadcast_to(values, len(cell.index))
            self.known[key] = as_array(dict(zip(cell.index, values, strict=True)))
        return self.known[key]

    def influence(self, key: StatisticKey, place: int) -> Array:
        """Return how much each run moves a statistic, in proportion to its weight."""
        values = self.runs(key[0], self.names[place], key[1])
        centred = values - np.nanmean(values)
        if key[1] != "sd":
            return centred
        return (centred**2 - np.nanmean(centred**2)) / (2 * self.used[key][place] or 1.0)

    def printed(self, role: Role, table: str | None) -> Array:
        """Return the means that the paper prints, NaN for missing ones."""
        column = self.evidence.paper.column(str(role), self.depth, table)
        cells = column.cells if column and table in (None, column.table) else {}
        return np.array([cells[n].mean if n in cells else np.nan for n in self.names])

    def at_common_round(self, of: str, *roles: Role) -> str:
        """Return the quantity after the common rounds of all runs, at most the paper's."""
        cells = [self.cells[m, name] for role in roles for m in role.members for name in self.names]
        curves = [cell.curves["fit_s"] for cell in cells if "fit_s" in cell.curves]
        lengths = [int((~np.isnan(own)).sum(axis=1).min()) for own in curves]
        limit = [self.evidence.paper.rounds] if self.evidence.paper.rounds else []
        return f"{of}@{min([*lengths, *limit], default=1)}"

    def reached(self, a: str, b: str) -> Array:
        """Return the ratio of b's to a's solver seconds until the objective that both reach."""
        found = []
        for place, name in enumerate(self.names):
            cells = [self.cells[method, name] for method in (a, b)]
            if not all("objective" in cell.curves for cell in cells):
                return np.full(len(self.names), np.nan)
            index, random = cells[0].index, np.random.default_rng([place, 11])
            weights = np.ones((1, len(index))) if self.shifts is None else resampled(index, random)
            curves = [[cell.curve(of) for of in ("objective", "solver_s")] for cell in cells]
            found.append(_until_common(curves[0], curves[1], weights))
        values = np.stack(found, axis=-1)
        return values[0] if self.shifts is None else values

    def draws(self, key: StatisticKey) -> Array:
        """Return draws (draws, data sets) of a statistic's change for other folds and seeds.

        Folds have random weights, equal for all methods; NaN if no partition has two folds.
        """
        columns = []
        for place in range(len(self.names)):
            folds = fold_means(self.influence(key, place))
            df = folds.size - len(folds)
            centred = np.nan_to_num(folds - np.nanmean(folds, axis=1, keepdims=True)).ravel()
            random = np.random.default_rng([place, self.depth or 0, 7])
            weights = random.standard_normal((DRAWS, len(centred)))
            scale = np.sqrt(df / random.chisquare(df, DRAWS)) if df else np.full(DRAWS, np.inf)
            columns.append(scale * (weights @ centred) / np.sqrt(len(centred) * max(df, 1)))
        return np.stack(columns, axis=-1)


def fold_means(runs: Array) -> Array:
    """Return means over seeds, NaN where a fold has no run."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(runs, axis=-1) / (~np.isnan(runs)).sum(axis=-1))


def resampled(index: Sequence[Index], random: np.random.Generator) -> Array:
    """Return how often each run is drawn: folds within partitions, and seeds within folds.

    NaN with a single fold, which says nothing about others.
    """
    parts, folds, _ = np.transpose(index)
    several = []
    for part in np.unique(parts):
        own = [np.flatnonzero((parts == part) & (folds == fold)) for fold in np.unique(folds)]
        several.append([places for places in own if len(places)])
    if all(len(within) == 1 for within in several):
        # With one fold in each partition, as for random splits, partitions are drawn.
        several = [[own for (own,) in several]]
    weights = np.full((DRAWS, len(index)), 0.0 if max(map(len, several)) > 1 else np.nan)
    for row in weights:
        for within in several:
            for own in [within[fold] for fold in random.integers(len(within), size=len(within))]:
                drawn = own[random.integers(len(own), size=len(own))]
                row += np.bincount(drawn, minlength=len(row))
    return weights


def _until_common(a: Sequence[Array], b: Sequence[Array], weights: Array) -> Array:
    found = []
    for weight in weights:
        share = weight / weight.sum()
        (mine, spent), (theirs, other) = ([share @ values for values in own] for own in (a, b))
        common = max(mine[-1], theirs[-1]) * 1.001
        found.append([other[np.argmax(theirs <= common)], spent[np.argmax(mine <= common)]])
    longer, shorter = np.transpose(found)
    return np.asarray(longer / np.where(shorter == 0, np.nan, shorter))
