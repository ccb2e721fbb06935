"""The normal equations of weighted regressions, several at a time."""

from boostbench.kernels.arrays import matrix
from boostbench.kernels.elementwise import multiply
from boostbench.kernels.jit import helper
from boostbench.trees._blocks import BLOCK, blocks_of
from boostbench.trees._products import add_products_of_nodes

# Sums over twice as many blocks and more are sums of so many groups of blocks, at least.
_GROUPS = 64


@helper
def normal_equations(points, weights, equations):
    """Fill ``equations`` from ``weights`` (m, n), those of the points in m regressions.

    Each of its m rows is the upper triangle of the matrix (p + 1, p + 1) of X' diag(weights) X
    and, unless it ends there, X' (weights * y), (p + 1,).
    """
    n_blocks, size = blocks_of(points.n), equations.size
    scaled = matrix(equations.shape[0], BLOCK)
    flat = equations.reshape(size)
    flat[:] = 0.0
    # The number of blocks per group depends only on n, and so do the bits of the sums.
    group = max(1, n_blocks // _GROUPS)
    if group == 1:
        _add_blocks(points, weights, 0, n_blocks, scaled, equations)
        return
    part = matrix(equations.shape[0], equations.shape[1])
    for first in range(0, n_blocks, group):
        part[:] = 0.0
        _add_blocks(points, weights, first, min(n_blocks, first + group), scaled, part)
        of_part = part.reshape(size)
        for j in range(size):
            flat[j] += of_part[j]


@helper
def _add_blocks(points, weights, first_block, end_block, scaled, equations):
    """Add some blocks' part to ``equations``; ``scaled`` (m, BLOCK) is scratch."""
    n_rows = points.blocks.shape[1]
    size = n_rows * n_rows
    for b in range(first_block, end_block):
        rows = points.blocks[b]
        first = b * BLOCK
        m = min(BLOCK, points.n - first)
        here = weights[:, first : first + m]
        for j in range(n_rows):
            _scale(here, rows[j], scaled, m)
            upper = equations[:, j * (n_rows + 1) : (j + 1) * n_rows]
            add_products_of_nodes(rows[j:], scaled, upper, m)
        if equations.shape[1] > size:
            _scale(here, points.y[first : first + m], scaled, m)
            add_products_of_nodes(rows, scaled, equations[:, size:], m)


@helper
def _scale(weights, row, scaled, n):
    for k in range(weights.shape[0]):
        multiply(weights[k], row, scaled[k], n)
