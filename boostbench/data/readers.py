"""A file's content, unpacked and as a table, in any known format.

Never more is unpacked from gzip, zip and .Z files than the bounds allow.
"""

import gzip
import io
import stat
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np
import pandas as pd

from boostbench.data import bounds
from boostbench.data.attributes import looks_like_attributes, parse_attributes
from boostbench.data.binary import parse_mat
from boostbench.data.delimited import decode, parse_delimited
from boostbench.data.table import PLAIN, Table, TextFormat, check_names
from boostbench.errors import DataError
from boostbench.suggest import listing

_ZIP_MAGIC = b"PK\x03\x04"
_PARQUET_MAGIC = b"PAR1"
_FEATHER_MAGICS = (b"ARROW1", b"FEA1")
_OLD_EXCEL_MAGIC = b"\xd0\xcf\x11\xe0"
_BAD_ZIP = "a damaged or unsupported zip file"
_NOT_READ = {".json", ".jsonl", ".ndjson", ".ods", ".xlsb", ".numbers"}


def parse_bytes(
    content: bytes, where: str, kind: str, encoding: str = "utf-8", **options: Any
) -> Table:
    """Return the table of one file's content in the format ``kind``; DataError for another format.

    ``kind`` is ``delimited``, ``arff``, ``keel`` or ``mat``; ``options`` are those of
    :func:`parse_delimited`, of which the other formats use only ``texts``.
    """
    if kind == "mat":
        return parse_mat(content, where)
    text = decode(content, where, encoding)
    if kind == "delimited":
        return parse_delimited(text, where, **options)
    lines, texts = text.split("\n"), options.get("texts", PLAIN)
    return parse_attributes(lambda: lines, where, texts, keel=kind == "keel")


def read_table(path: Path, *, encoding: str = "utf-8", texts: TextFormat = PLAIN) -> Table:
    """Return the table of a user's file: delimited text, ARFF, KEEL, MATLAB, Excel, Parquet...

    It may be compressed by gzip, or the only file in a zip. The first bytes show the format, and
    the ending of the name if it is ``.mat``, ``.arff`` or ``.dat``. Raises DataError if it is
    missing, damaged, too large or in another format.
    """
    where, suffix = path.name, path.suffix.lower()
    content = read_file(path)
    if other := _NOT_READ.intersection(map(str.lower, path.suffixes)):
        raise DataError(f"{where}: {other.pop()[1:].upper()} is not read; save the table as .csv")
    if not _is_workbook(content, where):
        content = unpack(content, where)
    if not content.strip():
        raise DataError(f"{path} is empty")
    if content.startswith(_OLD_EXCEL_MAGIC):
        raise DataError(f"{where} is an Excel 97-2003 file; save it as .xlsx or .csv")
    if _is_workbook(content, where):
        return parse_workbook(content, where, texts)
    if content.startswith((_PARQUET_MAGIC, *_FEATHER_MAGICS)):
        return parse_frame(content, where)
    if suffix in (".gz", ".zip"):
        suffix = path.with_suffix("").suffix.lower()
    kind = suffix[1:]
    if kind not in ("arff", "mat"):
        head = content[:100_000].decode(encoding, errors="replace")
        is_keel = "@input" in head.lower() or kind == "dat"
        kind = "delimited" if not looks_like_attributes(head) else "keel" if is_keel else "arff"
    return parse_bytes(content, where, kind, encoding, texts=texts)


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
        if status.st_size > bounds.MAX_UNPACKED_BYTES:
            raise bounds.too_large(str(path))
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {path}") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


def unpack(content: bytes, where: str, member: str = "") -> bytes:
    """Return the unpacked content of a gzip, zip or .Z file; other ``content`` as it is.

    ``member`` of a zip is a path or file name; it may be empty if the zip holds one file. Raises
    DataError if the archive is damaged, unsafe or too large, or lacks the member.
    """
    if content.startswith((_ZIP_MAGIC, b"PK\x05\x06")):
        # The member may be a gzip or .Z file, but no zip: archives can contain themselves.
        content, where = _from_zip(content, member, where), f"{where}:{member or 'its file'}"
    kind = {b"\x1f\x8b": "gzip", b"\x1f\x9d": ".Z"}.get(content[:2])
    if kind is None:
        return content
    try:
        with warnings.catch_warnings():
            # uncompresspy only warns of a truncated last code and of unknown flags.
            warnings.simplefilter("error", RuntimeWarning)
            if kind == "gzip":
                return _bounded(gzip.open(io.BytesIO(content)), where)
            from uncompresspy import LZWFile

            return _bounded(LZWFile(io.BytesIO(content), save_checkpoints=False), where)
    except (OSError, EOFError, zlib.error, ValueError, RuntimeWarning) as error:
        raise DataError(f"{where} is a damaged {kind} file: {error}") from None


