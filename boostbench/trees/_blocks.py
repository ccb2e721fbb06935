"""Feature-major blocks of points: ``blocks[b, j, i]`` is feature j of point ``b * BLOCK + i``.

Row 0 of every block is the constant 1, so that coefficients carry their intercept first. The tail
of the last block is never read.
"""

import numpy as np

from boostbench.kernels.arrays import aligned_zeros, indices, matrix, vector
from boostbench.kernels.jit import helper, kernel
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
def blocks_of(n):
    """Return the number of blocks of ``n`` points."""
    return (n + BLOCK - 1) >> _SHIFT


@helper
def gather(points, index, n, out):
    """Copy the points ``index[:n]`` to the front of ``out``'s arrays, and return them."""
    y, out_y = points.y, out.y
    weights, out_weights = points.weights, out.weights
    places = indices(BLOCK)
    for b in range(blocks_of(n)):
        _gather_block(points.blocks, index, n, b, places, out.blocks)
    total = 0.0
    for i in range(n):
        out_y[i] = y[index[i]]
        out_weights[i] = weights[index[i]]
        total += out_weights[i]
    return Points(out.blocks, n, out_y, out_weights, total)


@helper
def _gather_block(blocks, index, n, b, places, out):
    """Fill block ``b`` of ``out`` with its part of the points ``index[:n]``."""
    rows, first = out[b], b << _SHIFT
    m = min(BLOCK, n - first)
    n_rows = rows.shape[0]
    for i in range(m):
        k = index[first + i]
        places[i] = (k >> _SHIFT) * (n_rows << _SHIFT) + (k & _MASK)
        rows[0, i] = 1.0
    values = blocks.reshape(blocks.size)
    for j in range(1, n_rows):
        row, of_feature = rows[j], values[j << _SHIFT :]
        for i in range(m):
            row[i] = of_feature[places[i]]


@helper
def leaves_at_once(depth, n_rows):
    """How many of the leaves of a step are fitted at once: as many as a cache may hold."""
    return min(max(2, 2 ** (depth - 1)), max(1, _EQUATIONS // (n_rows * (n_rows + 1))))


@helper
def make_workspace(points, depth):
    """Scratch arrays for ``points`` and a tree of depth ``depth``."""
    n = points.n
    n_leaves = 2**depth
    n_rows = points.blocks.shape[1]
    local_blocks = vector(points.blocks.size).reshape(points.blocks.shape)
    return Workspace(
        Points(local_blocks, n, vector(n), vector(n), 0.0),
        indices(n),
        vector(n),
        vector(n),
        vector(n_leaves * n),
        vector(8 * n_leaves * BLOCK).reshape(4, 2 * n_leaves, BLOCK),
        matrix(leaves_at_once(depth, n_rows), n_rows * (n_rows + 1)),
    )


def to_points(
    X: FloatArray, y: FloatArray | None = None, weights: FloatArray | None = None
) -> Points:
    """Return ``X`` (n, p), ``y`` (n,) and ``weights`` (n,), or ones, as the kernels take them."""
    n, p = X.shape
    weights = np.ones(n) if weights is None else weights
    blocks = aligned_zeros((max(1, -(-n // BLOCK)), p + 1, BLOCK))
    pack(np.ascontiguousarray(X, dtype=np.float64), blocks)
    return Points(blocks, n, np.zeros(n) if y is None else y, weights, float(weights.sum()))
