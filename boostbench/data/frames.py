"""Excel, Parquet and Feather files, by way of pandas, openpyxl and pyarrow."""

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from boostbench.data.delimited import table_with_header
from boostbench.data.table import Column, Table, TextFormat, check_cells, check_names, check_width
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
    with reading(where, "an Excel", "openpyxl"):
        book = pd.ExcelFile(io.BytesIO(content), engine="openpyxl")
        found = None
        for title in book.sheet_names:
            frame = book.parse(title, header=None, dtype=object, na_filter=False)
            check_width(frame.shape[1], where)
            check_cells(*frame.shape, where)
            rows = [
                (number, [_text(value, texts.decimal) for value in row])
                for number, row in enumerate(frame.itertuples(index=False), 1)
            ]
            rows = [(number, row) for number, row in rows if "".join(row).strip()]
            if rows and (found is None or min(len(rows), frame.shape[1]) > 1):
                found = title, rows
            # A note before the data is no table.
            if rows and min(len(rows), frame.shape[1]) > 1:
                break
        if found is None:
            raise DataError(f"{where} has no sheet with values in it")
        title, rows = found
        others = [repr(name) for name in book.sheet_names if name != title]
        place = f"{where}, sheet {title!r}," if others else where
        table = table_with_header(lambda: iter(rows), place, None, texts, "row")
        remark = f"sheet {title!r} read, not {listing(others, 5)}"
        return replace(table, remarks=(remark,) if others else ())


def _text(value: Any, decimal: str) -> str:
    return str(value).replace(".", decimal) if type(value) is float else str(value)


def parse_parquet(content: bytes, where: str, *, declared: bool = True) -> Table:
    """Return the table of a Parquet file.

    ``declared``: whether text columns count as nominal, as those of OpenML do; else only categories
    do.
    """
    with reading(where, "a Parquet", "pyarrow"):
        import pyarrow.parquet as pq

        about = pq.ParquetFile(io.BytesIO(content)).metadata
        check_width(about.num_columns, where)
        check_cells(about.num_rows, about.num_columns, where)
        return _table(pd.read_parquet(io.BytesIO(content)), where, declared=declared)


def parse_feather(content: bytes, where: str) -> Table:
    """Return the table of a Feather file of version 2, which is Arrow's own format."""
    if content.startswith(FEATHER_MAGICS[1]):
        raise DataError(f"{where} is a Feather file of version 1; save it as version 2 or .csv")
    with reading(where, "a Feather", "pyarrow"):
        import pyarrow as pa

        reader = pa.ipc.open_file(pa.BufferReader(content))
        check_width(len(reader.schema), where)
        batches: list[Any] = []
        for i in range(reader.num_record_batches):
            batches.append(reader.get_batch(i))
            # Offsets in a damaged file may point anywhere.
            batches[-1].validate(full=True)
            check_cells(sum(batch.num_rows for batch in batches), len(reader.schema), where)
        frame = pa.Table.from_batches(batches, reader.schema).to_pandas()
        return _table(frame, where, declared=False)


def _table(frame: pd.DataFrame, where: str, *, declared: bool) -> Table:
    if frame.empty:
        raise DataError(f"{where} has no rows")
    names: Sequence[str] = [str(name) for name in frame.columns]
    check_names(names, where)
    columns = []
    for i, name in enumerate(names):
        series = frame.iloc[:, i]
        if pd.api.types.is_numeric_dtype(series.dtype):
            columns.append(Column(name, series.to_numpy(np.float64, na_value=np.nan)))
            continue
        texts = [None if gone else str(x) for x, gone in zip(series, series.isna(), strict=True)]
        nominal = declared or isinstance(series.dtype, pd.CategoricalDtype)
        columns.append(Column(name, np.array(texts, dtype=object), nominal=nominal))
    return Table(tuple(columns), where)
