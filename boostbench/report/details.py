"""The table of one method: measured and published values, and how they compare."""

from __future__ import annotations

import math
from collections.abc import Sequence

from boostbench import numbers
from boostbench.papers.metrics import Metric, Verdict
from boostbench.papers.results import Method, Spread
from boostbench.report.averages import Average
from boostbench.report.cells import Cell, mean_of
from boostbench.report.marks import MARKS, SIGNS, WORDS
from boostbench.report.page import Column, Item, Table
from boostbench.report.summary import Summary
from boostbench.report.tables import NOT_COMPARABLE
from boostbench.stats import Equivalence

TOLERANCE, EVIDENCE, SEEDS_ONLY, TO_DECIDE = (
    "By tolerance", "Verdict", "If folds were alike", "What would decide",
)  # fmt: skip
_WORDS = (TOLERANCE, EVIDENCE, SEEDS_ONLY, TO_DECIDE)
_EVIDENCE = (
    "“Verdict”: equivalent where the 90 % interval of measured − published, widened by half a unit "
    "of the last printed decimal, lies inside the margin, different where outside, else "
    "inconclusive. The interval takes all of the published variance to be between folds; “"
    f"{SEEDS_ONLY}”: none of it. A plan for the next run is no licence to stop when a verdict is "
    "reached."
)

_MIXED = (
    "No mean objective (–) is given of runs that chose different values: they minimised different "
    "functions."
)


def detail(summary: Summary, method: Method) -> Table:
    """Return everything about one method: one row per data set, measured, published, compared."""
    cells = summary.column(method)
    averages = [row.averages[method.label] for row in summary.rows]
    labels = [*(data.label for data in summary.datasets), *(row.label for row in summary.rows)]
    columns = [Column.of("Data set", labels, left=True)]
    columns += [column for column in _measured(cells, averages) if column.filled]
    if any(cell.published for cell in cells):
        columns += _compared(cells, averages)
    sources = sorted({cell.published.table for cell in cells if cell.published})
    legend = [_EVIDENCE] if any(cell.evidence for cell in cells) else []
    if any(cell.exploded for cell in cells):
        legend.append(f"“Without”: over the runs without {summary.metric.exploded_label} only.")
    if any(cell.mixed and cell.objective for cell in cells):
        legend.append(_MIXED)
    return Table.of_columns(
        f"method-{method.label}",
        method.label + (f", beside Table {' and '.join(sources)}" if sources else ""),
        columns,
        len(summary.rows),
        " ".join(legend),
    )


def _measured(cells: Sequence[Cell], averages: Sequence[Average]) -> list[Column]:
    metric = cells[0].metric
    none = [""] * len(averages)
    without = [cell.kept if cell.exploded else None for cell in cells]
    kept = averages if any(cell.exploded for cell in cells) else []
    found: dict[str, list[Item | str]] = {
        "Runs": [
            *(_runs(cell) for cell in cells),
            *(f"{average.used} of {average.of} sets" for average in averages),
        ],
        metric.label: [
            *(_score(cell) for cell in cells),
            *(metric.text(average.score_all) or numbers.DASH for average in averages),
        ],
        "sd": [
            *(_sd(cell.score, cell) for cell in cells),
            *(metric.sd(average.sd_all, average.score_all) for average in averages),
        ],
        "Median": [*(metric.text(cell.median) for cell in cells), *none],
        metric.exploded_label: [
            *(numbers.count(cell.exploded) if cell.explodes else "" for cell in cells),
            *(numbers.count(average.exploded) for average in averages),
        ],
        f"{metric.label} without": [
            *(metric.text(mean_of(spread)) for spread in without),
            *([metric.text(average.score_kept) for average in kept] or none),
        ],
        "sd without": [
            *(_sd(spread, cell) for spread, cell in zip(without, cells, strict=True)),
            *([metric.sd(average.sd_kept, average.score_kept) for average in kept] or none),
        ],
        metric.train_label: [
            *(metric.with_sd(cell.train) for cell in cells),
            *(metric.text(average.train) for average in averages),
        ],
        "Objective": [*(_objective(cell) for cell in cells), *none],
        "Iterations": [*(numbers.count(mean_of(cell.iterations)) for cell in cells), *none],
        "Ended by": [*(numbers.counted(cell.stops) for cell in cells), *none],
        "Chosen": [*(numbers.chosen(cell.chosen) for cell in cells), *none],
        "Time, s": [
            *(_seconds(cell.fit_s) for cell in cells),
            *(numbers.seconds(average.fit_s) for average in averages),
        ],
        "Solver, s": [
            *(_seconds(cell.solver_s) for cell in cells),
            *(numbers.seconds(average.solver_s) for average in averages),
        ],
        "Choice, s": [*(_seconds(cell.choose_s) for cell in cells), *none],
    }
    return [
        Column.of(header, items, "Measured", left=header == "Ended by")
        for header, items in found.items()
        if header
    ]


