"""What becomes of a user's columns: read, or named all at once with the advice that fits."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
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
        "rows), 'na_values: []' (where these are values: 'n/a'), "
        "'drop: [colour, name, price, width, paid]' (leave out columns)"
    )


def test_those_keys_are_enough(tmp_path: Path) -> None:
    keys = KEYS | {"target": "y", "decimal": ",", "na_values": ("-",), "drop": ("paid", "id")}
    data = load(tmp_path, table(**MANY), **keys)
    assert data.feature_names[:3] == ("size", "colour=blue", "colour=red")
    assert data.X[:3, -3].tolist() == [1.5, 2, 3.25]
    assert np.isnan(data.X[:, -2]).tolist() == [i == 2 for i in range(12)]
    assert data.missing == "median"
    assert data.remarks == (
        "read as missing: 'n/a' 4, '-' 1, empty 1",
        "na_values adds to the usual marks, of which the file has 'n/a' 4: list these too, since "
        "the next version takes only what is listed",
        "2 columns one-hot encoded (levels: colour 2, name 12)",
        "many levels for 12 rows: name 12; 'drop: [name]' leaves them out",
        "2 missing values in 2 columns filled by the median of the training rows (size 1, width 1)",
        "4 missing values in 1 categorical column encoded as zeros (colour 4)",
        "constant columns: 'const' (they tell no rows apart; leave out with 'drop: [const]')",
        "columns that number or name the rows: 'name' (a method can learn the order "
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
    content = table(
        a=range(60),
        c=[f"c{i % 30}" for i in range(60)],
        d=[f"d{i % 26}" for i in range(60)],
        y=range(60),
    )
    message = refusal(tmp_path, content, categorical="auto")
    assert "too many levels in 2 columns: 'c' (60 of 60 values" in message
    assert "add to the data set: 'drop: [c, d]'" in message


@pytest.mark.parametrize(
    "form",
    [
        "2020-01-{:02}", "2020/1/{}", "{:02}.01.2020", "01/{:02}/20", "2020-01-{:02}T09:30:00Z",
        "01/{:02}/2020 10:00 PM", "{}-Jan-2020", "January {}, 2020", "2020-01-{:02} 09:30:00.5",
        "202001{:02}T000000", "Mon, {:02} Jan 2020 10:00:00 GMT", "Friday, January {}, 2020",
    ],
)  # fmt: skip
def test_dates_are_called_so_and_refused(tmp_path: Path, form: str) -> None:
    days = [form.format(day) for day in range(1, 29)]
    content = table(day=[*days, ""], a=range(29), y=range(29))
    for keys in ({}, KEYS):
        message = refusal(tmp_path, content, **keys)
        assert f"dates in column 'day' (28 of 28 values, '{days[0]}' in line 2)" in message
        assert "'drop: [day]'" in message
        assert "categorical" not in message
    assert load(tmp_path, content, drop=("day",)).feature_names == ("a",)
    # Whoever names the column wants its levels.
    assert load(tmp_path, content, **KEYS | {"categorical": ("day",)}).X.shape == (29, 29)
    target = refusal(tmp_path, content, target="day", missing="drop")
    assert f"dates in the target column 'day' (28 of 28 values, '{days[0]}'" in target


def test_columns_that_a_file_declares_as_dates(tmp_path: Path) -> None:
    arff = "@relation r\n@attribute d date yyyyMMdd\n@attribute y real\n@data\n"
    with pytest.raises(DataError, match=r"dates in column 'd' \(2 of 2 values, '20200131' in"):
        load(tmp_path, f"{arff}20200131,1\n20200201,2\n", "my.arff")
    with pytest.raises(DataError, match=r"dates in the target column 'd' \(2 of 2 values"):
        load(tmp_path, f"{arff}20200131,1\n20200201,2\n", "my.arff", target="d")
    pytest.importorskip("pyarrow")
    days = pd.date_range("2020-01-31", periods=40, freq="h")
    for values in (days, days.date, days.tz_localize("UTC")):
        frame = pd.DataFrame({"signup date": values, "a": range(40), "y": range(40)})
        buffer = io.BytesIO()
        frame.to_parquet(buffer)
        for keys in ({}, KEYS):
            with pytest.raises(DataError) as caught:
                load(tmp_path, buffer.getvalue(), "my.parquet", **keys)
            said = "dates in column 'signup date' (40 of 40 values, '2020-01-31"
            assert said in str(caught.value)
            assert "'drop: [signup date]'" in str(caught.value)


@pytest.mark.parametrize(
    "form", ["1.{}.10", "10-{}", "{}/3", "12:{:02}", "v2020-01-{}", "mayor {}", "sunday {}"]
)
def test_what_is_no_date_may_have_levels(tmp_path: Path, form: str) -> None:
    content = table(v=[form.format(i % 4) for i in range(28)], y=range(28))
    assert load(tmp_path, content, categorical="auto").X.shape == (28, 4)


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        (["0-2", "2020-05-03 00:00:00", "6-9"], True),
        (["small", "large", "14.10.2011"], True),
        (["0-2", "3-5", "6-9"], False),
        (["2020-05-03", "2021-05-03"], False),
    ],
)
def test_dates_among_other_levels(tmp_path: Path, levels: list[str], said: bool) -> None:
    content = table(size=levels * 12, a=range(len(levels) * 12), y=range(len(levels) * 12))
    remarks = "; ".join(load(tmp_path, content, categorical=("size",)).remarks)
    words = (
        "dates among other levels: 'size' (spreadsheets make dates of texts such as 2-3; correct"
    )
    assert (words in remarks) == said


@pytest.mark.parametrize(
    ("n_levels", "n_rows", "named"),
    [(101, 1100, True), (100, 1100, False), (12, 119, True), (12, 120, False), (10, 20, False)],
)
def test_columns_of_many_levels_are_named(tmp_path: Path, n_levels, n_rows, named) -> None:
    cities = [f"city {i % n_levels}" for i in range(n_rows)]
    content = table(
        city=cities, c=["u", "v"] * (n_rows // 2) + ["u"] * (n_rows % 2), y=range(n_rows)
    )
    said = f"many levels for {n_rows:,} rows: city {n_levels}; 'drop: [city]' leaves them out"
    for keys in ({"categorical": "auto"}, {"categorical": ("city", "c")}):
        assert (said in load(tmp_path, content, **keys).remarks) == named


@pytest.mark.parametrize(
    ("numbers", "odd"),
    [
        ([20 + i % 43 for i in range(60)], "4O"),
        ([1, 2, 3, 4, 5] * 40, "S"),
        ([i % 43 + 0.5 for i in range(60)], "4O.5"),
        ([i % 43 + 0.5 for i in range(60)], "4..5"),
    ],
)
def test_a_mistyped_number_is_named_with_its_line(tmp_path: Path, numbers, odd: str) -> None:
    age = [*numbers[:15], odd, *numbers[15:]]
    content = table(age=age, y=range(len(age)))
    for keys in ({}, KEYS):
        message = refusal(tmp_path, content, **keys)
        column = f"column 'age' (1 of {len(age)} values, '{odd}' in line 17)"
        assert f"text among the numbers in {column}" in message
        assert "'categorical:' with their names" in message
        assert "'na_values:'" in message
    named = load(tmp_path, content, categorical=("age",))
    assert f"age={odd}" in named.feature_names
    filled = load(tmp_path, content, na_values=(odd,), missing="median")
    assert filled.X.shape == (len(age), 1)


def test_a_mistyped_target(tmp_path: Path) -> None:
    message = refusal(tmp_path, table(a=range(41), y=[*range(20), "2O", *range(20)]))
    assert "text among the numbers in the target column 'y' (1 of 41 values, '2O' in" in message
    assert "'na_values:' (if it means missing; else correct the file)" in message


@pytest.mark.parametrize(
    ("odd", "refused"), [(["4O", "l2", "I1"], True), (["4O"] * 11, False), (["40A", "12B"], False)]
)
def test_several_numbers_with_letters_for_digits(tmp_path: Path, odd, refused: bool) -> None:
    age = [*(20 + i % 30 for i in range(90)), *odd]
    content = table(age=age, y=range(len(age)))
    if not refused:
        assert load(tmp_path, content, categorical="auto").X.shape[1] > 29
        return
    message = refusal(tmp_path, content, **KEYS)
    assert "text among the numbers in column 'age' (3 of 93 values, '4O' in line 92)" in message


def test_levels_that_look_like_numbers_but_for_some_are_levels(tmp_path: Path) -> None:
    doors = ["2", "3", "4", "5more"] * 10
    content = table(doors=doors, y=range(40))
    assert load(tmp_path, content, categorical="auto").X.shape == (40, 4)


def test_true_false_and_percentages_are_numbers(tmp_path: Path) -> None:
    content = table(flag=["True", "FALSE", ""], share=["72%", "5.5 %", "n/a"], y=[1, 2, 4])
    message = refusal(tmp_path, content)
    assert "missing values in 2 columns: 'flag' (1, in line 4), 'share'" in message
    assert "text in" not in message
    data = load(tmp_path, content, target="y", missing="median")
    np.testing.assert_array_equal(data.X, [[1, 72], [0, 5.5], [np.nan, np.nan]])
    assert data.remarks[1:3] == (
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
