"""Delimited text as people have it: quotes, headers, separators, lines; and nothing lost."""

import csv
import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shelf import values

from boostbench.data.delimited import parse_delimited
from boostbench.data.text_format import MISSING, PLAIN, TextFormat
from boostbench.errors import DataError


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        # Excel writes the separator into the first line, and rows of nothing below the last.
        ("sep=;\na;b\n1;2\n;\n;\n", {"a": [1], "b": [2]}, [3]),
        ("\nSEP=\t\na\tb\n1\t2\n", {"a": [1], "b": [2]}, [4]),
        ('"sep=|"\na|b\n1|2\n', {"a": [1], "b": [2]}, [3]),
        # A quoted value may hold line ends and separators.
        ('a,b\n"x\ny",1\n\n"z, w",2\n', {"a": ["x\ny", "z, w"], "b": [1, 2]}, [2, 5]),
        ('"a\nb",c\n1,2\n', {"a b": [1], "c": [2]}, [3]),
        ('a,b\n"say ""hi""",1\n', {"a": ['say "hi"'], "b": [1]}, [2]),
        ('a,b\n"say \\"hi\\"",1\n', {"a": ['say "hi"'], "b": [1]}, [2]),
        # An apostrophe is a letter unless all that begin a value also end it.
        ("a,b\n't Hooft,1\nO'Neill,2\n", {"a": ["'t Hooft", "O'Neill"], "b": [1, 2]}, [2, 3]),
        ("a,b\n'x, y',1\nO'Neill,2\n", {"a": ["x, y", "O'Neill"], "b": [1, 2]}, [2, 3]),
        ("a,b\n'Ain,1\nSana',2\ncat,3\n", {"a": ["'Ain", "Sana'", "cat"], "b": [1, 2, 3]},
         [2, 3, 4]),
        ("a,b\n'it\\'s',1\nx,2\n", {"a": ["it's", "x"], "b": [1, 2]}, [2, 3]),
        ('a,b\n"x, \'y\', z",1\n"w",2\n', {"a": ["x, 'y', z", "w"], "b": [1, 2]}, [2, 3]),
        ('a,b\n5" disk,1\n3" disk,2\n', {"a": ['5" disk', '3" disk'], "b": [1, 2]}, [2, 3]),
        # A header may begin like a comment.
        ("#id,b\n1,2\n", {"#id": [1], "b": [2]}, [2]),
        ("% of all\tb\n1\t2\n", {"% of all": [1], "b": [2]}, [2]),
        # With several marks, the one that all rows have equally often.
        ("length, cm;y\n1;2\n", {"length, cm": [1], "y": [2]}, [2]),
        ("1,5;2\n2,25;3\n", {"x1": ["1,5", "2,25"], "x2": [2, 3]}, [1, 2]),
        ("a|b\n1|2\n", {"a": [1], "b": [2]}, [2]),
        # As pandas reads them, these would be truth values, a float and an integer.
        ("a,b\nTRUE,1\nfalse,2\n", {"a": ["TRUE", "false"], "b": [1, 2]}, [2, 3]),
        ("a,b\n1_0,1\n2,2\n", {"a": ["1_0", "2"], "b": [1, 2]}, [2, 3]),
        ("a,b\n123456789012345678901,1\n1,2\n", {"a": [123456789012345678901.0, 1], "b": [1, 2]},
         [2, 3]),
        ("a,b\n9007199254740993,1\n1,2\n", {"a": [9007199254740992.0, 1], "b": [1, 2]}, [2, 3]),
        (" a , b \n 1 , x \n NA ,\ty\n", {"a": [1, np.nan], "b": ["x", "y"]}, [2, 3]),
        ("a,b\n1,n/a\n#N/A,2\n", {"a": [1, np.nan], "b": [np.nan, 2]}, [2, 3]),
        ("a,b\n-,1\n2,2\n", {"a": ["-", "2"], "b": [1, 2]}, [2, 3]),
    ],
)  # fmt: skip
def test_common_formats(text: str, columns: dict[str, list[object]], lines: list[int]) -> None:
    table = parse_delimited(text, "w")
    found = values(table)
    assert found.keys() == columns.keys()
    for name, expected in columns.items():
        np.testing.assert_array_equal(found[name], expected)
    assert table.lines == lines


