"""Delimited text, ARFF and KEEL's .dat: accepted and refused files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import load, values

from boostbench.data.content import decode
from boostbench.data.readers import parse_bytes
from boostbench.data.table import Table
from boostbench.errors import DataError

KEEL = """@relation cars
@attribute Weight real[0.5, 5.0E4]
@attribute Doors integer [2, 5]
@attribute Colour {red, dark blue}
@attribute Unused real
@attribute Price real [0, 9]
@inputs Weight, Doors, Colour
@outputs Price
@data
1.5, 2, red, 0, 3.5
2.5,4,dark blue,0,<null>
"""

ARFF = """% a comment
@RELATION 'cars'
@ATTRIBUTE 'the weight' NUMERIC
@attribute colour {'dark blue', red, "it's"}

@attribute price real
@DATA
% another comment
1.5,'dark blue',3
?, red ,4e-3
2.5,"it's",5
"""


def parse(text: str, kind: str) -> Table:
    return parse_bytes(text.encode(), "w", kind)


def test_keel_inputs_outputs_ranges_and_missing() -> None:
    table = parse(KEEL, "keel")
    assert table.outputs == ("Price",)
    assert table.names == ["Weight", "Doors", "Colour", "Price"]
    found = values(table)
    assert found["Weight"] == [1.5, 2.5]
    assert found["Colour"] == ["red", "dark blue"]
    assert np.isnan(found["Price"][1])


def test_keel_without_outputs_takes_the_last_attribute() -> None:
    table = parse("@relation a\n@attribute x real\n@attribute y [a, b]\n@data\n1, a\n", "keel")
    assert table.outputs == ("y",)
    assert values(table)["y"] == ["a"]


def test_arff_quotes_comments_and_missing() -> None:
    found = values(parse(ARFF, "arff"))
    assert found["colour"] == ["dark blue", "red", "it's"]
    assert found["price"] == [3.0, 0.004, 5.0]
    assert np.isnan(found["the weight"][1])


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(finite, finite), min_size=1, max_size=20))
def test_numbers_survive_each_format_bit_for_bit(rows: list[tuple[float, float]]) -> None:
    body = "\n".join(",".join(map(repr, row)) for row in rows)
    header = "@relation r\n@attribute a real\n@attribute b real\n@data\n"
    expected = np.array(rows)
    for table in (
        parse("a,b\n" + body, "delimited"),
        parse(header + body, "arff"),
        parse(header + body, "keel"),
        parse(body.replace(",", "  "), "delimited"),
    ):
        assert np.ascontiguousarray(table.frame + 0.0).tobytes() == (expected + 0.0).tobytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@relation a\n@data\n1\n", "w declares no @attribute"),
        ("@attribute x real\n@data\n", "w has no rows"),
        ("@attribute x money\n@data\n1\n", "w:1 gives attribute 'x' the type 'money'"),
        ("@attribute x real\n@attribute y real\n@data\n1,2\n1\n", "w:5 has 1 value, but"),
        ("@attribute x real\n@data\n1\ntwo\n", "w:4 has 'two' in column 'x'"),
        ("@attribute x real\n@attribute x real\n@data\n1,2\n", "two columns named 'x'"),
        ("@attribute x real\n@data\n{0 1}\n", "row of sparse ARFF"),
    ],
)
def test_wrong_headers_and_rows_name_their_line(text: str, message: str) -> None:
    for kind in ("arff", "keel"):
        with pytest.raises(DataError) as caught:
            parse(text, kind)
        assert message in str(caught.value)


def test_a_percent_sign_may_be_the_name_of_an_attribute() -> None:
    text = "@attribute % real % in all\n@attribute %b {p,q}%{low, high}\n@data\n1,p\n2,q\n"
    assert values(parse(text, "arff")) == {"%": [1.0, 2.0], "%b": ["p", "q"]}
    with pytest.raises(DataError, match="w:1 gives attribute 'a' the type ''"):
        parse("@attribute a % real\n@data\n1\n", "arff")


def test_keel_lists_must_name_attributes() -> None:
    with pytest.raises(DataError, match="w:2 names 'z', which is not an attribute"):
        parse("@attribute x real\n@outputs z\n@data\n1\n", "keel")


def test_line_ends_and_marks_of_files_are_no_part_of_the_text() -> None:
    for name in ("utf-8", "UTF8", "latin-1"):
        assert decode("\ufeffé\r\nb\rc".encode(), "w", name) == "é\nb\nc"
    for name in ("utf-16", "utf-32"):
        assert decode("é\n".encode(name), "w") == "é\n"
    assert decode(b"\xe9", "w", "latin-1") == "é"
    assert decode(b"a\r\n\x1a", "w") == "a\n"
    assert decode(b"a\r\n1\x1a\x1a\r\n", "w") == "a\n1"
    # Only at the end is it a mark.
    assert decode(b"a\x1ab\n", "w") == "a\x1ab\n"


@pytest.mark.parametrize(
    ("content", "encoding", "said"),
    [
        (b"a\nb\xe9\n", "utf-8", "w:2 is not utf-8 text: byte 0xe9 cannot be decoded; save"),
        (b"a\rb\xe9\n", "utf-8", "w:2 is not utf-8 text"),
        (b"b\xe9\n", "utf-8", "add 'encoding: latin-1'"),
        (b"5\x80\n", "utf-8", "add 'encoding: cp1252'"),
        (b"5\x81\n", "utf-8", r"add 'encoding: \.\.\.'"),
        ("é\n1".encode(), "ascii", "add 'encoding: utf-8'"),
        ("ab\n".encode("utf-16-le"), "utf-8", "w:1 .* NUL bytes; .* 'encoding: utf-16-le'"),
        ("ab\n".encode("utf-16-be"), "utf-8", "'encoding: utf-16-be'"),
        ("é\n".encode() + b"b\xe9", "utf-8", "w:2 .* the rest is UTF-8: correct that byte"),
        (b"\x89HDF\r\n\x1a\n\0\0\1", "utf-8", "it is no text, nor in another format"),
        (b"ab\0\1", "utf-8", "it is no text"),
        # A letter in every byte, but of another encoding.
        (b"a\n5\x80\n", "latin-1", "w:2 is cp1252 text, which 'encoding: latin-1' would misread"),
        ("a\né\n".encode(), "cp1252", "w:2 is utf-8 text, .* set 'encoding: utf-8'"),
    ],
)
def test_a_file_in_another_encoding_is_refused_with_one_that_fits(
    content: bytes, encoding: str, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        decode(content, "w", encoding)


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [("keel-machineCPU.dat", 209, 7), ("keel-weather.dat", 14, 5), ("autompg.arff", 398, 8)],
)
def test_real_files_are_read(name: str, rows: int, columns: int, mirror: Path) -> None:
    content = (mirror / "formats" / name).read_bytes()
    table = parse_bytes(content, name, "keel" if name.endswith(".dat") else "arff")
    assert table.frame.shape == (rows, columns)


def test_arff_as_weka_writes_it_with_blanks() -> None:
    text = "@relation d\n@attribute a real\n@attribute b {1,2}\n@data\n 1  2\n-3 1 \n"
    assert values(parse(text, "arff")) == {"a": [1.0, -3.0], "b": ["2", "1"]}


@pytest.mark.parametrize(
    "text",
    [
        "@relation r\n@attribute a real\n@attribute k {p,q} % the class\n@data\n1,p\n2,q\n",
        "@relation r\n@attribute a real % in m\n@attribute k {p,q} %{low, high}\n@data\n1,p\n2,q\n",
        "@relation r % {mine}\n@attribute a real\n@attribute k {p,q}% it's\n@data %\n1,p\n2,q\n",
        "@attribute a real\n@attribute k {p,q}\n@data\n1,p % 'measured' twice\n2,q\t%\n",
        "@attribute a real\n@attribute k {p,q}\n@data\n1 p % {5}\n2 q\n",
    ],
)
def test_comments_behind_attributes_and_rows(text: str) -> None:
    assert values(parse(text, "arff")) == {"a": [1.0, 2.0], "k": ["p", "q"]}


@pytest.mark.parametrize(
    ("declared", "rows", "levels"),
    [
        ("{'p {x}', \"q, }\"}", "'p {x}'\n'q, }'\n\"p {x}\"\n", ["p {x}", "q, }", "p {x}"]),
        ("{'5 % off', '{'}", "'5 % off'\n'{'\n", ["5 % off", "{"]),
        ("{5%, 10 %, %}", "5%\n%\n'10 %'\n", ["5%", "%", "10 %"]),
        ("{'it\\'s % x', b}", "'it\\'s % x'\nb\n", ["it's % x", "b"]),
        ("nominal {0.5}", "0.5\n0.5\n", ["0.5", "0.5"]),
    ],
)
def test_quotes_braces_and_percent_signs_in_levels(declared, rows, levels) -> None:
    body = "".join(f"1, {row}\n" for row in rows.splitlines())
    head = f"@attribute \"y {{m}}\" real\n@attribute 'k %{{x}}' {declared}\n@data\n"
    found = values(parse(head + body, "arff"))
    assert found == {"k %{x}": levels, "y {m}": [1.0] * len(levels)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@attribute x real\n@data\n1\n{0 2}\n", "w:4 is a row of sparse ARFF, which is not read"),
        ("@attribute x real\n@data\n1\n{}\n", "w:4 is a row of sparse ARFF"),
        ("@attribute x real\n@data\n1, {5}\n", "w:3 gives its row the weight {5}; weights of rows"),
        ("@attribute x real\n@data\n1\n2,{0.5} % half\n", "w:4 gives its row the weight {0.5}"),
        ("@attribute x real {0.5}\n@data\n1\n", "w:1 gives attribute 'x' the weight 0.5"),
        ("@attribute x {a,b} {2}\n@data\na\n", "w:1 gives attribute 'x' the weight 2"),
    ],
)
def test_arff_that_is_not_read_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse(text, "arff")
    assert message in str(caught.value)


def test_names_whose_letters_are_encoded_in_two_ways(tmp_path: Path) -> None:
    one, two = "größe", "gro\u0308ße"
    assert load(tmp_path, f"{two},y\n1,2\n3,5\n").feature_names == (one,)
    assert load(tmp_path, f"{two},y\n1,2\n3,5\n", target=one).target == one
    assert load(tmp_path, f"a,{one},y\n1,2,3\n3,5,7\n", drop=(two,)).feature_names == ("a",)
    keel = f"@attribute {one} real\n@attribute y real\n@inputs {two}\n@outputs y\n@data\n1,2\n"
    assert parse(keel, "keel").names == [one, "y"]
    words = rf"two encodings of the same name '{one}' \(columns 1, 2\)"
    with pytest.raises(DataError, match=words):
        load(tmp_path, f"{one},{two},y\n1,2,3\n")
    with pytest.raises(DataError, match=words):
        parse(f"@attribute {one} real\n@attribute {two} real\n@data\n1,2\n", "arff")
