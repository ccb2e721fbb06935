"""The state of a training run on all points: probabilities of going left and expected losses.

``probability`` (2**D, n): row t is node t's probability of going left (row 0 unused).
``loss`` (2**(D+1), n): row t is the expected loss of the subtree below node t; the rows from 2**D
on are the squared residuals of the leaves. Both in heap order, root 1.
"""

import numpy as np

from boostbench.kernels.elementwise import FASTMATH, affine, sigmoid, total_of
from boostbench.kernels.jit import kernel
from boostbench.trees._blocks import BLOCK


@kernel(fastmath=FASTMATH)
def _square_residual(prediction, y, out, n):
    for i in range(n):
        d = prediction[i] - y[i]
        out[i] = d * d


@kernel(fastmath=FASTMATH)
def _mix(p, left, right, out, n):
    for i in range(n):
        out[i] = right[i] + p[i] * (left[i] - right[i])


@kernel
def refresh(tiles, n, y, depth, branch, leaf, top, with_branches, with_leaves, probability, loss):
    """Bring the state up to date after a change below node ``top``; return the sum of losses.

    ``with_branches`` 0: no branch changed, 1: ``top`` alone, 2: its whole subtree.
    """
    z = np.empty(BLOCK)
    level = 0
    while top >> (level + 1):
        level += 1
    total = 0.0
    for b in range((n + BLOCK - 1) // BLOCK):
        rows = tiles[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        last = first + m
        if with_leaves:
            for k in range(top << (depth - level), (top + 1) << (depth - level)):
                affine(rows, leaf[k - 2**depth], z, m)
                _square_residual(z, y[first:last], loss[k, first:last], m)
        for down in range(depth - level - 1, -1, -1):
            for t in range(top << down, (top + 1) << down):
                if with_branches == 2 or (with_branches == 1 and t == top):
                    p = probability[t, first:last]
                    affine(rows, branch[t - 1], p, m)
                    sigmoid(p, m)
                elif not with_leaves:
                    continue
                _mix(
                    probability[t, first:last],
                    loss[2 * t, first:last],
                    loss[2 * t + 1, first:last],
                    loss[t, first:last],
                    m,
                )
        t = top >> 1
        while t > 0:
            _mix(
                probability[t, first:last],
                loss[2 * t, first:last],
                loss[2 * t + 1, first:last],
                loss[t, first:last],
                m,
            )
            t >>= 1
        total += total_of(loss[1, first:last], m)
    return total


@kernel
def _keep_left(p, mask):
    for i in range(mask.shape[0]):
        mask[i] &= np.uint8(p[i] >= 0.5)


@kernel
def _keep_right(p, mask):
    for i in range(mask.shape[0]):
        mask[i] &= np.uint8(p[i] < 0.5)


@kernel
def points_reaching(probability, n, node, index):
    """Fill ``index`` with the points whose highest-branch-probability path meets ``node``."""
    mask = np.ones(n, np.uint8)
    t = node
    while t > 1:
        row = probability[t >> 1, :n]
        if t & 1:
            _keep_right(row, mask)
        else:
            _keep_left(row, mask)
        t >>= 1
    count = 0
    for i in range(n):
        index[count] = i
        count += np.int64(mask[i])
    return count


@kernel
def reach_of(probability, n, node, out):
    """Fill ``out`` (n,) with the probability of arriving at ``node`` from the root."""
    out[:n] = 1.0
    t = node
    while t > 1:
        parent = t >> 1
        row = probability[parent]
        if t & 1:
            for i in range(n):
                out[i] *= 1.0 - row[i]
        else:
            for i in range(n):
                out[i] *= row[i]
        t = parent
