"""A user's own file: which format it is in, and its table."""

from pathlib import Path

from boostbench.data import archives
from boostbench.data.attributes import looks_like_attributes
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


def read_table(path: Path, *, decimal: str = ".", na_values: tuple[str, ...] = ()) -> Table:
    """Return the table of a file: delimited text, ARFF, KEEL, MATLAB, Parquet, Feather or Excel.

    It may be compressed by gzip, or the only file in a zip. The first bytes show the format, and
    the ending of the name if it is ``.mat``, ``.arff`` or ``.dat``.

    :param decimal: the decimal mark of numbers in text, ``.`` or ``,``
    :param na_values: texts that stand for missing values, beside the usual ones
    :raises DataError: if it is missing, damaged, too large or in another format
    """
    where = path.name
    missing = MISSING_TOKENS.union(na_values)
    content = archives.read_file(path)
    if not is_workbook(content):
        content = archives.unpack(content, where)
    if not content.strip():
        raise DataError(f"{path} is empty")
    if is_workbook(content):
        table = parse_workbook(content, where, decimal=decimal, missing=missing)
    elif content.startswith(PARQUET_MAGIC):
        table = parse_parquet(content, where, declared=False)
    elif content.startswith(FEATHER_MAGICS):
        table = parse_feather(content, where)
    else:
        kind = _kind_of(path, content)
        table = parse_bytes(content, where, kind, decimal=decimal, missing=missing)
    return with_missing(table, na_values)


def _kind_of(path: Path, content: bytes) -> str:
    packed = path.suffix.lower() in (".gz", ".zip")
    suffix = (path.with_suffix("").suffix if packed else path.suffix).lower()
    if suffix in (".arff", ".mat"):
        return suffix[1:]
    head = content[:100_000].decode("utf-8", errors="replace")
    if not looks_like_attributes(head):
        return "delimited"
    return "keel" if "@input" in head.lower() or suffix == ".dat" else "arff"
