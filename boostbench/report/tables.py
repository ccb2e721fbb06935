"""The tables of cells: methods side by side, each method in full, agreement with the paper."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Method
from boostbench.report.averages import remarks_on_print
from boostbench.report.cells import CELL, missing_text
from boostbench.report.evidence import AGREES, DIFFERS, NOT_COMPARABLE, UNDECIDED
from boostbench.report.results import Results
from boostbench.report.runs import Row, known_records
from boostbench.report.sentences import beside_print, legends
from boostbench.report.table import Item, Table, make_table

MOST_REASONS = 4
"""The most reasons why methods are not comparable that are listed one by one."""
SIGNS = {AGREES: "≈", DIFFERS: "≠", UNDECIDED: "?", NOT_COMPARABLE: "", "": ""}


def overview(results: Results) -> Table:
    """Return the main table: data sets by methods.

    With published values, an item is a mean with the published one beside it and a verdict, else a
    mean with its sd, and the best of each data set is marked.
    """
    compares, metric = results.compares, results.metric
    standings = {} if compares else results.standings
    best = {
        (data, each.method)
        for data, own in standings.items()
        for each in own
        if each.best and len(own) > 1
    }

    def item(row: str, method: str) -> Item:
        return score_item(results.cell(row, method), metric, compares, (row, method) in best)

    return make_table(
        "overview",
        "Measured beside printed" if compares else f"{metric.title[:1].upper()}{metric.title[1:]}",
        [
            [("Data set", row), *((m.label, item(row, m.label)) for m in results.methods)]
            for row in results.labels
        ],
        averages=len(results.averages),
        legend=" ".join(_legend(results)),
    )


def _legend(results: Results) -> list[str]:
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
    sentences += [legends.published_twice(*pair) for pair in results.repeated.items()]
    sentences += remarks_on_print(results.cells.about_print)
    if common := max(results.cells.common, key=len, default=()):
        everywhere = len(common) == len(results.datasets)
        sentences.append(legends.common_averages([] if everywhere else common))
    return [*sentences, legends.COUNTS]


def _legend_of_verdicts(results: Results) -> Iterator[str]:
    """Yield the meaning of verdicts, and why methods are not comparable with the paper."""
    yield legends.verdict_signs(results.metric)
    if results.metric.exploded_label:
        yield legends.exploded_left_out(results.metric)
    if any(printed.value.se is not None for printed in results.only_cells.printed.dropna()):
        yield legends.STANDARD_ERRORS
    cells = results.only_cells[results.only_cells.not_comparable != ""]
    methods = cells.groupby("not_comparable", sort=False).method.unique()
    if len(methods) > MOST_REASONS:
        methods = pd.Series({"the cells say why": cells.method.unique()})
    for reason, own in methods.items():
        some = [] if len(own) == len(results.methods) else list(own)
        yield legends.not_comparable(some, str(reason))


def score_item(cell: Row, metric: Metric, compares: bool, best: bool = False) -> Item:
    """Return the score of a cell or an average beside the printed one, or with its sd.

    ``cell`` is a row of :attr:`Results.cells` (``None``: not planned).
    """
    if cell is None:
        return Item(numbers.DASH, note="not planned", tone="empty")
    is_cell, notes = cell.row == CELL, []
    if 0 < cell.finished < cell.planned:
        notes.append(cell.fewer or f"{cell.finished:,.0f}/{cell.planned:,.0f}")
    if cell.not_comparable and compares:
        notes.append(NOT_COMPARABLE)
    if is_cell and cell.exploded:
        out = " out" if cell.leaves_out else ""
        notes.append(f"{int(cell.exploded)} {metric.exploded_label}{out}")
    beside = metric.printed(cell.printed.value) if cell.printed else metric.text(cell.published)
    runs = (cell.dataset, cell.method) if is_cell else None
    if cell.compared is None:
        beside = beside if is_cell else ""
        return Item(numbers.DASH, beside=beside, note=cell.problem, tone="empty", runs=runs)
    alone = is_cell and not compares
    tone = "best" if best else "" if alone else cell.verdict or ""
    return Item(
        with_sd(metric, cell.compared, cell.compared_sd if alone else None),
        mark="*" if best else SIGNS[tone],
        beside=beside,
        note=", ".join(notes),
        tone=tone,
        runs=runs,
    )


def with_sd(metric: Metric, mean: float | None, sd: float | None) -> str:
    """Return ``mean ± sd``, blank if the mean is unknown."""
    if mean is None:
        return ""
    text = metric.sd(sd, mean)
    return f"{metric.text(mean)} ± {text}" if text else metric.text(mean)


def detail(results: Results, method: Method) -> Table:
    """Return each method in full: one row per data set, measured, printed, compared."""
    cells, metric = results.only_cells[results.only_cells.method == method.label], results.metric
    sources = sorted({table for table in cells.published_table if table})
    return make_table(
        f"method-{method.label}",
        method.label + (f", beside Table {' and '.join(sources)}" if sources else ""),
        [
            [("Data set", row.dataset or row.row), *_details(row, metric)]
            for name in results.labels
            if (row := results.cell(name, method.label))
        ],
        ("Data set", "Ended by", "Verdict", "Why, or what would decide"),
        len(results.averages),
        legends.DETAIL if cells.margin.notna().any() else "",
    )


def _details(row: Row, metric: Metric) -> Iterator[tuple[tuple[str, str], Item | str]]:
    """Yield the known values of a cell or an average, by group and header."""
    if row.row == CELL:
        tone, runs = "partial" if row.finished < row.planned else "", (row.dataset, row.method)
        count = Item(f"{row.finished:,}/{row.planned:,}", tone=tone, runs=runs)
    else:
        count = Item(f"{int(row.finished)} of {int(row.planned)} sets")
    objective = "" if row.objective_mean is None else numbers.objective(row.objective_mean)
    ends = [metric.difference(end) for end in (row.low, row.high)]
    yield ("Measured", "Runs"), count
    yield ("Measured", metric.label), metric.text(row.mean) or Item(numbers.DASH, tone="empty")
    yield ("Measured", "sd"), metric.sd(row.sd, row.mean)
    if metric.exploded_label:
        yield ("Measured", metric.exploded_label), numbers.count(row.exploded)
    yield ("Measured", metric.train_label), with_sd(metric, row.train_mean, row.train_sd)
    # Runs that chose different values minimised different functions.
    yield ("Measured", "Objective"), numbers.DASH if objective and row.mixed else objective
    yield ("Measured", "Iterations"), numbers.count(row.iterations_mean)
    yield ("Measured", "Ended by"), numbers.counted(row.stops)
    yield ("Measured", "Chosen"), numbers.chosen(row.chosen)
    yield ("Measured", "Time, s"), numbers.seconds(row.fit_s_mean)
    printed = metric.printed(row.printed.value) if row.printed else metric.text(row.published)
    yield ("Printed", metric.label), printed
    yield ("Printed", "sd"), metric.sd(row.published_sd, row.published)
    if metric.exploded_label:
        yield ("Printed", metric.exploded_label), numbers.count(row.published_exploded)
    yield ("Printed", "Time, s"), numbers.seconds(row.published_time_s)
    yield ("Compared", "Difference"), metric.difference(row.difference)
    yield ("Compared", "90 % interval"), " to ".join(ends) if all(ends) else ""
    yield ("Compared", "Margin"), metric.width(row.margin)
    yield ("Compared", "Verdict"), Item(row.verdict, mark=SIGNS[row.verdict], tone=row.verdict)
    why = row.not_comparable or row.because or row.to_decide
    missing = missing_text(row.missing or ())
    yield ("Compared", "Why, or what would decide"), "; ".join(filter(None, (why, missing)))


def agreements(results: Results) -> dict[str, Row]:
    """Return the agreement of each method with its printed column.

    ``within`` cells of ``of`` are within one printed sd, or the tolerance; ``distance`` is the mean
    distance of the means, ``average`` the difference of their averages. ``spread`` and ``time`` are
    the geometric means of the ratios of sds and times, measured to printed (``None`` without any).
    """
    cells = results.only_cells
    cells = cells[cells.published.notna() & (cells.not_comparable == "") & (cells.repeats == "")]
    cells = cells[cells.compared.notna()]
    away = (cells.compared - cells.published).astype(float)
    least = results.metric.least_difference
    slack = [max(one.sd or 0.0, least(one.value.mean)) + 1e-12 for one in cells.printed]
    by_cell = pd.DataFrame({
        "within": away.abs() <= np.array(slack), "of": 1, "distance": away.abs(), "average": away,
        "spread": _log_ratio(cells.compared_sd, cells.published_sd),
        "time": _log_ratio(cells.fit_s_mean, cells.published_time_s),
    })  # fmt: skip
    grouped = by_cell.groupby(cells.method, sort=False)
    found = grouped.mean().assign(within=grouped.within.sum(), of=grouped.of.sum())
    found[["spread", "time"]] = np.exp(found[["spread", "time"]])
    return {one.Index: one for one in known_records(found)}


def agreement_lines(results: Results, names: Mapping[str, str]) -> list[str]:
    """Return the agreement of each method with its printed column in a sentence.

    ``names`` are those of the methods, by label.
    """
    return [
        beside_print.agreement(
            names[label],
            each.within,
            each.of,
            each.distance,
            each.average,
            each.spread,
            each.time,
            results.metric,
        )
        for label, each in agreements(results).items()
    ]


def _log_ratio(measured: pd.Series, printed: pd.Series) -> object:
    ratio = measured.astype(float) / printed.astype(float)
    return np.log(ratio.where((ratio > 0) & np.isfinite(ratio)))
