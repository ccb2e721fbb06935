"""The tables of cells: methods side by side, each method in full, agreement with the paper."""

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from boostbench.grouping import grouped
from boostbench.papers.metrics import Metric
from boostbench.papers.planned import PlannedMethod
from boostbench.report.document.cell_items import NOT_PLANNED
from boostbench.report.document.columns import DETAIL, MAIN, Shown, columns_in, items_in
from boostbench.report.document.table import Header, Item, TextTable, make_table
from boostbench.report.frames.averages import remarks_on_print
from boostbench.report.frames.cell import Cell
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences import beside_print, legends, one_run

MOST_REASONS = 4
"""The most reasons why methods are not comparable that are listed one by one."""


def overview(results: ReportData) -> TextTable:
    """Return the main table: data sets by methods.

    With published values, an item is a mean with the published one beside it and a verdict, else a
    mean with its sd, and the best of each data set is marked.
    """
    compares, metric = results.compares, results.metric

    rows: list[list[tuple[Header, Item | str]]] = [
        [("Data set", row), *chain.from_iterable(_side_by_side(results, row))]
        for row in results.labels
    ]
    return make_table(
        "overview",
        "Measured beside printed" if compares else f"{metric.title[:1].upper()}{metric.title[1:]}",
        rows,
        averages=len(results.averages),
        legend=" ".join(_legend(results)),
    )


def _side_by_side(results: ReportData, row: str) -> Iterator[list[tuple[Header, Item | str]]]:
    """Yield the items of each method in a row: below its name, or as a group of several."""
    columns = columns_in(MAIN, results.metric)
    for method in results.methods:
        cell = results.cell(row, method.label)
        shown = None if cell is None else Shown(cell, results)
        yield [
            (
                (method.label, str(name)) if len(columns) > 1 else method.label,
                NOT_PLANNED if shown is None else column.text(shown),
            )
            for name, column in columns
        ]


def _legend(results: ReportData) -> list[str]:
    """Return the meaning of the marks, the methods not comparable, and the scope of averages."""
    metric, compares = results.metric, results.compares
    sentences = [
        *results.elsewhere[:1],
        legends.means(
            metric,
            last_iteration=bool(results.recorded_curves),
            beside_print=compares,
            marks_best=len(results.methods) > 1 and not compares,
        ),
    ]
    if compares:
        sentences += _legend_of_verdicts(results)
    sentences += _repeated(results)
    sentences += remarks_on_print(results.cells)
    if common := max((cell.common for cell in results.cells), key=len, default=()):
        everywhere = len(common) == len(results.datasets)
        sentences.append(legends.common_averages([] if everywhere else common))
    if any(cell.by_one_run for cell in results.cells):
        sentences.append(one_run.LEGEND)
    return [*sentences, legends.COUNTS]


def _repeated(results: ReportData) -> Iterator[str]:
    """Yield which data sets count once, as they are published as one or are one table."""
    published = {data.label for data in results.datasets if data.published_as}
    copies = [(first, label) for label, first in results.repeated.items()]
    for first, label in copies:
        if label in published:
            yield legends.published_twice(label, first)
    for first, labels in grouped(pair for pair in copies if pair[1] not in published).items():
        yield legends.divided_otherwise(labels, first)


def _legend_of_verdicts(results: ReportData) -> Iterator[str]:
    """Yield the meaning of verdicts, and why methods are not comparable with the paper."""
    yield legends.verdict_signs(results.metric)
    if results.metric.exploded_label:
        yield legends.exploded_left_out(results.metric)
    if any(c.printed and c.printed.value.se is not None for c in results.only_cells):
        yield legends.STANDARD_ERRORS
    for reason, methods in _not_comparable(results).items():
        yield legends.not_comparable(methods, reason)


