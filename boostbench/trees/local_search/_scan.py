"""The best threshold for a node whose two subtrees stay: every threshold, most of them by a bound.

A leaf's optimal cost never falls when rows are added. Left of a threshold between the cuts a < b
there are at least the rows left of a, and right of it at least those right of b; so it costs at
least what the left subtree costs at a and the right one at b. Intervals of cuts whose bound is not
below the best cost so far are dropped, the others are halved.
"""

from typing import NamedTuple

import numpy as np

from boostbench.kernels.arrays import (
    indices,
    matrix,
    vector,
    zero_indices,
    zero_matrix,
    zero_vector,
)
from boostbench.kernels.jit import helper, kernel
from boostbench.trees._types import FloatArray, IntArray
from boostbench.trees.local_search._gram import (
    add_rows,
    difference,
    make_gram,
    make_scratch,
    packed_length,
    unpack,
)
from boostbench.trees.local_search._lasso import solve_leaf

# How exactly a cost is known (relative) before it serves as a bound, and before it is compared.
_COARSE = 1e-2
_FINE = 1e-10
_TIE = 1e-9
_BLOCK_ROWS = 16
_POOL = 1 << 18


class BestSplit(NamedTuple):
    """A scan's best split: its cost, feature (-1 for none) and the rows beside the threshold."""

    cost: float
    feature: int
    below: int
    above: int


class States(NamedTuple):
    """Bounds and solutions of the leaves at several cuts, one slot per cut, left leaves first.

    ``lower``, ``upper`` (slots, leaves) bound its cost, ``coef`` (slots, leaves, width) is the
    solution so far, ``rows`` their number. ``place`` (slots,) is where the packed matrices are.
    """

    lower: FloatArray
    upper: FloatArray
    coef: FloatArray
    rows: IntArray
    place: IntArray


class Sides(NamedTuple):
    """``packed`` (places, stored, length): products of the rows left of a cut, by leaf.

    ``total`` (leaves, length) and ``total_count`` (leaves,): of all rows of the node. ``n_left`` of
    the leaves are the left subtree's. Where each subtree is one leaf, both leaves' rows left of a
    cut are the same and stored once.
    """

    packed: FloatArray
    total: FloatArray
    total_count: IntArray
    n_left: int


@helper
def _choose(here, pair, leaf, n_left, chosen):
    """Put those of ``here`` that reach ``leaf`` into ``chosen``; return their number."""
    side, own = (0, leaf) if leaf < n_left else (1, leaf - n_left)
    leaves = pair.leaf[side]
    count = 0
    for i in range(here.shape[0]):
        chosen[count] = here[i]
        count += leaves[here[i]] == own
    return count


@helper
def _add_left(sample, pair, here, sides, place, number, chosen, z):
    """Add the rows ``here`` to the packed matrices at ``place`` and to ``number`` (stored,)."""
    for leaf in range(sides.packed.shape[1]):
        count = _choose(here, pair, leaf, sides.n_left, chosen)
        add_rows(sample.rows, chosen, count, z, sides.packed[place, leaf])
        number[leaf] += count


@helper
def _solve_at(states, slot, leaf, sides, penalty, penalised, bound, limit, tolerance, work):
    """Bound the cost of a leaf, and return the bound of the whole, which was ``bound``."""
    before = states.lower[slot, leaf]
    need = limit - (bound - before)
    gram, scratch, spare = work
    stored = min(leaf, sides.packed.shape[1] - 1)
    packed = sides.packed[states.place[slot], stored]
    if leaf >= sides.n_left:
        difference(sides.total[leaf], packed, spare)
        packed = spare
    unpack(packed, penalty, gram)
    coef = states.coef[slot, leaf]
    lower, upper = solve_leaf(gram, penalised, coef, need, tolerance, scratch)
    states.lower[slot, leaf] = max(lower, before)
    states.upper[slot, leaf] = max(upper, states.lower[slot, leaf])
    return bound + (states.lower[slot, leaf] - before)


@helper
def _copy_place(sides, counts, source, place):
    """Start from the packed matrices of another cut; loops, as numba compiles slices slowly."""
    packed = sides.packed
    for leaf in range(packed.shape[1]):
        counts[place, leaf] = counts[source, leaf]
        for i in range(packed.shape[2]):
            packed[place, leaf, i] = packed[source, leaf, i]


@helper
def _copy_state(states, slot, leaf, source):
    states.lower[slot, leaf] = states.lower[source, leaf]
    states.upper[slot, leaf] = states.upper[source, leaf]
    for j in range(states.coef.shape[2]):
        states.coef[slot, leaf, j] = states.coef[source, leaf, j]


@helper
def _bound(states, n_left, low, high):
    """Return a lower bound of the cost of a cut between those of the slots ``low`` and ``high``."""
    total = 0.0
    for leaf in range(n_left):
        total += states.lower[low, leaf]
    for leaf in range(n_left, states.lower.shape[1]):
        total += states.lower[high, leaf]
    return total


