"""Explicit SIMD vectors for numba kernels, spelled as LLVM vectors, so no C compiler is needed.

Two kinds of vector are used: eight float64 (``f8_*``, here) and rows of int32 (``row_*``, in
``int_rows``). LLVM splits or widens them to what the machine has, and the results are the same bits
everywhere except for fused multiply-adds in ``f8_exp``.

numba does not vectorise these loops by itself: masked sums and rows of int32 come out 3 to 8 times
slower. With ``NUMBA_DISABLE_JIT=1`` every primitive is a NumPy expression instead.
"""

# mypy: disable-error-code="no-untyped-def"

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from boostbench.kernels.exp_log import LN2_HIGH, LN2_LOW, LOG2_E, SHIFT, primitive

_FLUSH = -600.0  # below, exp gives 0, so that no weight ever becomes a (slow) denormal number
_CEILING = 600.0  # far above any weight of a descending run; keeps trial steps finite
_TAYLOR = [1.0]
for _n in range(1, 13):
    _TAYLOR.append(_TAYLOR[-1] / _n)


class Vector(types.Type):
    """numba's type of ``lanes`` float64 (kind ``f8``) or int32 (``i4``)."""

    def __init__(self, kind: str, lanes: int) -> None:
        self.kind, self.lanes = kind, lanes
        super().__init__(name=f"{kind}x{lanes}")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        element = ir.DoubleType() if fe_type.kind == "f8" else ir.IntType(32)
        super().__init__(dmm, fe_type, ir.VectorType(element, fe_type.lanes))


_F8 = Vector("f8", 8)
_F8_IR = ir.VectorType(ir.DoubleType(), 8)


def data_of(context, builder, array_type, value):
    """Pointer to the first element of an array."""
    return context.make_array(array_type)(context, builder, value).data


def cell(context, builder, array_type, value, index, vector_ir):
    """Pointer, as to ``vector_ir``, to the element ``index`` of an array's data."""
    place = builder.gep(data_of(context, builder, array_type, value), [index])
    return builder.bitcast(place, vector_ir.as_pointer())


def splat(builder, scalar, vector_ir):
    """Return a vector of the LLVM type ``vector_ir`` with ``scalar`` in each lane."""
    lane = ir.IntType(32)
    vector = builder.insert_element(ir.Constant(vector_ir, ir.Undefined), scalar, lane(0))
    mask = ir.Constant(ir.VectorType(lane, vector_ir.count), [0] * vector_ir.count)
    return builder.shuffle_vector(vector, ir.Constant(vector_ir, ir.Undefined), mask)


def _constant(value: float):
    return ir.Constant(_F8_IR, [value] * 8)


def fused(builder, a, b, c):
    """Return ``a * b + c`` of numbers or vectors, fused where the machine can."""
    kind = a.type
    lanes = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
    fn = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(kind, [kind] * 3), f"llvm.fmuladd.{lanes}f64"
    )
    return builder.call(fn, [a, b, c])


# --- eight float64 -------------------------------------------------------------------------


@primitive(lambda a, i: a[i : i + 8].copy())
def f8_load(typing, a, i):
    """``a[i:i+8]`` of a contiguous float64 array."""

    def codegen(context, builder, sig, args):
        return builder.load(cell(context, builder, sig.args[0], args[0], args[1], _F8_IR), align=8)

    return _F8(a, types.intp), codegen


def _store_plain(a, i, x):
    a[i : i + 8] = x


@primitive(_store_plain)
def f8_store(typing, a, i, x):
    """``a[i:i+8] = x``."""

    def codegen(context, builder, sig, args):
        place = cell(context, builder, sig.args[0], args[0], args[1], _F8_IR)
        builder.store(args[2], place, align=8)
        return context.get_dummy_value()

    return types.void(a, types.intp, _F8), codegen


@primitive(lambda s: np.full(8, float(s)))
def f8_splat(typing, s):
    """Eight times the float64 ``s``."""

    def codegen(context, builder, sig, args):
        return splat(builder, args[0], _F8_IR)

    return _F8(types.float64), codegen


def lanewise(name: str, plain: Callable[..., Any], emit: Callable[..., Any]):
    """Return the primitive of two like vectors that ``emit`` writes, given a builder and both."""

    def typed(typing, x, y):
        def codegen(context, builder, sig, args):
            return emit(builder, *args)

        return x(x, x), codegen

    typed.__name__ = name
    return primitive(plain)(typed)


def _greater(builder, x, y):
    return builder.select(builder.fcmp_ordered(">", x, y), x, y)


f8_add = lanewise("f8_add", np.add, ir.IRBuilder.fadd)
f8_sub = lanewise("f8_sub", np.subtract, ir.IRBuilder.fsub)
f8_mul = lanewise("f8_mul", np.multiply, ir.IRBuilder.fmul)
f8_div = lanewise("f8_div", np.divide, ir.IRBuilder.fdiv)
f8_max = lanewise("f8_max", np.maximum, _greater)


