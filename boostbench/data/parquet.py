"""Parquet, the second of the two formats that OpenML offers, and Feather, by way of pyarrow."""

import io
from typing import Any

import numpy as np
import pandas as pd

from boostbench.data import bounds
from boostbench.data.headers import check_names
from boostbench.data.table import Column, Table, check_cells, check_width
from boostbench.errors import DataError

PARQUET_MAGIC = b"PAR1"
FEATHER_MAGICS = (b"ARROW1", b"FEA1")


def parse_parquet(content: bytes, where: str, *, declared: bool = True) -> Table:
    """Return the table of a Parquet file.

    :param declared: whether text columns count as nominal, as those of OpenML do; else only
        categories do
    :raises DataError: if it is damaged or too large, or pyarrow is not installed
    """
    require_pyarrow(where, "Parquet")
    import pyarrow.parquet as pq

    try:
        described = pq.ParquetFile(io.BytesIO(content)).metadata
        check_width(described.num_columns, where)
        check_cells(described.num_rows, described.num_columns, where)
        groups = range(described.num_row_groups)
        _check_size(sum(described.row_group(i).total_byte_size for i in groups), where)
        return _table(pd.read_parquet(io.BytesIO(content)), where, declared=declared)
    except DataError:
        raise
    except Exception as error:  # pyarrow and pandas raise many kinds on damaged files
        raise DataError(f"{where} is a damaged Parquet file: {_why(error)}") from None


def parse_feather(content: bytes, where: str) -> Table:
    """Return the table of a Feather file of version 2, which is Arrow's own format.

    :raises DataError: if it is damaged, too large or of version 1, or pyarrow is not installed
    """
    if content.startswith(FEATHER_MAGICS[1]):
        raise DataError(f"{where} is a Feather file of version 1; save it as version 2 or .csv")
    require_pyarrow(where, "Feather")
    import pyarrow as pa

    try:
        reader = pa.ipc.open_file(pa.BufferReader(content))
        check_width(len(reader.schema), where)
        batches, n_rows, size = [], 0, 0
        for i in range(reader.num_record_batches):
            batches.append(reader.get_batch(i))
            # Offsets in a damaged file may point anywhere.
            batches[-1].validate(full=True)
            n_rows += batches[-1].num_rows
            size += batches[-1].nbytes
            check_cells(n_rows, len(reader.schema), where)
            _check_size(size, where)
        frame = pa.Table.from_batches(batches, reader.schema).to_pandas()
        return _table(frame, where, declared=False)
    except DataError:
        raise
    except Exception as error:  # pyarrow and pandas raise many kinds on damaged files
        raise DataError(f"{where} is a damaged Feather file: {_why(error)}") from None


def require_pyarrow(where: str, what: str) -> None:
    """Raise DataError where pyarrow is not installed, which the ``what`` file ``where`` needs."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise DataError(
            f"{where} is a {what} file, which needs pyarrow: pip install 'boostbench[parquet]'"
        ) from None


def _check_size(n_bytes: int, where: str) -> None:
    if n_bytes > bounds.MAX_UNPACKED_BYTES:
        limit = bounds.readable_size(bounds.MAX_UNPACKED_BYTES)
        raise DataError(f"{where} is larger than {limit} unpacked, the most that is allowed")


def _why(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _table(frame: Any, where: str, *, declared: bool) -> Table:
    if frame.empty:
        raise DataError(f"{where} has no rows")
    check_names([str(name) for name in frame.columns], where)
    columns = []
    for name, series in zip(
        map(str, frame.columns), (frame.iloc[:, i] for i in range(frame.shape[1])), strict=True
    ):
        if pd.api.types.is_numeric_dtype(series.dtype):
            columns.append(Column(name, series.to_numpy(np.float64, na_value=np.nan)))
            continue
        missing = series.isna()
        labels = np.empty(len(series), dtype=object)
        labels[:] = [
            None if gone else str(value) for value, gone in zip(series, missing, strict=True)
        ]
        nominal = declared or isinstance(series.dtype, pd.CategoricalDtype)
        columns.append(Column(name, np.empty(0), labels, nominal=nominal))
    return Table(tuple(columns), where)
