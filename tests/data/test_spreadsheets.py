"""Excel, Parquet and Feather files of a user, and what to install to read them."""

import datetime
import gzip
import io
import sys
import zipfile
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import load

from boostbench.data import bounds
from boostbench.data.frames import parse_frame
from boostbench.data.readers import parse_workbook
from boostbench.data.text_format import PLAIN
from boostbench.errors import DataError

openpyxl = pytest.importorskip("openpyxl", reason="needs boostbench[excel]")
pa = pytest.importorskip("pyarrow", reason="needs boostbench[parquet]")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS = [
    ["a", "c", "flag", "y"],
    [1, "red", True, 2.5],
    [None, "blue", False, 3],
    [3, "red", True, 4],
]
KEYS = {"categorical": "auto", "missing": "median"}


def book(**sheets: list[list[object]]) -> bytes:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for title, rows in sheets.items():
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def frame() -> pd.DataFrame:
    return pd.DataFrame(ROWS[1:], columns=ROWS[0]).astype({"a": float, "y": float})


@cache
def packed(kind: str) -> bytes:
    buffer = io.BytesIO()
    if kind == "xlsx":
        return book(Sheet=ROWS)
    if kind == "parquet":
        frame().to_parquet(buffer)
    else:
        feather.write_feather(pa.Table.from_pandas(frame()), buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("my.xlsx", "xlsx"),
        ("my.csv", "xlsx"),
        ("my.xlsx.gz", "xlsx"),
        ("my.parquet", "parquet"),
        ("my.feather", "feather"),
    ],
)
def test_all_formats_give_the_data_of_the_csv(tmp_path: Path, name: str, kind: str) -> None:
    csv = "\n".join(",".join("" if v is None else str(v) for v in row) for row in ROWS)
    plain = load(tmp_path, csv.encode(), "plain.csv", **KEYS)
    content = gzip.compress(packed(kind)) if name.endswith(".gz") else packed(kind)
    data = load(tmp_path, content, name, **KEYS)
    assert data.fingerprint == plain.fingerprint
    assert data.feature_names == plain.feature_names
    words = r"has text in column 'c' \(3 of 3 values, 'red' in row \d\); missing values in column"
    with pytest.raises(DataError, match=rf"{name} {words} 'a' \(1, in row"):
        load(tmp_path, content, name)


def test_rows_of_a_sheet_are_counted_as_excel_counts_them(tmp_path: Path) -> None:
    rows = [[], ["a", "y"], [1, 2], [None, None], ["x", 4], [3, 5]]
    with pytest.raises(DataError, match=r"column 'a' \(1 of 3 values, 'x' in row 5\)"):
        load(tmp_path, book(S=rows), "my.xlsx")


def test_cells_of_all_kinds(tmp_path: Path) -> None:
    rows = [
        ["n", "text number", "day", "error", "y"],
        [1, "1.5", datetime.datetime(2020, 1, 31), "#N/A", 1],
        [2.25, " 2 ", datetime.datetime(2020, 2, 1), 7, 2],
        [True, "3", datetime.datetime(2020, 2, 2), 8, 4],
    ]
    with pytest.raises(DataError) as caught:
        load(tmp_path, book(S=rows), "my.xlsx")
    message = str(caught.value)
    assert "'day' (3 of 3 values, '2020-01-31 00:00:00' in row 2)" in message
    assert "missing values in column 'error' (1, in row 2)" in message
    assert "'n' (1 of 3 values, 'True' in row 4)" in message
    assert "'text number'" not in message


def test_errors_of_excel_are_missing_and_told(tmp_path: Path) -> None:
    rows = [["a", "b", "y"], *([i, 2 * i, 3 * i] for i in range(12))]
    rows[3][1], rows[5][1] = "#DIV/0!", "#REF!"
    for na_values in (None, ()):
        with pytest.raises(DataError, match=r"column 'b' \(2, first in row 4\)(?!.*nan)"):
            load(tmp_path, book(S=rows), "my.xlsx", na_values=na_values)
        data = load(tmp_path, book(S=rows), "my.xlsx", na_values=na_values, missing="drop")
        told = "2 cells with an error, such as #N/A or #DIV/0!, read as missing"
        assert told in data.remarks
        assert not any("read as missing: " in remark for remark in data.remarks)
        assert len(data.y) == 10


