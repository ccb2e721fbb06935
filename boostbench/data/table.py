"""A table as a file holds it, before encoding: a pandas frame of numbers and of texts."""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.errors import DataError
from boostbench.suggest import counted

# The marks that pandas reads as missing, with ARFF's "?" and KEEL's "<null>".
MISSING = frozenset(
    {
        "", "?", "<null>", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan",
        "NAN", "Nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "NULL", "null",
        "None",
    }
)  # fmt: skip
# What is missing however the key na_values is set.
EMPTY = frozenset({""})
# Beside the blank: no-break, thin and narrow no-break spaces; beside ', the one of typesetting.
THOUSANDS = {",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['’]"}

_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity)", re.IGNORECASE
)
# Pandas is slow if it gets more characters at a time than it asks for.
_ROWS_A_PIECE = 10

Rows = Callable[[], Iterator[tuple[int, str]]]
"""Gives, each time it is called, the number of each row's first line, and its text."""


@dataclass(frozen=True)
class TextFormat:
    """How texts write numbers and missing values.

    ``decimal`` is ``.`` or ``,``; ``thousands`` is a key of ``THOUSANDS``, or empty, and separates
    groups of three digits (or, as in India, groups of two before the last three).
    """

    decimal: str = "."
    thousands: str = ""
    missing: frozenset[str] = MISSING

    @cached_property
    def _grouped(self) -> re.Pattern[str]:
        mark = THOUSANDS[self.thousands]
        threes = rf"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+"
        twos = rf"[1-9][0-9]?(?:{mark}[0-9]{{2}})+{mark}[0-9]{{3}}"
        rest = rf"(?:{re.escape(self.decimal)}[0-9]*)?(?:[eE][+-]?[0-9]+)?"
        return re.compile(rf"[+-]?(?:{threes}|{twos}){rest}")

    def number(self, text: str) -> float | None:
        """Return ``text`` as a number, None if it is none."""
        if self.thousands and self._grouped.fullmatch(text):
            text = re.sub(THOUSANDS[self.thousands], "", text)
        if self.decimal == ",":
            text = text.translate({ord(","): ".", ord("."): ","})
        return float(text) if _NUMBER.fullmatch(text) else None

    def numbers(self, texts: pd.Series) -> pd.Series | None:
        """Return texts as numbers, NaN where missing; None if one is no number."""
        known = {text: self.number(text) for text in texts.dropna().unique()}
        return None if None in known.values() else texts.map(known).astype(np.float64)


PLAIN = TextFormat()


