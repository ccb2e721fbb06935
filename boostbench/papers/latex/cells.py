"""The cells of a LaTeX file's tables: digits, spreads, paths of rows and columns, and doubts."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from pylatexenc.latexwalker import LatexWalkerError

from boostbench.errors import ConfigError
from boostbench.papers.latex.grid import PLUS_MINUS, Grid, grid_of
from boostbench.papers.latex.layout import Layout, RowName, layout_of
from boostbench.papers.latex.numbers import Number, read_numbers
from boostbench.papers.latex.source import Place, Source
from boostbench.papers.latex.text import UNKNOWN, name_of, nodes_of, printed

DUPLICATE = "duplicate name"
UNKNOWN_COMMAND = "unknown command"
INNER_HEADER = "below inner header"
SEVERAL_CELLS = "over several cells"
NO_ROW_NAME = "row without a name"
NO_COLUMN_NAME = "column without a name"
NAME_FROM_ABOVE = "name from above"
BEFORE_HEADING = "before a heading with this name"
UNSURE_HEADING = "below an unsure heading"
SPREAD_ALONE = "spread without a value"


@dataclass(frozen=True)
class Cell:
    """A printed number, its row and its column by their paths, and why it is not sure."""

    row: tuple[str, ...]
    column: tuple[str, ...]
    value: str
    spread: str
    doubt: str
    place: Place
    is_percent: bool = False


@dataclass(frozen=True)
class Table:
    """A table of a source: its cells, and sentences on what is doubtful in all of it."""

    number: int
    caption: str
    label: str
    place: Place
    cells: Sequence[Cell]
    doubts: Sequence[str]


def read_tables(path: Path) -> tuple[list[Table], list[str]]:
    """Return the tables of a LaTeX file, and remarks on it; ConfigError if it has none."""
    source = Source(path)
    sources = source.tables()
    if not sources:
        raise ConfigError(
            f"{path}: there is no table, such as a tabular or a longtable, in this file; name the "
            "LaTeX file that has the tables"
        )
    tables = []
    for number, each in enumerate(sources, 1):
        try:
            cells, doubts = cells_of(layout_of(grid_of(each)))
        except (LatexWalkerError, RecursionError):
            raise ConfigError(
                f"{each.places[0]}: the table that begins here cannot be read; close its braces, "
                "dollar signs and environments"
            ) from None
        caption = name_of(printed(nodes_of(each.caption)))
        tables.append(Table(number, caption, each.label, each.places[0], cells, doubts))
    return tables, source.remarks


def read_paper_text(path: Path) -> tuple[str, str]:
    """Return the title and the authors that a LaTeX file gives, "" where it does not."""
    source = Source(path)
    return source.argument_of("title"), source.argument_of("author")


def cells_of(layout: Layout) -> tuple[list[Cell], list[str]]:
    """Return the cells of a table in their order, and sentences on its doubts."""
    reader = _Reader(layout)
    cells = [cell for row in layout.results for cell in reader.cells_of_row(row)]
    return cells, [*layout.doubts, *reader.doubts()]


class _Reader:
    """Reads the cells of a table, whose names it knows."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._grid: Grid = layout.grid
        self._columns = [c for c in range(self._grid.width) if c not in layout.labels]
        self._names = {row: layout.row_name(row) for row in layout.results}
        self._spreads = _rows_of_spreads(layout, self._columns)
        counted = [row for row in layout.results if self._has_numbers(row)]
        self._rows_of_name = Counter(self._row_key(row) for row in counted)
        headers = [layout.header, *layout.inner_headers]
        self._columns_of = {header: self._names_of_columns(header) for header in headers}

    def _has_numbers(self, row: int) -> bool:
        is_counted = row not in self._spreads.values()
        return is_counted and any(self._numbers(row, c) for c in self._columns)

    def _row_key(self, row: int) -> tuple[range, tuple[str, ...]]:
        return self._layout.header_of(row), self._names[row].path

    def _numbers(self, row: int, column: int) -> Sequence[Number]:
        """Return the numbers in a place, also if they begin in another one."""
        return read_numbers(self._grid.text(row, column), self._layout.decimal_comma) or ()

    def cells_of_row(self, row: int) -> Iterator[Cell]:
        """Yield the cells of a row; a number over several columns or rows is in each of them."""
        if row in self._spreads.values():
            return
        names, of_name = self._columns_of[self._layout.header_of(row)]
        name = self._names[row]
        for column in self._columns:
            for number in self._numbers(row, column):
                number = self._with_spread_below(number, row, column)
                doubt = (
                    number.doubt
                    or self._doubt_of_place(row, column)
                    or _doubt_of_names(name, names[column])
                    or (DUPLICATE if of_name[names[column]] > 1 else "")
                    or (DUPLICATE if _lacks_a_group(names[column], of_name) else "")
                )
                yield self._cell(number, row, column, names[column], doubt)

    def _names_of_columns(
        self, header: range
    ) -> tuple[dict[int, tuple[str, ...]], Counter[tuple[str, ...]]]:
        """Return the names of the columns below a header, and how many with numbers have each."""
        names = {c: self._layout.column_name(c, header) for c in self._columns}
        rows = [row for row in self._layout.results if self._layout.header_of(row) == header]
        numeric = [c for c in self._columns if any(self._numbers(row, c) for row in rows)]
        return names, Counter(names[c] for c in numeric)

    def _with_spread_below(self, number: Number, row: int, column: int) -> Number:
        """Return a number with the spread that is printed in the row below it."""
        below = self._numbers(self._spreads[row], column) if row in self._spreads else ()
        return replace(number, spread=below[0].spread) if below and not number.spread else number

    def _cell(
        self, number: Number, row: int, grid_column: int, column: tuple[str, ...], doubt: str
    ) -> Cell:
        if number.part and column:
            column = (*column[:-1], f"{column[-1]}#{number.part}")
        place = self._grid.rows[row].place
        path = self._names[row].path
        value, spread = number.value, number.spread
        if not value:
            doubt = SPREAD_ALONE
            is_spread = PLUS_MINUS in self._grid.text(row, grid_column)
            value, spread = ("", spread) if is_spread else (spread, "")
        return Cell(path, column, value, spread, doubt, place, number.is_percent)

    def _doubt_of_place(self, row: int, column: int) -> str:
        """Return why the place of a number is doubtful, "" if it is not."""
        if self._grid.covered(row, column) > 1:
            return SEVERAL_CELLS
        if self._layout.header_of(row) != self._layout.header:
            return INNER_HEADER
        if UNKNOWN.search(self._grid.text(row, column)):
            return UNKNOWN_COMMAND
        if self._rows_of_name[self._row_key(row)] > 1:
            return DUPLICATE
        if row in self._layout.unsure_sections:
            return UNSURE_HEADING
        if self._comes_again_below_a_heading(row):
            return BEFORE_HEADING
        return ""

    def _comes_again_below_a_heading(self, row: int) -> bool:
        """Return whether a row above all headings has the name of one below a heading."""
        sections = self._layout.sections
        if sections[row]:
            return False
        own = self._names[row].path
        others = [r for r in sections if sections[r]]
        return any(self._names[r].path[len(sections[r]) :] == own for r in others)

    def doubts(self) -> Iterator[str]:
        """Yield a sentence on each column with cells that are neither numbers nor missing."""
        if self._layout.decimal_comma:
            yield "the commas of the numbers were taken as those of decimals"
        for column in self._columns:
            texts = [row for row in self._layout.results if self._is_text(row, column)]
            if texts:
                first = texts[0]
                name = " | ".join(self._layout.column_name(column, self._layout.header))
                yield (
                    f"{self._grid.rows[first].place}: '{self._grid.text(first, column)[:40]}' is "
                    f"text, as are {len(texts)} in all of the column '{name}', and is no cell"
                )

    def _is_text(self, row: int, column: int) -> bool:
        is_own = self._grid.begins(row, column) and bool(self._grid.text(row, column))
        return is_own and self._layout.numbers[row][column] is None


