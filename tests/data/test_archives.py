"""Zip and gzip files are refused when they are damaged, unsafe or too large."""

import gzip
import io
import stat
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostbench.data import bounds
from boostbench.data.archives import unpack
from boostbench.errors import DataError
from boostbench.testing.servers import zip_of


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


@pytest.mark.parametrize("name", ["../a.data", "/etc/a.data", "x/../../a.data", "C:\\a.data"])
def test_members_that_leave_their_folder(name: str) -> None:
    with pytest.raises(DataError, match="leaves its folder"):
        unpack(zip_of({name: b"1", "a.data": b"1"}), "w", "a.data")


def test_links_in_zips() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("a.data")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(DataError, match="is a link"):
        unpack(buffer.getvalue(), "w", "a.data")


def test_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_UNPACKED_BYTES", 100_000)
    monkeypatch.setattr(bounds, "MAX_ZIP_MEMBERS", 10)
    zeros = bytes(100_001)
    for bomb in (
        zip_of({"a.data": zeros}),
        zip_of({"a.data": b"", "b": zeros}),
        gzip.compress(zeros),
        zip_of({"a.data": gzip.compress(zeros)}),
    ):
        assert len(bomb) < 2000
        with pytest.raises(DataError, match=r"larger than 97\.7 KiB unpacked"):
            unpack(bomb, "w", "a.data")
    lying = zip_of({"a.data": zeros}).replace(
        len(zeros).to_bytes(4, "little"), (10).to_bytes(4, "little")
    )
    with pytest.raises(DataError):
        unpack(lying, "w", "a.data")
    with pytest.raises(DataError, match="11 members"):
        unpack(zip_of({str(i): b"" for i in range(11)}), "w", "1")


@given(st.integers(0, 400), st.binary(max_size=3))
def test_damaged_archives_are_a_sentence(position: int, junk: bytes) -> None:
    for whole in (zip_of({"a.data": b"1 2\n" * 50}), gzip.compress(b"1 2\n" * 50)):
        damaged = whole[:position] + junk + whole[position + 2 * len(junk) :]
        for content in (damaged, whole[:position]):
            problem = _problem_of(content)
            assert problem is None or problem.startswith("w")


def _problem_of(content: bytes) -> str | None:
    try:
        unpack(content, "w", "a.data")
    except DataError as error:
        return str(error)
    return None
