"""The runs by which claims are judged: matching them, and their statistics for figures."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, product, repeat
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.papers.language import DRAWS, Array, Role
from boostbench.papers.metrics import Metric, known_metrics
from boostbench.papers.paper import Paper
from boostbench.papers.resampling import SolverCurves, resampled, until_common
from boostbench.papers.settings import Setting, seeds_of
from boostbench.stats.paired import as_array, common, seed_means
from boostbench.values import RunKey

StatisticKey = tuple[str, str]
"""A method and a quantity: a mean over runs, or the sd of the score, on each data set."""
MethodOnData = tuple[str, str]
"""A method and a data set."""
LEAST_RUNS = 20
TIMES = ("time", "solver", "round", "search")
_RECORDED_AS = {"time": "fit_s", "solver": "solver_s"}
"""The recorded curve of each of the times that are known after every round."""


@dataclass(frozen=True)
class CellRuns:
    """The runs of a method on a data set of one experiment.

    ``values`` has one number per run of each quantity, NaN if it is unknown or left out; ``rows``
    identifies the rows and folds, and ``part`` is "fold" or "split". ``curves`` has recorded
    quantities (runs, rounds), NaN after a run has ended. ``decisive`` is the run without which the
    mean score moves by more than its margin, ``None`` where no run alone does that.
    """

    index: Sequence[RunKey]
    values: Mapping[str, Array]
    rows: Hashable = ()
    processors: Sequence[str] = ()
    curves: Mapping[str, Array] = field(default_factory=dict)
    part: str = "fold"
    decisive: RunKey | None = None

    @property
    def partitions(self) -> int:
        """The number of partitions of the rows."""
        return len({partition for partition, _, _ in self.index})

    def curve(self, of: str) -> Array:
        """Return a quantity (runs, rounds), with each run's last value kept to the end."""
        unknown = np.full((len(self.index), 1), np.nan)
        return np.ascontiguousarray(pd.DataFrame(self.curves.get(of, unknown)).ffill(axis=1))

    @property
    def solver_curves(self) -> SolverCurves | None:
        """Its curves of the solver, ``None`` if its objective was not recorded."""
        if "objective" not in self.curves:
            return None
        return SolverCurves(self.curve("objective"), self.curve("solver_s"))

    def only(self, index: Sequence[RunKey], timed: NDArray[np.bool_]) -> Self:
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
    """The runs for judging a paper's claims: cells by (method, setting, data set).

    They are beside the printed means of a ``table``, or of the paper's usual design. ``signs`` has
    1 for each quantity of which larger values are better. ``design_differences`` says, by method or
    data set, how its runs differ from the paper's design: such runs are left out. ``stand_ins`` has
    the data sets whose runs are those of a stand-in, with its remark. ``scales`` has the factor of
    each score whose differences are in other units, such as 100 for percent. ``played`` are the
    roles of methods with finished runs, on whatever data sets, and ``remark`` is what is to be said
    of all of them.
    """

    paper: Paper
    cells: Mapping[tuple[str, Setting, str], Sequence[CellRuns]]
    settings: Sequence[Setting]
    signs: Mapping[str, int]
    design_differences: Mapping[str, str] = field(default_factory=dict)
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, float] = field(default_factory=dict)
    played: Collection[str] = ()
    remark: str = ""
    table: str = ""

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics of the paper and all built-in ones, by name."""
        return known_metrics({}, self.paper)

    @cached_property
    def in_own_design(self) -> Self:
        """The runs of as many partitions as in the paper's own design; itself if these are all."""
        design = self.paper.design_of("", self.table)
        if design is None:
            return self
        cells, is_all = {}, True
        for place, every in self.cells.items():
            own = [cell for cell in every if cell.partitions == design.partitions]
            is_all &= len(own) == len(every)
            if own:
                cells[place] = own
        return self if is_all else replace(self, cells=cells)

    @property
    def methods(self) -> set[str]:
        """The methods with runs."""
        return {method for method, _, _ in self.cells}

    def compared(self, role: Role, setting: Setting, name: str) -> list[str]:
        """Return the methods of a role that count on a data set.

        A method by itself always does, one of several only if the paper has run it there.
        """
        if not role.choice:
            return list(role.members)
        return [m for m in role.members if self.paper.has_run(m, name, setting)]

    def common_runs(
        self, roles: Sequence[Role], setting: Setting, names: Sequence[str]
    ) -> Measurements:
        """Return the common runs of the methods that count, on the data sets that have any."""
        cells: dict[MethodOnData, CellRuns] = {}
        measured = []
        for name in names:
            by_role = [self.compared(role, setting, name) for role in roles]
            methods = list(dict.fromkeys(chain.from_iterable(by_role)))
            candidates = [self.cells.get((method, setting, name), ()) for method in methods]
            if all(by_role) and (common := same_rows(candidates)):
                measured.append(name)
                cells |= {(method, name): own for method, own in zip(methods, common, strict=True)}
        return Measurements(self, measured, setting, cells)


