"""Objective (4) of randomized regression trees, block by block."""

from boostbench.kernels.arrays import zero_vector
from boostbench.kernels.elementwise import FASTMATH, add_products, affine, copy, sigmoid
from boostbench.kernels.jit import helper, kernel
from boostbench.kernels.team import add_rows, begin, claim, next_loop, ordered_sums, rest
from boostbench.trees._blocks import BLOCK
from boostbench.trees._branch_step import join, slope_product, split


@helper(fastmath=FASTMATH)
def _residual(prediction, y, out, n):
    total = 0.0
    for i in range(n):
        d = prediction[i] - y[i]
        out[i] = 2.0 * d
        total += d * d
    return total


@helper(fastmath=FASTMATH)
def _weigh(residual, weight, n):
    """Multiply twice the residuals by their weights; return the weighted sum of squares."""
    total = 0.0
    for i in range(n):
        r = residual[i]
        total += 0.25 * weight[i] * r * r
        residual[i] = weight[i] * r
    return total


@helper
def _loss_of_blocks(
    blocks, n, y, weight, first_block, end_block, branch, leaf, grad_branch, grad_leaf, nodes
):
    """Return some blocks' part of :func:`randomized_tree_loss`, and add to the gradients."""
    n_nodes = branch.shape[0]
    probability, difference, output, arrive = nodes[0], nodes[1], nodes[2], nodes[3]
    product = probability[0]
    residual = difference[0]
    total = 0.0
    # Without weights: a factor of 1 could still change the last bit of the sum.
    weighted = weight.shape[0] > 0
    for b in range(first_block, end_block):
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
        squares = _residual(output[1], y[first : first + m], residual, m)
        if weighted:
            squares = _weigh(residual, weight[first : first + m], m)
        total += squares
        copy(residual, arrive[1], m)
        for t in range(1, n_nodes + 1):
            p = probability[t]
            slope_product(arrive[t], p, difference[t], product, m)
            add_products(rows, product, grad_branch[t - 1], m)
            split(arrive[t], p, arrive[2 * t], arrive[2 * t + 1], m)
        for k in range(n_nodes + 1):
            add_products(rows, arrive[n_nodes + 1 + k], grad_leaf[k], m)
    return total


@kernel
def randomized_tree_loss(points, tree, grad_branch, grad_leaf, nodes):
    """Return the *sum* of squared residuals of the mixture prediction; fill both gradients.

    ``nodes`` is scratch, (4, 2**(depth + 1), BLOCK). For ``Crew``.
    """
    blocks, n, y, weight, team = points
    begin(team)
    branch, leaf, n_blocks = tree.branch, tree.leaf, (n + BLOCK - 1) // BLOCK
    grad_branch[:] = 0.0
    grad_leaf[:] = 0.0
    if team.size == 1:
        return _loss_of_blocks(
            blocks, n, y, weight, 0, n_blocks, branch, leaf, grad_branch, grad_leaf, nodes
        )
    leaves = 1 + grad_branch.size
    sums = ordered_sums(team, n_blocks, zero_vector(leaves + grad_leaf.size))
    loop = next_loop(team)
    start, end = claim(team, loop, n_blocks, 0)
    while start < end:
        for b in range(start, end):
            sums[b] = 0.0
            sums[b, 0] = _loss_of_blocks(
                blocks,
                n,
                y,
                weight,
                b,
                b + 1,
                branch,
                leaf,
                sums[b, 1:leaves].reshape(grad_branch.shape),
                sums[b, leaves:].reshape(grad_leaf.shape),
                nodes,
            )
        start, end = claim(team, loop, n_blocks, end)
    added = add_rows(team, loop, sums, 0)
    copy(added[1:leaves], grad_branch.reshape(grad_branch.size), grad_branch.size)
    copy(added[leaves:], grad_leaf.reshape(grad_leaf.size), grad_leaf.size)
    rest(team)
    return added[0]
