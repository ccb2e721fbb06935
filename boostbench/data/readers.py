"""A file's content as a table, in whichever format it is."""

from pathlib import Path

from boostbench.data import archives
from boostbench.data.attributes import looks_like_attributes, parse_arff, parse_keel
from boostbench.data.binary import parse_mat
from boostbench.data.delimited import decode, parse_delimited
from boostbench.data.frames import (
    FEATHER_MAGICS,
    PARQUET_MAGIC,
    parse_feather,
    parse_parquet,
    parse_workbook,
)
from boostbench.data.table import PLAIN, Table, TextFormat
from boostbench.errors import DataError

_OLD_EXCEL_MAGIC = b"\xd0\xcf\x11\xe0"
_BINARY = {
    ".xlsx": "an Excel",
    ".xlsm": "an Excel",
    ".parquet": "a Parquet",
    ".feather": "a Feather",
}
_NOT_READ = {".json", ".jsonl", ".ndjson", ".ods", ".xlsb", ".numbers"}


def parse_bytes(
    content: bytes,
    where: str,
    kind: str,
    *,
    encoding: str = "utf-8",
    separator: str | None = None,
    header: bool | None = None,
    skip_lines: int = 0,
    texts: TextFormat = PLAIN,
) -> Table:
    """Return the table of one file's content in the format ``kind``; DataError if it is not.

    ``kind`` is ``delimited``, ``arff``, ``keel`` or ``mat``.
    """
    if kind == "mat":
        return parse_mat(content, where)
    text = decode(content, where, encoding)
    if kind in ("arff", "keel"):
        lines = text.split("\n")
        return (parse_arff if kind == "arff" else parse_keel)(lambda: lines, where, texts)
    return parse_delimited(
        text, where, header=header, separator=separator, skip_lines=skip_lines, texts=texts
    )


def read_table(path: Path, *, encoding: str = "utf-8", texts: TextFormat = PLAIN) -> Table:
    """Return the table of a user's file: delimited text, ARFF, KEEL, MATLAB, Excel, Parquet...

    It may be compressed by gzip, or the only file in a zip. The first bytes show the format, and
    the ending of the name if it is ``.mat``, ``.arff`` or ``.dat``. Raises DataError if it is
    missing, damaged, too large or in another format.
    """
    where, suffix = path.name, path.suffix.lower()
    content = archives.read_file(path)
    if other := _NOT_READ.intersection(map(str.lower, path.suffixes)):
        raise DataError(f"{where}: {other.pop()[1:].upper()} is not read; save the table as .csv")
    if not _is_workbook(content, where):
        content = archives.unpack(content, where)
    if not content.strip():
        raise DataError(f"{path} is empty")
    if content.startswith(_OLD_EXCEL_MAGIC):
        raise DataError(f"{where} is an Excel 97-2003 file; save it as .xlsx or .csv")
    if _is_workbook(content, where):
        return parse_workbook(content, where, texts)
    if content.startswith(PARQUET_MAGIC):
        return parse_parquet(content, where, declared=False)
    if content.startswith(FEATHER_MAGICS):
        return parse_feather(content, where)
    if suffix in _BINARY:
        raise DataError(
            f"{where} is not {_BINARY[suffix]} file, although its name ends in {suffix}; "
            "save it as one, or give it the ending of what it is, such as .csv"
        )
    kind = _kind_of(path, content, encoding)
    return parse_bytes(content, where, kind, encoding=encoding, texts=texts)


def _is_workbook(content: bytes, where: str) -> bool:
    return content.startswith(archives.ZIP_MAGIC) and any(
        member.filename == "xl/workbook.xml" for member in archives.members(content, where)
    )


def _kind_of(path: Path, content: bytes, encoding: str) -> str:
    packed = path.suffix.lower() in (".gz", ".zip")
    suffix = (path.with_suffix("").suffix if packed else path.suffix).lower()
    if suffix in (".arff", ".mat"):
        return suffix[1:]
    head = content[:100_000].decode(encoding, errors="replace")
    if not looks_like_attributes(head):
        return "delimited"
    return "keel" if "@input" in head.lower() or suffix == ".dat" else "arff"
