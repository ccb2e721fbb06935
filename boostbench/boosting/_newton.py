"""Newton's method on the master problem (2), where descent and L-BFGS-B fall short of ``tol``."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from boostbench.boosting._types import Floats, Integers
from boostbench.boosting.certificates import violated_values

_MOST_STEPS = 200
# Multiplications for one Hessian beyond which a step takes far too long.
_MOST_WORK = 3e10
# Relative to the Hessian's mean diagonal.
_LEAST_RIDGE = 1e-14
# Relative to the residual.
_MOST_RIDGE = 1e12
_ROUNDING = 1e-14


def hessian(
    free: NDArray[np.bool_],
    bits: NDArray[np.uint8],
    masses: Floats,
    starts: Integers,
    c_over_p: float,
) -> Floats:
    """Second derivatives of (2) by the variables where ``free`` (K, n) is set, in that order.

    ``bits`` (K, n, n_slots / 8) hold where a variable's stump has the sign of the sample,
    ``masses`` (K, n_slots) are those of ``pair_masses``.
    """
    n_classes = free.shape[0]
    signs = [
        2.0 * np.unpackbits(bits[c, free[c]], axis=1, bitorder="little") - 1.0
        for c in range(n_classes)
    ]
    ends = np.concatenate([[0], np.cumsum(free.sum(axis=1))])
    second = np.empty((ends[-1], ends[-1]))
    for c in range(n_classes):
        mine = slice(ends[c], ends[c + 1])
        second[mine, mine] = (signs[c] * masses[c]) @ signs[c].T
        for d in range(c):
            block = np.zeros((signs[c].shape[0], signs[d].shape[0]))
            # A sample of one class counts in the pairs that it forms with the other class.
            for own, other in ((c, d), (d, c)):
                part = slice(starts[own], starts[own + 1])
                block += (signs[c][:, part] * masses[other, part]) @ signs[d][:, part].T
            other_rows = slice(ends[d], ends[d + 1])
            second[mine, other_rows] = block
            second[other_rows, mine] = block.T
    return c_over_p * second


def newton(
    coef: Floats,
    evaluate: Callable[[Floats], tuple[float, Floats]],
    curvature: Callable[[NDArray[np.bool_]], Floats],
    tol: float,
    n_slots: int,
) -> Floats:
    """Return coefficients (K, n) >= 0 whose largest violated value (16) is ``tol``, if it can.

    ``evaluate`` gives the objective and its gradient (K, n), ``curvature`` the ``hessian`` of some
    variables where ``evaluate`` was last called. Variables at 0 that would fall are held there
    (Bertsekas, "Projected Newton methods", SIAM J. Control and Optimization 20, 1982); the ridge
    goes down with the residual (Levenberg, Marquardt), since stumps that vote alike, or alike for
    all classes, leave the Hessian singular. The result is never worse than ``coef``.
    """
    value, gradient = evaluate(coef)
    residual = _residual(coef, gradient)
    best = coef
    least = residual
    ridge = residual
    for _ in range(_MOST_STEPS):
        if residual <= tol:
            break
        near = min(1e-6, residual)
        free = (coef > near) | (gradient <= 0.0)
        if float(free.sum()) ** 2 * n_slots > _MOST_WORK:
            break
        matrix = curvature(free)
        while True:
            step = np.where(free, 0.0, -coef)
            step[free] = _solve(matrix, ridge, -gradient[free])
            tried = np.maximum(0.0, coef + step)
            new_value, new_gradient = evaluate(tried)
            new_residual = _residual(tried, new_gradient)
            margin = _ROUNDING * abs(value)
            # Where rounding hides the change of the objective, the residual decides.
            is_no_worse = new_value <= value + margin
            if new_value < value - margin or (is_no_worse and new_residual < residual):
                break
            ridge *= 8.0
            if ridge > _MOST_RIDGE * residual:
                return best
        coef = tried
        value = new_value
        gradient = new_gradient
        residual = new_residual
        ridge = min(0.2 * ridge, residual)
        if residual < least:
            best, least = coef, residual
    return best


def _residual(coef: Floats, gradient: Floats) -> float:
    return float(violated_values(coef, gradient).max())


def _solve(matrix: Floats, ridge: float, right: Floats) -> Floats:
    least = _LEAST_RIDGE * float(np.trace(matrix)) / max(1, matrix.shape[0])
    while True:
        shifted = matrix.copy()
        shifted.flat[:: matrix.shape[0] + 1] += max(ridge, least)
        try:
            solution: Floats = cho_solve(cho_factor(shifted, overwrite_a=True), right)
        except LinAlgError:
            ridge = 10.0 * max(ridge, least)
        else:
            return solution
