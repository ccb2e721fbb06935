"""Rows of int32 as explicit SIMD vectors: one lane a column of the stump search.

A row has as many lanes as the tuple ``like`` that a kernel is given has elements, so the compiler
knows the number. See ``float_vectors`` for what all of these primitives have in common.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from boostbench.kernels.exp_log import SHIFT, primitive
from boostbench.kernels.float_vectors import Vector, cell, data_of, folded, lanewise, splat

_F8_IR = ir.VectorType(ir.DoubleType(), 8)
_L8_IR = ir.VectorType(ir.IntType(64), 8)


def _row_at(context, builder, array_type, value, row, kind):
    """Pointer to the start of ``row`` of a C-ordered matrix with as many columns as lanes."""
    start = builder.mul(row, ir.Constant(row.type, kind.count))
    return cell(context, builder, array_type, value, start, kind)


def _greater(builder, x, y):
    return builder.select(builder.icmp_signed(">", x, y), x, y)


@primitive(lambda rows, r, like: rows[r].copy())
def row_load(typing, rows, r, like):
    """Row ``r`` of a C-ordered int32 matrix of ``len(like)`` columns."""
    vector = Vector("i4", like.count)

    def codegen(context, builder, sig, args):
        kind = context.get_value_type(sig.return_type)
        place = _row_at(context, builder, sig.args[0], args[0], args[1], kind)
        return builder.load(place, align=4)

    return vector(rows, types.intp, like), codegen


def _row_store_plain(rows, r, x):
    rows[r] = x


@primitive(_row_store_plain)
def row_store(typing, rows, r, x):
    """``rows[r] = x``."""

    def codegen(context, builder, sig, args):
        kind = context.get_value_type(sig.args[2])
        place = _row_at(context, builder, sig.args[0], args[0], args[1], kind)
        builder.store(args[2], place, align=4)
        return context.get_dummy_value()

    return types.void(rows, types.intp, x), codegen


@primitive(lambda s, like: np.full(len(like), s, dtype=np.int32))
def row_splat(typing, s, like):
    """``len(like)`` times the int32 ``s``."""
    vector = Vector("i4", like.count)

    def codegen(context, builder, sig, args):
        return splat(builder, args[0], context.get_value_type(sig.return_type))

    return vector(types.int32, like), codegen


row_add = lanewise("row_add", np.add, ir.IRBuilder.add)
row_sub = lanewise("row_sub", np.subtract, ir.IRBuilder.sub)
row_max = lanewise("row_max", np.maximum, _greater)


@primitive(np.abs)
def row_abs(typing, x):
    """|x|, lane by lane."""

    def codegen(context, builder, sig, args):
        x = args[0]
        zero = ir.Constant(x.type, [0] * x.type.count)
        positive = builder.icmp_signed(">", x, zero)
        return builder.select(positive, x, builder.sub(zero, x))

    return x(x), codegen


@primitive(lambda x, flag: x if flag else np.zeros_like(x))
def row_keep(typing, x, flag):
    """``x`` where the integer ``flag`` is 1, zeros where it is 0."""

    def codegen(context, builder, sig, args):
        x = args[0]
        mask = splat(builder, builder.sub(ir.IntType(32)(0), args[1]), x.type)
        return builder.and_(x, mask)

    return x(x, types.int32), codegen


@primitive(lambda x, y: bool(np.any(x > y)))
def row_any_above(typing, x, y):
    """Whether any lane of ``x`` is greater than that of ``y``."""

    def codegen(context, builder, sig, args):
        above = builder.icmp_signed(">", *args)
        bits = builder.bitcast(above, ir.IntType(above.type.count))
        return builder.icmp_unsigned("!=", bits, bits.type(0))

    return types.boolean(x, x), codegen


@primitive(lambda x: int(np.sum(x, dtype=np.int32)))
def row_sum(typing, x):
    """Return the int32 sum of the lanes."""

    def codegen(context, builder, sig, args):
        x = args[0]
        fn = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.IntType(32), [x.type]),
            f"llvm.vector.reduce.add.v{x.type.count}i32",
        )
        return builder.call(fn, [x])

    return types.int32(x), codegen


@primitive(lambda codes, place: int(codes[place]))
def code_at(typing, codes, place):
    """``codes[place]``, unsigned, for ``place`` >= 0: no time goes into looking for its sign."""

    def codegen(context, builder, sig, args):
        data = data_of(context, builder, sig.args[0], args[0])
        return builder.zext(builder.load(builder.gep(data, [args[1]])), ir.IntType(64))

    return types.intp(codes, types.intp), codegen


def _put_block_plain(masses, i, columns, factors, rows, like):
    n_slots = masses.shape[1]
    scaled = np.stack([masses[c // n_slots, i : i + 8] for c in columns]) * factors[:, None]
    rows[i : i + 8] = 2 * np.rint(scaled).astype(np.int32).T
    return rows[i : i + 8].sum(axis=0, dtype=np.int32)


@primitive(_put_block_plain)
def put_block(typing, masses, i, columns, factors, rows, like):
    """Fill ``rows[i : i + 8]`` with twice ``masses * factors``, rounded; return their sum, a row.

    masses (L, n_slots) float64, rows (n_slots, width) int32. Lane j comes from the row of
    ``masses`` that begins at its element ``columns[j]``, times ``factors[j]``, both (width,); every
    ``|mass * factor|`` must be below 2**30.
    """

    def codegen(context, builder, sig, args):
        lanes = like.count
        group = min(lanes, 16)
        sums = []
        for start in range(0, lanes, group):
            pairs = _pairs(context, builder, sig, args, start, group)
            stored = _store_pairs(context, builder, sig, args, start, pairs)
            sums.append(folded(builder, stored, group, ir.IRBuilder.add))
        if len(sums) == 1:
            return sums[0]
        places = ir.Constant(ir.VectorType(ir.IntType(32), lanes), list(range(lanes)))
        return builder.shuffle_vector(*sums, places)

    vector = Vector("i4", like.count)
    return vector(masses, types.intp, columns, factors, rows, like), codegen


def _pairs(context, builder, sig, args, start, group):
    """For each two neighbouring lanes their eight rounded numbers, the even lane in the low half.

    The magic sum leaves the rounded number in the low bits of the float64: to put two of them into
    one word is half of the way from columns to rows, and needs no shuffling.
    """
    word = ir.IntType(64)
    masses, columns, factors = (data_of(context, builder, sig.args[k], args[k]) for k in (0, 2, 3))
    masses = builder.gep(masses, [args[1]])
    low_half = ir.Constant(_L8_IR, [0xFFFFFFFF] * 8)
    shift = ir.Constant(_F8_IR, [SHIFT] * 8)
    pairs = []
    for lane in range(start, start + group):
        column = builder.load(builder.gep(columns, [word(lane)]))
        factor = builder.load(builder.gep(factors, [word(lane)]))
        place = builder.bitcast(builder.gep(masses, [column]), _F8_IR.as_pointer())
        x = builder.fmul(builder.load(place, align=8), splat(builder, factor, _F8_IR))
        bits = builder.bitcast(builder.fadd(x, shift), _L8_IR)
        if lane % 2 == 0:
            pairs.append(builder.and_(builder.shl(bits, ir.Constant(_L8_IR, [1] * 8)), low_half))
        else:
            pairs[-1] = builder.or_(pairs[-1], builder.shl(bits, ir.Constant(_L8_IR, [33] * 8)))
    return pairs


def _store_pairs(context, builder, sig, args, start, pairs):
    """Store the columns as rows; return the sum of the vectors that were stored."""
    int32, lanes = ir.IntType(32), sig.args[5].count
    sixteen = ir.VectorType(int32, 16)
    data = data_of(context, builder, sig.args[4], args[4])
    total = None
    for t, vector in enumerate(_zipped(builder, pairs)):
        vector = builder.bitcast(vector, sixteen)
        total = vector if total is None else builder.add(total, vector)
        place = builder.mul(args[1], ir.IntType(64)(lanes))
        place = builder.add(place, ir.IntType(64)(t * max(lanes, 16) + start))
        pointer = builder.bitcast(builder.gep(data, [place]), sixteen.as_pointer())
        builder.store(vector, pointer, align=4)
    return total


def _zipped(builder, vectors):
    """One stream of the first elements of all ``vectors``, their second elements, and so on."""
    if len(vectors) == 1:
        return vectors
    order = ir.VectorType(ir.IntType(32), 8)
    halves = [[0, 8, 1, 9, 2, 10, 3, 11], [4, 12, 5, 13, 6, 14, 7, 15]]
    even, odd = _zipped(builder, vectors[0::2]), _zipped(builder, vectors[1::2])
    return [
        builder.shuffle_vector(a, b, ir.Constant(order, half))
        for a, b in zip(even, odd, strict=True)
        for half in halves
    ]
