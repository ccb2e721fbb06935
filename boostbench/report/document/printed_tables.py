"""The paper's own tables, with the measured value beside every printed figure.

A table is made if the methods of a report fill all its columns of one setting, such as one depth of
trees; the table of the experiment also if they fill only some. One run may thus make several.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from boostbench import numbers
from boostbench.grouping import first_of_each
from boostbench.papers import Paper
from boostbench.papers.paper import Percents
from boostbench.papers.planned import PlannedDataset, PlannedMethod
from boostbench.papers.reading import SCORE, TIME
from boostbench.papers.settings import Setting, in_order, in_words, matches
from boostbench.papers.tables import Column
from boostbench.report.document.columns import PAPER, items_in
from boostbench.report.document.table import Header, Item, TableRow, TextTable, make_table
from boostbench.report.frames.averages import average_of, remarks_on_print
from boostbench.report.frames.cell import Cell, CellVerdict
from boostbench.report.frames.cells import make_cell
from boostbench.report.frames.printed import printed_value
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences import legends
from boostbench.report.words import series
from boostbench.stats.paired import common


def printed_tables(results: ReportData) -> dict[str, TextTable]:
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


def why_not_filled(results: ReportData, name: str) -> str:
    """Return why these runs do not fill a table of the paper, "" if it has none of that name."""
    paper = results.paper
    if paper is None or name not in paper.printed_tables:
        return ""
    if paper.metric != results.metric.name:
        return f"it prints {paper.metric}, and this report is of {results.metric.name}"
    filling = _Filling(results, paper, name)
    # The columns of one setting are enough.
    by_setting = [filling.lacking_at(setting) for setting in filling.settings]
    lacking = [_in_words(paper, column) for column in min(by_setting, key=len)]
    if not lacking:
        return "none of its data sets was run"
    which = f"its columns {series(lacking)} were" if lacking[1:] else f"its column {lacking[0]} was"
    part = f'a part of it is shown where the experiment has table: "{name}"'
    return f"{which} not run; {part}"


def _in_words(paper: Paper, column: Column) -> str:
    setting = in_words(paper.conditions, column.setting)
    return f"{column.method} of {setting}" if setting else column.method


def _method(
    results: ReportData, paper: Paper, column: str, setting: Setting
) -> PlannedMethod | None:
    """Return the method to compare with a printed column, preferably that of the same name."""
    own = paper.of_methods(setting)
    methods = [
        method
        for method in results.methods
        if matches(own, paper.setting_of(method.conditions))
        and paper.names.get(method.registered) == column
        and method.registered not in paper.other_methods
    ]
    return min(methods, key=lambda m: (m.registered != column, bool(m.changed)), default=None)


def _build_table(
    paper: Paper, name: str, rows: Iterable[TableRow], legend: str, averages: int = 0
) -> TextTable:
    title = f"Table {name}{f': {paper.captions[name]}' if name in paper.captions else ''}"
    return make_table(f"table-{name}", title, rows, averages=averages, legend=legend)


@dataclass(frozen=True)
class _Filling:
    """The columns of a printed table, each with the method that fills it or ``None``."""

    results: ReportData
    paper: Paper
    name: str

    @cached_property
    def _columns(self) -> list[tuple[Column, PlannedMethod | None]]:
        return [
            (column, _method(self.results, self.paper, column.method, column.setting))
            for column in self._printed
        ]

    @property
    def _printed(self) -> list[Column]:
        """The columns of the table, one for each of the settings that are of the data sets."""
        own = [column for column in self.paper.columns if column.table == self.name]
        keys = [(column.method, self.paper.of_methods(column.setting)) for column in own]
        return list(first_of_each(zip(keys, own, strict=True)).values())

    @property
    def settings(self) -> set[Setting]:
        """The settings of the columns, only one without values where no column has any."""
        every = {self.paper.of_methods(column.setting) for column, _ in self._columns}
        empty = self.paper.setting_of()
        return every - {empty} or {empty}

    def lacking_at(self, setting: Setting) -> list[Column]:
        """Return the columns in a setting, or in any, for which no method was run."""
        return [
            column
            for column, method in self._columns
            if method is None and matches(self.paper.of_methods(column.setting), setting)
        ]

    @property
    def _shown_settings(self) -> set[Setting]:
        """The settings that are shown: filled ones, in the experiment's table partly."""
        if self.name == self.results.experiment.get("table"):
            filled = [column.setting for column, method in self._columns if method is not None]
            return self.settings & {self.paper.of_methods(setting) for setting in filled}
        return {setting for setting in self.settings if not self.lacking_at(setting)}

    @cached_property
    def _of_settings(self) -> list[tuple[Column, PlannedMethod | None]]:
        settings = self._shown_settings
        return [
            (column, method)
            for column, method in self._columns
            if any(matches(self.paper.of_methods(column.setting), own) for own in settings)
        ]

    @cached_property
    def shown(self) -> list[tuple[Column, PlannedMethod]]:
        """The columns that are shown, with their methods."""
        return [(column, method) for column, method in self._of_settings if method is not None]

    @property
    def lacking(self) -> list[str]:
        """The columns of the shown settings for which no method was run."""
        names = (column.method for column, method in self._of_settings if method is None)
        return list(dict.fromkeys(names))

    @cached_property
    def datasets(self) -> list[PlannedDataset]:
        """The data sets with a printed value in a shown column."""
        return [
            data
            for data in self.results.datasets
            if any(self._has(column, data) for column, _ in self.shown)
        ]

    def _beside(self, column: Column, data: PlannedDataset) -> Column | None:
        """Return the column that differs from one only in having the setting of a data set."""
        paper, asked = self.paper, self.paper.setting_of(data.conditions)
        same = (column.table, column.method, paper.of_methods(column.setting))
        for each in paper.columns:
            own = (each.table, each.method, paper.of_methods(each.setting))
            if own == same and matches(paper.of_data(each.setting), asked):
                return each
        return None

    def _has(self, column: Column, data: PlannedDataset) -> bool:
        """Return whether a value is printed in a column, in the setting of a data set."""
        own = self._beside(column, data)
        return own is not None and data.published_as in own.cells

    @cached_property
    def averages(self) -> list[str]:
        """The kinds of averages that the table prints, none of a single data set."""
        if len(self.datasets) < 2:
            return []
        printed = {name for column, _ in self.shown for name in column.cells}
        return [kind for kind in self.results.metric.averages if f"{kind}_mean" in printed]

    @property
    def not_averaged(self) -> list[str]:
        """The data sets that the averages leave out, as the paper's do."""
        averaged = self.paper.averaged(self.name)
        others = [data.label for data in self.datasets if data.published_as not in averaged]
        return others if self.averages else []

    def cells(self, column: Column, method: PlannedMethod) -> list[Cell]:
        """Return the measured cells beside those of a column, and then the averages."""
        results, label = self.results, method.label
        none = results.runs.iloc[:0]
        cells = [
            make_cell(
                data.label,
                label,
                results.by_cell.get((data.label, label), none),
                results.of(data.label, label),
                results.metric,
                printed_value(results, method, data, self._beside(column, data)),
            ).as_shown
            for data in self.datasets
        ]
        beside = [self._beside(column, data) for data in self.datasets]
        only = beside[0] if all(each is beside[0] for each in beside) else None
        averaged = [cells[n] for n, data in enumerate(self.datasets) if self._counts(data, column)]
        known = [cell for cell in averaged if cell.compared is not None]
        means = [average_of(results, k, known, len(averaged), only) for k in self.averages]
        return [*cells, *means]

    def _counts(self, data: PlannedDataset, column: Column) -> bool:
        """Return whether a data set is one of those that the paper averages."""
        is_averaged = data.published_as in self.paper.averaged(column.table)
        return is_averaged and self._has(column, data) and data.label not in self.results.repeated


