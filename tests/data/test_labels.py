"""Labels of classes and levels are the texts of the file; what is used as a number is parsed."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shelf import load

from boostbench.errors import DataError

CLASSES = {"task": "classification"}


def csv(labels: list[object], separator: str = ",") -> str:
    return f"a{separator}y\n" + "".join(f"{i}{separator}{y}\n" for i, y in enumerate(labels))


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["00501", "0501", "501", "8028"], ("00501", "0501", "501", "8028")),
        (["1234567890123456790", "1234567890123456789", "17"],
         ("17", "1234567890123456789", "1234567890123456790")),
        (["-9007199254740993", "-9007199254740992"], ("-9007199254740992", "-9007199254740993")),
        # A code anywhere in the column makes all of them codes.
        (["1", "1.0", "007"], ("1", "1.0", "007")),
        (["7.1", "7.10", "7.2"], ("7.1", "7.10", "7.2")),
        # Without one it is a column of numbers, where whole numbers are written in one way.
        (["1", "1.0", "2", "2.00", "+1"], ("1", "2")),
        (["-0", "0.0", "10", "9"], ("0", "9", "10")),
        (["0.5", "1.5"], ("0.5", "1.5")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["my.csv", "my.arff", "my.xlsx", "my.parquet"])
def test_classes(tmp_path: Path, labels: list[str], classes: tuple[str, ...], name: str) -> None:
    content: str | bytes = csv(labels)
    if name.endswith(".arff"):
        head = "@relation r\n@attribute a real\n@attribute y real\n@data\n"
        content = head + csv(labels).partition("\n")[2]
    elif name != "my.csv":
        frame = pd.DataFrame({"a": range(len(labels)), "y": labels})
        buffer = io.BytesIO()
        pytest.importorskip("openpyxl" if name.endswith(".xlsx") else "pyarrow")
        (frame.to_excel if name.endswith(".xlsx") else frame.to_parquet)(buffer, index=False)
        content = buffer.getvalue()
    data = load(tmp_path, content, name, **CLASSES)
    assert data.classes == classes
    assert [data.classes[code] for code in data.y] == [
        label if label in classes else str(int(float(label))) for label in labels
    ]
    merged = [remark for remark in data.remarks if "written in two ways read as one" in remark]
    assert bool(merged) == (len(classes) < len(labels))
    # As a feature the same column is one of numbers.
    features = load(tmp_path, content, name, target="a").X[:, 0]
    assert features.tolist() == [float(label) for label in labels]


def test_two_ways_to_write_a_number_are_told(tmp_path: Path) -> None:
    assert load(tmp_path, csv(["1", "2", "1.0"]), target="y", **CLASSES).remarks == (
        "numbers written in two ways read as one (1 = 1.0) in 'y'",
    )


def test_levels_of_a_named_column(tmp_path: Path) -> None:
    text = "icd,y\n7.1,1\n007.1,2\n038.11,3\n7.1,5\n"
    data = load(tmp_path, text, categorical=("icd",))
    assert data.feature_names == ("icd=007.1", "icd=038.11", "icd=7.1")
    np.testing.assert_array_equal(data.X, [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert load(tmp_path, text).X[:, 0].tolist() == [7.1, 7.1, 38.11, 7.1]
    # Gaps have no level.
    gaps = load(tmp_path, "c,y\n01,1\nNA,2\n1,3\n", categorical=("c",), missing="median")
    assert gaps.feature_names == ("c=01", "c=1")
    assert gaps.X.sum(axis=1).tolist() == [1, 0, 1]


def test_whole_numbers_of_a_frame_keep_all_digits_beside_gaps(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    codes = pd.array([1234567890123456789, None, 1234567890123456790] * 2, dtype="Int64")
    frame = pd.DataFrame({"a": range(6), "y": codes})
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    data = load(tmp_path, buffer.getvalue(), "my.parquet", missing="drop", **CLASSES)
    assert data.classes == ("1234567890123456789", "1234567890123456790")
    plain = load(tmp_path, frame.to_csv(index=False), missing="drop", **CLASSES)
    assert plain.fingerprint == data.fingerprint


def test_cells_of_a_sheet_stay_as_they_are(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs boostbench[excel]")
    book = openpyxl.Workbook()
    for row in (["a", "zip"], [1, "00501"], [2, 501], [3, "501"], [4, "0501"], [5, "1e3"]):
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    data = load(tmp_path, (tmp_path / "book.xlsx").read_bytes(), "my.xlsx", **CLASSES)
    assert data.classes == ("00501", "0501", "501", "1e3")
    assert data.y.tolist() == [0, 2, 2, 1, 3]


def test_labels_with_other_decimal_marks_are_sorted_as_numbers(tmp_path: Path) -> None:
    data = load(tmp_path, csv(["10,5", "9,5", "9,0", "9"], ";"), decimal=",", **CLASSES)
    assert data.classes == ("9", "9,5", "10,5")


def test_codes_that_most_rows_have_once_are_no_classes(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="continuous values in the target column 'y'"):
        load(tmp_path, csv([f"{i:05}" for i in range(40)]), **CLASSES)
    few = load(tmp_path, csv([f"{i % 30:05}" for i in range(90)]), **CLASSES)
    assert len(few.classes) == 30
