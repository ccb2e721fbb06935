"""Comma, semicolon, tab, bar or blank separated text, and the rows of a spreadsheet."""

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from boostbench.data import bounds
from boostbench.data.table import (
    MISSING_TOKENS,
    PLAIN,
    Field,
    Rows,
    Table,
    TextFormat,
    fields_of,
    table_of_rows,
)
from boostbench.errors import DataError

_SEPARATORS = (";", "\t", ",", "|")
_COMMENTS = ("#", "%", "//")
_SAMPLE = 50
_EXCEL_SEPARATOR = re.compile(r'"?sep=([^\w\s"\'\\.+-]|\t)"?', re.IGNORECASE | re.ASCII)
_NUMBER_LIKE = re.compile(r"[-+]?[$€£¥]?\s?[0-9][0-9.,' ]*(?:[eE][-+]?[0-9]+)?\s?[%$€£¥]?")
_END = "\x03"


def decode(content: bytes, where: str, encoding: str = "utf-8") -> str:
    """Return ``content`` as text with ``\\n`` line ends.

    Raises DataError if it is not in ``encoding`` or holds a NUL byte.
    """
    try:
        is_utf_8 = codecs.lookup(encoding).name == "utf-8"
        text = content.decode("utf-8-sig" if is_utf_8 else encoding)
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        raise DataError(
            f"{where} is not {encoding} text: byte {content[at]:#04x} at offset {at} cannot be "
            f"decoded; save it as UTF-8, or add 'encoding: {'utf-16' if utf_16 else 'latin-1'}'"
        ) from None
    if "\0" in text:
        raise DataError(f"{where} is not a text file: it holds NUL bytes")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_lines(text: str, where: str) -> list[str]:
    """Return the lines of ``text``; DataError for too many, or one that is too long."""
    n_lines = text.count("\n") + 1
    # Asked before the split: a small archive may hold a billion empty lines.
    if n_lines > bounds.MAX_LINES:
        raise DataError(f"{where} has {n_lines:,} lines; at most {bounds.MAX_LINES:,} are allowed")
    lines = text.split("\n")
    longest = max(map(len, lines))
    if longest > bounds.MAX_LINE_CHARS:
        number = [len(line) for line in lines].index(longest) + 1
        limit = f"at most {bounds.MAX_LINE_CHARS:,} are allowed"
        raise DataError(f"{where}:{number} is a line of {longest:,} characters; {limit}")
    return lines


def split_quoted(line: str, separator: str) -> list[str]:
    """Return the values of a line, in single or double quotes or none, as ARFF has them.

    A blank as ``separator`` stands for any number of them.
    """
    if "'" not in line and '"' not in line:
        return line.split() if separator == " " else line.split(separator)
    line = line.strip()
    mark, bare = (r"\s+", r"\S*") if separator == " " else (re.escape(separator), r".*?")
    value = re.compile(
        rf" *(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|({bare})) *({mark}|$)", re.DOTALL
    )
    values, at, more = [], 0, True
    while more:
        match = value.match(line, at)
        assert match is not None
        single, double, plain, ending = match.groups()
        quoted = double if single is None else single
        values.append(plain.strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        at, more = match.end(), bool(ending)
    return values


def parse_delimited(
    text: str,
    where: str,
    *,
    header: bool | None = None,
    separator: str | None = None,
    skip_lines: int = 0,
    texts: TextFormat = PLAIN,
) -> Table:
    """Return the table of delimited text, numbers as exact as Python's ``float``.

    Empty lines, and rows of nothing but separators, are passed over. Values may be quoted, and
    then hold separators and line ends. Excel's first line ``sep=;`` is obeyed. Where the header
    has one name less than the rows have values, as R writes it, the first column is unnamed.

    Parameters
    ----------
    header : whether the first row holds names; None: if it looks like that. Without a header the
        columns are called ``x1, x2, ...``
    separator : of the values; None finds it in the first rows
    skip_lines : how many lines to leave out at the start

    Raises
    ------
    DataError
        naming the line, if a row has too few or too many values or a quote is not closed; if there
        is no row, or a column has no name or that of another
    """
    lines = split_lines(text, where)
    start = skip_lines
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines):
        raise DataError(f"{where} has no rows")
    said = _EXCEL_SEPARATOR.fullmatch(lines[start].rstrip(" "))
    if said is not None and separator is None:
        separator, start = said[1], start + 1
    separator = separator or _separator_of(lines[start : start + 4 * _SAMPLE])
    lines = lines[start:]
    if separator == " ":
        blank = [(n, line) for n, line in enumerate(lines, start + 1) if line.strip()]

        def rows() -> Iterator[tuple[int, Sequence[str]]]:
            return ((n, split_quoted(line, " ")) for n, line in blank)
    else:

        def rows() -> Iterator[tuple[int, Sequence[str]]]:
            return _rows(lines, start, where, str(separator), quote, escape)

        quote = _quote_of(text, lines, separator)
        escape = "\\" if f"\\{quote}" in text else None
    return table_with_header(rows, where, header, texts)


