"""What methods measured on data sets at one depth, as figures look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Self

import numpy as np

from boostbench.papers.conditions import DRAWS, Array
from boostbench.papers.evidence import Cell, Depth, Evidence, Index
from boostbench.papers.language import Role, members

LEAST_RUNS = 20
Key = tuple[str, str]
"""A method and a quantity."""


class Sets:
    """What methods measured on data sets at one depth; arrays are (..., data sets).

    ``shifts`` move the statistics that :meth:`value` returns; ``used`` records which those are.
    """

    def __init__(
        self, evidence: Evidence, names: Sequence[str], depth: Depth, cells: Mapping[Key, Cell]
    ) -> None:
        self.evidence, self.names, self.depth, self.cells = evidence, names, depth, cells
        self.used: dict[Key, Array] = {}
        self.shifts: Mapping[Key, Array] = {}
        self.drawing = False
        self._known: dict[tuple[str, str, str], Array] = {}

    def only(self, names: Sequence[str]) -> Self:
        """Return these sets with some of the data sets."""
        found = type(self)(self.evidence, names, self.depth, self.cells)
        found._known = self._known
        return found

    @property
    def repeats(self) -> int:
        """How many runs the paper has of each cell."""
        return self.evidence.paper.runs or LEAST_RUNS

    def sign(self, of: str) -> int:
        """Return 1 where larger values are better, else -1."""
        return self.evidence.signs.get(of.partition("@")[0], -1)

    def value(self, method: str, of: str) -> Array:
        """Return a mean over runs, or the sd of the score, of each data set, moved by its shift."""
        key = method, of
        if key not in self.used:
            self.used[key] = np.array([self.statistic(method, of, name) for name in self.names])
        return self.used[key] + self.shifts.get(key, 0.0)

    def statistic(self, method: str, of: str, name: str) -> float:
        """Return a mean or sd of one data set, NaN where it is not known."""
        runs = self.runs(method, name, of)
        spread, least = (partial(np.nanstd, ddof=1), 2) if of == "sd" else (np.nanmean, 1)
        return float(spread(runs) if np.count_nonzero(~np.isnan(runs)) >= least else np.nan)

    def runs(self, method: str, name: str, of: str) -> Array:
        """Return a quantity of the runs, (partitions, folds, seeds), NaN where there is none."""
        key = method, name, of
        if key not in self._known:
            cell = self.cells[method, name]
            quantity, _, rounds = ("score" if of == "sd" else of).partition("@")
            values = cell.values.get(quantity, np.full(len(cell.index), np.nan))
            if rounds:
                recorded = {"time": "fit_s", "solver": "solver_s"}[quantity]
                curves = [each.get(recorded, np.array([np.nan])) for each in cell.curves]
                at = [own[min(int(rounds), len(own)) - 1] for own in curves]
                values = np.array(at or [np.nan] * len(cell.index))
            self._known[key] = _as_array(cell.index, values)
        return self._known[key]

    def influence(self, key: Key, place: int) -> Array:
        """Return how much each run moves a statistic, in proportion to its weight."""
        values = self.runs(key[0], self.names[place], key[1])
        centred = values - np.nanmean(values)
        if key[1] != "sd":
            return centred
        sd = self.used[key][place]
        if sd == 0:
            return np.zeros_like(centred)
        return (centred**2 - np.nanmean(centred**2)) / (2 * sd)

    def printed(self, method: str, table: str | None) -> Array:
        """Return the means that the paper prints, NaN where it does not."""
        column = self.evidence.paper.column(method, self.depth, table)
        cells = column.cells if column and table in (None, column.table) else {}
        return np.array([cells[n].mean if n in cells else np.nan for n in self.names])

    def sizes(self, by: str) -> Array | None:
        """Return the sizes of the data sets, ``None`` where fewer than four differ (or three)."""
        columns = ("n_samples", "n_features") if by == "rows" else ("n_classes",)
        listed = [self.evidence.paper.datasets[name] for name in self.names]
        sizes = np.array([[getattr(d, c) or np.nan for c in columns] for d in listed], dtype=float)
        enough = len({tuple(row) for row in sizes.tolist()}) >= (4 if by == "rows" else 3)
        return sizes if enough and not np.isnan(sizes).any() else None

    def at_common_round(self, of: str, methods: Sequence[Role]) -> str:
        """Return the quantity after the rounds that all runs have, at most the paper's."""
        roles = [role for each in methods for role in members(each)]
        curves = [c for role in roles for name in self.names for c in self.cells[role, name].curves]
        lengths = [len(curve["fit_s"]) for curve in curves if "fit_s" in curve]
        limit = [self.evidence.paper.rounds] if self.evidence.paper.rounds else []
        return f"{of}@{min([*lengths, *limit], default=1)}"

    def reached(self, a: str, b: str) -> Array:
        """Return solver seconds of b to those of a, until the objective that both reach."""
        found = []
        for place, name in enumerate(self.names):
            cells = [self.cells[role, name] for role in (a, b)]
            if not all(cell.curves and "objective" in cell.curves[0] for cell in cells):
                return np.full(len(self.names), np.nan)
            index, random = cells[0].index, np.random.default_rng([place, 11])
            weights = resampled(index, random) if self.drawing else np.ones((1, len(index)))
            found.append(_until_common(_curves(cells[0]), _curves(cells[1]), weights))
        values = np.stack(found, axis=-1)
        return values if self.drawing else values[0]

    def draws(self, key: Key) -> Array:
        """Return draws (draws, data sets) of how far other folds and seeds move a statistic.

        Folds are weighted at random, alike in all methods.
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


def _as_array(index: Sequence[Index], values: Array) -> Array:
    axes = [np.unique(axis, return_inverse=True) for axis in np.transpose(index)]
    found = np.full([len(names) for names, _ in axes], np.nan)
    found[tuple(places for _, places in axes)] = values
    return found


def fold_means(runs: Array) -> Array:
    """Return means over seeds, NaN where a fold has no run."""
    known = ~np.isnan(runs)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(runs, axis=-1) / known.sum(axis=-1))


def _curves(cell: Cell) -> tuple[Array, Array]:
    """Return objectives and solver seconds (runs, rounds), the last values kept to the end."""
    length = max(len(curve["objective"]) for curve in cell.curves)
    objective, solver = (
        np.array([np.pad(c[of], (0, length - len(c[of])), mode="edge") for c in cell.curves])
        for of in ("objective", "solver_s")
    )
    return objective, solver


def resampled(index: Sequence[Index], random: np.random.Generator) -> Array:
    """Return how often each run is drawn: folds within partitions, and seeds within folds."""
    partitions: dict[int, dict[int, list[int]]] = {}
    for place, (partition, fold, _) in enumerate(index):
        partitions.setdefault(partition, {}).setdefault(fold, []).append(place)
    several = [list(folds.values()) for folds in partitions.values()]
    if all(len(folds) == 1 for folds in several):
        # One fold in each partition, as with random splits: these are what is drawn.
        several = [[folds[0] for folds in several]]
    weights = np.zeros((DRAWS, len(index)))
    for row in weights:
        for folds in several:
            for fold in random.integers(len(folds), size=len(folds)):
                own = folds[fold]
                drawn = [own[i] for i in random.integers(len(own), size=len(own))]
                row += np.bincount(drawn, minlength=len(row))
    return weights


def _until_common(a: tuple[Array, Array], b: tuple[Array, Array], weights: Array) -> Array:
    found = []
    for weight in weights:
        share = weight / weight.sum()
        (mine, spent), (theirs, other) = ((share @ o, share @ s) for o, s in (a, b))
        common = max(mine[-1], theirs[-1]) * 1.001
        found.append(other[np.argmax(theirs <= common)] / spent[np.argmax(mine <= common)])
    return np.array(found)