def same_rows(candidates: Sequence[Sequence[CellRuns]]) -> list[CellRuns]:
    """Return one cell per method, all of the same rows, with the most common runs, if any.

    Several partitions are preferred to more runs, if there are :data:`LEAST_RUNS`, and among such
    choices the one with the most runs timed on one processor. Runs that were timed on different
    processors lose their times.
    """
    best: list[CellRuns] = []
    most = (False, 0, 0)
    for cells in product(*candidates):
        if len({cell.rows for cell in cells}) != 1:
            continue
        processors = [
            dict(zip(cell.index, cell.processors or repeat(""), strict=False)) for cell in cells
        ]
        shared = common(*processors)
        timed = np.array([_on_one_processor(processors, run) for run in shared])
        several = len({partition for partition, _, _ in shared}) > 2
        many = several and len(shared) >= LEAST_RUNS, len(shared), timed.sum()
        if many > most:
            most = many
            best = [cell.only(shared, timed) for cell in cells]
    return best


def _on_one_processor(processors: Sequence[Mapping[RunKey, str]], run: RunKey) -> bool:
    return len({own[run] for own in processors} - {""}) < 2


@dataclass(frozen=True)
class Measurements:
    """The measurements of methods on data sets in one setting; arrays are (..., data sets).

    ``left_out`` has the runs that are left out of the statistics of all methods, by data set.
    """

    evidence: Evidence
    names: Sequence[str]
    setting: Setting
    cells: Mapping[MethodOnData, CellRuns]
    left_out: Mapping[str, RunKey] = field(default_factory=dict)
    _runs: dict[tuple[str, str, str], Array] = field(default_factory=dict)
    _values: dict[StatisticKey, Array] = field(default_factory=dict, init=False)
    _counts: dict[Role, NDArray[np.bool_]] = field(default_factory=dict, init=False)

    def only(self, names: Sequence[str]) -> Self:
        """Return some of the data sets."""
        return replace(self, names=names)

    def without(self, name: str, run: RunKey) -> Self:
        """Return the measurements without a run of a data set."""
        others = {key: runs for key, runs in self._runs.items() if key[1] != name}
        return replace(self, left_out={**self.left_out, name: run}, _runs=others)

    def sign(self, of: str) -> int:
        """Return 1 where larger values are better, else -1."""
        return self.evidence.signs.get(of.partition("@")[0], -1)

    def scale(self, of: str) -> float:
        """Return by what differences of a quantity are multiplied."""
        return self.evidence.scales.get(of, 1.0)

    def values(self, key: StatisticKey) -> Array:
        """Return a statistic of each data set, NaN where it is unknown."""
        if key not in self._values:
            self._values[key] = np.array([self.statistic(*key, name) for name in self.names])
        return self._values[key]

    def statistic(self, method: str, of: str, name: str) -> float:
        """Return a mean or sd of one data set, NaN if it is unknown."""
        if (method, name) not in self.cells:  # it does not count there
            return np.nan
        runs = self.runs(method, name, of)
        spread, least = (partial(np.nanstd, ddof=1), 2) if of == "sd" else (np.nanmean, 1)
        return float(spread(runs) if np.count_nonzero(~np.isnan(runs)) >= least else np.nan)

    def counts(self, role: Role) -> NDArray[np.bool_]:
        """Return which methods of a role count on each data set, (methods, data sets)."""
        if role not in self._counts:
            counts = np.zeros((len(role.members), len(self.names)), dtype=bool)
            for place, name in enumerate(self.names):
                compared = self.evidence.compared(role, self.setting, name)
                counts[:, place] = [method in compared for method in role.members]
            self._counts[role] = counts
        return self._counts[role]

    def runs(self, method: str, name: str, of: str) -> Array:
        """Return a quantity of the runs, (partitions, folds, seeds), NaN where there is none."""
        key = (method, name, of)
        if key not in self._runs:
            cell = self.cells[method, name]
            quantity, _, rounds = ("score" if of == "sd" else of).partition("@")
            values = cell.values.get(quantity, np.array(np.nan))
            if rounds:
                values = cell.curve(_RECORDED_AS.get(quantity, ""))
                values = values[:, min(int(rounds), values.shape[1]) - 1]
            known = np.array(np.broadcast_to(values, len(cell.index)))
            if name in self.left_out:
                known[cell.index.index(self.left_out[name])] = np.nan
            self._runs[key] = as_array(cell.index, known)
        return self._runs[key]

    def farthest(self, method: str, name: str, of: str) -> RunKey | None:
        """Return the run farthest from the mean of a quantity, ``None`` of fewer than three."""
        runs = self.runs(method, name, of)
        if np.count_nonzero(~np.isnan(runs)) < 3:
            return None
        places = np.unravel_index(np.nanargmax(np.abs(runs - np.nanmean(runs))), runs.shape)
        labels = zip(*self.cells[method, name].index, strict=True)
        axes = [np.unique(own) for own in labels]
        split_seed, fold, seed = (axis[n].item() for axis, n in zip(axes, places, strict=True))
        return split_seed, fold, seed

    def influence(self, key: StatisticKey, place: int) -> Array:
        """Return how much each run moves a statistic, in proportion to its weight."""
        method, of = key
        values = self.runs(method, self.names[place], of)
        centred = values - np.nanmean(values)
        if of != "sd":
            return centred
        return (centred**2 - np.nanmean(centred**2)) / (2 * self.values(key)[place] or 1.0)

    def printed(self, role: Role, table: str | None) -> Array:
        """Return the means that the paper prints, NaN for missing ones."""
        column = self.evidence.paper.column(str(role), self.setting, table)
        cells = column.cells if column and table in (None, column.table) else {}
        return np.array([cells[n].mean if n in cells else np.nan for n in self.names])

    def rounding(self, method: str, of: str) -> Array:
        """Return half a unit of the last printed digit of a method's means, 0 where none is."""
        paper = self.evidence.paper
        own = paper if of in ("score", paper.metric) else paper.in_metrics.get(of)
        column = own.column(method, self.setting) if own else None
        cells = column.cells if column else {}
        return np.array([cells[name].rounding if name in cells else 0.0 for name in self.names])

    def at_common_round(self, of: str, *roles: Role) -> str:
        """Return the quantity after the common rounds of all runs."""
        return f"{of}@{self.common_rounds(*roles)}"

    def common_rounds(self, *roles: Role) -> int:
        """Return the number of rounds that all runs have, at most the paper's."""
        methods = [method for role in roles for method in role.members]
        places = [(method, name) for method in methods for name in self.names]
        cells = [self.cells[place] for place in places if place in self.cells]
        curves = [cell.curves["fit_s"] for cell in cells if "fit_s" in cell.curves]
        lengths = [int((~np.isnan(curve)).sum(axis=1).min()) for curve in curves]
        limit = [self.evidence.paper.rounds] if self.evidence.paper.rounds else []
        return min([*lengths, *limit], default=1)

    def reached(self, a: str, b: str, resample: bool) -> Array:
        """Return the ratio of b's to a's solver seconds until the objective that both reach.

        With ``resample`` it is that of curves averaged over resampled runs, (draws, data sets).
        """
        ratios = []
        for place, name in enumerate(self.names):
            cells = [self.cells.get((method, name)) for method in (a, b)]
            one, other = (cell.solver_curves if cell else None for cell in cells)
            if one is None or other is None:
                ratios.append(np.full(DRAWS if resample else 1, np.nan))
                continue
            index = self.cells[a, name].index
            weights = np.ones((1, len(index)))
            if resample:
                weights = resampled(index, np.random.default_rng([place, 11]))
            ratios.append(until_common(one, other, weights))
        values = np.stack(ratios, axis=-1)
        return values if resample else values[0]

    def draws(self, key: StatisticKey) -> Array:
        """Return draws (draws, data sets) of a statistic's change for other folds and seeds.

        Folds have random weights, equal for all methods; NaN if no partition has two folds.
        """
        columns = []
        for place, value in enumerate(self.values(key)):
            if np.isnan(value):
                columns.append(np.full(DRAWS, np.nan))
                continue
            folds = seed_means(self.influence(key, place))
            df = folds.size - len(folds)
            centred = np.nan_to_num(folds - np.nanmean(folds, axis=1, keepdims=True)).ravel()
            random = np.random.default_rng([place, *seeds_of(self.setting), 7])
            weights = random.standard_normal((DRAWS, len(centred)))
            scale = np.sqrt(df / random.chisquare(df, DRAWS)) if df else np.full(DRAWS, np.inf)
            columns.append(scale * (weights @ centred) / np.sqrt(len(centred) * max(df, 1)))
        return np.stack(columns, axis=-1)


