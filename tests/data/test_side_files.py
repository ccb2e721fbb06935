"""Files that are no data yet, or lie beside them: pointers, lists of rows, formulas, DOS marks."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from shelf import load

from boostbench.data.row_files import read_row_files
from boostbench.errors import DataError

TABLE = "x,word,y\n" + "".join(f"{i},{'ab'[i % 2]},{i * i}\n" for i in range(12))
KEYS = {"categorical": ["word"]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 3\n", "'git lfs pull'"),
        (b"/annex/objects/MD5E-s3--12.csv\n", "'git annex get'"),
    ],
)
@pytest.mark.parametrize("name", ["my.csv", "my.parquet", "my.xlsx", "my.csv.gz"])
def test_a_pointer_is_not_taken_for_the_data(
    tmp_path: Path, content: bytes, said: str, name: str
) -> None:
    with pytest.raises(DataError, match=f"{name} is a pointer of .*, not the data: .*{said}"):
        load(tmp_path, content, name)
    with pytest.raises(DataError, match="is a pointer of"):
        read_row_files([tmp_path / name])


@pytest.mark.parametrize(
    "content",
    [
        b"3\n11\n0\n",
        b"3 11\r\n\r\n0\r\n",
        b"3\r11\r0\x1a",
        "3\n11\n0".encode("utf-8-sig"),
        "3\r\n11\r\n0\r\n".encode("utf-16"),
        b"3.000000000000000000e+00\n1.1e+01\n0.0\n",
        gzip.compress(b"3\n11\n0\n", mtime=0),
    ],
)
def test_a_list_of_rows_is_read_however_it_was_saved(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rows.txt"
    path.write_bytes(content)
    np.testing.assert_array_equal(read_row_files([path]), [[3, 11, 0]])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"row\n1\n2\n", r"rows\.txt:1 has 'row' where the number of a row is expected"),
        (b"1\n2, 3\n", r"rows\.txt:2 has '2,' .* separated by blanks or line ends"),
        (b"1\n-2\n", r"rows\.txt:2 has '-2'"),
        (b"1\n1.5\n", r"rows\.txt:2 has '1\.5'"),
        (b"nan\n", r"rows\.txt:1 has 'nan'"),
        (b"1e300\n", r"rows\.txt:1 has '1e300'"),
        (b"7\n5\n7\n", r"rows\.txt lists the row 7 twice"),
        (b" \n", r"rows\.txt lists no row"),
        (b"1\n\xe9\n", r"rows\.txt:2 is not utf-8 text: .*; save it as UTF-8$"),
        (None, "there is no file"),
    ],
)
def test_a_wrong_list_of_rows_is_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "rows.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        read_row_files([path])


def test_the_end_mark_of_dos_is_no_row(tmp_path: Path) -> None:
    fingerprint = load(tmp_path, TABLE, **KEYS).fingerprint
    first, second = TABLE[: TABLE.index("6,")], TABLE[TABLE.index("6,") :]
    for text in (TABLE + "\x1a", TABLE[:-1] + "\x1a\n", first + "\x1a\n" + second + "\x1a"):
        assert load(tmp_path, text, **KEYS).fingerprint == fingerprint
    arff = "@relation r\n@attribute a real\n@attribute y real\n@data\n1,2\n3,4\n\x1a"
    assert load(tmp_path, arff, "my.arff").y.tolist() == [2.0, 4.0]


def test_values_that_span_lines_are_named(tmp_path: Path) -> None:
    def remarks(text: str) -> list[str]:
        return [each for each in load(tmp_path, text, **KEYS).remarks if "span" in each]

    assert not remarks(TABLE.replace("a", '"a"'))
    # Quotes that belong to no value join four rows to one.
    joined = TABLE.replace("2,a", '2,"a').replace("5,b", '5,b"')
    assert remarks(joined) == [
        "a quoted value spans the lines 4 to 7, so that 9 rows were read (where such a quote is "
        "none, take it out or double it)"
    ]
    two = joined.replace("8,a", '8,"a\nor c"')
    assert "2 quoted values span the lines 4 to 7, 10 to 11, so that 9 rows" in remarks(two)[0]
    name = TABLE.replace("word", '"the\nword"')
    said = load(tmp_path, name, categorical=["the word"]).remarks
    assert "the names of columns span the lines 1 to 2, where a quote opens and closes" in said


def test_formulas_without_values_are_no_gaps(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs boostbench[excel]")
    book = openpyxl.Workbook()
    book.active.title = "prices"
    for i in range(1, 5):
        book.active.append([i, i % 2, f"=A{i}*2" if i > 1 else "y"])
    path = tmp_path / "book.xlsx"
    book.save(path)
    said = r"3 formulas without a stored value in sheet 'prices' \(C2, C3, C4\); open it in Excel"
    with pytest.raises(DataError, match=said):
        load(tmp_path, path.read_bytes(), "my.xlsx", missing="drop")
    # A sheet of formulas alone is not passed over.
    book.create_sheet("notes", 1)
    for row in (["a", "b"], [1, 2], [2, 3]):
        book["notes"].append(row)
    for row in book["prices"]["A1:B4"]:
        for cell in row:
            cell.value = "=1+1"
    book["prices"]["C1"] = "=1"
    book.save(path)
    with pytest.raises(DataError, match="12 formulas without a stored value in sheet 'prices'"):
        load(tmp_path, path.read_bytes(), "my.xlsx")
