"""Comma, semicolon, tab, bar or blank separated text; pandas parses the values.

pandas reads short rows as if values were missing, and forgets which line a row stood in. So the
lines are first put together into records, whose values are counted.
"""

import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_integer_dtype, is_numeric_dtype

from boostbench.data.headers import is_header, named
from boostbench.data.numbers import FORMATS, PLAIN, NumberFormat, formats_of, may_be_number
from boostbench.data.problems import quoted
from boostbench.data.table import (
    MISSING_TOKENS,
    Column,
    Table,
    check_cells,
    check_width,
    column_of_texts,
    split_lines,
)
from boostbench.errors import DataError
from boostbench.suggest import counted

_SEPARATORS = (";", "\t", ",", "|")
_COMMENTS = ("#", "%", "//")
_SAMPLE = 50
_RECORDS_A_READ = 1_000
_CELLS_AT_A_TIME = 500_000
_LEAST_ROWS_AT_A_TIME = 1_000
_EXCEL_SEPARATOR = re.compile(r'"?sep=([^\w\s"\'\\.+-]|\t)"?', re.IGNORECASE | re.ASCII)
_QUOTED = re.compile(r'"[^"]*"')
_BLANK_SEPARATED = re.compile(r"\"([^\"]*)\"|'([^']*)'|(\S+)")


@dataclass(frozen=True)
class _Records:
    """One text a row, the line that each begins in, and how many values each has."""

    texts: list[str]
    lines: list[int]
    widths: list[int]
    separator: str
    quoted: bool = False
    escaped: bool = False

    def tokens(self, i: int) -> list[str]:
        """Return the values of one record, stripped."""
        reader = csv.reader(io.StringIO(self.texts[i], newline=""), **self.dialect)
        return [token.strip() for token in next(reader)]

    @property
    def dialect(self) -> dict[str, Any]:
        """How the values are quoted, in the words of :mod:`csv`."""
        return {
            "delimiter": self.separator,
            "quotechar": '"',
            "doublequote": True,
            "escapechar": "\\" if self.escaped else None,
            "skipinitialspace": True,
        }


def parse_delimited(
    text: str,
    where: str,
    *,
    header: bool | None = None,
    separator: str | None = None,
    skip_lines: int = 0,
    number_format: NumberFormat = PLAIN,
    missing: Collection[str] = MISSING_TOKENS,
) -> Table:
    """Return the table of delimited text, numbers as exact as Python's ``float``.

    Empty lines, and rows of nothing but separators, are passed over. Values may be quoted, and
    then hold separators and line ends. Excel's first line ``sep=;`` is obeyed. Where the header
    has one name less than the rows have values, as R writes it, the first column is unnamed.

    :param header: whether the first row holds names; None: if it looks like that. Without a
        header the columns are called ``x1, x2, ...``
    :param separator: of the values; None finds it in the first rows
    :param skip_lines: how many lines to leave out at the start
    :param number_format: how numbers are written
    :param missing: the texts that stand for a missing value
    :raises DataError: naming the line, if a row has too few or too many values or a quote is not
        closed; if there is no row, or a column has no name or that of another
    """
    lines = split_lines(text, where)[skip_lines:]
    start = skip_lines + 1
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is None:
        raise DataError(f"{where} has no rows")
    said = _EXCEL_SEPARATOR.fullmatch(lines[first].rstrip(" "))
    if said is not None and separator is None:
        separator = said[1]
        lines, start = lines[first + 1 :], start + first + 1
    begin = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines[begin].lstrip().startswith(_COMMENTS):
        _check_comment(lines, begin, separator, where, start)
    separator = separator or _separator_of(lines)
    records = _records(lines, start, separator, where)
    del lines
    if not records.texts:
        raise DataError(f"{where} has no rows")
    names, body = _names(records, where, header, number_format)
    n_rows = len(records.texts) - body
    if n_rows == 0:
        raise DataError(f"{where} has a header but no rows")
    check_cells(n_rows, len(names), where)
    for line, width in zip(records.lines[body:], records.widths[body:], strict=True):
        if width != len(names):
            raise DataError(
                f"{where}:{line} has {counted(width, 'value')}, but {len(names)} "
                f"{'is' if len(names) == 1 else 'are'} expected, as in line {records.lines[0]}"
                + "; if that line is not the header, remove it"
                * (line == records.lines[1])
            )
    columns = _columns(records, body, names, where, number_format, missing)
    return Table(columns, where, lines=np.array(records.lines[body:], dtype=np.int64))


def _check_comment(
    lines: Sequence[str], begin: int, separator: str | None, where: str, start: int
) -> None:
    """Refuse a first line ``begin`` that looks like a comment, unless it is as wide as the next.

    :raises DataError: naming the line
    """
    below = [line for line in lines[begin + 1 :] if line.strip() and not line.startswith(_COMMENTS)]
    separator = separator or _separator_of(below)
    widths = _records([lines[begin], *below[:1]], start, separator, where).widths
    if len(set(widths)) > 1:
        raise DataError(
            f"{where}:{start + begin} seems to be a comment ({quoted(lines[begin], 40)}): remove "
            "the lines above the header; where this is the header, remove its "
            f"{lines[begin].lstrip()[0]!r}"
        )


