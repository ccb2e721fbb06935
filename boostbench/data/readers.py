"""A user's file as a table, in any known format."""

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from math import isnan, nan
from pathlib import Path
from typing import Any

import pandas as pd

from boostbench.data.attributes import looks_like_attributes, parse_attributes
from boostbench.data.binary import parse_mat
from boostbench.data.content import (
    PACKED_SUFFIXES,
    ZIP_MAGIC,
    decode,
    encoding_of,
    members,
    read_file,
    reading,
    unpack,
)
from boostbench.data.delimited import parse_delimited
from boostbench.data.frames import is_frame, parse_frame
from boostbench.data.stored import is_stored, parse_stored
from boostbench.data.table import Table
from boostbench.data.text_format import PLAIN, TextFormat
from boostbench.errors import DataError
from boostbench.suggest import counted, listing

_OLD_EXCEL_MAGIC = b"\xd0\xcf\x11\xe0"
_FORMULA = re.compile(rb"<(?:\w+:)?f[ />]")
_NOT_READ = {".json", ".jsonl", ".ndjson", ".ods", ".xlsb", ".numbers"}


def parse_bytes(
    content: bytes,
    where: str,
    kind: str,
    encoding: str = "utf-8",
    *,
    texts: TextFormat = PLAIN,
    header: bool | None = None,
    separator: str | None = None,
    target: str = "",
) -> Table:
    """Return the table of one file's content in the format ``kind``; DataError for another format.

    ``kind`` is ``delimited``, ``arff``, ``keel`` or ``mat``; ``header``, ``separator`` and
    ``target`` are those of :func:`parse_delimited`.
    """
    if kind == "mat":
        return parse_mat(content, where)
    text = decode(content, where, encoding)
    if kind == "delimited":
        return parse_delimited(
            text, where, header=header, separator=separator, texts=texts, target=target
        )
    lines = text.split("\n")
    return parse_attributes(lambda: lines, where, texts, keel=kind == "keel")


def read_table(
    path: Path,
    *,
    encoding: str = "utf-8",
    texts: TextFormat = PLAIN,
    header: bool | None = None,
    target: str = "",
    name: str = "",
) -> Table:
    """Return the table of a user's file: delimited text, ARFF, KEEL, MATLAB, Excel, Parquet...

    It may be compressed (gzip, .xz, .bz2, .Z), or the only file in a zip. The first bytes show the
    format, and the ending of the name if it is ``.mat``, ``.arff`` or ``.dat``. ``header`` and
    ``target`` are those of :func:`parse_delimited`. A table from Python is named in messages by its
    data set, ``name``: users do not know its file. Raises DataError if the file is missing,
    damaged, too large or in another format.
    """
    where = path.name
    if other := _NOT_READ.intersection(map(str.lower, path.suffixes)):
        raise DataError(f"{where}: {other.pop()[1:].upper()} is not read; save the table as .csv")
    content = read_file(path)
    if is_stored(content):
        if header is not None:
            raise DataError(f"{where} names its columns itself: leave out the key 'header'")
        return parse_stored(content, f"data set '{name}'" if name else where, texts)
    if not _is_workbook(content, where):
        content = unpack(content, where)
    _refuse_others(content, path)
    if _is_workbook(content, where):
        return parse_workbook(content, where, texts, header, target)
    kind = "frame" if is_frame(content) else _kind_of_text(content, path, encoding)
    if header is not None and kind != "delimited":
        raise DataError(f"{where} names its columns itself: leave out the key 'header'")
    if kind == "frame":
        return parse_frame(content, where, texts)
    return parse_bytes(content, where, kind, encoding, texts=texts, header=header, target=target)


def _refuse_others(content: bytes, path: Path) -> None:
    """Raise DataError for an empty file, and for the formats that are not read."""
    if not content.strip():
        raise DataError(f"{path} is empty")
    if content[257:262] == b"ustar":
        raise DataError(f"{path.name} is a .tar archive, which is not read; unpack it, or use .gz")
    if content.startswith(_OLD_EXCEL_MAGIC):
        raise DataError(f"{path.name} is an Excel 97-2003 file; save it as .xlsx or .csv")


def _kind_of_text(content: bytes, path: Path, encoding: str) -> str:
    """Return which of the formats of :func:`parse_bytes` a file without a mark of its own has."""
    suffix = path.suffix.lower()
    if suffix in PACKED_SUFFIXES:
        suffix = path.with_suffix("").suffix.lower()
    if suffix in (".arff", ".mat"):
        return suffix[1:]
    head = content[:100_000].decode(encoding_of(content, encoding), errors="replace")
    if not looks_like_attributes(head):
        return "delimited"
    return "keel" if "@input" in head.lower() or suffix == ".dat" else "arff"


