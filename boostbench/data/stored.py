"""Frames in files of boostbench's own: exact, without pickle, named by the digest of their content.

A file is NumPy's ``.npz``: an array ``schema``, JSON in UTF-8 with the name and the kind of each
column, and for column ``i`` the arrays ``i.values`` and, where some are missing, ``i.gaps``. Texts
are UTF-8, one after another, with the ``i.ends`` of each; categories have their ``i.levels``.
"""

import datetime
import decimal
import hashlib
import io
import json
import zipfile
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.data.content import reading
from boostbench.data.frames import table_of_frame
from boostbench.data.table import TEXT, Table
from boostbench.data.text_format import PLAIN, TextFormat
from boostbench.errors import DataError

FORMAT = "boostbench table 1"
_SCHEMA = "schema"
_SCALARS = (str, int, float, bool, decimal.Decimal, datetime.date, np.generic)

_TYPES_WITH_GAPS = {"bool": "boolean", "float": "Float32", "double": "Float64"} | {
    f"{kind.lower()}{bits}": f"{kind}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64)
}

Arrays = dict[str, NDArray[np.generic]]


def stored_frame(
    frame: pd.DataFrame, where: str, dropped: Collection[str] = ()
) -> tuple[bytes, str]:
    """Return a frame as the content of a file, and the digest of the frame, 16 hex digits.

    The index is left out. Raises DataError for a column whose values a file cannot hold, unless it
    is one of ``dropped``, which then has no values.
    """
    arrays = frame_arrays(frame, where, dropped)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # its option allow_pickle
    return file.getvalue(), digest_of_arrays(arrays)


def digest_of_arrays(arrays: Mapping[str, NDArray[np.generic]]) -> str:
    """Return 16 hex digits of the sha256 of named arrays."""
    sha = hashlib.sha256()
    for name, array in arrays.items():
        sha.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()[:16]