@helper
def _evaluate(states, slot, low, high, sides, penalty, penalised, limit, work):
    """Bound each leaf's cost at the cut of ``slot``, which is between ``low`` and ``high``."""
    n_left, n_leaves = sides.n_left, states.lower.shape[1]
    for leaf in range(n_leaves):
        # On the left the rows are more than at low, on the right more than at high.
        fewer, more = (low, high) if leaf < n_left else (high, low)
        count = states.rows[slot, leaf]
        if count == states.rows[fewer, leaf]:
            _copy_state(states, slot, leaf, fewer)
        elif count == states.rows[more, leaf]:
            _copy_state(states, slot, leaf, more)
        else:
            near = count - states.rows[fewer, leaf] <= states.rows[more, leaf] - count
            _copy_state(states, slot, leaf, fewer if near else more)
            states.lower[slot, leaf] = states.lower[fewer, leaf]
            states.upper[slot, leaf] = np.inf
    left_bound = _bound(states, n_left, slot, high)
    for leaf in range(n_left):
        if states.upper[slot, leaf] == np.inf:
            left_bound = _solve_at(
                states, slot, leaf, sides, penalty, penalised, left_bound, limit, _COARSE, work
            )
        if left_bound > limit:
            break
    right_bound = _bound(states, n_left, low, slot)
    for leaf in range(n_left, n_leaves):
        if right_bound > limit:
            break
        if states.upper[slot, leaf] == np.inf:
            right_bound = _solve_at(
                states, slot, leaf, sides, penalty, penalised, right_bound, limit, _COARSE, work
            )


@helper
def _refine(states, slot, sides, penalty, penalised, limit, work):
    """Return the cost of the cut of ``slot``, or infinity where it is above ``limit``."""
    bound = _bound(states, sides.n_left, slot, slot)
    for leaf in range(states.lower.shape[1]):
        if bound > limit:
            return np.inf
        gap = states.upper[slot, leaf] - states.lower[slot, leaf]
        if gap > _FINE * states.upper[slot, leaf]:
            bound = _solve_at(
                states, slot, leaf, sides, penalty, penalised, bound, limit, _FINE, work
            )
    if bound > limit:
        return np.inf
    total = 0.0
    for leaf in range(states.lower.shape[1]):
        total += states.upper[slot, leaf]
    return total


@helper
def _allowed(states, slot, min_samples_leaf):
    for leaf in range(states.rows.shape[1]):
        if 0 < states.rows[slot, leaf] < min_samples_leaf:
            return False
    return True


@helper
def _set_counts(states, slot, sides, left_count):
    for leaf in range(states.rows.shape[1]):
        count = left_count[min(leaf, left_count.shape[0] - 1)]
        states.rows[slot, leaf] = count if leaf < sides.n_left else sides.total_count[leaf] - count


@helper
def _start(sample, penalty, penalised, pair, states, sides, here, chosen, z, work):
    """Slot 0: all rows right of the cut; slot 1: all rows left of it. Place 0 stays empty."""
    n_left, n_leaves = sides.n_left, states.lower.shape[1]
    sides.packed[0] = 0.0
    states.place[0] = 0
    gram, scratch, _ = work
    for leaf in range(n_leaves):
        count = _choose(here, pair, leaf, n_left, chosen)
        sides.total_count[leaf] = count
        sides.total[leaf] = 0.0
        add_rows(sample.rows, chosen, count, z, sides.total[leaf])
        empty, full = (0, 1) if leaf < n_left else (1, 0)
        for slot in range(2):
            states.lower[slot, leaf] = 0.0
            states.upper[slot, leaf] = 0.0
            states.coef[slot, leaf] = 0.0
        states.rows[empty, leaf] = 0
        states.rows[full, leaf] = count
        if count > 0:
            unpack(sides.total[leaf], penalty, gram)
            coef = states.coef[full, leaf]
            low, high = solve_leaf(gram, penalised, coef, np.inf, _COARSE, scratch)
            states.lower[full, leaf] = low
            states.upper[full, leaf] = high


@helper
def _cuts(here, rank, min_samples_leaf, cuts):
    """Fill ``cuts`` with the numbers of rows that can be left of a threshold; how many."""
    m = here.shape[0]
    count = 0
    for k in range(max(1, min_samples_leaf), m - max(1, min_samples_leaf) + 1):
        if rank[here[k - 1]] != rank[here[k]]:
            cuts[count] = k
            count += 1
    return count


@helper
def _push(stack, top, c0, c1, e0, e1, low, high, level):
    """Put the cuts c0 to c1, block ends e0 to e1, between two slots, on the stack."""
    stack[top, 0] = c0
    stack[top, 1] = c1
    stack[top, 2] = e0
    stack[top, 3] = e1
    stack[top, 4] = low
    stack[top, 5] = high
    stack[top, 6] = level


