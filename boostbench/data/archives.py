"""Files as bytes, out of gzip, zip and .Z, never more of them than the bounds allow."""

import gzip
import io
import stat
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from boostbench.data import bounds
from boostbench.errors import DataError

ZIP_MAGIC = b"PK\x03\x04"


def read_file(path: Path) -> bytes:
    """Return the content of a regular file; DataError if it cannot be read or is too large."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise DataError(f"{path} is not a file")
        if status.st_size > bounds.MAX_UNPACKED_BYTES:
            raise bounds.too_large(str(path))
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {path}") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


def unpack(content: bytes, where: str, member: str = "") -> bytes:
    """Return what is in a gzip, zip or .Z file, or ``content`` itself if it is none of them.

    ``member`` of a zip is a path or file name; it may be empty if the zip holds one file. Raises
    DataError if the archive is damaged, unsafe or too large, or lacks the member.
    """
    if content.startswith((ZIP_MAGIC, b"PK\x05\x06")):
        # What is inside may be a gzip or .Z, but no zip: archives can hold themselves.
        content, where = _from_zip(content, member, where), f"{where}:{member or 'its file'}"
    kind = {b"\x1f\x8b": "gzip", b"\x1f\x9d": ".Z"}.get(content[:2])
    if kind is None:
        return content
    try:
        with warnings.catch_warnings():
            # What uncompresspy warns of, a last code cut short or unknown flags, is damage.
            warnings.simplefilter("error", RuntimeWarning)
            if kind == "gzip":
                return _bounded(gzip.open(io.BytesIO(content)), where)
            import uncompresspy

            return _bounded(
                uncompresspy.LZWFile(io.BytesIO(content), save_checkpoints=False), where
            )
    except (OSError, EOFError, zlib.error, ValueError, RuntimeWarning) as error:
        raise DataError(f"{where} is a damaged {kind} file: {error}") from None


def _bounded(file: Any, where: str) -> bytes:
    with file:
        inner: bytes = file.read(bounds.MAX_UNPACKED_BYTES + 1)
    if len(inner) > bounds.MAX_UNPACKED_BYTES:
        raise bounds.too_large(where)
    return inner


@contextmanager
def _opened(content: bytes, where: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield archive
    except DataError:
        raise
    except Exception as error:  # zipfile raises many kinds on damaged archives
        raise DataError(f"{where} is a damaged or unsupported zip file: {error}") from None


def members(content: bytes, where: str) -> list[zipfile.ZipInfo]:
    """Return the files in a zip, which are only read into memory; DataError if it is too large."""
    with _opened(content, where) as archive:
        infos = archive.infolist()
    if sum(info.file_size for info in infos) > bounds.MAX_UNPACKED_BYTES:
        raise bounds.too_large(where)
    return [info for info in infos if not info.is_dir()]


def _from_zip(content: bytes, member: str, where: str) -> bytes:
    files = members(content, where)
    found = [info for info in files if info.filename == member]
    found = found or [i for i in files if PurePosixPath(i.filename).name == member]
    if not member and len(files) == 1:
        found = files
    if len(found) != 1:
        names = ", ".join(" ".join(i.filename[:80].split()) for i in files[:10]) or "nothing"
        raise DataError(f"{where} does not hold {member or 'exactly one file'}; it holds {names}")
    with _opened(content, where) as archive:
        return _bounded(archive.open(found[0]), where)
