"""The paper's own tables, with the measured value beside every printed figure.

A table is made where the methods of a report fill all its columns of one depth of trees; the one
that the experiment is for also where they fill only some. One run may so make several.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from boostbench.papers import Column as Printed
from boostbench.papers import Paper
from boostbench.papers.results import Dataset
from boostbench.report.improvementtable import improvement_tables
from boostbench.report.page import Column, Table
from boostbench.report.printedcolumns import Filler, fillers, group, printed_quantities
from boostbench.report.summary import Summary
from boostbench.report.tables import BRACKETS, OUT

WIDEST = 16
_READ = "Measured, published in parentheses; ✓, ▲, ▼, ≈, ≠ and ? as in the first table."
_STARTS = (
    "“Best of k seeds”: in each fold, of the runs with its k seeds, the one of least training "
    "objective, or of the best test score; the sd is over folds. The paper does not say by what "
    "its starts are best; a choice by the test score looks at the test rows."
)
Filled = Mapping[int, Sequence[Filler]]


def paper_tables(summary: Summary) -> dict[str, list[Table]]:
    """Return the paper's tables that are filled, by name and in its order; each in a part or more.

    There are none without a paper, or where it prints another metric than the report has.
    """
    paper = summary.paper
    if paper is None or paper.metric != summary.metric.name:
        return {}
    percent = {each.table: each for each in paper.improvements}
    made = {
        name: improvement_tables(summary, paper, percent[name])
        if name in percent
        else _tables(summary, paper, name)
        for name in paper.printed_tables
    }
    return {name: tables for name, tables in made.items() if tables}


def _tables(summary: Summary, paper: Paper, name: str) -> list[Table]:
    columns = [column for column in paper.columns if column.table == name]
    filled = {i: fillers(summary, paper, column) for i, column in enumerate(columns)}
    wanted = name == summary.experiment.get("table")
    if not (_whole(columns, filled) or (wanted and any(filled.values()))):
        return []
    if _width(f for found in filled.values() for f in found) > WIDEST:
        filled = {i: _one_method(found) for i, found in filled.items()}
    shown = [filler for found in filled.values() for filler in found]
    rows = [
        data
        for data in summary.datasets
        if any(data.published_as in filler.column.cells for filler in shown)
    ]
    if not rows:
        return []
    parts = _parts(shown)
    return [
        _table(summary, paper, name, part, rows, number if len(parts) > 1 else 0)
        for number, part in enumerate(parts, start=1)
    ]


def _width(shown: Iterable[Filler]) -> int:
    """Return how many columns there will be, at most."""
    return sum(len(printed_quantities(filler.column)) for filler in shown)


def _whole(columns: Sequence[Printed], filled: Filled) -> bool:
    """Return whether all columns of one depth, and those without a depth, are filled."""
    depths = {column.depth for column in columns}
    return any(
        all(filled[i] for i, column in enumerate(columns) if column.depth in (depth, None))
        for depth in (depths - {None} or depths)
    )


def _one_method(found: Sequence[Filler]) -> list[Filler]:
    """Return the first method, and the best of starts."""
    return [*[f for f in found if not f.best_by][:1], *(f for f in found if f.best_by)]


def _parts(shown: Sequence[Filler]) -> list[list[Filler]]:
    """Return the groups of columns of each part of a table: one for each depth of a wide one."""
    depths = sorted({f.column.depth for f in shown if f.column.depth is not None})
    if _width(shown) <= WIDEST or len(depths) < 2:
        return [list(shown)]
    return [[f for f in shown if f.column.depth in (depth, None)] for depth in depths]


def _table(
    summary: Summary,
    paper: Paper,
    name: str,
    shown: Sequence[Filler],
    rows: Sequence[Dataset],
    part: int,
) -> Table:
    prints = {label for filler in shown for label in filler.column.cells}
    kinds = [k for k in summary.metric.averages if len(rows) > 1 and f"{k}_mean" in prints]
    labels = [*(data.label for data in rows), *(f"{kind.capitalize()} mean" for kind in kinds)]
    columns = [Column.of("Data set", labels, left=True)]
    for filler in shown:
        columns += group(summary, paper, filler, rows, kinds, one_depth=bool(part))
    caption = f": {paper.captions[name]}" if name in paper.captions else ""
    depth = f", D = {shown[0].column.depth}" if part else ""
    return Table.of_columns(
        f"table-{name}-{part}" if part else f"table-{name}",
        f"Table {name}{caption}{depth}",
        columns,
        len(kinds),
        " ".join(_legend(summary, paper, name, shown, rows, columns)),
    )


def _legend(
    summary: Summary,
    paper: Paper,
    name: str,
    shown: Sequence[Filler],
    rows: Sequence[Dataset],
    columns: Sequence[Column],
) -> list[str]:
    texts = [_READ]
    printed = {label for filler in shown for label in filler.column.datasets}
    here = {data.published_as for data in rows}
    if printed - here:
        texts.append(f"{len(printed & here)} of the table's {len(printed)} data sets.")
    without = [data.label for data in rows if data.published_as not in paper.averaged(name)]
    if without and any("mean" in item.text for item in columns[0].items):
        texts.append(f"As in the paper, the averages leave out {', '.join(without)}.")
    depths = {filler.column.depth for filler in shown}
    filled = {(filler.column.method, filler.column.depth) for filler in shown}
    lacking = [
        column.method
        for column in paper.columns
        if column.table == name
        and column.depth in depths
        and (column.method, column.depth) not in filled
    ]
    if lacking:
        texts.append(f"Not run here: {', '.join(lacking)}.")
    notes = " ".join(item.note for column in columns for item in column.items)
    if "/" in notes:
        texts.append(BRACKETS)
    if " out" in notes:
        texts.append(OUT.format(exploded=summary.metric.exploded_label))
    if any(filler.best_by for filler in shown):
        texts.append(_STARTS)
    return texts
