"""Feature-major blocks of points: ``blocks[b, j, i]`` is feature j of point ``b * BLOCK + i``.

Row 0 of every block is the constant 1, so that coefficients carry their intercept first. The tail
of the last block is never read.
"""

import numpy as np

from boostbench.kernels.arrays import aligned_empty, matrix, vector
from boostbench.kernels.elementwise import total_of
from boostbench.kernels.jit import helper, kernel
from boostbench.kernels.team import SOLO, Team, barrier, claim, floats, integers, next_loop, share
from boostbench.trees._types import FloatArray, Points, Workspace

BLOCK = 256
_SHIFT = 8
_MASK = BLOCK - 1
# Numbers in the normal equations of the leaves that are fitted at once: 1 MiB.
_EQUATIONS = 1 << 17


@kernel
def pack(X, blocks):
    """Fill ``blocks`` (n_blocks, p + 1, BLOCK) from ``X`` (n, p)."""
    n, p = X.shape
    for b in range(blocks.shape[0]):
        rows = blocks[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        for i in range(m):
            rows[0, i] = 1.0
        for j in range(p):
            row = rows[j + 1]
            for i in range(m):
                row[i] = X[first + i, j]


@helper
def claim_blocks(team, loop, n, at):
    """``claim`` among the blocks of ``n`` points."""
    return claim(team, loop, (n + BLOCK - 1) >> _SHIFT, at)


@helper
def claim_points(team, loop, n, at):
    """``claim_blocks``, but the first point and the end; ``at`` is a point, too."""
    first, end = claim(team, loop, (n + BLOCK - 1) >> _SHIFT, (at + BLOCK - 1) >> _SHIFT)
    return first << _SHIFT, min(n, end << _SHIFT)


@helper
def gather(points, index, n, out):
    """Copy the points ``index[:n]`` to the front of ``out``'s arrays, and return them."""
    blocks, y, weight, team = points.blocks, points.y, points.weight, points.team
    # The arrays may still be read for the points they had.
    barrier(team)
    out_y, out_weight = out.y, out.weight
    loop = next_loop(team)
    start, end = claim_points(team, loop, n, 0)
    while start < end:
        for b in range(start >> _SHIFT, (end + BLOCK - 1) >> _SHIFT):
            _gather_block(blocks, index, n, b, out.blocks)
        for i in range(start, end):
            out_y[i] = y[index[i]]
        if weight.shape[0] > 0:
            for i in range(start, end):
                out_weight[i] = weight[index[i]]
        start, end = claim_points(team, loop, n, end)
    barrier(team)
    return Points(out.blocks, n, out_y, out_weight, team)


@helper
def _gather_block(blocks, index, n, b, out):
    """Fill block ``b`` of ``out`` with its part of the points ``index[:n]``."""
    rows, first = out[b], b << _SHIFT
    m = min(BLOCK, n - first)
    for i in range(m):
        rows[0, i] = 1.0
    for j in range(1, blocks.shape[1]):
        row = rows[j]
        for i in range(m):
            k = index[first + i]
            row[i] = blocks[k >> _SHIFT, j, k & _MASK]


@helper
def mass_of(points):
    """The sum of the points' weights."""
    if points.weight.shape[0] > 0:
        return total_of(points.weight, points.n)
    return float(points.n)


@helper
def leaves_at_once(depth, n_rows):
    """How many of the leaves of a step are fitted at once: as many as a cache may hold."""
    return min(max(2, 2 ** (depth - 1)), max(1, _EQUATIONS // (n_rows * (n_rows + 1))))


@helper
def make_workspace(points, depth):
    """Scratch arrays for ``points`` and a tree of depth ``depth``."""
    n, n_leaves, n_rows, team = points.n, 2**depth, points.blocks.shape[1], points.team
    local_blocks = floats(team, points.blocks.size).reshape(points.blocks.shape)
    local = Points(local_blocks, n, floats(team, n), floats(team, points.weight.shape[0]), team)
    ones = floats(team, n)
    start, end = share(team, n)
    ones[start:end] = 1.0
    barrier(team)
    return Workspace(
        local,
        integers(team, n),
        floats(team, n),
        floats(team, n),
        ones,
        floats(team, n_leaves * n),
        vector(8 * n_leaves * BLOCK).reshape(4, 2 * n_leaves, BLOCK),
        matrix(leaves_at_once(depth, n_rows), n_rows * (n_rows + 1)),
    )


def arena_size(points: Points, depth: int) -> int:
    """How many numbers ``points`` and a tree of ``depth`` need beside the points themselves.

    They are the workspace, the expected losses, and at most eight more vectors at a time; 512
    fill the cache lines at their ends.
    """
    return points.blocks.size + points.n * (4 * 2**depth + 14) + 512


def partial_size(points: Points, depth: int) -> int:
    """How many numbers the threads' sums have: gradients, or 127 times some leaves' equations.

    The latter as far as they take no more than 64 MiB.
    """
    n_blocks, n_rows, _ = points.blocks.shape
    of_tree = 2 ** (depth + 1) * n_rows + 2
    of_leaves = leaves_at_once(depth, n_rows) * n_rows * (n_rows + 1)
    groups = max(1, min(n_blocks, 127, (1 << 23) // of_leaves))
    return max((n_blocks + 1) * of_tree, (groups + 1) * of_leaves)


def to_points(
    X: FloatArray,
    y: FloatArray | None = None,
    weight: FloatArray | None = None,
    team: Team = SOLO,
) -> Points:
    """Return ``X`` (n, p), ``y`` (n,) and ``weight`` (n,) or (0,) as the kernels take them."""
    n, p = X.shape
    blocks = aligned_empty((max(1, -(-n // BLOCK)), p + 1, BLOCK))
    blocks[-1] = 0.0
    pack(np.ascontiguousarray(X, dtype=np.float64), blocks)
    return Points(
        blocks,
        n,
        np.zeros(n) if y is None else y,
        np.empty(0) if weight is None else weight,
        team,
    )
