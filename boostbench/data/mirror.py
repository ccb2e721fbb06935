"""The user's copies of data files: ``--mirror`` names a folder that holds them somewhere."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from boostbench.data.access import DataAccess
from boostbench.data.archives import read_file, unpack
from boostbench.data.cards import SourceFile
from boostbench.data.download import NotAtHand
from boostbench.errors import DataError
from boostbench.suggest import listing


def read_copy(file: SourceFile, access: DataAccess) -> tuple[bytes, str]:
    """Return the content of the mirror's copy of ``file``, and where that is.

    Raises NotAtHand if no file has its name, DataError if those that have it are other files.
    """
    found = copies(file, access)
    if not found:
        raise NotAtHand(f"the mirror has no {file.names[0]}")
    if file.sha256 is None:
        return read_file(_only(found)), str(found[0])
    for path in found:
        content = read_file(path)
        readings = [content]
        with suppress(DataError):
            readings.append(unpack(content, str(path)))
        for reading in readings:
            if hashlib.sha256(reading).hexdigest() == file.sha256:
                return reading, str(path)
    raise DataError(
        f"{listing(map(str, found))} {'does' if len(found) == 1 else 'do'} not have the sha256 "
        "that the card expects; put the original file there, or none of this name"
    )


def copies(file: SourceFile, access: DataAccess) -> list[Path]:
    """Return the files of the mirror that have the name of ``file``, with or without ``.gz``."""
    return [path for name in file.names for path in _named(name, access) if path.is_file()]


def find_folder(name: str, access: DataAccess) -> Path:
    """Return the mirror's folder ``name``; NotAtHand if there is none, DataError for several."""
    found = [path for path in _named(name, access) if path.is_dir()]
    if not found:
        raise NotAtHand(f"the mirror has no folder {name}")
    return _only(found)


def walk(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk as ``os.walk`` does, past what is hidden, and into folders that are links."""
    for place, inside, names in os.walk(folder, followlinks=True):
        here = Path(place).resolve()
        # A link to a folder that contains it would never end.
        inside[:] = [
            name
            for name in inside
            if not name.startswith(".") and not here.is_relative_to((here / name).resolve())
        ]
        yield place, inside, [name for name in names if not name.startswith(".")]


def _named(name: str, access: DataAccess) -> list[Path]:
    if access.mirror is None:
        raise NotAtHand("no mirror is given")
    if not access.mirror_index:
        for place, folders, files in walk(access.mirror):
            for found in (*folders, *files):
                same = access.mirror_index.setdefault(found.removesuffix(".gz"), [])
                same.append(Path(place, found))
    return sorted(access.mirror_index.get(name.removesuffix(".gz"), ()))


def _only(paths: list[Path]) -> Path:
    if len(paths) > 1:
        raise DataError(f"{listing(map(str, paths))} have the same name; keep one of them")
    return paths[0]
