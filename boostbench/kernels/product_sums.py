"""Sums of the products of some rows with some others: the inner loop of a matrix product.

A number is loaded once for several products. The sums are those that LLVM makes of a plain loop for
the processors of ``target``, bit for bit: sixteen interleaved ones, then four, then one.
"""

# mypy: disable-error-code="no-untyped-def"

from itertools import product

from llvmlite import ir
from numba import types
from numba.core import cgutils

from boostbench.kernels.exp_log import primitive
from boostbench.kernels.float_vectors import fused, halves, sum_of_lanes

_DOUBLE = ir.DoubleType()
_FOUR = ir.VectorType(_DOUBLE, 4)
_EIGHT = ir.VectorType(_DOUBLE, 8)


def sums_of_products(n_values: int, n_rows: int):
    """Return a primitive that adds ``n_values`` times ``n_rows`` sums of products.

    Its arguments are ``values, rows, j, out, n``: it does ``out[a, j + b] += sum_i values[a, i] *
    rows[j + b, i]`` over the first ``n`` columns, for all a < n_values and b < n_rows.
    """

    def plain(values, rows, j, out, n):
        out[:n_values, j : j + n_rows] += values[:n_values, :n] @ rows[j : j + n_rows, :n].T

    def typed(typing, values, rows, j, out, n):
        def codegen(context, builder, sig, args):
            j, n = args[2], args[4]

            def pointer(argument, row, column):
                kind = sig.args[argument]
                array = context.make_array(kind)(context, builder, args[argument])
                return cgutils.get_item_pointer(context, builder, kind, array, [row, column])

            zero = n.type(0)
            from_j = [builder.add(j, j.type(b)) for b in range(n_rows)]
            of_values = [pointer(0, zero.type(a), zero) for a in range(n_values)]
            of_rows = [pointer(1, row, zero) for row in from_j]
            sums = _sums(builder, of_values, of_rows, n)
            cells = [pointer(3, zero.type(a), row) for a in range(n_values) for row in from_j]
            for cell, total in zip(cells, sums, strict=True):
                builder.store(builder.fadd(builder.load(cell), total), cell)
            return context.get_dummy_value()

        return types.void(values, rows, types.intp, out, types.intp), codegen

    typed.__name__ = f"sums_of_{n_values}_by_{n_rows}"
    return primitive(plain)(typed)


def _sums(builder, of_values, of_rows, n):
    """Return the sums over ``n`` columns, for each pair of a pointer to values and one to a row."""
    in_sixteens, in_fours = builder.and_(n, n.type(-16)), builder.and_(n, n.type(-4))
    n_pairs = len(of_values) * len(of_rows)

    def continued(starts, first, end):
        return _loop(builder, of_values, of_rows, starts, first, end)

    # For all pairs the first eight of sixteen columns, then the last eight.
    zeros = [ir.Constant(_EIGHT, [0.0] * 8)] * (2 * n_pairs)
    sums = continued(zeros, n.type(0), in_sixteens)
    totals = [
        _sum_of_sixteen(builder, low, high)
        for low, high in zip(sums[:n_pairs], sums[n_pairs:], strict=True)
    ]
    fours = [_in_first_of_four(builder, each) for each in totals]
    sums = continued(fours, in_sixteens, in_fours)
    totals = [sum_of_lanes(builder, each) for each in sums]
    return continued(totals, in_fours, n)


def _loop(builder, of_values, of_rows, starts, first, end):
    """Return ``starts`` and the products of the columns from ``first`` to before ``end``.

    ``starts`` are numbers or vectors, one for each pair of rows, or several times as many for steps
    of several vectors.
    """
    kind = starts[0].type
    lanes = kind.count if isinstance(kind, ir.VectorType) else 1
    n_pairs = len(of_values) * len(of_rows)
    sums = [cgutils.alloca_once_value(builder, each) for each in starts]
    step = lanes * (len(sums) // n_pairs)
    with cgutils.for_range_slice(builder, first, end, first.type(step)) as (i, _):
        for part in range(0, len(sums), n_pairs):
            column = builder.add(i, i.type(part // n_pairs * lanes))
            some = [_loaded(builder, row, column, kind) for row in of_values]
            others = [_loaded(builder, row, column, kind) for row in of_rows]
            of_part = sums[part : part + n_pairs]
            for place, (a, b) in zip(of_part, product(some, others), strict=True):
                builder.store(fused(builder, a, b, builder.load(place)), place)
    return [builder.load(place) for place in sums]


def _loaded(builder, row, column, kind):
    place = builder.bitcast(builder.gep(row, [column]), kind.as_pointer())
    return builder.load(place, align=8)


def _sum_of_sixteen(builder, low, high):
    parts = [*halves(builder, low), *halves(builder, high)]
    total = parts[0]
    for part in parts[1:]:
        total = builder.fadd(part, total)
    return sum_of_lanes(builder, total)


def _in_first_of_four(builder, number):
    zeros = ir.Constant(_FOUR, [0.0] * 4)
    return builder.insert_element(zeros, number, ir.IntType(32)(0))
