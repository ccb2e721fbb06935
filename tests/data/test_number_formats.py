"""Decimal marks and thousands separators: read as said, and advised so that the advice works."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostbench.data.access import DataAccess
from boostbench.data.dataset import Dataset
from boostbench.data.loading import load_dataset
from boostbench.data.request import DataRequest
from boostbench.errors import DataError

KEY = re.compile(r"'(decimal|thousands): \"(.)\"'")


def load(folder: Path, rows: list[list[str]], **options: object) -> Dataset:
    path = folder / "my.csv"
    header = [*(f"x{i}" for i in range(1, len(rows[0]))), "y"]
    path.write_text("".join("\t".join(row) + "\n" for row in [header, *rows]), encoding="utf-8")
    request = DataRequest("mine", file=str(path), **{"target": "y", **options})  # type: ignore[arg-type]
    return load_dataset(request, DataAccess(folder / "cache", offline=True))


def refusal(folder: Path, rows: list[list[str]], **options: object) -> str:
    with pytest.raises(DataError) as caught:
        load(folder, rows, **options)
    assert "\n" not in str(caught.value)
    assert "categorical" not in str(caught.value)
    return str(caught.value)


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


@pytest.mark.parametrize(
    ("texts", "keys", "advice"),
    [
        # Another column shows what the decimal mark is.
        (["1,234|1,500|950", "0.5|1.5|2.5"], {}, "'thousands: \",\"'"),
        (["1,234|1,500|950"], {},
         "'thousands: \",\"' if '1,234' is 1234, or 'decimal: \",\"' if it is 1.234"),
        (["1.234|1.500|950"], {"decimal": ","},
         "'thousands: \".\"' if '1.234' is 1234, or 'decimal: \".\"' in place of "
         "'decimal: \",\"' if it is 1.234"),
    ],
)  # fmt: skip
def test_the_advice_is_of_the_whole_table(
    tmp_path: Path, texts: list[str], keys: dict[str, str], advice: str
) -> None:
    rows = columns(*texts, "1|2|4")
    message = refusal(tmp_path, rows, **keys)
    assert message.endswith(f"; add to the data set {advice}")
    for choice in advice.split(", or "):
        assert load(tmp_path, rows, **follow(choice, keys)).X.shape == (3, len(texts))


wholes = st.integers(-(10**7), 10**7)
hundredths = st.integers(-(10**6), 10**6).map(lambda n: n / 100)


def written(number: float, decimal: str, thousands: str) -> str:
    text = f"{number:,}"
    return text.translate(str.maketrans({",": thousands, ".": decimal}))


@given(
    data=st.data(),
    marks=st.permutations([".", ",", " ", "'", ""]).map(lambda marks: marks[:2]).filter(
        lambda marks: marks[0] in (".", ",")
    ),
    now=st.sampled_from([(".", None), (",", None), (".", ","), (",", "."), (".", " ")]),
)  # fmt: skip
def test_who_follows_the_advice_once_is_done(
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    marks: list[str],
    now: tuple[str, str | None],
) -> None:
    kinds = data.draw(st.lists(st.sampled_from([wholes, hundredths]), min_size=1, max_size=3))
    numbers = [data.draw(st.lists(kind, min_size=4, max_size=4)) for kind in kinds]
    texts = [[written(number, *marks) for number in column] for column in numbers]
    rows = [[*row, str(i)] for i, row in enumerate(zip(*texts, strict=True))]
    folder = tmp_path_factory.mktemp("own")
    keys = {"decimal": now[0], "thousands": now[1]}
    expected = np.array(numbers, dtype=float).T + 0.0
    tried = [follow(choice, keys) for choice in advice_on(folder, rows, keys)]
    if tried:
        assert any(np.array_equal(load(folder, rows, **said).X, expected) for said in tried)


def advice_on(folder: Path, rows: list[list[str]], keys: dict[str, str | None]) -> list[str]:
    """Return the choices that the advice offers, none where the rows can be loaded."""
    try:
        load(folder, rows, **keys)
    except DataError as error:
        _, found, advice = str(error).partition("add to the data set ")
        return advice.split(", or ") if found else [f"none is advised: {error}"]
    return []


def follow(choice: str, keys: dict[str, str | None]) -> dict[str, str | None]:
    """Return the keys changed as one choice of the advice says."""
    asked, _, gone = choice.partition(" in place of ")
    kept = {k: v for k, v in keys.items() if f"'{k}: \"{v}\"'" not in gone}
    return {**kept, **dict(KEY.findall(asked))}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"thousands": "."}, r"both '\.' but must differ; .* set 'decimal: \",\"'"),
    ],
)
def test_marks_that_are_none(keys: dict[str, str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        DataRequest("d", file="d.csv", **keys)  # type: ignore[arg-type]
