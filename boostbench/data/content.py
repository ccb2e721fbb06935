"""The content of a file: read whole, unpacked, and as text.

Never more is unpacked from packed files than the bounds allow.
"""

import bz2
import codecs
import gzip
import io
import lzma
import re
import stat
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO

from boostbench.data import bounds
from boostbench.errors import DataError

ZIP_MAGIC = b"PK\x03\x04"
_PACKED = {b"\x1f\x8b": "gzip", b"\x1f\x9d": ".Z", b"\xfd7zXZ\0": ".xz", b"BZh": ".bz2"}
# A text may begin with BZh; these come after it, and a digit, in a .bz2 file.
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
PACKED_SUFFIXES = (".gz", ".zip", ".z", ".xz", ".bz2")
_NOT_UNPACKED = {b"(\xb5/\xfd": ".zst", b"7z\xbc\xaf'\x1c": ".7z", b"Rar!\x1a\x07": ".rar"}
_BAD_ZIP = "a damaged or unsupported zip file"
_POINTERS = {
    b"version https://git-lfs.github.com/spec/": ("Git LFS", "git lfs pull"),
    b"/annex/objects/": ("git-annex", "git annex get"),
}
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    # Before those of UTF-16, with which the first of them begins.
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_WESTERN = ("iso8859-1", "iso8859-15", "cp1252")
_DOS_END = re.compile(r"\x1a+\s*\Z")
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x19\x1c-\x1f]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x19\x1c-\x1f\x7f-\x9f]")


@contextmanager
def reading(where: str, damaged: str, lacking: str = "") -> Iterator[None]:
    """Turn any exception of a reader, for a damaged file or a missing package, into a DataError."""
    try:
        with warnings.catch_warnings():
            # Warnings about styles and links do not concern the values.
            warnings.simplefilter("ignore")
            yield
    except DataError:
        raise
    except ImportError:
        raise DataError(f"{where} is {lacking}") from None
    except Exception as error:  # these readers raise many kinds on damaged files
        why = " ".join(str(error).split())[:200]
        raise DataError(f"{where} is {damaged}: {why}") from None


def read_file(path: Path) -> bytes:
    """Return the content of a regular file; DataError if it cannot be read or is too large."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise DataError(f"{path} is not a file")
        bounds.check_size(status.st_size, str(path))
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {path}") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    for begin, (program, command) in _POINTERS.items():
        if content.startswith(begin):
            raise DataError(
                f"{path} is a pointer of {program}, not the data: get these by '{command}'"
            )
    return content


def unpack(content: bytes, where: str, member: str = "") -> bytes:
    """Return the unpacked content of a gzip, .xz, .bz2, .Z or zip file; other ``content`` as it is.

    ``member`` of a zip is a path or file name; it may be empty if the zip holds one file. Raises
    DataError if the archive is damaged, unsafe or too large, or lacks the member.
    """
    if content.startswith((ZIP_MAGIC, b"PK\x05\x06")):
        # The member may be packed, but not by zip: archives can contain themselves.
        content, where = _from_zip(content, member, where), f"{where}:{member or 'its file'}"
    kind = _packed_by(content, where)
    if not kind:
        return content
    try:
        with warnings.catch_warnings():
            # uncompresspy only warns of a truncated last code and of unknown flags.
            warnings.simplefilter("error", RuntimeWarning)
            return _bounded(_opened(io.BytesIO(content), kind), where)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError, RuntimeWarning) as error:
        raise DataError(f"{where} is a damaged {kind} file: {error}") from None


def _opened(packed: IO[bytes], kind: str) -> IO[bytes] | io.BufferedIOBase:
    """Return a packed file opened to read what is in it."""
    match kind:
        case "gzip":
            return gzip.open(packed)
        case ".xz":
            return lzma.open(packed)
        case ".bz2":
            return bz2.open(packed)
    from uncompresspy import LZWFile

    unpacked: IO[bytes] = LZWFile(packed, save_checkpoints=False)
    return unpacked


def _packed_by(content: bytes, where: str) -> str:
    """Return what packed a file, empty for none; DataError if such files are not read."""
    for magic, other in _NOT_UNPACKED.items():
        if content.startswith(magic):
            raise DataError(f"{where} is a {other} file, which is not read; unpack it, or use .gz")
    kind = next((kind for magic, kind in _PACKED.items() if content.startswith(magic)), "")
    return "" if kind == ".bz2" and content[4:10] not in _BZIP2_BLOCKS else kind


def _bounded(file: IO[bytes] | io.BufferedIOBase, where: str) -> bytes:
    with file:
        inner: bytes = file.read(bounds.MAX_UNPACKED_BYTES + 1)
    bounds.check_size(len(inner), where)
    return inner


def members(content: bytes, where: str) -> list[zipfile.ZipInfo]:
    """Return the files in a zip; DataError if they are too large to be read into memory."""
    with reading(where, _BAD_ZIP), zipfile.ZipFile(io.BytesIO(content)) as archive:
        infos = archive.infolist()
    bounds.check_size(sum(info.file_size for info in infos), where)
    return [info for info in infos if not info.is_dir()]


def _from_zip(content: bytes, member: str, where: str) -> bytes:
    files = members(content, where)
    if not member:
        files = [info for info in files if not _is_of_the_system(info.filename)]
    wanted = _named(files, member) if member else files
    if len(wanted) != 1:
        names = ", ".join(" ".join(i.filename[:80].split()) for i in files[:10]) or "nothing"
        raise DataError(f"{where} does not hold {member or 'exactly one file'}; it holds {names}")
    with reading(where, _BAD_ZIP), zipfile.ZipFile(io.BytesIO(content)) as archive:
        return _bounded(archive.open(wanted[0]), where)


def _named(files: list[zipfile.ZipInfo], member: str) -> list[zipfile.ZipInfo]:
    """Return the files with this path, else those with this name in any folder."""
    exact = [info for info in files if info.filename == member]
    return exact or [info for info in files if PurePosixPath(info.filename).name == member]


def _is_of_the_system(name: str) -> bool:
    """Return whether macOS or Windows puts such a file into an archive beside the user's."""
    path = PurePosixPath(name)
    system = path.name.startswith("._") or path.name in (".DS_Store", "Thumbs.db", "desktop.ini")
    return system or path.parts[:1] == ("__MACOSX",)


