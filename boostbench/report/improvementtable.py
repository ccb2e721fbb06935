"""The paper's tables of percentages: by how much the better of two methods is better."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from boostbench import numbers
from boostbench.papers import Paper
from boostbench.papers.improvement import SCORE, TIME, Improvements, gain_in_percent
from boostbench.papers.results import Dataset, Method
from boostbench.report.cells import kept, spread
from boostbench.report.evidence import AGREES, DIFFERS, NOT_COMPARABLE
from boostbench.report.results import Results
from boostbench.report.table import Item, Table, make_table
from boostbench.stats.paired import common

_LEGEND = (
    "The better method of the two has the measured figure, printed in parentheses; ✓: the paper "
    "has the same one, ✗: the other one. {label}: in percent of the lower mean; time saved: in "
    "percent of the longer time."
)


def improvement_table(results: Results, paper: Paper, table: Improvements) -> list[Table]:
    """Return the table of the depths at which both of its methods are here, in a list, or none."""
    pairs = {
        depth: (left, right)
        for depth in table.depths
        if (left := _method(results, paper, table.left, depth))
        and (right := _method(results, paper, table.right, depth))
    }
    names = {dataset for dataset, depth, _ in table.printed if depth in pairs}
    rows = [data for data in results.datasets if data.published_as in names]
    if not rows:
        return []
    wanted = [
        (depth, quantity, words)
        for depth in pairs
        for quantity, words in ((SCORE, results.metric.label), (TIME, "Time"))
    ]
    shown = [
        [
            ("Data set", data.label),
            *(
                ((f"{words}, D={depth}", method.label), item)
                for depth, quantity, words in wanted
                for method, item in _items(results, table, data, depth, quantity, pairs[depth])
            ),
        ]
        for data in rows
    ]
    caption = f": {paper.captions[table.table]}" if table.table in paper.captions else ""
    legend = _LEGEND.format(label=results.metric.label)
    left_out = len({dataset for dataset, _, _ in table.printed} - {d.published_as for d in rows})
    if left_out:
        legend += f" {left_out} data set{'s' if left_out > 1 else ''} of the table not run here."
    title = f"Table {table.table}{caption}"
    return [make_table(f"table-{table.table}", title, shown, legend=legend)]


def _method(results: Results, paper: Paper, column: str, depth: int) -> Method | None:
    """Return the method measured against a printed column, that of its own name before others."""
    found = [
        method
        for method in results.methods
        if method.depth == depth and paper.names.get(method.registered) == column
    ]
    if not found:
        return None
    return min(found, key=lambda method: (method.registered != column, not method.as_registered))


def _items(
    results: Results,
    table: Improvements,
    data: Dataset,
    depth: int,
    quantity: str,
    pair: tuple[Method, Method],
) -> Iterator[tuple[Method, Item]]:
    """Yield what each method of a pair has: its gain if it is better, beside the printed one."""
    gain, note = _gain(results, data, quantity, pair)
    printed = table.printed.get((data.published_as, depth, quantity), {})
    lead = (printed.get(table.left) or 0) - (printed.get(table.right) or 0)
    for method, column, sign in zip(pair, (table.left, table.right), (1, -1), strict=True):
        beside = f"{printed[column]:g}" if printed.get(column) is not None else ""
        # A tie, here or in print (blank or two zeros), agrees and disagrees with nothing.
        mark, tone = "", ""
        if gain and lead and note != NOT_COMPARABLE:
            mark, tone = ("✓", AGREES) if lead * sign > 0 else ("✗", DIFFERS)
        if gain is None:
            yield method, Item(numbers.DASH, beside=beside, note=note, tone="empty")
        elif gain * sign < 0:
            yield method, Item("", beside=beside)
        else:
            text = numbers.fixed(abs(gain), 1)
            yield method, Item(text, mark=mark, beside=beside, note=note, tone=tone)


def _gain(
    results: Results, data: Dataset, quantity: str, pair: tuple[Method, Method]
) -> tuple[float | None, str]:
    """Return by how much the first of a pair is better over common runs, and what to know of it."""
    cells = [results.cell(data.label, method.label) for method in pair]
    runs = [results.of(data.label, method.label) for method in pair]
    shared = common(*(own.index for own in runs))
    used = shared if quantity == SCORE else [i for i in shared if _one_processor(i, *runs)]
    means = []
    for own, cell in zip(runs, cells, strict=True):
        counted = kept(own.loc[used], results.metric, cell is not None and cell.leaves_out)
        mean, _ = spread(counted.score if quantity == SCORE else own.fit_s[used])
        means.append(None if math.isnan(mean) else mean)
    note = "" if all(cell and cell.planned == len(shared) for cell in cells) else "not all runs"
    if len(used) < len(shared):
        note = "only runs on the same processor" if used else "different processors"
    if any(cell is not None and cell.not_comparable for cell in cells):
        note = NOT_COMPARABLE
    return gain_in_percent(quantity, *means), note


def _one_processor(index: Any, *groups: Any) -> bool:
    """Return whether runs are not known to have been timed on different processors."""
    return len({own.processor[index] for own in groups} - {""}) < 2
