"""Feature-major blocks of points: ``tiles[b, j, i]`` is feature j of point ``b * BLOCK + i``.

Row 0 of every tile is the constant 1, so that coefficients carry their intercept first. The tail of
the last tile is never read.
"""

import numpy as np

from boostbench.kernels.jit import kernel

BLOCK = 256
_SHIFT = 8
_MASK = BLOCK - 1


def n_tiles(n_points: int) -> int:
    """How many tiles hold ``n_points`` points."""
    return max(1, -(-n_points // BLOCK))


@kernel
def pack(X, tiles):
    """Fill ``tiles`` (n_tiles, p + 1, BLOCK) from ``X`` (n, p)."""
    n, p = X.shape
    for b in range(tiles.shape[0]):
        rows = tiles[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        for i in range(m):
            rows[0, i] = 1.0
        for j in range(p):
            row = rows[j + 1]
            for i in range(m):
                row[i] = X[first + i, j]


@kernel
def gather(tiles, index, n, out):
    """Copy the points ``index[:n]`` of ``tiles`` to the front of ``out``."""
    n_rows = tiles.shape[1]
    for b in range((n + BLOCK - 1) >> _SHIFT):
        first = b << _SHIFT
        m = min(BLOCK, n - first)
        rows = out[b]
        for i in range(m):
            rows[0, i] = 1.0
        for j in range(1, n_rows):
            row = rows[j]
            for i in range(m):
                k = index[first + i]
                row[i] = tiles[k >> _SHIFT, j, k & _MASK]


@kernel
def gather_weights(weight, index, n, out):
    """Copy the weights of the points ``index[:n]`` to the front of ``out``."""
    for i in range(n):
        out[i] = weight[index[i]]


def to_tiles(X: np.ndarray) -> np.ndarray:
    """Return ``X`` (n, p) as tiles (n_tiles, p + 1, BLOCK)."""
    tiles = np.zeros((n_tiles(X.shape[0]), X.shape[1] + 1, BLOCK))
    pack(np.ascontiguousarray(X, dtype=np.float64), tiles)
    return tiles
