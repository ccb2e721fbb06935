"""The branch step: loss and gradient of a subtree in its branch coefficients.

Their minimisation is truncated, by L-BFGS or by the quasi-Newton iterations of SLSQP.
"""

from typing import NamedTuple

import numpy as np

from boostbench.kernels.arrays import matrix, vector
from boostbench.kernels.elementwise import FASTMATH, dot, sigmoid
from boostbench.kernels.jit import helper
from boostbench.trees._blocks import BLOCK, blocks_of
from boostbench.trees._heap import put_subtree, take_subtree
from boostbench.trees._products import add_products_of_nodes, affine_of_nodes
from boostbench.trees._types import FloatArray, Subtree

_MEMORY = 8
# SLSQP's line search: the share of the predicted decrease that is enough, and its evaluations.
_SLSQP_DECREASE = 0.1
_SLSQP_TRIALS = 11


class _Pairs(NamedTuple):
    """The last steps and changes of the gradient, (memory, size), and 1 / (s.y)."""

    steps: FloatArray
    changes: FloatArray
    rho: FloatArray


@helper(fastmath=FASTMATH)
def join(p, left, right, difference, out, n):
    for i in range(n):
        d = left[i] - right[i]
        difference[i] = d
        out[i] = right[i] + p[i] * d


@helper(fastmath=FASTMATH)
def slope_product(reach, p, difference, out, n):
    for i in range(n):
        out[i] = reach[i] * p[i] * (1.0 - p[i]) * difference[i]


@helper(fastmath=FASTMATH)
def split(reach, p, left, right, n):
    for i in range(n):
        q = reach[i] * p[i]
        left[i] = q
        right[i] = reach[i] - q


@helper
def _loss_of_block(subtree, b, coef, grad, nodes):
    """Return block ``b``'s part of :func:`subtree_loss`, and add its gradient to ``grad``."""
    reach, bottoms = subtree.reach, subtree.bottoms
    n_nodes = coef.shape[0]
    probability = nodes[0]
    difference = nodes[1]
    loss = nodes[2]
    arrive = nodes[3]
    rows, first = subtree.blocks[b], b * BLOCK
    m = min(BLOCK, subtree.n - first)
    root_reach = reach[first : first + m]
    affine_of_nodes(rows, coef, probability[1:], m)
    for t in range(n_nodes, 0, -1):
        p = probability[t]
        sigmoid(p, m)
        if 2 * t > n_nodes:
            k = 2 * t - n_nodes - 1
            left = bottoms[k, first : first + m]
            right = bottoms[k + 1, first : first + m]
            join(p, left, right, difference[t], loss[t], m)
        else:
            join(p, loss[2 * t], loss[2 * t + 1], difference[t], loss[t], m)
    value = dot(root_reach, loss[1], m)
    # The losses of the nodes are not needed any more: their slopes take the place.
    slope = loss
    for t in range(1, n_nodes + 1):
        p = probability[t]
        if t == 1:
            slope_product(root_reach, p, difference[t], slope[t], m)
            if n_nodes > 1:
                split(root_reach, p, arrive[2], arrive[3], m)
        else:
            slope_product(arrive[t], p, difference[t], slope[t], m)
            if 2 * t < n_nodes:
                split(arrive[t], p, arrive[2 * t], arrive[2 * t + 1], m)
    add_products_of_nodes(rows, slope[1:], grad, m)
    return value


@helper
def subtree_loss(subtree, coef, grad, nodes):
    """Return sum_i reach_i * S_i, where S is the subtree's expected loss, and fill ``grad``.

    ``coef`` and ``grad`` are (k, p + 1) in heap order; ``nodes`` (4, 2 * k + 2 or more, BLOCK) is
    scratch.
    """
    grad[:] = 0.0
    total = 0.0
    for b in range(blocks_of(subtree.n)):
        total += _loss_of_block(subtree, b, coef, grad, nodes)
    return total


@helper
def penalised_subtree_loss(subtree, coef, grad, penalty, nodes):
    """:func:`subtree_loss` plus half the weighted squared norm of the coefficients."""
    value = subtree_loss(subtree, coef, grad, nodes)
    if penalty.intercept > 0.0 or penalty.slope > 0.0:
        for t in range(coef.shape[0]):
            for j in range(coef.shape[1]):
                weight = penalty.intercept if j == 0 else penalty.slope
                value += 0.5 * weight * coef[t, j] * coef[t, j]
                grad[t, j] += weight * coef[t, j]
    return value


