"""The reassignment heuristic: re-balance a branch node by weighted logistic regression (17)."""

from boostbench.kernels.arrays import descending_order
from boostbench.kernels.elementwise import total_of
from boostbench.kernels.jit import helper, kernel
from boostbench.kernels.team import allocated, barrier, floats, release, share
from boostbench.trees._blocks import mass_of
from boostbench.trees._logistic import fit_logistic


@kernel(inline=True)
def is_imbalanced(points, expected, node, count, imbalance, space):
    """Whether ``node`` sends at most the share ``imbalance.threshold`` of its weight to one child.

    Never where that share of the weight of all ``points`` is less than one. The node's points are
    ``space.chosen[:count]``; fills ``space.goes_left`` with 1.0 for those that go left.
    """
    row, chosen, goes_left = expected.probability[node], space.chosen, space.goes_left
    weights, here = points.weight, space.local.weight
    weighted = weights.shape[0] > 0
    first, last = share(points.team, count)
    for i in range(first, last):
        k = chosen[i]
        goes_left[i] = 1.0 if row[k] >= 0.5 else 0.0
        if weighted:
            here[i] = weights[k]
    barrier(points.team)
    left = 0.0
    for i in range(count):
        if goes_left[i] > 0.5:
            left += here[i] if weighted else 1.0
    on_left = left / (total_of(here, count) if weighted else float(count))
    outside = on_left <= imbalance.threshold or on_left >= 1.0 - imbalance.threshold
    return outside and imbalance.threshold * mass_of(points) >= 1.0


@helper
def _masses(points, goes_left):
    """The weights of the points that go left and right, and how many go left."""
    weights = points.weight
    weighted = weights.shape[0] > 0
    left = 0.0
    right = 0.0
    n_left = 0
    for i in range(points.n):
        weight = weights[i] if weighted else 1.0
        if goes_left[i] > 0.5:
            left += weight
            n_left += 1
        else:
            right += weight
    return left, right, n_left


@helper
def reassign(points, goes_left, residual, imbalance, coef):
    """Re-balance one branch node by weighted logistic regression (17); return True if it changed.

    ``points`` are those of the node; ``goes_left`` (n,) is 1.0 for those routed left and is
    overwritten by the labels used, ``residual`` (n,) is (18). When one child gets at most the share
    ``imbalance.high_threshold`` of the weight, the share ``imbalance.reassigned_share`` of the
    other child's, in the points with the largest residuals, is asked to change sides.
    """
    n, weights, team = points.n, points.weight, points.team
    weighted = weights.shape[0] > 0
    left, right, n_left = _masses(points, goes_left)
    mass = left + right
    high = imbalance.high_threshold
    if left <= high * mass or left >= (1.0 - high) * mass:
        barrier(team)
        if team.rank == 0:
            crowded = 1.0 if left >= right else 0.0
            allowed = max(left, right) * imbalance.reassigned_share
            moved = 0.0
            order = descending_order(residual, n)
            for i in order:
                if goes_left[i] == crowded:
                    moved += weights[i] if weighted else 1.0
                    if moved > allowed:
                        break
                    goes_left[i] = 1.0 - crowded
        barrier(team)
        left, right, n_left = _masses(points, goes_left)
    if n_left == 0 or n_left == n:
        return False
    mark = allocated(team)
    balanced = floats(team, n)
    start, end = share(team, n)
    for i in range(start, end):
        weight = weights[i] if weighted else 1.0
        balanced[i] = 0.5 * mass / (left if goes_left[i] > 0.5 else right) * weight
    barrier(team)
    changed = fit_logistic(points, goes_left, balanced, coef, mass)
    release(team, mark)
    return changed


@kernel(inline=True)
def gather_residuals(team, expected, node, n, space):
    """Fill ``space.residual`` with the error terms (18) of the points ``space.chosen[:n]``."""
    loss, residual, chosen = expected.loss[node], space.residual, space.chosen
    start, end = share(team, n)
    for i in range(start, end):
        residual[i] = loss[chosen[i]]
    barrier(team)
