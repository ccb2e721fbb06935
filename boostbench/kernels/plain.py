"""Kernels and helpers as plain numba compiles them: other last bits, and no private parts of numba.

For trying a version of numba that ``compiler`` does not know yet.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit


def compile_kernel(function: Callable[..., Any], options: dict[str, Any], stamp: str) -> Any:
    """Compile ``function`` with numba's ``options``.

    It is kept on disk if ``NUMBA_CACHE_DIR`` is set, in a folder of its own: numba does not see
    when the source of a helper changes, nor by which compiler a kernel was made.
    """
    settings = vars(config)
    folder = settings["CACHE_DIR"]
    if not folder:
        return njit(**options)(function)
    settings["CACHE_DIR"] = str(Path(folder, f"plain-{stamp[:16]}"))
    try:
        return njit(cache=True, **options)(function)
    finally:
        settings["CACHE_DIR"] = folder


def compile_helper(function: Callable[..., Any], options: dict[str, Any], stamp: str) -> Any:
    """Compile ``function``, which kernels and Python call, with numba's ``options``."""
    del stamp  # it is kept on disk within the kernels
    return njit(**options)(function)