# -- rows ------------------------------------------------------------------------------------------


def _separator_of(lines: Sequence[str]) -> str:
    """Return the mark that each of the first rows has equally often, else that of the first row."""
    # Quoted values may hold separators, and line ends.
    sample = _QUOTED.sub("", "\n".join(lines[: 4 * _SAMPLE])).split("\n")
    rows = [line for line in sample if line.strip()][:_SAMPLE]
    for separator in _SEPARATORS:
        counts = {row.count(separator) for row in rows}
        if len(counts) == 1 and counts != {0}:
            return separator
    return next((mark for mark in (",", ";", "\t") if rows and mark in rows[0]), " ")


def _records(lines: list[str], start: int, separator: str, where: str) -> _Records:
    if separator == " ":
        lines = [_blank_separated(line) for line in lines]
    elif any("'" in line for line in lines):
        lines = _with_double_quotes(lines, separator)
    if any('"' in line for line in lines):
        return _quoted_records(lines, start, separator, where)
    nothing = separator + " \t"
    kept = [(i, line) for i, line in enumerate(lines, start) if line.strip(nothing).strip()]
    texts = [line for _, line in kept]
    widths = [line.count(separator) + 1 for line in texts]
    return _Records(texts, [i for i, _ in kept], widths, separator)


def _blank_separated(line: str) -> str:
    """Return a line of values between single blanks, those with blanks in double quotes."""
    if '"' in line or "'" in line:
        found = ("".join(groups) for groups in _BLANK_SEPARATED.findall(line))
        return " ".join(_quoted(token, " ") for token in found)
    return " ".join(line.split())


def _quoted(token: str, separator: str) -> str:
    if token and not any(mark in token for mark in (separator, '"', " ")):
        return token
    return '"' + token.replace('"', '""') + '"'


def _with_double_quotes(lines: list[str], separator: str) -> list[str]:
    """Return the lines with values in double quotes instead of single ones, which ARFF has.

    An apostrophe is a quote only if all values that begin with one also end with one, and no
    value below the header begins with a double quote.
    """
    begin = rf"(?:^|{re.escape(separator)})[ \t]*"
    single, double = re.compile(begin + "'"), re.compile(begin + '"')
    at = [i for i, line in enumerate(lines) if "'" in line and single.search(line)]
    header = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if not at or any('"' in line and double.search(line) for line in lines[header + 1 :]):
        return lines
    reader = csv.reader(
        (lines[i] for i in at),
        delimiter=separator,
        quotechar="'",
        escapechar="\\",
        skipinitialspace=True,
        strict=True,
    )
    changed = list(lines)
    try:
        for i, row in zip(at, reader, strict=True):
            changed[i] = separator.join(_quoted(token.strip(), separator) for token in row)
    except (csv.Error, ValueError):
        return lines
    return changed


def _quoted_records(lines: list[str], start: int, separator: str, where: str) -> _Records:
    escaped = any('\\"' in line for line in lines)
    found = _Records([], [], [], separator, quoted=True, escaped=escaped)
    reader = csv.reader((line + "\n" for line in lines), **found.dialect)
    at = 0
    for row in _rows(reader, where, start):
        end = reader.line_num
        if any(token.strip() for token in row):
            found.texts.append("\n".join(lines[at:end]))
            found.lines.append(start + at)
            found.widths.append(len(row))
        at = end
    if found.texts:
        # One line more belongs to the last record if its quote is still open.
        last = io.StringIO(found.texts[-1] + "\nx\n", newline="")
        if len(list(csv.reader(last, **found.dialect))) == 1:
            raise _open_quote(where, found.lines[-1])
    return found


def _rows(reader: Any, where: str, start: int) -> Iterator[list[str]]:
    while True:
        at = reader.line_num
        try:
            row = next(reader, None)
        except csv.Error as error:
            if "field limit" in str(error):
                raise _open_quote(where, start + at) from None
            raise DataError(f"{where}:{start + at} cannot be read: {error}") from None
        if row is None:
            return
        yield row


def _open_quote(where: str, line: int) -> DataError:
    return DataError(
        f'{where}:{line} opens a quote (") that is not closed within {csv.field_size_limit():,} '
        "characters; close it, or take it out"
    )


# -- the header ------------------------------------------------------------------------------------


def _names(
    records: _Records, where: str, header: bool | None, number_format: NumberFormat
) -> tuple[list[str], int]:
    """Return the columns' names, empty where there is none, and the number of header rows."""
    check_width(max(records.widths[:2]), where)
    first = records.tokens(0)
    second = records.tokens(1) if len(records.texts) > 1 else first
    if header is None:
        header = is_header(first, second, number_format)
    if not header:
        return [f"x{i}" for i in range(1, len(first) + 1)], 0
    names = [" ".join(name.split()) for name in first]
    if len(second) == len(names) + 1:
        # R leaves out the name of its row names; others end each row with a separator.
        names = ["", *names] if second[-1] else [*names, ""]
    return names, 1


