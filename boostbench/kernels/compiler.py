"""Compilers for numba that compile a function once, not once more per caller.

numba optimises each function and generates its machine code separately, and again within each of
its callers: a function called through four levels is generated five times. A :class:`Helper` is
translated to LLVM's intermediate language only; each kernel is linked with all that it calls, then
optimised and generated as a whole. Helpers with ``fastmath`` are optimised before, too: their sums
are then added in the same order whichever kernel they become a part of. A helper that makes no
array counts no references to those that it is given: its callers hold them.

No other file uses private parts of numba: those of ``numba.core`` imported below, what ``_Codegen``
and the two kinds of code override and call, ``_compile_for_args`` and ``_cache`` of dispatchers.
pyproject.toml names the last version of numba that is known to have them. Where plain numba
compiles (see ``jit``), this file is not imported.
"""

import hashlib
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import ir
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.core.types import Array, BaseTuple, BoundFunction, NamedTupleClass, unliteral

from boostbench.kernels.target import tuning


class _Codegen(JITCPUCodegen):
    """numba's, but tuned for the processor that ``target`` names."""

    def _get_host_cpu_name(self) -> str:
        return tuning() or str(super()._get_host_cpu_name())


@cache
def _tuned_codegen() -> _Codegen:
    return _Codegen("boostbench")


class _KernelCode(JITCodeLibrary):
    """The machine code of a kernel and of all that it calls."""

    def finalize(self) -> None:
        self._linking_libraries = _with_callees(self._linking_libraries)
        super().finalize()


class _HelperCode(_KernelCode):
    """The code of a helper and of all that it calls, to be linked with a kernel; not optimised."""

    optimised = False

    def _optimize_functions(self, ll_module: Any) -> None:
        if self.optimised:
            super()._optimize_functions(ll_module)
            return
        # Each kernel optimises it again, so that making it small is enough here.
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            passes, builder = self._codegen._function_pass_manager(opt=1)
            passes.run(function, builder)

    def finalize(self) -> None:
        self._raise_if_finalized()
        if self.optimised:
            for library in _with_callees(self._linking_libraries):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            self._optimize_final_module()
        self._finalized = True


def _with_callees(libraries: Iterable[Any]) -> list[Any]:
    """Return the libraries and, after them, those of the helpers that they call and do not contain.

    LLVM leaves out functions without callers when it links: callees follow all their callers.
    """
    ordered: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library in ordered:
            return
        if isinstance(library, _HelperCode) and not library.optimised:
            for callee in library._linking_libraries:
                visit(callee)
        ordered[library] = None

    for library in libraries:
        visit(library)
    return list(reversed(ordered))


# Operations whose array, or tuple with arrays, is a part or a view of another.
_VIEWS = {"getattr", "getitem", "static_getitem", "cast", "build_tuple", "exhaust_iter", "phi"}
_METHODS = {"array.reshape", "array.view"}


def _has_arrays(kind: Any) -> bool:
    parts = getattr(kind, "types", ()) if isinstance(kind, BaseTuple) else ()
    return isinstance(kind, Array) or any(map(_has_arrays, parts))


def _makes_arrays(state: Any) -> bool:
    """Whether the function may make or return an array, except views of its arguments."""
    types = state.typemap
    if _has_arrays(state.return_type):
        return True
    for block in state.func_ir.blocks.values():
        for expression in block.find_exprs():
            if _iterates_over_arrays(expression, types):
                return True
        for assignment in block.find_insts(ir.Assign):
            value = assignment.value
            assigns_arrays = _has_arrays(types[assignment.target.name])
            if assigns_arrays and isinstance(value, ir.Expr) and not _is_view(value, types):
                return True
    return False


def _iterates_over_arrays(expression: Any, types: Any) -> bool:
    return expression.op in ("getiter", "iternext") and _has_arrays(types[expression.value.name])


