"""Zip, gzip and .Z files are refused when they are damaged, unsafe or too large."""

import gzip
from pathlib import Path

import ncompress
import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import zip_of

from boostbench.data import bounds
from boostbench.data.readers import unpack
from boostbench.errors import DataError


def test_members_by_path_and_by_name() -> None:
    archive = zip_of({"docs/a.names": b"words", "data/a.data": b"1 2", "b.gz": gzip.compress(b"3")})
    assert unpack(archive, "w", "data/a.data") == b"1 2"
    assert unpack(archive, "w", "a.data") == b"1 2"
    assert unpack(archive, "w", "b.gz") == b"3"
    assert unpack(zip_of({"only": b"4"}), "w") == b"4"
    assert unpack(b"plain", "w", "a.data") == b"plain"
    with pytest.raises(DataError, match=r"w does not hold c\.data; it holds docs/a\.names, data"):
        unpack(archive, "w", "c.data")
    with pytest.raises(DataError, match="does not hold exactly one file"):
        unpack(archive, "w")


def test_archive_bombs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_UNPACKED_BYTES", 100_000)
    zeros = bytes(100_001)
    # Others are in test_hostile.py.
    with pytest.raises(DataError, match=r"larger than 100\.0 kB unpacked"):
        unpack(zip_of({"a.data": b"", "b": zeros}), "w", "a.data")
    lying = zip_of({"a.data": zeros}).replace(
        len(zeros).to_bytes(4, "little"), (10).to_bytes(4, "little")
    )
    with pytest.raises(DataError):
        unpack(lying, "w", "a.data")


SAMPLES = Path(__file__).resolve().parents[1] / "fuzz" / "samples" / "archive"


def test_z_files_that_the_unix_program_wrote() -> None:
    assert unpack((SAMPLES / "valid.Z").read_bytes(), "w") == b"1 2\n3 4\n5.5 -6\n"
    assert unpack((SAMPLES / "z.zip").read_bytes(), "w") == b"1 2\n3 4\n5.5 -6\n"
    # Codes of at most ten bits: the table fills, and is emptied again and again.
    expected = b"".join(b"%d,%d,%d\n" % (i * 7 % 11, i * i % 13, i % 5) for i in range(1500))
    assert unpack((SAMPLES / "width10.Z").read_bytes(), "w") == expected


@given(st.binary(max_size=400), st.integers(1, 300))
def test_z_files_of_any_content(piece: bytes, times: int) -> None:
    assert unpack(ncompress.compress(piece * times), "w") == piece * times


@pytest.mark.parametrize(
    "content",
    [
        b"\x1f\x9d",
        b"\x1f\x9d\x91" + b"1" * 20,  # codes of 17 bits
        (SAMPLES / "width10.Z").read_bytes()[:292],  # ends within a code
        b"\x1f\x9d\x90\xff\xff\xff",  # a first code without a meaning
        (SAMPLES / "invalid-code.Z").read_bytes(),
    ],
)
def test_damaged_z_files(content: bytes) -> None:
    with pytest.raises(DataError, match=r"^w is a damaged \.Z file: "):
        unpack(content, "w")
