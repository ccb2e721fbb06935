"""A leaf's Lasso on its Gram matrix: RSS + sum_j 2 half_j |b_j|, the intercept free.

Coordinate descent finds which coefficients are not 0; on those the solution is that of a linear
system, which collinear features would otherwise take hundreds of sweeps to approach. A dual
feasible point, the residuals scaled down, bounds the optimal cost from below after each sweep.
"""

import numpy as np

from boostbench.kernels.float_vectors import f8_fma, f8_load, f8_splat, f8_store
from boostbench.kernels.jit import helper

_SWEEPS_BEFORE_SYSTEM = 3
_MAX_SWEEPS = 1000
_PIVOT = 1e-13
_COLLINEAR = 1e-10
# Sums of squares of standardised rows carry this relative error.
_ROUNDING = 1e-14


@helper
def _residual_products(gram, coef, gradient):
    """``gradient`` = X'(y - Xb)."""
    matrix, moment = gram.matrix, gram.moment
    p, width = matrix.shape
    for j in range(0, width, 8):
        f8_store(gradient, j, f8_load(moment, j))
    for k in range(p):
        if coef[k] != 0.0:
            _take_off(matrix[k], coef[k], gradient)


@helper
def _take_off(row, step, gradient):
    times = f8_splat(-step)
    for j in range(0, gradient.shape[0], 8):
        f8_store(gradient, j, f8_fma(times, f8_load(row, j), f8_load(gradient, j)))


@helper
def _sweep(gram, coef, gradient):
    """Minimise over one coefficient after the other; whether one became or ceased to be 0."""
    matrix = gram.matrix
    half = gram.half
    inverse = gram.inverse
    changed = False
    for j in range(matrix.shape[0]):
        if inverse[j] == 0.0:
            continue
        old = coef[j]
        z = gradient[j] + matrix[j, j] * old
        limit = half[j]
        if z > limit:
            new = (z - limit) * inverse[j]
        elif z < -limit:
            new = (z + limit) * inverse[j]
        else:
            new = 0.0
        if new != old:
            changed |= (new == 0.0) != (old == 0.0)
            coef[j] = new
            _take_off(matrix[j], new - old, gradient)
    return changed


@helper
def _bounds(gram, coef, gradient):
    """(lower, upper) bounds of the optimal cost: the dual one, and the cost at ``coef``."""
    moment = gram.moment
    half = gram.half
    inverse = gram.inverse
    total = gram.scalars[0]
    explained = 0.0
    along = 0.0
    size = 0.0
    most = 1.0
    for j in range(gram.matrix.shape[0]):
        b = coef[j]
        if b != 0.0:
            explained += b * (moment[j] + gradient[j])
            along += b * moment[j]
            size += half[j] * abs(b)
        if inverse[j] != 0.0 and abs(gradient[j]) > half[j]:
            most = min(most, half[j] / abs(gradient[j]))
    rss = max(total - explained, 0.0)
    upper = rss + 2.0 * size
    product = total - along
    if rss <= 0.0 or product <= 0.0:
        return 0.0, upper
    shrink = min(most, product / rss)
    lower = 2.0 * shrink * product - shrink * shrink * rss
    return min(max(lower - _ROUNDING * total, 0.0), upper), upper


@helper
def _direction(gram, coef, scratch):  # noqa: C901 -- one factorisation, in place
    """Fill ``active`` and ``solution`` for a step towards the optimum on the nonzero coefficients.

    Returns the number of coefficients in the step, and whether ``solution`` is the optimum. If not,
    as one feature follows from the others, it is a direction along which the residuals stay and
    the penalty does not rise.
    """
    matrix = gram.matrix
    moment = gram.moment
    half = gram.half
    factor = scratch.factor
    x = scratch.solution
    active = scratch.active
    k = 0
    for j in range(matrix.shape[0]):
        if coef[j] != 0.0:
            active[k] = j
            x[k] = moment[j] - (half[j] if coef[j] > 0.0 else -half[j])
            k += 1
    for a in range(k):
        i = active[a]
        row = factor[a]
        for b in range(a):
            other = factor[b]
            s = matrix[i, active[b]]
            for c in range(b):
                s -= row[c] * other[c]
            row[b] = s * other[b]
        pivot = matrix[i, i]
        for c in range(a):
            pivot -= row[c] * row[c]
        if not pivot > _PIVOT * matrix[i, i]:
            for b in range(a):
                x[b] = -row[b]
            x[a] = 1.0
            slope = half[i] if coef[i] > 0.0 else -half[i]
            for b in range(a - 1, -1, -1):
                x[b] *= factor[b, b]
                for c in range(b):
                    x[c] -= factor[b, c] * x[b]
                j = active[b]
                slope += half[j] * x[b] if coef[j] > 0.0 else -half[j] * x[b]
            if slope > 0.0:
                for b in range(a + 1):
                    x[b] = -x[b]
            return a + 1, False
        row[a] = 1.0 / np.sqrt(pivot)
        s = x[a]
        for c in range(a):
            s -= row[c] * x[c]
        x[a] = s * row[a]
    for a in range(k - 1, -1, -1):
        x[a] *= factor[a, a]
        for c in range(a):
            x[c] -= factor[a, c] * x[a]
    return k, True


