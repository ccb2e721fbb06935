"""Delimited text, ARFF and KEEL's .dat: accepted and refused files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import values

from boostbench.data.delimited import decode
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
        ("@attribute x real\n@data\n{0 1}\n", "sparse ARFF"),
    ],
)
def test_wrong_headers_and_rows_name_their_line(text: str, message: str) -> None:
    for kind in ("arff", "keel"):
        with pytest.raises(DataError) as caught:
            parse(text, kind)
        assert message in str(caught.value)


def test_keel_lists_must_name_attributes() -> None:
    with pytest.raises(DataError, match="w:2 names 'z', which is not an attribute"):
        parse("@attribute x real\n@outputs z\n@data\n1\n", "keel")


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(DataError, match="not utf-8 text: byte 0xe9 at offset 2"):
        decode(b"ab\xe9\n", "w")
    with pytest.raises(DataError, match="NUL"):
        decode(b"a\0b", "w")
    assert decode("\ufeffé\r\nb\rc".encode(), "w") == "é\nb\nc"
    assert decode(b"\xe9", "w", "latin-1") == "é"
    for name in ("utf-8", "UTF8"):
        assert decode("\ufeffé".encode(), "w", name) == "é"
    for content, said in ((b"ab\xe9", "latin-1"), ("é".encode("utf-16"), "utf-16")):
        with pytest.raises(DataError, match=f"'encoding: {said}'"):
            decode(content, "w")


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
