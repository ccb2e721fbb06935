"""One line for each printed column: how the measured values agree with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boostbench import numbers
from boostbench.papers.agreement import Agreement, agreement
from boostbench.report.cells import Cell, mean_of
from boostbench.report.page import Column, Item, Table
from boostbench.report.summary import Summary

_LEGEND = (
    "✓: four of five cells lie within one printed sd (or {least}) of the printed mean, the mean "
    "distance is at most {twice} and the average within {least}. Spread and time: geometric mean "
    "of the ratios to the printed sds and seconds; these were taken on another machine."
)


def agreement_table(summary: Summary) -> Table | None:
    """Return the agreement of each printed column that a method is measured against, if any."""
    found = []
    for method in summary.methods:
        cells = [cell for cell in summary.column(method) if cell.counts and cell.compared]
        if (own := _agreement(cells)) is not None:
            printed = next(cell.published for cell in cells if cell.published)
            found.append((method.label, printed, own))
    if not found:
        return None
    every = [own for _, _, own in found]
    metric = summary.metric
    columns = [
        Column.of("Method", [label for label, _, _ in found], left=True),
        Column.of("Printed column", [_where(p.table, p.method, p.depth) for _, p, _ in found],
                  left=True),
        Column.of("Cells within", [numbers.of(own.within, own.of) for own in every]),
        Column.of("Mean distance", [metric.text(own.distance) for own in every]),
        Column.of("Average", [_average(own, metric.difference(own.average)) for own in every]),
        Column.of("Spread", ["" if o.spread is None else numbers.ratio(o.spread) for o in every]),
        Column.of("Time", ["" if o.time is None else numbers.ratio(o.time) for o in every]),
    ]  # fmt: skip
    least, twice = (metric.width(k * metric.tolerance) for k in (1, 2))
    return Table.of_columns(
        "agreement", "Agreement with the printed columns",
        [column for column in columns if column.filled],
        legend=_LEGEND.format(least=least.rstrip("0"), twice=twice.rstrip("0")),
    )  # fmt: skip


def _agreement(cells: Sequence[Cell]) -> Agreement | None:
    published = [cell.published for cell in cells]
    known = [(cell, there) for cell, there in zip(cells, published, strict=True) if there]
    if not known:
        return None
    nan = np.nan
    return agreement(
        [cell.compared.mean if cell.compared else nan for cell, _ in known],
        [there.mean for _, there in known],
        [cell.tolerance for cell, _ in known],
        cells[0].metric.tolerance,
        ([(cell.compared.sd if cell.compared else None) or nan for cell, _ in known],
         [there.sd or nan for _, there in known]),
        ([mean_of(cell.fit_s) or nan for cell, _ in known],
         [there.time_s or nan for _, there in known]),
    )  # fmt: skip


def _where(table: str, method: str, depth: int | None) -> str:
    return f"Table {table}, {method}" + ("" if depth is None else f", D = {depth}")


def _average(own: Agreement, difference: str) -> Item:
    if own.agrees:
        return Item(difference, mark="✓", tone="holds")
    return Item(difference, note="" if own.average_agrees else "off")
