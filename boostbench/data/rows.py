"""From the rows of a text file to a table, by pandas' reader."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypedDict

import numpy as np
import pandas as pd

from boostbench.data.table import TEXT, Table, check_names, in_one_form, is_text
from boostbench.data.text_format import TextFormat
from boostbench.data.text_kinds import are_codes
from boostbench.errors import DataError
from boostbench.suggest import counted, listing

# Pandas is slow if it gets more characters at a time than it asks for.
_ROWS_A_PIECE = 10
# Before version 3.1 pandas' own converter misses the nearest float64 in many last digits.
_IS_EXACT = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)


class TextRow(NamedTuple):
    """A row of a file: the number of its first line, its text, and how many values it has.

    The number of values is None where a quote is not closed.
    """

    line: int
    text: str
    width: int | None

    @property
    def lines(self) -> str:
        """The first and the last line, "" where it has only one."""
        more = self.text.count("\n")
        return f"{self.line:,} to {self.line + more:,}" if more else ""


TextRows = Callable[[], Iterator[TextRow]]
"""Gives, each time it is called, each row of a file."""


class _ReaderOptions(TypedDict):
    quotechar: str
    escapechar: str | None
    skipinitialspace: bool


@dataclass(frozen=True)
class Separated:
    """How values of a row are separated; a blank as separator means any number of blanks."""

    separator: str
    quote: str = '"'
    escape: str | None = None

    @property
    def options(self) -> _ReaderOptions:
        """The options of Python's reader, which pandas' has under the same names."""
        return {"quotechar": self.quote, "escapechar": self.escape, "skipinitialspace": True}

    def is_simple(self, row: str) -> bool:
        """Return whether each separator in a row separates two values."""
        return self.quote not in row and (self.escape or self.quote) not in row

    def width(self, row: str) -> int | None:
        """Return how many values a row has, None where a quote is not closed."""
        if self.is_simple(row):
            return row.count(self.separator) + 1
        values = self._split_quoted(row)
        return None if values is None else len(values)

    def split(self, row: str, place: str) -> list[str]:
        """Return the values of a row; DataError naming ``place`` for a quote that is not closed."""
        values = row.split(self.separator) if self.is_simple(row) else self._split_quoted(row)
        if values is None:
            raise self.not_closed(place)
        return values

    def _split_quoted(self, row: str) -> list[str] | None:
        reader = csv.reader([row, ""], delimiter=self.separator, **self.options)
        with suppress(csv.Error):
            values = next(reader)
            # The reader takes what follows where a quote is not closed.
            if reader.line_num == 1:
                return values
        return None

    def not_closed(self, place: str) -> DataError:
        """Return the error of a row, at ``place``, with a quote that is not closed."""
        return DataError(
            f"{place} opens a quote ({self.quote}) that is not closed within "
            f"{csv.field_size_limit():,} characters; close it, or take it out"
        )


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
    """Rows as a file that pandas reads piece by piece, checked.

    ``lines`` gets their numbers, and ``spans`` the lines of those that have several.
    """

    def __init__(self, rows: Iterable[TextRow], where: str, width: int, how: Separated) -> None:
        self._rows = iter(rows)
        self._where = where
        self._width = width
        self._how = how
        self.lines: list[int] = []
        self.spans: list[str] = []

    def read(self, size: int | None = -1) -> str:
        """Return the next rows, whatever their size."""
        piece = []
        for row in islice(self._rows, _ROWS_A_PIECE):
            if row.width is None:
                raise self._how.not_closed(f"{self._where}:{row.line}")
            if row.width != self._width:
                raise DataError(
                    f"{self._where}:{row.line} has {counted(row.width, 'value')}, but the header "
                    f"or first row has {self._width:,}; where that is a comment or a title, remove "
                    "it"
                )
            self.lines.append(row.line)
            if "\n" in row.text:
                self.spans.append(row.lines)
            piece.append(f"{row.text}\n")
        return "".join(piece)


def table_of_rows(
    rows: TextRows, where: str, fields: Sequence[Field], texts: TextFormat, how: Separated
) -> Table:
    """Return the table of rows with a value for each of ``fields``.

    Raises DataError, naming the line, where a row has too few or too many values, or a value
    contradicts the file's own declarations.
    """
    frame, feed = _read(rows, where, fields, texts, how)
    lines = feed.lines
    if not lines:
        raise DataError(f"{where} has no rows")
    columns = []
    for i, each in enumerate(fields):
        column = _numbers_or_texts(frame[str(i)], each, texts)
        if is_text(column) and (each.numeric or each.levels):
            _check_declared(column, each, texts, where, lines)
            column = column.astype("category")
        columns.append(column)
    del frame
    names = check_names(_names_of(fields, columns), where)
    table = pd.concat(columns, axis=1, keys=names)

    def read_texts(wanted: Sequence[str]) -> pd.DataFrame:
        texts_of: dict[str, list[str]] = {name: [] for name in wanted}
        places = [names.index(name) for name in wanted]
        for row in rows():
            values = how.split(row.text, f"{where}:{row.line}")
            for name, place in zip(wanted, places, strict=True):
                texts_of[name].append(values[place].strip())
        return pd.DataFrame(texts_of, dtype=TEXT)

    def find_codes() -> Collection[str]:
        """Return the undeclared columns of whole numbers, if some begin with a zero."""
        places = {
            place: name
            for place, name in enumerate(names)
            if fields[place].numeric is None and _are_whole(table[name])
        }
        found: set[str] = set()
        # Most rows of most files have none.
        zero_first = re.compile(f"[{re.escape(how.separator + how.quote)} ]0[0-9]")
        for row in rows() if places else ():
            if zero_first.search(how.separator + row.text):
                values = how.split(row.text, f"{where}:{row.line}")
                found |= {name for at, name in places.items() if are_codes([values[at].strip()])}
        return found

    return Table(
        table,
        where,
        unnamed=frozenset(in_one_form(each.name) for each in fields if each.unnamed),
        lines=lines,
        remarks=_remarks_on_spans(feed.spans, len(lines)),
        marks=_marks_of(table, rows, how, texts),
        dates=frozenset(in_one_form(each.name) for each in fields if each.date),
        read_texts=read_texts,
        find_codes=find_codes,
    )


def _remarks_on_spans(spans: Sequence[str], n_rows: int) -> tuple[str, ...]:
    """Return which lines quoted values join to one row: by mistake, if a quote is a lone one."""
    if not spans:
        return ()
    what = "a quoted value spans" if len(spans) == 1 else f"{len(spans):,} quoted values span"
    return (
        f"{what} the lines {listing(spans, 5)}, so that {counted(n_rows, 'row')} were read (where "
        "such a quote is none, take it out or double it)",
    )


def _are_whole(column: pd.Series) -> bool:
    """Return whether a column of a table has whole numbers of 0 or more alone."""
    if is_text(column):
        return False
    values = column.to_numpy()
    known = values[~np.isnan(values)]
    return bool((known >= 0).all() and (known == np.floor(known)).all())


def _names_of(fields: Sequence[Field], columns: Sequence[pd.Series]) -> list[str]:
    """Return the names of columns, "" where a column needs one and has none.

    Names of rows, in the first column, need none, nor does the nothing after a last separator.
    """
    names = []
    for i, (each, column) in enumerate(zip(fields, columns, strict=True)):
        needs_name = i > 0 and column.notna().any()
        names.append("" if each.unnamed and needs_name else each.name)
    return names


def _read(
    rows: TextRows, where: str, fields: Sequence[Field], texts: TextFormat, how: Separated
) -> tuple[pd.DataFrame, _Feed]:
    """Return the frame of the rows, columns by number, and the feed with the lines of each row.

    Columns with a number in another notation than pandas', or none among numbers, are of texts.
    """
    columns = {str(i): each for i, each in enumerate(fields)}
    types: dict[str, type] = {
        i: np.float64 if each.numeric else str
        for i, each in columns.items()
        if each.numeric is not None
    }
    # A level that the header declares, such as None, is not missing.
    missing = {
        i: _in_all_spellings(texts.missing.difference(each.levels)) for i, each in columns.items()
    }

    def read(dtype: type | Mapping[str, type]) -> tuple[pd.DataFrame, _Feed]:
        feed = _Feed(rows(), where, len(fields), how)
        frame: pd.DataFrame = pd.read_csv(
            feed,
            sep=how.separator,
            header=None,
            names=[*columns],
            index_col=False,
            na_values=missing,
            keep_default_na=False,
            dtype=dtype,
            low_memory=len(types) == len(fields),
            float_precision=None if _IS_EXACT else "round_trip",
            **how.options,
        )
        return frame, feed

    if texts.decimal == "," or texts.thousands:
        return read(str)
    try:
        frame, feed = read(types)
    except ValueError:
        return read(str)
    undeclared = [frame[i] for i in columns if i not in types]
    if any(map(_are_long_integers, undeclared)):
        return read(str)
    return frame, feed


def _are_long_integers(column: pd.Series) -> bool:
    """Return whether a column has whole numbers only, of which some do not fit into 64 bits.

    Pandas reads these as Python does, for which 1_0 is 10; before version 3 it leaves them texts.
    """
    known = column.dropna()
    return column.dtype == "object" and len(known) > 0 and all(map(_is_integer, known))


def _is_integer(value: object) -> bool:
    if not isinstance(value, str):
        return isinstance(value, int) and not isinstance(value, bool)
    try:
        int(value)
    except ValueError:
        return False
    return True


def _in_all_spellings(marks: Iterable[str]) -> list[str]:
    """Return marks, and 7.0 beside 7, as some versions of pandas do by themselves."""
    spellings = dict.fromkeys(marks)
    for mark in list(spellings):
        with suppress(ValueError, OverflowError):
            if float(mark).is_integer():
                spellings |= dict.fromkeys([str(int(float(mark))), f"{int(float(mark))}.0"])
    return list(spellings)


def _numbers_or_texts(column: pd.Series, field: Field, texts: TextFormat) -> pd.Series:
    """Return what pandas read as float64, else as texts without blanks around them."""
    if column.dtype.kind in "iuf" and field.numeric is not False:
        return column.astype(np.float64)
    words = column.astype(TEXT).str.strip()
    words = words.mask(words.isin(texts.missing.difference(field.levels)))
    numbers = None if field.numeric is False else texts.numbers(words)
    return words if numbers is None else numbers


def _check_declared(
    column: pd.Series, field: Field, texts: TextFormat, where: str, lines: Sequence[int]
) -> None:
    """Raise DataError for the first text that is neither a number nor a level, as declared."""
    right = column.isin(field.levels) | column.isna()
    if field.numeric:
        right |= column.map(texts.number, "ignore").notna()
    if right.all():
        return
    row = int(np.argmin(right))
    has = f"{where}:{lines[row]} has {str(column[row])[:40]!r} in column {field.name!r}"
    if field.numeric:
        raise DataError(
            f"{has}, which its header declares numeric; name it in na_values: if it means missing"
        )
    raise DataError(f"{has}, which is not among the levels its header declares")


def _marks_of(
    frame: pd.DataFrame, rows: TextRows, how: Separated, texts: TextFormat
) -> dict[str, Counter[str]]:
    """Return the texts of the rows that are missing in ``frame``, by column, and their numbers.

    In a column of numbers -99 and -99.0 are one, of which some versions of pandas leave the second.
    """
    places = np.flatnonzero([frame[name].hasnans for name in frame])
    marks: dict[str, Counter[str]] = {}
    if not len(places):
        return marks
    gaps = frame.iloc[:, places].isna().to_numpy()
    names = list(map(str, frame))
    are_numbers = [not is_text(frame[name]) for name in frame]
    for gaps_in_row, row in zip(gaps, rows(), strict=True):
        if gaps_in_row.any():
            values = how.split(row.text, "")
            for place in places[gaps_in_row].tolist():
                mark = values[place].strip()
                number = texts.number(mark) if are_numbers[place] else None
                mark = mark if number is None else f"{number:.15g}"
                marks.setdefault(names[place], Counter())[mark] += 1
    return marks
