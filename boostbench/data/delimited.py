"""Comma, semicolon, tab, bar or blank separated text, and the rows of a spreadsheet."""

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice

from boostbench.data.headers import COMMENTS, has_header
from boostbench.data.rows import Field, Separated, TextRow, TextRows, table_of_rows
from boostbench.data.table import Table
from boostbench.data.text_format import PLAIN, TextFormat
from boostbench.errors import DataError

_SAMPLE = 50
_EXCEL_SEPARATOR = re.compile(r'"?sep=([^\w\s"\'\\.+-]|\t)"?', re.IGNORECASE | re.ASCII)


def decode(content: bytes, where: str, encoding: str = "utf-8") -> str:
    """Return ``content`` as text with line feeds as its only line ends.

    Raises DataError if it is not in ``encoding`` or holds a NUL byte.
    """
    try:
        is_utf_8 = codecs.lookup(encoding).name == "utf-8"
        text = content.decode("utf-8-sig" if is_utf_8 else encoding)
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        likely = "utf-16" if utf_16 else "latin-1"
        raise DataError(
            f"{where} is not {encoding} text: byte {content[at]:#04x} at offset {at} cannot be "
            f"decoded; save it as UTF-8, or add 'encoding: {likely}'"
        ) from None
    if "\0" in text:
        raise DataError(f"{where} is not a text file: it holds NUL bytes")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_delimited(
    text: str,
    where: str,
    *,
    header: bool | None = None,
    separator: str | None = None,
    texts: TextFormat = PLAIN,
) -> Table:
    """Return the table of delimited text, numbers as exact as Python's ``float``.

    Empty lines, and rows of nothing but separators, are passed over. Values may be quoted, and
    then hold separators and line ends. Excel's first line ``sep=;`` is obeyed. Where the header
    has one name less than the rows have values, as R writes it, the first column is unnamed.

    Parameters
    ----------
    header : whether the first row holds names; None: as :func:`has_header` finds. Without a header
        the columns are called ``x1, x2, ...``
    separator : of the values; None finds it in the first rows

    Raises
    ------
    DataError
        naming the line, if a row has too few or too many values or a quote is not closed; if there
        is no row, or a column has no name or the same name as another; if it is not clear whether
        there is a header
    """
    lines = text.split("\n")
    start, separator = _start_of_table(lines, separator)
    quote = _quote_of(text, separator)
    how = Separated(separator, quote, "\\" if f"\\{quote}" in text else None)
    rows = partial(_rows, lines, start, how, where)

    def below() -> Iterator[TextRow]:
        return islice(rows(), 1, None)

    values = partial(_values, where=where, how=how)
    first = next(values(rows), [])
    second = next(values(below), [])
    if not first:
        raise DataError(f"{where} has no rows")
    if header is None:
        header = has_header(first, partial(values, below), where, texts)
    if not header:
        names = [f"x{i}" for i in range(1, len(first) + 1)]
        return table_of_rows(rows, where, _fields_of(names, first), texts, how)
    if len(second) == len(first) + 1 and not first[0].startswith(COMMENTS):
        # R leaves out the name of its row names; others end each row with a separator.
        first = ["", *first] if second[-1] else [*first, ""]
    return table_of_rows(below, where, _fields_of(first, second), texts, how)


def _values(rows: TextRows, where: str, how: Separated) -> Iterator[list[str]]:
    """Yield the values of each row, without blanks around them."""
    for row in rows():
        yield [value.strip() for value in how.split(row.text, f"{where}:{row.line}")]


def _start_of_table(lines: Sequence[str], separator: str | None) -> tuple[int, str]:
    """Return the place of the table's first line, and the separator, found where it is None."""
    start = next((i for i, line in enumerate(lines) if line.strip()), 0)
    by_excel = _EXCEL_SEPARATOR.fullmatch(lines[start].rstrip(" "))
    if by_excel is not None and separator is None:
        separator, start = by_excel[1], start + 1
    return start, separator or _separator_of(lines[start : start + 4 * _SAMPLE])


def _separator_of(lines: Sequence[str]) -> str:
    """Return the separator that the first rows have equally often, else that of the first row."""
    rows = _sampled(lines)
    if not rows:
        return " "
    for separator in (";", "\t", ",", "|"):
        counts = {row.count(separator) for row in rows}
        if len(counts) == 1 and counts != {0}:
            return separator
    return next((mark for mark in (",", ";", "\t") if mark in rows[0]), " ")


def _sampled(lines: Sequence[str]) -> list[str]:
    """Return the first rows without what is quoted, which may hold separators and line ends."""
    without_quoted = re.sub(r'"[^"]*"', "", "\n".join(lines)).split("\n")
    rows = [line for line in without_quoted if line.strip()][:_SAMPLE]
    return [row for row in rows if not row.startswith(COMMENTS)] or rows


def _quote_of(text: str, separator: str) -> str:
    """Return ``'`` if each value that begins with one also ends with one, in the same line."""
    if '"' in text or "'" not in text:
        return '"'
    mark = re.escape(separator)
    whole = rf"(?:[^'\\\n]|\\.|'')*'[ \t]*(?={mark}|$)"
    begun = re.findall(rf"(?m)(?:^|{mark})[ \t]*'({whole})?", text)
    return "'" if begun and all(begun) else '"'


def _rows(lines: Sequence[str], start: int, how: Separated, where: str) -> Iterator[TextRow]:
    numbered = enumerate(lines[start:], start + 1)
    blank = f"{how.separator}{how.quote} \t\n"
    for number, line in numbered:
        text = _with_single_blanks(line, how)
        width = how.width(text)
        if width is None and how.quote in line:
            text = _with_single_blanks(_whole_row(line, numbered, how), how)
            width = how.width(text)
        if not text.strip(blank):
            continue
        if width is None:
            raise how.not_closed(f"{where}:{number}")
        yield TextRow(number, text, width)


def _with_single_blanks(row: str, how: Separated) -> str:
    """Return a row as it can be split where blanks separate; in quotes the blanks are kept."""
    if how.separator != " ":
        return row
    return row.strip().replace("\t", " ") if how.quote in row else " ".join(row.split())


def _whole_row(line: str, following: Iterator[tuple[int, str]], how: Separated) -> str:
    """Return ``line`` with the ``following`` lines that belong to its last quoted value."""
    row = [line]

    def needed() -> Iterator[str]:
        yield line
        for _, more in following:
            row.append(more)
            yield more

    # A quote that is never closed is reported where the row is split.
    with suppress(csv.Error):
        next(csv.reader(needed(), delimiter=how.separator, **how.options))
    return "\n".join(row)


def _fields_of(names: Sequence[str], values: Sequence[str]) -> list[Field]:
    """Return a field for each name; a missing name is replaced by the column's number."""
    fields = []
    for i, name in enumerate((" ".join(name.split()) for name in names), 1):
        own = name or f"unnamed_{i}"
        while not name and own in names:
            own += "_"
        # Pandas would forget how truth values are written.
        is_truth = values[i - 1 : i] and values[i - 1].casefold() in ("true", "false")
        fields.append(Field(own, numeric=False if is_truth else None, unnamed=not name))
    return fields
