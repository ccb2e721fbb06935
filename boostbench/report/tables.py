"""The tables of a report, made of the cells and averages of a summary."""

from __future__ import annotations

from collections.abc import Sequence

from boostbench import numbers
from boostbench.papers import Published
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Method, Spread
from boostbench.report.averages import Average
from boostbench.report.cells import Cell, mean_of
from boostbench.report.collect import runs_over
from boostbench.report.marks import MARKS, SIGNS, WORDS
from boostbench.report.page import Column, Item, Table
from boostbench.report.reference import repeated
from boostbench.report.standings import BEST, CLOSE
from boostbench.report.summary import Summary

OUT = (
    "[k {exploded} out]: k runs with {exploded} are left out of the mean, as the published mean "
    "must leave them out."
)
BRACKETS = "[k/n] counts finished of planned runs, or the data sets behind an average."
TOLERANCE = (
    "✓ within the tolerance of one published sd, but at least {least}, of the published mean; "
    "▲ above it; ▼ below it. For averages the tolerance is {least}."
)
STATISTICAL = (
    "≈ equivalent: the 90 % interval of measured − published lies within a margin of {least} or "
    "{share} of the published sd, whichever is larger; ≠ different: it lies outside; "
    "? inconclusive: these runs decide neither."
)
STANDARD_ERRORS = (
    "The paper prints standard errors: its sds are these times the root of the number of its runs."
)
NOT_COMPARABLE = "not comparable"
_STANDINGS = {BEST: "*", CLOSE: "~"}
_WIDEST = 12


def overview(summary: Summary) -> Table:
    """Return the main table: data sets by methods.

    Where anything was published that is a mean with the published one beside it and a verdict,
    else a mean with its sd, the best of each data set marked.
    """
    compares, methods = summary.compares, summary.methods
    rows = []
    for data in summary.datasets:
        found = summary.standings[data.label]
        cells = (summary.cell(data.label, method.label) for method in methods)
        items = (cell_item(c, compares, found.get(c.method, "")) for c in cells)
        rows.append([Item(data.label), *items])
    for row in summary.rows:
        items = (average_item(row.averages[method.label]) for method in methods)
        rows.append([Item(row.label), *items])
    return Table(
        key="overview",
        title="Measured beside published" if compares else _title(summary),
        header=("Data set", *(method.label for method in methods)),
        rows=rows,
        averages=len(summary.rows),
        legend=_overview_legend(summary, rows),
    )


def _title(summary: Summary) -> str:
    title = summary.metric.title
    return f"{title[:1].upper()}{title[1:]}"


def _overview_legend(summary: Summary, rows: Sequence[Sequence[Item]]) -> str:
    metric = summary.metric
    percent = " in percent" if metric.unit else ""
    words = f"Mean {metric.words}{percent}"
    runs = f"over {runs_over(summary.experiment)}"
    model = ", with the model of the last iteration" if summary.curves else ""
    if summary.compares:
        least, part = metric.least_words, metric.spread_tolerance
        share = "a quarter" if part == 0.25 else f"{100 * part:g} %"
        texts = [f"{words} {runs}{model}, published in parentheses."]
        if any(cell.comparable for cell in summary.cells.values()):
            texts += [TOLERANCE.format(least=least), STATISTICAL.format(least=least, share=share)]
        if any(cell.published and cell.published.se is not None for cell in summary.cells.values()):
            texts.append(STANDARD_ERRORS)
        texts += not_comparable(summary)
    else:
        extreme = "highest" if metric.greater_is_better else "lowest"
        texts = [
            f"{words} ± sd {runs}{model}; * and bold: the {extreme} mean of the data set, pair by "
            f"pair over the runs that both methods have; ~: the corrected resampled t-test "
            f"on fold means does not separate it from the best (5 %, Holm over the row)."
            if len(summary.methods) > 1
            else f"{words} ± sd {runs}{model}."
        ]
    texts += averages_legend(summary)
    if any("/" in item.note for row in rows for item in row):
        texts.append(BRACKETS)
    if any(cell.leaves_out_exploded for cell in summary.cells.values()):
        texts.append(OUT.format(exploded=metric.exploded_label))
    return " ".join(texts)


