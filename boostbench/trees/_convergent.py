"""NODEC-DR with the convergence conditions (15) and (16) on: monotone, towards a stationary point.

Works on the true problem: all points, weighted by their probability of reaching the node. Steps and
norms are those of omega, error values those of (7): means over the points.
"""

import numpy as np

from boostbench.kernels.elementwise import multiply, total_of
from boostbench.kernels.jit import kernel
from boostbench.trees._blocks import gather
from boostbench.trees._branch_step import minimise_subtree, penalised_subtree_loss
from boostbench.trees._expected_losses import points_reaching, reach_of, refresh
from boostbench.trees._leaf_step import fit_leaf
from boostbench.trees._nodec import masses, penalty, reassign, subtree_shares, weighted_total


@kernel
def armijo_update(
    tiles,
    n,
    mass,
    bottoms,
    reach,
    coef,
    value,
    gradient,
    scale,
    work,
    penalty_intercept,
    penalty_slope,
    initial_step,
    gamma,
    delta,
    out,
    scratch,
):
    """Armijo's rule along steepest descent: fill ``out`` with the new coefficients.

    ``mass`` is the sum of the points' weights, ``gradient`` that of the mean error in
    omega = coef / scale. Backtracks while E(new) > E - gamma * alpha * |gradient|^2 (the test
    printed in Appendix B.2 is inverted).
    Returns the error at ``out``, or ``value`` with ``out = coef`` when no step lowers it.
    """
    squared = np.sum(gradient * gradient)
    alpha = initial_step
    for _ in range(100):
        for t in range(coef.shape[0]):
            for j in range(coef.shape[1]):
                out[t, j] = coef[t, j] - alpha * scale[j] * gradient[t, j]
        trial = (
            penalised_subtree_loss(
                tiles, n, bottoms, reach, out, scratch, work, penalty_intercept, penalty_slope
            )
            / mass
        )
        if trial <= value - gamma * alpha * squared:
            return trial
        alpha *= delta
    out[:] = coef
    return value


