"""Excel, Parquet and Feather files, by way of pandas, openpyxl and pyarrow."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from boostbench.data.delimited import parse_delimited
from boostbench.data.table import Table, TextFormat, check_names
from boostbench.errors import DataError
from boostbench.suggest import listing

PARQUET_MAGIC = b"PAR1"
FEATHER_MAGICS = (b"ARROW1", b"FEA1")


@contextmanager
def reading(where: str, what: str, package: str) -> Iterator[None]:
    """Turn whatever the readers raise on a damaged file, or without a package, into a sentence."""
    try:
        with warnings.catch_warnings():
            # Of styles and links that do not matter to the values.
            warnings.simplefilter("ignore")
            yield
    except DataError:
        raise
    except ImportError:
        extra = "excel" if package == "openpyxl" else "parquet"
        raise DataError(
            f"{where} is {what} file, which needs {package}: pip install 'boostbench[{extra}]'"
        ) from None
    except Exception as error:  # pandas, pyarrow and openpyxl raise many kinds on damaged files
        why = " ".join(str(error).split())[:200]
        raise DataError(f"{where} is a damaged {what.split()[1]} file: {why}") from None


def parse_workbook(content: bytes, where: str, texts: TextFormat) -> Table:
    """Return the table of the first sheet that has one; its first row may hold the names.

    A table has at least two rows and two columns; without one, the first sheet with a value counts.
    Empty rows are passed over. Formulas count by the value that was saved with them.
    """

    def as_text(value: object) -> str:
        text = " ".join(str(value).split("\n"))
        return text.replace(".", texts.decimal) if isinstance(value, float) else text

    with reading(where, "an Excel", "openpyxl"):
        book = pd.ExcelFile(io.BytesIO(content), engine="openpyxl")
        found = None
        for title in book.sheet_names:
            frame = book.parse(title, header=None, dtype=object, na_filter=False)
            n_rows = int((frame != "").any(axis=1).sum())
            # A note before the data is no table.
            is_table = min(n_rows, frame.shape[1]) > 1
            if n_rows and (found is None or is_table):
                found = title, frame
            if is_table:
                break
        if found is None:
            raise DataError(f"{where} has no sheet with values in it")
        title, frame = found
        others = [repr(name) for name in book.sheet_names if name != title]
        place = f"{where}, sheet {title!r}," if others else where
        text = frame.map(as_text).to_csv(index=False, header=False)
        table = parse_delimited(text, place, separator=",", texts=texts, unit="row")
        remark = f"sheet {title!r} read, not {listing(others, 5)}"
        return replace(table, remarks=(remark,) if others else ())


def parse_parquet(content: bytes, where: str, *, declared: bool = True) -> Table:
    """Return the table of a Parquet file.

    ``declared``: whether text columns count as nominal, as those of OpenML do; else only categories
    do.
    """
    with reading(where, "a Parquet", "pyarrow"):
        return _table(pd.read_parquet(io.BytesIO(content)), where, declared=declared)


def parse_feather(content: bytes, where: str) -> Table:
    """Return the table of a Feather file of version 2, which is Arrow's own format."""
    if content.startswith(FEATHER_MAGICS[1]):
        raise DataError(f"{where} is a Feather file of version 1; save it as version 2 or .csv")
    with reading(where, "a Feather", "pyarrow"):
        return _table(pd.read_feather(io.BytesIO(content)), where, declared=False)


def _table(frame: pd.DataFrame, where: str, *, declared: bool) -> Table:
    if frame.empty:
        raise DataError(f"{where} has no rows")
    names = [str(name) for name in frame.columns]
    check_names(names, where)
    frame = frame.set_axis(names, axis=1).reset_index(drop=True)
    kinds: dict[str, Any] = {}
    for name, kind in frame.dtypes.items():
        nominal = declared or isinstance(kind, pd.CategoricalDtype)
        kinds[str(name)] = "category" if nominal else "str"
        if pd.api.types.is_numeric_dtype(kind):
            kinds[str(name)] = np.float64
    texts = [name for name, kind in kinds.items() if kind == "category"]
    return Table(frame.astype(dict.fromkeys(texts, "str")).astype(kinds), where)
