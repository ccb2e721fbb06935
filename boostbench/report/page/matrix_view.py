"""Measured beside printed values on the page, and the cells that differ."""

from collections.abc import Iterator, Sequence

import pandas as pd

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.appearance import appearance
from boostbench.report.document import answer
from boostbench.report.document.answer import AverageBesidePrint
from boostbench.report.figures.axes import limit
from boostbench.report.frames.cell import Cell, CellVerdict
from boostbench.report.frames.results import PartitionResults, ReportData
from boostbench.report.page.cell_cards import card_key
from boostbench.report.page.views import (
    CellView,
    DifferencesView,
    Mark,
    MatrixView,
)
from boostbench.report.sentences import beside_print, one_run
from boostbench.report.words import verb

MOST_COLUMNS = 6
"""The most printed columns with marks beside the numbers."""


def matrix_view(results: ReportData) -> MatrixView:
    """Return measured beside printed values of the main readings; all marks share a scale."""
    metric, names = results.metric, results.names
    counted_methods = {cell.method for cell in results.counted_cells}
    methods = [m.label for m in results.methods if m.label in counted_methods]
    printed = {
        cell.dataset for cell in results.only_cells if cell.method in methods and cell.is_compared
    }
    end = limit(cell.difference for cell in results.counted_cells)
    text = f"{metric.scale * end:g}".removeprefix("0")
    averages = answer.averages(results)
    return MatrixView(
        key="table",
        title=f"Table {results.experiment['table']}: {metric.title}, measured beside printed",
        columns=[names[label] for label in methods],
        averages=[averages.get(label, _NO_AVERAGE) for label in methods],
        rows=[
            (data.label, _row(results, data.label, methods, end))
            for data in results.datasets
            if data.label in printed
        ],
        ends=(f"{numbers.MINUS}{text}", "0", f"+{text}"),
        marked=len(methods) <= MOST_COLUMNS,
    )


_NO_AVERAGE = AverageBesidePrint("", "", "", is_near=False)


def _row(
    results: ReportData, dataset: str, methods: Sequence[str], end: float
) -> list[CellView | None]:
    cells = [results.cell(dataset, label) for label in methods]
    return [_cell(cell, results.metric, end) if cell else None for cell in cells]


def _cell(cell: Cell, metric: Metric, end: float) -> CellView | None:
    """Return a cell beside the printed one, ``None`` where nothing is printed."""
    if cell.printed is None or cell.published is None:
        return None
    remarks = []
    if cell.finished < cell.planned:
        remarks.append(f"{cell.finished:,} of {cell.planned:,} runs")
    if left := cell.by_one_run:
        remarks.append(one_run.in_brackets(cell, left, metric))
    return CellView(
        card=card_key(cell.dataset, cell.method),
        colour=appearance(cell.verdict).colour,
        verdict=cell.verdict or "no result",
        measured=metric.text(cell.compared) or numbers.DASH,
        printed=metric.printed(cell.printed.value),
        away=metric.difference(cell.difference),
        mark=_mark(cell, metric, end),
        note=", ".join(remarks),
    )


def _mark(cell: Cell, metric: Metric, end: float) -> Mark | None:
    """Return the difference from print on an axis to ``end``, ``None`` without one."""
    if cell.margin is None or cell.difference is None or cell.published is None:
        return None
    return Mark(
        at=cell.difference / end,
        interval=[x / end for x in (cell.low, cell.high) if x is not None],
        margin=cell.margin / end,
        # No interval exceeds the highest possible mean.
        top=(metric.bounds[1] / metric.scale - cell.published) / end,
    )


def differences_view(
    results: ReportData, partition_results: PartitionResults | None
) -> DifferencesView | None:
    """Return the cells that differ from print, and why others are undecided."""
    names, cells = results.names, results.cell_frame
    differ = [c for c in results.counted_cells if c.verdict is CellVerdict.DIFFERS]
    undecided = cells[cells.counts & (cells.verdict == CellVerdict.UNDECIDED)]
    if not differ and undecided.empty:
        return None
    end = limit(cell.difference for cell in differ)
    datasets = list(dict.fromkeys(cell.dataset for cell in differ))
    views = [(cell, _cell(cell, results.metric, end)) for cell in differ]
    return DifferencesView(
        key="differs",
        title=beside_print.differing_cells(datasets, len(differ)),
        rows=[(cell.dataset, names[cell.method], view) for cell, view in views if view],
        aside=f"Why {len(undecided)} {verb('undecided', len(undecided))}",
        why=list(_why_undecided(undecided, partition_results)),
    )


def _why_undecided(
    undecided: pd.DataFrame, partition_results: PartitionResults | None
) -> Iterator[str]:
    """Yield why cells are undecided, and what would decide."""
    number = len(undecided)
    if near := int((undecided.difference.abs() <= undecided.margin).sum()):
        yield beside_print.undecided_by_width(number, near)
    if never := int((undecided.undecided_reason != "").sum()):
        yield beside_print.undecidable_cells(never)
    if more := sum(bool(plan.number) for plan in undecided.to_decide.dropna()):
        yield beside_print.decidable_by_more_runs(more)
    if partition_results is not None:
        name, cells, page = partition_results
        yield beside_print.decided_by_partitions(number, len(cells), name, page)
