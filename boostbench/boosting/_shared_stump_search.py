"""The search for the one stump that serves all columns best, as AdaBoost.MH wants it.

See ``_stump_search`` for columns, weights and codes.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from boostbench.boosting._stump_search import quantise
from boostbench.boosting._types import Columns, Quantised
from boostbench.kernels.int_rows import code_at, row_abs, row_add, row_load, row_sub, row_sum
from boostbench.kernels.jit import kernel
from boostbench.kernels.team import barrier, begin, share


@kernel
def search_shared(
    team,
    codes,
    bounds,
    modes,
    signs,
    starts,
    scales,
    rows,
    totals,
    parts,
    like,
    found,
    masses,
    total,
    stump,
):
    """The one stump with the largest sum over columns of ``|sum_i weight * h(x_i)|``, as (5,).

    ``total`` is the sum of all masses. Its polarity is always +1: the sign is for each column to
    choose. -1 as feature: there is none but a constant one, or a constant one is better.
    The arguments from ``signs`` to ``like`` are ``*Columns, *Quantised``; each thread of ``team``
    looks at its share of the features and writes to its row of ``found`` (threads, 6).
    """
    begin(team)
    columns, quantised = Columns(signs, starts), Quantised(scales, rows, totals, parts, like)
    if team.rank == 0:
        scales[:] = math.ldexp(1.0, 29 - max(math.frexp(total)[1], -900)) if total > 0.0 else 0.0
    barrier(team)
    quantise(team, masses, columns, quantised)
    chunks = rows.shape[0]
    # Also filled where no threshold may follow: the branch would cost more than the sum.
    sums = np.zeros(rows.shape[1], dtype=np.int32)
    constant = np.int32(0)
    for chunk in range(chunks):
        constant += row_sum(row_abs(row_load(totals[chunk], 0, like)))
    best = np.int32(-1)
    mine = found[team.rank]
    mine[:] = -1
    mine[1] = 1
    first_feature, end_feature = share(team, bounds.shape[0])
    for feature in range(first_feature, end_feature):
        for part in range(2):
            first = bounds[feature, part]
            stop = bounds[feature, part + 1]
            if first == stop:
                continue
            for chunk in range(chunks):
                row = rows[chunk]
                sum_row = row_load(totals[chunk], 0, like)
                running = row_sub(row_sub(sum_row, sum_row), sum_row)
                before = np.int32(-1 if chunk > 0 else 0)
                for i in range(first, stop):
                    running = row_add(running, row_load(row, code_at(codes, i) >> 1, like))
                    sums[i - first] = (sums[i - first] & before) + row_sum(row_abs(running))
            for i in range(first, stop):
                code = np.intp(codes[i])
                # The upper part runs downwards: of equals within it the last one wins.
                tie = part == 1 and mine[4] >= first and sums[i - first] == best
                if code & 1 and (sums[i - first] > best or tie):
                    best = sums[i - first]
                    other = np.intp(codes[i + 1]) >> 1 if i + 1 < stop else modes[feature]
                    mine[0] = feature
                    mine[2] = code >> 1 if part == 0 else other
                    mine[3] = other if part == 0 else code >> 1
                    mine[4] = i
    mine[5] = best
    barrier(team)
    if team.rank > 0:
        return
    winner = 0
    # Of equals the lowest feature wins, which the first thread has looked at.
    for rank in range(1, team.size):
        if found[rank, 5] > found[winner, 5]:
            winner = rank
    # A loop: numba would compile the message for shapes that do not fit, for seconds.
    for i in range(5):
        stump[i] = found[winner, i]
    if constant > found[winner, 5]:
        stump[:] = -1
        stump[1] = 1
