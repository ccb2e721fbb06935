"""The tables of a classification report: test errors, and everything about each method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boostbench.report import numbers
from boostbench.report.classification.stats import ErrorCell, ErrorSummary, Spread
from boostbench.report.frame import parts
from boostbench.report.page import Item, Table

if TYPE_CHECKING:
    from boostbench.report.frame import MethodInfo

METHODS_A_TABLE = 3
LEGEND = (
    "Mean test error in percent ± sd over {parts} × seeds, with the model of the last iteration; "
    "* and bold: the lowest mean of the data set."
)
MIXED = (
    "No mean objective (–) is given of runs that chose different values: they minimised different "
    "functions."
)
BRACKETS = "[k/n] counts finished of planned runs, or the data sets behind a mean."


def overview(summary: ErrorSummary) -> Table:
    """Return the test errors: data sets by methods."""
    rows = []
    for data in summary.datasets:
        best = summary.best(data.label)
        cells = (summary.cell(data.label, method.label) for method in summary.methods)
        rows.append([Item(data.label), *(cell_item(cell, cell.method in best) for cell in cells)])
    if summary.averages:
        rows.append([Item("Arithmetic mean"), *_average_items(summary)])
    legend = LEGEND.format(parts=parts(summary.results.experiment))
    partial = any("/" in item.note for row in rows for item in row)
    return Table(
        key="overview",
        title="Test error, %",
        header=("Data set", *(method.label for method in summary.methods)),
        rows=rows,
        averages=1 if summary.averages else 0,
        legend=f"{legend} {BRACKETS}" if partial else legend,
    )


def cell_item(cell: ErrorCell, best: bool) -> Item:
    """Return how a cell looks in the overview."""
    if cell.error is None:
        failed: dict[str, int] = {}
        for status, _, runs in cell.reasons:
            failed[status] = failed.get(status, 0) + runs
        why = ", ".join(f"{runs} {status}" for status, runs in failed.items())
        return Item(numbers.DASH, note=why or "not planned", tone="empty")
    note = numbers.of(cell.finished, cell.planned) if cell.finished < cell.planned else ""
    return Item(
        percent(cell.error), note=note, mark="*" if best else "", tone="best" if best else ""
    )


def _average_items(summary: ErrorSummary) -> list[Item]:
    items = []
    for method in summary.methods:
        mean = summary.averages[method.label]
        if mean.error is None:
            items.append(Item(numbers.DASH, note="no finished run", tone="empty"))
        else:
            note = numbers.of(mean.used, mean.of) if mean.used < mean.of else ""
            items.append(Item(numbers.percent(mean.error), note=note))
    return items


def percent(spread: Spread | None) -> str:
    """Return "12.34 ± 0.56": a share and its sd in percent."""
    return "" if spread is None else numbers.percent(spread.mean) + _beside(spread, 2, 100.0)


def seconds(spread: Spread | None) -> str:
    """Return a time and its sd."""
    if spread is None:
        return ""
    return numbers.seconds(spread.mean) + _beside(spread, numbers.second_digits(spread.mean))


def _beside(spread: Spread, digits: int, scale: float = 1.0) -> str:
    if spread.sd is None:
        return ""
    return f" ± {numbers.spread(scale * spread.sd, scale * spread.mean, digits)}"


def layout(summary: ErrorSummary) -> list[Table]:
    """Return a row a data set and a group of columns a method: errors, iterations, times."""
    methods = list(summary.methods)
    return [
        _layout_table(summary, methods[start : start + METHODS_A_TABLE], start)
        for start in range(0, len(methods), METHODS_A_TABLE)
    ]


def _layout_table(summary: ErrorSummary, methods: Sequence[MethodInfo], start: int) -> Table:
    choice = any(cell.chosen for cell in summary.cells.values())
    solver = any(cell.solver_s for cell in summary.cells.values())
    rows = []
    for data in summary.datasets:
        row = [Item(data.label)]
        for cell in (summary.cell(data.label, method.label) for method in methods):
            error = percent(cell.error)
            row += [
                Item(error or numbers.DASH, tone="" if error else "empty"),
                Item(numbers.percent(cell.train_error.mean) if cell.train_error else ""),
                *([Item(numbers.chosen(cell.chosen))] if choice else []),
                Item(_mean_seconds(cell.fit_s)),
                *([Item(_mean_seconds(cell.solver_s))] if solver else []),
            ]
        rows.append(row)
    names = ["Test, %", "Train, %", *(["Chosen"] if choice else []), "Time, s"]
    names += ["Solver, s"] if solver else []
    about_choice = "Chosen: how often each value was chosen on a part of the training rows. "
    return Table(
        key=f"layout-{start // METHODS_A_TABLE + 1}",
        title=f"Errors and times: {', '.join(method.label for method in methods)}",
        header=("Data set", *(name for _ in methods for name in names)),
        rows=rows,
        groups=[("", 1), *((method.label, len(names)) for method in methods)],
        left=frozenset({0}),
        legend=(
            f"Test: mean ± sd. {about_choice if choice else ''}Time: one whole training"
            f"{'; Solver: the share of it spent on coefficients' if solver else ''}."
        ),
    )


def _mean_seconds(spread: Spread | None) -> str:
    return "" if spread is None else numbers.seconds(spread.mean)


def detail(summary: ErrorSummary, method: MethodInfo) -> Table:
    """Return everything about one method: a row a data set."""
    cells = [summary.cell(data.label, method.label) for data in summary.datasets]
    rows = [
        [
            Item(cell.dataset),
            Item(
                numbers.of(cell.finished, cell.planned),
                tone="partial" if cell.finished < cell.planned else "",
            ),
            Item(percent(cell.error) or numbers.DASH, tone="" if cell.error else "empty"),
            Item(percent(cell.train_error)),
            _objective(cell),
            Item(numbers.count(cell.iterations.mean) if cell.iterations else ""),
            Item(numbers.counted(cell.stops)),
            Item(numbers.chosen(cell.chosen)),
            Item(seconds(cell.fit_s)),
            Item(seconds(cell.solver_s)),
            Item(seconds(cell.choose_s)),
        ]
        for cell in cells
    ]
    header = [
        "Data set",
        "Runs",
        "Test error, %",
        "Training error, %",
        "Objective",
        "Iterations",
        "Ended by",
        "Chosen",
        "Training, s",
        "Solver, s",
        "Choice, s",
    ]
    return Table(
        key=f"method-{method.label}",
        title=method.label,
        header=header,
        rows=rows,
        left=frozenset(map(header.index, ("Data set", "Ended by"))),
        legend=MIXED if any(cell.mixed and cell.objective for cell in cells) else "",
    ).without_blanks(always=4)


def _objective(cell: ErrorCell) -> Item:
    if cell.objective is None:
        return Item("")
    if cell.mixed:
        return Item(numbers.DASH, tone="empty")
    return Item(numbers.objective(cell.objective.mean))
