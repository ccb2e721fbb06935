"""A parsed table before encoding, and the reader of delimited text that all text formats share."""

import csv
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.data import bounds
from boostbench.errors import DataError

MISSING_TOKENS = frozenset({"", "?", "NA", "NaN", "nan", "N/A", "null", "NULL", "<null>", "None"})
_BLANK_SEPARATED = re.compile(r"\"([^\"]*)\"|'([^']*)'|(\S+)")
_CELLS_A_BLOCK = 500_000


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
    itself declares the column so. ``first_text`` shows where an undeclared column has its
    first value that is no number.
    """

    name: str
    values: NDArray[np.float64]
    labels: NDArray[np.object_] | None = None
    nominal: bool = False
    first_text: str = ""


@dataclass(frozen=True)
class Table:
    """Columns of equal length, where they were read from, and the outputs the file names.

    ``lines`` are the line numbers of the rows, where they are lines of one text.
    """

    columns: tuple[Column, ...]
    where: str
    outputs: tuple[str, ...] = ()
    lines: NDArray[np.int64] | None = None

    @property
    def n_rows(self) -> int:
        first = self.columns[0]
        return len(first.values if first.labels is None else first.labels)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def decode(content: bytes, where: str, encoding: str = "utf-8") -> str:
    """Return ``content`` as text with ``\\n`` line ends.

    :raises DataError: if it is not in ``encoding`` or holds a NUL byte
    """
    try:
        text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where} is not {encoding} text: byte {content[error.start]:#04x} "
            f"at offset {error.start} cannot be decoded; save it as UTF-8"
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


def separator_of(line: str) -> str:
    """Return the separator that ``line`` uses: a comma, semicolon or tab, else a blank."""
    for separator in (",", ";", "\t"):
        if separator in line:
            return separator
    return " "


def read_delimited(
    lines: Sequence[str],
    where: str,
    *,
    fields: Sequence[Field] | None = None,
    header: bool | None = None,
    first_line: int = 1,
    comment: str | None = None,
    separator: str | None = None,
) -> Table:
    """Parse the rows of comma, semicolon, tab or blank separated text.

    :param lines: the lines, the first of which is line ``first_line`` of ``where``
    :param fields: the columns as a header elsewhere declares them; without them the first row
        is the header if ``header`` is true, or if it is None and the row looks like one, and
        without a header the columns are called ``x1, x2, ...``
    :param comment: lines that start with it are passed over, as are empty ones
    :param separator: of the values; None finds it in the first row
    :raises DataError: if a row has too few or too many values, a declared numeric column holds
        text, a nominal one an undeclared level, or there is no row
    """
    kept = [
        (number, line)
        for number, line in enumerate(lines, first_line)
        if line.strip() and not (comment and line.lstrip().startswith(comment))
    ]
    if not kept:
        raise DataError(f"{where} has no rows")
    separator = separator or separator_of(kept[0][1])
    first = next(_split([kept[0]], separator, where))[1]
    check_width(len(first), where)
    if fields is None:
        if header is None:
            second = next(_split(kept[1:2], separator, where), (0, first))[1]
            header = _is_header(first, second)
        names = first if header else [f"x{i}" for i in range(1, len(first) + 1)]
        fields = [Field(name) for name in names]
        kept = kept[1:] if header else kept
    twice = {field.name for field in fields if not field.name} or _duplicates(
        [field.name for field in fields]
    )
    if twice:
        name = min(twice)
        raise DataError(
            f"{where} has two columns named {name[:60]!r}"
            if name
            else f"{where} has an unnamed column; give each column a name in the header"
        )
    if not kept:
        raise DataError(f"{where} has a header but no rows")
    check_cells(len(kept), len(fields), where)

    texts: dict[int, str] = {
        i: "" for i, field in enumerate(fields) if field.kind in ("nominal", "text")
    }
    while True:
        columns, found = _parse(kept, separator, fields, texts, where)
        if not found:
            lines_of_rows = np.array([number for number, _ in kept], dtype=np.int64)
            return Table(columns, where, lines=lines_of_rows)
        texts |= found


def _parse(
    kept: Sequence[tuple[int, str]],
    separator: str,
    fields: Sequence[Field],
    texts: dict[int, str],
    where: str,
) -> tuple[tuple[Column, ...], dict[int, str]]:
    """Read all rows, keeping the columns in ``texts`` as text; also return which others are."""
    n_rows, n_columns = len(kept), len(fields)
    numbers = np.empty((n_columns, n_rows))
    labels = {i: np.empty(n_rows, dtype=object) for i in texts}
    found: dict[int, str] = {}
    rows = _split(kept, separator, where)
    block = max(1, _CELLS_A_BLOCK // n_columns)
    for start in range(0, n_rows, block):
        part = list(itertools.islice(rows, block))
        for number, row in part:
            if len(row) != n_columns:
                raise DataError(
                    f"{where}:{number} has {len(row)} values, but {n_columns} are expected"
                )
        stop = start + len(part)
        for i, tokens in enumerate(zip(*(row for _, row in part), strict=True)):
            if i in labels:
                labels[i][start:stop] = [None if t in MISSING_TOKENS else t for t in tokens]
                continue
            try:
                numbers[i, start:stop] = np.array(tokens, dtype=np.float64)
            except ValueError:
                for k, token in enumerate(tokens):
                    if token in MISSING_TOKENS:
                        numbers[i, start + k] = np.nan
                    elif _is_number(token):
                        numbers[i, start + k] = float(token)
                    else:
                        seen = f"{token[:40]!r} in line {part[k][0]}"
                        if fields[i].kind == "numeric":
                            raise DataError(
                                f"{where}:{part[k][0]} has {token[:40]!r} in column "
                                f"{fields[i].name!r}, which its header declares numeric"
                            ) from None
                        found.setdefault(i, seen)
                        break
    empty = np.empty(0)
    columns = []
    for i, field in enumerate(fields):
        if i not in labels:
            columns.append(Column(field.name, numbers[i]))
            continue
        if field.levels:
            _check_levels(field, labels[i], kept, where)
        columns.append(Column(field.name, empty, labels[i], field.kind == "nominal", texts[i]))
    return tuple(columns), found


def _check_levels(
    field: Field, labels: NDArray[np.object_], kept: Sequence[tuple[int, str]], where: str
) -> None:
    unknown = set(labels) - set(field.levels) - {None}
    if unknown:
        row = next(i for i, label in enumerate(labels) if label in unknown)
        raise DataError(
            f"{where}:{kept[row][0]} has {labels[row][:40]!r} in column {field.name!r}, "
            "which is not among the levels its header declares"
        )


def _split(
    kept: Iterable[tuple[int, str]], separator: str, where: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield each line's number and its values, stripped and unquoted."""
    if separator == " ":
        for number, line in kept:
            if '"' in line or "'" in line:
                yield number, ["".join(groups) for groups in _BLANK_SEPARATED.findall(line)]
            else:
                yield number, line.split()
        return
    for number, line in kept:
        if '"' not in line and "'" not in line and "\\" not in line:
            yield number, [token.strip() for token in line.split(separator)]
            continue
        yield number, _split_quoted(line, separator, f"{where}:{number}")


def _split_quoted(line: str, separator: str, where: str) -> list[str]:
    single = any(token.lstrip().startswith("'") for token in line.split(separator))
    quote = "'" if single else '"'
    try:
        row = next(
            csv.reader(
                io.StringIO(line.strip()),
                delimiter=separator,
                quotechar=quote,
                escapechar="\\",
                skipinitialspace=separator != "\t",
            )
        )
    except csv.Error as error:
        raise DataError(f"{where} cannot be read: {error}") from None
    other = '"' if quote == "'" else "'"
    stripped = [token.strip() for token in row]
    return [
        token[1:-1] if len(token) > 1 and token[0] == token[-1] == other else token
        for token in stripped
    ]


def _is_header(first: Sequence[str], second: Sequence[str]) -> bool:
    """Tell whether some text stands over a number, or there is nothing but text."""
    over_number = any(
        not _is_number(a) and a not in MISSING_TOKENS and _is_number(b)
        for a, b in zip(first, second, strict=False)
    )
    return over_number or not any(_is_number(a) or a in MISSING_TOKENS for a in first)


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True


def _duplicates(names: Sequence[str]) -> set[str]:
    seen: set[str] = set()
    return {name for name in names if name in seen or seen.add(name)}  # type: ignore[func-returns-value]
