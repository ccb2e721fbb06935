"""Parquet files, and Feather files of version 2, which are Arrow's own format."""

import base64
import io
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.data.content import reading
from boostbench.data.table import TEXT, Table, check_names, declares_levels
from boostbench.data.text_format import PLAIN, TextFormat
from boostbench.errors import DataError

_PARQUET_MAGIC = b"PAR1"
_FEATHER_MAGICS = (b"ARROW1", b"FEA1")


def is_frame(content: bytes) -> bool:
    """Return whether a file begins as Parquet or Feather files do."""
    return content.startswith((_PARQUET_MAGIC, *_FEATHER_MAGICS))


def parse_frame(
    content: bytes, where: str, texts: TextFormat = PLAIN, *, declared: bool = False
) -> Table:
    """Return the table of a Parquet or Feather file: that of the same frame saved as CSV.

    If ``declared``, text columns count as nominal, like those of OpenML, and no text as missing;
    else only categories do, and texts are read as in a CSV file.
    """
    if content.startswith(_FEATHER_MAGICS[1]):
        raise DataError(f"{where} is a Feather file of version 1; save it as version 2 or .csv")
    kind = "Feather" if content.startswith(_FEATHER_MAGICS) else "Parquet"
    lacking = f"a {kind} file, which needs pyarrow: pip install 'boostbench[parquet]'"
    with reading(where, f"a damaged {kind} file", lacking):
        check_names(_names_in(content, kind), where)
        frame = _frame_in(content, kind, declared=declared)
        # As in a CSV file of the same frame, an index that has a name is a column.
        frame = frame.reset_index(drop=set(frame.index.names) == {None}, allow_duplicates=True)
        return table_of_frame(frame, where, texts, declared=declared)


def table_of_frame(
    frame: pd.DataFrame, where: str, texts: TextFormat = PLAIN, *, declared: bool = False
) -> Table:
    """Return the table of a frame, as :func:`parse_frame` does; its index is left out."""
    if frame.empty:
        raise DataError(f"{where} has no rows")
    names = check_names([str(name) for name in frame.columns], where)
    frame = frame.set_axis(names, axis=1)
    return _declared_table(frame, where) if declared else _table_of(frame, where, texts)


def _frame_in(content: bytes, kind: str, *, declared: bool) -> pd.DataFrame:
    read = pd.read_feather if kind == "Feather" else pd.read_parquet
    if declared:
        return read(io.BytesIO(content))
    # Whole numbers beside gaps would become floats, which do not hold long codes.
    frame = read(io.BytesIO(content), dtype_backend="numpy_nullable")
    nominal = _categories_in(content) if kind == "Parquet" else []
    return frame.astype({name: "category" for name in nominal if name in frame})


def _categories_in(content: bytes) -> list[str]:
    """Return the columns that a Parquet file declares as categories, those of numbers too.

    Pandas reads these as numbers, since only the schema of Arrow in the file tells of them.
    """
    import pyarrow as pa
    from pyarrow.parquet import read_metadata

    stored = (read_metadata(io.BytesIO(content)).metadata or {}).get(b"ARROW:schema")
    if stored is None:
        return []
    schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(stored)))
    return [field.name for field in schema if pa.types.is_dictionary(field.type)]


def _names_in(content: bytes, kind: str) -> list[str]:
    """Return the names of a file's columns; pandas reads no file where two are equal.

    Raises an exception of pyarrow for a damaged file.
    """
    if kind == "Parquet":
        from pyarrow.parquet import read_schema

        return [str(name) for name in read_schema(io.BytesIO(content)).names]
    from pyarrow.ipc import open_file

    table = open_file(io.BytesIO(content)).read_all()
    # Its values are used as they lie in the file: wrong places of texts would end the process.
    table.validate(full=True)
    return [str(name) for name in table.column_names]


def _declared_table(frame: pd.DataFrame, where: str) -> Table:
    for name, dtype in frame.dtypes.items():
        is_number = pd.api.types.is_numeric_dtype(dtype)
        frame[name] = frame[name].astype(np.float64 if is_number else TEXT)
        if not is_number:
            frame[name] = frame[name].astype("category")
    return Table(frame, where)


def _table_of(frame: pd.DataFrame, where: str, texts: TextFormat) -> Table:
    columns: dict[str, pd.Series | NDArray[np.float64]] = {}
    marks: dict[str, Counter[str]] = {}
    for name, column in frame.items():
        if _holds_numbers(column):
            numbers = column.astype("Float64").to_numpy(np.float64, na_value=np.nan)
            columns[str(name)] = np.asarray(numbers, dtype=np.float64)
            continue
        is_nominal = declares_levels(column)
        words = (_texts_of_levels(column) if is_nominal else column.astype(TEXT)).str.strip()
        gaps = words.isin(texts.missing)
        if gaps.any():
            marks[str(name)] = Counter(words[gaps])
        words = words.mask(gaps)
        columns[str(name)] = words.astype("category") if is_nominal else words
    dates = frozenset(str(name) for name, column in frame.items() if _holds_dates(column))
    values = pd.DataFrame(columns)
    # Their float64 may have lost digits, or, for 0.1 of 32 bits, have got some.
    exact = frame.select_dtypes(["integer", "Float32", "float32", "float16"])

    def read_texts(names: Sequence[str]) -> pd.DataFrame:
        wanted = {name: exact[name] if name in exact else values[name] for name in names}
        # As the decimal mark of the texts in the file, so that labels are sorted alike.
        return pd.DataFrame(
            {
                name: column.astype(TEXT).str.replace(".", texts.decimal, regex=False)
                for name, column in wanted.items()
            }
        )

    return Table(
        values,
        where,
        marks=marks,
        nulls=frozenset(),  # An empty text is not how these formats mean missing.
        dates=dates,
        read_texts=read_texts,
    )


def _holds_numbers(column: pd.Series) -> bool:
    dtype = column.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _texts_of_levels(column: pd.Series) -> pd.Series:
    """Return the categories of a column as texts, whole numbers without a point."""
    levels = pd.Series(column.cat.categories)
    texts = levels.astype(TEXT)
    if pd.api.types.is_float_dtype(levels.dtype):
        texts = texts.str.removesuffix(".0")
    return texts.reindex(column.cat.codes).set_axis(column.index)


def _holds_dates(column: pd.Series) -> bool:
    return pd.api.types.infer_dtype(column, skipna=True) in ("date", "datetime", "datetime64")
