"""The folders where compiled kernels are kept: in the user's cache, not in the installation.

The tools that install a program into an environment of its own make a new one for each version, and
an installation may be read-only. Two installations with the same sources share their kernels.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import llvmlite
import numba
import numpy
from platformdirs import user_cache_path

from boostbench.kernels.target import processor

_OURS = re.compile(r".+-[0-9a-f]{16}")
_DAY_S = 86_400
_UNUSED_DAYS = 60


def root() -> Path:
    """Return the folder of all kernels, ``NUMBA_CACHE_DIR`` if that is set."""
    named = getattr(numba.config, "CACHE_DIR", "")
    return Path(named) if named else user_cache_path("boostbench") / "kernels"


@cache
def folder_of(family: str, sources: str) -> Path | None:
    """Return the folder for the kernels of ``family``; None where nothing can be written.

    Its name changes with all that compiled code depends on: the digest of the ``sources``, numba
    and what it uses, Python and the processor. When a folder is made, those that were not used for
    long are removed.
    """
    packages = (numba.__version__, llvmlite.__version__, numpy.__version__)
    python = (str(sys.implementation.cache_tag), sys.abiflags, sys.platform)
    key = "\0".join((sources, *packages, *python, processor()))
    place = root()
    folder = place / f"{family}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    is_new = not folder.is_dir()
    if not is_writable(folder):
        return None
    if is_new:
        _remove_unused(place)
    with suppress(OSError):
        os.utime(folder)
    return folder


def is_writable(folder: Path) -> bool:
    """Return whether files can be written in a folder, which is made if need be."""
    if not folder.is_absolute():  # there is no home
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _remove_unused(place: Path) -> None:
    """Remove the folders of kernels that no process has used for long."""
    oldest = time.time() - _UNUSED_DAYS * _DAY_S
    with suppress(OSError):
        for each in place.iterdir():
            if _OURS.fullmatch(each.name) and each.is_dir() and each.stat().st_mtime < oldest:
                shutil.rmtree(each, ignore_errors=True)
