"""Answers that numba's compiler needs again and again; it computes them each time.

It asks thousands of times for the signatures of its own functions, for their code and for the sizes
of types while a few kernels are compiled: a sixth of the time of compilation.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.cpu import CPUContext
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction

_signatures: dict[Any, Any] = {}
_options: list[dict[str, Any]] = []
_sizes: dict[str, int] = {}
_find_signature = BaseFunction.get_call_type


def _signature(self: Any, context: Any, args: Any, kws: Any) -> Any:
    if kws:
        return _find_signature(self, context, args, kws)
    # A function to which somebody adds is another one from then on: it is not found here.
    key = self, tuple(args), _number_of_options()
    if key not in _signatures:
        found = _find_signature(self, context, args, kws)
        if found is None:
            return None
        _signatures[key] = found, self._impl_keys[found.args]
    # numba generates code for the function that it found last, whatever its options were.
    signature, self._impl_keys[signature.args] = _signatures[key]
    return signature


def _number_of_options() -> int:
    """Return the same number for the same options of the compiler, such as ``fastmath``."""
    flags = ConfigStack.top_or_none()
    values = {} if flags is None else flags._values
    if values not in _options:
        _options.append(dict(values))
    return _options.index(values)


@contextmanager
def signatures_kept() -> Iterator[None]:
    """Look up a function once for its arguments' types and the options it is compiled with.

    The caller holds numba's lock of the compiler. Functions of numba's that are compiled inside are
    looked up in the same way.
    """
    functions: Any = BaseFunction
    before = functions.get_call_type
    functions.get_call_type = _signature
    try:
        yield
    finally:
        functions.get_call_type = before


class _Target(CPUContext):
    _found: dict[Any, Any]

    def subtarget(self, **options: Any) -> Any:
        view = super().subtarget(**options)
        view._found = {}
        return view

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        # No array has one, and at each use of an array numba looks whether a new module adds it.
        if fn == "__array__":
            raise NotImplementedError(fn)
        key = fn, sig
        if key not in self._found:
            self._found[key] = super().get_function(fn, sig, _firstcall)
        return self._found[key]

    def get_abi_sizeof(self, ty: Any) -> int:
        # LLVM parses a module for it.
        name = str(ty)
        if name not in _sizes:
            _sizes[name] = super().get_abi_sizeof(ty)
        return _sizes[name]


def target_context(of: CPUContext) -> CPUContext:
    """Return a view of the context ``of`` that keeps answers; what one registers, both have."""
    view: Any = object.__new__(_Target)
    view.__dict__ = {**of.__dict__, "_found": {}}
    made: CPUContext = view
    return made
