"""Kernels and helpers as plain numba compiles them: other last bits, and no private parts of numba.

For trying a version of numba that ``compiler`` does not know yet.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit


def compile_kernel(
    function: Callable[..., Any], options: dict[str, Any], folder: Path | None
) -> Any:
    """Compile ``function`` with numba's ``options``; kept in ``folder``, if there is one.

    That is a folder of its own, as numba does not see when the source of a helper changes.
    """
    if folder is None:
        return njit(**options)(function)
    settings = vars(config)
    usual = settings["CACHE_DIR"]
    settings["CACHE_DIR"] = str(folder)
    try:
        return njit(cache=True, **options)(function)
    finally:
        settings["CACHE_DIR"] = usual


def compile_helper(
    function: Callable[..., Any], options: dict[str, Any], folder: Path | None
) -> Any:
    """Compile ``function``, which kernels and Python call, with numba's ``options``."""
    del folder  # it is kept on disk within the kernels
    return njit(**options)(function)