def _is_workbook(content: bytes, where: str) -> bool:
    return content.startswith(ZIP_MAGIC) and any(
        member.filename == "xl/workbook.xml" for member in members(content, where)
    )


def parse_workbook(
    content: bytes, where: str, texts: TextFormat, header: bool | None = None, target: str = ""
) -> Table:
    """Return the table of the first sheet that has one; its first row may hold the names.

    A table has at least two rows and two columns; without one, the first sheet with a value counts.
    Empty rows are skipped. Formulas have the value that was saved with them; DataError where one
    has none.
    """

    def as_text(value: object) -> str:
        # Pandas reads errors such as #DIV/0! as NaN.
        text = "" if isinstance(value, float) and isnan(value) else " ".join(str(value).split("\n"))
        return text.replace(".", texts.decimal) if isinstance(value, float) else text

    lacking = "an Excel file, which needs openpyxl: pip install 'boostbench[excel]'"
    with reading(where, "a damaged Excel file", lacking):
        sheets = _sheets_in(content)
        n_rows = {title: int((sheets[title] != "").any(axis=1).sum()) for title in sheets}
        filled = [title for title in sheets if n_rows[title]]
        # A note before the data is not a table.
        tables = [t for t in filled if min(n_rows[t], sheets[t].shape[1]) > 1]
        title = next(iter([*tables, *filled]), "")
        # One without values may have come before.
        _check_formulas(content, where, list(sheets)[: [*sheets, title].index(title) + 1])
        if not filled:
            raise DataError(f"{where} has no sheet with values in it")
        others = [repr(name) for name in sheets if name != title]
        place = f"{where}, sheet {title!r}," if others else where
        text = sheets[title].map(as_text).to_csv(index=False, header=False)
        table = parse_delimited(
            text, place, separator=",", texts=texts, header=header, target=target
        )
        remarks = [f"sheet {title!r} read, not {listing(others, 5)}"] if others else []
        if n_errors := int(sheets[title].isna().sum().sum()):
            many = counted(n_errors, "cell")
            remarks.append(f"{many} with an error, such as #N/A or #DIV/0!, read as missing")
        return replace(table, unit="row", remarks=tuple(remarks))


def _sheets_in(content: bytes) -> dict[str, pd.DataFrame]:
    """Return the values of each sheet: "" for an empty cell, NaN for an error such as #DIV/0!.

    Not by pandas, which before version 3 gives the first of equal values, 1 and True, for all.
    """
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    sheets = {}
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # those that a file states may be wrong
        rows = [_without_last(list(map(_value_of, row)), "") for row in sheet.rows]
        columns = zip_longest(*_without_last(rows, []), fillvalue="")
        sheets[str(sheet.title)] = pd.DataFrame(dict(enumerate(columns)), dtype=object)
    return sheets


def _check_formulas(content: bytes, where: str, titles: Sequence[str]) -> None:
    """Raise DataError for formulas in these sheets that no program has calculated."""
    from openpyxl import load_workbook

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        if not any(_FORMULA.search(archive.read(name)) for name in sheets):
            return
    options = {"read_only": True, "keep_links": False}
    with_values = load_workbook(io.BytesIO(content), data_only=True, **options)
    with_formulas = load_workbook(io.BytesIO(content), **options)
    for title in titles:
        pairs = []
        for book in (with_values, with_formulas):
            book[title].reset_dimensions()
            pairs.append(chain.from_iterable(book[title].rows))
        # A formula whose value is an empty text has the type of a text.
        lacking = [
            formula.coordinate
            for cell, formula in zip(*pairs, strict=True)
            if formula.data_type == "f" and cell.value is None and cell.data_type == "n"
        ]
        if lacking:
            raise DataError(
                f"{where} has {counted(len(lacking), 'formula')} without a stored value in sheet "
                f"{title!r} ({listing(lacking, 3)}); open it in Excel or LibreOffice, and save it "
                "there"
            )


def _without_last(values: list[Any], empty: object) -> list[Any]:
    """Return values up to the last that is not empty."""
    while values and values[-1] == empty:
        values.pop()
    return values


def _value_of(cell: Any) -> object:
    """Return the value of a cell of openpyxl, whole numbers without a point."""
    if cell.value is None:
        return ""
    if cell.data_type == "e":
        return nan
    if cell.data_type == "n" and int(cell.value) == cell.value:
        return int(cell.value)
    return cell.value
