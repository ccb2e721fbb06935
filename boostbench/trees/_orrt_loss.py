"""Objective (4) of randomized regression trees, block by block."""

from boostbench.kernels.elementwise import FASTMATH, add_products, affine, sigmoid
from boostbench.kernels.jit import kernel
from boostbench.trees._blocks import BLOCK
from boostbench.trees._branch_step import _join, _slope, _split


@kernel(fastmath=FASTMATH)
def _residual(prediction, y, out, n):
    total = 0.0
    for i in range(n):
        d = prediction[i] - y[i]
        out[i] = 2.0 * d
        total += d * d
    return total


@kernel(fastmath=FASTMATH)
def _weigh(residual, weight, n):
    """Multiply twice the residuals by their weights; return the weighted sum of squares."""
    total = 0.0
    for i in range(n):
        r = residual[i]
        total += 0.25 * weight[i] * r * r
        residual[i] = weight[i] * r
    return total


@kernel
def randomized_tree_loss(tiles, n, y, weight, branch, leaf, grad_branch, grad_leaf, work):
    """Return the *sum* of squared residuals of the mixture prediction; fill both gradients.

    ``weight`` are the points' weights (n,), or empty for none: in that sum even a factor of 1 could
    change the last bit. ``branch`` (k, p + 1) holds the inner coefficients v of z = v0 + v.x,
    ``leaf`` (k + 1, p + 1) the leaves', ``work`` is (4, 2 * k + 2, BLOCK).
    """
    n_nodes = branch.shape[0]
    probability, difference, output, arrive = work[0], work[1], work[2], work[3]
    product = probability[0]
    residual = difference[0]
    grad_branch[:] = 0.0
    grad_leaf[:] = 0.0
    total = 0.0
    weighted = weight.shape[0] > 0
    for b in range((n + BLOCK - 1) // BLOCK):
        rows = tiles[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        for k in range(n_nodes + 1):
            affine(rows, leaf[k], output[n_nodes + 1 + k], m)
        for t in range(n_nodes, 0, -1):
            p = probability[t]
            affine(rows, branch[t - 1], p, m)
            sigmoid(p, m)
            _join(p, output[2 * t], output[2 * t + 1], difference[t], output[t], m)
        squares = _residual(output[1], y[first : first + m], residual, m)
        if weighted:
            squares = _weigh(residual, weight[first : first + m], m)
        total += squares
        arrive[1, :m] = residual[:m]
        for t in range(1, n_nodes + 1):
            p = probability[t]
            _slope(arrive[t], p, difference[t], product, m)
            add_products(rows, product, grad_branch[t - 1], m)
            _split(arrive[t], p, arrive[2 * t], arrive[2 * t + 1], m)
        for k in range(n_nodes + 1):
            add_products(rows, arrive[n_nodes + 1 + k], grad_leaf[k], m)
    return total
