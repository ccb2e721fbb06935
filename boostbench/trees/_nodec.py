"""NODEC-DR (Consolo, Amaldi, Manno 2026, Section 5), the convergence conditions switched off."""

import numpy as np

from boostbench.jit import kernel
from boostbench.trees._clustering import cluster_tree, davies_bouldin_kernel
from boostbench.trees._leastsquares import fit_leaf
from boostbench.trees._logistic import fit_logistic
from boostbench.trees._simd import FASTMATH, affine, sigmoid
from boostbench.trees._state import points_reaching, refresh
from boostbench.trees._subtree import minimise_subtree
from boostbench.trees._tiles import BLOCK, gather

_LOGISTIC_ITER = 25
_LOGISTIC_TOL = 1e-6
_LLOYD_ITER = 100


@kernel
def initialise(tiles, n, y, depth, uniforms, ridge, branch, leaf):
    """Initialisation procedure (Section 5.4): fill ``branch`` and ``leaf``.

    ``uniforms`` is (r, 2**depth - 1, 2): of r clusterings the one of least Davies-Bouldin index is
    taken. Returns each point's leaf, 0..2**depth - 1.
    """
    n_leaves = 2**depth
    n_rows = tiles.shape[1]
    work_tiles = np.empty(tiles.shape)
    index = np.empty(n, np.int64)
    mask = np.empty(n)
    values = np.empty(n)
    assigned = np.empty(n, np.int64)
    candidate = np.empty(n, np.int64)
    best = np.inf
    for j in range(uniforms.shape[0]):
        cluster_tree(tiles, n, depth, uniforms[j], _LLOYD_ITER, candidate, work_tiles, index, mask)
        score = 0.0
        if uniforms.shape[0] > 1:
            score = davies_bouldin_kernel(tiles, n, candidate, n_leaves)
        if j == 0 or score < best:
            best = score
            assigned[:] = candidate
    ones = np.ones(n)
    level = 0
    for t in range(1, n_leaves):
        while t >> (level + 1):
            level += 1
        count = 0
        for i in range(n):
            if (assigned[i] + n_leaves) >> (depth - level) == t:
                index[count] = i
                child = (assigned[i] + n_leaves) >> (depth - level - 1)
                mask[count] = 1.0 - (child & 1)
                count += 1
        branch[t - 1] = 0.0
        gather(tiles, index, count, work_tiles)
        fit_logistic(work_tiles, count, mask, ones, branch[t - 1], _LOGISTIC_ITER, _LOGISTIC_TOL)
    gram = np.empty((n_rows, n_rows))
    moment = np.empty(n_rows)
    mean = np.sum(y[:n]) / n
    for k in range(n_leaves):
        count = 0
        for i in range(n):
            if assigned[i] == k:
                index[count] = i
                values[count] = y[i]
                count += 1
        leaf[k] = 0.0
        leaf[k, 0] = mean
        if count > 0:
            gather(tiles, index, count, work_tiles)
            fit_leaf(work_tiles, count, ones, values, ridge, leaf[k], gram, moment)
    return assigned


@kernel
def reassign(tiles, n, goes_left, residual, epsilon2, epsilon3, coef):
    """Re-balance one branch node by weighted logistic regression (17); return True if it changed.

    ``tiles`` hold the n points of the node, ``goes_left`` (n,) is 1.0 for those routed left and is
    overwritten by the labels used, ``residual`` (n,) is (18). When one child gets at most the share
    ``epsilon2``, the share ``epsilon3`` of the other child's points with the largest residuals is
    asked to change sides.
    """
    n_left = 0
    for i in range(n):
        if goes_left[i] > 0.5:
            n_left += 1
    if n_left <= epsilon2 * n or n_left >= (1.0 - epsilon2) * n:
        crowded = 1.0 if n_left >= n - n_left else 0.0
        n_move = int(max(n_left, n - n_left) * epsilon3)
        order = np.argsort(-residual[:n], kind="mergesort")
        for i in order:
            if n_move == 0:
                break
            if goes_left[i] == crowded:
                goes_left[i] = 1.0 - crowded
                n_move -= 1
        n_left = 0
        for i in range(n):
            if goes_left[i] > 0.5:
                n_left += 1
    if n_left == 0 or n_left == n:
        return False
    weights = np.empty(n)
    for i in range(n):
        weights[i] = 0.5 * n / (n_left if goes_left[i] > 0.5 else n - n_left)
    return fit_logistic(tiles, n, goes_left, weights, coef, _LOGISTIC_ITER, _LOGISTIC_TOL)


@kernel
def _squared_norm(matrix, weight_first, weight_rest):
    total = 0.0
    for t in range(matrix.shape[0]):
        total += weight_first * matrix[t, 0] * matrix[t, 0]
        for j in range(1, matrix.shape[1]):
            total += weight_rest * matrix[t, j] * matrix[t, j]
    return total


@kernel
def penalty(branch, leaf, penalty_intercept, penalty_slope, ridge):
    """The l2 terms beside the *sum* of losses; ``ridge`` is half the leaves' lambda."""
    value = 0.0
    if penalty_intercept > 0.0 or penalty_slope > 0.0:
        value += 0.5 * _squared_norm(branch, penalty_intercept, penalty_slope)
    if ridge > 0.0:
        value += _squared_norm(leaf, ridge, ridge)
    return value


@kernel(fastmath=FASTMATH)
def _share_out(share, p, left, right):
    for i in range(share.shape[0]):
        q = share[i] * p[i]
        right[i] = share[i] - q
        left[i] = q


