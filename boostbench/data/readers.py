"""A file's content, unpacked and as a table, in any known format.

Never more is unpacked from packed files than the bounds allow.
"""

import bz2
import gzip
import io
import lzma
import stat
import warnings
import zipfile
import zlib
from dataclasses import replace
from itertools import zip_longest
from math import isnan, nan
from pathlib import Path, PurePosixPath
from typing import IO, Any

import pandas as pd

from boostbench.data import bounds
from boostbench.data.attributes import looks_like_attributes, parse_attributes
from boostbench.data.binary import parse_mat
from boostbench.data.delimited import decode, parse_delimited
from boostbench.data.frames import is_frame, parse_frame, reading
from boostbench.data.stored import is_stored, parse_stored
from boostbench.data.table import Table
from boostbench.data.text_format import PLAIN, TextFormat
from boostbench.errors import DataError
from boostbench.suggest import counted, listing

_ZIP_MAGIC = b"PK\x03\x04"
_OLD_EXCEL_MAGIC = b"\xd0\xcf\x11\xe0"
_PACKED = {b"\x1f\x8b": "gzip", b"\x1f\x9d": ".Z", b"\xfd7zXZ\0": ".xz", b"BZh": ".bz2"}
# A text may begin with BZh; these come after it, and a digit, in a .bz2 file.
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
_PACKED_SUFFIXES = (".gz", ".zip", ".z", ".xz", ".bz2")
_NOT_UNPACKED = {b"(\xb5/\xfd": ".zst", b"7z\xbc\xaf'\x1c": ".7z", b"Rar!\x1a\x07": ".rar"}
_BAD_ZIP = "a damaged or unsupported zip file"
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
) -> Table:
    """Return the table of one file's content in the format ``kind``; DataError for another format.

    ``kind`` is ``delimited``, ``arff``, ``keel`` or ``mat``; ``header`` and ``separator``
    are those of :func:`parse_delimited`.
    """
    if kind == "mat":
        return parse_mat(content, where)
    text = decode(content, where, encoding)
    if kind == "delimited":
        return parse_delimited(text, where, header=header, separator=separator, texts=texts)
    lines = text.split("\n")
    return parse_attributes(lambda: lines, where, texts, keel=kind == "keel")


def read_table(
    path: Path, *, encoding: str = "utf-8", texts: TextFormat = PLAIN, header: bool | None = None
) -> Table:
    """Return the table of a user's file: delimited text, ARFF, KEEL, MATLAB, Excel, Parquet...

    It may be compressed (gzip, .xz, .bz2, .Z), or the only file in a zip. The first bytes show the
    format, and the ending of the name if it is ``.mat``, ``.arff`` or ``.dat``. ``header`` is that
    of :func:`parse_delimited`. Raises DataError if it is missing, damaged, too large or in another
    format.
    """
    where = path.name
    if other := _NOT_READ.intersection(map(str.lower, path.suffixes)):
        raise DataError(f"{where}: {other.pop()[1:].upper()} is not read; save the table as .csv")
    content = read_file(path)
    if is_stored(content):
        if header is not None:
            raise DataError(f"{where} names its columns itself: leave out the key 'header'")
        return parse_stored(content, where, texts)
    if not _is_workbook(content, where):
        content = unpack(content, where)
    if not content.strip():
        raise DataError(f"{path} is empty")
    if content[257:262] == b"ustar":
        raise DataError(f"{where} is a .tar archive, which is not read; unpack it, or use .gz")
    if content.startswith(_OLD_EXCEL_MAGIC):
        raise DataError(f"{where} is an Excel 97-2003 file; save it as .xlsx or .csv")
    if _is_workbook(content, where):
        return parse_workbook(content, where, texts, header)
    kind = "frame" if is_frame(content) else _kind_of_text(content, path, encoding)
    if header is not None and kind != "delimited":
        raise DataError(f"{where} names its columns itself: leave out the key 'header'")
    if kind == "frame":
        return parse_frame(content, where, texts)
    return parse_bytes(content, where, kind, encoding, texts=texts, header=header)


def _kind_of_text(content: bytes, path: Path, encoding: str) -> str:
    """Return which of the formats of :func:`parse_bytes` a file without a mark of its own has."""
    suffix = path.suffix.lower()
    if suffix in _PACKED_SUFFIXES:
        suffix = path.with_suffix("").suffix.lower()
    if suffix in (".arff", ".mat"):
        return suffix[1:]
    head = content[:100_000].decode(encoding, errors="replace")
    if not looks_like_attributes(head):
        return "delimited"
    return "keel" if "@input" in head.lower() or suffix == ".dat" else "arff"


def _is_workbook(content: bytes, where: str) -> bool:
    return content.startswith(_ZIP_MAGIC) and any(
        member.filename == "xl/workbook.xml" for member in _members(content, where)
    )


