"""Columns and rows that are likely mistakes: what is said of them, and when nothing is."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from shelf import load

N = 40


def table(**columns: Sequence[object]) -> str:
    rows = [tuple(columns), *zip(*columns.values(), strict=True)]
    return "\n".join(";".join(map(str, row)) for row in rows) + "\n"


def remarks(folder: Path, options: dict[str, object] | None = None, **columns: object) -> str:
    """Return what is said of a table with these columns, an ordinary one, and a target."""
    usual = {"noise": [i * 37 % 101 / 7 for i in range(N)], "y": [i * 53 % 97 for i in range(N)]}
    content = table(**{**columns, **{k: v for k, v in usual.items() if k not in columns}})  # type: ignore[arg-type]
    return "; ".join(load(folder, content, target="y", **options or {}).remarks)


def test_an_ordinary_table_has_no_remarks(tmp_path: Path) -> None:
    assert remarks(tmp_path) == ""


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", [1001 + 7 * i * i for i in range(N)]),
        ("patientId", [5 * i for i in range(N)]),
        ("Lfd. Nr.", [i * 17 % 41 for i in range(1, N + 1)]),
        ("anything", range(1, N + 1)),
        ("shuffled", [i * 7 % N for i in range(N)]),
        ("falling", range(3000 + N, 3000, -1)),
        ("mixed", [2500 + i * 7 % N for i in range(N)]),
    ],
)
def test_columns_that_number_the_rows(tmp_path: Path, name: str, values) -> None:
    text = remarks(tmp_path, **{name: values})
    assert text.startswith(f"columns that number or name the rows: '{name}' (a ")
    assert "says nothing of new rows; leave out with 'drop: [" in text


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("year", range(1981, 1981 + N)),
        ("id", [i // 2 for i in range(N)]),
        ("price", [i * i * 3 for i in range(N)]),
        ("id", [i + 0.5 for i in range(N)]),
        ("id", ["", *range(1, N)]),
    ],
)
def test_columns_that_do_not_number_the_rows(tmp_path: Path, name: str, values) -> None:
    assert "number or name" not in remarks(tmp_path, {"missing": "median"}, **{name: values})


def test_texts_that_name_the_rows(tmp_path: Path) -> None:
    names = [f"P{i * i:05}" for i in range(N)]
    text = remarks(tmp_path, {"categorical": ("patient",)}, patient=names)
    assert "columns that number or name the rows: 'patient'" in text
    groups = [f"ward {i % 5}" for i in range(N)]
    assert "number or name" not in remarks(tmp_path, {"categorical": ("w",)}, w=groups)


@pytest.mark.parametrize("value", ["5", "-0.5", "same"])
def test_constant_columns(tmp_path: Path, value: str) -> None:
    text = remarks(tmp_path, {"categorical": "auto"}, five=[value] * N)
    words = "constant columns: 'five' (they tell no rows apart; leave out with "
    assert f"{words}'drop: [five]')" in text


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["0.3", "0.30000000000000004"], True),
        (["1.5e-17", "9e-16"], True),
        (["100000.5", "100000.50000000001"], True),
        (["0.3", "0.3000000001"], False),
        (["1.5e-12", "9e-11"], False),
    ],
)
def test_columns_that_vary_only_by_rounding(tmp_path: Path, values: list[str], said: bool) -> None:
    text = remarks(tmp_path, some=[values[i * i % 7 % 2] for i in range(N)])
    words = "columns that vary only by rounding: 'some' (scaling makes them constant"
    assert (words in text) == said
    assert ("'drop: [some]'" in text) == said


def test_a_category_that_some_rows_lack_is_not_constant(tmp_path: Path) -> None:
    options = {"categorical": "auto", "missing": "median"}
    some = ["x" if i % 3 else "" for i in range(N)]
    assert "constant" not in remarks(tmp_path, options, some=some)
    # A number would be filled by its only value.
    numbers = ["4" if i % 3 else "" for i in range(N)]
    assert "constant columns: 'four'" in remarks(tmp_path, options, four=numbers)


def test_a_number_equal_to_the_target(tmp_path: Path) -> None:
    y = [i * 53 % 97 for i in range(N)]
    text = remarks(tmp_path, y=y, price=[f"{v}.0" for v in y])
    words = "columns with the values of the target: 'price' (the answers are then among"
    assert words in text
    assert "'drop: [price]'" in text
    assert "values of the target" not in remarks(tmp_path, y=y, price=[v + (v == y[3]) for v in y])


@pytest.mark.parametrize(
    ("values", "is_copy"),
    [(["yes", "no"], True), ([1, 0], True), (["true", "false"], True), ([1, 1], False)],
)
def test_classes_under_another_name(tmp_path: Path, values: list[object], is_copy: bool) -> None:
    late = [i * i % 7 > 2 for i in range(N)]
    options = {"task": "classification", "categorical": "auto"}
    y = ["late" if one else "in time" for one in late]
    same = [values[0] if one else values[1] for one in late]
    text = remarks(tmp_path, options, y=y, same=same)
    assert ("values of the target: 'same'" in text) == is_copy


@pytest.mark.parametrize(("others", "said"), [(18, "20 of 38 rows occur several"), (20, "")])
def test_rows_that_occur_several_times(tmp_path: Path, others: int, said: str) -> None:
    lines = [f"{i * 7 % 31};{i * i % 11};{i}" for i in range(10)] * 2
    lines += [f"{i * 5 % 23};{i % 3}.5;{100 + i * i % 71}" for i in range(others)]
    text = "; ".join(load(tmp_path, "\n".join(["a;b;y", *lines]), target="y").remarks)
    assert text.startswith(said)
    assert ("(copies of rows that are tested are then trained on; remove" in text) == bool(said)


def test_rows_that_differ_in_their_target_are_no_copies(tmp_path: Path) -> None:
    lines = [f"{i % 4};{i % 3};{i * i}" for i in range(N)]
    assert load(tmp_path, "\n".join(["a;b;y", *lines]), target="y").remarks == ()


def test_copied_rows_with_gaps_are_copies(tmp_path: Path) -> None:
    lines = [f"{'' if i % 2 else i};{i * i % 11};{i * 3 % 7}" for i in range(10)] * 3
    (text,) = load(tmp_path, "\n".join(["a;b;y", *lines]), target="y", missing="median").remarks[1:]
    assert text.startswith("30 of 30 rows occur several times")


def test_few_rows_are_not_doubted(tmp_path: Path) -> None:
    content = table(id=range(8), a=[3, 1, 4, 1, 5, 9, 2, 6], y=range(8))
    assert load(tmp_path, content, target="y").remarks == ()


def test_long_numbers_that_become_one_are_not_called_constant(tmp_path: Path) -> None:
    def remarks(first: int, step: int = 1, **options: object) -> str:
        ids = ["" if i == 5 else first + step * i for i in range(20)]
        rows = "".join(f"{one},{i % 7},{i % 5 + i / 9}\n" for i, one in enumerate(ids))
        keys = {"missing": "median", **options}
        return "; ".join(load(tmp_path, f"reading,a,y\n{rows}", **keys).remarks)

    text = remarks(1234567890123456789)
    assert (
        "numbers of more digits than 64 bits hold: 'reading' (19 values in 19 rows become 1 "
        "number); 'drop: [reading]' leaves out what identifies rows, 'categorical: [reading]' "
        "makes levels of them"
    ) in text
    assert "constant" not in text
    assert "(19 values in 19 rows become 11 numbers)" in remarks(2**53)
    # So long as they stay apart, nothing is lost.
    for first, step in ((2**53 - 40, 1), (2**60, 1024)):
        assert "64 bits" not in remarks(first, step)
    assert "64 bits" not in remarks(1234567890123456789, drop=["reading"])
    assert "64 bits" not in remarks(1234567890123456789, categorical=["reading"])