def _not_comparable(results: ReportData) -> dict[str, list[str]]:
    """Return the methods with cells that are not comparable, by reason; none if all are."""
    cells = [cell for cell in results.only_cells if cell.not_comparable]
    methods = grouped((cell.not_comparable, cell.method) for cell in cells)
    if len(methods) > MOST_REASONS:
        methods = {"the cells say why": [cell.method for cell in cells]}
    distinct = {why: list(dict.fromkeys(own)) for why, own in methods.items()}
    every = len(results.methods)
    return {why: [] if len(own) == every else own for why, own in distinct.items()}


def detail(results: ReportData, method: PlannedMethod) -> TextTable:
    """Return each method in full: one row per data set, measured, printed, compared."""
    cells = [cell for cell in results.only_cells if cell.method == method.label]
    sources = sorted({cell.published_table for cell in cells if cell.published_table})
    rows = [(name, results.cell(name, method.label)) for name in results.labels]
    return make_table(
        f"method-{method.label}",
        method.label + (f", beside Table {' and '.join(sources)}" if sources else ""),
        [
            [("Data set", name), *items_in(DETAIL, cell, results)]
            for name, cell in rows
            if cell is not None
        ],
        ("Data set", "Ended by", "Verdict", "Why, or what would decide"),
        len(results.averages),
        " ".join(_legend_of_detail(cells, results.metric)),
    )


def _legend_of_detail(cells: Sequence[Cell], metric: Metric) -> Iterator[str]:
    """Yield what the comparison with print is, and which runs it leaves out."""
    if any(cell.margin is not None for cell in cells):
        yield legends.DETAIL
    if any(cell.leaves_out for cell in cells):
        yield legends.compared_without(metric)


def _compared(results: ReportData) -> dict[str, list[Cell]]:
    """Return the cells beside each printed column, by the label of the method."""
    return grouped(
        (cell.method, cell)
        for cell in results.only_cells
        if cell.is_compared and not cell.duplicate_of and cell.compared is not None
    )


def _agreement(cells: Sequence[Cell], metric: Metric) -> beside_print.ColumnAgreement:
    differences = [cell.difference or 0.0 for cell in cells]
    pairs = zip(cells, differences, strict=True)
    return beside_print.ColumnAgreement(
        within=sum(abs(difference) <= _slack(cell, metric) for cell, difference in pairs),
        of=len(cells),
        distance=statistics.fmean(map(abs, differences)),
        average=statistics.fmean(differences),
        spread=_mean_ratio((cell.compared_sd, cell.published_sd) for cell in cells),
    )


def _slack(cell: Cell, metric: Metric) -> float:
    """Return the distance within which a mean is near a printed one."""
    assert cell.printed is not None
    sd = cell.printed.sd or 0.0
    return max(sd, metric.least_difference(cell.printed.value.mean)) + 1e-12


def agreement_lines(results: ReportData, names: Mapping[str, str]) -> list[str]:
    """Return the agreement of each method with its printed column in a sentence.

    ``names`` are those of the methods, by label.
    """
    return [
        " ".join(_agreement_sentences(names[label], cells, results.metric))
        for label, cells in _compared(results).items()
    ]


def _agreement_sentences(name: str, cells: Sequence[Cell], metric: Metric) -> Iterator[str]:
    """Yield how a method agrees with its printed column, and how without runs that move a mean."""
    yield beside_print.agreement(name, _agreement(cells, metric), metric)
    for place, cell in enumerate(cells):
        if left := cell.moved_by_one_run:
            others = [*cells[:place], left.cell, *cells[place + 1 :]]
            run = one_run.on_dataset(left)
            yield beside_print.agreement(f"Without {run}", _agreement(others, metric), metric)


def _mean_ratio(pairs: Iterable[tuple[float | None, float | None]]) -> float | None:
    """Return the geometric mean of the ratios that are positive and finite."""
    ratios = [measured / printed for measured, printed in pairs if measured and printed]
    logs = [math.log(ratio) for ratio in ratios if ratio > 0 and math.isfinite(ratio)]
    return math.exp(statistics.fmean(logs)) if logs else None