def _bounded(file: IO[bytes] | io.BufferedIOBase, where: str) -> bytes:
    with file:
        inner: bytes = file.read(bounds.MAX_UNPACKED_BYTES + 1)
    if len(inner) > bounds.MAX_UNPACKED_BYTES:
        raise bounds.too_large(where)
    return inner


def _members(content: bytes, where: str) -> list[zipfile.ZipInfo]:
    """Return the files in a zip; DataError if they are too large to be read into memory."""
    with _reading(where, _BAD_ZIP), zipfile.ZipFile(io.BytesIO(content)) as archive:
        infos = archive.infolist()
    if sum(info.file_size for info in infos) > bounds.MAX_UNPACKED_BYTES:
        raise bounds.too_large(where)
    return [info for info in infos if not info.is_dir()]


def _from_zip(content: bytes, member: str, where: str) -> bytes:
    files = _members(content, where)
    found = [info for info in files if info.filename == member]
    found = found or [i for i in files if PurePosixPath(i.filename).name == member]
    if not member and len(files) == 1:
        found = files
    if len(found) != 1:
        names = ", ".join(" ".join(i.filename[:80].split()) for i in files[:10]) or "nothing"
        raise DataError(f"{where} does not hold {member or 'exactly one file'}; it holds {names}")
    with _reading(where, _BAD_ZIP), zipfile.ZipFile(io.BytesIO(content)) as archive:
        return _bounded(archive.open(found[0]), where)


@contextmanager
def _reading(where: str, damaged: str, lacking: str = "") -> Iterator[None]:
    """Turn any exception of a reader, for a damaged file or a missing package, into a DataError."""
    try:
        with warnings.catch_warnings():
            # Warnings about styles and links do not concern the values.
            warnings.simplefilter("ignore")
            yield
    except DataError:
        raise
    except ImportError:
        raise DataError(f"{where} is {lacking}") from None
    except Exception as error:  # these readers raise many kinds on damaged files
        why = " ".join(str(error).split())[:200]
        raise DataError(f"{where} is {damaged}: {why}") from None


def parse_workbook(content: bytes, where: str, texts: TextFormat) -> Table:
    """Return the table of the first sheet that has one; its first row may hold the names.

    A table has at least two rows and two columns; without one, the first sheet with a value counts.
    Empty rows are skipped. Formulas have the value that was saved with them.
    """

    def as_text(value: object) -> str:
        text = " ".join(str(value).split("\n"))
        return text.replace(".", texts.decimal) if isinstance(value, float) else text

    lacking = "an Excel file, which needs openpyxl: pip install 'boostbench[excel]'"
    with _reading(where, "a damaged Excel file", lacking):
        options: Any = {"header": None, "dtype": object, "na_filter": False, "engine": "openpyxl"}
        sheets = pd.read_excel(io.BytesIO(content), sheet_name=None, **options)
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
        table = parse_delimited(text, place, separator=",", texts=texts)
        remark = f"sheet {title!r} read, not {listing(others, 5)}"
        return replace(table, unit="row", remarks=(remark,) if others else ())


def parse_frame(content: bytes, where: str, *, declared: bool = False) -> Table:
    """Return the table of a Parquet file, or of a Feather file of version 2 (Arrow's own format).

    If ``declared``, text columns count as nominal, like those of OpenML; else only categories do.
    """
    if content.startswith(_FEATHER_MAGICS[1]):
        raise DataError(f"{where} is a Feather file of version 1; save it as version 2 or .csv")
    kind = "Feather" if content.startswith(_FEATHER_MAGICS) else "Parquet"
    lacking = f"a {kind} file, which needs pyarrow: pip install 'boostbench[parquet]'"
    with _reading(where, f"a damaged {kind} file", lacking):
        frame = (pd.read_feather if kind == "Feather" else pd.read_parquet)(io.BytesIO(content))
        if frame.empty:
            raise DataError(f"{where} has no rows")
        # As in a CSV file of the same frame, an index that has a name is a column.
        frame = frame.reset_index(drop=set(frame.index.names) == {None}, allow_duplicates=True)
        names = [str(name) for name in frame.columns]
        check_names(names, where)
        frame = frame.set_axis(names, axis=1)
        for name, dtype in frame.dtypes.items():
            if pd.api.types.is_numeric_dtype(dtype):
                frame[name] = frame[name].astype(np.float64)
            else:
                frame[name] = frame[name].astype("str")
                if declared or isinstance(dtype, pd.CategoricalDtype):
                    frame[name] = frame[name].astype("category")
        return Table(frame, where)
