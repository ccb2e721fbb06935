"""The tables of a report, made of the cells and averages of a summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boostbench.papers import published_datasets
from boostbench.report import numbers
from boostbench.report.page import Item, Table
from boostbench.report.stats import TOLERANCE, Average, AverageRow, Cell, Summary, Verdict

if TYPE_CHECKING:
    from boostbench.report.frame import MethodInfo

LEGEND = (
    "✓ reproduced: within one published sd, but at least "
    f"{TOLERANCE:g}, of the published mean; ▲ above it; ▼ below it."
)
NONE_LEFT = "none left"
DETAIL_MEASURED = ("Runs", "R²", "sd", "Median", "R² < 0", "R² without them", "Training, s")
DETAIL_PUBLISHED = ("R²", "sd", "R² < 0", "Training, s")
DETAIL_COMPARED = ("Difference", "Tolerance", "Verdict")


def overview(summary: Summary) -> Table:
    """Return the table of the paper: data sets by methods, measured with published beside."""
    rows = [
        [Item(data.label), *(cell_item(summary.cell(data.label, m.label)) for m in summary.methods)]
        for data in summary.datasets
    ]
    for row in summary.rows:
        items = (average_item(row.averages[m.label]) for m in summary.methods)
        rows.append([Item(row.label), *items])
    legend = "Mean test R² over folds × seeds. A number [k/n] counts finished of planned runs."
    if summary.paper:
        legend = (
            f"Mean test R² over folds × seeds, the published value in parentheses. {LEGEND} "
            f"For averages the tolerance is {TOLERANCE:g}. [k/n] counts the finished runs, or the "
            "data sets behind an average, where some are missing."
        )
    return Table(
        key="overview",
        title="Measured beside published" if summary.paper else "Test R²",
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
        notes.append(f"{cell.negative} with R² < 0 left out")
    elif cell.negative:
        without = _without_negative(cell)
        notes.append(
            f"{cell.negative} with R² < 0; {without}" + " without" * (without != NONE_LEFT)
        )
    return Item(
        numbers.r2(cell.compared),
        mark=numbers.MARKS[cell.verdict],
        beside=numbers.r2(cell.published.r2_mean) if cell.published else "",
        note=", ".join(notes),
        tone=cell.verdict,
    )


def average_item(average: Average) -> Item:
    """Return how an average looks in the overview."""
    notes = [numbers.of(average.used, average.of)] if average.used < average.of else []
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


def detail(summary: Summary, method: MethodInfo) -> Table:
    """Return everything about one method: a row a data set, measured, published, compared."""
    cells = [summary.cell(data.label, method.label) for data in summary.datasets]
    compared = any(cell.published for cell in cells)
    rows = [_detail_row(cell, compared) for cell in cells]
    rows += [_detail_average(row, row.averages[method.label], compared) for row in summary.rows]
    header = ["Data set", *DETAIL_MEASURED]
    groups = [("", 1), ("Measured", len(DETAIL_MEASURED))]
    if compared:
        header += [*DETAIL_PUBLISHED, *DETAIL_COMPARED]
        groups += [("Published", len(DETAIL_PUBLISHED)), ("Compared", len(DETAIL_COMPARED))]
    sources = sorted({cell.published.table for cell in cells if cell.published})
    title = method.label
    if sources:
        title += f", beside Table {' and '.join(sources)}"
    return Table(
        key=f"method-{method.label}",
        title=title,
        header=header,
        rows=rows,
        averages=len(summary.rows),
        groups=groups,
        left=frozenset({0, len(header) - 1}) if compared else frozenset({0}),
    )


def _detail_row(cell: Cell, compared: bool) -> list[Item]:
    empty = "" if cell.finished else "empty"
    items = [
        Item(cell.dataset),
        Item(
            numbers.of(cell.finished, cell.planned),
            tone="partial" if cell.finished < cell.planned else "",
        ),
        Item(numbers.r2(cell.r2_mean) or numbers.DASH, tone=empty),
        Item(numbers.sd(cell.r2_sd)),
        Item(numbers.r2(cell.r2_median)),
        Item(numbers.count(cell.negative) if cell.finished else ""),
        Item(_without_negative(cell)),
        Item(numbers.seconds(cell.fit_s)),
    ]
    if not compared:
        return items
    printed = cell.published
    return [
        *items,
        Item(numbers.r2(printed.r2_mean) if printed else ""),
        Item(numbers.sd(printed.r2_sd) if printed else ""),
        Item(numbers.count(printed.negative_runs) if printed else ""),
        Item(numbers.seconds(printed.time_s) if printed else ""),
        Item(numbers.difference(cell.difference)),
        Item(numbers.sd(cell.tolerance) if printed else ""),
        _verdict_item(cell.verdict, "" if printed else "not published"),
    ]


def _without_negative(cell: Cell) -> str:
    if not cell.negative:
        return ""
    return numbers.r2(cell.kept_mean) or NONE_LEFT


def _detail_average(row: AverageRow, average: Average, compared: bool) -> list[Item]:
    items = [
        Item(row.label),
        Item(f"{average.used} of {average.of} sets"),
        Item(numbers.r2(average.r2_all) or numbers.DASH),
        Item(numbers.sd(average.sd)),
        Item(""),
        Item(numbers.count(average.negative)),
        Item(numbers.r2(average.r2_kept) if average.r2_kept != average.r2_all else ""),
        Item(numbers.seconds(average.fit_s)),
    ]
    if not compared:
        return items
    return [
        *items,
        Item(numbers.r2(average.published_r2)),
        Item(numbers.sd(average.published_sd)),
        Item(numbers.count(average.published_negative)),
        Item(numbers.seconds(average.published_time)),
        Item(numbers.difference(average.difference)),
        Item(numbers.sd(TOLERANCE) if average.difference is not None else ""),
        _verdict_item(average.verdict, ""),
    ]


def _verdict_item(verdict: Verdict, otherwise: str) -> Item:
    if verdict is Verdict.NONE:
        return Item(otherwise)
    return Item(verdict.value, mark=numbers.MARKS[verdict], tone=verdict)


def gaps(summary: Summary) -> Table:
    """Return the cells that are empty or incomplete, each with its reasons and their counts."""
    rows = []
    for cell in summary.cells.values():
        for status, reason, runs in cell.reasons:
            rows.append(
                [
                    Item(cell.dataset),
                    Item(cell.method),
                    Item(numbers.of(cell.finished, cell.planned)),
                    Item(numbers.count(runs)),
                    Item(status, tone="empty"),
                    Item(reason or ("not run yet" if status == "pending" else "")),
                ]
            )
    return Table(
        key="gaps",
        title="Cells that are empty or incomplete",
        header=("Data set", "Method", "Finished", "Runs", "State", "Reason"),
        rows=rows,
        left=frozenset({0, 1, 4, 5}),
    )


def verdict_counts(summary: Summary) -> Table:
    """Return, for each method, how many of its cells are reproduced, above and below."""
    rows = []
    for method in summary.methods:
        cells = [summary.cell(data.label, method.label) for data in summary.datasets]
        counts = count_verdicts(cells)
        printed = sum(cell.published is not None for cell in cells)
        rows.append(
            [
                Item(method.label),
                Item(_against(summary, method, cells)),
                *(Item(numbers.count(counts[v]) if printed else "") for v in tuple(Verdict)[:3]),
                Item(numbers.count(printed - sum(counts.values())) if printed else ""),
                Item(numbers.of(sum(c.finished for c in cells), sum(c.planned for c in cells))),
            ]
        )
    return Table(
        key="verdicts",
        title="Verdicts by method",
        header=(
            "Method",
            "Measured against",
            *(f"{numbers.MARKS[v]} {v.value}" for v in tuple(Verdict)[:3]),
            "Open",
            "Finished runs",
        ),
        rows=rows,
        left=frozenset({0, 1}),
    )


def _against(summary: Summary, method: MethodInfo, cells: Sequence[Cell]) -> str:
    printed = next((cell.published for cell in cells if cell.published), None)
    if printed is None:
        return "nothing published" if summary.paper else ""
    depth = "" if printed.depth is None else f", D = {printed.depth}"
    return f"{printed.method}, Table {printed.table}{depth}"


def count_verdicts(cells: Sequence[Cell]) -> dict[Verdict, int]:
    """Return the number of cells of each verdict but the empty one."""
    counts = dict.fromkeys(tuple(Verdict)[:3], 0)
    for cell in cells:
        if cell.verdict is not Verdict.NONE:
            counts[cell.verdict] += 1
    return counts


def datasets(summary: Summary) -> Table:
    """Return the data sets: rows as measured and as the paper lists them, and a fingerprint."""
    printed = published_datasets(summary.paper.key) if summary.paper else {}
    runs = summary.results.runs
    rows = []
    for data in summary.datasets:
        seen = runs.loc[runs["dataset"] == data.label, "n_rows"].dropna()
        listed = printed.get(data.published_as)
        rows.append(
            [
                Item(data.label),
                Item(listed.title if listed else ""),
                Item(numbers.count(float(seen.iloc[0])) if len(seen) else ""),
                Item(numbers.count(listed.n_samples) if listed else ""),
                Item(numbers.count(listed.n_features) if listed else ""),
                Item(data.fingerprint[:12]),
            ]
        )
    return Table(
        key="datasets",
        title="Data sets",
        header=("Data set", "In the paper", "N", "N, paper", "p, paper", "Fingerprint"),
        rows=rows,
        left=frozenset({0, 1, 5}),
    )


def methods(summary: Summary) -> Table:
    """Return the methods: what was run, with which parameters."""
    rows = [
        [
            Item(method.label),
            Item(method.registered if method.registered != method.label else ""),
            Item(f"{method.estimator}, version {method.version}"),
            Item(", ".join(f"{key} = {value}" for key, value in sorted(method.params.items()))),
        ]
        for method in summary.methods
    ]
    return Table(
        key="methods",
        title="Methods",
        header=("Method", "Registered as", "Estimator", "Parameters given"),
        rows=rows,
        left=frozenset({0, 1, 2, 3}),
    )
