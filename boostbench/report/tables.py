"""The tables of a report, made of the cells and averages of a summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boostbench.report import numbers
from boostbench.report.frame import parts
from boostbench.report.page import Item, Table
from boostbench.report.stats import TOLERANCE, Average, Cell, Summary, Verdict

if TYPE_CHECKING:
    from boostbench.report.frame import MethodInfo

LEGEND = (
    "✓ reproduced: within one published sd, but at least "
    f"{TOLERANCE:g}, of the published mean; ▲ above it; ▼ below it. For averages the tolerance is "
    f"{TOLERANCE:g}."
)
OUT = (
    "[k R² < 0 out]: k runs with R² < 0 are left out of the mean, as the published mean must leave "
    "them out."
)
BRACKETS = "[k/n] counts finished of planned runs, or the data sets behind an average."
METHODS_A_TABLE = 4


def overview(summary: Summary) -> Table:
    """Return the table of the paper: data sets by methods, measured with published beside."""
    rows = [
        [Item(data.label), *(cell_item(summary.cell(data.label, m.label)) for m in summary.methods)]
        for data in summary.datasets
    ]
    for row in summary.rows:
        items = (average_item(row.averages[m.label]) for m in summary.methods)
        rows.append([Item(row.label), *items])
    mean = f"Mean test R² over {parts(summary.results.experiment)} × seeds"
    legend = f"{mean}. {BRACKETS}"
    if summary.compares:
        legend = f"{mean}, published in parentheses. {LEGEND} {BRACKETS}"
    if any(cell.leaves_out_negative for cell in summary.cells.values()):
        legend = f"{legend} {OUT}"
    return Table(
        key="overview",
        title="Measured beside published" if summary.compares else "Test R²",
        header=("Data set", *(method.label for method in summary.methods)),
        rows=rows,
        averages=len(summary.rows),
        legend=legend,
    )


def cell_item(cell: Cell) -> Item:
    """Return how a cell looks in the overview."""
    if cell.compared is None:
        beside = numbers.r2(cell.published.r2_mean) if cell.published else ""
        if cell.finished:
            why = f"all {cell.finished} runs have R² < 0"
        elif cell.planned:
            why = ", ".join(f"{runs} {status}" for status, runs in statuses(cell))
        else:
            why = "not planned"
        return Item(numbers.DASH, beside=beside, note=why, tone="empty")
    notes = [numbers.of(cell.finished, cell.planned)] if cell.finished < cell.planned else []
    if cell.leaves_out_negative:
        notes.append(f"{cell.negative} R² < 0 out")
    elif cell.negative:
        kept = "" if cell.kept_mean is None else f", {numbers.r2(cell.kept_mean)} without"
        notes.append(f"{cell.negative} R² < 0{kept}")
    return Item(
        numbers.r2(cell.compared),
        mark=numbers.MARKS[cell.verdict],
        beside=numbers.r2(cell.published.r2_mean) if cell.published else "",
        note=", ".join(notes),
        tone=cell.verdict,
    )


def average_item(average: Average) -> Item:
    """Return how an average looks in the overview."""
    notes = [numbers.of(average.used, average.of)] if 0 < average.used < average.of else []
    if average.r2_kept is not None and average.r2_kept != average.r2:
        notes.append(f"{numbers.r2(average.r2_kept)} without R² < 0")
    if average.r2 is None:
        return Item(numbers.DASH, note="; ".join([average.problem, *notes]), tone="empty")
    return Item(
        numbers.r2(average.r2),
        mark=numbers.MARKS[average.verdict],
        beside=numbers.r2(average.published_r2),
        note=", ".join(notes),
        tone=average.verdict,
    )


def statuses(cell: Cell) -> list[tuple[str, int]]:
    """Return how many runs of a cell are in each state but ``ok``."""
    counts: dict[str, int] = {}
    for status, _, runs in cell.reasons:
        counts[status] = counts.get(status, 0) + runs
    return list(counts.items())


def paper_layout(summary: Summary) -> list[Table]:
    """Return mean R2 with its sd, time and count of negative runs a method, as papers print it."""
    methods = list(summary.methods)
    return [
        _paper_table(summary, methods[start : start + METHODS_A_TABLE], start)
        for start in range(0, len(methods), METHODS_A_TABLE)
    ]


def _paper_table(summary: Summary, methods: Sequence[MethodInfo], start: int) -> Table:
    rows = []
    for data in summary.datasets:
        row = [Item(data.label)]
        for cell in (summary.cell(data.label, method.label) for method in methods):
            count = numbers.count(cell.negative) if cell.finished else ""
            row += _paper_items(cell.compared, cell.compared_sd, cell.fit_s, count)
        rows.append(row)
    for line in summary.rows:
        row = [Item(line.label)]
        for average in (line.averages[method.label] for method in methods):
            count = numbers.count(average.negative)
            row += _paper_items(average.r2, average.sd, average.fit_s, count)
        rows.append(row)
    return Table(
        key=f"layout-{start // METHODS_A_TABLE + 1}",
        title=f"Measured: {', '.join(method.label for method in methods)}",
        header=("Data set", *(name for _ in methods for name in ("R² (sd)", "Time, s", "R² < 0"))),
        rows=rows,
        averages=len(summary.rows),
        groups=[("", 1), *((method.label, 3) for method in methods)],
        legend=(
            "Mean test R² with its sd, mean time of one training in seconds, runs with R² < 0."
        ),
    )


def _paper_items(
    mean: float | None, sd: float | None, fit_s: float | None, count: str
) -> list[Item]:
    spread = f" ({numbers.sd(sd)})" if sd is not None else ""
    text = numbers.r2(mean) + spread if mean is not None else numbers.DASH
    tone = "empty" if mean is None else ""
    return [Item(text, tone=tone), Item(numbers.seconds(fit_s)), Item(count)]


def detail(summary: Summary, method: MethodInfo) -> Table:
    """Return everything about one method: a row a data set, measured, published, compared."""
    cells = [summary.cell(data.label, method.label) for data in summary.datasets]
    negative = any(cell.negative for cell in cells)
    compared = any(cell.published for cell in cells)
    choice = any(cell.chosen for cell in cells)
    rows = [
        [
            Item(cell.dataset),
            *_measured(cell, negative),
            *([Item(numbers.chosen(cell.chosen))] if choice else []),
            *(_compared(cell) if compared else ()),
        ]
        for cell in cells
    ]
    for row in summary.rows:
        average = row.averages[method.label]
        rows.append(
            [
                Item(row.label),
                *_measured_average(average, negative),
                *([Item("")] if choice else []),
                *(_compared_average(average) if compared else ()),
            ]
        )
    measured = ["Runs", "R²", "sd", "Median", "R² < 0"]
    measured += ["R² without", "sd without"] if negative else []
    measured += ["Time, s", *(["Chosen"] if choice else [])]
    header, groups = ["Data set", *measured], [("", 1), ("Measured", len(measured))]
    if compared:
        header += ["R²", "sd", "R² < 0", "Time, s", "Difference", "Tolerance", "Verdict"]
        groups += [("Published", 4), ("Compared", 3)]
    sources = sorted({cell.published.table for cell in cells if cell.published})
    return Table(
        key=f"method-{method.label}",
        title=method.label + (f", beside Table {' and '.join(sources)}" if sources else ""),
        header=header,
        rows=rows,
        averages=len(summary.rows),
        groups=groups,
        left=frozenset({0, len(header) - 1}) if compared else frozenset({0}),
        legend="“Without”: over the runs with R² ≥ 0 alone." if negative else "",
    )


def _measured(cell: Cell, negative: bool) -> list[Item]:
    partial = "partial" if cell.finished < cell.planned else ""
    without = [numbers.r2(cell.kept_mean), numbers.sd(cell.kept_sd)] if cell.negative else ["", ""]
    return [
        Item(numbers.of(cell.finished, cell.planned), tone=partial),
        Item(numbers.r2(cell.r2_mean) or numbers.DASH, tone="" if cell.finished else "empty"),
        Item(numbers.sd(cell.r2_sd)),
        Item(numbers.r2(cell.r2_median)),
        Item(numbers.count(cell.negative) if cell.finished else ""),
        *((Item(text) for text in without) if negative else ()),
        Item(numbers.seconds(cell.fit_s)),
    ]


def _measured_average(average: Average, negative: bool) -> list[Item]:
    return [
        Item(f"{average.used} of {average.of} sets"),
        Item(numbers.r2(average.r2_all) or numbers.DASH),
        Item(numbers.sd(average.sd_all)),
        Item(""),
        Item(numbers.count(average.negative)),
        *(
            (Item(numbers.r2(average.r2_kept)), Item(numbers.sd(average.sd_kept)))
            if negative
            else ()
        ),
        Item(numbers.seconds(average.fit_s)),
    ]


def _compared(cell: Cell) -> list[Item]:
    printed = cell.published
    if printed is None:
        return [Item("")] * 6 + [Item("not published")]
    return [
        Item(numbers.r2(printed.r2_mean)),
        Item(numbers.sd(printed.r2_sd)),
        Item(numbers.count(printed.negative_runs)),
        Item(numbers.seconds(printed.time_s)),
        Item(numbers.difference(cell.difference)),
        Item(numbers.sd(cell.tolerance)),
        _verdict_item(cell.verdict),
    ]


def _compared_average(average: Average) -> list[Item]:
    return [
        Item(numbers.r2(average.published_r2)),
        Item(numbers.sd(average.published_sd)),
        Item(numbers.count(average.published_negative)),
        Item(numbers.seconds(average.published_time)),
        Item(numbers.difference(average.difference)),
        Item(numbers.sd(TOLERANCE) if average.difference is not None else ""),
        _verdict_item(average.verdict),
    ]


def _verdict_item(verdict: Verdict) -> Item:
    return Item(verdict.value, mark=numbers.MARKS[verdict], tone=verdict)