def _lacks_a_group(name: tuple[str, ...], others: Iterable[tuple[str, ...]]) -> bool:
    """Return whether another column has the same name below that of a group."""
    return any(len(other) > len(name) and other[-len(name) :] == name for other in others)


def _doubt_of_names(row: RowName, column: tuple[str, ...]) -> str:
    """Return why the names of a cell are doubtful, "" if they are not."""
    if UNKNOWN.search(" ".join([*row.path, *column])):
        return UNKNOWN_COMMAND
    if not row.path:
        return NO_ROW_NAME
    if row.is_from_above:
        return NAME_FROM_ABOVE
    return "" if column else NO_COLUMN_NAME


def _rows_of_spreads(layout: Layout, columns: Sequence[int]) -> dict[int, int]:
    """Return the rows whose spreads, and nothing else, are in the row below: row to row below."""
    found = {}
    rows = layout.results
    for above, row in pairwise(rows):
        read = [layout.numbers[row][c] for c in columns]
        numbers = [each[0] for each in read if each]
        are_spreads = bool(numbers) and not any(number.value for number in numbers)
        if are_spreads and _is_unnamed(layout, row):
            found[above] = row
    return found


def _is_unnamed(layout: Layout, row: int) -> bool:
    """Return whether the label of a row is empty, or says that it has spreads."""
    own = [c for c in layout.labels if layout.grid.begins(row, c)]
    label = " ".join(layout.grid.text(row, c) for c in own)
    return not label.strip() or "±" in label or label.strip(" ().").lower() in _SPREADS


_SPREADS = ("sd", "std", "s.d", "se", "s.e", "sem", "std. dev", "std. err")


COLUMNS = ("table", "row", "column", "value", "spread", "doubt", "line")
BETWEEN = " | "
"""This stands between the levels of a path."""


def path_text(path: Sequence[str]) -> str:
    """Return the path of a row or a column as one text."""
    return BETWEEN.join(path)


def cells_as_csv(tables: Iterable[Table], file: str) -> str:
    """Return the cells of tables as CSV; a line of another file than ``file`` has its name."""
    rows = [_row(table, cell, file) for table in tables for cell in table.cells]
    return as_csv(COLUMNS, rows)


def _row(table: Table, cell: Cell, file: str) -> list[str]:
    line = str(cell.place.line) if cell.place.file == file else str(cell.place)
    names = [path_text(cell.row), path_text(cell.column)]
    return [str(table.number), *names, cell.value, cell.spread, cell.doubt, line]


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows as the text of a CSV file."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
