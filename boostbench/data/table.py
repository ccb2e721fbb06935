"""A table as a file holds it, before encoding: columns of numbers or of texts."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.errors import DataError
from boostbench.suggest import counted

# What pandas takes for missing, with ARFF's "?" and KEEL's "<null>".
MISSING_TOKENS = frozenset(
    {
        "", "?", "<null>", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan",
        "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "NULL", "null", "None",
    }
)  # fmt: skip
# Beside the blank: no-break, thin and narrow no-break spaces; beside ', the one of typesetting.
THOUSANDS = {",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['’]"}

_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)
_CELLS_A_BLOCK = 500_000

Rows = Callable[[], Iterator[tuple[int, Sequence[str]]]]
"""Gives, each time it is called, the number of each row's line and its values."""


@dataclass(frozen=True)
class TextFormat:
    """How texts write numbers and missing values.

    ``decimal`` is ``.`` or ``,``; ``thousands`` is a key of ``THOUSANDS``, or empty, and separates
    groups of three digits (or, as in India, groups of two before the last three).
    """

    decimal: str = "."
    thousands: str = ""
    missing: frozenset[str] = MISSING_TOKENS

    @cached_property
    def _grouped(self) -> re.Pattern[str]:
        mark = THOUSANDS[self.thousands]
        threes = rf"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+"
        twos = rf"[1-9][0-9]?(?:{mark}[0-9]{{2}})+{mark}[0-9]{{3}}"
        rest = rf"(?:{re.escape(self.decimal)}[0-9]*)?(?:[eE][+-]?[0-9]+)?"
        return re.compile(rf"[+-]?(?:{threes}|{twos}){rest}")

    def number(self, text: str) -> float | None:
        """Return the number that ``text`` is, None if it is none."""
        if self.thousands and self._grouped.fullmatch(text):
            text = re.sub(THOUSANDS[self.thousands], "", text)
        if self.decimal == ",":
            if "." in text:
                return None
            text = text.replace(",", ".")
        return float(text) if _NUMBER.fullmatch(text) else None

    def numbers(self, texts: Sequence[str | None]) -> NDArray[np.float64] | None:
        """Return (n,) texts as numbers, NaN where missing; None if one is neither."""
        with suppress(ValueError, TypeError):
            # Python's own conversion is exact, but takes digits of any script and 1_0.
            whole = "".join(texts)  # type: ignore[arg-type]
            if self.decimal == "." and whole.isascii() and "_" not in whole:
                return np.array(texts, dtype=np.float64)
        known: dict[str | None, float] = {None: np.nan}
        for text in set(texts) - {None}:
            label = text.strip()  # type: ignore[union-attr]
            number = np.nan if label in self.missing else self.number(label)
            if number is None:
                return None
            known[text] = number
        return np.array([known[text] for text in texts], dtype=np.float64)

    def label(self, text: str) -> str | None:
        """Return ``text`` without blanks around it, None where it stands for a missing value."""
        text = text.strip()
        return None if text in self.missing else text


PLAIN = TextFormat()


