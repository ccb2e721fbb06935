"""Objective (4) of randomized regression trees, block by block."""

from boostbench.kernels.elementwise import FASTMATH, add_products, affine, copy, sigmoid
from boostbench.kernels.jit import helper, kernel
from boostbench.trees._blocks import BLOCK, blocks_of
from boostbench.trees._branch_step import join, slope_product, split


@helper(fastmath=FASTMATH)
def _residual(prediction, y, out, n):
    total = 0.0
    for i in range(n):
        d = prediction[i] - y[i]
        out[i] = 2.0 * d
        total += d * d
    return total


@kernel
def randomized_tree_loss(points, tree, grad_branch, grad_leaf, nodes):
    """Return the *sum* of squared residuals of the mixture prediction; fill both gradients.

    ``nodes`` is scratch, (4, 2**(depth + 1), BLOCK).
    """
    blocks, n, y = points.blocks, points.n, points.y
    branch, leaf = tree.branch, tree.leaf
    grad_branch[:] = 0.0
    grad_leaf[:] = 0.0
    n_nodes = branch.shape[0]
    probability = nodes[0]
    difference = nodes[1]
    output = nodes[2]
    arrive = nodes[3]
    product = probability[0]
    residual = difference[0]
    total = 0.0
    for b in range(blocks_of(n)):
        rows = blocks[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        for k in range(n_nodes + 1):
            affine(rows, leaf[k], output[n_nodes + 1 + k], m)
        for t in range(n_nodes, 0, -1):
            p = probability[t]
            affine(rows, branch[t - 1], p, m)
            sigmoid(p, m)
            join(p, output[2 * t], output[2 * t + 1], difference[t], output[t], m)
        total += _residual(output[1], y[first : first + m], residual, m)
        copy(residual, arrive[1], m)
        for t in range(1, n_nodes + 1):
            p = probability[t]
            slope_product(arrive[t], p, difference[t], product, m)
            add_products(rows, product, grad_branch[t - 1], m)
            split(arrive[t], p, arrive[2 * t], arrive[2 * t + 1], m)
        for k in range(n_nodes + 1):
            add_products(rows, arrive[n_nodes + 1 + k], grad_leaf[k], m)
    return total
