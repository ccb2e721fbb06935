"""The reassignment heuristic: re-balance a branch node by weighted logistic regression (17)."""

import numpy as np

from boostbench.kernels.arrays import descending_key, indices, vector, zero_vector
from boostbench.kernels.elementwise import total_of
from boostbench.kernels.jit import helper
from boostbench.trees._blocks import mass_of
from boostbench.trees._logistic import fit_logistic

# How many digits are distinguished at a time.
_DIGITS = 1 << 11


@helper
def is_imbalanced(points, expected, node, count, imbalance, space):
    """Whether ``node`` sends at most the share ``imbalance.threshold`` of its weight to one child.

    Never where that share of the weight of all ``points`` is less than one. The node's points are
    ``space.chosen[:count]``; fills ``space.goes_left`` with 1.0 for those that go left.
    """
    row, chosen, goes_left = expected.probability[node], space.chosen, space.goes_left
    weights, here = points.weight, space.local.weight
    weighted = weights.shape[0] > 0
    for i in range(count):
        k = chosen[i]
        goes_left[i] = 1.0 if row[k] >= 0.5 else 0.0
        if weighted:
            here[i] = weights[k]
    left = 0.0
    if weighted:
        for i in range(count):
            left += here[i] * goes_left[i]
    else:
        left = total_of(goes_left, count)
    on_left = left / (total_of(here, count) if weighted else float(count))
    outside = on_left <= imbalance.threshold or on_left >= 1.0 - imbalance.threshold
    return outside and imbalance.threshold * mass_of(points) >= 1.0


@helper
def _masses(points, goes_left):
    """The weights of the points that go left and right, and how many go left."""
    weights = points.weight
    n_left = total_of(goes_left, points.n)
    if weights.shape[0] == 0:
        return n_left, points.n - n_left, n_left
    left = 0.0
    right = 0.0
    for i in range(points.n):
        left += weights[i] * goes_left[i]
        right += weights[i] * (1.0 - goes_left[i])
    return left, right, n_left


@helper
def _move_largest(points, goes_left, residual, crowded, allowed):
    """Move points from the side ``crowded`` to the other, the largest residuals first.

    Stops before the first one, in order, with which the moved weight would exceed ``allowed``.
    """
    weights = points.weight
    weighted = weights.shape[0] > 0
    # Those of which it is not known yet, in order.
    unknown, keys = indices(points.n), indices(points.n)
    count = 0
    least, greatest = descending_key(np.nan), -descending_key(np.nan)
    for i in range(points.n):
        if goes_left[i] == crowded:
            key = descending_key(residual[i])
            unknown[count], keys[count] = i, key
            least, greatest = min(least, key), max(greatest, key)
            count += 1
    moved = 0.0
    while count > 0 and least < greatest:
        shift = 0
        # Halves, as the difference of two keys may overflow.
        while (greatest >> shift + 1) - (least >> shift + 1) >= _DIGITS // 2:
            shift += 1
        first = least >> shift
        of_digit = zero_vector(_DIGITS)
        for k in range(count):
            weight = weights[unknown[k]] if weighted else 1.0
            of_digit[(keys[k] >> shift) - first] += weight
        last = 0
        while last < _DIGITS and moved + of_digit[last] <= allowed:
            moved += of_digit[last]
            last += 1
        left_over = 0
        least, greatest = descending_key(np.nan), -descending_key(np.nan)
        for k in range(count):
            digit = (keys[k] >> shift) - first
            if digit < last:
                goes_left[unknown[k]] = 1.0 - crowded
            elif digit == last:
                unknown[left_over], keys[left_over] = unknown[k], keys[k]
                least, greatest = min(least, keys[k]), max(greatest, keys[k])
                left_over += 1
        count = left_over
    for k in range(count):
        i = unknown[k]
        moved += weights[i] if weighted else 1.0
        if moved > allowed:
            break
        goes_left[i] = 1.0 - crowded


@helper
def reassign(points, goes_left, residual, imbalance, coef):
    """Re-balance one branch node by weighted logistic regression (17); return True if it changed.

    ``points`` are those of the node; ``goes_left`` (n,) is 1.0 for those routed left and is
    overwritten by the labels used, ``residual`` (n,) is (18). When one child gets at most the share
    ``imbalance.high_threshold`` of the weight, the share ``imbalance.reassigned_share`` of the
    other child's, in the points with the largest residuals, is asked to change sides.
    """
    n, weights = points.n, points.weight
    weighted = weights.shape[0] > 0
    left, right, n_left = _masses(points, goes_left)
    mass = left + right
    high = imbalance.high_threshold
    if left <= high * mass or left >= (1.0 - high) * mass:
        crowded = 1.0 if left >= right else 0.0
        allowed = max(left, right) * imbalance.reassigned_share
        _move_largest(points, goes_left, residual, crowded, allowed)
        left, right, n_left = _masses(points, goes_left)
    if n_left == 0 or n_left == n:
        return False
    balanced = vector(n)
    for i in range(n):
        weight = weights[i] if weighted else 1.0
        balanced[i] = 0.5 * mass / (left if goes_left[i] > 0.5 else right) * weight
    return fit_logistic(points, goes_left, balanced, coef, mass)


@helper
def gather_residuals(expected, node, n, space):
    """Fill ``space.residual`` with the error terms (18) of the points ``space.chosen[:n]``."""
    loss, residual, chosen = expected.loss[node], space.residual, space.chosen
    for i in range(n):
        residual[i] = loss[chosen[i]]
