"""Cells of LaTeX tables as the rows of a CSV file."""

import csv
import io
from collections.abc import Iterable, Sequence

from boostbench.papers.latex.cells import Cell, Table

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