def _table(results: ReportData, paper: Paper, name: str) -> TextTable | None:
    filling = _Filling(results, paper, name)
    datasets, averages = filling.datasets, filling.averages
    if not datasets:
        return None
    titles = [data.label for data in datasets]
    titles += [f"{kind.capitalize()} mean" for kind in averages]
    rows: list[list[tuple[Header, Item | str]]] = [[("Data set", title)] for title in titles]
    every: list[Cell] = []
    for column, method in filling.shown:
        cells = filling.cells(column, method)
        every += cells
        for row, cell in zip(rows, cells, strict=True):
            items = items_in(PAPER, cell, results)
            row += [((method.label, str(name)), item) for name, item in items]
    printed = {label for column, _ in filling.shown for label in column.datasets}
    legend = legends.printed_table(
        filling.not_averaged,
        filling.lacking,
        remarks_on_print(every),
        legends.datasets_run(len(datasets), len(printed)),
    )
    return _build_table(paper, name, rows, legend, len(averages))


def _improvements(results: ReportData, paper: Paper, table: str) -> TextTable | None:
    """Return by how much the better of two methods is better, in their common settings."""
    printed = paper.improvements[table]
    pairs = _pairs(results, paper, printed)
    names = {dataset for dataset, setting, _ in printed if setting in pairs}
    datasets = [each for each in results.datasets if each.published_as in names]
    if not datasets:
        return None
    rows = [_gains(results, paper, printed, data, pairs) for data in datasets]
    n_printed = len({dataset for dataset, _, _ in printed})
    coverage = legends.datasets_run(len(datasets), n_printed)
    legend = legends.improvements(results.metric.label, coverage)
    return _build_table(paper, table, rows, legend)