@primitive(lambda x, y, z: x * y + z)
def f8_fma(typing, x, y, z):
    """``x * y + z``, fused where the machine can."""

    def codegen(context, builder, sig, args):
        return fused(builder, *args)

    return _F8(_F8, _F8, _F8), codegen


def _pick_plain(bits, x, y):
    return np.where((int(bits) >> np.arange(8)) & 1, x, y)


@primitive(_pick_plain)
def f8_pick(typing, bits, x, y):
    """Lane k of ``x`` where bit k of the uint8 ``bits`` is set, else of ``y``."""

    def codegen(context, builder, sig, args):
        mask = builder.bitcast(args[0], ir.VectorType(ir.IntType(1), 8))
        return builder.select(mask, args[1], args[2])

    return _F8(types.uint8, _F8, _F8), codegen


def _halves_sum(x):
    x = x[:4] + x[4:]
    x = x[:2] + x[2:]
    return x[0] + x[1]


def halves(builder, vector):
    """Return the first and the second half of a vector."""
    half = vector.type.count // 2
    undefined = ir.Constant(vector.type, ir.Undefined)
    order = ir.VectorType(ir.IntType(32), half)
    return [
        builder.shuffle_vector(vector, undefined, ir.Constant(order, places))
        for places in (list(range(half)), list(range(half, 2 * half)))
    ]


def folded(builder, vector, lanes, emit):
    """Combine the halves of a vector by ``emit``, again and again, until it has ``lanes``."""
    while vector.type.count > lanes:
        vector = emit(builder, *halves(builder, vector))
    return vector


def sum_of_lanes(builder, vector):
    """Return the sum of a vector's lanes, halves first."""
    return builder.extract_element(folded(builder, vector, 1, ir.IRBuilder.fadd), ir.IntType(32)(0))


@primitive(_halves_sum)
def f8_sum(typing, x):
    """Return the sum of the lanes, always in the same order."""

    def codegen(context, builder, sig, args):
        return sum_of_lanes(builder, args[0])

    return types.float64(_F8), codegen


@primitive(lambda x: np.where(x > _FLUSH, np.exp(np.minimum(x, _CEILING)), 0.0))
def f8_exp(typing, x):
    """exp(x) to about 1 ulp; 0 below -600; x above 600 counts as 600, so never infinite."""

    def codegen(context, builder, sig, args):
        x = args[0]
        wide = ir.VectorType(ir.IntType(64), 8)
        keep = builder.fcmp_ordered(">", x, _constant(_FLUSH))
        low = builder.fcmp_ordered("<", x, _constant(_CEILING))
        x = builder.select(low, x, _constant(_CEILING))
        x = builder.select(keep, x, _constant(_FLUSH))
        shifted = fused(builder, x, _constant(LOG2_E), _constant(SHIFT))
        k = builder.fsub(shifted, _constant(SHIFT))
        r = fused(builder, k, _constant(-LN2_HIGH), x)
        r = fused(builder, k, _constant(-LN2_LOW), r)
        p = _constant(_TAYLOR[12])
        for coefficient in _TAYLOR[11::-1]:
            p = fused(builder, p, r, _constant(coefficient))
        exponent = builder.shl(builder.bitcast(shifted, wide), ir.Constant(wide, [52] * 8))
        scaled = builder.bitcast(builder.add(builder.bitcast(p, wide), exponent), _F8_IR)
        return builder.select(keep, scaled, _constant(0.0))

    return _F8(_F8), codegen


@primitive(np.abs)
def f8_abs(typing, x):
    """|x|, lane by lane."""

    def codegen(context, builder, sig, args):
        wide = ir.VectorType(ir.IntType(64), 8)
        mask = ir.Constant(wide, [0x7FFFFFFFFFFFFFFF] * 8)
        return builder.bitcast(builder.and_(builder.bitcast(args[0], wide), mask), _F8_IR)

    return _F8(_F8), codegen


@primitive(np.max)
def f8_top(typing, x):
    """Return the largest of the lanes, for numbers."""

    def codegen(context, builder, sig, args):
        top = folded(builder, args[0], 1, _greater)
        return builder.extract_element(top, ir.IntType(32)(0))

    return types.float64(_F8), codegen


def _pack_plain(flags, i):
    return np.uint8(np.packbits(flags[i : i + 8] != 0, bitorder="little")[0])


@primitive(_pack_plain)
def pack8(typing, flags, i):
    """Return the uint8 whose bit k is set where ``flags[i + k]`` (uint8) is not 0."""

    def codegen(context, builder, sig, args):
        kind = ir.VectorType(ir.IntType(8), 8)
        x = builder.load(cell(context, builder, sig.args[0], args[0], args[1], kind), align=1)
        set_ = builder.icmp_unsigned("!=", x, ir.Constant(kind, [0] * 8))
        return builder.bitcast(set_, ir.IntType(8))

    return types.uint8(flags, types.intp), codegen
