"""Explicit SIMD vectors for numba kernels, spelled as LLVM vectors, so no C compiler is needed.

Two kinds of vector are used: eight float64 (``f8_*``) and ``n`` int32 (``row_*``), where ``n`` is
the length of the tuple ``like`` that a kernel is given, known to the compiler. LLVM splits or
widens them to what the machine has, and the results are the same bits everywhere but for fused
multiply-adds in ``f8_exp``.

numba does not vectorise these loops by itself: masked sums and rows of int32 come out 3 to 8 times
slower. With ``NUMBA_DISABLE_JIT=1`` every primitive is a NumPy expression instead.
"""

# mypy: disable-error-code="no-untyped-def"

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_SHIFT = 6755399441055744.0  # 1.5 * 2**52: adding it leaves the nearest integer in the low bits
_FLUSH = -600.0  # below, exp gives 0, so that no weight ever becomes a (slow) denormal number
_CEILING = 600.0  # far above any weight of a descending run; keeps trial steps finite
_TAYLOR = [1.0]
for _n in range(1, 13):
    _TAYLOR.append(_TAYLOR[-1] / _n)


_NO_COMPILER = bool(getattr(config, "DISABLE_JIT", False))


class _Vector(types.Type):
    def __init__(self, kind: str, lanes: int) -> None:
        self.kind, self.lanes = kind, lanes
        super().__init__(name=f"{kind}x{lanes}")


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        element = ir.DoubleType() if fe_type.kind == "f8" else ir.IntType(32)
        super().__init__(dmm, fe_type, ir.VectorType(element, fe_type.lanes))


_F8 = _Vector("f8", 8)
_I8 = _Vector("i4", 8)
_F8_IR = ir.VectorType(ir.DoubleType(), 8)


