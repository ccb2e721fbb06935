"""Feature-major blocks of points: ``blocks[b, j, i]`` is feature j of point ``b * BLOCK + i``.

Row 0 of every block is the constant 1, so that coefficients carry their intercept first. The tail
of the last block is never read.
"""

import numpy as np

from boostbench.kernels.elementwise import total_of
from boostbench.kernels.jit import kernel
from boostbench.trees._types import FloatArray, Points, Workspace

BLOCK = 256
_SHIFT = 8
_MASK = BLOCK - 1


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


@kernel
def gather(points, index, n, out):
    """Copy the points ``index[:n]`` to the front of ``out``'s arrays, and return them."""
    blocks, y, weight = points.blocks, points.y, points.weight
    n_rows = blocks.shape[1]
    for b in range((n + BLOCK - 1) >> _SHIFT):
        first = b << _SHIFT
        m = min(BLOCK, n - first)
        rows = out.blocks[b]
        for i in range(m):
            rows[0, i] = 1.0
        for j in range(1, n_rows):
            row = rows[j]
            for i in range(m):
                k = index[first + i]
                row[i] = blocks[k >> _SHIFT, j, k & _MASK]
    out_y, out_weight = out.y, out.weight
    for i in range(n):
        out_y[i] = y[index[i]]
    if weight.shape[0] > 0:
        for i in range(n):
            out_weight[i] = weight[index[i]]
    return Points(out.blocks, n, out_y, out_weight)


@kernel
def mass_of(points):
    """The sum of the points' weights."""
    if points.weight.shape[0] > 0:
        return total_of(points.weight, points.n)
    return float(points.n)


@kernel
def make_workspace(points, depth):
    """Scratch arrays for ``points`` and a tree of depth ``depth``."""
    n, n_leaves, n_rows = points.n, 2**depth, points.blocks.shape[1]
    local = Points(np.empty(points.blocks.shape), n, np.empty(n), np.empty(points.weight.shape[0]))
    return Workspace(
        local,
        np.empty(n, np.int64),
        np.empty(n),
        np.empty(n),
        np.ones(n),
        np.empty(n_leaves * n),
        np.empty((4, 2 * n_leaves, BLOCK)),
        np.empty((n_rows, n_rows)),
        np.empty(n_rows),
    )


def to_points(
    X: FloatArray, y: FloatArray | None = None, weight: FloatArray | None = None
) -> Points:
    """Return ``X`` (n, p), ``y`` (n,) and ``weight`` (n,) or (0,) as the kernels take them."""
    n, p = X.shape
    blocks = np.zeros((max(1, -(-n // BLOCK)), p + 1, BLOCK))
    pack(np.ascontiguousarray(X, dtype=np.float64), blocks)
    return Points(
        blocks, n, np.zeros(n) if y is None else y, np.empty(0) if weight is None else weight
    )
