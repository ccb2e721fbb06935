"""How every numerical kernel is compiled and kept on disk."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


@cache
def _source_stamp(folder: Path) -> str:
    digest = hashlib.sha256()
    for where in (folder, Path(__file__).parent):
        for path in sorted(where.glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def kernel(
    function: Callable[..., Any] | None = None, *, fastmath: Any = False, inline: bool = False
) -> Any:
    """Compile ``function``: no Python objects, no GIL, IEEE division, kept on disk where possible.

    Use as ``@kernel`` or ``@kernel(fastmath=...)``. A cached kernel is used only while the sources
    in the function's folder and in this one are unchanged: numba's own cache looks only at the time
    and size of the function's own file, and would keep a changed helper's old code. Where nothing
    can be written, the kernel is compiled once per process.

    ``inline`` makes the kernel a part of those that call it, which saves the compiler the work of
    translating everything below it once more: for stages that one or two kernels call.
    """

    def compile_it(function: Callable[..., Any]) -> Any:
        options = {
            "nogil": True,
            "error_model": "numpy",
            "fastmath": fastmath,
            "inline": "always" if inline else "never",
        }
        try:
            compiled = njit(cache=True, **options)(function)
        except RuntimeError:
            return njit(**options)(function)
        _keep_by_sources(compiled, Path(function.__code__.co_filename).parent)
        return compiled

    return compile_it if function is None else compile_it(function)


def _keep_by_sources(compiled: Any, folder: Path) -> None:
    from numba.core.caching import IndexDataCacheFile

    kept: Any = getattr(compiled, "_cache", None)
    if not hasattr(kept, "_cache_file"):  # the compiler is switched off
        return
    kept._cache_file = IndexDataCacheFile(
        cache_path=kept._cache_path,
        filename_base=kept._impl.filename_base,
        source_stamp=_source_stamp(folder),
    )
