"""What becomes of a user's columns: read, or named all at once with the advice that fits."""

from pathlib import Path

import numpy as np
import pytest
from shelf import load

from boostbench.data import bounds
from boostbench.errors import DataError

KEYS = {"categorical": "auto", "missing": "median"}


def refusal(tmp_path: Path, content: str, **options: object) -> str:
    with pytest.raises(DataError) as caught:
        load(tmp_path, content, **options)
    assert caught.value.exit_code == 4
    assert "\n" not in str(caught.value)
    return str(caught.value)


def table(**columns: list[object]) -> str:
    rows = zip(*columns.values(), strict=True)
    body = "".join(";".join(str(value) for value in row) + "\n" for row in rows)
    return ";".join(columns) + "\n" + body


MANY = {
    "id": range(1, 13),
    "size": [1, "", 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    "colour": ["red", "blue", "n/a"] * 4,
    "name": ["Ann", "Bob"] + [f"person {i}" for i in range(10)],
    "price": ["1,5", "2", "3,25"] * 4,
    "width": [1, 2, "-", 4, 5, 6, 7, 8, 9, 10, 11, 12],
    "paid": ["$1", "$2"] * 6,
    "const": [7] * 12,
    "y": [i * i % 7 for i in range(12)],
}


def test_all_columns_are_named_at_once_with_all_keys(tmp_path: Path) -> None:
    assert refusal(tmp_path, table(**MANY)) == (
        "my.csv has text in 2 columns: 'colour' (8 of 8 values, 'red' in line 2), "
        "'name' (12 of 12 values, 'Ann' in line 2); "
        "missing values in 2 columns: 'size' (1, in line 3), 'colour' (4, first in line 4); "
        "values that are no numbers in 3 columns: 'price' (8 of 12 values, '1,5' in line 2), "
        "'width' (1 of 12 values, '-' in line 4), 'paid' (12 of 12 values, '$1' in line 2); "
        "add to the data set: 'categorical: auto' (0/1 features, one per level; names are left "
        "out), 'decimal:', 'thousands:', 'na_values:' (how numbers and gaps are written), "
        "'missing: median' (fill by the training rows) or 'missing: drop' (leave out the "
        "rows), 'drop: [colour, name, price, width, paid]' (leave out columns)"
    )


def test_those_keys_are_enough(tmp_path: Path) -> None:
    data = load(tmp_path, table(**MANY), decimal=",", na_values=("-",), drop=("paid", "id"), **KEYS)
    assert data.feature_names[:3] == ("size", "colour=blue", "colour=red")
    assert data.X[:3, -3].tolist() == [1.5, 2, 3.25]
    assert np.isnan(data.X[:, -2]).tolist() == [i == 2 for i in range(12)]
    assert data.missing == "median"
    assert data.remarks == (
        "2 columns one-hot encoded (levels: colour 2, name 12)",
        "2 missing values in 2 columns filled by the median of the training rows (size 1, width 1)",
        "4 missing values in 1 categorical column encoded as zeros (colour 4)",
        "constant columns: 'const' (they tell no rows apart in any fold; leave out with "
        "'drop: [const]')",
        "columns that number or name the rows: 'name' (in every fold a method can learn the order "
        "of the file from them, which says nothing of new rows; leave out with 'drop: [name]')",
    )
    assert data.remarks_line == f"mine: {'; '.join(data.remarks)}"


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (["1,5", "0,25", "3"], "2 of 3 values, '1,5' in line 2"),
        (["1,234.5", "2,500", "950"], "2 of 3 values, '1,234.5' in line 2"),
        (["$5", "6 €", "₹7"], "3 of 3 values, '$5' in line 2"),
        (["1", "(2.50)", "-3"], "1 of 3 values, '(2.50)' in line 3"),
        (["−1", "–2", "3%"], "3 of 3 values, '−1' in line 2"),
        (["1", "-", "3"], "1 of 3 values, '-' in line 3"),
        (["1", "unknown", "3"], "1 of 3 values, 'unknown' in line 3"),
    ],
)
def test_numbers_are_never_called_categories(tmp_path: Path, values: list[str], shown: str) -> None:
    content = table(v=values, y=[i % 5 / 7 for i in range(len(values))])
    for keys in ({}, KEYS):
        message = refusal(tmp_path, content, **keys)
        assert f"values that are no numbers in column 'v' ({shown})" in message
        assert "'na_values:'" in message
        assert "'decimal:'" in message
        assert "'drop: [v]'" in message
        assert "categorical" not in message


