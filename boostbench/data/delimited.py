"""Comma, semicolon, tab, bar or blank separated text, and the rows of a spreadsheet.

The separator is found, and whether the first row holds the names of the columns.
"""

import csv
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

from boostbench.data.rows import Field, Separated, TextRow, TextRows, table_of_rows
from boostbench.data.table import Table, in_one_form
from boostbench.data.text_format import PLAIN, TextFormat, looks_like_number
from boostbench.data.text_kinds import FEW_LEVELS
from boostbench.errors import DataError
from boostbench.suggest import counted, listing

_COMMENTS = ("#", "%", "//")
_SAMPLE = 50
_EXCEL_SEPARATOR = re.compile(r'"?sep=([^\w\s"\'\\.+-]|\t)"?', re.IGNORECASE | re.ASCII)

Below = Callable[[], Iterator[Sequence[str]]]
"""Gives, each time it is called, the values of each row below the first."""


def parse_delimited(
    text: str,
    where: str,
    *,
    header: bool | None = None,
    separator: str | None = None,
    texts: TextFormat = PLAIN,
    target: str = "",
) -> Table:
    """Return the table of delimited text, numbers as exact as Python's ``float``.

    Empty lines, and rows of nothing but separators, are passed over. Values may be quoted, and
    then hold separators and line ends. Excel's first line ``sep=;`` is obeyed. Where the header
    has one name less than the rows have values, as R writes it, the first column is unnamed.

    Parameters
    ----------
    header : whether the first row holds names; None: as :func:`_has_header` finds. Without a header
        the columns are called ``x1, x2, ...``
    separator : of the values; None finds it in the first rows
    target : the name of the target, if known; where the first row has it, that may be a header

    Raises
    ------
    DataError
        naming the line, if a row has too few or too many values or a quote is not closed; if there
        is no row, or a column has no name or the same name as another; if it is not clear whether
        there is a header
    """
    lines = text.split("\n")
    start, separator = start_of_table(lines, separator)
    quote = _quote_of(text, separator)
    how = Separated(separator, quote, "\\" if f"\\{quote}" in text else None)
    rows = partial(_rows, lines, start, how)

    def below() -> Iterator[TextRow]:
        return islice(rows(), 1, None)

    values = partial(_values, where=where, how=how)
    first = next(values(rows), [])
    second = next(values(below), [])
    if not first:
        raise DataError(f"{where} has no rows")
    if header is None:
        header = _has_header(first, partial(values, below), where, texts, target)
    if not header:
        names = [f"x{i}" for i in range(1, len(first) + 1)]
        return table_of_rows(rows, where, _fields_of(names, first), texts, how)
    if len(second) == len(first) + 1 and not first[0].startswith(_COMMENTS):
        # R leaves out the name of its row names; others end each row with a separator.
        first = ["", *first] if second[-1] else [*first, ""]
    table = table_of_rows(below, where, _fields_of(first, second), texts, how)
    if spanned := next(rows()).lines:
        remark = f"the names of columns span the lines {spanned}, where a quote opens and closes"
        return replace(table, remarks=(remark, *table.remarks))
    return table


def _values(rows: TextRows, where: str, how: Separated) -> Iterator[list[str]]:
    """Yield the values of each row, without blanks around them."""
    for row in rows():
        yield [value.strip() for value in how.split(row.text, f"{where}:{row.line}")]


def start_of_table(lines: Sequence[str], separator: str | None = None) -> tuple[int, str]:
    """Return the place of a table's first line, and the separator, found where it is None."""
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
    return [row for row in rows if not row.startswith(_COMMENTS)] or rows


def _quote_of(text: str, separator: str) -> str:
    """Return ``'`` if each value that begins with one also ends with one, in the same line."""
    if '"' in text or "'" not in text:
        return '"'
    mark = re.escape(separator)
    whole = rf"(?:[^'\\\n]|\\.|'')*'[ \t]*(?={mark}|$)"
    begun = re.findall(rf"(?m)(?:^|{mark})[ \t]*'({whole})?", text)
    return "'" if begun and all(begun) else '"'


def _rows(lines: Sequence[str], start: int, how: Separated) -> Iterator[TextRow]:
    numbered = enumerate(lines[start:], start + 1)
    # \x1a ends a file of DOS, or a part of one that was put together.
    blank = f"{how.separator}{how.quote} \t\n\x1a"
    for number, line in numbered:
        text = _with_single_blanks(line, how)
        width = how.width(text)
        if width is None and how.quote in line:
            text = _with_single_blanks(_whole_row(line, numbered, how), how)
            width = how.width(text)
        if text.strip(blank):
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


def _has_header(
    first: Sequence[str], below: Below, where: str, texts: TextFormat, target: str
) -> bool:
    """Return whether the ``first`` row holds names.

    It does

    - if it has no numbers, and one of its texts is above a number,
    - if more than half of its columns have a text above a number,
    - if it has the name of the ``target``, and no text of it is a level of its column.

    It does not

    - if it has nothing but numbers,
    - if its texts are all above texts, some values are numbers, and two of these are equal or a
      text occurs again in its column,
    - if it is all text, and two of its texts are equal and occur again in their columns.

    Raises
    ------
    DataError
        with both readings, if none of these is so, as where all rows are text; and if it has
        nothing but 0, 1, 2, ... or 1, 2, 3, ..., of which there are many, or above fractions
    """
    sample = list(islice(below(), _SAMPLE))
    shift = _names_left_out(first, sample)
    answer, is_sure = _answer(first, sample, shift, below, texts, target)
    # Rows of another length are refused where they are read.
    if not is_sure and all(len(row) == len(first) + shift for row in sample):
        raise _doubtful(first, below, where)
    return answer


