"""Averages of cells over data sets, beside the paper's averages over the same data sets."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from boostbench.numbers import known
from boostbench.papers import Paper
from boostbench.papers.metrics import Metric, average
from boostbench.papers.plausible import average_of_cells, averaged_sets, shown_average
from boostbench.papers.tables import Column, Published
from boostbench.report.frames.cell import Cell, PrintRemark, RemarkKind, WithoutRun
from boostbench.report.frames.cells import (
    average_cell,
    make_cell,
    runs_beside_print,
)
from boostbench.report.frames.runs import Runs, by_cell, ended_well
from boostbench.report.words import series
from boostbench.suggest import counted
from boostbench.values import RUN

Columns = Mapping[str, Column | None]

_ABOUT_PRINT = {
    RemarkKind.ELSEWHERE: "Printed averages over other data sets than ours, beside which is the "
    "average of the printed means of the same data sets",
    RemarkKind.CONTRADICTED: "Printed averages that are not those of their cells (in parentheses)",
}


@dataclass(frozen=True)
class _Scope:
    """The data sets of an average, as its label names them."""

    datasets: Sequence[str]
    words: str
    columns: Columns


def make_averages(runs: Runs, cells: Sequence[Cell], columns: Columns) -> list[Cell]:
    """Return the averages over the paper's data sets, and over all data sets.

    A data set that is published as an earlier one is left out. If methods have different runs,
    averages over the common ones come last.
    """
    scopes = list(_scopes(runs, columns))
    if not scopes:
        return []
    made = [one for scope in scopes for one in _averages(runs, cells, scope)]
    shared = _of_common_runs(runs, cells, scopes[0].datasets)
    names = list(dict.fromkeys(cell.dataset for cell in shared))
    if len(names) > 1:
        scope = _Scope(names, f" of common runs, {len(names)} data sets", columns)
        made += [replace(one, common=tuple(names)) for one in _averages(runs, shared, scope)]
    return made


def _scopes(runs: Runs, columns: Columns) -> Iterator[_Scope]:
    """Yield the paper's data sets, and all data sets where these are others."""
    prints = runs.paper is not None and bool(runs.paper.cells)
    everything = [data.label for data in runs.counted]
    of_paper = [data.label for data in runs.counted if prints and data.published_as]
    if len(of_paper) > 1:
        words = "" if len(of_paper) == len(everything) else ", the paper's data sets"
        yield _Scope(of_paper, words, columns)
    if len(of_paper) != len(everything) and len(everything) > 1:
        yield _Scope(everything, ", all data sets" if prints else "", {} if of_paper else columns)


def _of_common_runs(runs: Runs, cells: Sequence[Cell], datasets: Sequence[str]) -> list[Cell]:
    """Return the cells of the runs that all methods have, nothing if these are all runs.

    Methods without a finished run on any of ``datasets`` are ignored; a run that one method's mean
    leaves out, as the printed one does, is left out of all.
    """
    own = {(cell.dataset, cell.method): cell for cell in cells if cell.dataset in datasets}
    beside = [
        runs_beside_print(runs.of(*place), runs.metric, cell.printed) for place, cell in own.items()
    ]
    kept = pd.concat(beside, ignore_index=True)
    methods = {cell.method for cell in own.values() if cell.finished}
    sides = kept.groupby(["dataset", *RUN]).method.transform("size")
    shared = kept[sides == len(methods)]
    if len(shared) == len(kept):
        return []
    return [
        make_cell(*place, found, ended_well(found), runs.metric, own[place].printed)
        for place, found in by_cell(shared).items()
    ]


def _averages(runs: Runs, cells: Sequence[Cell], scope: _Scope) -> Iterator[Cell]:
    """Yield the averages of each kind and method over the data sets of a scope."""
    measured = [c for c in cells if c.dataset in scope.datasets and c.compared is not None]
    for kind in runs.metric.averages:
        for method in runs.methods:
            own = [cell for cell in measured if cell.method == method.label]
            comparable = [cell for cell in own if cell.is_compared]
            # With a data set that the column lacks, it would not average the printed data sets.
            column = scope.columns.get(method.label) if comparable else None
            made = average_of(
                runs, kind, comparable if column else own, len(scope.datasets), column
            )
            label = f"{kind.capitalize()} mean{scope.words}"
            yield replace(made, row=label, method=method.label)


def remarks_on_print(cells: Iterable[Cell]) -> list[str]:
    """Return the remarks on printed averages as sentences."""
    names: dict[RemarkKind, list[str]] = {}
    for kind, name in dict.fromkeys(cell.about_print for cell in cells if cell.about_print):
        names.setdefault(kind, []).append(name)
    return [f"{words}: {series(names[k])}." for k, words in _ABOUT_PRINT.items() if k in names]