# -- columns ---------------------------------------------------------------------------------------


def _columns(
    records: _Records,
    body: int,
    names: Sequence[str],
    where: str,
    number_format: NumberFormat,
    missing: Collection[str],
) -> tuple[Column, ...]:
    n_rows, n_columns = len(records.texts) - body, len(names)
    numbers = np.empty((n_columns, n_rows))
    texts: dict[int, list[str]] = {}
    fractions: set[int] = set()
    for start, part in _frames(records, body, n_columns, where, missing, number_format):
        for i, dtype in enumerate(part.dtypes):
            if i in texts:
                continue
            if is_numeric_dtype(dtype) and not is_bool_dtype(dtype):
                numbers[i, start : start + len(part)] = part[i].to_numpy(dtype=np.float64)
                if not is_integer_dtype(dtype):
                    fractions.add(i)
            else:
                texts[i] = []
    if texts:
        # As text: pandas makes truth values of some texts, and huge integers of others.
        for _, part in _frames(records, body, n_columns, where, usecols=list(texts)):
            for i, found in texts.items():
                found += part[i].tolist()
    columns = [
        column_of_texts(name, texts.pop(i), missing, number_format)
        if i in texts
        else Column(name, numbers[i])
        for i, name in enumerate(names)
    ]
    known = {x for c in columns if c.labels is not None for x in c.labels if x is not None}
    bare = {text.rstrip("% ") for text in known}
    if any(number_format.number(x) is None and may_be_number(x) for x in bare):
        # Which format fits all columns can only be said if it is known which fit the others.
        wanted = sorted(fractions & {i for i, c in enumerate(columns) if c.labels is None})
        formats = _formats(records, body, n_columns, where, missing, wanted)
        columns = [replace(c, formats=formats.get(i, c.formats)) for i, c in enumerate(columns)]
    return named(columns, where)


def _formats(
    records: _Records,
    body: int,
    n_columns: int,
    where: str,
    missing: Collection[str],
    wanted: Sequence[int],
) -> dict[int, frozenset[NumberFormat]]:
    """Return the formats in which all numbers of each column can be read."""
    found = dict.fromkeys(wanted, frozenset(FORMATS))
    if wanted:
        for _, part in _frames(records, body, n_columns, where, usecols=wanted):
            # Every format with the decimal mark by which pandas read the column remains.
            for i in (i for i in wanted if len({form.decimal for form in found[i]}) > 1):
                texts = {text.strip() for text in part[i].unique()}
                found[i] = formats_of(texts.difference(missing), found[i])
    return found


def _frames(
    records: _Records,
    body: int,
    n_columns: int,
    where: str,
    missing: Collection[str] = (),
    number_format: NumberFormat = PLAIN,
    usecols: Sequence[int] | None = None,
) -> Iterator[tuple[int, pd.DataFrame]]:
    """Yield the number of the first row and the rows, so many at a time; ``usecols`` as text."""
    options: dict[str, Any] = {"na_values": sorted(missing), "decimal": number_format.decimal}
    if usecols is not None:
        options = {"usecols": usecols, "dtype": object, "na_filter": False}
    # From 3.1 on there is one converter, which is exact, and the argument is deprecated.
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
        options["float_precision"] = "round_trip"
    stream: Any = _Stream(records.texts, body)
    start, n_rows = 0, len(records.texts) - body
    try:
        with pd.read_csv(
            stream,
            sep=records.separator,
            header=None,
            names=range(n_columns),
            index_col=False,
            skipinitialspace=True,
            skip_blank_lines=False,
            keep_default_na=False,
            quoting=csv.QUOTE_MINIMAL if records.quoted else csv.QUOTE_NONE,
            escapechar="\\" if records.escaped else None,
            low_memory=False,
            chunksize=max(_LEAST_ROWS_AT_A_TIME, _CELLS_AT_A_TIME // n_columns),
            **options,
        ) as reader:
            for part in reader:
                if start + len(part) > n_rows:
                    break
                yield start, part
                start += len(part)
    except (ValueError, OverflowError) as error:
        why = " ".join(str(error).split())
        raise DataError(f"{where} cannot be read: {why}") from None
    if start != n_rows:
        raise DataError(f"{where} cannot be read: its quotes do not match")


class _Stream:
    """The records as a file for pandas, without a second copy of them all."""

    def __init__(self, texts: Sequence[str], start: int) -> None:
        self._texts, self._at = texts, start

    def read(self, _: int = -1) -> str:
        """Return the next records with their line ends, an empty text after the last."""
        part = self._texts[self._at : self._at + _RECORDS_A_READ]
        self._at += len(part)
        return "".join(f"{record}\n" for record in part)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts[self._at :])
