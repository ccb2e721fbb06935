"""The tables of cells: methods side by side, each method in full, agreement with the paper."""

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.papers.planned import PlannedMethod
from boostbench.report.appearance import appearance
from boostbench.report.document.table import Item, Meaning, TextTable, make_table
from boostbench.report.frames.averages import remarks_on_print
from boostbench.report.frames.cell import Cell, missing_text
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
    best = () if compares else results.best

    def item(row: str, method: str) -> Item:
        return score_item(results.cell(row, method), metric, compares, (row, method) in best)

    rows: list[list[tuple[str, Item | str]]] = []
    for row in results.labels:
        items = [(method.label, item(row, method.label)) for method in results.methods]
        rows.append([("Data set", row), *items])
    return make_table(
        "overview",
        "Measured beside printed" if compares else f"{metric.title[:1].upper()}{metric.title[1:]}",
        rows,
        averages=len(results.averages),
        legend=" ".join(_legend(results)),
    )


def _legend(results: ReportData) -> list[str]:
    """Return the meaning of the marks, the methods not comparable, and the scope of averages."""
    metric, compares = results.metric, results.compares
    sentences = [
        legends.means(
            metric,
            last_iteration=bool(results.recorded_curves),
            beside_print=compares,
            marks_best=len(results.methods) > 1 and not compares,
        )
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
    copies: dict[str, list[str]] = {}
    for label, first in results.repeated.items():
        if label in published:
            yield legends.published_twice(label, first)
        else:
            copies.setdefault(first, []).append(label)
    for first, labels in copies.items():
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
    methods: dict[str, list[str]] = {}
    for cell in results.only_cells:
        if cell.not_comparable:
            methods.setdefault(cell.not_comparable, []).append(cell.method)
    if len(methods) > MOST_REASONS:
        of_any_reason = [cell.method for cell in results.only_cells if cell.not_comparable]
        methods = {"the cells say why": of_any_reason}
    distinct = {why: list(dict.fromkeys(own)) for why, own in methods.items()}
    every = len(results.methods)
    return {why: [] if len(own) == every else own for why, own in distinct.items()}


def score_item(cell: Cell | None, metric: Metric, compares: bool, best: bool = False) -> Item:
    """Return the score of a cell or an average beside the printed one, or with its sd.

    ``cell`` is ``None`` where nothing was planned.
    """
    if cell is None:
        return Item(numbers.DASH, note="not planned", meaning="empty")
    beside = _printed(cell, metric)
    if cell.compared is None:
        beside = "" if cell.average else beside
        return Item(
            numbers.DASH, beside=beside, note=cell.problem, meaning="empty", runs=_runs(cell)
        )
    is_alone = not (cell.average or compares)
    verdict = None if is_alone else cell.verdict
    return Item(
        with_sd(metric, cell.compared, cell.compared_sd if is_alone else None),
        mark="*" if best else appearance(verdict).sign,
        beside=beside,
        note=", ".join(_remarks(cell, metric)),
        meaning="best" if best else verdict or "",
        runs=_runs(cell),
    )


def _runs(cell: Cell) -> tuple[str, str] | None:
    """Return the data set and the method of a cell, ``None`` for an average."""
    return None if cell.average else (cell.dataset, cell.method)


def _printed(cell: Cell, metric: Metric) -> str:
    return metric.printed(cell.printed.value) if cell.printed else metric.text(cell.published)


def _remarks(cell: Cell, metric: Metric) -> Iterator[str]:
    """Yield how many runs are behind a mean, how many of them exploded, and if one decides it."""
    if 0 < cell.finished < cell.planned:
        yield cell.fewer or f"{cell.finished:,.0f}/{cell.planned:,.0f}"
    if cell.exploded and not cell.average:
        out = " out" if cell.leaves_out else ""
        yield f"{int(cell.exploded)} {metric.exploded_label}{out}"
    if left := cell.by_one_run:
        yield one_run.in_brackets(cell, left, metric)


def with_sd(metric: Metric, mean: float | None, sd: float | None) -> str:
    """Return ``mean ± sd``, blank if the mean is unknown."""
    if mean is None:
        return ""
    text = metric.sd(sd, mean)
    return f"{metric.text(mean)} ± {text}" if text else metric.text(mean)


def detail(results: ReportData, method: PlannedMethod) -> TextTable:
    """Return each method in full: one row per data set, measured, printed, compared."""
    cells = [cell for cell in results.only_cells if cell.method == method.label]
    sources = sorted({cell.published_table for cell in cells if cell.published_table})
    rows = [(name, results.cell(name, method.label)) for name in results.labels]
    return make_table(
        f"method-{method.label}",
        method.label + (f", beside Table {' and '.join(sources)}" if sources else ""),
        [
            [("Data set", name), *_details(cell, results.metric)]
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


Details = Iterator[tuple[tuple[str, str], Item | str]]
"""Items by the title of their group and their own header."""


def _details(cell: Cell, metric: Metric) -> Details:
    """Yield the known values of a cell or an average."""
    yield from _measured(cell, metric)
    yield from _beside(cell, metric)
    yield from _comparison(cell, metric)


def _measured(cell: Cell, metric: Metric) -> Details:
    yield ("Measured", "Runs"), _count(cell)
    yield ("Measured", metric.label), metric.text(cell.mean) or Item(numbers.DASH, meaning="empty")
    yield ("Measured", "sd"), metric.sd(cell.sd, cell.mean)
    if metric.exploded_label:
        yield ("Measured", metric.exploded_label), numbers.count(cell.exploded)
    yield ("Measured", metric.train_label), with_sd(metric, cell.train.mean, cell.train.sd)
    yield ("Measured", "Objective"), _objective(cell)
    yield ("Measured", "Iterations"), numbers.count(cell.iterations.mean)
    yield ("Measured", "Ended by"), numbers.counted(cell.stops)
    yield ("Measured", "Chosen"), numbers.chosen(cell.chosen)
    yield ("Measured", "Time, s"), numbers.seconds(cell.fit_s.mean)


def _objective(cell: Cell) -> str:
    """Return the mean objective; runs that chose different values minimised different functions."""
    if cell.objective.mean is None:
        return ""
    return numbers.DASH if cell.mixed else numbers.objective(cell.objective.mean)


def _count(cell: Cell) -> Item:
    """Return how many of the planned runs or data sets are behind a mean."""
    if cell.average:
        return Item(f"{cell.finished} of {cell.planned} sets")
    meaning: Meaning = "partial" if cell.finished < cell.planned else ""
    return Item(f"{cell.finished:,}/{cell.planned:,}", meaning=meaning, runs=_runs(cell))


def _beside(cell: Cell, metric: Metric) -> Details:
    yield ("Printed", metric.label), _printed(cell, metric)
    yield ("Printed", "sd"), metric.sd(cell.published_sd, cell.published)
    if metric.exploded_label:
        yield ("Printed", metric.exploded_label), numbers.count(cell.published_exploded)
    yield ("Printed", "Time, s"), numbers.seconds(cell.published_time_s)


def _comparison(cell: Cell, metric: Metric) -> Details:
    ends = [metric.difference(end) for end in (cell.low, cell.high)]
    verdict = Item(
        cell.verdict or "", mark=appearance(cell.verdict).sign, meaning=cell.verdict or ""
    )
    to_decide = beside_print.would_decide(cell.to_decide)
    why = cell.not_comparable or cell.undecided_reason or to_decide
    yield ("Compared", "Difference"), metric.difference(cell.difference)
    yield ("Compared", "90 % interval"), " to ".join(ends) if all(ends) else ""
    yield ("Compared", "Margin"), metric.width(cell.margin)
    yield ("Compared", "Verdict"), verdict
    yield (
        ("Compared", "Why, or what would decide"),
        "; ".join(filter(None, (why, missing_text(cell.missing)))),
    )


def _compared(results: ReportData) -> dict[str, list[Cell]]:
    """Return the cells beside each printed column, by the label of the method."""
    cells: dict[str, list[Cell]] = {}
    for cell in results.only_cells:
        if cell.is_compared and not cell.duplicate_of and cell.compared is not None:
            cells.setdefault(cell.method, []).append(cell)
    return cells


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
