"""What each feature adds to the variance of a tree's predictions, node by node."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from boostbench.jit import kernel
from boostbench.trees._simd import FASTMATH, add_products, affine, dot, sigmoid
from boostbench.trees._tiles import BLOCK


@kernel(fastmath=FASTMATH)
def _side(z, n):
    for i in range(n):
        z[i] = 1.0 if z[i] >= 0.0 else 0.0


@kernel(fastmath=FASTMATH)
def _split(arrive, p, left, right, n):
    for i in range(n):
        q = arrive[i] * p[i]
        left[i] = q
        right[i] = arrive[i] - q


@kernel(fastmath=FASTMATH)
def _join(p, left, right, value, squares, n):
    for i in range(n):
        d = left[i] - right[i]
        value[i] = right[i] + p[i] * d
        squares[i] = d * d


@kernel(fastmath=FASTMATH)
def _distances(row, centre, n):
    total = 0.0
    for i in range(n):
        total += abs(row[i] - centre)
    return total


@kernel(fastmath=FASTMATH)
def _standardise(row, centre, scale, out, squares, n):
    for i in range(n):
        u = (row[i] - centre) * scale
        out[i] = u
        squares[i] = u * u


@kernel
def _variances(sums, squares, out):
    """Fill ``out[1:]`` from a node's sums over its points; their weight is ``sums[0]``."""
    for j in range(1, out.shape[0]):
        mean = sums[j] / sums[0]
        out[j] = max(0.0, squares[j] / sums[0] - mean * mean)


@kernel
def feature_effects(tiles, n, weight, branch, leaf, hard, out):
    """Fill ``out`` (p,) with each feature's part in the variance of the predictions.

    A leaf's regression adds, for each feature, its weight times the squared coefficient times the
    feature's variance there. A branch adds ``q (1 - q)`` times the weighted sum of squares of what
    its two sides differ by, where q is the weight's share on the left: the variance of a decision
    by lot. This is the decrease of the squared error for a stump with constant leaves, and is
    divided among the features as their parts in the variance of z are.

    ``branch`` (k, p + 1) are the inner coefficients v of z = v0 + v.x, ``leaf`` (k + 1, p + 1) the
    leaves'; ``weight`` are the points' weights (n,), or empty for weights of 1. With ``hard`` a
    point takes the side that z says, without it both, with their probabilities.
    """
    n_branches = branch.shape[0]
    n_nodes = 2 * n_branches + 2
    n_rows = tiles.shape[1]
    centre = tiles[0, :, 0].copy()
    width = np.zeros(n_rows)
    standard = np.zeros((n_rows, BLOCK))
    standard[0] = 1.0
    squared = np.zeros((n_rows, BLOCK))
    p = np.empty((n_branches + 1, BLOCK))
    arrive = np.ones((n_nodes, BLOCK))
    value = np.empty((n_nodes, BLOCK))
    jump = np.empty(BLOCK)
    sums = np.zeros((n_nodes, n_rows))
    squares = np.zeros((n_nodes, n_rows))
    jumps = np.zeros(n_branches + 1)
    n_blocks = (n + BLOCK - 1) // BLOCK
    for j in range(1, n_rows):
        for b in range(n_blocks):
            width[j] += _distances(tiles[b, j], centre[j], min(BLOCK, n - b * BLOCK)) / n
    for b in range(n_blocks):
        rows = tiles[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        for j in range(1, n_rows):
            if width[j] > 0.0:
                _standardise(rows[j], centre[j], 1.0 / width[j], standard[j], squared[j], m)
        if weight.shape[0] > 0:
            arrive[1, :m] = weight[first : first + m]
        for t in range(1, n_branches + 1):
            affine(rows, branch[t - 1], p[t], m)
            if hard:
                _side(p[t], m)
            else:
                sigmoid(p[t], m)
            _split(arrive[t], p[t], arrive[2 * t], arrive[2 * t + 1], m)
        for t in range(n_branches + 1, n_nodes):
            affine(rows, leaf[t - n_branches - 1], value[t], m)
            add_products(standard, arrive[t], sums[t], m)
            add_products(squared, arrive[t], squares[t], m)
        for t in range(n_branches, 0, -1):
            _join(p[t], value[2 * t], value[2 * t + 1], value[t], jump, m)
            jumps[t] += dot(arrive[t], jump, m)
    out[:] = 0.0
    variance = np.empty(n_rows)
    for t in range(n_nodes - 1, 0, -1):
        if t <= n_branches:
            sums[t] = sums[2 * t] + sums[2 * t + 1]
            squares[t] = squares[2 * t] + squares[2 * t + 1]
        if not sums[t, 0] > 0.0:
            continue
        _variances(sums[t], squares[t], variance)
        coef = branch[t - 1] if t <= n_branches else leaf[t - n_branches - 1]
        total = 0.0
        for j in range(1, n_rows):
            slope = coef[j] * width[j]
            variance[j] *= slope * slope
            total += variance[j]
        part = sums[t, 0]
        if t <= n_branches:
            left = sums[2 * t, 0] / sums[t, 0]
            part = left * (1.0 - left) * jumps[t] / total if total > 0.0 else 0.0
        for j in range(1, n_rows):
            out[j - 1] += part * variance[j]


def feature_importances(
    tiles: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    branch: np.ndarray,
    leaf: np.ndarray,
    hard: bool,
) -> np.ndarray:
    """Return the effects of :func:`feature_effects` (p,), divided by their sum unless that is 0."""
    effects = np.empty(tiles.shape[1] - 1)
    largest = float(np.abs(y).max())
    # Squares of predictions of the target's size must not overflow.
    scaled = leaf / largest if largest > 0.0 else leaf
    feature_effects(tiles, len(y), weight, branch, scaled, hard, effects)
    total = float(effects.sum())
    return effects / total if 0.0 < total < np.inf else np.zeros_like(effects)
