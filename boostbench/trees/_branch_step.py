"""Loss and gradient of a subtree in its branch coefficients, and their truncated minimisation.

Everything is in the inner coefficients v of z = v0 + v.x, which absorb mu and 1/p of eq. (1):
v0 = mu * omega0, v_j = mu * omega_j / p. Losses are sums over points, not means.
"""

import numpy as np

from boostbench.kernels.elementwise import FASTMATH, add_products, affine, dot, sigmoid
from boostbench.kernels.jit import kernel
from boostbench.trees._blocks import BLOCK


@kernel(fastmath=FASTMATH)
def _join(p, left, right, difference, out, n):
    for i in range(n):
        d = left[i] - right[i]
        difference[i] = d
        out[i] = right[i] + p[i] * d


@kernel(fastmath=FASTMATH)
def _slope(reach, p, difference, out, n):
    for i in range(n):
        out[i] = reach[i] * p[i] * (1.0 - p[i]) * difference[i]


@kernel(fastmath=FASTMATH)
def _split(reach, p, left, right, n):
    for i in range(n):
        q = reach[i] * p[i]
        left[i] = q
        right[i] = reach[i] - q


@kernel
def subtree_loss(tiles, n, bottoms, reach, coef, grad, work):
    """Return sum_i reach_i * S_i, where S is the subtree's expected loss, and fill ``grad``.

    ``bottoms`` (k + 1, n) are the losses of what hangs below the subtree's k branch nodes, from
    left to right; ``coef`` and ``grad`` are (k, p + 1) in heap order; ``reach`` (n,) is the
    probability of arriving at the subtree's root; ``work`` is (4, 2 * k + 2, BLOCK).
    """
    n_nodes = coef.shape[0]
    probability, difference, loss, arrive = work[0], work[1], work[2], work[3]
    slope = probability[0]
    grad[:] = 0.0
    total = 0.0
    for b in range((n + BLOCK - 1) // BLOCK):
        rows = tiles[b]
        first = b * BLOCK
        m = min(BLOCK, n - first)
        root_reach = reach[first : first + m]
        for t in range(n_nodes, 0, -1):
            p = probability[t]
            affine(rows, coef[t - 1], p, m)
            sigmoid(p, m)
            if 2 * t > n_nodes:
                k = 2 * t - n_nodes - 1
                left = bottoms[k, first : first + m]
                right = bottoms[k + 1, first : first + m]
                _join(p, left, right, difference[t], loss[t], m)
            else:
                _join(p, loss[2 * t], loss[2 * t + 1], difference[t], loss[t], m)
        total += dot(root_reach, loss[1], m)
        for t in range(1, n_nodes + 1):
            p = probability[t]
            if t == 1:
                _slope(root_reach, p, difference[t], slope, m)
                if n_nodes > 1:
                    _split(root_reach, p, arrive[2], arrive[3], m)
            else:
                _slope(arrive[t], p, difference[t], slope, m)
                if 2 * t < n_nodes:
                    _split(arrive[t], p, arrive[2 * t], arrive[2 * t + 1], m)
            add_products(rows, slope, grad[t - 1], m)
    return total


@kernel
def penalised_subtree_loss(
    tiles, n, bottoms, reach, coef, grad, work, penalty_intercept, penalty_slope
):
    """:func:`subtree_loss` plus half the weighted squared norm of the coefficients."""
    value = subtree_loss(tiles, n, bottoms, reach, coef, grad, work)
    if penalty_intercept > 0.0 or penalty_slope > 0.0:
        for t in range(coef.shape[0]):
            for j in range(coef.shape[1]):
                weight = penalty_intercept if j == 0 else penalty_slope
                value += 0.5 * weight * coef[t, j] * coef[t, j]
                grad[t, j] += weight * coef[t, j]
    return value


@kernel
def _direction(grad, steps, changes, rho, count, memory, out):
    """Two-loop recursion: ``out`` = -H grad from the last ``memory`` pairs."""
    size = grad.shape[0]
    alpha = np.empty(memory)
    for i in range(size):
        out[i] = -grad[i]
    stored = min(count, memory)
    for back in range(stored):
        k = (count - 1 - back) % memory
        a = 0.0
        for i in range(size):
            a += steps[k, i] * out[i]
        a *= rho[k]
        alpha[k] = a
        for i in range(size):
            out[i] -= a * changes[k, i]
    if stored > 0:
        k = (count - 1) % memory
        yy = 0.0
        for i in range(size):
            yy += changes[k, i] * changes[k, i]
        scale = 1.0 / (rho[k] * yy)
        for i in range(size):
            out[i] *= scale
    for back in range(stored - 1, -1, -1):
        k = (count - 1 - back) % memory
        b = 0.0
        for i in range(size):
            b += changes[k, i] * out[i]
        b *= rho[k]
        for i in range(size):
            out[i] += (alpha[k] - b) * steps[k, i]


@kernel
def minimise_subtree(
    tiles,
    n,
    bottoms,
    reach,
    coef,
    work,
    penalty_intercept,
    penalty_slope,
    slope_scale,
    max_iter,
    first_step,
    tol,
):
    """Minimise the penalised subtree loss in place by at most ``max_iter`` steps of L-BFGS.

    The steps are taken in the metric of (v0, v_j / slope_scale): 1 for v itself, 1 / p for omega.
    The first one has length ``first_step`` at most; stops early when the gradient's largest entry
    is at most ``tol``. Returns the loss reached.
    """
    memory = 8
    size = coef.size
    flat = coef.reshape(size)
    grad = np.empty(coef.shape)
    flat_grad = grad.reshape(size)
    trial = np.empty(coef.shape)
    flat_trial = trial.reshape(size)
    trial_grad = np.empty(coef.shape)
    flat_trial_grad = trial_grad.reshape(size)
    steps = np.empty((memory, size))
    changes = np.empty((memory, size))
    rho = np.empty(memory)
    direction = np.empty(size)
    count = 0
    scale = np.full(size, slope_scale)
    scale[:: coef.shape[1]] = 1.0
    value = penalised_subtree_loss(
        tiles, n, bottoms, reach, coef, grad, work, penalty_intercept, penalty_slope
    )
    flat_grad *= scale
    for _ in range(max_iter):
        largest = 0.0
        for i in range(size):
            largest = max(largest, abs(flat_grad[i]))
        if not largest > tol:
            break
        _direction(flat_grad, steps, changes, rho, count, memory, direction)
        slope = 0.0
        length = 0.0
        for i in range(size):
            slope += direction[i] * flat_grad[i]
            length += direction[i] * direction[i]
        length = np.sqrt(length)
        alpha = 1.0
        if count == 0 and length > first_step:
            alpha = first_step / length
        accepted = False
        new_value = value
        for _ in range(20):
            for i in range(size):
                flat_trial[i] = flat[i] + alpha * scale[i] * direction[i]
            new_value = penalised_subtree_loss(
                tiles, n, bottoms, reach, trial, trial_grad, work, penalty_intercept, penalty_slope
            )
            if new_value <= value + 1e-4 * alpha * slope:
                accepted = True
                break
            curvature = new_value - value - alpha * slope
            shrink = 0.5
            if curvature > 0.0:
                shrink = min(0.5, max(0.1, -0.5 * alpha * slope / curvature))
            alpha *= shrink
        if not accepted:
            break
        k = count % memory
        sy = 0.0
        for i in range(size):
            flat_trial_grad[i] *= scale[i]
            s = alpha * direction[i]
            y = flat_trial_grad[i] - flat_grad[i]
            steps[k, i] = s
            changes[k, i] = y
            sy += s * y
            flat[i] = flat_trial[i]
            flat_grad[i] = flat_trial_grad[i]
        value = new_value
        if sy > 1e-12:
            rho[k] = 1.0 / sy
            count += 1
    return value
