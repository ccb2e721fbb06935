"""A parsed table before encoding, and what the readers of all text formats share."""

import codecs
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.data.numbers import PLAIN, NumberFormat, formats_of
from boostbench.errors import DataError

# What pandas takes for missing, with ARFF's "?" and KEEL's "<null>".
MISSING_TOKENS = frozenset(
    {
        "", "?", "<null>", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan",
        "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "NULL", "null", "None",
    }
)  # fmt: skip

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Field:
    """What a file's header says of a column: its name and kind.

    ``kind`` is ``numeric``, ``nominal`` (with ``levels``), ``text``, or ``unknown`` where the
    file has no types.
    """

    name: str
    kind: str = "unknown"
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    """A named column of n values.

    Numeric: float64 with NaN where missing, and ``labels`` is None. Otherwise ``labels`` holds n
    strings, or None where missing, ``values`` is empty, and ``nominal`` says whether the file
    itself declares the column so. ``unnamed``: the file gives the column no name. ``formats`` are
    those in which all numbers of the column can be read, None for all formats or where unknown.
    """

    name: str
    values: NDArray[np.float64]
    labels: NDArray[np.object_] | None = None
    nominal: bool = False
    unnamed: bool = False
    formats: frozenset[NumberFormat] | None = None

    def __len__(self) -> int:
        return len(self.values if self.labels is None else self.labels)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether each of the n values is missing."""
        if self.labels is None:
            return np.isnan(self.values)
        return np.array([label is None for label in self.labels], dtype=bool)

    def take(self, rows: NDArray[np.bool_] | slice) -> "Column":
        """Return the column with these rows only."""
        labels = None if self.labels is None else self.labels[rows]
        return replace(
            self, values=self.values[rows] if labels is None else self.values, labels=labels
        )


@dataclass(frozen=True)
class Table:
    """Columns of equal length, where they were read from, and the outputs the file names.

    ``lines`` are the numbers of the lines (of a sheet's rows) that the rows begin in, where one
    file has them all; ``unit`` is what they count. ``remarks`` say what the reader left out.
    """

    columns: tuple[Column, ...]
    where: str
    outputs: tuple[str, ...] = ()
    lines: NDArray[np.int64] | None = None
    unit: str = "line"
    remarks: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        return len(self.columns[0])

    def take(self, rows: NDArray[np.bool_] | slice) -> "Table":
        """Return the table with these rows only."""
        lines = None if self.lines is None else self.lines[rows]
        return replace(self, columns=tuple(c.take(rows) for c in self.columns), lines=lines)

    def line_of(self, row: int) -> str:
        """Return the place of row ``row`` (from 0), as in ``line 7``."""
        if self.lines is None:
            return f"row {row + 1}"
        return f"{self.unit} {self.lines[row]}"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def decode(content: bytes, where: str, encoding: str = "utf-8") -> str:
    """Return ``content`` as text with ``\\n`` line ends.

    :raises DataError: if it is not in ``encoding`` or holds a NUL byte
    """
    try:
        is_utf_8 = codecs.lookup(encoding).name == "utf-8"
        text = content.decode("utf-8-sig" if is_utf_8 else encoding)
    except UnicodeError as error:
        found = "it cannot be decoded"
        if isinstance(error, UnicodeDecodeError):
            byte = f"byte {content[error.start]:#04x} at offset {error.start}"
            found = f"{byte} cannot be decoded"
        likely = "utf-16" if content.startswith(_UTF_16) else "latin-1"
        raise DataError(
            f"{where} is not {encoding} text: {found}; save it as UTF-8, or say what it is, such "
            f"as 'encoding: {likely}'"
        ) from None
    if "\0" in text:
        raise DataError(f"{where} is not a text file: it holds NUL bytes")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_lines(text: str, where: str) -> list[str]:
    """Return the lines of ``text``, a bounded number of bounded length.

    :raises DataError: if there are more than ``bounds.MAX_LINES`` lines, or one is longer than
        ``bounds.MAX_LINE_CHARS``
    """
    n_lines = text.count("\n") + 1
    # Asked before the split: a small archive may hold a billion empty lines.
    if n_lines > bounds.MAX_LINES:
        raise DataError(f"{where} has {n_lines:,} lines; at most {bounds.MAX_LINES:,} are allowed")
    lines = text.split("\n")
    longest = max(map(len, lines))
    if longest > bounds.MAX_LINE_CHARS:
        number = next(i for i, line in enumerate(lines, 1) if len(line) == longest)
        raise DataError(
            f"{where}:{number} is a line of {longest:,} characters; "
            f"at most {bounds.MAX_LINE_CHARS:,} are allowed"
        )
    return lines


def check_width(n_columns: int, where: str) -> None:
    """Refuse a table with more than ``bounds.MAX_COLUMNS`` columns.

    :raises DataError: if it has more
    """
    if n_columns > bounds.MAX_COLUMNS:
        raise DataError(
            f"{where} has more than {bounds.MAX_COLUMNS:,} columns, the most that are allowed"
        )


def check_cells(n_rows: int, n_columns: int, where: str) -> None:
    """Refuse a table with more than ``bounds.MAX_CELLS`` values.

    :raises DataError: if it has more
    """
    if n_rows * n_columns > bounds.MAX_CELLS:
        raise DataError(
            f"{where} has {n_rows:,} rows of {n_columns:,} columns; "
            f"at most {bounds.MAX_CELLS:,} values are allowed"
        )


def column_of_texts(
    name: str,
    texts: Collection[str | None],
    missing: Collection[str],
    number_format: NumberFormat = PLAIN,
) -> Column:
    """Return the column of ``texts``: numeric if all of them but the ``missing`` are numbers."""
    labels = np.empty(len(texts), dtype=object)
    labels[:] = [None if t is None or (s := t.strip()) in missing else s for t in texts]
    values = numbers_of(labels, number_format)
    if values is None:
        return Column(name, np.empty(0), labels)
    return Column(name, values, formats=formats_of({x for x in labels if x is not None}))


def numbers_of(
    labels: NDArray[np.object_], number_format: NumberFormat = PLAIN
) -> NDArray[np.float64] | None:
    """Return (n,) labels as numbers, NaN where they are None; None if one of them is no number."""
    known: dict[str | None, float] = {None: np.nan}
    for label in labels:
        if label not in known:
            number = number_format.number(label)
            if number is None:
                return None
            known[label] = number
    return np.array([known[label] for label in labels], dtype=np.float64)


def with_missing(table: Table, na_values: Collection[str]) -> Table:
    """Return ``table`` with the values that are equal to one of ``na_values`` missing.

    A text that is a number stands for that number, however the file writes it.
    """
    if not na_values:
        return table
    numbers = [n for text in na_values if (n := PLAIN.number(text)) is not None]
    columns = []
    for column in table.columns:
        if column.labels is None:
            gone = np.isin(column.values, numbers)
            if gone.any():
                column = replace(column, values=np.where(gone, np.nan, column.values))
        else:
            labels = column.labels.copy()
            labels[[label in na_values for label in labels]] = None
            column = replace(column, labels=labels)
        columns.append(column)
    return replace(table, columns=tuple(columns))