def _primitive(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Use ``plain`` (NumPy) when the compiler is switched off, else the decorated intrinsic."""

    def choose(typed: Callable[..., Any]) -> Any:
        return plain if _NO_COMPILER else intrinsic(typed)

    return choose


def _data(context, builder, array_type, value):
    return context.make_array(array_type)(context, builder, value).data


def _at(context, builder, array_type, value, index, vector_ir):
    """Pointer, as to ``vector_ir``, to the element ``index`` of a one-dimensional array."""
    place = builder.gep(_data(context, builder, array_type, value), [index])
    return builder.bitcast(place, vector_ir.as_pointer())


def _row_at(context, builder, array_type, value, row, vector_ir):
    """Pointer to the start of ``row`` of a C-ordered two-dimensional array."""
    array = context.make_array(array_type)(context, builder, value)
    width = cgutils.unpack_tuple(builder, array.shape, 2)[1]
    place = builder.gep(array.data, [builder.mul(row, width)])
    return builder.bitcast(place, vector_ir.as_pointer())


def _splat(builder, scalar, vector_ir):
    lane = ir.IntType(32)
    vector = builder.insert_element(ir.Constant(vector_ir, ir.Undefined), scalar, lane(0))
    mask = ir.Constant(ir.VectorType(lane, vector_ir.count), [0] * vector_ir.count)
    return builder.shuffle_vector(vector, ir.Constant(vector_ir, ir.Undefined), mask)


def _constant(value: float):
    return ir.Constant(_F8_IR, [value] * 8)


def _fma(builder, a, b, c):
    fn = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_F8_IR, [_F8_IR] * 3), "llvm.fmuladd.v8f64"
    )
    return builder.call(fn, [a, b, c])


# --- eight float64 -------------------------------------------------------------------------


@_primitive(lambda a, i: a[i : i + 8].copy())
def f8_load(typing, a, i):
    """``a[i:i+8]`` of a contiguous float64 array."""

    def codegen(context, builder, sig, args):
        return builder.load(_at(context, builder, sig.args[0], args[0], args[1], _F8_IR), align=8)

    return _F8(a, types.intp), codegen


def _store_plain(a, i, x):
    a[i : i + 8] = x


@_primitive(_store_plain)
def f8_store(typing, a, i, x):
    """``a[i:i+8] = x``."""

    def codegen(context, builder, sig, args):
        place = _at(context, builder, sig.args[0], args[0], args[1], _F8_IR)
        builder.store(args[2], place, align=8)
        return context.get_dummy_value()

    return types.void(a, types.intp, _F8), codegen


@_primitive(lambda s: np.full(8, float(s)))
def f8_splat(typing, s):
    """Eight times the float64 ``s``."""

    def codegen(context, builder, sig, args):
        return _splat(builder, args[0], _F8_IR)

    return _F8(types.float64), codegen


def _binary(name: str, plain: Callable[..., Any], method: str):
    def typed(typing, x, y):
        def codegen(context, builder, sig, args):
            return getattr(builder, method)(*args)

        return x(x, x), codegen

    typed.__name__ = name
    return _primitive(plain)(typed)


f8_add = _binary("f8_add", np.add, "fadd")
f8_sub = _binary("f8_sub", np.subtract, "fsub")
f8_mul = _binary("f8_mul", np.multiply, "fmul")


def _pick_plain(bits, x, y):
    return np.where((int(bits) >> np.arange(8)) & 1, x, y)


@_primitive(_pick_plain)
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


@_primitive(_halves_sum)
def f8_sum(typing, x):
    """The sum of the lanes, always in the same order."""

    def codegen(context, builder, sig, args):
        x, lane = args[0], ir.IntType(32)
        for half in (4, 2, 1):
            kind = ir.VectorType(lane, half)
            undefined = ir.Constant(x.type, ir.Undefined)
            low = builder.shuffle_vector(x, undefined, ir.Constant(kind, list(range(half))))
            high = builder.shuffle_vector(
                x, undefined, ir.Constant(kind, list(range(half, 2 * half)))
            )
            x = builder.fadd(low, high)
        return builder.extract_element(x, lane(0))

    return types.float64(_F8), codegen


@_primitive(lambda x: np.where(x > _FLUSH, np.exp(np.minimum(x, _CEILING)), 0.0))
def f8_exp(typing, x):
    """exp(x) to about 1 ulp; 0 below -600; x above 600 counts as 600, so never infinite."""

    def codegen(context, builder, sig, args):
        x = args[0]
        wide = ir.VectorType(ir.IntType(64), 8)
        keep = builder.fcmp_ordered(">", x, _constant(_FLUSH))
        low = builder.fcmp_ordered("<", x, _constant(_CEILING))
        x = builder.select(low, x, _constant(_CEILING))
        x = builder.select(keep, x, _constant(_FLUSH))
        shifted = _fma(builder, x, _constant(_LOG2_E), _constant(_SHIFT))
        k = builder.fsub(shifted, _constant(_SHIFT))
        r = _fma(builder, k, _constant(-_LN2_HIGH), x)
        r = _fma(builder, k, _constant(-_LN2_LOW), r)
        p = _constant(_TAYLOR[12])
        for coefficient in _TAYLOR[11::-1]:
            p = _fma(builder, p, r, _constant(coefficient))
        exponent = builder.shl(builder.bitcast(shifted, wide), ir.Constant(wide, [52] * 8))
        scaled = builder.bitcast(builder.add(builder.bitcast(p, wide), exponent), _F8_IR)
        return builder.select(keep, scaled, _constant(0.0))

    return _F8(_F8), codegen


@_primitive(np.abs)
def f8_abs(typing, x):
    """|x|, lane by lane."""

    def codegen(context, builder, sig, args):
        wide = ir.VectorType(ir.IntType(64), 8)
        mask = ir.Constant(wide, [0x7FFFFFFFFFFFFFFF] * 8)
        return builder.bitcast(builder.and_(builder.bitcast(args[0], wide), mask), _F8_IR)

    return _F8(_F8), codegen


@_primitive(lambda x, s: np.rint(x * s).astype(np.int32))
def f8_round(typing, x, s):
    """``x * s`` rounded to the nearest eight int32; |x * s| must stay below 2**31."""

    def codegen(context, builder, sig, args):
        x, s = args
        shifted = builder.fadd(builder.fmul(x, _splat(builder, s, _F8_IR)), _constant(_SHIFT))
        bits = builder.bitcast(shifted, ir.VectorType(ir.IntType(64), 8))
        return builder.trunc(bits, ir.VectorType(ir.IntType(32), 8))

    return _I8(_F8, types.float64), codegen


# --- n int32 -------------------------------------------------------------------------------


def _put_plain(rows, i, column, x):
    rows[i : i + 8, column] = x


@_primitive(_put_plain)
def put_column(typing, rows, i, column, x):
    """``rows[i:i+8, column] = x`` for a C-ordered int32 matrix and eight int32."""

    def codegen(context, builder, sig, args):
        array = context.make_array(sig.args[0])(context, builder, args[0])
        width = cgutils.unpack_tuple(builder, array.shape, 2)[1]
        place = builder.add(builder.mul(args[1], width), args[2])
        for lane in range(8):
            value = builder.extract_element(args[3], ir.IntType(32)(lane))
            builder.store(value, builder.gep(array.data, [place]))
            place = builder.add(place, width)
        return context.get_dummy_value()

    return types.void(rows, types.intp, types.intp, _I8), codegen


@_primitive(lambda rows, r, like: rows[r].copy())
def row_load(typing, rows, r, like):
    """Row ``r`` of a C-ordered int32 matrix of ``len(like)`` columns."""
    vector = _Vector("i4", like.count)

    def codegen(context, builder, sig, args):
        kind = context.get_value_type(sig.return_type)
        place = _row_at(context, builder, sig.args[0], args[0], args[1], kind)
        return builder.load(place, align=4)

    return vector(rows, types.intp, like), codegen


def _row_store_plain(rows, r, x):
    rows[r] = x


@_primitive(_row_store_plain)
def row_store(typing, rows, r, x):
    """``rows[r] = x``."""

    def codegen(context, builder, sig, args):
        kind = context.get_value_type(sig.args[2])
        place = _row_at(context, builder, sig.args[0], args[0], args[1], kind)
        builder.store(args[2], place, align=4)
        return context.get_dummy_value()

    return types.void(rows, types.intp, x), codegen


@_primitive(lambda s, like: np.full(len(like), s, dtype=np.int32))
def row_splat(typing, s, like):
    """``len(like)`` times the int32 ``s``."""
    vector = _Vector("i4", like.count)

    def codegen(context, builder, sig, args):
        return _splat(builder, args[0], context.get_value_type(sig.return_type))

    return vector(types.int32, like), codegen


row_add = _binary("row_add", np.add, "add")
row_sub = _binary("row_sub", np.subtract, "sub")


@_primitive(np.abs)
def row_abs(typing, x):
    """|x|, lane by lane."""

    def codegen(context, builder, sig, args):
        x = args[0]
        zero = ir.Constant(x.type, [0] * x.type.count)
        positive = builder.icmp_signed(">", x, zero)
        return builder.select(positive, x, builder.sub(zero, x))

    return x(x), codegen


@_primitive(np.maximum)
def row_max(typing, x, y):
    """max(x, y), lane by lane."""

    def codegen(context, builder, sig, args):
        return builder.select(builder.icmp_signed(">", *args), *args)

    return x(x, x), codegen


@_primitive(lambda x, flag: x if flag else np.zeros_like(x))
def row_keep(typing, x, flag):
    """``x`` where the integer ``flag`` is 1, zeros where it is 0."""

    def codegen(context, builder, sig, args):
        x = args[0]
        mask = _splat(builder, builder.sub(ir.IntType(32)(0), args[1]), x.type)
        return builder.and_(x, mask)

    return x(x, types.int32), codegen


@_primitive(lambda x, y: bool(np.any(x > y)))
def row_any_above(typing, x, y):
    """Whether any lane of ``x`` is greater than that of ``y``."""

    def codegen(context, builder, sig, args):
        above = builder.icmp_signed(">", *args)
        bits = builder.bitcast(above, ir.IntType(above.type.count))
        return builder.icmp_unsigned("!=", bits, bits.type(0))

    return types.boolean(x, x), codegen


@_primitive(lambda x: int(np.sum(x, dtype=np.int32)))
def row_sum(typing, x):
    """The int32 sum of the lanes."""

    def codegen(context, builder, sig, args):
        x = args[0]
        fn = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.IntType(32), [x.type]),
            f"llvm.vector.reduce.add.v{x.type.count}i32",
        )
        return builder.call(fn, [x])

    return types.int32(x), codegen


def _pack_plain(flags, i):
    return np.uint8(np.packbits(flags[i : i + 8] != 0, bitorder="little")[0])


@_primitive(_pack_plain)
def pack8(typing, flags, i):
    """The uint8 whose bit k tells whether ``flags[i + k]`` (uint8) is not 0."""

    def codegen(context, builder, sig, args):
        kind = ir.VectorType(ir.IntType(8), 8)
        x = builder.load(_at(context, builder, sig.args[0], args[0], args[1], kind), align=1)
        set_ = builder.icmp_unsigned("!=", x, ir.Constant(kind, [0] * 8))
        return builder.bitcast(set_, ir.IntType(8))

    return types.uint8(flags, types.intp), codegen
