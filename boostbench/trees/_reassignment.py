"""The reassignment heuristic: re-balance a branch node by weighted logistic regression (17)."""

import numpy as np

from boostbench.kernels.arrays import descending_key, indices, vector, zero_vector
from boostbench.kernels.jit import helper
from boostbench.trees._logistic import fit_logistic
from boostbench.trees._types import Imbalance

# How many digits are distinguished at a time.
_DIGITS = 1 << 11


@helper
def is_imbalanced(points, expected, node, count, imbalance, space):
    """Whether ``node`` sends at most the share ``imbalance.threshold`` of its points to one child.

    Shares are of weights. Never where that share of all ``points`` weighs less than one. The node's
    points are ``space.chosen[:count]``; fills ``space.goes_left`` with 1.0 for those that go left.
    """
    row = expected.probability[node]
    chosen = space.chosen
    goes_left = space.goes_left
    left = 0.0
    total = 0.0
    for i in range(count):
        weight = points.weights[chosen[i]]
        goes_left[i] = 1.0 if row[chosen[i]] >= 0.5 else 0.0
        left += weight * goes_left[i]
        total += weight
    on_left = left / total
    outside = on_left <= imbalance.threshold or on_left >= 1.0 - imbalance.threshold
    return outside and imbalance.threshold * points.total >= 1.0


@helper
def _sides(points, goes_left):
    """Return the weights of the points that go left and right."""
    left = 0.0
    right = 0.0
    for i in range(points.n):
        left += points.weights[i] * goes_left[i]
        right += points.weights[i] * (1.0 - goes_left[i])
    return left, right


@helper
def _move_largest(points, goes_left, residual, crowded, allowed):
    """Move points from the side ``crowded`` to the other, the largest residuals first.

    Stops before the first one, in order, with which more weight than ``allowed`` would have moved.
    """
    n, weights = points.n, points.weights
    # Undecided points, in order.
    unknown, keys = indices(n), indices(n)
    count = 0
    least, greatest = descending_key(np.nan), -descending_key(np.nan)
    for i in range(n):
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
            of_digit[(keys[k] >> shift) - first] += weights[unknown[k]]
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
        moved += weights[unknown[k]]
        if moved > allowed:
            break
        goes_left[unknown[k]] = 1.0 - crowded


@helper
def reassign(points, goes_left, residual, imbalance, coef):
    """Re-balance one branch node by weighted logistic regression (17); return True if it changed.

    ``points`` are those of the node; ``goes_left`` (n,) is 1.0 for those routed left and is
    overwritten by the labels used, ``residual`` (n,) is (18). When one child gets at most the share
    ``imbalance.high_threshold`` of the weight, the share ``imbalance.reassigned_share`` of the
    other child's, those with the largest residuals, is asked to change sides.
    """
    n, total, high = points.n, points.total, imbalance.high_threshold
    left, right = _sides(points, goes_left)
    if left <= high * total or left >= (1.0 - high) * total:
        crowded = 1.0 if left >= right else 0.0
        allowed = max(left, right) * imbalance.reassigned_share
        _move_largest(points, goes_left, residual, crowded, allowed)
        left, right = _sides(points, goes_left)
    if left <= 0.0 or right <= 0.0:
        return False
    balanced = vector(n)
    for i in range(n):
        side = left if goes_left[i] > 0.5 else right
        balanced[i] = 0.5 * total / side * points.weights[i]
    return fit_logistic(points, goes_left, balanced, coef)


@helper
def reassign_chosen(here, expected, node, imbalance, coef, space):
    """Reassign the points ``here``, which are ``space.chosen``, by their error terms (18)."""
    loss = expected.loss[node]
    residual = space.residual
    chosen = space.chosen
    for i in range(here.n):
        residual[i] = loss[chosen[i]]
    reassign(here, space.goes_left, residual, imbalance, coef)


@helper
def decayed(imbalance, factor):
    """Return the parameters with ``factor`` times the thresholds and the share."""
    return Imbalance(
        imbalance.threshold * factor,
        imbalance.high_threshold * factor,
        imbalance.reassigned_share * factor,
        imbalance.decay,
    )
