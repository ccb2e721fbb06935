"""Excel's ``.xlsx`` workbooks, by way of openpyxl: the values of one sheet."""

import io
import warnings
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from boostbench.data import bounds
from boostbench.data.headers import is_header, named
from boostbench.data.numbers import PLAIN, NumberFormat, formats_of
from boostbench.data.table import Column, Table, check_cells, check_width, column_of_texts
from boostbench.errors import DataError
from boostbench.suggest import counted, listing

_OLD_MAGIC = b"\xd0\xcf\x11\xe0"
_MEMBER = "xl/workbook.xml"


def is_workbook(content: bytes) -> bool:
    """Return whether ``content`` is a workbook: an ``.xlsx`` or an ``.xls``."""
    if content.startswith(_OLD_MAGIC):
        return True
    if not content.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _MEMBER in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def parse_workbook(
    content: bytes,
    where: str,
    *,
    number_format: NumberFormat = PLAIN,
    missing: Collection[str],
) -> Table:
    """Return the table of the first sheet that has one; its first row may hold the names.

    A table has at least two rows and two columns; without one, the first sheet with a value counts.

    Empty rows are passed over. Formulas count by the value that was saved with them.

    :param number_format: how cells write numbers that they hold as text
    :param missing: the texts that stand for a missing value
    :raises DataError: if it is damaged or too large, the first row names some columns but not
        all, or openpyxl is not installed
    """
    if content.startswith(_OLD_MAGIC):
        raise DataError(f"{where} is an Excel 97-2003 file; save it as .xlsx or .csv")
    try:
        import openpyxl
    except ImportError:
        raise DataError(
            f"{where} is an Excel file, which needs openpyxl: pip install 'boostbench[excel]'"
        ) from None
    _check_archive(content, where)
    try:
        with warnings.catch_warnings():
            # Of styles and links that do not matter to the values.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(
                io.BytesIO(content), read_only=True, data_only=True, keep_links=False
            )
            try:
                return _first_table(book, where, number_format, missing)
            finally:
                book.close()
    except DataError:
        raise
    except Exception as error:  # openpyxl raises many kinds on damaged files
        why = " ".join(str(error).split())[:200]
        raise DataError(f"{where} is a damaged Excel file: {why}") from None


def _check_archive(content: bytes, where: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise DataError(f"{where} is a damaged Excel file: {error}") from None
    if len(members) > bounds.MAX_ZIP_MEMBERS:
        raise DataError(f"{where} has {len(members):,} members, too many for a workbook")
    if sum(member.file_size for member in members) > bounds.MAX_UNPACKED_BYTES:
        limit = bounds.readable_size(bounds.MAX_UNPACKED_BYTES)
        raise DataError(f"{where} is larger than {limit} unpacked, the most that is allowed")


def _first_table(
    book: Any, where: str, number_format: NumberFormat, missing: Collection[str]
) -> Table:
    names, found = book.sheetnames, None
    for sheet in book.worksheets:
        # What a file says of a sheet's size is often wrong, and only cells count.
        sheet.reset_dimensions()
        rows, numbers = _filled_rows(sheet, where)
        if rows and found is None:
            found = sheet.title, rows, numbers
        # A note before the data is no table.
        if len(rows) > 1 and max(map(len, rows)) > 1:
            found = sheet.title, rows, numbers
            break
    if found is None:
        raise DataError(f"{where} has no sheet with values in it")
    title, rows, numbers = found
    if len(names) == 1:
        return _table(rows, numbers, where, number_format, missing)
    table = _table(rows, numbers, f"{where}, sheet {title!r},", number_format, missing)
    others = listing((repr(name) for name in names if name != title), 5)
    return replace(table, remarks=(f"sheet {title!r} read, not {others}",))


def _filled_rows(sheet: Any, where: str) -> tuple[list[tuple[Any, ...]], list[int]]:
    rows: list[tuple[Any, ...]] = []
    numbers: list[int] = []
    width = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > bounds.MAX_LINES:
            raise DataError(f"{where} has more than {bounds.MAX_LINES:,} rows")
        filled = [i for i, value in enumerate(row, 1) if value is not None and value != ""]
        if not filled:
            continue
        row = row[: filled[-1]]
        rows.append(row)
        numbers.append(number)
        width = max(width, len(row))
        check_width(width, where)
        check_cells(len(rows), width, where)
    return rows, numbers


def _table(
    rows: Sequence[tuple[Any, ...]],
    numbers: Sequence[int],
    where: str,
    number_format: NumberFormat,
    missing: Collection[str],
) -> Table:
    width = max(map(len, rows))
    first, *_ = texts = [[_text(value) for value in row] for row in rows[:2]]
    first += [""] * (width - len(first))
    lacking = [text for text in first[1:] if not text]
    if lacking and 2 * len(lacking) >= width - 1:
        raise DataError(
            f"{where} has {width} columns, but {counted(width - first.count(''), 'value')} in row "
            f"{numbers[0]}, the first: put a name into each cell of that row, without a title "
            "above it and without merged cells"
        )
    header = is_header(first, texts[-1], number_format)
    names = [" ".join(name.split()) for name in first] if header else []
    body = rows[header:]
    if not body:
        raise DataError(f"{where} has a header but no rows")
    columns = []
    for i, name in enumerate(names or [f"x{i}" for i in range(1, width + 1)]):
        values = [row[i] if i < len(row) else None for row in body]
        columns.append(replace(_column(name, values, number_format, missing), unnamed=not name))
    lines = np.array(numbers[header:], dtype=np.int64)
    return Table(named(columns, where), where, lines=lines, unit="row")


def _column(
    name: str, values: list[Any], number_format: NumberFormat, missing: Collection[str]
) -> Column:
    if all(value is None or type(value) in (int, float) for value in values):
        numbers = [np.nan if value is None else float(value) for value in values]
        return Column(name, np.array(numbers, dtype=np.float64))
    texts = [_text(value, number_format.decimal) for value in values]
    column = column_of_texts(name, texts, missing, number_format)
    # How cells of numbers are shown says nothing about those that hold text.
    written = {v.strip() for v in values if isinstance(v, str)} - set(missing)
    return column if column.formats is None else replace(column, formats=formats_of(written))


def _text(value: Any, decimal: str = ".") -> str:
    if value is None:
        return ""
    if type(value) is float and value.is_integer():
        return str(int(value))
    return str(value).replace(".", decimal) if type(value) is float else str(value)
