"""How every numerical kernel is compiled and kept on disk."""

import hashlib
import logging
import multiprocessing
import os
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba import typeof
from numba.core import event

from boostbench.kernels.cache_folder import folder_of
from boostbench.kernels.exp_log import NO_COMPILER

PLAIN_NUMBA = os.environ.get("BOOSTBENCH_PLAIN_NUMBA", "0") not in ("", "0")
"""Whether plain numba compiles, whose results differ in their last bits."""

if PLAIN_NUMBA:
    from boostbench.kernels.plain import compile_helper, compile_kernel
else:
    from boostbench.kernels.compiler import compile_helper, compile_kernel

# What it says as a warning is shown on standard error, in a notebook too, and raises nothing.
_LOGGER = logging.getLogger("boostbench.kernels")

_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def kernel(function: Callable[..., Any], fastmath: Any = False) -> Any:
    """Compile ``function``, which Python calls: no Python objects, no GIL, IEEE division.

    It is kept in the user's cache while the sources in the function's folder and in this one are
    unchanged, see :mod:`cache_folder`. Where nothing can be written there, the kernel is compiled
    once per process.
    """
    if NO_COMPILER:
        return function
    return compile_kernel(function, {**_OPTIONS, "fastmath": fastmath}, _folder_of(function))


def helper(function: Callable[..., Any] | None = None, *, fastmath: Any = False) -> Any:
    """Compile ``function``, which kernels call, as a part of each of them.

    Use as ``@helper`` or ``@helper(fastmath=...)``. It is optimised and kept on disk within the
    kernels. Python can call it, too; it is then compiled once more, as a kernel.
    """
    if function is None:
        return partial(helper, fastmath=fastmath)
    if NO_COMPILER:
        return function
    return compile_helper(function, {**_OPTIONS, "fastmath": fastmath}, _folder_of(function))


def _folder_of(function: Callable[..., Any]) -> Path | None:
    """Return the folder in which a compiled function is kept, None where that is impossible."""
    sources = Path(function.__code__.co_filename).parent
    return folder_of(sources.name, _digest_of(sources))


@cache
def _digest_of(folder: Path) -> str:
    """Return a digest of the sources in ``folder`` and in this file's."""
    digest = hashlib.sha256()
    for where in (folder, Path(__file__).parent):
        for path in sorted(where.glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def entry_of(kernel: Any, arguments: Sequence[Any]) -> Any:
    """Return the compiled code of ``kernel`` for the types of ``arguments``, if it is there.

    To call it saves looking up the types of all arguments, which takes 0.5 us for each array and
    more for a tuple. Whoever calls it must not pass others. Without a compiler, the kernel itself.
    """
    if not hasattr(kernel, "overloads"):
        return kernel
    kept = kernel.overloads.get(tuple(typeof(each) for each in arguments))
    return kernel if kept is None else kept.entry_point


class _Announcer(event.Listener):
    """Says, at the first kernel that is not on disk, why the first fit takes so long."""

    _is_done = False

    def on_start(self, event: Any) -> None:
        """Take note that a function is compiled; boostbench's own are helpers and kernels."""
        dispatcher = event.data["dispatcher"]
        is_child = multiprocessing.parent_process() is not None
        if self._is_done or is_child or not dispatcher.py_func.__module__.startswith("boostbench."):
            return
        self._is_done = True
        folder = dispatcher.stats.cache_path
        _LOGGER.warning(
            "a first fit takes 10 to 20 seconds longer, since boostbench compiles its kernels; %s",
            f"they are kept in {folder} for the next time"
            if folder
            else "set NUMBA_CACHE_DIR to a folder that can be written to keep them",
        )

    def on_end(self, event: Any) -> None:
        """Do nothing."""


event.register("numba:compile", _Announcer())
