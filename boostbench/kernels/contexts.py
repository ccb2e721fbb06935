"""Answers that numba's compiler works out anew each time it asks, and that are kept here.

It asks thousands of times for the signatures of its own functions, for their code and for the sizes
of types while a few kernels are compiled: a sixth of their time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.cpu import CPUContext
from numba.core.types.functions import BaseFunction

_signatures: dict[Any, Any] = {}
_sizes: dict[str, int] = {}
_find_signature = BaseFunction.get_call_type


def _signature(self: Any, context: Any, args: Any, kws: Any) -> Any:
    if kws:
        return _find_signature(self, context, args, kws)
    # A function to which somebody adds is another one from then on: it is not found here.
    key = self, tuple(args)
    if key not in _signatures:
        _signatures[key] = _find_signature(self, context, args, kws)
    return _signatures[key]


@contextmanager
def signatures_kept() -> Iterator[None]:
    """Look up numba's own functions once for each of their arguments' types.

    The caller holds numba's lock of the compiler, so that nothing else is compiled meanwhile.
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