@helper
def _direction(grad, pairs, count, rescale, out):
    """Two-loop recursion: ``out`` = -H grad from the last of ``count`` pairs.

    It starts from the identity, or with ``rescale`` from its multiple that fits the last pair.
    """
    steps = pairs.steps
    changes = pairs.changes
    rho = pairs.rho
    size, memory = grad.shape[0], steps.shape[0]
    alpha = vector(memory)
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
    if rescale and stored > 0:
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


@helper
def _damp(step, change, grad, alpha, slope, sy):
    """Powell's damping of ``change``, so that B stays positive definite; return the new s.y.

    ``grad`` is the gradient after the step s = alpha d; B s = -alpha times the one before it.
    """
    curvature = -alpha * alpha * slope
    if sy >= 0.2 * curvature:
        return sy
    share = 0.8 * curvature / (curvature - sy)
    damped = 0.0
    for i in range(step.shape[0]):
        before = grad[i] - change[i]
        change[i] = share * change[i] - (1.0 - share) * alpha * before
        damped += step[i] * change[i]
    return damped


@helper
def minimise_subtree(  # noqa: C901, PLR0915 -- one iteration on shared arrays
    subtree, coef, step, tol, penalty, nodes
):
    """Minimise the penalised subtree loss in place as ``step`` says; return the loss reached.

    Stops early when the gradient's largest entry is at most ``tol``.
    """
    size = coef.size
    flat = coef.reshape(size)
    grad = matrix(coef.shape[0], coef.shape[1])
    flat_grad = grad.reshape(size)
    trial = matrix(coef.shape[0], coef.shape[1])
    flat_trial = trial.reshape(size)
    trial_grad = matrix(coef.shape[0], coef.shape[1])
    flat_trial_grad = trial_grad.reshape(size)
    # SLSQP keeps the whole matrix, so its iterations need all pairs.
    memory = step.max_iter if step.slsqp else _MEMORY
    steps, changes = matrix(memory, size), matrix(memory, size)
    rho = vector(memory)
    pairs = _Pairs(steps, changes, rho)
    direction = vector(size)
    # A plain 0 would have _direction compiled a second time, for the literal.
    count = np.int64(0)
    scale = vector(size)
    for i in range(size):
        scale[i] = 1.0 if i % coef.shape[1] == 0 else step.slope_scale
    value = penalised_subtree_loss(subtree, coef, grad, penalty, nodes)
    for i in range(size):
        flat_grad[i] *= scale[i]
    for _ in range(step.max_iter):
        largest = 0.0
        for i in range(size):
            largest = max(largest, abs(flat_grad[i]))
        if not largest > tol:
            break
        _direction(flat_grad, pairs, count, not step.slsqp, direction)
        slope = 0.0
        length = 0.0
        for i in range(size):
            slope += direction[i] * flat_grad[i]
            length += direction[i] * direction[i]
        length = np.sqrt(length)
        alpha = 1.0
        if not step.slsqp and count == 0 and length > step.first_step:
            alpha = step.first_step / length
        accepted = False
        new_value = value
        least = _SLSQP_DECREASE if step.slsqp else 1e-4
        longest = 1.0 if step.slsqp else 0.5
        for _ in range(_SLSQP_TRIALS if step.slsqp else 20):
            for i in range(size):
                flat_trial[i] = flat[i] + alpha * scale[i] * direction[i]
            new_value = penalised_subtree_loss(subtree, trial, trial_grad, penalty, nodes)
            if new_value <= value + least * alpha * slope:
                accepted = True
                break
            curvature = new_value - value - alpha * slope
            shrink = 0.5
            if curvature > 0.0:
                shrink = min(longest, max(0.1, -0.5 * alpha * slope / curvature))
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
        if step.slsqp:
            sy = _damp(steps[k], changes[k], flat_grad, alpha, slope, sy)
        if sy > 1e-12:
            rho[k] = 1.0 / sy
            count += 1
    return value


@helper
def branch_step(here, tree, expected, node, down, step, penalty, space):
    """Minimise the expected loss of the points ``here`` over ``down`` levels from ``node`` on.

    ``here`` are the points ``space.chosen`` of those of ``expected``.
    """
    n = here.n
    width = 1 << down
    chosen = space.chosen
    bottoms = space.store[: width * n].reshape(width, n)
    for k in range(width):
        source, target = expected.loss[(node << down) + k], bottoms[k]
        for i in range(n):
            target[i] = source[chosen[i]]
    rows = take_subtree(tree.branch, node, down)
    subtree = Subtree(here.blocks, n, here.weights, bottoms)
    minimise_subtree(subtree, rows, step, step.tol * here.total, penalty, space.nodes)
    put_subtree(rows, node, down, tree.branch)
