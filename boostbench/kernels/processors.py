"""On which processor a thread runs, and how it leaves it, for kernels; Linux only.

In a virtual machine, Linux may wake a thread on the processor where another thread of its team
runs, although the next processor is idle: a halted virtual processor does not count as available.
Since the two then wait for each other in turns, Linux sees no load to balance.
"""

# mypy: disable-error-code="no-untyped-def"

import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils

from boostbench.kernels.arrays import zero_indices
from boostbench.kernels.float_vectors import data_of, primitive
from boostbench.kernels.jit import helper

_IS_LINUX = sys.platform == "linux"
# Words of 64 processors in a set of them; where there are more, threads stay where they are.
_WORDS = 16


def _call(builder, name, arguments):
    """The int32 that the C library's function ``name`` returns."""
    kind = ir.FunctionType(ir.IntType(32), [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


@primitive(lambda: -1)
def processor(typing):
    """The number of the processor on which this thread runs, -1 if that is unknown."""

    def codegen(context, builder, sig, args):
        number = _call(builder, "sched_getcpu", []) if _IS_LINUX else ir.IntType(32)(-1)
        return builder.sext(number, ir.IntType(64))

    return types.int64(), codegen


def _affinity(name: str):
    """The primitive that calls ``name`` for this thread and a set of ``_WORDS`` int64."""

    def typed(typing, words):
        def codegen(context, builder, sig, args):
            place = data_of(context, builder, sig.args[0], args[0])
            size = ir.Constant(ir.IntType(64), 8 * _WORDS)
            arguments = [ir.IntType(32)(0), size, place]
            return _call(builder, name, arguments) if _IS_LINUX else ir.IntType(32)(-1)

        return types.int32(words), codegen

    typed.__name__ = name
    return primitive(lambda words: -1)(typed)


_get_affinity, _set_affinity = _affinity("sched_getaffinity"), _affinity("sched_setaffinity")


@helper
def leave(here):
    """Move this thread from processor ``here`` to another that it may use, if there is one."""
    if here < 0:
        return
    allowed = zero_indices(_WORDS)
    # On success the system call returns a size, its wrapper in the C library 0.
    if here >= 64 * _WORDS or _get_affinity(allowed) < 0:
        return
    before = allowed[here >> 6]
    allowed[here >> 6] = before & ~(1 << (here & 63))
    others = 0
    for k in range(_WORDS):
        others |= allowed[k]
    if others != 0 and _set_affinity(allowed) == 0:
        allowed[here >> 6] = before
        _set_affinity(allowed)
