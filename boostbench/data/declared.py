"""Rows under columns that a header declares, as in ARFF and in KEEL's ``.dat``."""

import csv
import io
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from boostbench.data.headers import check_names
from boostbench.data.table import Column, Field, Table, check_cells, check_width
from boostbench.errors import DataError
from boostbench.suggest import counted

_BLANK_SEPARATED = re.compile(r"\"([^\"]*)\"|'([^']*)'|(\S+)")
_CELLS_A_BLOCK = 500_000

Rows = Sequence[tuple[int, str]]


def read_declared(
    lines: Sequence[str],
    where: str,
    fields: Sequence[Field],
    *,
    first_line: int,
    missing: Collection[str],
) -> Table:
    """Return the table of rows with a value for each of ``fields``.

    Values are separated by commas, semicolons or tabs, else by blanks: what the first row uses.
    Empty lines and those that start with ``%`` are passed over.

    :param lines: the lines, the first of which is line ``first_line`` of ``where``
    :param missing: the texts that stand for a missing value, except where they are among the
        levels of the column
    :raises DataError: if a row has too few or too many values, a numeric column holds text, a
        nominal one a level that it does not declare, or there is no row
    """
    rows = [
        (number, line)
        for number, line in enumerate(lines, first_line)
        if line.strip() and not line.lstrip().startswith("%")
    ]
    if not rows:
        raise DataError(f"{where} has no rows")
    check_width(len(fields), where)
    check_names([field.name for field in fields], where)
    check_cells(len(rows), len(fields), where)
    separator = next((mark for mark in (",", ";", "\t") if mark in rows[0][1]), " ")
    columns = _parse(rows, separator, fields, missing, where)
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    return Table(columns, where, lines=numbers)


def _parse(
    rows: Rows, separator: str, fields: Sequence[Field], missing: Collection[str], where: str
) -> tuple[Column, ...]:
    n_rows, n_columns = len(rows), len(fields)
    numbers = np.empty((n_columns, n_rows))
    labels = {
        i: np.empty(n_rows, dtype=object) for i, f in enumerate(fields) if f.kind != "numeric"
    }
    # Only "?" is ARFF's own: "None" or "NA" may be a level that the header declares.
    gone = {i: frozenset(missing) - set(fields[i].levels) for i in labels}
    block = max(1, _CELLS_A_BLOCK // n_columns)
    split = _split(rows, separator, where)
    for start in range(0, n_rows, block):
        part = list(itertools.islice(split, block))
        for number, row in part:
            if len(row) != n_columns:
                raise DataError(
                    f"{where}:{number} has {counted(len(row), 'value')}, but "
                    f"{n_columns} {'is' if n_columns == 1 else 'are'} expected"
                )
        stop = start + len(part)
        for i, tokens in enumerate(zip(*(row for _, row in part), strict=True)):
            if i in labels:
                labels[i][start:stop] = [None if t in gone[i] else t for t in tokens]
                continue
            try:
                numbers[i, start:stop] = np.array(tokens, dtype=np.float64)
            except ValueError:
                for k, token in enumerate(tokens):
                    place = f"{where}:{part[k][0]}"
                    numbers[i, start + k] = _number(token, missing, fields[i].name, place)
    empty = np.empty(0)
    columns = []
    for i, field in enumerate(fields):
        if i not in labels:
            columns.append(Column(field.name, numbers[i]))
            continue
        if field.levels:
            _check_levels(field, labels[i], rows, where)
        columns.append(Column(field.name, empty, labels[i], field.kind == "nominal"))
    return tuple(columns)


def _number(token: str, missing: Collection[str], name: str, place: str) -> float:
    if token in missing:
        return float("nan")
    try:
        return float(token)
    except ValueError:
        raise DataError(
            f"{place} has {token[:40]!r} in column {name!r}, which its header declares numeric; "
            "list it under na_values: if it means missing"
        ) from None


def _check_levels(field: Field, labels: NDArray[np.object_], rows: Rows, where: str) -> None:
    unknown = set(labels) - set(field.levels) - {None}
    if unknown:
        row = next(i for i, label in enumerate(labels) if label in unknown)
        raise DataError(
            f"{where}:{rows[row][0]} has {labels[row][:40]!r} in column {field.name!r}, "
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
