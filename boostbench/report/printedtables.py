"""The paper's own tables, with the measured value beside every printed figure.

A table is made if the methods of a report fill all its columns of one depth of trees; the table of
the experiment also if they fill only some. One run may thus make several.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import pandas as pd

from boostbench import numbers
from boostbench.papers import Paper
from boostbench.papers.reading import SCORE, TIME
from boostbench.papers.results import Dataset, Method
from boostbench.papers.tables import Column
from boostbench.report.averages import average_of, remarks_on_print
from boostbench.report.cells import make_cell
from boostbench.report.evidence import NOT_COMPARABLE
from boostbench.report.printed import printed_value
from boostbench.report.results import Results
from boostbench.report.runs import Row, known_records
from boostbench.report.sentences import legends
from boostbench.report.table import Item, Table, make_table
from boostbench.report.tables import score_item
from boostbench.report.words import series
from boostbench.stats.paired import common


def printed_tables(results: Results) -> dict[str, Table]:
    """Return the paper's tables that are filled, by name and in its order.

    There are none without a paper, or if it prints another metric than the report's.
    """
    paper = results.paper
    if paper is None or paper.metric != results.metric.name:
        return {}
    made = {
        name: _improvements(results, paper, name)
        if name in paper.improvements
        else _table(results, paper, name)
        for name in paper.printed_tables
    }
    return {name: table for name, table in made.items() if table is not None}


def why_not_filled(results: Results, name: str) -> str:
    """Return why these runs do not fill a table of the paper, "" if it has none of that name."""
    paper = results.paper
    if paper is None or name not in paper.printed_tables:
        return ""
    if paper.metric != results.metric.name:
        return f"it prints {paper.metric}, and this report is of {results.metric.name}"
    columns = [column for column in paper.columns if column.table == name]
    # The columns of one depth of trees are enough.
    by_depth = [
        [
            f"{column.method} of depth {column.depth}" if column.depth else column.method
            for column in columns
            if column.depth in (depth, None)
            and _method(results, paper, column.method, column.depth) is None
        ]
        for depth in {column.depth for column in columns} - {None} or {None}
    ]
    lacking = min(by_depth, key=len, default=[])
    if not lacking:
        return "none of its data sets was run"
    which = f"its columns {series(lacking)} were" if lacking[1:] else f"its column {lacking[0]} was"
    part = f'a part of it is shown where the experiment has table: "{name}"'
    return f"{which} not run; {part}"


def _method(results: Results, paper: Paper, column: str, depth: int | None) -> Method | None:
    """Return the method to compare with a printed column, preferably that of the same name."""
    found = [
        method
        for method in results.methods
        if depth in (None, method.depth) and paper.names.get(method.registered) == column
    ]
    return min(found, key=lambda m: (m.registered != column, bool(m.changed)), default=None)


def _build_table(
    paper: Paper, name: str, rows: Sequence[Row], legend: str, averages: int = 0
) -> Table:
    title = f"Table {name}{f': {paper.captions[name]}' if name in paper.captions else ''}"
    return make_table(f"table-{name}", title, rows, averages=averages, legend=legend)


def _table(results: Results, paper: Paper, name: str) -> Table | None:
    columns = [column for column in paper.columns if column.table == name]
    filled = [(column, _method(results, paper, column.method, column.depth)) for column in columns]
    depths = {column.depth for column in columns} - {None} or {None}
    if name == results.experiment.get("table"):
        depths &= {column.depth for column, method in filled if method is not None}
    else:
        missing = {column.depth for column, method in filled if method is None}
        depths = set() if None in missing else depths - missing
    filled = [(c, m) for c, m in filled if depths and c.depth in {*depths, None}]
    shown = [(column, method) for column, method in filled if method is not None]
    data = [d for d in results.datasets if any(d.published_as in c.cells for c, _ in shown)]
    if not data:
        return None
    kinds = [
        kind
        for kind in results.metric.averages
        if len(data) > 1 and any(f"{kind}_mean" in column.cells for column, _ in shown)
    ]
    titles = [*(each.label for each in data), *(f"{kind.capitalize()} mean" for kind in kinds)]
    made = [_rows(results, column, method, data, kinds) for column, method in shown]
    own = [_items(results, method, each) for (_, method), each in zip(shown, made, strict=True)]
    rows = [
        [("Data set", title), *chain(*items)]
        for title, items in zip(titles, zip(*own, strict=True), strict=True)
    ]
    averaged = paper.averaged(name)
    without = [each.label for each in data if each.published_as not in averaged and kinds]
    not_run = dict.fromkeys(column.method for column, method in filled if method is None)
    printed = {label for column, _ in shown for label in column.datasets}
    about_print = remarks_on_print(row.about_print or () for each in made for row in each)
    coverage = legends.datasets_run(len(data), len(printed))
    legend = legends.printed_table(without, list(not_run), about_print, coverage)
    return _build_table(paper, name, rows, legend, len(kinds))


def _rows(
    results: Results, column: Column, method: Method, data: Sequence[Dataset], kinds: Sequence[str]
) -> Sequence[Row]:
    """Return the printed rows of a column with the measured values, cells and then averages."""
    metric, averaged = results.metric, results.paper.averaged(column.table) if results.paper else ()
    none = results.runs.iloc[:0]
    made = [
        make_cell(
            each.label, method.label, results.by_cell.get((each.label, method.label), none),
            metric, printed_value(results, method, each, column),
        )
        for each in data
    ]  # fmt: skip
    counted = [
        each.label not in results.repeated and each.published_as in {*averaged} & {*column.cells}
        for each in data
    ]
    own = pd.DataFrame(made)[counted]
    known = own[own.compared.notna()]
    means = [average_of(results, kind, known, len(own), column) for kind in kinds]
    return list(known_records(pd.DataFrame([*made, *means])))


def _items(
    results: Results, method: Method, rows: Sequence[Row]
) -> Iterator[list[tuple[tuple[str, str], Item]]]:
    """Yield the items of the rows of a column."""
    metric = results.metric
    for row in rows:
        sd, seconds = row.published_sd, row.published_time_s
        own_sd = "" if sd is None else metric.sd(row.compared_sd, row.compared)
        own_seconds = "" if seconds is None else numbers.seconds(row.fit_s_mean)
        yield [
            ((method.label, metric.label), score_item(row, metric, compares=True)),
            ((method.label, "sd"), Item(own_sd, beside=metric.sd(sd, row.published))),
            ((method.label, "Time, s"), Item(own_seconds, beside=numbers.seconds(seconds))),
        ]


def _improvements(results: Results, paper: Paper, table: str) -> Table | None:
    """Return by how much the better of two methods is better, at their common depths."""
    printed = paper.improvements[table]
    columns = [name for name in paper.method_names if any(name in own for own in printed.values())]
    pairs = {}
    for depth in sorted({depth for _, depth, _ in printed}, key=lambda depth: depth or 0):
        found = [m for name in columns[:2] if (m := _method(results, paper, name, depth))]
        if len(found) == 2:
            pairs[depth] = found
    names = {dataset for dataset, depth, _ in printed if depth in pairs}
    data = [each for each in results.datasets if each.published_as in names]
    if not data:
        return None
    rows = [
        {"Data set": each.label}
        | {
            (f"D = {depth}" if depth else "", title): _gain(
                results, printed.get((each.published_as, depth, quantity), {}), each, pair,
                quantity,
            )
            for depth, pair in pairs.items()
            for quantity, title in ((SCORE, results.metric.label), (TIME, "Time"))
        }
        for each in data
    ]  # fmt: skip
    sets = len({dataset for dataset, _, _ in printed})
    legend = legends.improvements(results.metric.label, legends.datasets_run(len(data), sets))
    return _build_table(paper, table, rows, legend)


def _gain(
    results: Results, printed: Mapping[str, float], data: Dataset, pair: Sequence[Method], of: str
) -> Item:
    """Return the better method of a pair, with its lead beside the printed one."""
    cells = [results.cell(data.label, method.label) for method in pair]
    runs = [results.kept(data.label, method.label) for method in pair]
    shared = common(*(own.index for own in runs))
    if of == TIME:
        processors = [dict(zip(own.index, own.processor, strict=True)) for own in runs]
        shared = [i for i in shared if len({each[i] for each in processors} - {""}) < 2]
    values = [own.loc[shared, "score" if of == SCORE else "fit_s"] for own in runs]
    means = [float(v.mean()) if len(v) else None for v in values]
    gain = results.metric.gain(of, means[0], means[1])
    planned = max((cell.planned for cell in cells if cell), default=0)
    note = f"{len(shared):,}/{planned:,}" if len(shared) < planned else ""
    if any(cell and cell.not_comparable for cell in cells):
        note = NOT_COMPARABLE
    beside = ", ".join(f"{method} {percent:g}" for method, percent in printed.items())
    if gain is None:
        return Item(numbers.DASH, beside=beside, note=note, tone="empty")
    better = pair[0 if gain >= 0 else 1].label
    return Item(f"{better} {numbers.fixed(abs(gain), 1)}", beside=beside, note=note)
