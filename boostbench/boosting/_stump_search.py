"""The exact search for the best stump of every column of a weight matrix, in one pass.

A *column* is one binary problem over all samples: a class of MultiBoost-cw, a bit of a code. The
weight of sample i in column l is ``signs[class of i, l] * masses[l, i]`` with masses >= 0, and the
stump sought maximises ``|sum_i weight * h(x_i)|``.

Weights are scaled per column to int32 (``quantise``), so sums are exact and do not depend on their
order: ties between stumps that split the samples alike are true ties, broken by the rule. Each
feature is a list of slots in ascending order (``codes``: slot << 1 | whether a threshold may follow
it) without the run of its most frequent value, which need not be visited: first the slots below it,
ascending, then those above it, descending.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from boostbench.boosting._types import BestBlocks, Columns, PresortedFeatures, Quantised
from boostbench.kernels.arrays import indices, zero_matrix
from boostbench.kernels.float_vectors import (
    f8_abs,
    f8_add,
    f8_load,
    f8_max,
    f8_splat,
    f8_sum,
    f8_top,
    pack8,
)
from boostbench.kernels.int_rows import (
    code_at,
    put_block,
    row_abs,
    row_add,
    row_any_above,
    row_keep,
    row_load,
    row_max,
    row_splat,
    row_store,
    row_sub,
)
from boostbench.kernels.jit import helper, kernel

# A scan remembers the best block of codes; the code itself is picked by a second look. Of blocks of
# the first size only the sum is formed, if that shows that nothing within them can be the best.
_BLOCK, _LONG_BLOCK = 16, 128
# A sum that a block may change by so much could overflow if anything were added to it.
_FAR = 1 << 29


@kernel
def encode_feature(values, order, slot_of, codes, bounds):
    """Write one feature's codes from ``bounds[0]`` on.

    ``order`` lists the samples with ascending ``values``. Sets the rest of ``bounds`` (3,): where
    the part above the most frequent value starts, and where it ends. Returns a slot that holds the
    most frequent value (the highest one of those most frequent).
    """
    at = bounds[0]
    n = order.shape[0]
    run = best_run = 0
    best_end = n
    for i in range(n):
        run += 1
        if i + 1 == n or values[order[i + 1]] != values[order[i]]:
            if run >= best_run:
                best_run = run
                best_end = i + 1
            run = 0
    best_start = best_end - best_run
    for i in range(best_start):
        flag = 1 if values[order[i + 1]] != values[order[i]] else 0
        codes[at] = slot_of[order[i]] * 2 + flag
        at += 1
    bounds[1] = at
    for i in range(n - 1, best_end - 1, -1):
        flag = 1 if values[order[i - 1]] != values[order[i]] else 0
        codes[at] = slot_of[order[i]] * 2 + flag
        at += 1
    bounds[2] = at
    return slot_of[order[best_start]]


@helper
def column_scales(masses, scales, totals):
    """Set ``scales`` and row 1 of ``totals`` for all columns.

    The scale is a power of two by which the column's ``|masses|`` add up to less than 2**29, the
    total how far the sum of a block can be from what it was before the block.
    """
    n_slots = masses.shape[1]
    width = totals.shape[2]
    for column in range(masses.shape[0]):
        # Four sums, as a single one would wait for itself.
        a = b = c = d = most = f8_splat(0.0)
        for i in range(0, n_slots - 24, 32):
            p, q = f8_abs(f8_load(masses[column], i)), f8_abs(f8_load(masses[column], i + 8))
            r, s = f8_abs(f8_load(masses[column], i + 16)), f8_abs(f8_load(masses[column], i + 24))
            a = f8_add(a, p)
            b = f8_add(b, q)
            c = f8_add(c, r)
            d = f8_add(d, s)
            most = f8_max(most, f8_max(f8_max(p, q), f8_max(r, s)))
        for i in range(n_slots // 32 * 32, n_slots, 8):
            p = f8_abs(f8_load(masses[column], i))
            a, most = f8_add(a, p), f8_max(most, p)
        size = f8_sum(f8_add(f8_add(a, b), f8_add(c, d)))
        scale = math.ldexp(1.0, 29 - max(math.frexp(size)[1], -900)) if size > 0.0 else 0.0
        scales[column] = scale
        # Rows have twice the weights, rounded.
        reach = 2.0 * _BLOCK * (f8_top(most) * scale + 1.0)
        totals[column // width, 1, column % width] = np.int32(min(reach, _FAR))


@helper
def quantise(masses, columns, quantised):
    """Fill ``quantised.rows`` with twice the weights as int32 and ``totals`` with their plain sums.

    masses (L, n_slots) float64; ``quantised.scales`` are such that each column's sum of
    ``|masses| * scale`` is at most 2**29 (``column_scales``).
    """
    signs, starts = columns.signs, columns.starts
    scales = quantised.scales
    rows = quantised.rows
    totals = quantised.totals
    like = quantised.like
    width = rows.shape[2]
    # Lanes beyond the last column repeat it, times 0.
    factors = zero_matrix(rows.shape[0], width)
    first = indices(rows.shape[0] * width).reshape(rows.shape[0], width)
    for lane in range(first.size):
        first[lane // width, lane % width] = min(lane, scales.shape[0] - 1) * masses.shape[1]
    for chunk in range(rows.shape[0]):
        for lane in range(width):
            totals[chunk, 0, lane] = 0
    for k in range(starts.shape[0] - 1):
        for column in range(masses.shape[0]):
            factors[column // width, column % width] = scales[column] * signs[k, column]
        for chunk in range(rows.shape[0]):
            total = row_load(totals[chunk], 0, like)
            for i in range(starts[k], starts[k + 1], 8):
                block = put_block(masses, i, first[chunk], factors[chunk], rows[chunk], like)
                total = row_add(total, block)
            row_store(totals[chunk], 0, total)
    for chunk in range(rows.shape[0]):
        for lane in range(width):
            totals[chunk, 0, lane] = totals[chunk, 0, lane] // 2


@helper
def _keep_best(best, before, feature, part, block, like, best_blocks):
    """Note the lanes in which ``block`` beats all before it; return the new bar."""
    buffer = best_blocks.buffer
    row_store(buffer, 0, best)
    row_store(buffer, 1, before)
    for lane in range(buffer.shape[1]):
        if buffer[0, lane] > buffer[2, lane]:
            best_blocks.score[lane, 0] = buffer[0, lane]
            best_blocks.score[lane, 1] = buffer[1, lane]
            best_blocks.place[lane, 0] = feature
            best_blocks.place[lane, 1] = part
            best_blocks.place[lane, 2] = block[0]
            best_blocks.place[lane, 3] = block[1]
            best_blocks.place[lane, 4] = block[2]
            # The upper part runs downwards: of equals the last one wins.
            buffer[2, lane] = buffer[0, lane] - part
    return row_load(buffer, 2, like)


@helper
def scan(features, rows, totals, like, best_blocks):  # noqa: C901 -- sums stay in registers
    """Find for each lane of one chunk the block of codes that holds its best stump.

    rows (n_slots, width) and totals (2, width) are those of the chunk; fills ``best_blocks``.
    """
    codes, buffer = features.codes, best_blocks.buffer
    can_skip = True
    for lane in range(rows.shape[1]):
        best_blocks.score[lane, 0] = -1
        # A constant stump is worse than another that is as good.
        buffer[2, lane] = abs(totals[0, lane]) - 1
        can_skip = can_skip and totals[1, lane] < _FAR
    reach = row_load(totals, 1, like)
    blocks = near = 0
    for feature in range(features.bounds.shape[0]):
        for part in range(2):
            at = features.bounds[feature, part]
            stop = features.bounds[feature, part + 1]
            if at == stop:
                continue
            bar = row_load(buffer, 2, like)
            total = row_load(totals, 0, like)
            running = row_sub(row_sub(total, total), total)
            # Where too many blocks are near, all sums are compared at once; at 0 / 0 it is tried.
            skips = can_skip and 4 * near <= blocks
            blocks, near = blocks >> 1, near >> 1
            while at < stop:
                before = running
                best = row_splat(np.int32(0), like)
                if skips and at + _BLOCK <= stop:
                    last = at + _BLOCK
                    flags = 0
                    for k in range(_BLOCK):
                        code = code_at(codes, at + k)
                        flags |= code
                        running = row_add(running, row_load(rows, code >> 1, like))
                    # No sum between |before| and |running| exceeds half of this.
                    most = row_add(row_add(row_abs(before), row_abs(running)), reach)
                    look = row_any_above(most, row_add(bar, bar)) & (flags & 1 == 1)
                    blocks += 1
                    near += look
                else:
                    last = min(at + _LONG_BLOCK, stop)
                    for place in range(at, last):
                        running = row_add(running, row_load(rows, code_at(codes, place) >> 1, like))
                        best = row_max(best, row_abs(running))
                    look = row_any_above(best, bar)
                if look:
                    # Few blocks come here: only these pay for leaving out sums within a value.
                    best = row_splat(np.int32(0), like)
                    inside = before
                    for place in range(at, last):
                        code = code_at(codes, place)
                        inside = row_add(inside, row_load(rows, code >> 1, like))
                        best = row_max(best, row_keep(row_abs(inside), np.int32(code & 1)))
                    if row_any_above(best, bar):
                        bar = _keep_best(
                            best, before, feature, part, (at, last, stop), like, best_blocks
                        )
                at = last
        for lane in range(rows.shape[1]):
            buffer[2, lane] = max(buffer[2, lane], best_blocks.score[lane, 0])


@helper
def locate(features, rows, totals, lane, best_blocks, stump):
    """Turn one lane of ``best_blocks`` into a stump, or into a constant one if that is better.

    rows (n_slots, width) and totals (2, width) are those of the chunk.
    Writes ``stump`` (5,): feature (-1 for a constant), polarity (h = polarity where
    x > threshold), the slots of the values just below and above the threshold, and the code after
    which the threshold lies. Returns the score, in units of the quantised weights.
    """
    codes = features.codes
    bounds = features.bounds
    modes = features.modes
    score = best_blocks.score[lane, 0]
    before = best_blocks.score[lane, 1]
    place = best_blocks.place[lane]
    total = totals[0, lane]
    if score < abs(total):
        stump[0] = -1
        stump[1] = 1 if total >= 0 else -1
        stump[2] = stump[3] = stump[4] = -1
        return np.int64(abs(total))
    if score < 0:
        stump[0] = -1
        stump[1] = 1
        stump[2] = stump[3] = stump[4] = -1
        return np.int64(0)
    feature = place[0]
    part = place[1]
    at = place[2]
    end = place[3]
    stop = place[4]
    if score == 0:
        # Every stump scores 0, and scan does not see which blocks have a threshold.
        feature = 0
        while bounds[feature, 0] == bounds[feature, 2]:
            feature += 1
        part = 0 if bounds[feature, 0] < bounds[feature, 1] else 1
        at = bounds[feature, part]
        end = stop = bounds[feature, part + 1]
    running = before
    chosen = -1
    chosen_sum = before
    for i in range(at, end):
        code = code_at(codes, i)
        running += rows[code >> 1, lane]
        if code & 1 and (score == 0 or abs(running) == score):
            chosen = i
            chosen_sum = running if score > 0 else np.int32(0)
            if part == 0:
                break
    here = code_at(codes, chosen) >> 1
    other = code_at(codes, chosen + 1) >> 1 if chosen + 1 < stop else modes[feature]
    # Below: running = left - right. Above: running = right - left.
    right_wins = chosen_sum <= 0 if part == 0 else chosen_sum >= 0
    stump[0] = feature
    stump[1] = 1 if right_wins else -1
    stump[2] = here if part == 0 else other
    stump[3] = other if part == 0 else here
    stump[4] = chosen
    return np.int64(score)


@helper
def outputs(codes, bounds, stump, flags):
    """Set ``flags`` (n_slots,) uint8 to 1 where the ``stump`` of ``locate`` says +1, else 0."""
    if stump[0] < 0:
        flags[:] = 1 if stump[1] > 0 else 0
        return
    feature = stump[0]
    chosen = stump[4]
    below = chosen < bounds[feature, 1]
    first = bounds[feature, 0 if below else 1]
    # The visited codes are the left side in the lower part, the right side in the upper one.
    visited = np.uint8(1) if (stump[1] > 0) != below else np.uint8(0)
    flags[:] = np.uint8(1) - visited
    for i in range(first, chosen + 1):
        flags[code_at(codes, i) >> 1] = visited


@helper
def pack_agreement(flags, signs, column, starts, bits):
    """Bit i of ``bits`` (n_slots / 8,): whether h(x_i) has the sign of sample i in ``column``."""
    for k in range(starts.shape[0] - 1):
        flip = np.uint8(0) if signs[k, column] > 0 else np.uint8(255)
        for i in range(starts[k], starts[k + 1], 8):
            bits[i >> 3] = pack8(flags, i) ^ flip


@kernel
def search(
    codes,
    bounds,
    modes,
    signs,
    starts,
    scales,
    rows,
    totals,
    like,
    block_scores,
    block_places,
    masses,
    stumps,
    scores,
):
    """Write the best stump per column of ``masses`` (L, n_slots) to ``stumps`` (L, 5), ``scores``.

    A score is ``|sum_i weight * h(x_i)|`` of the rounded weights. Arguments are
    ``*PresortedFeatures, *Columns, *Quantised``, scratch (width, 2) and (width, 5), and the rest.
    The arrays are plain arguments, since numba takes long to type a named tuple that comes from
    Python, and this is called every round.
    """
    features = PresortedFeatures(codes, bounds, modes)
    columns, quantised = Columns(signs, starts), Quantised(scales, rows, totals, like)
    width = rows.shape[2]
    n_columns = masses.shape[0]
    column_scales(masses, scales, totals)
    quantise(masses, columns, quantised)
    best_blocks = BestBlocks(block_scores, block_places, np.zeros((3, width), dtype=np.int32))
    for chunk in range(rows.shape[0]):
        scan(features, rows[chunk], totals[chunk], like, best_blocks)
        for lane in range(min(width, n_columns - chunk * width)):
            column = chunk * width + lane
            score = locate(features, rows[chunk], totals[chunk], lane, best_blocks, stumps[column])
            scores[column] = score / scales[column] if scales[column] > 0.0 else 0.0


@kernel
def write_bits(codes, bounds, signs, starts, flags, stumps, bits, at):
    """``bits[l, at]``: where the stump of column l has the sign of the sample, for all columns.

    ``flags`` (n_slots,) uint8 is scratch.
    """
    for column in range(stumps.shape[0]):
        outputs(codes, bounds, stumps[column], flags)
        pack_agreement(flags, signs, column, starts, bits[column, at])