@kernel
def nodec_dr_convergent(
    tiles,
    n,
    y,
    weight,
    depth,
    branch,
    leaf,
    first_inner,
    max_inner,
    omega_scale,
    max_branch_iter,
    first_step,
    epsilons,
    zeta,
    penalty_intercept,
    penalty_slope,
    ridge,
    theta_branch,
    initial_step,
    gamma,
    delta,
    tau,
    history,
):
    """Inner iterations ``first_inner`` + 1 to ``max_inner``, in place; never raises the error (7).

    ``weight`` are the points' weights (n,), all positive, or empty for weights of 1.
    ``omega_scale`` (p + 1,) is v / omega: mu and mu / p. Steps are skipped where the gradient's
    norm is at most theta_branch**k; 0 never skips. Leaves are solved exactly, which meets the leaf
    step's conditions at every k. Fills ``history[first_inner + 1:]``.
    """
    n_rows = tiles.shape[1]
    n_leaves = 2**depth
    n_branches = n_leaves - 1
    probability = np.empty((n_leaves, n))
    loss = np.empty((2 * n_leaves, n))
    work = np.empty((4, 2 * n_leaves, tiles.shape[2]))
    local_tiles = np.empty(tiles.shape)
    index = np.empty(n, np.int64)
    reach = np.ones(n)
    goes_left = np.empty(n)
    residual = np.empty(n)
    shares = np.empty((n_leaves, n))
    gram = np.empty((n_rows, n_rows))
    moment = np.empty(n_rows)
    old_leaf = np.empty(leaf.shape)
    local_weight = np.ones(n)
    weighted = weight.shape[0] > 0
    mass = total_of(weight, n) if weighted else float(n)
    total = refresh(tiles, n, y, depth, branch, leaf, 1, 2, True, probability, loss)
    value = (
        weighted_total(total, weight, loss[1], n)
        + penalty(branch, leaf, penalty_intercept, penalty_slope, ridge)
    ) / mass
    history[first_inner] = value
    for k in range(first_inner, max_inner):
        t = k % n_branches + 1
        decay = zeta ** (k // n_branches)
        epsilon1, epsilon2, epsilon3 = (
            epsilons[0] * decay,
            epsilons[1] * decay,
            epsilons[2] * decay,
        )
        level = 0
        while t >> (level + 1):
            level += 1
        root_alone = t == 1 and depth > 1
        down = 1 if root_alone else depth - level
        n_local = (1 << down) - 1
        current = np.empty((n_local, n_rows))
        for step in range(down):
            for u in range(1 << step):
                current[(1 << step) + u - 1] = branch[(t << step) + u - 1]
        bottoms = loss[t << down : (t + 1) << down]
        reach_of(probability, n, t, reach)
        if weighted:
            multiply(weight, reach, reach, n)
        gradient = np.empty((n_local, n_rows))
        scratch = np.empty((n_local, n_rows))
        here = (
            penalised_subtree_loss(
                tiles,
                n,
                bottoms,
                reach,
                current,
                gradient,
                work,
                penalty_intercept,
                penalty_slope,
            )
            / mass
        )
        for u in range(n_local):
            for j in range(n_rows):
                gradient[u, j] *= omega_scale[j] / mass
        if np.sqrt(np.sum(gradient * gradient)) > theta_branch ** (k + 1.0):
            reference = np.empty((n_local, n_rows))
            reference_value = armijo_update(
                tiles,
                n,
                mass,
                bottoms,
                reach,
                current,
                here,
                gradient,
                omega_scale,
                work,
                penalty_intercept,
                penalty_slope,
                initial_step,
                gamma,
                delta,
                reference,
                scratch,
            )
            candidate = current.copy()
            count = points_reaching(probability, n, t, index)
            n_left = 0
            for i in range(count):
                if probability[t, index[i]] >= 0.5:
                    n_left += 1
            share = n_left / max(count, 1)
            if weighted and count > 0:
                here_mass, left_mass = masses(weight, probability[t], index, count, local_weight)
                share = left_mass / here_mass
            imbalanced = share <= epsilon1 or share >= 1.0 - epsilon1
            if count > 0 and imbalanced and epsilon1 * mass >= 1.0:
                gather(tiles, index, count, local_tiles)
                for i in range(count):
                    goes_left[i] = 1.0 if probability[t, index[i]] >= 0.5 else 0.0
                    residual[i] = loss[t, index[i]]
                reassign(
                    local_tiles,
                    count,
                    local_weight,
                    goes_left,
                    residual,
                    epsilon2,
                    epsilon3,
                    candidate[0],
                )
            else:
                minimise_subtree(
                    tiles,
                    n,
                    bottoms,
                    reach,
                    candidate,
                    work,
                    penalty_intercept,
                    penalty_slope,
                    1.0,
                    max_branch_iter,
                    first_step,
                    0.0,
                )
            candidate_value = (
                penalised_subtree_loss(
                    tiles,
                    n,
                    bottoms,
                    reach,
                    candidate,
                    scratch,
                    work,
                    penalty_intercept,
                    penalty_slope,
                )
                / mass
            )
            moved = 0.0
            for u in range(n_local):
                for j in range(n_rows):
                    d = (candidate[u, j] - current[u, j]) / omega_scale[j]
                    moved += d * d
            if not (candidate_value <= reference_value and candidate_value <= here - tau * moved):
                candidate = reference
            for step in range(down):
                for u in range(1 << step):
                    branch[(t << step) + u - 1] = candidate[(1 << step) + u - 1]
            refresh(
                tiles,
                n,
                y,
                depth,
                branch,
                leaf,
                t,
                1 if root_alone else 2,
                False,
                probability,
                loss,
            )
        if not root_alone:
            old_leaf[:] = leaf
            reach_of(probability, n, t, reach)
            if weighted:
                multiply(weight, reach, reach, n)
            subtree_shares(tiles, n, branch, t, down, shares)
            for u in range(1 << down):
                for i in range(n):
                    shares[u, i] *= reach[i]
                row = leaf[(t << down) + u - n_leaves]
                fit_leaf(tiles, n, shares[u], y, ridge, row, gram, moment)
        total = refresh(tiles, n, y, depth, branch, leaf, t, 0, True, probability, loss)
        new_value = (
            weighted_total(total, weight, loss[1], n)
            + penalty(branch, leaf, penalty_intercept, penalty_slope, ridge)
        ) / mass
        if not root_alone and new_value > value:
            leaf[:] = old_leaf
            total = refresh(tiles, n, y, depth, branch, leaf, t, 0, True, probability, loss)
            new_value = (
                weighted_total(total, weight, loss[1], n)
                + penalty(branch, leaf, penalty_intercept, penalty_slope, ridge)
            ) / mass
        value = new_value
        history[k + 1] = value
