"""What is read does not depend on the version of pandas, nor on the notation of a number."""

import hashlib
import random
import struct
from pathlib import Path

import pytest
from shelf import load

from boostbench.data.delimited import parse_delimited
from boostbench.errors import DataError


def doubles(count: int, seed: int) -> list[float]:
    """Return numbers of any size: those of random bits, without those that are no numbers."""
    rng = random.Random(seed)
    values = (struct.unpack("<d", rng.randbytes(8))[0] for _ in range(2 * count))
    return [value for value in values if abs(value) < float("inf")][:count]


@pytest.mark.parametrize("form", ["{!r}", "{:.17g}", "{:.20e}", "{:.10g}", "{:.4f}"])
@pytest.mark.parametrize("declared", [False, True])
def test_each_number_is_the_nearest_to_its_text(form: str, declared: bool) -> None:
    numbers = [*doubles(500, 3), *(rng / 1000 for rng in range(500)), 5e-324, 2.0**53 + 1]
    texts = [form.format(number) for number in numbers]
    if declared:  # as other columns have texts, this one is read differently
        text = "a,b\n" + "".join(f"{each},word\n" for each in texts)
    else:
        text = "a,b\n" + "".join(f"{each},{each}\n" for each in texts)
    read = parse_delimited(text, "w").frame["a"].tolist()
    assert read == [float(text) for text in texts]


def test_the_bits_of_a_table_of_all_kinds_are_pinned(tmp_path: Path) -> None:
    rng = random.Random(5)
    words, flags = ("red", " blue", "NA", "Grün"), ("true", "False", "1", "")
    lines = ["size,colour,flag,code,share,large,y"]
    for _ in range(60):
        size, y = rng.gauss(0, 1) * 10 ** rng.randint(-9, 9), rng.random()
        cells = (rng.choice(words), rng.choice(flags), rng.choice(("007", "7", "7.0")))
        lines.append(
            f"{size!r},{','.join(cells)},{rng.randint(1, 99)}%,{2**63 + rng.getrandbits(64)},{y}"
        )
    options = {"target": "y", "categorical": "auto", "missing": "median"}
    data = load(tmp_path, "\n".join(lines).encode(), "my.csv", **options)
    names = ["size", "colour=Grün", "colour=blue", "colour=red", "flag", "code", "share", "large"]
    assert list(data.feature_names) == names
    assert hashlib.sha256(data.X.tobytes()).hexdigest()[:16] == "03dc448e8a1cd652"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        # Marks in a column of numbers are counted by their number.
        (["-99,a", "-99.0,b", "1,a", "-099,c", "NA,d"], "'-99' 3, 'NA' 1"),
        # A text is itself; 7.0 counts as the number that was given, which its text is.
        (["x,7", "y,7.0", "x,007", "z,b", "u,c"], "'7' 1, '7.0' 1"),
        # Also where nothing is a number.
        (["x,7", "y,7.0", "x,7", "z,7.0", "u,c"], "'7' 2, '7.0' 2"),
        (["5,a", "5.50,b", "1,a", "2,b", "3,a"], None),
    ],
)
def test_given_marks_are_found_in_each_notation(tmp_path, rows, said) -> None:
    content = "\n".join(["a,b,y", *(f"{row},{i}" for i, row in enumerate(rows))]).encode()
    options = {"na_values": ["-99", "7"], "target": "y", "categorical": ["a", "b"]}
    if said is not None and said.startswith("'-99'"):
        options["categorical"] = ["b"]
    data = load(tmp_path, content, "my.csv", missing="median", **options)
    found = [remark for remark in data.remarks if remark.startswith("read as missing")]
    assert [said in remark for remark in found] == ([] if said is None else [True])


def test_cells_that_are_equal_and_not_the_same_stay_apart(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs boostbench[excel]")
    book = openpyxl.Workbook()
    for row in (["n", "y"], [1, 1], [True, 2], [1.0, 3], [0, 4], [False, 5], [2.5, 6]):
        book.active.append(row)
    path = tmp_path / "my.xlsx"
    book.save(path)
    with pytest.raises(DataError, match=r"'n' \(2 of 6 values, 'True' in row 3\)"):
        load(tmp_path, path.read_bytes(), "my.xlsx", target="y")
    good = openpyxl.Workbook()
    for row in (["n", "y"], [1, 1], [7, 2], [1.0, 3]):
        good.active.append(row)
    good.save(path)
    assert load(tmp_path, path.read_bytes(), "my.xlsx", target="y").X.tolist() == [[1], [7], [1]]


@pytest.mark.parametrize(
    ("large", "texts", "zero"),
    [
        # Beside whole numbers of more than 64 bits every value is read as it is written.
        ("99999999999999999999", ["true", "x"], -0.0),
        ("-9999999999999999999999", ["true", "x"], -0.0),
        ("18446744073709551615", ["true", "x"], 0.0),
    ],
)
def test_whole_numbers_of_any_size(large: str, texts: list[str], zero: float) -> None:
    text = f"a,b,c\n{large},{texts[0]},-0\n1,{texts[1]},7\n"
    frame = parse_delimited(text, "w").frame
    assert frame["a"].tolist() == [float(large), 1.0]
    assert frame["b"].tolist() == texts
    assert str(frame["c"].tolist()) == str([zero, 7.0])
