"""A printed column of a paper, and what fills it: a method, or the best of a method's starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boostbench import numbers
from boostbench.papers import Column as Printed
from boostbench.papers import Paper
from boostbench.papers.results import Dataset, Method
from boostbench.report.averages import Average, average, published_average
from boostbench.report.cells import Cell, make_cell, mean_of
from boostbench.report.page import Column, Item
from boostbench.report.reference import reference
from boostbench.report.starts import best_of_starts
from boostbench.report.summary import Summary
from boostbench.report.tables import average_item, cell_item

OBJECTIVE, SCORE = "objective", "score"


@dataclass(frozen=True)
class Filler:
    """What fills a printed column: all runs of a method, or in each fold the best of ``starts``.

    ``best_by`` is "" for all runs, else :data:`OBJECTIVE` or :data:`SCORE`.
    """

    column: Printed
    method: Method
    best_by: str = ""
    starts: int = 1


def fillers(summary: Summary, paper: Paper, column: Printed) -> list[Filler]:
    """Return what fills a printed column, the method of the same name first."""
    of_depth = [m for m in summary.methods if column.depth in (None, m.depth)]
    methods = [m for m in of_depth if paper.names.get(m.registered) == column.method]
    methods.sort(key=lambda method: method.registered != column.method)
    found = [Filler(column, method) for method in methods]
    for method in of_depth:
        starts = _starts(summary, method)
        if starts > 1 and method.registered == paper.best_of_starts.get(column.method):
            found += [Filler(column, method, by, starts) for by in (OBJECTIVE, SCORE)]
    return found


def _starts(summary: Summary, method: Method) -> int:
    """Return the largest number of runs that are planned in a fold of one data set."""
    runs = (run for run in summary.collected.runs if run.method == method.label)
    return max(Counter((run.dataset, run.split_seed, run.fold) for run in runs).values(), default=0)


def printed_quantities(column: Printed) -> list[str]:
    """Return which of mean, sd, time_s and exploded_runs a column prints."""
    return [
        name
        for name in ("mean", "sd", "time_s", "exploded_runs")
        if any(getattr(cell, name) is not None for cell in column.cells.values())
    ]


def group(
    summary: Summary,
    paper: Paper,
    filler: Filler,
    rows: Sequence[Dataset],
    kinds: Sequence[str],
    one_depth: bool,
) -> list[Column]:
    """Return a filler's columns, those that the paper prints: score, sd, seconds, exploded runs.

    The items are those of the data sets ``rows``, then the averages of ``kinds``. ``one_depth``:
    all columns of the table are of one depth of trees, which the title then need not name.
    """
    metric, printed = summary.metric, printed_quantities(filler.column)
    cells = [_cell(summary, filler, data) for data in rows]
    averages = [_average(kind, paper, filler, rows, cells) for kind in kinds]
    columns = {metric.label: [*map(_score, cells), *map(average_item, averages)]}
    if "sd" in printed:
        columns["sd"] = [*map(_sd, cells), *map(_average_sd, averages)]
    if "time_s" in printed:
        columns["Time, s"] = [*map(_time, cells), *map(_average_time, averages)]
    if "exploded_runs" in printed:
        columns[metric.exploded_label] = [*map(_exploded, cells), *map(_average_exploded, averages)]
    depths = {c.depth for c in paper.columns if c.table == filler.column.table}
    title = _title(summary, filler, one_depth or len(depths) < 2)
    return [Column.of(header, items, title) for header, items in columns.items()]


def _title(summary: Summary, filler: Filler, one_depth: bool) -> str:
    depth, title = filler.column.depth, filler.method.label
    if filler.best_by:
        by = "objective" if filler.best_by == OBJECTIVE else f"test {summary.metric.label}"
        title += f", best of {filler.starts} seeds by {by}"
    return title if depth is None or one_depth else f"{title}, D={depth}"


def _cell(summary: Summary, filler: Filler, data: Dataset) -> Cell:
    """Return the cell beside what the column prints of a data set."""
    cell = summary.cell(data.label, filler.method.label)
    beside = reference(summary.collected, filler.method, data, filler.column)
    if not filler.best_by and beside == cell.reference:
        return cell
    runs = [
        run
        for run in summary.collected.runs
        if (run.dataset, run.method) == (data.label, filler.method.label)
    ]
    if not filler.best_by:
        return make_cell(cell.dataset, cell.method, cell.metric, runs, beside)
    best = best_of_starts(runs, summary.metric)
    score = best.by_objective if filler.best_by == OBJECTIVE else best.by_score
    return Cell(
        dataset=cell.dataset,
        method=cell.method,
        metric=cell.metric,
        planned=best.planned,
        finished=best.finished if score is not None else 0,
        score=score,
        reasons=cell.reasons,
        reference=beside,
    )


def _average(
    kind: str, paper: Paper, filler: Filler, rows: Sequence[Dataset], cells: Sequence[Cell]
) -> Average:
    column = filler.column
    averaged = [name for name in paper.averaged(column.table) if name in column.cells]
    of = [cell for data, cell in zip(rows, cells, strict=True) if data.published_as in averaged]
    of = [cell for cell in of if not (cell.reference and cell.reference.repeats)]
    own = [cell for cell in of if cell.compared is not None]
    if any(cell.comparable for cell in own):
        own = [cell for cell in own if cell.comparable]

    def over(value: Callable[[Cell], float | None]) -> float | None:
        return average(kind, map(value, own))

    return Average(
        method=filler.method.label,
        metric=cells[0].metric,
        used=len(own),
        of=len(of),
        score=over(lambda cell: mean_of(cell.compared)),
        sd=over(lambda cell: cell.compared.sd if cell.compared else None),
        fit_s=over(lambda cell: mean_of(cell.fit_s)),
        exploded=over(lambda cell: float(cell.exploded)) if kind == "arithmetic" else None,
        problem="a mean is not positive" if own else "no finished run",
        **published_average(
            kind, column, [cell.published if cell.comparable else None for cell in own], averaged
        ),
    )


def _score(cell: Cell) -> Item:
    if cell.published is None and not cell.planned:
        return Item("")
    return cell_item(cell, compares=True)


def _sd(cell: Cell) -> Item:
    there, here = cell.published, cell.compared
    return Item(
        cell.metric.sd(here.sd, here.mean) if here else "",
        beside=cell.metric.sd(there.sd, there.mean) if there else "",
    )


def _average_sd(mean: Average) -> Item:
    return Item(
        mean.metric.sd(mean.sd, mean.score),
        beside=mean.metric.sd(mean.published_sd, mean.published),
    )


def _time(cell: Cell) -> Item:
    there = cell.published
    return Item(
        numbers.seconds(mean_of(cell.fit_s)),
        beside=numbers.seconds(there.time_s) if there else "",
    )


def _average_time(mean: Average) -> Item:
    return Item(numbers.seconds(mean.fit_s), beside=numbers.seconds(mean.published_time))


def _exploded(cell: Cell) -> Item:
    there = cell.published
    return Item(
        numbers.count(cell.exploded) if cell.explodes else "",
        beside=numbers.count(there.exploded_runs) if there else "",
    )


def _average_exploded(mean: Average) -> Item:
    return Item(numbers.count(mean.exploded), beside=numbers.count(mean.published_exploded))
