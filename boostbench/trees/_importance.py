"""Each feature's part in the variance of a tree's predictions, node by node."""

from typing import NamedTuple

import numpy as np

from boostbench.kernels.arrays import matrix, vector, zero_matrix, zero_vector
from boostbench.kernels.elementwise import (
    FASTMATH,
    add_products,
    affine,
    copy,
    dot,
    multiply,
    sigmoid,
)
from boostbench.kernels.jit import helper, kernel
from boostbench.trees._blocks import BLOCK, blocks_of
from boostbench.trees._branch_step import join, split
from boostbench.trees._types import FloatArray


@helper(fastmath=FASTMATH)
def _side(z, n):
    for i in range(n):
        z[i] = 1.0 if z[i] >= 0.0 else 0.0


@helper(fastmath=FASTMATH)
def _distances(row, centre, n):
    total = 0.0
    for i in range(n):
        total += abs(row[i] - centre)
    return total


@helper(fastmath=FASTMATH)
def _standardise(row, centre, scale, out, squares, n):
    for i in range(n):
        u = (row[i] - centre) * scale
        out[i] = u
        squares[i] = u * u


class _Moments(NamedTuple):
    """Sums over the points, weighted by their own weights and their chances of reaching each node.

    ``sums`` and ``squares`` (n_nodes, p + 1) are of the standardised features; column 0 of ``sums``
    is the node's weight. ``jumps`` (2**depth,) are of the squared differences between the two sides
    of each branch.
    """

    sums: FloatArray
    squares: FloatArray
    jumps: FloatArray


@helper
def _scaled_leaves(leaf, y, n):
    """Return ``leaf`` in units of the largest target: squares of predictions must not overflow."""
    unit = 0.0
    for i in range(n):
        unit = max(unit, abs(y[i]))
    scaled = matrix(leaf.shape[0], leaf.shape[1])
    for k in range(leaf.shape[0]):
        for j in range(leaf.shape[1]):
            scaled[k, j] = leaf[k, j] / unit if unit > 0.0 else 0.0
    return scaled


@helper
def _widths(points):
    """Return each feature's mean distance from its first value, (p + 1,), entry 0 unused."""
    blocks = points.blocks
    n = points.n
    width = zero_vector(blocks.shape[1])
    for j in range(1, width.shape[0]):
        for b in range(blocks_of(n)):
            width[j] += _distances(blocks[b, j], blocks[0, j, 0], min(BLOCK, n - b * BLOCK)) / n
    return width


@helper
def _make_moments(points, branch, leaf, width, hard):
    """Return the :class:`_Moments`, those of the features for the leaves only."""
    blocks = points.blocks
    n = points.n
    n_branches = branch.shape[0]
    n_nodes = 2 * n_branches + 2
    n_rows = blocks.shape[1]
    standard = zero_matrix(n_rows, BLOCK)
    squared = zero_matrix(n_rows, BLOCK)
    p = matrix(n_branches + 1, BLOCK)
    arrive = matrix(n_nodes, BLOCK)
    value = matrix(n_nodes, BLOCK)
    jump = vector(BLOCK)
    sums = zero_matrix(n_nodes, n_rows)
    squares = zero_matrix(n_nodes, n_rows)
    jumps = zero_vector(n_branches + 1)
    for i in range(BLOCK):
        standard[0, i] = 1.0
    for b in range(blocks_of(n)):
        rows = blocks[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        copy(points.weights[first : first + m], arrive[1], m)
        for j in range(1, n_rows):
            if width[j] > 0.0:
                _standardise(rows[j], blocks[0, j, 0], 1.0 / width[j], standard[j], squared[j], m)
        for t in range(1, n_branches + 1):
            affine(rows, branch[t - 1], p[t], m)
            if hard:
                _side(p[t], m)
            else:
                sigmoid(p[t], m)
            split(arrive[t], p[t], arrive[2 * t], arrive[2 * t + 1], m)
        for t in range(n_branches + 1, n_nodes):
            affine(rows, leaf[t - n_branches - 1], value[t], m)
            add_products(standard, arrive[t], sums[t], m)
            add_products(squared, arrive[t], squares[t], m)
        for t in range(n_branches, 0, -1):
            join(p[t], value[2 * t], value[2 * t + 1], jump, value[t], m)
            multiply(jump, jump, jump, m)
            jumps[t] += dot(arrive[t], jump, m)
    return _Moments(sums, squares, jumps)


@helper
def _add_up(sums):
    """Fill the rows of the branches with the sums of their children's."""
    for t in range(sums.shape[0] // 2 - 1, 0, -1):
        for j in range(sums.shape[1]):
            sums[t, j] = sums[2 * t, j] + sums[2 * t + 1, j]


@helper
def _variances(coef, width, sums, squares, out):
    """Fill ``out`` (p + 1,) with the variances of the terms of a node's regression; their sum."""
    total = 0.0
    for j in range(1, out.shape[0]):
        slope = coef[j] * width[j]
        mean = sums[j] / sums[0]
        out[j] = slope * slope * max(0.0, squares[j] / sums[0] - mean * mean)
        total += out[j]
    return total


@kernel
def feature_importances(points, tree, hard, out):
    """Fill ``out`` (p,) with each feature's share in the variance of the predictions.

    A leaf's regression adds, for each feature, its weight times the squared coefficient times the
    feature's variance there. A branch adds ``q (1 - q)`` times the weighted sum of squares of the
    differences between its two sides, where q is the weight's share on the left: the variance of a
    decision by lot. This is the decrease of the squared error for a stump with constant leaves, and
    is divided among the features as their parts in the variance of z are.

    With ``hard`` a point takes the side that z says, without it both, with their probabilities. The
    shares are all 0 if no feature has any part.
    """
    branch = tree.branch
    leaf = _scaled_leaves(tree.leaf, points.y, points.n)
    width = _widths(points)
    moments = _make_moments(points, branch, leaf, width, hard)
    sums = moments.sums
    squares = moments.squares
    _add_up(sums)
    _add_up(squares)
    n_branches = branch.shape[0]
    n_rows = width.shape[0]
    variance = vector(n_rows)
    total = 0.0
    for j in range(1, n_rows):
        out[j - 1] = 0.0
    for t in range(sums.shape[0] - 1, 0, -1):
        if not sums[t, 0] > 0.0:
            continue
        coef = branch[t - 1] if t <= n_branches else leaf[t - n_branches - 1]
        of_node = _variances(coef, width, sums[t], squares[t], variance)
        part = sums[t, 0]
        if t <= n_branches:
            left = sums[2 * t, 0] / sums[t, 0]
            jumps = moments.jumps[t]
            part = left * (1.0 - left) * jumps / of_node if of_node > 0.0 else 0.0
        for j in range(1, n_rows):
            out[j - 1] += part * variance[j]
            total += part * variance[j]
    for j in range(1, n_rows):
        out[j - 1] = out[j - 1] / total if 0.0 < total < np.inf else 0.0
