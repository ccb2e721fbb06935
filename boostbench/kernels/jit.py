"""How every numerical kernel is compiled and kept on disk."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numba
from numba import njit, typeof
from numba.core import config

without_linking = ""
"""Why kernels are compiled by plain ``njit``; empty where helpers are linked with them.

Sums then have other last bits, and compiling takes twice as long.
"""
try:
    from boostbench.kernels import compiler
except Exception as error:  # another numba, without the parts that the compilers are made of
    without_linking = f"numba {numba.__version__}: {error}"

# The newest numba that is known to have all that linking needs; of a newer one it is tried out.
_NEWEST_KNOWN = (0, 68)


def kernel(function: Callable[..., Any] | None = None, *, fastmath: Any = False) -> Any:
    """Compile ``function``, which Python calls: no Python objects, no GIL, IEEE division.

    Use as ``@kernel`` or ``@kernel(fastmath=...)``. It is kept on disk where possible, while the
    sources in the function's folder and in this one are unchanged. Where nothing can be written,
    the kernel is compiled once per process.
    """

    def compile_it(function: Callable[..., Any]) -> Any:
        options = _options(fastmath)
        if not without_linking:
            options["pipeline_class"] = compiler.KernelCompiler
        try:
            compiled = njit(cache=True, **options)(function)
        except RuntimeError:
            compiled = njit(**options)(function)
        if not (without_linking or getattr(config, "DISABLE_JIT", False)):
            compiler.keep_by_sources(compiled, Path(function.__code__.co_filename).parent)
        return compiled

    return compile_it if function is None else compile_it(function)


def helper(function: Callable[..., Any] | None = None, *, fastmath: Any = False) -> Any:
    """Compile ``function``, which kernels call, as a part of each of them.

    Use as :func:`kernel`. It is optimised and kept on disk within the kernels. Python can call it,
    too; it is then compiled once more, as a kernel.
    """

    def compile_it(function: Callable[..., Any]) -> Any:
        options = _options(fastmath)
        if without_linking or getattr(config, "DISABLE_JIT", False):
            return njit(**options)(function)
        return compiler.Helper(function, options, lambda: kernel(function, fastmath=fastmath))

    return compile_it if function is None else compile_it(function)


def _options(fastmath: Any) -> dict[str, Any]:
    return {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": fastmath,
        "no_cfunc_wrapper": True,
    }


def entry_of(kernel: Any, arguments: Sequence[Any]) -> Any:
    """Return the compiled code of ``kernel`` for the types of ``arguments``, if it is there.

    To call it saves looking up the types of all arguments, which takes 0.5 us for each array and
    more for a tuple. Whoever calls it must not pass others. Without a compiler, the kernel itself.
    """
    if not hasattr(kernel, "overloads"):
        return kernel
    kept = kernel.overloads.get(tuple(typeof(each) for each in arguments))
    return kernel if kept is None else kept.entry_point


def _fault() -> str:
    """Return why a helper cannot be linked with a kernel, or an empty string."""
    try:
        twice = helper(lambda x: x + x)
        found = kernel(lambda x: twice(twice(x)))(1.5)
    except Exception as error:
        return f"numba {numba.__version__}: {type(error).__name__}: {error}"
    return "" if found == 6.0 else f"numba {numba.__version__}: a linked kernel returned {found}"


if not without_linking and numba.version_info.short > _NEWEST_KNOWN:
    without_linking = _fault()
