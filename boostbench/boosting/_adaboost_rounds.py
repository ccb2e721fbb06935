"""The rounds of AdaBoost.MH, .MO and .ECC after the search of ``_stump_search``.

As there, column l is a binary problem; ``agreement[l, i]`` is the label of sample i in it times
its score, and its mass is ``weight_i * exp(-agreement[l, i])``.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from boostbench.boosting._pair_loss import add_step, block_slots, pair_sums, split_sums
from boostbench.kernels.float_vectors import (
    f8_add,
    f8_exp,
    f8_load,
    f8_mul,
    f8_splat,
    f8_store,
    f8_sub,
    f8_sum,
)
from boostbench.kernels.jit import kernel


@kernel
def label_masses(agreement, weights, masses, sums):
    """Fill ``masses`` (L, n_slots) and return their sum; ``sums`` (n_blocks, 2) is scratch."""
    n_blocks = sums.shape[0]
    for block in range(n_blocks):
        first, end = block_slots(weights.shape[0], n_blocks, block)
        total = f8_splat(0.0)
        for column in range(agreement.shape[0]):
            for i in range(first, end, 8):
                z = f8_sub(f8_splat(0.0), f8_load(agreement[column], i))
                mass = f8_mul(f8_load(weights, i), f8_exp(z))
                f8_store(masses[column], i, mass)
                total = f8_add(total, mass)
        sums[block, 0] = f8_sum(total)
    return pair_sums(sums)[0]


@kernel
def orient(masses, bits, at, votes):
    """Each column's vote for a shared stump: the sign of its edge; turns ``bits[:, at]`` to it."""
    for column in range(masses.shape[0]):
        plus, minus = split_sums(masses[column], bits[column, at])
        votes[column] = 1.0 if plus >= minus else -1.0
        if plus < minus:
            for b in range(bits.shape[2]):
                bits[column, at, b] = ~bits[column, at, b]


@kernel
def split_all(masses, bits, at, sums):
    """Return the masses of all columns that the round's stumps get right, and get wrong.

    ``sums`` (L, 2) is scratch.
    """
    for column in range(masses.shape[0]):
        sums[column, 0], sums[column, 1] = split_sums(masses[column], bits[column, at])
    return pair_sums(sums)


@kernel
def step_all(agreement, bits, at, step):
    """``agreement += step * g`` for the round's stumps."""
    for column in range(agreement.shape[0]):
        add_step(agreement[column], bits[column, at], step)


@kernel
def coloured_masses(masses, colours, starts, mass):
    """``mass`` (n_slots,): each sample's pair weights with the classes of the other colour.

    masses (K, n_slots) are ``pair_masses``, colours (K,) are +-1.
    """
    mass[:] = 0.0
    for k in range(colours.shape[0]):
        for y in range(colours.shape[0]):
            if colours[y] != colours[k]:
                for i in range(starts[k], starts[k + 1]):
                    mass[i] += masses[y, i]


@kernel
def coloured_sums(mass, colours, bits, starts, parts):
    """``sums[h, c]``: the masses where the stump says h and the sample's colour is c (0: -1).

    ``bits`` (n_slots / 8,) are set where the stump's sign is the sample's colour; ``parts``
    (n_blocks, 2, 2) is scratch.
    """
    n_blocks = parts.shape[0]
    for block in range(n_blocks):
        first, end = block_slots(mass.shape[0], n_blocks, block)
        part = parts[block]
        part[:] = 0.0
        for k in range(colours.shape[0]):
            colour = 1 if colours[k] > 0 else 0
            for i in range(max(first, starts[k]), min(end, starts[k + 1])):
                agrees = (bits[i >> 3] >> np.uint8(i & 7)) & 1
                part[colour if agrees else 1 - colour, colour] += mass[i]
    sums = np.zeros((2, 2))
    for block in range(n_blocks):
        for side in range(2):
            for colour in range(2):
                sums[side, colour] += parts[block, side, colour]
    return sums


@kernel
def coloured_step(agreement, colours, bits, starts, up, down):
    """Add half of ``g * colours[y]`` to class y's score, g = ``up`` where h = +1, else ``down``."""
    for k in range(colours.shape[0]):
        positive = colours[k] > 0
        for y in range(colours.shape[0]):
            factor = 0.5 * colours[y] if y == k else -0.5 * colours[y]
            for i in range(starts[k], starts[k + 1]):
                agrees = ((bits[i >> 3] >> np.uint8(i & 7)) & 1) != 0
                agreement[y, i] += factor * (up if agrees == positive else down)
