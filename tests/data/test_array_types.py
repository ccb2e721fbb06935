"""Columns of each type of pandas, of NumPy and of Arrow, in each use, with and without gaps.

One table of values is one data set, whatever the types of its columns.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shelf import load_given

from boostbench.data import Dataset
from boostbench.errors import DataError

pa = pytest.importorskip("pyarrow")

N = 24
# By the values: reading each of them once is enough.
OUTCOMES: dict[tuple[str, ...], dict[str, object]] = {}
USES = {
    "feature": {},
    "in a frame": {"features": "frame"},
    "category": {"categorical": ["v"]},
    "dates": {"dates": "ordinal"},
    "target": {"target": "v"},
    "classes": {"target": "v", "task": "classification"},
    "group": {"group": "v"},
    "time": {"time": "v"},
    "weights": {"weights": "v"},
    "dropped": {"drop": ["v"]},
}
NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NUMBERS += ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"]
NUMBERS += ["float16", "float32", "float64", "longdouble", "Float32", "Float64", "Sparse[float64]"]
NUMBERS += [f"{kind}[pyarrow]" for kind in (*NUMBERS[:8], "halffloat", "float", "double")]
NUMBERS += ["object", "decimal128(9, 0)[pyarrow]", "decimal256(50, 0)[pyarrow]"]
TRUTHS = ["bool", "boolean", "object", "Sparse[bool]", "bool[pyarrow]"]
TEXTS = ["str", "object", "string[python]", "string[pyarrow]"]
DATES = ["datetime64[s]", "datetime64[us]", "datetime64[ns]"]
DATES += [
    "timestamp[s][pyarrow]",
    "timestamp[ns][pyarrow]",
    "object",
    "date32[day][pyarrow]",
    "date64[ms][pyarrow]",
]


def arrow(values: Sequence[object], arrow_type: object) -> pd.Series:
    """Return a column of an Arrow type; None is a gap."""
    return pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(values, arrow_type)]))
    )


def read(folder: Path, column: pd.Series, use: str, *, gaps: bool) -> Dataset | str:
    """Return the data set with a column in one use, or why it is refused; nothing else may be."""
    keys = {"target": "y", **USES[use]}
    if gaps:
        keys["missing"] = "keep" if keys.get("features") == "frame" else "drop"
    frame = pd.DataFrame({"a": np.arange(N) * 0.25, "v": column, "y": np.arange(N) % 7})
    try:
        return load_given(folder, frame, **keys)
    except DataError as error:
        return str(error)


def outcome(data: Dataset | str) -> object:
    return data if isinstance(data, str) else (data.fingerprint, data.feature_names, data.classes)


def with_gaps(values: Sequence[object], *, gaps: bool) -> list[object]:
    return [None if gaps and i in (5, 17) else value for i, value in enumerate(values)]


def assert_alike(folder: Path, column: pd.Series, like: pd.Series, *, gaps: bool) -> None:
    """Assert that two columns of the same values give one data set, or one refusal, in each use."""
    key = (str(like.dtype), *map(str, like))
    if key not in OUTCOMES:
        OUTCOMES[key] = {use: outcome(read(folder, like, use, gaps=gaps)) for use in USES}
    assert {use: outcome(read(folder, column, use, gaps=gaps)) for use in USES} == OUTCOMES[key]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers(tmp_path: Path, dtype: str, gaps: bool) -> None:
    values = with_gaps([1, 2, 3, 4] * (N // 4), gaps=gaps)
    if "decimal" in dtype:
        width = pa.decimal128(9, 0) if "128" in dtype else pa.decimal256(50, 0)
        column = arrow([None if v is None else Decimal(v) for v in values], width)
    elif gaps and dtype.startswith(("int", "uint")) and "[" not in dtype:
        pytest.skip("this type has no gaps")
    else:
        column = pd.Series(values, dtype="Int64").astype("float64" if gaps else "int64")
        column = pd.Series(values, dtype=object) if dtype == "object" else column.astype(dtype)
        if "pyarrow" in dtype:
            column = column.astype(object).where(column.notna(), None).astype(dtype)
    assert_alike(tmp_path, column, pd.Series(values, dtype="Int64"), gaps=gaps)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("dtype", TRUTHS)
def test_truth_values(tmp_path: Path, dtype: str, gaps: bool) -> None:
    if gaps and dtype in ("bool", "Sparse[bool]"):
        pytest.skip("this type has no gaps")
    values = with_gaps([True, False, False] * (N // 3), gaps=gaps)
    like = pd.Series(values, dtype="boolean")
    assert_alike(tmp_path, pd.Series(values, dtype=dtype), like, gaps=gaps)
    data = read(tmp_path, like, "feature", gaps=gaps)
    assert data.X[:5, 1].tolist() == [1, 0, 0, 1, 0]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("dtype", [*TEXTS, "string", "large_string", "string_view"])
def test_texts(tmp_path: Path, dtype: str, gaps: bool) -> None:
    for words in (
        ["a", "b b", "ä"],
        ["007", "7", "12"],
        ["2021-02-03", "2021-02-04", "2020-01-01"],
    ):
        values = with_gaps(words * (N // 3), gaps=gaps)
        column = pd.Series(values, dtype=dtype) if dtype in TEXTS else None
        column = arrow(values, getattr(pa, dtype)()) if column is None else column
        assert_alike(tmp_path, column, pd.Series(values, dtype="str"), gaps=gaps)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("dtype", DATES)
def test_dates(tmp_path: Path, dtype: str, gaps: bool) -> None:
    days = [date(2021, 1, 1), date(2021, 2, 3), date(2022, 3, 4)]
    values = with_gaps(days * (N // 3), gaps=gaps)
    column = pd.Series(values, dtype=object)
    if "date" in dtype and "pyarrow" in dtype:
        column = arrow(values, pa.date32() if "32" in dtype else pa.date64())
    elif dtype != "object":
        column = pd.to_datetime(column).astype("datetime64[us]").astype(dtype)
    texts = pd.Series([None if day is None else str(day) for day in values], dtype="str")
    assert_alike(tmp_path, column, texts, gaps=gaps)
    assert read(tmp_path, column, "dates", gaps=gaps).feature_names == ("a", "v")


@pytest.mark.parametrize("zone", ["UTC", "Europe/Rome", "+02:00"])
@pytest.mark.parametrize("gaps", [False, True])
def test_dates_with_a_time_zone_are_those_of_a_csv_file(
    tmp_path: Path, zone: str, gaps: bool
) -> None:
    hours = [datetime(2021, 1, 1), datetime(2021, 7, 3, 12), datetime(2022, 3, 4)]
    values = pd.Series(with_gaps(hours * (N // 3), gaps=gaps), dtype="datetime64[us]")
    column = values.dt.tz_localize(zone)
    written = column.map(str, "ignore").astype("str")
    unit = pa.timestamp("ns", None if zone == "+02:00" else zone)
    assert_alike(tmp_path, column, written, gaps=gaps)
    if unit.tz:
        in_arrow = arrow([None if pd.isna(v) else v for v in column], unit)
        assert_alike(tmp_path, in_arrow, written, gaps=gaps)
    parts = load_given(
        tmp_path,
        pd.DataFrame({"v": column, "y": range(N)}),
        target="y",
        dates="parts",
        missing="drop",
    )
    hours_seen = set(parts.X[:, list(parts.feature_names).index("v_hour")])
    # Rome has two distances from UTC in a year.
    assert hours_seen == ({10, 23} if zone == "Europe/Rome" else {0, 12})


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(
    ("values", "levels"),
    [
        ([10, 9, 1], ["1", "10", "9"]),
        ([1.5, 2.0, -1.0], ["-1", "1.5", "2"]),
        ([2.0**60, 2.0, 7.0], ["1.152921504606847e+18", "2", "7"]),
        ([2**60 + 1, 2**60, 7], ["1152921504606846976", "1152921504606846977", "7"]),
        ([True, False, False], ["False", "True"]),
        (["b", "a", "7"], ["7", "a", "b"]),
        ([date(2021, 1, 3), date(2020, 1, 1)] * 2, ["2020-01-01", "2021-01-03"]),
        (list(pd.to_datetime(["2021-01-03", "2020-01-01"])), ["2020-01-01", "2021-01-03"]),
        ([timedelta(1), timedelta(2), timedelta(3)], [f"{i} days" for i in (1, 2, 3)]),
        (list(pd.cut([1, 2, 3], 2)), ["(0.998, 2.0]", "(2.0, 3.0]"]),
        (list(pd.period_range("2020", periods=2, freq="Y")), ["2020", "2021"]),
        ([Decimal("1.50"), Decimal(2), Decimal(3)], ["1.50", "2", "3"]),
    ],
)
def test_categories(tmp_path: Path, values: list[object], levels: list[str], gaps: bool) -> None:
    column = pd.Series((values * N)[:N]).astype("category")
    if gaps:
        column[[5, 17]] = None
    for kind in (column, column.cat.as_ordered()):
        data = read(tmp_path, kind, "in a frame", gaps=gaps)
        assert list(data.frame["v"].cat.categories) == levels
        assert data.frame["v"].isna().sum() == 2 * gaps
        matrix = read(tmp_path, kind, "feature", gaps=gaps)
        assert matrix.feature_names == ("a", *(f"v={level}" for level in levels))
        assert sorted(read(tmp_path, kind, "classes", gaps=gaps).classes) == levels
        assert len(set(read(tmp_path, kind, "group", gaps=gaps).groups)) == len(levels)
        for use in ("target", "time", "weights", "dates", "dropped"):
            read(tmp_path, kind, use, gaps=gaps)


@pytest.mark.parametrize("words", [["a", "b", "c"], [1, 2, 10]])
def test_dictionaries_of_arrow_are_categories(tmp_path: Path, words: list[object]) -> None:
    values = with_gaps(words * (N // 3), gaps=True)
    encoded = pa.chunked_array([pa.array(values).dictionary_encode()])
    column = pd.Series(pd.arrays.ArrowExtensionArray(encoded))
    like = pd.Series(values).astype("category")
    assert_alike(tmp_path, column, like, gaps=True)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pd.Series(np.arange(N) * 1j), "has complex numbers: make two columns of real numbers"),
        (pd.Series(pd.to_timedelta(range(N), unit="D")), r"is of type timedelta64\[\w+\]: make"),
        (arrow([timedelta(1)] * N, pa.duration("us")), r"is of type timedelta64\[us\]: make"),
        (pd.Series(pd.period_range("2020", periods=N, freq="D")), r"is of type period\[D\]: make"),
        (pd.Series(pd.interval_range(0, N)), r"is of type interval\[int64, right\]: make"),
        (pd.Series([time(1, 2)] * N), "has a value of type time: only numbers, texts, truth"),
        (arrow([time(1, 2)] * N, pa.time64("us")), "has a value of type time: only numbers"),
        (pd.Series([b"a"] * N), "has a value of type bytes: only numbers, texts, truth"),
        (arrow([b"a"] * N, pa.binary()), "has a value of type bytes: only numbers, texts"),
        (pd.Series([[1, 2]] * N), "has a value of type list: only numbers, texts, truth"),
        (arrow([[1, 2]] * N, pa.list_(pa.int64())), "has a value of type ndarray: only"),
        (arrow([{"a": 1}] * N, pa.struct({"a": pa.int64()})), "has a value of type dict: only"),
    ],
)
def test_what_cannot_be_used_is_named_and_may_be_dropped(
    tmp_path: Path, column: pd.Series, words: str
) -> None:
    frame = pd.DataFrame({"a": np.arange(N) / 4, "v": column, "y": np.arange(N) % 7})
    for keys in USES.values():
        if "drop" not in keys:
            with pytest.raises(DataError, match=rf"^column 'v' of the data set 'mine' {words}"):
                load_given(tmp_path, frame, **{"target": "y", **keys})
    data = load_given(tmp_path, frame, target=3, drop=["v"])
    plain = load_given(tmp_path, frame.drop(columns="v"), target="y")
    assert data.fingerprint == plain.fingerprint


def test_a_column_of_nothing_is_empty(tmp_path: Path) -> None:
    for column in (arrow([None] * N, pa.null()), pd.Series([None] * N), pd.Series([np.nan] * N)):
        assert "no values in column 'v'" in read(tmp_path, column, "feature", gaps=False)
        assert "left out: 'v' (empty)" in read(tmp_path, column, "feature", gaps=True).remarks
