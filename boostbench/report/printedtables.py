"""The paper's own tables, with the measured value beside every printed figure.

A table is made where the methods of a report fill all its columns of one depth of trees; the one
that the experiment is for also where they fill only some. One run may so make several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from boostbench import numbers
from boostbench.papers import Column as Printed
from boostbench.papers import Paper
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Dataset, Method
from boostbench.report.averages import average_of
from boostbench.report.cells import PRINTED, make_cell, spread
from boostbench.report.improvementtable import improvement_table
from boostbench.report.printed import printed_value
from boostbench.report.results import Results
from boostbench.report.runs import known_records
from boostbench.report.table import Item, Table, make_table
from boostbench.report.tables import BRACKETS, OUT, score_item

OBJECTIVE, SCORE = "objective", "score"
WIDEST = 16
_READ = "Measured, printed in parentheses; ≈, ≠ and ? as in the first table."
_STARTS = (
    "“Best of k seeds”: in each fold, of the runs with its k seeds, the one of least training "
    "objective, or of the best test score; the sd is over folds. The paper does not say by what "
    "its starts are best; a choice by the test score looks at the test rows."
)


class Filler(NamedTuple):
    """What fills a printed column: all runs of a method, or in each fold the best of ``starts``.

    ``best_by`` is "" for all runs, else :data:`OBJECTIVE` or :data:`SCORE`.
    """

    column: Printed
    method: Method
    best_by: str = ""
    starts: int = 1

    @property
    def quantities(self) -> list[str]:
        """Which of mean, sd, time_s and exploded_runs the column prints."""
        known = self.column.cells.values()
        return [name for name in PRINTED if any(getattr(c, name) is not None for c in known)]


def _items(
    results: Results, paper: Paper, filler: Filler, data: Sequence[Dataset], kinds: Sequence[str]
) -> list[list[tuple[tuple[str, str], Item]]]:
    """Return what is shown in each row, cells and then averages, of what is printed."""
    metric, column = results.metric, filler.column
    title = filler.method.label
    if filler.best_by:
        by = "objective" if filler.best_by == OBJECTIVE else f"test {metric.label}"
        title = f"{title}, best of {filler.starts} seeds by {by}"
    made = [_cell(results, filler, each) for each in data]
    cells = pd.DataFrame(made)
    averaged = paper.averaged(column.table)
    counted = {*averaged} & {*column.cells}
    own = cells[[d.label not in results.repeated and d.published_as in counted for d in data]]
    known = own[own.compared.notna()]
    means = [average_of(kind, known, len(own), metric, column, averaged) for kind in kinds]
    found = []
    for row in known_records(pd.DataFrame([*made, *means])):
        score = score_item(row, metric, compares=True)
        items = {
            "mean": (metric.label, Item("") if row.planned == 0 and not row.printed else score),
            "sd": ("sd", Item(metric.sd(row.compared_sd, row.compared),
                              beside=metric.sd(row.published_sd, row.published))),
            "time_s": ("Time, s", Item(numbers.seconds(row.fit_s_mean),
                                       beside=numbers.seconds(row.published_time_s))),
            "exploded_runs": (metric.exploded_label,
                              Item(numbers.count(row.exploded),
                                   beside=numbers.count(row.published_exploded))),
        }  # fmt: skip
        shown = [items[name] for name in filler.quantities]
        found.append([((title, header), item) for header, item in shown])
    return found


def _cell(results: Results, filler: Filler, data: Dataset) -> dict[str, Any]:
    metric, method = results.metric, filler.method
    runs = results.by_cell.get((data.label, method.label), results.runs.iloc[:0])
    beside = printed_value(results, method, data, filler.column)
    cell = make_cell(data.label, method.label, runs, metric, beside)
    if not filler.best_by:
        return cell
    mean, sd = spread(best_of_starts(runs, filler.best_by, metric).score)
    of_none = make_cell(data.label, method.label, runs.iloc[:0], metric, beside)
    kept = {name: cell[name] for name in ("planned", "finished", "problem")}
    return of_none | kept | {"compared": mean, "compared_sd": sd, "kept_mean": mean}


def best_of_starts(runs: pd.DataFrame, by: str, metric: Metric) -> pd.DataFrame:
    """Return, of the runs of each fold, the one of least objective or of the best score.

    None where a finished run recorded no objective; the first one of equals.
    """
    done = runs[runs.status == "ok"]
    cost = done.objective if by == OBJECTIVE else -metric.sign * done.score
    if cost.isna().any():
        return done.iloc[:0]
    return done.loc[cost.groupby([done.split_seed, done.fold], sort=False).idxmin()]


def printed_tables(results: Results) -> dict[str, list[Table]]:
    """Return the paper's tables that are filled, by name and in its order; each one per depth.

    There are none without a paper, or where it prints another metric than the report has.
    """
    paper = results.paper
    if paper is None or paper.metric != results.metric.name:
        return {}
    percent = {each.table: each for each in paper.improvements}
    made = {
        name: improvement_table(results, paper, percent[name])
        if name in percent
        else _tables(results, paper, name)
        for name in paper.printed_tables
    }
    return {name: tables for name, tables in made.items() if tables}


def _tables(results: Results, paper: Paper, name: str) -> list[Table]:
    columns = [column for column in paper.columns if column.table == name]
    filled = [(column, _fillers(results, paper, column)) for column in columns]
    depths: list[int | None] = [*sorted({c.depth for c in columns if c.depth is not None})]
    wanted = name == results.experiment.get("table")
    made = []
    for depth in depths or [None]:
        own = [found for column, found in filled if column.depth in (depth, None)]
        shown = [filler for found in own for filler in found]
        if sum(len(filler.quantities) for filler in shown) > WIDEST:
            shown = [filler for found in own for filler in _one_method(found)]
        if all(own) or (wanted and any(filler.column.depth == depth for filler in shown)):
            made += _table(results, paper, name, depth if len(depths) > 1 else None, shown)
    return made


def _fillers(results: Results, paper: Paper, column: Printed) -> list[Filler]:
    """Return what fills a printed column, the method of the same name first."""
    of_depth = [m for m in results.methods if column.depth in (None, m.depth)]
    methods = [m for m in of_depth if paper.names.get(m.registered) == column.method]
    methods.sort(key=lambda method: method.registered != column.method)
    found = [Filler(column, method) for method in methods]
    for method in of_depth:
        runs = results.runs[results.runs.method == method.label]
        folds = Counter(zip(runs.dataset, runs.split_seed, runs.fold, strict=True))
        starts = max(folds.values(), default=0)
        if starts > 1 and method.registered == paper.best_of_starts.get(column.method):
            found += [Filler(column, method, by, starts) for by in (OBJECTIVE, SCORE)]
    return found


def _one_method(found: Sequence[Filler]) -> list[Filler]:
    """Return the first method, and the best of starts."""
    return [*[f for f in found if not f.best_by][:1], *(f for f in found if f.best_by)]


def _table(
    results: Results, paper: Paper, name: str, depth: int | None, shown: Sequence[Filler]
) -> list[Table]:
    """Return the table in a list, none where no data set of it is here."""
    prints = {label for filler in shown for label in filler.column.cells}
    data = [data for data in results.datasets if data.published_as in prints]
    if not data:
        return []
    kinds = [k for k in results.metric.averages if len(data) > 1 and f"{k}_mean" in prints]
    titles = [*(each.label for each in data), *(f"{kind.capitalize()} mean" for kind in kinds)]
    rows: list[list[tuple[Any, Any]]] = [[("Data set", title)] for title in titles]
    for filler in shown:
        for row, own in zip(rows, _items(results, paper, filler, data, kinds), strict=True):
            row += own
    title = f"Table {name}{f': {paper.captions[name]}' if name in paper.captions else ''}"
    table = make_table(
        f"table-{name}" if depth is None else f"table-{name}-{depth}",
        title if depth is None else f"{title}, D = {depth}",
        rows,
        averages=len(kinds),
    )
    here = {each.published_as for each in data}
    legend = " ".join(_legend(results, paper, name, shown, here, table))
    return [replace(table, legend=legend)]


def _legend(
    results: Results, paper: Paper, name: str, shown: Sequence[Filler], here: set[str], table: Table
) -> Iterator[str]:
    yield _READ
    printed = {label for filler in shown for label in filler.column.datasets}
    if printed - here:
        yield f"{len(printed & here)} of the table's {len(printed)} data sets."
    averaged = paper.averaged(name)
    without = [d.label for d in results.datasets if d.published_as in here - set(averaged)]
    if without and table.averages:
        yield f"As in the paper, the averages leave out {', '.join(without)}."
    filled = {(filler.column.method, filler.column.depth) for filler in shown}
    depths = {depth for _, depth in filled}
    columns = [column for column in paper.columns if column.table == name]
    lacking = [c.method for c in columns if c.depth in depths and (c.method, c.depth) not in filled]
    if lacking:
        yield f"Not run here: {', '.join(lacking)}."
    notes = " ".join(item.note for row in table.rows for item in row)
    if "/" in notes:
        yield BRACKETS
    if " out" in notes:
        yield OUT.format(exploded=results.metric.exploded_label)
    if any(filler.best_by for filler in shown):
        yield _STARTS
