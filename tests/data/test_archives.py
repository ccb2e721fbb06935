"""Zip, gzip and .Z files are refused when they are damaged, unsafe or too large."""

import bz2
import gzip
import io
import lzma
import tarfile
from pathlib import Path

import ncompress
import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import zip_of
from shelf import load

from boostbench.data import bounds
from boostbench.data.content import unpack
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


@pytest.mark.parametrize(("pack", "ending"), [(lzma.compress, "xz"), (bz2.compress, "bz2")])
def test_files_packed_by_xz_and_bzip2(tmp_path: Path, pack, ending: str, monkeypatch) -> None:
    plain = b"a,y\n1,2\n3,4\n"
    assert unpack(pack(plain), "w") == plain
    assert unpack(zip_of({f"only.csv.{ending}": pack(plain)}), "w") == plain
    assert load(tmp_path, pack(plain), f"my.csv.{ending}").X.tolist() == [[1], [3]]
    arff = b"@relation r\n@attribute a real\n@attribute y real\n@data\n1,2\n3,4\n"
    assert load(tmp_path, pack(arff), f"my.arff.{ending}").X.tolist() == [[1], [3]]
    for content in (pack(plain)[:-9], pack(plain)[:12] + b"x" * 40):
        with pytest.raises(DataError, match=rf"^w is a damaged \.{ending} file: "):
            unpack(content, "w")
    monkeypatch.setattr(bounds, "MAX_UNPACKED_BYTES", 100_000)
    with pytest.raises(DataError, match=r"larger than 100\.0 kB unpacked"):
        unpack(pack(bytes(100_001)), "w")


def test_a_text_that_begins_like_a_packed_file_is_text(tmp_path: Path) -> None:
    assert load(tmp_path, b"BZh91,y\n1,2\n3,4\n").feature_names == ("BZh91",)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_tar_archives_are_called_so(tmp_path: Path, pack) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("d.csv")
        info.size = 8
        archive.addfile(info, io.BytesIO(b"a,b\n1,2\n"))
    with pytest.raises(
        DataError, match=r"my\.tar\.gz is a \.tar archive, which is not read; unpack"
    ):
        load(tmp_path, pack(buffer.getvalue()), "my.tar.gz")


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"(\xb5/\xfd$", "zst"), (b"7z\xbc\xaf'\x1c\0\4", "7z"), (b"Rar!\x1a\x07\x01\0", "rar")],
)
def test_other_archives_are_called_by_their_name(tmp_path: Path, content, kind: str) -> None:
    words = rf"my\.csv\.{kind} is a \.{kind} file, which is not read; unpack it, or use \.gz"
    with pytest.raises(DataError, match=words):
        load(tmp_path, content + bytes(50), f"my.csv.{kind}")


@pytest.mark.parametrize(
    "beside",
    ["__MACOSX/._only.csv", "__MACOSX/sub/x.csv", "._only.csv", ".DS_Store", "data/desktop.ini"],
)
def test_files_that_systems_put_into_a_zip_do_not_count(tmp_path: Path, beside: str) -> None:
    members = {"data/only.csv": b"a,y\n1,2\n3,4\n", beside: b"\0\5\x16\7"}
    assert load(tmp_path, zip_of(members), "my.zip").X.tolist() == [[1], [3]]
    with pytest.raises(DataError, match=r"exactly one file; it holds data/only\.csv, b"):
        unpack(zip_of({**members, "b.csv": b"1"}), "w")
    with pytest.raises(DataError, match="does not hold exactly one file; it holds nothing"):
        unpack(zip_of({beside: b"1"}), "w")


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
