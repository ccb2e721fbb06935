"""How every numerical kernel is compiled and kept on disk."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from numba import njit, typeof

from boostbench.kernels.compiler import Helper, KernelCompiler, keep_by_sources
from boostbench.kernels.exp_log import NO_COMPILER

_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def kernel(function: Callable[..., Any], fastmath: Any = False) -> Any:
    """Compile ``function``, which Python calls: no Python objects, no GIL, IEEE division.

    It is kept on disk where possible, while the sources in the function's folder and in this one
    are unchanged. Where nothing can be written, the kernel is compiled once per process.
    """
    if NO_COMPILER:
        return function
    options = {**_OPTIONS, "fastmath": fastmath, "pipeline_class": KernelCompiler}
    try:
        compiled = njit(cache=True, **options)(function)
    except RuntimeError:
        compiled = njit(**options)(function)
    keep_by_sources(compiled, Path(function.__code__.co_filename).parent)
    return compiled


def helper(function: Callable[..., Any] | None = None, *, fastmath: Any = False) -> Any:
    """Compile ``function``, which kernels call, as a part of each of them.

    Use as ``@helper`` or ``@helper(fastmath=...)``. It is optimised and kept on disk within the
    kernels. Python can call it, too; it is then compiled once more, as a kernel.
    """
    if function is None:
        return partial(helper, fastmath=fastmath)
    if NO_COMPILER:
        return function
    as_kernel = partial(kernel, function, fastmath)
    return Helper(function, {**_OPTIONS, "fastmath": fastmath}, as_kernel)


def entry_of(kernel: Any, arguments: Sequence[Any]) -> Any:
    """Return the compiled code of ``kernel`` for the types of ``arguments``, if it is there.

    To call it saves looking up the types of all arguments, which takes 0.5 us for each array and
    more for a tuple. Whoever calls it must not pass others. Without a compiler, the kernel itself.
    """
    if not hasattr(kernel, "overloads"):
        return kernel
    kept = kernel.overloads.get(tuple(typeof(each) for each in arguments))
    return kernel if kept is None else kept.entry_point
