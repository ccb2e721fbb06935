"""The columns of a frame as plain arrays with a schema: to be hashed, saved and read back.

Columns of numbers are float64 with NaN for gaps, those of true and false are bool, and those of
texts are categories with sorted levels. The columns of one kind are the rows of one array.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike, NDArray

from boostbench.data.table import TEXT
from boostbench.grouping import grouped

ColumnKind = Literal["number", "truth", "category"]
Array = NDArray[np.generic]

DTYPES: Mapping[ColumnKind, DTypeLike] = {
    "number": np.float64,
    "truth": np.bool_,
    "category": np.int32,
}
_KIND_OF_DTYPE: Mapping[object, ColumnKind] = {
    np.dtype(np.float64): "number",
    np.dtype(np.bool_): "truth",
}


class ColumnSchema(NamedTuple):
    """A column of a frame: its name, its kind, and the levels of a category."""

    name: str
    kind: ColumnKind
    levels: Sequence[str] = ()


def schema_of(frame: pd.DataFrame) -> list[ColumnSchema]:
    """Return the columns of a frame in their order; ValueError for one of another type."""
    schema = []
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            levels = [str(level) for level in column.cat.categories]
            schema.append(ColumnSchema(str(name), "category", levels))
        elif column.dtype in _KIND_OF_DTYPE:
            schema.append(ColumnSchema(str(name), _KIND_OF_DTYPE[column.dtype]))
        else:
            raise ValueError(f"column {str(name)!r} is of {column.dtype}")
    return schema


def array_name(kind: ColumnKind) -> str:
    """Return the name of the array that has the columns of this kind."""
    return f"frame_{kind}"


def frame_arrays(frame: pd.DataFrame) -> dict[str, Array]:
    """Return an array (n_columns, n_samples) for each kind of column that the frame has."""
    columns = grouped((kind, _values_of(frame[name], kind)) for name, kind, _ in schema_of(frame))
    return {array_name(kind): np.stack(columns[kind]) for kind in DTYPES if kind in columns}


def _values_of(column: pd.Series, kind: ColumnKind) -> Array:
    values = column.cat.codes if kind == "category" else column
    return values.to_numpy().astype(DTYPES[kind], copy=False)


def frame_from(
    schema: Iterable[tuple[str, ColumnKind, Sequence[str]]], arrays: Mapping[str, Array]
) -> pd.DataFrame:
    """Return the frame of :func:`frame_arrays`; its numbers are views of their array.

    KeyError or StopIteration where the arrays are not those of the schema.
    """
    rows = {kind: iter(arrays[array_name(kind)]) for kind in DTYPES if array_name(kind) in arrays}
    columns: dict[str, Array | pd.Categorical] = {}
    for name, kind, levels in schema:
        values = next(rows[kind])
        columns[name] = values
        if kind == "category":
            dtype = pd.CategoricalDtype(pd.Index(list(levels), dtype=TEXT))
            columns[name] = pd.Categorical.from_codes(values.astype(np.int64), dtype=dtype)
    return pd.DataFrame(columns, copy=False)
