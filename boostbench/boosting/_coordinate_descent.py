"""Fast coordinate descent (Algorithm 2) on the master problem, and its value and gradient.

Variables are (class c, row j): ``coef[c, j]`` multiplies the stump whose signs are ``bits[c, j]``.
The working set is visited class by class: within a class one row of masses is all that changes.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from boostbench.boosting._pair_loss import (
    add_step,
    agreement_from,
    agreement_sums,
    block_slots,
    class_masses,
    pair_masses,
    pair_sums,
    split_sums,
    step_and_split_sums,
)
from boostbench.kernels.arrays import indices, numbers
from boostbench.kernels.jit import helper, kernel


@helper
def best_coefficient(old, plus, minus, a, adaboost_rule):
    """Return the minimiser of (10) along one variable, from the sums at its current value ``old``.

    ``plus, minus`` are the sums of mu over D+ and D-, ``a = p / (2C)`` > 0. This is (12) in a form
    that neither overflows nor cancels; with ``adaboost_rule`` it is (13), except at minus = 0,
    where (13) is infinite.
    """
    if plus <= 0.0:
        return 0.0
    if adaboost_rule and minus > 0.0:
        return max(0.0, old + 0.5 * (math.log(plus) - math.log(minus)))
    root = math.sqrt(plus) * math.sqrt(minus)
    return max(0.0, old + math.log(plus) - math.log(math.hypot(root, a) + a))


@helper
def sweep_class(row, mass, bits, coef, picks, n_picks, a, adaboost_rule, sums):
    """Update the variables ``picks`` of one class in turn.

    ``row`` and ``mass`` (n_slots,) are the class's agreement and masses; both are kept current,
    ``mass`` up to the last update. ``sums`` (n_blocks, 2) is scratch.
    """
    n_blocks = sums.shape[0]
    step = new = 0.0
    for q in range(n_picks + 1):
        for block in range(n_blocks):
            first, end = block_slots(mass.shape[0], n_blocks, block)
            part, part_row = mass[first:end], row[first:end]
            first, end = first >> 3, end >> 3
            if q == n_picks:
                if step != 0.0:
                    add_step(part_row, bits[picks[q - 1], first:end], step)
            else:
                here = bits[picks[q], first:end]
                if step != 0.0:
                    before = bits[picks[q - 1], first:end]
                    plus, minus = step_and_split_sums(part_row, part, before, step, here)
                else:
                    plus, minus = split_sums(part, here)
                sums[block, 0], sums[block, 1] = plus, minus
        if q > 0:
            coef[picks[q - 1]] = new
        if q < n_picks:
            plus, minus = pair_sums(sums)
            old = coef[picks[q]]
            new = best_coefficient(old, plus, minus, a, adaboost_rule)
            step = new - old


@helper
def _next_random(state):
    """Marsaglia's xorshift64: the next random bits; ``state`` (1,) uint64, not 0, moves on."""
    z = state[0]
    z ^= z << np.uint64(13)
    z ^= z >> np.uint64(7)
    z ^= z << np.uint64(17)
    state[0] = z
    return z


@kernel
def shuffle(items, n, state):
    """Permute ``items[:n]`` at random."""
    for i in range(n - 1, 0, -1):
        j = np.intp((_next_random(state) >> np.uint64(16)) % np.uint64(i + 1))
        items[i], items[j] = items[j], items[i]


@kernel
def violations(masses, bits, coef, theta, n, c_over_p):
    """Fill ``theta[:, :n]`` with the violated values (16); return the largest."""
    for c in range(masses.shape[0]):
        agreement_sums(masses[c], bits[c], n, theta[c])
        for j in range(n):
            gradient = 1.0 - c_over_p * theta[c, j]
            theta[c, j] = abs(gradient) if coef[c, j] > 0.0 else max(0.0, -gradient)
    worst = 0.0
    for c in range(masses.shape[0]):
        for j in range(n):
            worst = max(worst, theta[c, j])
    return worst


@helper
def _above(values, n, bound, picks):
    """Fill ``picks`` with the j < n where ``values[j] > bound``; return how many there are."""
    count = 0
    for j in range(n):
        if values[j] > bound:
            picks[count] = j
            count += 1
    return count


@kernel
def descend(
    agreement,
    weights,
    starts,
    masses,
    sums,
    bits,
    coef,
    theta,
    c_over_p,
    max_sweeps,
    tol,
    visit_tol,
    adaboost_rule,
    first_new,
    n,
    random_state,
    mass,
):
    """Algorithm 2 from the present coefficients of rounds 0..n-1, of which the last are new.

    The new rounds are ``first_new..n-1``. Arguments are ``*Pairs, *Variables, *Descent`` and
    the rest; the first two are updated in place, ``masses`` to the final coefficients; ``mass``
    (n_slots,) is scratch.
    The arrays are plain arguments, since numba takes long to type a named tuple that comes from
    Python, and this is called every round.
    Returns the sum of mu and the sum of mu log mu.
    """
    n_classes = agreement.shape[0]
    a = 0.5 / c_over_p
    classes = numbers(0, n_classes)
    random_state = random_state.copy()
    picks = numbers(first_new, n)
    for c in range(n_classes if first_new < n else 0):
        class_masses(c, agreement, weights, starts, mass)
        row, n_picks = agreement[c], picks.shape[0]
        sweep_class(row, mass, bits[c], coef[c], picks, n_picks, a, adaboost_rule, sums)
    loss, entropy = pair_masses(agreement, weights, starts, masses, sums)
    picks = indices(n)
    sweeps = 1
    while sweeps < max_sweeps:
        if violations(masses, bits, coef, theta, n, c_over_p) <= tol:
            break
        shuffle(classes, n_classes, random_state)
        for c in classes:
            n_picks = _above(theta[c], n, visit_tol, picks)
            if n_picks:
                shuffle(picks, n_picks, random_state)
                class_masses(c, agreement, weights, starts, mass)
                row, old = agreement[c], coef[c]
                sweep_class(row, mass, bits[c], old, picks, n_picks, a, adaboost_rule, sums)
        loss, entropy = pair_masses(agreement, weights, starts, masses, sums)
        sweeps += 1
    return loss, entropy


@kernel
def loss_and_gradient(coef, agreement, weights, starts, masses, sums, bits, c_over_p, gradient):
    """Return the objective (2) at ``coef`` (K, n), and its gradient into ``gradient`` (K, n)."""
    n = coef.shape[1]
    for c in range(coef.shape[0]):
        agreement_from(coef[c], bits[c], n, agreement[c])
    total = 0.0
    for c in range(coef.shape[0]):
        for j in range(n):
            total += coef[c, j]
    loss, entropy = pair_masses(agreement, weights, starts, masses, sums)
    for c in range(coef.shape[0]):
        agreement_sums(masses[c], bits[c], n, gradient[c])
        for j in range(n):
            gradient[c, j] = 1.0 - c_over_p * gradient[c, j]
    return total + c_over_p * loss, loss, entropy
