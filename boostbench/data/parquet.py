"""Parquet, the second of the two formats that OpenML offers."""

import io

import numpy as np

from boostbench.data.table import Column, Table, check_cells, check_width
from boostbench.errors import DataError


def parse_parquet(content: bytes, where: str) -> Table:
    """Return the table of a Parquet file; text and categories are nominal columns.

    :raises DataError: if it is damaged or too large
    """
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        described = pq.ParquetFile(io.BytesIO(content)).metadata
        check_width(described.num_columns, where)
        check_cells(described.num_rows, described.num_columns, where)
        frame = pd.read_parquet(io.BytesIO(content))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{where} is a damaged Parquet file: {error}") from None
    if frame.empty:
        raise DataError(f"{where} has no rows")
    columns = []
    for name in frame.columns:
        series = frame[name]
        if pd.api.types.is_numeric_dtype(series.dtype):
            columns.append(Column(str(name), series.to_numpy(np.float64, na_value=np.nan)))
            continue
        labels = np.array(
            [
                None if missing else str(value)
                for value, missing in zip(series, series.isna(), strict=True)
            ],
            dtype=object,
        )
        columns.append(Column(str(name), np.empty(0), labels, nominal=True))
    return Table(tuple(columns), where)