@pytest.mark.parametrize("values", [["red", "blue", "red"], ["0", "1", "3+"]])
def test_categories_are_called_so_and_become_features(tmp_path: Path, values: list[str]) -> None:
    content = table(v=values, y=[1, 2, 4])
    assert "'categorical: auto'" in refusal(tmp_path, content)
    data = load(tmp_path, content, categorical="auto")
    assert data.feature_names == tuple(f"v={level}" for level in sorted(set(values)))
    same = load(tmp_path, content, categorical=("v",))
    assert data.fingerprint == same.fingerprint
    assert data.remarks == same.remarks


def test_whole_numbers_and_codes_with_letters_are_categories(tmp_path: Path) -> None:
    content = table(family=[str(i // 4) + "A" * (i % 40 == 0) for i in range(200)], y=range(200))
    message = refusal(tmp_path, content)
    assert "text in column 'family' (5 of 200 values, '0A' in line 2)" in message
    assert "'categorical: auto'" in message
    assert load(tmp_path, content, categorical="auto").X.shape == (200, 55)


@pytest.mark.parametrize(("levels", "features"), [(20, 20), (21, 1), (15, 15)])
def test_names_are_left_out(tmp_path: Path, levels: int, features: int) -> None:
    names = [f"n{i % levels}" for i in range(40)]
    data = load(tmp_path, table(name=names, a=range(40), y=range(40)), categorical="auto")
    assert data.X.shape == (40, features + (levels <= 20))
    left_out = f"left out: 'name' ({levels} different texts in 40 values)"
    assert (left_out in data.remarks) == (levels > 20)


def test_levels_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_LEVELS", 25)
    content = table(a=range(60), c=[f"c{i % 30}" for i in range(60)],
                    d=[f"d{i % 26}" for i in range(60)], y=range(60))  # fmt: skip
    message = refusal(tmp_path, content, categorical="auto")
    assert "too many levels in 2 columns: 'c' (60 of 60 values" in message
    assert "add to the data set: 'drop: [c, d]'" in message


def test_dates_are_refused(tmp_path: Path) -> None:
    days = [f"2020-01-{day:02}" for day in range(1, 29)]
    content = table(day=days, a=range(28), y=range(28))
    message = refusal(tmp_path, content)
    assert "text in column 'day' (28 of 28 values, '2020-01-01' in line 2)" in message
    assert "'drop: [day]'" in message
    assert load(tmp_path, content, categorical="auto").feature_names == ("a",)


def test_true_false_and_percentages_are_numbers(tmp_path: Path) -> None:
    content = table(flag=["True", "FALSE", ""], share=["72%", "5.5 %", "n/a"], y=[1, 2, 4])
    message = refusal(tmp_path, content)
    assert "missing values in 2 columns: 'flag' (1, in line 4), 'share'" in message
    assert "text in" not in message
    data = load(tmp_path, content, missing="median")
    np.testing.assert_array_equal(data.X, [[1, 72], [0, 5.5], [np.nan, np.nan]])
    assert data.remarks[:2] == (
        "true/false read as 1/0 in 'flag'",
        "percentages read as numbers (72 for 72%) in 'share'",
    )


def test_na_values_are_texts_or_numbers(tmp_path: Path) -> None:
    content = table(a=[-999, 1, "-", 3], c=["red", "-", "none given", "red"], y=[1, 2, 3, 5])
    data = load(tmp_path, content, na_values=("-999.0", "-", "none given"), **KEYS)
    np.testing.assert_array_equal(data.X, [[np.nan, 1], [1, 0], [np.nan, 0], [3, 1]])
    assert data.feature_names == ("a", "c=red")
    # Without a header, a gap in the first row is no name.
    data = load(tmp_path, "5,-,0\n4,2,1\n", na_values=("-",), missing="median")
    np.testing.assert_array_equal(data.X, [[5, np.nan], [4, 2]])