def _is_view(expression: Any, types: Any) -> bool:
    """Whether the arrays that are the value of ``expression`` are parts or views of others."""
    if expression.op == "getitem":
        return not _has_arrays(types[expression.index.name])
    if expression.op == "call":
        called = types[expression.func.name]
        is_view = isinstance(called, BoundFunction) and called.typing_key in _METHODS
        return is_view or isinstance(called, NamedTupleClass)
    return expression.op in _VIEWS


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerKernel(NativeLowering):
    _name = "boostbench_kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _KernelCode(_tuned_codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        done: bool = super().run_pass(state)
        return done


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerHelper(NativeLowering):
    _name = "boostbench_helper_lowering"

    def run_pass(self, state: Any) -> bool:
        if not _makes_arrays(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        context, flags = state.targetctx, state.flags
        library = _HelperCode(_tuned_codegen(), state.func_id.func_qualname)
        state.library = library
        library.optimised = bool(flags.fastmath)
        flags.no_compile = True
        done: bool = super().run_pass(state)
        lowered, entry = state["cr"], object()
        context.insert_user_function(entry, lowered.fndesc, [library])
        state["cr"] = lowered._replace(cfunc=entry)
        return done


class KernelCompiler(CompilerBase):
    """numba's compiler, with the project's own lowering, for functions that Python calls."""

    lowering: type = _LowerKernel

    def define_pipelines(self) -> list[PassManager]:
        """Return numba's passes with another lowering."""
        usual = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes = PassManager("boostbench")
        for each, description in usual.passes:
            passes.add_pass(self.lowering if each is NativeLowering else each, description)
        passes.finalize()
        return [passes]


class _HelperCompiler(KernelCompiler):
    lowering = _LowerHelper


def compile_kernel(
    function: Callable[..., Any], options: dict[str, Any], folder: Path | None
) -> Any:
    """Compile ``function`` with numba's ``options``; kept in ``folder``, if there is one."""
    compiled = njit(**options, pipeline_class=KernelCompiler)(function)
    if folder is not None:
        compiled._cache = _KernelCache(function, folder)
    return compiled


def compile_helper(
    function: Callable[..., Any], options: dict[str, Any], folder: Path | None
) -> Any:
    """Compile ``function``, for kernels to call, with numba's ``options``."""
    return Helper(function, options, partial(compile_kernel, function, options, folder))


class Helper(CPUDispatcher):
    """A function for kernels to call, with numba's ``options``.

    Calls from Python go to ``as_kernel()``, which is compiled separately.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        as_kernel: Callable[[], Any],
    ) -> None:
        unwrapped = options | {"nopython": True, "no_cpython_wrapper": True}
        super().__init__(function, targetoptions=unwrapped, pipeline_class=_HelperCompiler)
        self._as_kernel = cache(as_kernel)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the template for the types, where a constant is a number as any other."""
        plain = {name: unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(unliteral, args)), plain)

    def add_overload(self, cres: Any) -> None:
        """Keep a compiled kernel, which has no machine code that Python could call."""
        self.overloads[tuple(cres.signature.args)] = cres

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        return self._as_kernel()._compile_for_args(*args, **kwargs)


class _CacheFile(IndexDataCacheFile):
    """numba's, but safe where two processes save versions of one kernel at once.

    numba numbers the files of the versions: both may take the same number, and the index then names
    the code of one for the types of the other. Here the types make the name.
    """

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:  # damaged, or written with types that are gone
            return {}

    def save(self, key: Any, data: Any) -> None:
        digest = hashlib.sha256(repr(key).encode()).digest()
        name = self._data_name(int.from_bytes(digest[:6], "big"))
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


class _Place:
    """Where a kernel is kept, for numba: a folder whose name says all that its code depends on."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._folder = folder
        self._py_file = function.__code__.co_filename
        self._lineno = function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._lineno)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)


class _KernelFiles(CompileResultCacheImpl):
    """The names of a kernel's files, and what is written in them; numba's for a place of ours."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._locator = _Place(function, folder)
        self._lineno = function.__code__.co_firstlineno
        name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, sys.abiflags)


class _KernelCache(FunctionCache):
    """The kept versions of one kernel, in ``folder``."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._impl_class: Any = partial(_KernelFiles, folder=folder)
        super().__init__(function)
        self._cache_file = _CacheFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=folder.name,
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a kept version, None where there is none or its file is damaged."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # pickle raises many kinds on damaged files
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a version; where that fails, as on a full disk, the next process compiles it."""
        with suppress(OSError):
            super().save_overload(sig, data)
