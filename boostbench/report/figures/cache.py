"""Drawings kept between reports: one that would not change is not drawn again.

A drawing is kept under a digest of all that it depends on: the values drawn, the code that draws
them, and the packages used; beside it are kept its fonts' files, which only matplotlib can find. So
an old one is never taken for a new one, and a report stays a pure function of its store. Drawings
are in the user's cache and not in the results folder: a results folder may come from others, and
panels enter the page as they are.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.cache_files import read_cached, state_of_file, state_of_packages, write_cached
from boostbench.report.figures.drawing import font_files

if TYPE_CHECKING:
    from hashlib import _Hash

MOST_BYTES = 256 * 2**20
"""What the cache may hold; beyond, the drawings unused for longest are removed, down to half."""
_PACKAGES = {
    "matplotlib": "matplotlib", "numpy": "numpy", "pillow": "PIL", "fonttools": "fontTools",
    "kiwisolver": "kiwisolver",
}  # fmt: skip
_DAY_S = 86_400.0


@dataclass(frozen=True)
class Drawing:
    """Something to draw: ``draw(values)`` returns its files by kind (png, svg, pdf).

    ``values`` are plain: texts, numbers, enums, and sequences, mappings and dataclasses of these.
    ``draw``, a function of a module, reads nothing else.
    """

    values: Any
    draw: Callable[[Any], Mapping[str, bytes]]

    def made(self) -> Mapping[str, bytes]:
        """Draw it."""
        return self.draw(self.values)

    def digest(self) -> str | None:
        """Return the digest of all that the drawing depends on, None where that is not known.

        Raises TypeError where a value is not plain.
        """
        around = _circumstances()
        if around is None:
            return None
        found = hashlib.sha256(around)
        _feed(found, f"{self.draw.__module__}.{self.draw.__qualname__}")
        _feed(found, self.values)
        return found.hexdigest()


class FigureCache:
    """The drawings kept in a folder, which need not exist or be writable; None: none are kept."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._added = False

    def files(self, drawing: Drawing) -> Mapping[str, bytes]:
        """Return the files of ``drawing`` by kind, drawn only where they are not kept."""
        name = drawing.digest() if self._folder is not None else None
        if self._folder is None or name is None:
            return drawing.made()
        path = self._folder / name
        found: Mapping[str, bytes] | None = _read(path)
        if found is None:
            found = drawing.made()
            # Where nothing can be kept, the next report draws again.
            with contextlib.suppress(OSError):
                _write(path, found)
                self._added = True
        return found

    def prune(self) -> None:
        """Remove the drawings unused for longest, where some were added beyond the limit."""
        if self._folder is None or not self._added:
            return
        kept = []
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    about = entry.stat()
                    kept.append((about.st_mtime, about.st_size, entry.path))
        total = sum(size for _, size, _ in kept)
        if total <= MOST_BYTES:
            return
        for _, size, path in sorted(kept):
            if total <= MOST_BYTES // 2:
                return
            with contextlib.suppress(OSError):
                Path(path).unlink()
                total -= size


def users_cache() -> FigureCache:
    """Return the drawings that are kept in the user's cache, for the commands."""
    from boostbench.data.access import cache_folder

    return FigureCache(cache_folder() / "figures")


def _read(path: Path) -> dict[str, bytes] | None:
    """Return the files in ``path`` by kind, None where it is missing, damaged or of other fonts."""
    content = read_cached(path)
    if content is None:
        return None
    with contextlib.suppress(OSError):
        # The time of last use, by which the cache is pruned.
        if time.time() - path.stat().st_mtime > _DAY_S:
            os.utime(path)
    head, _, body = content.partition(b"\n")
    about = json.loads(head)
    if about["fonts"] != _states(about["fonts"]):
        return None
    found, start = {}, 0
    for kind, size in about["files"]:
        found[kind] = body[start : start + size]
        start += size
    return found


def _write(path: Path, files: Mapping[str, bytes]) -> None:
    about = {
        "fonts": _states(font_files() if "matplotlib" in sys.modules else []),
        "files": [[kind, len(content)] for kind, content in files.items()],
    }
    write_cached(path, b"\n".join([json.dumps(about).encode(), b"".join(files.values())]))


def _states(fonts: Iterable[str]) -> dict[str, str]:
    """Return what changes where a font does, by its file."""
    found = {}
    for font in fonts:
        with contextlib.suppress(OSError):
            found[font] = state_of_file(Path(font))
    return found


def _feed(found: _Hash, value: Any) -> None:
    """Add ``value`` to a digest so that different values never add the same bytes."""
    if isinstance(value, Enum):
        _feed(found, [type(value).__name__, value.name])
    elif value is None or isinstance(value, bool | int | float):
        # NumPy's numbers are written as Python's.
        plain = float(value) if isinstance(value, float) else value
        found.update(f"{plain!r};".encode())
    elif isinstance(value, str):
        encoded = value.encode("utf-8", "surrogatepass")
        found.update(b"s%d:" % len(encoded) + encoded)
    elif is_dataclass(value) and not isinstance(value, type):
        _feed(found, type(value).__name__)
        for each in fields(value):
            _feed(found, each.name)
            _feed(found, getattr(value, each.name))
    elif isinstance(value, Mapping):
        found.update(b"m%d:" % len(value))
        for key, item in value.items():
            _feed(found, key)
            _feed(found, item)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        if value and all(type(item) is float for item in value):
            found.update(b"f%d:" % len(value) + array("d", value).tobytes())
            return
        found.update(b"l%d:" % len(value))
        for item in value:
            _feed(found, item)
    else:
        raise TypeError(f"{type(value).__name__} is no plain value to draw")


@cache
def _circumstances() -> bytes | None:
    """Return a digest of the code that draws and of the packages that it uses, None if unclear."""
    import platform
    import zlib

    from boostbench import __version__

    installed = state_of_packages(_PACKAGES)
    if installed is None:
        return None
    found = hashlib.sha256()
    versions = [__version__, sys.version, zlib.ZLIB_RUNTIME_VERSION, platform.machine()]
    _feed(found, [*versions, *installed])
    # In a clone the code changes without another version.
    for path in sorted(Path(__file__).parent.glob("*.py")):
        _feed(found, path.name)
        found.update(path.read_bytes())
    return found.digest()
