"""Decimal marks and thousands separators: read as said, and nothing else."""

from pathlib import Path

import pytest

from boostbench.data.access import DataAccess
from boostbench.data.dataset import Dataset
from boostbench.data.loading import load_dataset
from boostbench.data.request import DataRequest
from boostbench.errors import DataError


def load(folder: Path, rows: list[list[str]], **options: object) -> Dataset:
    path = folder / "my.csv"
    header = [*(f"x{i}" for i in range(1, len(rows[0]))), "y"]
    path.write_text("".join("\t".join(row) + "\n" for row in [header, *rows]), encoding="utf-8")
    request = DataRequest("mine", file=str(path), **{"target": "y", **options})  # type: ignore[arg-type]
    return load_dataset(request, DataAccess(folder / "cache", offline=True))


def columns(*texts: str) -> list[list[str]]:
    """Return rows of the columns, each given as one text of values between bars."""
    return [list(row) for row in zip(*(text.split("|") for text in texts), strict=True)]


@pytest.mark.parametrize(
    ("texts", "keys", "expected"),
    [
        ("1,234|-2,500.5|950|1,234,567.8", {"thousands": ","}, [1234, -2500.5, 950, 1234567.8]),
        ("1.529,82|0,5|1.234.567|1.234", {"thousands": ".", "decimal": ","},
         [1529.82, 0.5, 1234567, 1234]),
        ("1'234.5|2’500|3|4", {"thousands": "'"}, [1234.5, 2500, 3, 4]),
        ("1,234%|0.5%|7%|8%", {"thousands": ","}, [1234, 0.5, 7, 8]),
    ],
)  # fmt: skip
def test_thousands(tmp_path: Path, texts: str, keys: dict[str, str], expected: list[float]) -> None:
    rows = columns(texts, "1|2|3|4")
    assert load(tmp_path, rows, **keys).X[:, 0].tolist() == expected
    swapped = [row[::-1] for row in rows]
    assert load(tmp_path, swapped, **keys).y.tolist() == expected
    with pytest.raises(DataError, match=r"no numbers in column 'x1' .*'decimal:' and 'thousands:'"):
        load(tmp_path, rows)


@pytest.mark.parametrize("text", ["1,5", "12,34", "1,2345", ",123", "1,,234"])
def test_thousands_are_groups_of_three(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"in column 'x1' \(1 of 2 values, '.*' in line 3\)"):
        load(tmp_path, columns(f"1|{text}", "1|2"), thousands=",")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"thousands": "."}, r"both '\.' but must differ; .* set 'decimal: \",\"'"),
    ],
)
def test_marks_that_are_none(keys: dict[str, str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        DataRequest("d", file="d.csv", **keys)  # type: ignore[arg-type]