@kernel
def scan(  # noqa: C901, PLR0915 -- one search on shared arrays and a stack
    sample, penalty, penalised, pair, min_samples_leaf, n_blocks, cutoff, rounding
):
    """Return the split of the node's rows whose leaves cost least, if that is below ``cutoff``.

    The result is the same for any ``n_blocks``, which only affects the speed. Among costs differing
    by at most ``rounding`` (or 1e-9 of them) the lowest feature, then threshold, is taken.
    """
    p, n = sample.p, sample.order.shape[1]
    width = penalty.half.shape[0]
    length = packed_length(width)
    n_left, n_leaves = pair.n_leaves[0], pair.n_leaves[0] + pair.n_leaves[1]
    stored = 1 if n_leaves == 2 else n_leaves
    m = 0
    for i in range(n):
        m += pair.inside[i]
    best = BestSplit(cutoff, -1, -1, -1)
    if m < 2:
        return best
    n_blocks = max(2, min(n_blocks, _POOL // (stored * length)))
    block = max(_BLOCK_ROWS, (m + n_blocks - 1) // n_blocks)
    depth = 4
    while (1 << depth) < m:
        depth += 1
    depth += 8
    here = indices(m)
    chosen = indices(m + 1)
    cuts = indices(m)
    ends = indices(n_blocks + 2)
    z = vector(64 * (width + 8))
    work = (make_gram(p, width), make_scratch(p, width), vector(length))
    slots = depth + 2
    states = States(
        zero_matrix(slots, n_leaves),
        zero_matrix(slots, n_leaves),
        zero_vector(slots * n_leaves * width).reshape(slots, n_leaves, width),
        zero_indices(slots * n_leaves).reshape(slots, n_leaves),
        zero_indices(slots),
    )
    places = n_blocks + slots
    sides = Sides(
        vector(places * stored * length).reshape(places, stored, length),
        matrix(n_leaves, length),
        indices(n_leaves),
        n_left,
    )
    counts = zero_indices(places * stored).reshape(places, stored)
    stack = indices(7 * 2 * slots).reshape(2 * slots, 7)
    started = False
    for feature in range(sample.order.shape[0]):
        rank = sample.rank[feature]
        count = 0
        for i in range(n):
            row = sample.order[feature, i]
            if pair.inside[row]:
                here[count] = row
                count += 1
        if not started:
            _start(sample, penalty, penalised, pair, states, sides, here, chosen, z, work)
            started = True
        n_cuts = _cuts(here, rank, min_samples_leaf, cuts)
        if n_cuts == 0:
            continue
        n_ends, last = 0, 0
        for c in range(n_cuts):
            if cuts[c] - last >= block:
                place = n_ends + 1
                _copy_place(sides, counts, place - 1, place)
                more = here[last : cuts[c]]
                _add_left(sample, pair, more, sides, place, counts[place], chosen, z)
                ends[n_ends] = c
                n_ends += 1
                last = cuts[c]
        _push(stack, 0, 0, n_cuts, 0, n_ends, 0, 1, 0)
        top = 1
        while top > 0:
            top -= 1
            tie = _TIE * best.cost + rounding
            c0 = stack[top, 0]
            c1 = stack[top, 1]
            e0 = stack[top, 2]
            e1 = stack[top, 3]
            low = stack[top, 4]
            high = stack[top, 5]
            level = stack[top, 6]
            limit = best.cost + tie if best.feature >= 0 else best.cost
            if _bound(states, n_left, low, high) > limit:
                continue
            slot = 2 + level
            if e0 < e1:
                end = (e0 + e1) // 2
                cut = ends[end]
                place = end + 1
                e_left, e_right = end, end + 1
            else:
                cut = (c0 + c1) // 2
                place = n_blocks + 2 + level
                e_left, e_right = e0, e1
                origin = states.place[low]
                _copy_place(sides, counts, origin, place)
                first = cuts[c0 - 1] if low > 0 else 0
                more = here[first : cuts[cut]]
                _add_left(sample, pair, more, sides, place, counts[place], chosen, z)
            states.place[slot] = place
            _set_counts(states, slot, sides, counts[place])
            _evaluate(states, slot, low, high, sides, penalty, penalised, limit, work)
            if _bound(states, n_left, slot, slot) <= limit and _allowed(
                states, slot, min_samples_leaf
            ):
                cost = _refine(states, slot, sides, penalty, penalised, limit, work)
                k = cuts[cut]
                if best.feature < 0:
                    better = cost < best.cost
                elif best.feature == feature and rank[here[k]] <= rank[best.below]:
                    better = cost <= limit
                else:
                    better = cost < best.cost - tie
                if better:
                    best = BestSplit(min(cost, best.cost), feature, here[k - 1], here[k])
                    limit = best.cost + tie
            left = _bound(states, n_left, low, slot)
            right = _bound(states, n_left, slot, high)
            for turn in range(2):
                # The lower bound is looked at first, so it is put on the stack last.
                if (turn == 0) == (left > right):
                    if c0 < cut and left <= limit:
                        _push(stack, top, c0, cut, e0, e_left, low, slot, level + 1)
                        top += 1
                elif cut + 1 < c1 and right <= limit:
                    _push(stack, top, cut + 1, c1, e_right, e1, slot, high, level + 1)
                    top += 1
    return best