@dataclass(frozen=True)
class Separated:
    """How values of a row are separated; a blank as separator means any number of blanks."""

    separator: str
    quote: str = '"'
    escape: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options of Python's reader, which pandas' has under the same names."""
        return {"quotechar": self.quote, "escapechar": self.escape, "skipinitialspace": True}

    def split(self, row: str, place: str) -> list[str]:
        """Return the values of a row; DataError naming ``place`` for a quote that is not closed."""
        if self.quote not in row and (self.escape or self.quote) not in row:
            return row.split(self.separator)
        reader = csv.reader([row, ""], delimiter=self.separator, **self.options)
        with suppress(csv.Error):
            values = next(reader)
            if reader.line_num == 1:
                return values
        within = f"{csv.field_size_limit():,} characters; close it, or take it out"
        raise DataError(f"{place} opens a quote ({self.quote}) that is not closed within {within}")


def is_text(column: pd.Series) -> bool:
    """Return whether a column of a table holds texts; else it is of float64."""
    return column.dtype != np.float64


@dataclass(frozen=True)
class Table:
    """A frame of numbers (float64), texts, and categories where the file itself declares levels.

    ``where`` is its origin, and ``outputs`` are the outputs that the file names. ``unnamed`` are
    the columns without a name in the file. ``lines`` are the numbers of the first line (or sheet
    row) of each row, where one file has them all; ``unit`` is "line" or "row". ``remarks`` report
    parts that the reader left out. ``marks`` are the texts that were read as missing, by column,
    with the number of each; ``nulls`` those by which the format itself means missing. ``dates`` are
    the columns that the file declares as such. ``read_texts`` returns columns as the file has them,
    without blanks around their texts.
    """

    frame: pd.DataFrame
    where: str
    outputs: tuple[str, ...] = ()
    unnamed: frozenset[str] = frozenset()
    lines: Sequence[int] | None = None
    unit: str = "line"
    remarks: tuple[str, ...] = ()
    marks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    nulls: frozenset[str] = EMPTY
    dates: frozenset[str] = frozenset()
    read_texts: Callable[[Sequence[str]], pd.DataFrame] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [str(name) for name in self.frame]

    def line_of(self, row: int) -> str:
        """Return the place of row ``row`` (from 0), as in ``line 7``."""
        return f"row {row + 1}" if self.lines is None else f"{self.unit} {self.lines[row]}"

    def without(self, na_values: Collection[str]) -> "Table":
        """Return the table with values that are one of ``na_values``, or its number, missing."""
        numbers = [n for text in na_values if (n := PLAIN.number(text)) is not None]
        found = self.frame.isin([*na_values, *numbers])
        marks = {name: Counter(counts) for name, counts in self.marks.items()}
        for name in found.columns[found.any()]:
            values = self.frame[name][found[name]]
            texts = values if is_text(values) else values.map("{:.15g}".format)
            marks.setdefault(str(name), Counter()).update(texts)
        return replace(self, frame=self.frame.mask(found), marks=marks)

    def with_texts_of(self, names: Iterable[str]) -> "Table":
        """Return the table with the texts of the file in place of numbers in these columns."""
        numeric = [name for name in names if not is_text(self.frame[name])]
        if self.read_texts is None or not numeric:
            return self
        texts, frame = self.read_texts(numeric), self.frame.copy(deep=False)
        for name in numeric:
            frame[name] = texts[name].astype("str").where(self.frame[name].notna())
        return replace(self, frame=frame)

    def renamed(self, names: Sequence[str], rows: tuple[int, int] | None) -> "Table":
        """Return the table with these column names, if any, and of its rows this range, if any."""
        frame, lines, unnamed, has = self.frame, self.lines, self.unnamed, f"{self.where} has"
        if names:
            if len(names) != (found := frame.shape[1]):
                raise DataError(f"{has} {found} columns, but {len(names)} are expected")
            frame, unnamed = frame.set_axis(list(names), axis=1), frozenset()
        if rows is not None:
            if len(frame) < rows[1]:
                raise DataError(f"{has} {len(frame)} rows, but at least {rows[1]} are expected")
            frame = frame[slice(*rows)].reset_index(drop=True)
            lines = lines and lines[slice(*rows)]
        return replace(self, frame=frame, lines=lines, unnamed=unnamed)


@dataclass(frozen=True)
class Field:
    """A column as a file declares it; ``numeric`` is None where the type is not declared.

    A date is not numeric.
    """

    name: str
    numeric: bool | None = None
    levels: tuple[str, ...] = ()
    unnamed: bool = False
    date: bool = False


class _Feed(io.TextIOBase):
    """Rows as a file that pandas reads piece by piece, checked; ``lines`` gets their numbers."""

    def __init__(self, rows: Iterable[tuple[int, str]], where: str, width: int, how: Separated):
        self._rows, self._where, self._width, self._how = iter(rows), where, width, how
        self.lines: list[int] = []

    def read(self, size: int | None = -1) -> str:
        """Return the next rows, whatever their size."""
        piece = []
        for line, row in islice(self._rows, _ROWS_A_PIECE):
            width = len(self._how.split(row, f"{self._where}:{line}"))
            if width != self._width:
                first = f"the header or first row has {self._width:,}"
                advice = "where that is a comment or a title, remove it"
                has = f"{self._where}:{line} has {counted(width, 'value')}"
                raise DataError(f"{has}, but {first}; {advice}")
            self.lines.append(line)
            piece.append(f"{row}\n")
        return "".join(piece)


def table_of_rows(
    rows: Rows, where: str, fields: Sequence[Field], texts: TextFormat, how: Separated
) -> Table:
    """Return the table of rows with a value for each of ``fields``, by pandas' reader.

    Raises DataError, naming the line, where a row has too few or too many values, or a value
    contradicts the file's own declarations.
    """
    kinds: dict[bool, type[np.float64] | type[str]] = {True: np.float64, False: str}
    types = {i: kinds[f.numeric] for i, f in enumerate(fields) if f.numeric is not None}
    # A level that the header declares, such as None, is not missing.
    missing: Any = {i: texts.missing.difference(f.levels) for i, f in enumerate(fields)}

    def read(dtype: Any) -> tuple[pd.DataFrame, list[int]]:
        feed = _Feed(rows(), where, len(fields), how)
        frame: pd.DataFrame = pd.read_csv(
            feed, sep=how.separator, header=None, names=range(len(fields)), index_col=False,
            na_values=missing, keep_default_na=False, dtype=dtype,
            low_memory=len(types) == len(fields), **how.options,
        )  # fmt: skip
        return frame, feed.lines

    try:
        frame, lines = read(str if texts.decimal == "," or texts.thousands else types)
        # Pandas reads integers of more than 64 bits as Python does, for which 1_0 is 10.
        objects = [column for _, column in frame.items() if column.dtype == "object"]
        if "integer" in map(pd.api.types.infer_dtype, objects):
            frame, lines = read(str)
    except ValueError:
        # A number in another notation, or none: handled below, as texts.
        frame, lines = read(str)
    if not lines:
        raise DataError(f"{where} has no rows")
    columns, names = [], []
    for i, each in enumerate(fields):
        column = _as_declared(frame[i], each, texts)
        if is_text(column) and (each.numeric or each.levels):
            problem = "is not among the levels its header declares"
            right = column.isin(each.levels) | column.isna()
            if each.numeric:
                problem = "its header declares numeric; name it in na_values: if it means missing"
                right |= column.map(texts.number, "ignore").notna()
            if not right.all():
                row = int(np.argmin(right))
                value = f"{str(column[row])[:40]!r} in column {each.name!r}"
                raise DataError(f"{where}:{lines[row]} has {value}, which {problem}")
            column = column.astype("category")
        columns.append(column)
        # Row names are in the first column, and rows may end with a separator.
        names.append("" if each.unnamed and i and column.notna().any() else each.name)
    del frame
    names = check_names(names, where)
    unnamed = frozenset(in_one_form(each.name) for each in fields if each.unnamed)
    dates = frozenset(in_one_form(each.name) for each in fields if each.date)

    def read_texts(wanted: Sequence[str]) -> pd.DataFrame:
        places = [names.index(name) for name in wanted]
        split = (how.split(row, f"{where}:{line}") for line, row in rows())
        cells = [[values[i].strip() for i in places] for values in split]
        return pd.DataFrame(cells, columns=list(wanted), dtype="str")

    table = pd.concat(columns, axis=1, keys=names)
    marks = _marks_of(table, rows, how)
    return Table(
        table, where, unnamed=unnamed, lines=lines, marks=marks, dates=dates, read_texts=read_texts
    )


def _marks_of(frame: pd.DataFrame, rows: Rows, how: Separated) -> dict[str, Counter[str]]:
    """Return the texts of the rows that are missing in ``frame``, by column, and their numbers."""
    places = {str(name): i for i, name in enumerate(frame) if frame[name].hasnans}
    marks: dict[str, Counter[str]] = {name: Counter() for name in places}
    gaps = frame[list(marks)].isna().to_numpy()
    for gaps_of_row, (_, row) in zip(gaps, rows(), strict=True) if marks else ():
        if gaps_of_row.any():
            values = how.split(row, "")
            for name, gap in zip(marks, gaps_of_row, strict=True):
                if gap:
                    marks[name][values[places[name]].strip()] += 1
    return marks


def _as_declared(column: pd.Series, field: Field, texts: TextFormat) -> pd.Series:
    """Return what pandas read as float64, else as texts without blanks around them."""
    if column.dtype.kind in "iuf" and field.numeric is not False:
        return column.astype(np.float64)
    words = column.astype("str").str.strip()
    words = words.mask(words.isin(texts.missing.difference(field.levels)))
    numbers = None if field.numeric is False else texts.numbers(words)
    return words if numbers is None else numbers


def table_of_arrays(
    X: NDArray[np.float64], y: NDArray[np.float64], where: str, names: Sequence[str] = ()
) -> Table:
    """Return the table of ``X`` (n, p) and, as its last column, ``target``, ``y`` (n,)."""
    frame = pd.DataFrame(X)
    frame.columns = pd.Index(names or [f"x{j}" for j in range(1, X.shape[1] + 1)])
    frame["target"] = y
    return Table(frame, where, ("target",))


def in_one_form(name: str) -> str:
    """Return a name with each accented letter encoded as one character (Unicode's form NFC)."""
    return unicodedata.normalize("NFC", name)


def check_names(names: Sequence[str], where: str) -> list[str]:
    """Return the names of columns in one form.

    Raises DataError for columns without a name or with equal names, naming all of them.
    """
    at: dict[str, list[int]] = {"": []}
    for i, name in enumerate(names):
        at.setdefault(in_one_form(name), []).append(i)
    wrong = []
    for name, places in at.items():
        what = f"two columns named {name[:60]!r} (columns" if name else "an unnamed column (column"
        if len({names[i] for i in places}) > 1:
            what = f"two encodings of the same name {name[:60]!r} (columns"
        if len(places) > bool(name):
            wrong.append(f"{what} {', '.join(str(i + 1) for i in places[:20])})")
    if wrong:
        advice = "give each column a name of its own; a first row of names has no title above it"
        raise DataError(f"{where} has {' and '.join(wrong[:20])}; {advice}")
    return [in_one_form(name) for name in names]


def check_cells(n_rows: int, n_columns: int, where: str) -> None:
    """Raise DataError for a table with more than ``bounds.MAX_CELLS`` values."""
    if n_rows * n_columns > bounds.MAX_CELLS:
        size = f"{n_rows:,} rows of {n_columns:,} columns"
        raise DataError(f"{where} has {size}; at most {bounds.MAX_CELLS:,} values are allowed")
