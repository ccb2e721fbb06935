"""The table below the learning curves: what each method had at the last iteration of its runs."""

from __future__ import annotations

from collections.abc import Sequence

from boostbench import numbers
from boostbench.papers.results import Curve, Method, Range
from boostbench.report.cells import Cell
from boostbench.report.curves import QUANTITIES, RANGED, TIMES
from boostbench.report.page import Column, Item, Table
from boostbench.report.summary import Summary

# Quantity, header, scale, decimals of the mean.
_SCORES = {
    "train_error": ("Training error, %", 100.0, 2),
    "test_error": ("Test error, %", 100.0, 2),
    "train_r2": ("Training R²", 1.0, 3),
    "test_r2": ("Test R²", 1.0, 3),
}
_RANGES = {"objective": "Objective", "fit_s": "Training time, s", "solver_s": "Solver time, s"}
_LEGEND = (
    "Values at the last iteration of each run. Scores: mean ± sd; times and objectives: median "
    "(smallest to largest)."
)
_WITHOUT = " Without iterations: a method that recorded no stages, with its final score and time."


def last_values(summary: Summary) -> Table | None:
    """Return the table, ``None`` where no learning curves were recorded."""
    curves = summary.curves
    if not curves:
        return None
    places = [
        (data.label, method)
        for data in summary.datasets
        for method in summary.methods
        if any(dataset == data.label for dataset, _ in curves)
        and summary.cell(data.label, method.label).finished
    ]
    found = [curves.get((dataset, method.label)) for dataset, method in places]
    cells = [summary.cell(dataset, method.label) for dataset, method in places]
    columns = [
        Column.of("Data set", [dataset for dataset, _ in places], left=True),
        Column.of("Method", [method.label for _, method in places], left=True),
        Column.of("Runs", [f"{cell.finished:,}" for cell in cells]),
        Column.of("Iterations", [_iterations(curve) for curve in found]),
    ]
    for name in QUANTITIES:
        if any(curve and name in curve.finals for curve in found):
            header = _RANGES[name] if name in RANGED else _SCORES[name][0]
            runs = [_final_times(summary, *place) for place in places]
            items = [
                _item(name, curve, cell, own)
                for curve, cell, own in zip(found, cells, runs, strict=True)
            ]
            columns.append(Column.of(header, items))
    legend = _LEGEND + (_WITHOUT if None in found else "")
    return Table.of_columns("last-values", "Last values of the curves", columns, legend=legend)


def _iterations(curve: Curve | None) -> str:
    if curve is None:
        return ""
    reached = [curve.reached, max(curve.length, curve.reached)]
    return "–".join(f"{count:,}" for count in dict.fromkeys(reached))


def _final_times(summary: Summary, dataset: str, method: Method) -> Range | None:
    """Return the range of the training times of a method without stages."""
    runs = summary.collected.by_cell.get((dataset, method.label), ())
    return Range.of(run.fit_s for run in runs)


def _item(name: str, curve: Curve | None, cell: Cell, times: Range | None) -> Item:
    if name in RANGED:
        found = curve.final_ranges.get(name) if curve else times if name == "fit_s" else None
        return Item(_range(found, name in TIMES)) if found else Item(numbers.DASH, tone="empty")
    spread = curve.finals.get(name) if curve else None
    if curve is None and name == cell.metric.curve and name.endswith(cell.metric.name):
        spread = cell.score
    if spread is None:
        return Item(numbers.DASH, tone="empty")
    _, scale, digits = _SCORES[name]
    mean = scale * spread.mean
    text = numbers.fixed(mean, digits)
    if spread.sd is not None:
        text += f" ± {numbers.spread(scale * spread.sd, mean, digits)}"
    return Item(text)


def _range(found: Range, seconds: bool) -> str:
    write = numbers.seconds if seconds else numbers.objective
    texts: Sequence[str] = [write(value) for value in (found.median, found.low, found.high)]
    return texts[0] if found.low == found.high else f"{texts[0]} ({texts[1]} to {texts[2]})"