def _answer(
    first: Sequence[str],
    sample: Sequence[Sequence[str]],
    shift: int,
    below: Below,
    texts: TextFormat,
    target: str,
) -> tuple[bool, bool]:
    """Return whether the first row holds names, and whether that is sure."""
    kinds = [_kind(token, texts) for token in first]
    if not sample:
        return set(kinds) == {"text"}, True
    numeric = {j - shift for j in _numeric_columns(sample, texts)}
    texts_at = {j for j, kind in enumerate(kinds) if kind == "text"}
    above_numbers = len(texts_at & numeric)
    if _are_above_numbers(kinds, above_numbers, numeric):
        return True, True
    if _names_the_target(first, texts_at, shift, below, target):
        return True, True
    if above_numbers:
        return False, False
    if texts_at:
        return False, _cannot_be_names(first, kinds, below)
    return False, not _counts_columns(first, sample)


def _are_above_numbers(kinds: Sequence[str], above_numbers: int, numeric: Collection[int]) -> bool:
    """Return whether enough texts are above numbers, of which the first may have no name.

    R and pandas name the rows so.
    """
    if "number" in kinds:
        return 2 * above_numbers > len(kinds)
    names_rows = 0 in numeric and kinds[0] == "missing" and set(kinds[1:]) == {"text"}
    return above_numbers > 0 or names_rows


def _names_left_out(first: Sequence[str], sample: Sequence[Sequence[str]]) -> int:
    """Return 1 where all rows have a value more than the first, as R writes it; else 0."""
    longer = bool(sample) and all(len(row) == len(first) + 1 for row in sample)
    return int(longer and not first[0].startswith(_COMMENTS) and bool(sample[0][-1]))


def _kind(token: str, texts: TextFormat) -> str:
    if token in texts.missing:
        return "missing"
    is_number = texts.number(token) is not None or looks_like_number(token, any_groups=True)
    return "number" if is_number else "text"


def _numeric_columns(rows: Sequence[Sequence[str]], texts: TextFormat) -> set[int]:
    """Return the columns whose first value that is not missing is a number."""
    kinds: dict[int, str] = {}
    for row in rows:
        for j, token in enumerate(row):
            if j not in kinds and (kind := _kind(token, texts)) != "missing":
                kinds[j] = kind
    return {j for j, kind in kinds.items() if kind == "number"}


def _names_the_target(
    first: Sequence[str], places: Collection[int], shift: int, below: Below, target: str
) -> bool:
    """Return whether the target's name is among texts of which none is a level of its column.

    Columns with many texts, such as names of people, say nothing: any text may be new there.
    """
    if target not in {in_one_form(" ".join(first[j].split())) for j in places}:
        return False
    levels: dict[int, set[str]] = {j: set() for j in places}
    for row in below():
        for j, known in list(levels.items()):
            known.update(row[j + shift : j + shift + 1])
            if len(known) > FEW_LEVELS:
                del levels[j]
    return bool(levels) and not any(first[j] in known for j, known in levels.items())


def _cannot_be_names(first: Sequence[str], kinds: Sequence[str], below: Below) -> bool:
    """Return whether two numbers are equal, or a text is also below: names are different.

    Where all are texts, two of them must be equal and also below: the names of columns that are
    refused may be equal.
    """
    numbers = [token for token, kind in zip(first, kinds, strict=True) if kind == "number"]
    if len(set(numbers)) < len(numbers):
        return True
    places = [j for j, kind in enumerate(kinds) if kind == "text"]
    again = {j for row in below() for j in places if row[j : j + 1] == [first[j]]}
    if numbers:
        return bool(again)
    return len({first[j] for j in again}) < len(again)


def _counts_columns(first: Sequence[str], sample: Sequence[Sequence[str]]) -> bool:
    """Return whether a row counts: as it is unlikely to where it is long, or above fractions.

    Pandas writes such a row above an array, and no name above the numbers of the rows.
    """
    numbers = list(first[1:] if first[0] == "" else first)
    from_0 = list(map(str, range(len(numbers))))
    from_1 = list(map(str, range(1, len(numbers) + 1)))
    has_fractions = any("." in token for row in sample for token in row)
    return numbers in (from_0, from_1) and len(numbers) > (2 if has_fractions else 4)


def _doubtful(first: Sequence[str], below: Below, where: str) -> DataError:
    n_below = sum(1 for _ in below())
    shown = listing([repr(token[:40]) for token in first], 8)
    numbered = "column x1" if len(first) == 1 else f"columns x1 to x{len(first)}"
    return DataError(
        f"{where} does not show whether its first row holds names or data: {shown}; "
        f"add to the data set: 'header: true' ({counted(n_below, 'row')} below these names) or "
        f"'header: false' ({counted(n_below + 1, 'row')} of the {numbered})"
    )