def read_text(path: Path) -> str:
    """Return the text of a file beside the data: in UTF-8, or as its byte-order mark says."""
    where = str(path)
    return decode(unpack(read_file(path), where), where, has_key=False)


def encoding_of(content: bytes, usual: str = "utf-8") -> str:
    """Return the encoding that the byte-order mark of a text says, ``usual`` without one."""
    marked = (name for mark, name in _BYTE_ORDER_MARKS.items() if content.startswith(mark))
    return next(marked, usual)


def decode(
    content: bytes,
    where: str,
    encoding: str = "utf-8",
    *,
    first_line: int = 1,
    has_key: bool = True,
) -> str:
    """Return ``content`` as text with line feeds as its only line ends.

    A byte-order mark says the encoding, whatever ``encoding`` is, and the end-of-file mark of DOS
    is left out. ``has_key`` says whether the user can set the key ``encoding``. Raises DataError,
    naming the line, if it is not text in that encoding, or likely text in another.
    """
    used = encoding_of(content, encoding)
    try:
        text = content.decode(used)
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = first_line + _count_ends(content[:at].decode(used, errors="replace"))
        raise DataError(
            f"{where}:{line} is not {used} text: byte {content[at]:#04x} cannot be decoded; "
            f"{_remedy(content, has_key=has_key)}"
        ) from None
    if "\0" in text:
        line = first_line + _count_ends(text[: text.index("\0")])
        raise DataError(
            f"{where}:{line} is not {used} text: it holds NUL bytes; "
            f"{_remedy(content, has_key=has_key)}"
        )
    if codecs.lookup(used).name in _WESTERN:
        _check_reading(content, text, where, used)
    return without_dos_end(text.replace("\r\n", "\n").replace("\r", "\n"))


def without_dos_end(text: str) -> str:
    """Return a text without the end-of-file mark of DOS."""
    return _DOS_END.sub("", text)


def _count_ends(text: str) -> int:
    """Return how many lines end in a text."""
    return len(re.findall("\r\n|\r|\n", text))


def _remedy(content: bytes, *, has_key: bool) -> str:
    """Return what may be done with a file that is not text in the encoding that it should have."""
    fitting = _fitting_encoding(content)
    if not fitting and _NO_TEXT.search(content.decode("latin-1")):
        return "it is no text, nor in another format that is read"
    if not fitting and not content.decode("utf-8", errors="ignore").isascii():
        return "the rest is UTF-8: correct that byte"
    if not has_key:
        return "save it as UTF-8"
    return f"save it as UTF-8, or add 'encoding: {fitting or '...'}' to the data set"


def _fitting_encoding(content: bytes) -> str:
    """Return a usual encoding in which a file is text without control characters, "" for none."""
    candidates = ["utf-8", "latin-1", "cp1252"]
    if 3 * content.count(0) > len(content):
        # Of UTF-16 without a byte-order mark, the second or first bytes of Latin letters are 0.
        is_little = content[1::2].count(0) > content[::2].count(0)
        candidates = ["utf-16-le" if is_little else "utf-16-be"]
    elif not content.decode("utf-8", errors="ignore").isascii():
        # No text in another encoding has the bytes of UTF-8 by chance.
        candidates = ["utf-8"]
    for name in candidates:
        with suppress(UnicodeError):
            if not _CONTROL.search(without_dos_end(content.decode(name))):
                return name
    return ""


def _check_reading(content: bytes, text: str, where: str, encoding: str) -> None:
    """Raise DataError where a text that every encoding of Western letters can read is another's."""
    fitting = _fitting_encoding(content)
    odd = re.search("[^\x00-\x7f]" if fitting == "utf-8" else "[\x80-\x9f]", text)
    if odd is not None and fitting not in ("", encoding):
        raise DataError(
            f"{where}:{1 + _count_ends(text[: odd.start()])} is {fitting} text, which 'encoding: "
            f"{encoding}' would misread; set 'encoding: {fitting}'"
        )