def frame_arrays(frame: pd.DataFrame, where: str, dropped: Collection[str] = ()) -> Arrays:
    """Return a frame as arrays without Python objects; DataError where that is impossible."""
    if frame.columns.nlevels > 1:
        raise DataError(f"{where} has names of columns on several levels: give each one name")
    frame = frame.reset_index(drop=True)
    kinds: list[dict[str, str]] = []
    arrays: Arrays = {}
    for i, name in enumerate(frame.columns):
        try:
            kind, parts = _column_arrays(frame.iloc[:, i], f"column {str(name)!r} of {where}")
        except DataError:
            if str(name) not in dropped:
                raise
            kind, parts = _number_arrays(pd.Series(pd.NA, index=frame.index, dtype="Int8"))
        kinds.append({"name": str(name), "kind": kind})
        arrays |= {f"{i}.{part}": array for part, array in parts.items()}
    schema = {"format": FORMAT, "rows": len(frame), "columns": kinds}
    text = json.dumps(schema, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return {_SCHEMA: np.frombuffer(text, np.uint8), **arrays}


def _column_arrays(column: pd.Series, where: str) -> tuple[str, Arrays]:
    """Return the kind of a column, and its values as arrays."""
    column = _without_arrow(column, where)
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categories = pd.Series(dtype.categories)
        if _is_span(categories.dtype):
            categories = categories.astype(TEXT)
        kind, levels = _column_arrays(categories, f"the categories of {where}")
        if kind == "category":
            raise DataError(f"{where} has categories of categories: make texts of them")
        codes: NDArray[np.generic] = column.cat.codes.to_numpy(np.int64)
        named = {f"levels.{part}": array for part, array in levels.items()}
        return f"category of {kind}", {"values": codes, **named}
    if isinstance(dtype, pd.SparseDtype):
        return _column_arrays(pd.Series(column.to_numpy()), where)
    if pd.api.types.is_complex_dtype(dtype):
        raise DataError(f"{where} has complex numbers: make two columns of real numbers of it")
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        return _number_arrays(column)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _date_arrays(column, where)
    return _text_arrays(column, where)


def _without_arrow(column: pd.Series, where: str) -> pd.Series:
    """Return a column of an Arrow type as pandas has it without Arrow, with all digits and gaps."""
    dtype = column.dtype
    if not isinstance(dtype, pd.ArrowDtype):
        return column
    values: Any = column.array
    try:
        plain: pd.Series = values.__arrow_array__().to_pandas(types_mapper=_type_with_gaps)
    except (NotImplementedError, ValueError):  # pyarrow's own errors are such
        raise DataError(f"{where} is of type {dtype}: make numbers or texts of it") from None
    return plain


def _type_with_gaps(arrow_type: object) -> object:
    """Return pandas' own type for an Arrow type of numbers or truth values, None for another."""
    name = _TYPES_WITH_GAPS.get(str(arrow_type))
    return None if name is None else pd.api.types.pandas_dtype(name)


def _is_span(dtype: object) -> bool:
    """Return whether values are intervals, periods or durations, which are levels by their text."""
    return isinstance(dtype, pd.IntervalDtype | pd.PeriodDtype) or (
        isinstance(dtype, np.dtype) and dtype.kind == "m"
    )


def _number_arrays(column: pd.Series) -> tuple[str, Arrays]:
    """Return numbers or truth values, with their gaps where the column marks these itself."""
    plain = np.dtype(str(getattr(column.dtype, "numpy_dtype", column.dtype)))
    if plain.itemsize > 8:
        # Numbers of more than 64 bits depend on the machine.
        plain = np.dtype(np.float64)
    if isinstance(column.dtype, np.dtype):
        return "numbers", {"values": column.to_numpy(plain)}
    gaps = column.isna().to_numpy()
    return "masked numbers", {"values": column.to_numpy(plain, na_value=0), "gaps": gaps}


def _date_arrays(column: pd.Series, where: str) -> tuple[str, Arrays]:
    """Return dates as nanoseconds since 1970, or as texts where that loses something.

    That is with a time zone, and with dates before 1678 or after 2262, such as 9999-12-31.
    """
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        return _text_arrays(column.astype(TEXT), where)
    try:
        dates = column.astype("datetime64[ns]")
    except pd.errors.OutOfBoundsDatetime:
        return _text_arrays(column.astype(TEXT), where)
    return "date", {"values": dates.to_numpy().view(np.int64)}


def _text_arrays(column: pd.Series, where: str) -> tuple[str, Arrays]:
    """Return texts; a column of objects is read as in a CSV file of the frame."""
    gaps = column.isna().to_numpy()
    known = column[~gaps]
    if column.dtype == object:
        for value in known:
            if not isinstance(value, _SCALARS):
                raise DataError(
                    f"{where} has a value of type {type(value).__name__}: only numbers, texts, "
                    "truth values and dates can be used"
                )
        inferred = known.infer_objects()
        if inferred.dtype != object and not pd.api.types.is_string_dtype(inferred.dtype):
            whole = inferred.convert_dtypes() if gaps.any() else inferred
            return _column_arrays(whole.reindex(column.index), where)
    elif not pd.api.types.is_string_dtype(column.dtype):
        raise DataError(f"{where} is of type {column.dtype}: make numbers or texts of it")
    texts = [str(text).encode("utf-8", "surrogatepass") for text in column.mask(gaps, "")]
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    joined = np.frombuffer(b"".join(texts), np.uint8)
    return "texts", {"values": joined, "ends": ends, "gaps": gaps}


def is_stored(content: bytes) -> bool:
    """Return whether a file is one of :func:`stored_frame`."""
    if not content.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.namelist()[:1] == [f"{_SCHEMA}.npy"]
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def parse_stored(content: bytes, where: str, texts: TextFormat = PLAIN) -> Table:
    """Return the table of a file of :func:`stored_frame`: that of the same frame saved as CSV."""
    with reading(where, "a damaged table of boostbench"):
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        schema = json.loads(arrays[_SCHEMA].tobytes().decode("utf-8", "surrogatepass"))
        if schema["format"] != FORMAT:
            raise DataError(f"{where} is a table of another version of boostbench: make it again")
        columns = [
            _column(str(entry["kind"]), arrays, f"{i}.")
            for i, entry in enumerate(schema["columns"])
        ]
        names = [str(entry["name"]) for entry in schema["columns"]]
        frame = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(schema["rows"]))
        return table_of_frame(frame.set_axis(names, axis=1), where, texts)


def _column(kind: str, arrays: Mapping[str, NDArray[np.generic]], prefix: str) -> pd.Series:
    """Return a column of a file."""
    values = arrays[f"{prefix}values"]
    if kind.startswith("category of "):
        levels = _column(kind.removeprefix("category of "), arrays, f"{prefix}levels.")
        return pd.Series(pd.Categorical.from_codes(values.astype(np.int64), pd.Index(levels)))
    match kind:
        case "date":
            return pd.Series(values.view("datetime64[ns]"))
        case "masked numbers":
            return _masked(values, arrays[f"{prefix}gaps"].astype(bool))
        case "texts":
            words = _words(values, arrays[f"{prefix}ends"].tolist())
            return pd.Series(words, dtype=TEXT).mask(arrays[f"{prefix}gaps"].astype(bool))
    return pd.Series(values)


def _masked(values: NDArray[np.generic], gaps: NDArray[np.bool_]) -> pd.Series:
    """Return numbers or truth values of pandas' own types, which know missing values."""
    kinds = {"b": "boolean", "i": "Int", "u": "UInt", "f": "Float"}
    name = kinds[values.dtype.kind]
    if name != "boolean":
        name += str(8 * values.dtype.itemsize)
    return pd.Series(values).astype(pd.api.types.pandas_dtype(name)).mask(gaps)


def _words(joined: NDArray[np.generic], ends: Sequence[int]) -> list[str]:
    """Return the texts that are joined in one array of bytes."""
    content = joined.tobytes()
    starts = [0, *ends[:-1]]
    return [
        content[start:end].decode("utf-8", "surrogatepass")
        for start, end in zip(starts, ends, strict=True)
    ]