def read_file(path: Path) -> bytes:
    """Return the content of a regular file; DataError if it cannot be read or is too large."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise DataError(f"{path} is not a file")
        bounds.check_size(status.st_size, str(path))
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {path}") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


def unpack(content: bytes, where: str, member: str = "") -> bytes:
    """Return the unpacked content of a gzip, .xz, .bz2, .Z or zip file; other ``content`` as it is.

    ``member`` of a zip is a path or file name; it may be empty if the zip holds one file. Raises
    DataError if the archive is damaged, unsafe or too large, or lacks the member.
    """
    if content.startswith((_ZIP_MAGIC, b"PK\x05\x06")):
        # The member may be packed, but not by zip: archives can contain themselves.
        content, where = _from_zip(content, member, where), f"{where}:{member or 'its file'}"
    kind = _packed_by(content, where)
    if not kind:
        return content
    try:
        with warnings.catch_warnings():
            # uncompresspy only warns of a truncated last code and of unknown flags.
            warnings.simplefilter("error", RuntimeWarning)
            return _bounded(_opened(io.BytesIO(content), kind), where)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError, RuntimeWarning) as error:
        raise DataError(f"{where} is a damaged {kind} file: {error}") from None


def _opened(packed: IO[bytes], kind: str) -> IO[bytes] | io.BufferedIOBase:
    """Return a packed file opened to read what is in it."""
    match kind:
        case "gzip":
            return gzip.open(packed)
        case ".xz":
            return lzma.open(packed)
        case ".bz2":
            return bz2.open(packed)
    from uncompresspy import LZWFile

    unpacked: IO[bytes] = LZWFile(packed, save_checkpoints=False)
    return unpacked


def _packed_by(content: bytes, where: str) -> str:
    """Return what packed a file, empty for none; DataError if such files are not read."""
    for magic, other in _NOT_UNPACKED.items():
        if content.startswith(magic):
            raise DataError(f"{where} is a {other} file, which is not read; unpack it, or use .gz")
    kind = next((kind for magic, kind in _PACKED.items() if content.startswith(magic)), "")
    return "" if kind == ".bz2" and content[4:10] not in _BZIP2_BLOCKS else kind


def _bounded(file: IO[bytes] | io.BufferedIOBase, where: str) -> bytes:
    with file:
        inner: bytes = file.read(bounds.MAX_UNPACKED_BYTES + 1)
    bounds.check_size(len(inner), where)
    return inner


def _members(content: bytes, where: str) -> list[zipfile.ZipInfo]:
    """Return the files in a zip; DataError if they are too large to be read into memory."""
    with reading(where, _BAD_ZIP), zipfile.ZipFile(io.BytesIO(content)) as archive:
        infos = archive.infolist()
    bounds.check_size(sum(info.file_size for info in infos), where)
    return [info for info in infos if not info.is_dir()]


def _from_zip(content: bytes, member: str, where: str) -> bytes:
    files = _members(content, where)
    if not member:
        files = [info for info in files if not _is_of_the_system(info.filename)]
    wanted = _named(files, member) if member else files
    if len(wanted) != 1:
        names = ", ".join(" ".join(i.filename[:80].split()) for i in files[:10]) or "nothing"
        raise DataError(f"{where} does not hold {member or 'exactly one file'}; it holds {names}")
    with reading(where, _BAD_ZIP), zipfile.ZipFile(io.BytesIO(content)) as archive:
        return _bounded(archive.open(wanted[0]), where)


def _named(files: list[zipfile.ZipInfo], member: str) -> list[zipfile.ZipInfo]:
    """Return the files with this path, else those with this name in any folder."""
    exact = [info for info in files if info.filename == member]
    return exact or [info for info in files if PurePosixPath(info.filename).name == member]


def _is_of_the_system(name: str) -> bool:
    """Return whether macOS or Windows puts such a file into an archive beside the user's."""
    path = PurePosixPath(name)
    system = path.name.startswith("._") or path.name in (".DS_Store", "Thumbs.db", "desktop.ini")
    return system or path.parts[:1] == ("__MACOSX",)


def parse_workbook(
    content: bytes, where: str, texts: TextFormat, header: bool | None = None
) -> Table:
    """Return the table of the first sheet that has one; its first row may hold the names.

    A table has at least two rows and two columns; without one, the first sheet with a value counts.
    Empty rows are skipped. Formulas have the value that was saved with them.
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
        if not filled:
            raise DataError(f"{where} has no sheet with values in it")
        title = [*tables, *filled][0]
        others = [repr(name) for name in sheets if name != title]
        place = f"{where}, sheet {title!r}," if others else where
        text = sheets[title].map(as_text).to_csv(index=False, header=False)
        table = parse_delimited(text, place, separator=",", texts=texts, header=header)
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
        rows = [_without_last([_value_of(cell) for cell in row], "") for row in sheet.rows]
        columns = zip_longest(*_without_last(rows, []), fillvalue="")
        sheets[str(sheet.title)] = pd.DataFrame(dict(enumerate(columns)), dtype=object)
    return sheets


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