@dataclass(frozen=True)
class Statistics:
    """The statistics that a figure is calculated from, as measured or as they might have been.

    ``values`` are those that the figure declares; ``moved`` says that they are shifted, or that
    they stand for draws, so that curves are resampled.
    """

    measurements: Measurements
    values: Mapping[StatisticKey, Array]
    moved: bool

    def has_run(self, role: Role) -> NDArray[np.bool_]:
        """Return on which data sets the paper has run a method of a role."""
        of_others = Role(role.members, choice="others")
        return np.asarray(self.measurements.counts(of_others).any(axis=0))

    def value(self, role: Role, of: str) -> Array:
        """Return a statistic of each data set; for several methods that of the best or worst."""
        upper = (self.measurements.sign(of) > 0) == (role.choice == "best")
        values = [
            np.where(counts, self.values[method, of], -np.inf if upper else np.inf)
            for method, counts in zip(role.members, self.measurements.counts(role), strict=True)
        ]
        return np.asarray((np.max if upper else np.min)(np.broadcast_arrays(*values), axis=0))

    def reached(self, a: Role, b: Role) -> Array:
        """Return the ratio of b's to a's solver seconds until both reach an objective."""
        counts = {
            role: dict(zip(role.members, self.measurements.counts(role), strict=True))
            for role in (a, b)
        }
        ratios = [
            np.where(
                counts[a][one] & counts[b][other],
                self.measurements.reached(one, other, resample=self.moved),
                np.inf,
            )
            for one, other in product(a.members, b.members)
        ]
        return np.asarray(np.min(ratios, axis=0))