@dataclass(frozen=True)
class Column:
    """A named column of n values: float64 with NaN where missing, or texts, None where missing.

    ``nominal``: the file itself declares the texts to be levels. ``unnamed``: the file gives the
    column no name.
    """

    name: str
    values: NDArray[Any]
    nominal: bool = False
    unnamed: bool = False

    @property
    def is_text(self) -> bool:
        return self.values.dtype == object

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Whether each of the n values is missing."""
        return np.asarray(pd.isna(self.values))

    def take(self, rows: NDArray[np.bool_] | slice) -> "Column":
        """Return the column with these rows only."""
        return replace(self, values=self.values[rows])


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
        return len(self.columns[0].values)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def take(self, rows: NDArray[np.bool_] | slice) -> "Table":
        """Return the table with these rows only."""
        lines = None if self.lines is None else self.lines[rows]
        return replace(self, columns=tuple(c.take(rows) for c in self.columns), lines=lines)

    def line_of(self, row: int) -> str:
        """Return the place of row ``row`` (from 0), as in ``line 7``."""
        return f"row {row + 1}" if self.lines is None else f"{self.unit} {self.lines[row]}"

    def without(self, na_values: Collection[str]) -> "Table":
        """Return the table with values that are one of ``na_values``, or its number, missing."""
        numbers = [n for text in na_values if (n := PLAIN.number(text)) is not None]
        columns = []
        for column in self.columns:
            if column.is_text:
                values = np.array([None if x in na_values else x for x in column.values], object)
            else:
                values = np.where(np.isin(column.values, numbers), np.nan, column.values)
            columns.append(replace(column, values=values))
        return replace(self, columns=tuple(columns)) if na_values else self


@dataclass(frozen=True)
class Field:
    """What a file says of a column; ``numeric`` is None where it says nothing of its values."""

    name: str
    numeric: bool | None = None
    levels: tuple[str, ...] | None = None
    unnamed: bool = False


def fields_of(names: Sequence[str]) -> list[Field]:
    """Return a field for each name; those without one are called after their place."""
    fields = []
    for i, name in enumerate((" ".join(name.split()) for name in names), 1):
        own = name or f"unnamed_{i}"
        while not name and own in names:
            own += "_"
        fields.append(Field(own, unnamed=not name))
    return fields


def table_of_rows(
    rows: Rows, where: str, fields: Sequence[Field], texts: TextFormat, unit: str = "line"
) -> Table:
    """Return the table of rows with a value for each of ``fields``, read block by block.

    Raises DataError, naming the line, where a row has too few or too many values, or a value is not
    what the file itself declares.
    """
    check_width(len(fields), where)
    lines: list[int] = []
    numbers: dict[int, list[NDArray[np.float64]]] = {
        i: [] for i, each in enumerate(fields) if each.numeric is not False
    }
    for found_lines, columns in _blocks(rows, len(fields), numbers, where):
        lines += found_lines
        check_cells(len(lines), len(fields), where)
        for i in list(numbers):
            found = texts.numbers(columns[i])
            if found is not None:
                numbers[i].append(found)
            elif fields[i].numeric:
                wrong = [texts.numbers([token]) is None for token in columns[i]].index(True)
                raise DataError(
                    f"{where}:{found_lines[wrong]} has {columns[i][wrong].strip()[:40]!r} in "
                    f"column {fields[i].name!r}, which its header declares numeric; list it under "
                    "na_values: if it means missing"
                )
            else:
                del numbers[i]
    if not lines:
        raise DataError(f"{where} has no rows")
    labels: dict[int, list[str | None]] = {i: [] for i in range(len(fields)) if i not in numbers}
    if labels:
        # A level that the header declares, such as None, is not missing.
        levels = {i: frozenset(fields[i].levels or ()) for i in labels}
        readers = {i: replace(texts, missing=texts.missing - levels[i]) for i in labels}
        for _, columns in _blocks(rows, len(fields), labels, where):
            for i, found_labels in labels.items():
                found_labels += map(readers[i].label, columns[i])
    made = []
    for i, each in enumerate(fields):
        values = np.concatenate(numbers[i]) if i in numbers else np.array(labels[i], dtype=object)
        unknown = set(labels.get(i, ())) - set(each.levels or ()) - {None}
        if each.levels and unknown:
            wrong = next(j for j, label in enumerate(labels[i]) if label in unknown)
            raise DataError(
                f"{where}:{lines[wrong]} has {str(labels[i][wrong])[:40]!r} in column "
                f"{each.name!r}, which is not among the levels its header declares"
            )
        made.append(Column(each.name, values, each.levels is not None, each.unnamed))
    # Names of rows stand in the first column, and rows may end with a separator.
    stray = {c.name for c in made[1:] if c.unnamed and not c.missing.all()}
    check_names(["" if column.name in stray else column.name for column in made], where)
    return Table(tuple(made), where, lines=np.array(lines, dtype=np.int64), unit=unit)


def _blocks(
    rows: Rows, width: int, wanted: Collection[int], where: str
) -> Iterator[tuple[list[int], dict[int, list[str]]]]:
    """Yield line numbers and columns of so many rows at a time; refuse those of another width."""
    remaining = rows()
    while part := list(islice(remaining, max(1, _CELLS_A_BLOCK // width))):
        for line, row in part:
            if len(row) != width:
                raise DataError(
                    f"{where}:{line} has {counted(len(row), 'value')}, but the header or first row "
                    f"has {width:,}; where that is a comment or a title, remove it"
                )
        yield [line for line, _ in part], {i: [row[i] for _, row in part] for i in wanted}


def table_of_arrays(
    X: NDArray[np.float64], y: NDArray[np.float64], where: str, names: Sequence[str] = ()
) -> Table:
    """Return the table of ``X`` (n, p) and, as its last column, ``target``, ``y`` (n,)."""
    check_cells(len(X), X.shape[1], where)
    names = names or [f"x{j}" for j in range(1, X.shape[1] + 1)]
    by_column = np.ascontiguousarray(X.T, dtype=np.float64)
    columns = [Column(name, values) for name, values in zip(names, by_column, strict=True)]
    return Table((*columns, Column("target", np.asarray(y, dtype=np.float64))), where, ("target",))


def check_names(names: Sequence[str], where: str) -> None:
    """Raise DataError for columns without a name, or several of one name, naming all of them."""
    at: dict[str, list[str]] = {}
    for i, name in enumerate(names, 1):
        at.setdefault(name, []).append(str(i))
    wrong = [
        f"two columns named {name[:60]!r} (columns {', '.join(places[:20])})"
        for name, places in at.items()
        if name and len(places) > 1
    ]
    if "" in at:
        wrong.insert(0, f"an unnamed column (column {', '.join(at[''][:20])})")
    if wrong:
        raise DataError(
            f"{where} has {' and '.join(wrong[:20])}; give each column a name of its own in the "
            "first row, without a title above it"
        )


def check_width(n_columns: int, where: str) -> None:
    """Raise DataError for a table with more than ``bounds.MAX_COLUMNS`` columns."""
    if n_columns > bounds.MAX_COLUMNS:
        raise DataError(f"{where} has more than {bounds.MAX_COLUMNS:,} columns, the most allowed")


def check_cells(n_rows: int, n_columns: int, where: str) -> None:
    """Raise DataError for a table with more than ``bounds.MAX_CELLS`` values."""
    if n_rows * n_columns > bounds.MAX_CELLS:
        size = f"{n_rows:,} rows of {n_columns:,} columns"
        raise DataError(f"{where} has {size}; at most {bounds.MAX_CELLS:,} values are allowed")