@kernel
def subtree_shares(tiles, n, branch, top, down, shares):
    """Fill ``shares`` (2**down, n): P of reaching each leaf of the subtree from ``top``."""
    p = np.empty(BLOCK)
    whole = np.empty(BLOCK)
    for b in range((n + BLOCK - 1) // BLOCK):
        first = b * BLOCK
        m = min(BLOCK, n - first)
        shares[0, first : first + m] = 1.0
        for step in range(down):
            width = 1 << (down - step - 1)
            for u in range((1 << step) - 1, -1, -1):
                affine(tiles[b], branch[(top << step) + u - 1], p, m)
                sigmoid(p, m)
                left = shares[2 * u * width, first : first + m]
                right = shares[(2 * u + 1) * width, first : first + m]
                whole[:m] = left
                _share_out(whole[:m], p, left, right)


@kernel
def nodec_dr(
    tiles,
    n,
    y,
    depth,
    branch,
    leaf,
    max_inner,
    slope_scale,
    max_branch_iter,
    first_step,
    branch_tol,
    epsilons,
    zeta,
    penalty_intercept,
    penalty_slope,
    ridge,
    history,
):
    """Improve ``branch`` and ``leaf`` in place, to the iterate of least error (7) met.

    Runs ``max_inner`` inner iterations; ``history`` (max_inner + 1,) gets the error after each.
    """
    n_rows = tiles.shape[1]
    n_leaves = 2**depth
    probability = np.empty((n_leaves, n))
    loss = np.empty((2 * n_leaves, n))
    work = np.empty((4, 2 * n_leaves, tiles.shape[2]))
    local_tiles = np.empty(tiles.shape)
    index = np.empty(n, np.int64)
    everything = np.arange(n)
    reach = np.ones(n)
    goes_left = np.empty(n)
    residual = np.empty(n)
    local_y = np.empty(n)
    bottoms_store = np.empty(n_leaves * n)
    gram = np.empty((n_rows, n_rows))
    moment = np.empty(n_rows)
    best_branch = branch.copy()
    best_leaf = leaf.copy()
    epsilon1, epsilon2, epsilon3 = epsilons
    total = refresh(tiles, n, y, depth, branch, leaf, 1, 2, True, probability, loss)
    best = (total + penalty(branch, leaf, penalty_intercept, penalty_slope, ridge)) / n
    history[0] = best
    k = 0
    while k < max_inner:
        level = 0
        for t in range(1, n_leaves):
            if k == max_inner:
                break
            while t >> (level + 1):
                level += 1
            k += 1
            root_alone = t == 1 and depth > 1
            down = 1 if root_alone else depth - level
            if t == 1:
                count = n
                points = everything
                here = tiles
            else:
                count = points_reaching(probability, n, t, index)
                if count == 0:
                    history[k] = history[k - 1]
                    continue
                points = index
                here = local_tiles
                gather(tiles, points, count, here)
            n_left = 0
            row = probability[t]
            for i in range(count):
                if row[points[i]] >= 0.5:
                    n_left += 1
            share = n_left / count
            if (share <= epsilon1 or share >= 1.0 - epsilon1) and epsilon1 * n >= 1.0:
                for i in range(count):
                    goes_left[i] = 1.0 if row[points[i]] >= 0.5 else 0.0
                    residual[i] = loss[t, points[i]]
                reassign(here, count, goes_left, residual, epsilon2, epsilon3, branch[t - 1])
                changed = 1
            else:
                bottoms = bottoms_store[: (1 << down) * count].reshape(1 << down, count)
                for leaf_k in range(1 << down):
                    source = loss[(t << down) + leaf_k]
                    target = bottoms[leaf_k]
                    for i in range(count):
                        target[i] = source[points[i]]
                local = np.empty(((1 << down) - 1, n_rows))
                for step in range(down):
                    for u in range(1 << step):
                        local[(1 << step) + u - 1] = branch[(t << step) + u - 1]
                minimise_subtree(
                    here,
                    count,
                    bottoms,
                    reach,
                    local,
                    work,
                    penalty_intercept,
                    penalty_slope,
                    slope_scale,
                    max_branch_iter,
                    first_step,
                    branch_tol * count,
                )
                for step in range(down):
                    for u in range(1 << step):
                        branch[(t << step) + u - 1] = local[(1 << step) + u - 1]
                changed = 1 if root_alone else 2
            if not root_alone:
                shares = bottoms_store[: (1 << down) * count].reshape(1 << down, count)
                subtree_shares(here, count, branch, t, down, shares)
                for i in range(count):
                    local_y[i] = y[points[i]]
                for leaf_k in range(1 << down):
                    fit_leaf(
                        here,
                        count,
                        shares[leaf_k],
                        local_y,
                        ridge,
                        leaf[(t << down) + leaf_k - n_leaves],
                        gram,
                        moment,
                    )
            total = refresh(
                tiles, n, y, depth, branch, leaf, t, changed, not root_alone, probability, loss
            )
            value = (total + penalty(branch, leaf, penalty_intercept, penalty_slope, ridge)) / n
            history[k] = value
            if value < best:
                best = value
                best_branch[:] = branch
                best_leaf[:] = leaf
        epsilon1 *= zeta
        epsilon2 *= zeta
        epsilon3 *= zeta
    branch[:] = best_branch
    leaf[:] = best_leaf