def less(mean: float | None, other: float | None) -> float | None:
    """Return ``mean`` less another one, ``None`` if one is unknown."""
    return None if mean is None or other is None else mean - other


def average_of(
    runs: Runs, kind: str, cells: Sequence[Cell], datasets: int, column: Column | None
) -> Cell:
    """Return the average of the ``cells`` of one method, of so many ``datasets``.

    The paper's average is beside it, ``None`` where a cell has no comparable value of ``column``:
    the printed average if it covers the same data sets, else that of the printed rows. Then, and
    where its cells contradict it, ``about_print`` has a remark on the printed average.
    """
    whole = average_cell(kind, cells, datasets)
    if column is not None and runs.paper is not None:
        whole = _beside_print(whole, cells, runs.paper, column)
    return replace(whole, without=_without_run(whole, cells, runs.metric))


def _without_run(whole: Cell, cells: Sequence[Cell], metric: Metric) -> WithoutRun | None:
    """Return the average ``whole`` without the run of its ``cells`` that moves it most.

    Its margin is that of one mean over the root of the number of data sets, as for means that are
    independent; it moves, too, where it is near the printed one only with the run, or without it.
    """
    least = metric.least_difference(whole.compared) / math.sqrt(len(cells) or 1)
    found = None
    for place, cell in enumerate(cells):
        if cell.without is None or whole.compared is None:
            continue
        left = _compared(whole, [*cells[:place], cell.without.cell, *cells[place + 1 :]])
        if left.compared is None:
            continue
        moved = abs(left.compared - whole.compared)
        moves = moved > least or is_near(left, metric) is not is_near(whole, metric)
        if found is None or (moves, moved) > found[0]:
            found = (moves, moved), replace(cell.without, cell=left, moves=moves)
    return found[1] if found else None


def _compared(whole: Cell, cells: Sequence[Cell]) -> Cell:
    """Return the average ``whole`` with what is compared of it, that of other ``cells``."""
    compared = average(whole.average, [cell.compared for cell in cells])
    return replace(
        whole,
        compared=compared,
        compared_sd=average(whole.average, [cell.compared_sd for cell in cells]),
        difference=less(compared, whole.published),
    )


def is_near(average: Cell, metric: Metric) -> bool | None:
    """Return whether an average is within the metric's tolerance of print, ``None`` without it."""
    if average.difference is None:
        return None
    return abs(average.difference) <= metric.least_difference(average.published) + 1e-12


def _remark(
    column: Column, kind: str, over: Sequence[str], names: Sequence[str]
) -> PrintRemark | None:
    """Return a remark on a printed average, which is ``over`` some data sets, beside one of ours.

    ``None`` if ours is over the same ``names``; over none is one that its cells contradict.
    """
    printed = f"{kind} mean of {column.method}, {shown_average(column, kind)}"
    if not over:
        of_cells = average_of_cells(column, kind, column.datasets)
        words = f"{printed} ({shown_average(column, kind, of_cells)})"
        return PrintRemark(RemarkKind.CONTRADICTED, words)
    if set(over) == set(names):
        return None
    here = f"over {counted(len(over), 'data set')}, ours over {len(names)}"
    return PrintRemark(RemarkKind.ELSEWHERE, f"{printed} ({here})")


def _beside_print(averaged: Cell, cells: Sequence[Cell], paper: Paper, column: Column) -> Cell:
    """Return an average of ``cells`` with the paper's average beside it."""
    kind = averaged.average
    printed = [cell.printed.value for cell in cells if cell.printed and cell.is_compared]
    if not printed:
        return averaged
    names = sorted(value.dataset for value in printed)
    beside = column.cells.get(f"{kind}_mean")
    if beside is not None:
        over = averaged_sets(paper, column, kind)
        averaged = replace(averaged, about_print=_remark(column, kind, over, names))
        beside = beside if names == sorted(over or paper.averaged(column.table)) else None
    if len(printed) < len(cells):
        return averaged

    def mean(value: Callable[[Published], float | None]) -> float | None:
        return average(kind, map(value, printed)) if beside is None else known(value(beside))

    published = mean(lambda value: value.mean)
    exploded = mean(lambda value: value.exploded_runs) if kind == "arithmetic" else None
    return replace(
        averaged,
        published=published,
        published_sd=mean(lambda value: value.sd),
        published_time_s=mean(lambda value: value.time_s),
        published_exploded=exploded,
        difference=less(averaged.compared, published),
    )
