"""Decimal marks and thousands separators: read as said, and nothing else."""

from pathlib import Path

import pytest
from shelf import load

from boostbench.data.text_format import looks_like_number
from boostbench.errors import DataError


def rows_of(rows: list[list[str]]) -> str:
    header = [*(f"x{i}" for i in range(1, len(rows[0]))), "y"]
    return "".join("\t".join(row) + "\n" for row in [header, *rows])


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
    assert load(tmp_path, rows_of(rows), **keys).X[:, 0].tolist() == expected
    swapped = [row[::-1] for row in rows]
    assert load(tmp_path, rows_of(swapped), **keys).y.tolist() == expected
    with pytest.raises(DataError, match=r"no numbers in column 'x1' .*'decimal:', 'thousands:'"):
        load(tmp_path, rows_of(rows))


@pytest.mark.parametrize("text", ["1,5", "12,34", "1,2345", ",123", "1,,234"])
def test_thousands_are_groups_of_three(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"in column 'x1' \(1 of 2 values, '.*' in line 3\)"):
        load(tmp_path, rows_of(columns(f"1|{text}", "1|2")), thousands=",")


@pytest.mark.parametrize(
    ("text", "in_a_notation", "in_groups"),
    [
        ("1.234,5", True, True),
        ("€12", True, True),
        ("72 %", True, True),
        ("(3)", True, False),
        ("'90", True, False),
        ("1.2.2020", False, True),
        ("12,34,567", False, True),
        ("136A", False, False),
        ("", False, False),
    ],
)
def test_what_looks_like_a_number(text: str, in_a_notation: bool, in_groups: bool) -> None:
    assert looks_like_number(text) is in_a_notation
    assert looks_like_number(text, any_groups=True) is in_groups
