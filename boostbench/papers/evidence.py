"""The runs that claims are judged by: cells of a method on a data set, and which go together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.papers.conditions import Array
from boostbench.papers.paper import Paper

Depth = int | None
Index = tuple[int, int, int]
"""A run's split seed, fold and seed."""
TIMES = ("time", "solver", "round", "search")


@dataclass(frozen=True)
class Cell:
    """The runs of a method on a data set of one experiment.

    ``values`` has one number per run of each quantity, NaN where it is not known or left out;
    ``rows`` says which rows and folds these are. ``curves`` has the recorded quantities of each run
    by round.
    """

    index: Sequence[Index]
    values: Mapping[str, Array]
    rows: Hashable = ()
    processors: Sequence[str] = ()
    curves: Sequence[Mapping[str, Array]] = ()

    def only(self, index: Sequence[Index], timed: NDArray[np.bool_]) -> Cell:
        """Return some of the runs, with the times of those that are ``timed``."""
        place = {one: i for i, one in enumerate(self.index)}
        kept = [place[one] for one in index]
        values = {
            of: np.where(timed | (of not in TIMES), own[kept], np.nan)
            for of, own in self.values.items()
        }
        curves = [self.curves[i] for i in kept] if self.curves and timed.all() else ()
        return replace(self, index=index, values=values, curves=curves)


@dataclass(frozen=True)
class Evidence:
    """What there is to judge a paper's claims by: cells by (method, depth, data set).

    ``signs`` has 1 for each quantity of which larger values are better. ``changed`` has, by method,
    why its runs are another one's; ``other_designs``, by data set, how an experiment measured
    otherwise than the paper.
    """

    paper: Paper
    cells: Mapping[tuple[str, Depth, str], Sequence[Cell]]
    depths: Sequence[Depth]
    signs: Mapping[str, int]
    changed: Mapping[str, str] = field(default_factory=dict)
    other_designs: Mapping[str, str] = field(default_factory=dict)
    known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def methods(self) -> set[str]:
        """The methods of which there are runs."""
        return {method for method, _, _ in self.cells}

    def together(
        self, methods: Sequence[str], depth: Depth, names: Sequence[str]
    ) -> dict[str, list[Cell]]:
        """Return the cells of the methods, by data set, where all have runs on the same rows."""
        found = {name: self._together((*methods, depth, name)) for name in names}
        return {name: cells for name, cells in found.items() if cells}

    def _together(self, key: tuple[Any, ...]) -> list[Cell] | None:
        if key not in self.known:
            *methods, depth, name = key
            cells = [self.cells.get((role, depth, name), ()) for role in methods]
            self.known[key] = same_rows(cells) if all(cells) else None
        found: list[Cell] | None = self.known[key]
        return found


def same_rows(candidates: Sequence[Sequence[Cell]]) -> list[Cell] | None:
    """Return one cell per method, all of the same rows, with the most runs in common.

    Of several such choices, the one in which the most runs were timed on one processor. Runs that
    were timed on different ones are without their times.
    """
    best: list[Cell] = []
    most, shared = (0, 0), []
    for rows in dict.fromkeys(cell.rows for cell in candidates[0]):
        fitting = [[cell for cell in cells if cell.rows == rows] for cells in candidates]
        if not all(fitting):
            continue
        for processor in dict.fromkeys(p for cell in fitting[0] for p in cell.processors or [""]):
            rank = partial(_rank, processor)
            chosen = [max(cells, key=rank) for cells in fitting]
            common = sorted(set(chosen[0].index).intersection(*(c.index for c in chosen[1:])))
            together = min(rank(cell)[1] for cell in chosen)
            if common and (len(common), together) > most:
                best, most, shared = chosen, (len(common), together), common
    if not best:
        return None
    timed = np.ones(len(shared), dtype=bool)
    if all(cell.processors for cell in best):
        where = [dict(zip(cell.index, cell.processors, strict=True)) for cell in best]
        timed = np.array([len({w[one] for w in where} - {""}) < 2 for one in shared])
    return [cell.only(shared, timed) for cell in best]


def _rank(processor: str, cell: Cell) -> tuple[int, int]:
    return len(cell.index), Counter(cell.processors)[processor]
