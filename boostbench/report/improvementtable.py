"""The paper's tables of percentages: by how much the better of two methods is better."""

from __future__ import annotations

from collections.abc import Sequence

from boostbench import numbers
from boostbench.papers import Paper
from boostbench.papers.improvement import SCORE, TIME, Improvements, gain_in_percent
from boostbench.papers.results import Dataset, Method
from boostbench.report.cells import make_cell, mean_of
from boostbench.report.page import Column, Item, Table
from boostbench.report.paired import common
from boostbench.report.processors import on_one_processor
from boostbench.report.summary import Summary
from boostbench.report.tables import NOT_COMPARABLE

_LEGEND = (
    "The better method of the two has the measured figure, published in parentheses; ✓: the paper "
    "has the same one, ✗: the other one. {label}: in percent of the lower mean; time saved: in "
    "percent of the longer time."
)


def improvement_tables(summary: Summary, paper: Paper, table: Improvements) -> list[Table]:
    """Return the table of the depths at which both of its methods are here, in a list, or none."""
    pairs = {
        depth: (left, right)
        for depth in table.depths
        if (left := _method(summary, paper, table.left, depth))
        and (right := _method(summary, paper, table.right, depth))
    }
    names = {dataset for dataset, depth, _ in table.printed if depth in pairs}
    rows = [data for data in summary.datasets if data.published_as in names]
    if not rows:
        return []
    columns = [Column.of("Data set", [data.label for data in rows], left=True)]
    for depth, pair in pairs.items():
        for quantity, words in ((SCORE, summary.metric.label), (TIME, "Time")):
            items = [_items(summary, table, data, depth, quantity, pair) for data in rows]
            columns += [
                Column.of(method.label, own, f"{words}, D={depth}")
                for method, own in zip(pair, zip(*items, strict=True), strict=True)
            ]
    caption = f": {paper.captions[table.table]}" if table.table in paper.captions else ""
    legend = _LEGEND.format(label=summary.metric.label)
    left_out = len({dataset for dataset, _, _ in table.printed} - {d.published_as for d in rows})
    if left_out:
        legend += f" {left_out} data set{'s' if left_out > 1 else ''} of the table not run here."
    key = f"table-{table.table}"
    return [Table.of_columns(key, f"Table {table.table}{caption}", columns, legend=legend)]


def _method(summary: Summary, paper: Paper, column: str, depth: int) -> Method | None:
    """Return the method measured against a printed column, that of its own name before others."""
    found = [
        method
        for method in summary.methods
        if method.depth == depth and paper.names.get(method.registered) == column
    ]
    if not found:
        return None
    return min(found, key=lambda method: (method.registered != column, not method.as_registered))


def _items(
    summary: Summary,
    table: Improvements,
    data: Dataset,
    depth: int,
    quantity: str,
    pair: Sequence[Method],
) -> list[Item]:
    """Return the cells of both methods, of which one has the measured gain over common runs."""
    planned = [summary.cell(data.label, method.label) for method in pair]
    runs = [summary.collected.finished.get((data.label, method.label), {}) for method in pair]
    shared = common(*runs)
    used = shared if quantity == SCORE else on_one_processor(shared, *runs)
    cells = [
        make_cell(cell.dataset, cell.method, cell.metric, [own[i] for i in used], cell.reference)
        for cell, own in zip(planned, runs, strict=True)
    ]
    values = [mean_of(cell.compared if quantity == SCORE else cell.fit_s) for cell in cells]
    printed = table.printed.get((data.published_as, depth, quantity), {})
    beside = [printed.get(column) for column in (table.left, table.right)]
    gain = gain_in_percent(quantity, *values)
    note = "" if all(cell.planned == len(shared) for cell in planned) else "not all runs"
    if len(used) < len(shared):
        note = "only runs on the same processor" if used else "different processors"
    if any(cell.not_comparable for cell in planned):
        note = NOT_COMPARABLE
    items = []
    for mine, there, other in ((gain, *beside), (_minus(gain), *reversed(beside))):
        text, mark, tone = "", "", ""
        if gain is None:
            text, tone = numbers.DASH, "empty"
        elif mine is not None and mine >= 0:
            text = numbers.fixed(mine, 1)
            # A tie, here or in print (blank or two zeros), agrees and disagrees with nothing.
            judged = note != NOT_COMPARABLE and (there or 0) != (other or 0)
            if mine > 0 and judged:
                mark, tone = ("✓", "holds") if (there or 0) > (other or 0) else ("✗", "fails")
        known = "" if there is None else f"{there:g}"
        items.append(Item(text, mark=mark, beside=known, note=note if text else "", tone=tone))
    return items


def _minus(value: float | None) -> float | None:
    return None if value is None else -value
