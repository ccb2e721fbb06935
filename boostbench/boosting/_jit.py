"""How every kernel of this room is compiled."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

_F = TypeVar("_F", bound=Callable[..., Any])


def kernel(function: _F) -> _F:
    """Compile ``function``: no Python objects, no GIL, IEEE division, cached where that can be.

    numba refuses to cache when neither the package nor the user's cache folder can be written;
    the kernel is then compiled once per process instead. Nor does it notice when a module that a
    kernel's module imports has changed: after editing ``_simd.py`` delete ``__pycache__``.
    """
    compiled: Any
    try:
        compiled = njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        compiled = njit(nogil=True, error_model="numpy")(function)
    kept: _F = compiled
    return kept