@pytest.mark.parametrize(
    ("text", "columns", "unnamed"),
    [
        ('"","mpg"\n"Mazda",21\n"Fiat",22\n', ["unnamed_1", "mpg"], [0]),
        (",name,colour\n0,Bob,red\n1,Al,blue\n", ["unnamed_1", "name", "colour"], [0]),
        ("mpg cyl\nMazda 21 6\nFiat 22 4\n", ["unnamed_1", "mpg", "cyl"], [0]),
        ("a,b,\n1,2,\n3,4,\n", ["a", "b", "unnamed_3"], [2]),
        ("a,b\n1,2,\n3,4,\n", ["a", "b", "unnamed_3"], [2]),
        (",unnamed_1\n1,2\n", ["unnamed_1_", "unnamed_1"], [0]),
    ],
)
def test_columns_without_a_name(text: str, columns: list[str], unnamed: list[int]) -> None:
    table = parse_delimited(text, "w")
    assert table.names == columns
    assert [i for i, name in enumerate(columns) if name in table.unnamed] == unnamed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,b\n"x\ny",1\n1,2,3\n', "w:4 has 3 values, but the header or first row has 2"),
        ("Sales, in 2020,\n\na,b\n1,2\n", "w:3 has 2 values, but the header or first row has 3"),
        ("a,b\n1,2\n1\n", "w:3 has 1 value, but the header or first row has 2"),
        ("# by me\nx,y\n1,2\n", "w:2 has 2 values, .* where that is a comment or a title, remove"),
        ("\n#mine\n#\nx;y\n1;2\n", "w:4 has 2 values, but the header or first row has 1"),
        ("% mine\nx y z\n1 2 3\n", "w:2 has 3 values, but the header or first row has 2"),
        ('a,b\n1,2\n"3,4\n5,6\n', r'w:3 opens a quote \("\) that is not closed'),
        ("a,,c,\n1,2,3,4\n", r"w has an unnamed column \(column 2, 4\)"),
        ("a,b,a,b\n1,2,3,4\n", r"'a' \(columns 1, 3\) and two columns named 'b' \(columns 2, 4\)"),
        ("sep=;\n", "w has no rows"),
    ],
)
def test_errors_name_their_line(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_delimited(text, "w")


@pytest.mark.parametrize(
    ("text", "decimal", "columns"),
    [
        ("a;b\n1,5;2\n,25;?\n1e3;-3,0\n", ",", {"a": [1.5, 0.25, 1000], "b": [2, np.nan, -3]}),
        ('a,b\n"1,5",2\n"2,5",3\n', ",", {"a": [1.5, 2.5], "b": [2, 3]}),
        ("a;b\n1.5;2\n2,5;3\n", ",", {"a": ["1.5", "2,5"], "b": [2, 3]}),
        ("a;b\n1.5;2\n2,5;3\n", ".", {"a": ["1.5", "2,5"], "b": [2, 3]}),
    ],
)
def test_the_decimal_mark(text: str, decimal: str, columns: dict[str, list[object]]) -> None:
    found = values(parse_delimited(text, "w", texts=TextFormat(decimal)))
    for name, expected in columns.items():
        np.testing.assert_array_equal(found[name], expected)


def test_texts_after_many_numbers_leave_those_as_they_are_written() -> None:
    # So many that pandas would read them in pieces, and take the first for numbers.
    rest = ",2" * 63 + "\n"
    table = parse_delimited(f"1.50{rest}" * 40_000 + f"x{rest}", "w", header=False)
    assert set(table.frame["x1"]) == {"1.50", "x"}
    assert table.line_of(40_000) == "line 40001"


texts = st.text(st.sampled_from("ab1.,;'\"\\ \n-"), max_size=6).map(str.strip)


@given(st.lists(st.lists(texts, min_size=3, max_size=3), min_size=1, max_size=8))
def test_rows_written_by_csv_are_read_back(rows: list[list[str]]) -> None:
    # Backslashes before quotes are escapes here, and a value of nothing but blanks is missing.
    rows = [["v" + cell.replace("\\", "/") for cell in row] for row in rows]
    file = io.StringIO()
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["a", "b", "c"], *rows])
    table = parse_delimited(file.getvalue(), "w", header=True, separator=",")
    assert table.frame.to_numpy().tolist() == rows
    starts = [
        2 + sum(cell.count("\n") for row in rows[:i] for cell in row) + i for i in range(len(rows))
    ]
    assert table.lines == starts


numbers = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(["NA", "", "True", "x", "+.5", "5.", "1e400", "-0", "٣", "1_0", "0x10", " 7 "]),
)


@given(st.lists(numbers, min_size=2, max_size=30), st.integers(1, 4))
@example(["18446744073709551616", "1_0"], 1)
def test_numbers_are_those_of_python_however_many_are_read_at_a_time(
    tokens: list[str], at_a_time: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boostbench.data.rows._ROWS_A_PIECE", at_a_time)
        table = parse_delimited("\n".join(f"{t},1" for t in tokens), "w", header=False)
    stripped = [token.strip() for token in tokens]
    expected = [np.nan if t in MISSING else PLAIN.number(t) for t in stripped]
    column = table.frame["x1"].to_numpy()
    if None in expected:
        found = table.frame["x1"].fillna("")
        assert found.tolist() == ["" if t in MISSING else t for t in stripped]
    else:
        # Whole numbers have no negative zero, and no arrays of a data set do.
        assert (column + 0.0).tobytes() == (np.array(expected, dtype=float) + 0.0).tobytes()
        python = [float(t) for t in stripped if t not in MISSING]
        assert column[~np.isnan(column)].tolist() == python


def test_a_quote_that_swallows_a_file_is_noticed_at_its_line() -> None:
    with pytest.raises(DataError, match=r"w:2 opens a quote"):
        parse_delimited('a,b\n"1,2\n' + "3,4\n" * 50_000, "w")
