"""How every numerical kernel is compiled and kept on disk."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit, typeof
from numba.core import config
from numba.core.caching import IndexDataCacheFile

from boostbench.kernels.compiler import Helper, KernelCompiler, compare_flags_by_value


@cache
def _source_stamp(folder: Path) -> str:
    digest = hashlib.sha256()
    for where in (folder, Path(__file__).parent):
        for path in sorted(where.glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _options(fastmath: Any) -> dict[str, Any]:
    return {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": fastmath,
        "no_cfunc_wrapper": True,
    }


def kernel(function: Callable[..., Any] | None = None, *, fastmath: Any = False) -> Any:
    """Compile ``function``, which Python calls: no Python objects, no GIL, IEEE division.

    Use as ``@kernel`` or ``@kernel(fastmath=...)``. It is kept on disk where possible. A cached
    kernel is used only while the sources in the function's folder and in this one are unchanged:
    numba's own cache looks only at the time and size of the function's own file, and would keep a
    changed helper's old code. Where nothing can be written, the kernel is compiled once per
    process.
    """

    def compile_it(function: Callable[..., Any]) -> Any:
        options = {**_options(fastmath), "pipeline_class": KernelCompiler}
        try:
            compiled = njit(cache=True, **options)(function)
        except RuntimeError:
            compiled = njit(**options)(function)
        if not getattr(config, "DISABLE_JIT", False):
            compare_flags_by_value(compiled)
            _keep_by_sources(compiled, Path(function.__code__.co_filename).parent)
        return compiled

    return compile_it if function is None else compile_it(function)


def helper(function: Callable[..., Any] | None = None, *, fastmath: Any = False) -> Any:
    """Compile ``function``, which kernels call, as a part of each of them.

    Use as :func:`kernel`. It is optimised and kept on disk within the kernels. Python can call it,
    too; it is then compiled once more, as a kernel.
    """

    def compile_it(function: Callable[..., Any]) -> Any:
        if getattr(config, "DISABLE_JIT", False):
            return function
        return Helper(function, _options(fastmath), lambda: kernel(function, fastmath=fastmath))

    return compile_it if function is None else compile_it(function)


def entry_of(kernel: Any, arguments: Sequence[Any]) -> Callable[..., Any]:
    """The compiled code of ``kernel`` for arguments of the types of ``arguments``, if it is there.

    To call it saves looking up the types of all arguments, which takes 0.5 us for each array and
    more for a tuple. Whoever calls it must not pass others. Without a compiler, the kernel itself.
    """
    if not hasattr(kernel, "overloads"):
        return kernel
    kept = kernel.overloads.get(tuple(typeof(each) for each in arguments))
    return kernel if kept is None else kept.entry_point


class _CacheFile(IndexDataCacheFile):
    """numba's, but safe where two processes save versions of one kernel at once.

    numba numbers the files of the versions: both may take the same number, and the index then names
    the code of one for the types of the other. Here the types make the name.
    """

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (ImportError, AttributeError):
            return {}  # written by a version of boostbench with types that are gone

    def save(self, key: Any, data: Any) -> None:
        digest = hashlib.sha256(repr(key).encode()).digest()
        name = self._data_name(int.from_bytes(digest[:6], "big"))
        self._save_data(name, data)
        overloads = self._load_index()
        if overloads.get(key) != name:
            overloads[key] = name
            self._save_index(overloads)


def _keep_by_sources(compiled: Any, folder: Path) -> None:
    kept: Any = getattr(compiled, "_cache", None)
    if not hasattr(kept, "_cache_file"):  # nothing can be written
        return
    kept._cache_file = _CacheFile(
        cache_path=kept._cache_path,
        filename_base=kept._impl.filename_base,
        source_stamp=_source_stamp(folder),
    )