def _runs(cell: Cell) -> Item:
    partial = cell.finished < cell.planned
    return Item(
        numbers.of(cell.finished, cell.planned),
        tone="partial" if partial else "",
        runs=(cell.dataset, cell.method) if cell.planned else None,
    )


def _score(cell: Cell) -> Item:
    text = cell.metric.text(mean_of(cell.score))
    return Item(text) if text else Item(numbers.DASH, tone="empty")


def _sd(spread: Spread | None, cell: Cell) -> str:
    return "" if spread is None else cell.metric.sd(spread.sd, spread.mean)


def _objective(cell: Cell) -> Item:
    if cell.objective is None:
        return Item("")
    if cell.mixed:
        return Item(numbers.DASH, tone="empty")
    return Item(numbers.objective(cell.objective.mean))


def _seconds(spread: Spread | None) -> str:
    if spread is None:
        return ""
    text = numbers.seconds(spread.mean)
    if spread.sd is None:
        return text
    digits = numbers.second_digits(spread.mean)
    return f"{text} ± {numbers.spread(spread.sd, spread.mean, digits)}"


def _compared(cells: Sequence[Cell], averages: Sequence[Average]) -> list[Column]:
    metric = cells[0].metric
    rows = [_compared_cell(cell) for cell in cells]
    rows += [_compared_average(average) for average in averages]
    heads = [metric.label, "sd", metric.exploded_label, "Time, s"]
    heads += [
        "Measured",
        "Difference",
        "Tolerance",
        TOLERANCE,
        "90 % interval",
        "Margin",
        EVIDENCE,
        SEEDS_ONLY,
    ]
    columns = [
        Column.of(header, items, "Published" if place < 4 else "Compared", left=header in _WORDS)
        for place, (header, items) in enumerate(
            zip([*heads, TO_DECIDE], zip(*rows, strict=True), strict=True)
        )
    ]
    return [column for column in columns if column.header and column.filled]


def _compared_cell(cell: Cell) -> list[Item | str]:
    printed, metric = cell.published, cell.metric
    if printed is None:
        return [*[""] * 7, "not published", *[""] * 5]
    return [
        metric.printed(printed),
        metric.sd(printed.sd, printed.mean),
        numbers.count(printed.exploded_runs),
        numbers.seconds(printed.time_s),
        metric.text(mean_of(cell.compared)) if cell.leaves_out_exploded else "",
        metric.difference(cell.difference),
        metric.width(cell.tolerance) if cell.comparable else "",
        _verdict(cell.verdict),
        *_evidence(cell),
    ]


def _evidence(cell: Cell) -> list[Item | str]:
    """Return the interval, the margin, the verdicts, and what would decide or why nothing does."""
    found, metric = cell.evidence, cell.metric
    if found is None:
        return ["", "", NOT_COMPARABLE if cell.not_comparable else "", "", cell.not_comparable]
    seeds_only = found.verdict_seeds_only
    return [
        interval(metric, found.interval),
        metric.width(found.margin),
        Item(found.verdict.value, mark=SIGNS[found.verdict], tone=found.verdict),
        Item(seeds_only.value, mark=SIGNS[seeds_only], tone=seeds_only) if seeds_only else "",
        found.reason or found.plan,
    ]


def interval(metric: Metric, found: Equivalence | None) -> str:
    """Return an interval of differences as it is written."""
    if found is None:
        return ""
    if not math.isfinite(found.high - found.low):
        return "unbounded"
    return f"{metric.difference(found.low)} to {metric.difference(found.high)}"


def _compared_average(average: Average) -> list[Item | str]:
    metric = average.metric
    return [
        metric.text(average.published),
        metric.sd(average.published_sd, average.published),
        numbers.count(average.published_exploded),
        numbers.seconds(average.published_time),
        metric.text(average.score) if average.score != average.score_all else "",
        metric.difference(average.difference),
        metric.width(metric.least_difference(average.published))
        if average.difference is not None
        else "",
        _verdict(average.verdict),
        *[""] * 5,
    ]


def _verdict(verdict: Verdict) -> Item:
    return Item(WORDS[verdict], mark=MARKS[verdict], tone=verdict)
