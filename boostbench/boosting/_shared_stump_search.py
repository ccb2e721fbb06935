"""The search for the one stump that serves all columns best, as AdaBoost.MH wants it.

See ``_stump_search`` for columns, weights and codes.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from boostbench.boosting._stump_search import quantise
from boostbench.boosting._types import Columns, Quantised
from boostbench.kernels.int_rows import (
    code_at,
    row_abs,
    row_add,
    row_load,
    row_store,
    row_sub,
    row_sum,
)
from boostbench.kernels.jit import kernel

# Sums of so many codes stay in the first-level cache until they are compared.
_TILE = 1024


@kernel
def search_shared(
    codes, bounds, modes, signs, starts, scales, rows, totals, like, masses, total, stump
):
    """Return the stump (5,) with the largest sum over columns of ``|sum_i weight * h(x_i)|``.

    ``total`` is the sum of all masses. Its polarity is always +1: the sign is for each column to
    choose. Feature -1 means that a constant stump is the only one, or is better.
    The arguments from ``signs`` to ``like`` are ``*Columns, *Quantised``.
    """
    columns, quantised = Columns(signs, starts), Quantised(scales, rows, totals, like)
    scales[:] = math.ldexp(1.0, 29 - max(math.frexp(total)[1], -900)) if total > 0.0 else 0.0
    quantise(masses, columns, quantised)
    chunks = rows.shape[0]
    # Also filled where no threshold may follow: the branch would cost more than the sum.
    sums = np.zeros(_TILE, dtype=np.int32)
    runs = np.zeros((chunks, rows.shape[2]), dtype=np.int32)
    constant = np.int32(0)
    for chunk in range(chunks):
        constant += row_sum(row_abs(row_load(totals[chunk], 0, like)))
    best = np.int32(-1)
    stump[:] = -1
    stump[1] = 1
    for feature in range(bounds.shape[0]):
        for part in range(2):
            first = bounds[feature, part]
            stop = bounds[feature, part + 1]
            if first == stop:
                continue
            for chunk in range(chunks):
                sum_row = row_load(totals[chunk], 0, like)
                row_store(runs, chunk, row_sub(row_sub(sum_row, sum_row), sum_row))
            for at in range(first, stop, _TILE):
                last = min(at + _TILE, stop)
                for chunk in range(chunks):
                    row = rows[chunk]
                    running = row_load(runs, chunk, like)
                    before = np.int32(-1 if chunk > 0 else 0)
                    for i in range(at, last):
                        running = row_add(running, row_load(row, code_at(codes, i) >> 1, like))
                        sums[i - at] = (sums[i - at] & before) + row_sum(row_abs(running))
                    row_store(runs, chunk, running)
                for i in range(at, last):
                    code = np.intp(codes[i])
                    # The upper part runs downwards: of equals within it the last one wins.
                    tie = part == 1 and stump[4] >= first and sums[i - at] == best
                    if code & 1 and (sums[i - at] > best or tie):
                        best = sums[i - at]
                        other = np.intp(codes[i + 1]) >> 1 if i + 1 < stop else modes[feature]
                        stump[0] = feature
                        stump[2] = code >> 1 if part == 0 else other
                        stump[3] = other if part == 0 else code >> 1
                        stump[4] = i
    if constant > best:
        stump[:] = -1
        stump[1] = 1