def _pairs(
    results: ReportData, paper: Paper, printed: Percents
) -> dict[Setting, Sequence[PlannedMethod]]:
    """Return the two methods of a table of improvements, in each setting in which both were run."""
    columns = [name for name in paper.method_names if any(name in own for own in printed.values())]
    pairs: dict[Setting, Sequence[PlannedMethod]] = {}
    for setting in in_order(setting for _, setting, _ in printed):
        methods = [_method(results, paper, name, setting) for name in columns[:2]]
        pair = [method for method in methods if method is not None]
        if len(pair) == 2:
            pairs[setting] = pair
    return pairs


def _gains(
    results: ReportData,
    paper: Paper,
    printed: Percents,
    data: PlannedDataset,
    pairs: Mapping[Setting, Sequence[PlannedMethod]],
) -> list[tuple[Header, Item | str]]:
    """Return the row of a data set: the gain in score and in time in each setting."""
    row: list[tuple[Header, Item | str]] = [("Data set", data.label)]
    for setting, pair in pairs.items():
        for quantity, title in ((SCORE, results.metric.label), (TIME, "Time")):
            beside = printed.get((data.published_as, setting, quantity), {})
            group = _in_letters(paper, setting)
            row.append(((group, title), _gain(results, beside, data, pair, quantity)))
    return row


def _in_letters(paper: Paper, setting: Setting) -> str:
    """Return a setting in the letters of its conditions, such as "D = 3"."""
    pairs = zip(paper.conditions, setting, strict=True)
    return ", ".join(f"{name[0].upper()} = {value}" for name, value in pairs if value is not None)


def _gain(
    results: ReportData,
    printed: Mapping[str, float],
    data: PlannedDataset,
    pair: Sequence[PlannedMethod],
    quantity: str,
) -> Item:
    """Return the better method of a pair, with its lead beside the printed one."""
    runs, means = _common_means(results, data, pair, quantity)
    note = _caution(results, data, pair, runs)
    shown = {} if note == CellVerdict.NOT_COMPARABLE else printed
    beside = ", ".join(f"{method} {percent:g}" for method, percent in shown.items())
    gain = results.metric.gain(quantity, *means) if means else None
    if gain is None:
        return Item(numbers.DASH, beside=beside, note=note, meaning="empty")
    better = pair[0 if gain >= 0 else 1].label
    return Item(f"{better} {numbers.fixed(abs(gain), 1)}", beside=beside, note=note)


def _common_means(
    results: ReportData, data: PlannedDataset, pair: Sequence[PlannedMethod], quantity: str
) -> tuple[int, tuple[float, float] | None]:
    """Return the number of runs that a pair has in common, and the means of both over these.

    Times are of runs on one processor.
    """
    left, right = (results.beside_print(data.label, method.label) for method in pair)
    shared = common(left.index, right.index)
    if quantity == TIME:
        shared = [i for i in shared if len({left.processor[i], right.processor[i]} - {""}) < 2]
    if not shared:
        return 0, None
    column = "score" if quantity == SCORE else "fit_s"
    means = float(left.loc[shared, column].mean()), float(right.loc[shared, column].mean())
    return len(shared), means


def _caution(
    results: ReportData, data: PlannedDataset, pair: Sequence[PlannedMethod], runs: int
) -> str:
    """Return that a pair is not comparable with print, or how few runs it has in common, or ""."""
    cells = [results.cell(data.label, method.label) for method in pair]
    if any(cell is not None and cell.not_comparable for cell in cells):
        return CellVerdict.NOT_COMPARABLE
    planned = max((cell.planned for cell in cells if cell), default=0)
    return f"{runs:,}/{planned:,}" if runs < planned else ""