def test_the_first_sheet_that_is_a_table_is_read(tmp_path: Path) -> None:
    table = [["a", "y"], [1, 2], [3, 4]]
    content = book(Empty=[], Note=[["See Data."]], Data=table, More=table)
    data = load(tmp_path, content, "my.xlsx", target="y")
    assert data.X.tolist() == [[1], [3]]
    assert data.remarks == ("sheet 'Data' read, not 'Empty', 'Note', 'More'",)
    assert load(tmp_path, book(Data=table), "my.xlsx", target="y").remarks == ()
    with pytest.raises(DataError, match=r"my.xlsx, sheet 'Note', has no rows"):
        load(tmp_path, book(Empty=[], Note=[["See Data."]]), "my.xlsx")
    with pytest.raises(DataError, match=r"my.xlsx has no sheet with values"):
        load(tmp_path, book(Empty=[]), "my.xlsx")


@pytest.mark.parametrize(
    ("kind", "what", "package", "extra"),
    [
        ("xlsx", "an Excel file", "openpyxl", "excel"),
        ("parquet", "a Parquet file", "pyarrow", "parquet"),
        ("feather", "a Feather file", "pyarrow", "parquet"),
    ],
)
def test_needed_packages(tmp_path: Path, monkeypatch, kind, what, package, extra) -> None:
    content = packed(kind)
    monkeypatch.setitem(sys.modules, package, None)
    words = rf"my\.{kind} is {what}, which needs {package}: pip install 'boostbench\[{extra}\]'"
    with pytest.raises(DataError, match=words):
        load(tmp_path, content, f"my.{kind}")


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_columns_of_one_name(tmp_path: Path, kind: str) -> None:
    def packed_with(*names: str) -> bytes:
        buffer = io.BytesIO()
        columns = [pa.array([1.5, 2.5]) for _ in names]
        write = feather.write_feather if kind == "feather" else parquet.write_table
        write(pa.Table.from_arrays(columns, list(names)), buffer)
        return buffer.getvalue()

    for names, words in (
        (("a", "b", "a", "y"), r"two columns named 'a' \(columns 1, 3\); give each column"),
        (("é", "e\u0301", "y"), r"two encodings of the same name 'é' \(columns 1, 2\)"),
    ):
        with pytest.raises(DataError, match=rf"my\.{kind} has {words}"):
            load(tmp_path, packed_with(*names), f"my.{kind}")
    data = load(tmp_path, packed_with("a", "e\u0301", "y"), f"my.{kind}", target="é")
    assert data.feature_names == ("a", "y")


@pytest.mark.parametrize("name", ["my.xlsx", "my.parquet", "my.xls"])
def test_the_content_decides_and_not_the_name(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, b"a,y\n1,2\n3,4\n", name).X.tolist() == [[1], [3]]


def test_old_and_damaged_files(tmp_path: Path) -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    for content in (old, old[:4]):
        with pytest.raises(DataError, match=r"my\.xls is an Excel 97-2003 file; save it as"):
            load(tmp_path, content, "my.xls")
    with pytest.raises(DataError, match=r"my\.feather is a Feather file of version 1; save it as"):
        load(tmp_path, b"FEA1" + bytes(600), "my.feather")
    for kind in ("xlsx", "parquet", "feather"):
        content = packed(kind)
        for cut in (12, len(content) // 2, len(content) - 9):
            with pytest.raises(DataError, match=rf"my\.{kind}") as caught:
                load(tmp_path, content[:cut], f"my.{kind}")
            assert "\n" not in str(caught.value)


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_UNPACKED_BYTES", 30_000)
    zeros = io.BytesIO()
    with zipfile.ZipFile(zeros, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(100_000))
    with pytest.raises(DataError, match=r"larger than 30\.0 kB unpacked"):
        load(tmp_path, zeros.getvalue(), "bomb.xlsx")


@given(st.binary(max_size=100), st.integers(0, 3000))
def test_any_bytes_are_a_table_or_a_sentence(junk: bytes, at: int) -> None:
    for kind in ("xlsx", "parquet", "feather"):
        whole = packed(kind)
        content = whole[:at] + junk + whole[at + len(junk) :]
        message = "w"
        try:
            parse_workbook(content, "w", PLAIN) if kind == "xlsx" else parse_frame(content, "w")
        except DataError as error:
            message = str(error)
        assert message.startswith("w")
        assert "\n" not in message