def averages_legend(summary: Summary) -> list[str]:
    """Return sentences on the data sets behind averages, where these are not simply all."""
    texts = [
        f"{label} is published as the same data as {first}: only the first is averaged and counted."
        for label, first in repeated(summary.collected).items()
    ]
    names = next((row.common for row in summary.rows if row.common), ())
    if names:
        where = "" if len(names) == len(summary.datasets) else f", on {', '.join(names)}"
        texts.append(
            f"Averages of common runs are over the runs that all methods have{where}; only these "
            "compare methods with one another."
        )
    return texts


def cell_item(cell: Cell, compares: bool, standing: str = "") -> Item:
    """Return a cell's score with its verdict and published value, or with its sd.

    ``standing`` is "best", "close" or "": a mark of its own where nothing is published.
    """
    metric, printed = cell.metric, cell.published
    beside = metric.printed(printed)
    if cell.compared is None:
        if cell.finished:
            why = f"all {cell.finished} runs have {metric.exploded_label}"
        elif cell.planned:
            why = ", ".join(f"{runs} {status}" for status, runs in _statuses(cell).items())
        else:
            why = "not planned"
        return Item(numbers.DASH, beside=beside, note=why, tone="empty", runs=_runs_of(cell))
    notes = [numbers.of(cell.finished, cell.planned)] if cell.finished < cell.planned else []
    if cell.not_comparable and compares:
        notes.append(NOT_COMPARABLE)
    if cell.leaves_out_exploded:
        notes.append(f"{cell.exploded} {metric.exploded_label} out")
    elif cell.exploded:
        kept = "" if cell.kept is None else f", {metric.text(cell.kept.mean)} without"
        notes.append(f"{cell.exploded} {metric.exploded_label}{kept}")
    return Item(
        metric.text(cell.compared.mean) if compares else metric.with_sd(cell.compared),
        mark=verdict_marks(cell) if compares else _STANDINGS.get(standing, ""),
        beside=beside,
        note=", ".join(notes),
        tone=cell.verdict if compares else standing,
        runs=_runs_of(cell),
        words=verdict_words(cell) if compares else standing,
        standing=standing,
    )


def verdict_marks(cell: Cell) -> str:
    """Return the signs of a cell's two verdicts, by the tolerance and by the evidence."""
    return MARKS[cell.verdict] + (SIGNS[cell.evidence.verdict] if cell.evidence else "")


def verdict_words(cell: Cell) -> str:
    """Return a cell's two verdicts in words."""
    found = [WORDS[cell.verdict], cell.evidence.verdict.value if cell.evidence else ""]
    return ", ".join(words for words in found if words)


def not_comparable(summary: Summary) -> list[str]:
    """Return a sentence on the cells without a comparable published value, and why, or none."""
    why: dict[str, dict[str, None]] = {}
    for cell in summary.cells.values():
        if cell.not_comparable:
            why.setdefault(cell.not_comparable, {})[cell.method] = None
    parts = [
        reason if len(found) == len(summary.methods) else f"{', '.join(found)} ({reason})"
        for reason, found in why.items()
    ]
    return [f"Not comparable with the published values: {'; '.join(parts)}."] if parts else []


def _runs_of(cell: Cell) -> tuple[str, str] | None:
    return (cell.dataset, cell.method) if cell.planned else None


def average_item(average: Average) -> Item:
    """Return an average's score with its verdict and published value."""
    metric = average.metric
    notes = [numbers.of(average.used, average.of)] if 0 < average.used < average.of else []
    if average.score_kept is not None and average.score_kept != average.score:
        notes.append(f"{metric.text(average.score_kept)} without {metric.exploded_label}")
    if average.score is None:
        return Item(numbers.DASH, note="; ".join([average.problem, *notes]), tone="empty")
    return Item(
        metric.text(average.score),
        mark=MARKS[average.verdict],
        beside=metric.text(average.published),
        note=", ".join(notes),
        tone=average.verdict,
        words=WORDS[average.verdict],
    )


def _statuses(cell: Cell) -> dict[str, int]:
    """Return how many runs of a cell are in each state except ``ok``."""
    counts: dict[str, int] = {}
    for status, _, runs in cell.reasons:
        counts[status] = counts.get(status, 0) + runs
    return counts


