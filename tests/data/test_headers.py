"""Whether the first row holds names: read as it must be, refused with both readings, or told."""

from pathlib import Path

import pytest
from shelf import load, values

from boostbench.data.delimited import parse_delimited
from boostbench.errors import DataError

NAMES_ABOVE_NUMBERS = "age,2001,weight\n1,2,3\n4,5,6\n"
ANIMALS = "0,1,species\n0.086,0.18,cat\n0.237,0.747,cat\n0.8,0.752,cow\n0.1,0.2,dog\n"
COLOURS = "red,big,no\ngreen,small,no\nred,big,yes\ngreen,small,yes\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("id,name,y\n?,Bob,1\n2,Al,2\n", ["id", "name", "y"]),
        (NAMES_ABOVE_NUMBERS, ["age", "2001", "weight"]),
        (",name,colour\n0,Bob,red\n1,Al,blue\n", ["unnamed_1", "name", "colour"]),
        # Headless: a label occurs again, two numbers are equal, or there is no text.
        ("5.1,3.5,setosa\n4.9,3,setosa\n7,3.2,versicolor\n", ["x1", "x2", "x3"]),
        ("T,2,8,3\nI,5,12,3\nT,4,11,6\n", ["x1", "x2", "x3", "x4"]),
        ("8,8,amc\n6,5,ford\n", ["x1", "x2", "x3"]),
        ("1,2,3\n4,5,6\n", ["x1", "x2", "x3"]),
        ("0,1,2,3,5\n0,255,3,0,1\n", ["x1", "x2", "x3", "x4", "x5"]),
        ("0.5,1.5\n?,2\n", ["x1", "x2"]),
    ],
)
def test_clear_files_are_read(text: str, names: list[str]) -> None:
    assert parse_delimited(text, "w").names == names


@pytest.mark.parametrize(
    ("text", "n_below"),
    [
        # Numbers above numbers, and one text that may be a name.
        (ANIMALS, 4),
        ("400.5;401.5;fat\n1,5;2;7,25\n", 1),
        ("country,1990,2000\nDE,1.5,2\nFR,3,4\n", 2),
        # A mistyped number is no name.
        ("1,4O,3\n2,41,4\n", 1),
        ("17,4,unknown,2\n3,5,6,1\n", 1),
        # Text only.
        (COLOURS, 3),
        ("class,cap\np,x\ne,y\n", 2),
        # pandas numbers the columns of an array.
        ("0,1,2\n0.5,1.25,7\n", 1),
        ("1,2,3,4\n9,8.5,7,6\n", 1),
        ("0,1,2,3,4\n0,255,3,0,1\n", 1),
        (",0,1,2\n0,0.5,1.25,7\n1,3,2,2.5\n", 2),
    ],
)
def test_doubtful_files_are_refused_with_both_readings(text: str, n_below: int) -> None:
    with pytest.raises(DataError) as caught:
        parse_delimited(text, "w")
    message = str(caught.value)
    width = len(parse_delimited(text, "w", header=False).names)
    assert "w does not show whether its first row holds names or data: '" in message
    assert f"'header: true' ({n_below} row" in message
    assert f"'header: false' ({n_below + 1} rows of the columns x1 to x{width})" in message
    assert len(parse_delimited(text, "w", header=True).frame) == n_below
    assert len(parse_delimited(text, "w", header=False).frame) == n_below + 1


GAME = "top,left,won\n" + 4 * "x,o,yes\no,x,no\nb,b,no\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (GAME, ["top", "left", "won"]),
        ("\ufeff" + GAME.replace(",", ";"), ["\ufefftop", "left", "won"]),
        (ANIMALS.replace("species", "won"), ["0", "1", "won"]),
        # As R writes it, without a name above the names of rows.
        ("top,won\na,x,yes\nb,o,no\nc,x,no\n", ["unnamed_1", "top", "won"]),
        # Columns of many texts say nothing, and others decide.
        ("who,won\n" + "".join(f"p{i},{'ny'[i % 2]}\n" for i in range(30)), ["who", "won"]),
        # Two texts are equal and occur again: names do not.
        ("x,x,o,no\no,x,x,yes\nx,o,x,no\n", ["x1", "x2", "x3", "x4"]),
    ],
)
def test_the_name_of_the_target_shows_a_header(text: str, names: list[str]) -> None:
    assert parse_delimited(text, "w", target="won").names == names


@pytest.mark.parametrize(
    "text",
    [
        # The name of the target, or another text, is a level.
        GAME + "x,o,won\n",
        GAME + "top,o,yes\n",
        GAME.replace("won", "lost"),
        # Nothing but columns of many texts.
        "who,won\n" + "".join(f"p{i},q{i}\n" for i in range(30)),
        # Names that are equal are not told from levels.
        "x,x,no\no,b,yes\nb,o,no\n",
    ],
)
def test_without_that_name_a_file_of_texts_is_in_doubt(text: str) -> None:
    with pytest.raises(DataError, match="does not show whether its first row holds names"):
        parse_delimited(text, "w", target="won")


def test_the_target_of_a_data_set_shows_the_header_of_its_file(tmp_path: Path) -> None:
    keys = {"task": "classification", "categorical": "auto"}
    data = load(tmp_path, GAME, target="won", **keys)
    assert (data.classes, len(data.y)) == (("no", "yes"), 12)
    with pytest.raises(DataError, match="does not show"):
        load(tmp_path, GAME, target=-1, **keys)


def test_the_key_decides(tmp_path: Path) -> None:
    keys = {"task": "classification", "target": -1}
    named = load(tmp_path, ANIMALS, header=True, **keys)
    assert (named.classes, named.feature_names, named.target) == (
        ("cat", "cow", "dog"),
        ("0", "1"),
        "species",
    )
    data = load(tmp_path, COLOURS, header=False, categorical="auto", **keys)
    assert (len(data.y), data.feature_names[:2]) == (4, ("x1=green", "x1=red"))
    # It also decides where there is no doubt.
    assert values(parse_delimited("a,b\nc,1\n", "w", header=False))["x1"] == ["a", "c"]
    assert parse_delimited("1,2\n3,4\n", "w", header=True).names == ["1", "2"]


def test_sheets_have_the_same_rule(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs boostbench[excel]")
    book = openpyxl.Workbook()
    for row in (["red", "no"], ["blue", "yes"], ["red", "yes"]):
        book.active.append(row)
    path = tmp_path / "book.xlsx"
    book.save(path)
    keys = {"task": "classification", "categorical": "auto"}
    with pytest.raises(DataError, match=r"my\.xlsx does not show whether its first row"):
        load(tmp_path, path.read_bytes(), "my.xlsx", **keys)
    data = load(tmp_path, path.read_bytes(), "my.xlsx", header=False, **keys)
    assert len(data.y) == 3


def test_a_file_that_names_its_columns_has_no_such_key(tmp_path: Path) -> None:
    arff = "@relation r\n@attribute a real\n@attribute y real\n@data\n1,2\n3,4\n"
    with pytest.raises(DataError, match="names its columns itself: leave out the key 'header'"):
        load(tmp_path, arff, "my.arff", header=True)
