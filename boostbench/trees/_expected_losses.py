"""Expected losses on all points, kept current while a tree is trained, and the error (7)."""

import numpy as np

from boostbench.kernels.arrays import matrix
from boostbench.kernels.elementwise import FASTMATH, copy, multiply, sigmoid, total_of
from boostbench.kernels.jit import helper
from boostbench.trees._blocks import BLOCK, blocks_of
from boostbench.trees._heap import level_of, take_subtree
from boostbench.trees._products import affine_of_nodes
from boostbench.trees._types import Expected


@helper
def make_expected(points, depth):
    """Return the unfilled arrays of the probabilities and losses of a tree of ``depth``."""
    return Expected(matrix(2**depth, points.n), matrix(2 ** (depth + 1), points.n))


@helper(fastmath=FASTMATH)
def _square_residual(prediction, y, out, n):
    for i in range(n):
        d = prediction[i] - y[i]
        out[i] = d * d


@helper(fastmath=FASTMATH)
def _mix(p, left, right, out, n):
    for i in range(n):
        out[i] = right[i] + p[i] * (left[i] - right[i])


@helper
def _mix_children(expected, t, first, m):
    """Set the loss of node ``t`` at ``m`` points from its children's."""
    probability = expected.probability
    loss = expected.loss
    last = first + m
    _mix(
        probability[t, first:last],
        loss[2 * t, first:last],
        loss[2 * t + 1, first:last],
        loss[t, first:last],
        m,
    )


@helper
def refresh(points, tree, expected, change):
    """Bring ``expected`` up to date after a change of the tree; return the weighted losses' sum."""
    coef = _changed_coefficients(tree, change)
    z = matrix(coef.shape[0], BLOCK)
    total = 0.0
    for b in range(blocks_of(points.n)):
        total += _refresh_block(points, b, tree.depth, expected, change, coef, z)
    return total


@helper
def _changed_coefficients(tree, change):
    """Return the coefficients of the branch nodes that changed, in heap order, then the leaves'."""
    branches = take_subtree(tree.branch, change.top, change.levels)
    if not change.leaves:
        return branches
    n_branches, n_rows = branches.shape
    width = 2**tree.depth >> level_of(change.top)
    first_leaf = (change.top << (tree.depth - level_of(change.top))) - 2**tree.depth
    both = matrix(n_branches + width, n_rows)
    for t in range(n_branches):
        copy(branches[t], both[t], n_rows)
    for k in range(width):
        copy(tree.leaf[first_leaf + k], both[n_branches + k], n_rows)
    return both


@helper
def _refresh_block(points, b, depth, expected, change, coef, z):
    """Do the work of :func:`refresh` for block ``b``.

    ``coef`` are the coefficients that changed, ``z`` (len(coef), BLOCK) is scratch.
    """
    probability, loss = expected.probability, expected.loss
    top = change.top
    below = depth - level_of(top)
    first = b * BLOCK
    m = min(BLOCK, points.n - first)
    last = first + m
    affine_of_nodes(points.blocks[b], coef, z, m)
    if change.leaves:
        first_leaf = top << below
        n_branches = (1 << change.levels) - 1
        for k in range(1 << below):
            here = loss[first_leaf + k, first:last]
            _square_residual(z[n_branches + k], points.y[first:last], here, m)
    for down in range(below - 1, -1, -1):
        first_node = top << down
        width = 1 << down
        if down < change.levels:
            for k in range(width):
                p = z[width - 1 + k]
                sigmoid(p, m)
                copy(p, probability[first_node + k, first:last], m)
        elif not change.leaves:
            continue
        for t in range(first_node, first_node + width):
            _mix_children(expected, t, first, m)
    t = top >> 1
    while t > 0:
        _mix_children(expected, t, first, m)
        t >>= 1
    weighted = z[0]
    multiply(points.weights[first:last], loss[1, first:last], weighted, m)
    return total_of(weighted, m)


@helper
def error_of(points, tree, loss, penalty):
    """Error (7) on the points, penalties included; ``loss`` is what :func:`refresh` returned."""
    return (loss + penalty_of(tree, penalty)) / points.total


@helper
def _squared_norm(matrix, weight_first, weight_rest):
    total = 0.0
    for t in range(matrix.shape[0]):
        total += weight_first * matrix[t, 0] * matrix[t, 0]
        for j in range(1, matrix.shape[1]):
            total += weight_rest * matrix[t, j] * matrix[t, j]
    return total


@helper
def penalty_of(tree, penalty):
    """Return the l2 terms beside the *sum* of losses."""
    value = 0.0
    if penalty.intercept > 0.0 or penalty.slope > 0.0:
        value += 0.5 * _squared_norm(tree.branch, penalty.intercept, penalty.slope)
    if penalty.ridge > 0.0:
        value += _squared_norm(tree.leaf, penalty.ridge, penalty.ridge)
    return value


@helper
def _keep_left(p, mask):
    for i in range(mask.shape[0]):
        mask[i] &= np.uint8(p[i] >= 0.5)


@helper
def _keep_right(p, mask):
    for i in range(mask.shape[0]):
        mask[i] &= np.uint8(p[i] < 0.5)


@helper
def points_reaching(expected, node, index):
    """Fill ``index`` with the points whose highest-branch-probability path meets ``node``."""
    mask = np.empty(expected.probability.shape[1], np.uint8)
    for i in range(mask.shape[0]):
        mask[i] = 1
    t = node
    while t > 1:
        row = expected.probability[t >> 1]
        if t & 1:
            _keep_right(row, mask)
        else:
            _keep_left(row, mask)
        t >>= 1
    count = 0
    # Without a branch: the place is overwritten unless the point is kept.
    for i in range(mask.shape[0]):
        index[count] = i
        count += np.int64(mask[i])
    return count


@helper
def reach_of(points, expected, node, out):
    """Fill ``out`` (n,) with each point's weight times its probability of arriving at ``node``."""
    n = points.n
    copy(points.weights, out, n)
    t = node
    while t > 1:
        row = expected.probability[t >> 1]
        if t & 1:
            for i in range(n):
                out[i] *= 1.0 - row[i]
        else:
            for i in range(n):
                out[i] *= row[i]
        t >>= 1
