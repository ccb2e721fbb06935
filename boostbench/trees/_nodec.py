"""NODEC-DR (Consolo, Amaldi, Manno 2026, Section 5), the convergence conditions switched off."""

import numpy as np

from boostbench.kernels.elementwise import FASTMATH, affine, dot, multiply, sigmoid, total_of
from boostbench.kernels.jit import kernel
from boostbench.trees._blocks import BLOCK, gather, gather_weights
from boostbench.trees._branch_step import minimise_subtree
from boostbench.trees._clustering import cluster_tree, davies_bouldin_kernel
from boostbench.trees._expected_losses import points_reaching, refresh
from boostbench.trees._leaf_step import fit_leaf
from boostbench.trees._logistic import fit_logistic

_LOGISTIC_ITER = 25
_LOGISTIC_TOL = 1e-6
_LLOYD_ITER = 100


@kernel
def initialise(tiles, n, y, weight, depth, uniforms, ridge, branch, leaf):
    """Initialisation procedure (Section 5.4): fill ``branch`` and ``leaf``.

    ``weight`` are the points' weights (n,), all positive, or empty for weights of 1. ``uniforms``
    is (r, 2**depth - 1, 2): of r clusterings the one of least Davies-Bouldin index is taken.
    Returns each point's leaf, 0..2**depth - 1.
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
        cluster_tree(
            tiles, n, weight, depth, uniforms[j], _LLOYD_ITER, candidate, work_tiles, index, mask
        )
        score = 0.0
        if uniforms.shape[0] > 1:
            score = davies_bouldin_kernel(tiles, n, weight, candidate, n_leaves)
        if j == 0 or score < best:
            best = score
            assigned[:] = candidate
    weighted = weight.shape[0] > 0
    local_weight = np.ones(n)
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
        mass = float(count)
        if weighted:
            gather_weights(weight, index, count, local_weight)
            mass = total_of(local_weight, count)
        fit_logistic(
            work_tiles,
            count,
            mask,
            local_weight,
            branch[t - 1],
            _LOGISTIC_ITER,
            _LOGISTIC_TOL * mass,
        )
    gram = np.empty((n_rows, n_rows))
    moment = np.empty(n_rows)
    mean = np.sum(y[:n]) / n
    if weighted:
        multiply(weight, y, values, n)
        mean = total_of(values, n) / total_of(weight, n)
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
            if weighted:
                gather_weights(weight, index, count, local_weight)
            fit_leaf(work_tiles, count, local_weight, values, ridge, leaf[k], gram, moment)
    return assigned


@kernel
def _sides(weight, goes_left, n):
    """The weights of the points that go left and right, and how many go left."""
    left = 0.0
    right = 0.0
    n_left = 0
    for i in range(n):
        if goes_left[i] > 0.5:
            left += weight[i]
            n_left += 1
        else:
            right += weight[i]
    return left, right, n_left


@kernel
def reassign(tiles, n, weight, goes_left, residual, epsilon2, epsilon3, coef):
    """Re-balance one branch node by weighted logistic regression (17); return True if it changed.

    ``tiles`` hold the n points of the node, ``weight`` (n,) their weights, ``goes_left`` (n,) is
    1.0 for those routed left and is overwritten by the labels used, ``residual`` (n,) is (18). When
    one child gets at most the share ``epsilon2`` of the weight, the share ``epsilon3`` of the other
    child's, in the points with the largest residuals, is asked to change sides.
    """
    left, right, n_left = _sides(weight, goes_left, n)
    mass = left + right
    if left <= epsilon2 * mass or left >= (1.0 - epsilon2) * mass:
        crowded = 1.0 if left >= right else 0.0
        allowed = max(left, right) * epsilon3
        moved = 0.0
        order = np.argsort(-residual[:n], kind="mergesort")
        for i in order:
            if goes_left[i] == crowded:
                moved += weight[i]
                if moved > allowed:
                    break
                goes_left[i] = 1.0 - crowded
        left, right, n_left = _sides(weight, goes_left, n)
    if n_left == 0 or n_left == n:
        return False
    balanced = np.empty(n)
    for i in range(n):
        balanced[i] = 0.5 * mass / (left if goes_left[i] > 0.5 else right) * weight[i]
    return fit_logistic(tiles, n, goes_left, balanced, coef, _LOGISTIC_ITER, _LOGISTIC_TOL * mass)


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
def weighted_total(total, weight, values, n):
    """The sum of ``values`` (n,) times ``weight``, or ``total``, theirs, if ``weight`` is empty."""
    return dot(weight, values, n) if weight.shape[0] > 0 else total


@kernel
def masses(weight, probability, points, count, local_weight):
    """The sums of the weights of the points ``points[:count]`` and of those of them that go left.

    ``weight`` (n,) are those of all points, copied to ``local_weight`` (count,); ``probability``
    (n,) is that of going left.
    """
    gather_weights(weight, points, count, local_weight)
    left = 0.0
    for i in range(count):
        if probability[points[i]] >= 0.5:
            left += local_weight[i]
    return total_of(local_weight, count), left


@kernel
def nodec_dr(
    tiles,
    n,
    y,
    weight,
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

    ``weight`` are the points' weights (n,), all positive, or empty for weights of 1. Runs
    ``max_inner`` inner iterations; ``history`` (max_inner + 1,) gets the error after each.
    """
    n_rows = tiles.shape[1]
    n_leaves = 2**depth
    probability = np.empty((n_leaves, n))
    loss = np.empty((2 * n_leaves, n))
    work = np.empty((4, 2 * n_leaves, tiles.shape[2]))
    local_tiles = np.empty(tiles.shape)
    index = np.empty(n, np.int64)
    everything = np.arange(n)
    goes_left = np.empty(n)
    residual = np.empty(n)
    local_y = np.empty(n)
    local_weight = np.ones(n)
    bottoms_store = np.empty(n_leaves * n)
    gram = np.empty((n_rows, n_rows))
    moment = np.empty(n_rows)
    best_branch = branch.copy()
    best_leaf = leaf.copy()
    epsilon1, epsilon2, epsilon3 = epsilons
    weighted = weight.shape[0] > 0
    mass = total_of(weight, n) if weighted else float(n)
    total = refresh(tiles, n, y, depth, branch, leaf, 1, 2, True, probability, loss)
    total = weighted_total(total, weight, loss[1], n)
    best = (total + penalty(branch, leaf, penalty_intercept, penalty_slope, ridge)) / mass
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
            row = probability[t]
            n_left = 0
            for i in range(count):
                if row[points[i]] >= 0.5:
                    n_left += 1
            here_mass, left_mass = float(count), float(n_left)
            if weighted:
                here_mass, left_mass = masses(weight, row, points, count, local_weight)
            share = left_mass / here_mass
            if (share <= epsilon1 or share >= 1.0 - epsilon1) and epsilon1 * mass >= 1.0:
                for i in range(count):
                    goes_left[i] = 1.0 if row[points[i]] >= 0.5 else 0.0
                    residual[i] = loss[t, points[i]]
                reassign(
                    here,
                    count,
                    local_weight,
                    goes_left,
                    residual,
                    epsilon2,
                    epsilon3,
                    branch[t - 1],
                )
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
                    local_weight,
                    local,
                    work,
                    penalty_intercept,
                    penalty_slope,
                    slope_scale,
                    max_branch_iter,
                    first_step,
                    branch_tol * here_mass,
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
                    if weighted:
                        multiply(local_weight, shares[leaf_k], shares[leaf_k], count)
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
            total = weighted_total(total, weight, loss[1], n)
            value = (total + penalty(branch, leaf, penalty_intercept, penalty_slope, ridge)) / mass
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