@helper
def _solve_active(gram, coef, scratch):
    """Set the nonzero coefficients to their optimum, those that would change their sign to 0."""
    x, active = scratch.solution, scratch.active
    for _ in range(coef.shape[0]):
        k, regular = _direction(gram, coef, scratch)
        step, first = (1.0 if regular else np.inf), -1
        for a in range(k):
            old = coef[active[a]]
            change = x[a] - old if regular else x[a]
            if (old + change) * old < 0.0 or (not regular and change * old < 0.0):
                length = -old / change
                if length < step:
                    step, first = length, a
        if first < 0 and not regular:
            return
        for a in range(k):
            j = active[a]
            old = coef[j]
            moved = old + step * (x[a] - old if regular else x[a])
            coef[j] = 0.0 if a == first or moved * old < 0.0 else moved
        if first < 0:
            return


@helper
def _least_squares(gram, coef, scratch):
    """Solve the normal equations, the features that follow from others having coefficient 0."""
    matrix = gram.matrix
    moment = gram.moment
    inverse = gram.inverse
    factor = scratch.factor
    x = scratch.solution
    active = scratch.active
    k = 0
    for i in range(matrix.shape[0]):
        coef[i] = 0.0
        if inverse[i] == 0.0:
            continue
        row = factor[k]
        pivot = matrix[i, i]
        s = moment[i]
        for b in range(k):
            value = matrix[i, active[b]]
            for c in range(b):
                value -= row[c] * factor[b, c]
            row[b] = value * factor[b, b]
            pivot -= row[b] * row[b]
            s -= row[b] * x[b]
        if pivot > _COLLINEAR * matrix[i, i]:
            active[k] = i
            row[k] = 1.0 / np.sqrt(pivot)
            x[k] = s * row[k]
            k += 1
    rss = gram.scalars[0]
    for a in range(k):
        rss -= x[a] * x[a]
    for a in range(k - 1, -1, -1):
        x[a] *= factor[a, a]
        for c in range(a):
            x[c] -= factor[a, c] * x[a]
        coef[active[a]] = x[a]
    return max(rss, 0.0)


@helper
def solve_leaf(gram, penalised, coef, need, tolerance, scratch):
    """Improve ``coef`` (width,) and return (lower, upper) bounds of the leaf's optimal cost.

    Ends when they are within ``tolerance`` times the cost, or the lower one is at least ``need``.
    Without a penalty both are the exact cost.
    """
    gradient = scratch.gradient
    if not penalised:
        rss = _least_squares(gram, coef, scratch)
        return rss, rss
    for j in range(gram.matrix.shape[0]):
        if gram.inverse[j] == 0.0:
            coef[j] = 0.0
    _residual_products(gram, coef, gradient)
    rounding = 2.0 * _ROUNDING * gram.scalars[0]
    lower, upper = 0.0, 0.0
    best = 0.0
    for sweep in range(_MAX_SWEEPS):
        changed = _sweep(gram, coef, gradient)
        lower, upper = _bounds(gram, coef, gradient)
        best = max(best, lower)
        if best >= need or upper - best <= tolerance * upper + rounding:
            break
        if sweep + 1 >= _SWEEPS_BEFORE_SYSTEM and (not changed or sweep % 4 == 3):
            _solve_active(gram, coef, scratch)
            _residual_products(gram, coef, gradient)
            lower, upper = _bounds(gram, coef, gradient)
            best = max(best, lower)
            if best >= need or upper - best <= tolerance * upper + rounding:
                break
    return min(best, upper), upper