def layout(summary: Summary) -> list[Table]:
    """Return scores and times with a group of columns per method, as papers print them."""
    methods = list(summary.methods)
    columns = {method.label: _layout_columns(summary, method) for method in methods}
    kept = {column.header: None for own in columns.values() for column in own if column.filled}
    step = max(1, _WIDEST // max(1, len(kept)))
    names = [*(data.label for data in summary.datasets), *(row.label for row in summary.rows)]
    tables = []
    for start in range(0, len(methods), step):
        shown = methods[start : start + step]
        own = [c for method in shown for c in columns[method.label] if c.header in kept]
        tables.append(
            Table.of_columns(
                f"layout-{start // step + 1}",
                f"Measured: {', '.join(method.label for method in shown)}",
                [Column.of("Data set", names, left=True), *own],
                len(summary.rows),
                _layout_legend(summary, kept),
            )
        )
    return tables


def _layout_columns(summary: Summary, method: Method) -> list[Column]:
    metric, cells = summary.metric, summary.column(method)
    averages = [row.averages[method.label] for row in summary.rows]
    none = [""] * len(averages)
    scores = [
        *(metric.with_sd(cell.compared) for cell in cells),
        *(metric.with_sd(_spread(average.score, average.sd)) for average in averages),
    ]
    found: dict[str, Sequence[Item | str]] = {
        f"{metric.label} ± sd": [
            Item(text) if text else Item(numbers.DASH, tone="empty") for text in scores
        ],
        "Chosen": [*(numbers.chosen(cell.chosen) for cell in cells), *none],
        "Time, s": [
            *(numbers.seconds(mean_of(cell.fit_s)) for cell in cells),
            *(numbers.seconds(average.fit_s) for average in averages),
        ],
        "Solver, s": [
            *(numbers.seconds(mean_of(cell.solver_s)) for cell in cells),
            *(numbers.seconds(average.solver_s) for average in averages),
        ],
        metric.exploded_label: [
            *(numbers.count(cell.exploded) if cell.explodes else "" for cell in cells),
            *(numbers.count(average.exploded) for average in averages),
        ],
    }
    return [Column.of(header, items, method.label) for header, items in found.items() if header]


def _spread(mean: float | None, sd: float | None) -> Spread | None:
    return None if mean is None else Spread(mean, sd)


def _layout_legend(summary: Summary, kept: dict[str, None]) -> str:
    texts = [f"{summary.metric.label}: mean ± sd"]
    if "Chosen" in kept:
        texts.append("Chosen: how often each value was chosen on a part of the training rows")
    texts.append("Time: one whole training")
    if "Solver, s" in kept:
        texts.append("Solver: the share of it spent on coefficients")
    if summary.metric.exploded_label in kept:
        texts.append(f"{summary.metric.exploded_label}: number of such runs")
    return "; ".join(texts) + "."


def also_published(summary: Summary) -> Table | None:
    """Return what the paper printed of other methods on the same data, ``None`` if nothing.

    These are the columns of the tables that are compared, or of the experiment's, at the same
    depths of trees, with which no method here is compared.
    """
    paper, metric = summary.paper, summary.metric
    cells = [cell.published for cell in summary.cells.values() if cell.published]
    if paper is None or not cells:
        return None
    tables = {summary.experiment.get("table")} & {cell.table for cell in paper.cells}
    tables = tables or {cell.table for cell in cells}
    compared = {(cell.method, cell.depth) for cell in cells}
    depths = {depth for _, depth in compared}
    names = [data.published_as for data in summary.datasets]
    printed = {
        (column.method, column.depth): column
        for column in reversed(paper.columns)
        if column.table in tables and column.depth in depths
    }
    columns = [
        Column.of(
            f"{column.method}, Table {column.table}"
            + (
                f", D = {column.depth}"
                if len(depths - {None}) > 1 and column.depth is not None
                else ""
            ),
            [_published_text(cell, metric) for cell in map(column.cells.get, names)],
        )
        for key, column in reversed(printed.items())
        if key not in compared
    ]
    columns = [column for column in columns if column.filled]
    if not columns:
        return None
    labels = Column.of("Data set", [data.label for data in summary.datasets], left=True)
    title = "Published of methods that are not run here"
    return Table.of_columns("also-published", title, [labels, *columns])


def _published_text(cell: Published | None, metric: Metric) -> str:
    sd = metric.sd(cell.sd, cell.mean) if cell else ""
    return f"{metric.printed(cell)} ± {sd}" if sd else metric.printed(cell)
