"""A user's own file: which format it is in, and its table."""

from pathlib import Path

from boostbench.data import archives
from boostbench.data.attributes import looks_like_attributes
from boostbench.data.numbers import PLAIN, NumberFormat
from boostbench.data.parquet import (
    FEATHER_MAGICS,
    PARQUET_MAGIC,
    parse_feather,
    parse_parquet,
)
from boostbench.data.sources import parse_bytes
from boostbench.data.spreadsheet import is_workbook, parse_workbook
from boostbench.data.table import MISSING_TOKENS, Table, with_missing
from boostbench.errors import DataError

_ZIP_MAGIC = b"PK\x03\x04"
_NAMED = {
    ".xlsx": "an Excel",
    ".xlsm": "an Excel",
    ".parquet": "a Parquet",
    ".feather": "a Feather",
}
_JSON = {".json", ".jsonl", ".ndjson"}
_OTHER_BOOKS = (".ods", ".xlsb", ".numbers")


def read_table(
    path: Path,
    *,
    encoding: str = "utf-8",
    number_format: NumberFormat = PLAIN,
    na_values: tuple[str, ...] = (),
) -> Table:
    """Return the table of a file: delimited text, ARFF, KEEL, MATLAB, Parquet, Feather or Excel.

    It may be compressed by gzip, or the only file in a zip. The first bytes show the format, and
    the ending of the name if it is ``.mat``, ``.arff`` or ``.dat``.

    :param encoding: of text
    :param number_format: how numbers are written in text
    :param na_values: texts that stand for missing values, beside the usual ones
    :raises DataError: if it is missing, damaged, too large or in another format
    """
    where = path.name
    missing = MISSING_TOKENS.union(na_values)
    content = archives.read_file(path)
    if not is_workbook(content):
        if content.startswith(_ZIP_MAGIC) and path.suffix.lower() in _OTHER_BOOKS:
            raise DataError(f"{where} is a spreadsheet of another kind; save it as .xlsx or .csv")
        content = archives.unpack(content, where)
    if not content.strip():
        raise DataError(f"{path} is empty")
    if is_workbook(content):
        table = parse_workbook(content, where, number_format=number_format, missing=missing)
    elif content.startswith(PARQUET_MAGIC):
        table = parse_parquet(content, where, declared=False)
    elif content.startswith(FEATHER_MAGICS):
        table = parse_feather(content, where)
    elif json := _JSON.intersection(map(str.lower, path.suffixes)):
        raise DataError(
            f"{where}: {json.pop()[1:].upper()} is not read; save the table as .csv, such as by "
            f"pandas: read_json({where!r}).to_csv({path.stem + '.csv'!r}, index=False)"
        )
    elif path.suffix.lower() in _NAMED:
        raise DataError(
            f"{where} is not {_NAMED[path.suffix.lower()]} file, although its name ends in "
            f"{path.suffix}; save it as one, or give it the ending of what it is, such as .csv"
        )
    else:
        table = parse_bytes(
            content,
            where,
            _kind_of(path, content, encoding),
            encoding=encoding,
            number_format=number_format,
            missing=missing,
        )
    return with_missing(table, na_values)


def _kind_of(path: Path, content: bytes, encoding: str) -> str:
    packed = path.suffix.lower() in (".gz", ".zip")
    suffix = (path.with_suffix("").suffix if packed else path.suffix).lower()
    if suffix in (".arff", ".mat"):
        return suffix[1:]
    head = content[:100_000].decode(encoding, errors="replace")
    if not looks_like_attributes(head):
        return "delimited"
    return "keel" if "@input" in head.lower() or suffix == ".dat" else "arff"