def _separator_of(lines: Sequence[str]) -> str:
    """Return the mark that each of the first rows has equally often, else that of the first row."""
    # Quoted values may hold separators, and line ends.
    sample = re.sub(r'"[^"]*"', "", "\n".join(lines)).split("\n")
    rows = [line for line in sample if line.strip()][:_SAMPLE]
    rows = [row for row in rows if not row.startswith(_COMMENTS)] or rows
    for separator in _SEPARATORS:
        counts = {row.count(separator) for row in rows}
        if len(counts) == 1 and counts != {0}:
            return separator
    return next((mark for mark in (",", ";", "\t") if rows and mark in rows[0]), " ")


def _quote_of(text: str, lines: Sequence[str], separator: str) -> str:
    """Return ``'`` if values are quoted by it: all that begin with one also end with one."""
    begins = re.compile(rf"(?:^|{re.escape(separator)})[ \t]*'")
    if '"' in text or "'" not in text or not any(map(begins.search, lines)):
        return '"'
    how: dict[str, Any] = {"quotechar": "'", "escapechar": "\\", "skipinitialspace": True}
    try:
        list(csv.reader(lines, delimiter=separator, strict=True, **how))
    except csv.Error:
        return '"'
    return "'"


def _rows(
    lines: Sequence[str], start: int, where: str, separator: str, quote: str, escape: str | None
) -> Iterator[tuple[int, Sequence[str]]]:
    reader = csv.reader(
        chain((line + "\n" for line in lines), [_END]),
        delimiter=separator,
        quotechar=quote,
        escapechar=escape,
        skipinitialspace=True,
    )
    while True:
        number = start + reader.line_num + 1
        try:
            row = next(reader, [_END])
        except csv.Error as error:
            if "field limit" not in str(error):
                raise DataError(f"{where}:{number} cannot be read: {error}") from None
            row = ["", _END]
        if row == [_END]:
            return
        # The last line belongs to a row above it only where a quote is open.
        if row and row[-1].endswith(_END):
            raise DataError(
                f"{where}:{number} opens a quote ({quote}) that is not closed within "
                f"{csv.field_size_limit():,} characters; close it, or take it out"
            )
        if "".join(row).strip():
            yield number, row


def table_with_header(
    rows: Rows, where: str, header: bool | None, texts: TextFormat, unit: str = "line"
) -> Table:
    """Return the table of rows of which the first may hold the names (None: if it looks so)."""
    first, second = ([*(row for _, row in islice(rows(), 2)), (), ()])[:2]
    first, second = ([value.strip() for value in row] for row in (first, second or first))
    if not first:
        raise DataError(f"{where} has no rows")
    if header is None:
        header = _is_header(first, second, texts)
    if not header:
        fields = [Field(f"x{i}") for i in range(1, len(first) + 1)]
        return table_of_rows(rows, where, fields, texts, unit)
    if len(second) == len(first) + 1 and not first[0].startswith(_COMMENTS):
        # R leaves out the name of its row names; others end each row with a separator.
        first = ["", *first] if second[-1] else [*first, ""]
    return table_of_rows(lambda: islice(rows(), 1, None), where, fields_of(first), texts, unit)


def _is_header(first: Sequence[str], second: Sequence[str], texts: TextFormat) -> bool:
    """Return whether some text is above a number, or there is nothing but text."""

    def is_number(token: str) -> bool:
        return bool(_NUMBER_LIKE.fullmatch(token)) or texts.number(token) is not None

    def is_name(token: str) -> bool:
        return not is_number(token) and token not in MISSING_TOKENS

    # R and pandas leave the name of their row names out, and nothing else.
    named = first[1:] if not first[0] and len(first) > 1 else first
    pairs = zip(first, second, strict=False)
    return all(map(is_name, named)) or any(is_name(a) and is_number(b) for a, b in pairs)
