"""The exponential pair weights of MultiBoost-cw, kept in factorised form.

State is the *agreement* (K, n_slots): ``agreement[c, i] = sum_j w_cj g_cj(i)`` with
``g = h(x_i)`` for samples of class c and ``-h(x_i)`` for the others, so that

    mu(i, y) = weight_i * exp(-(agreement[y, i] + agreement[class of i, i])),

and the *mass* of sample i in column c, on which variable (c, j) acts by exp(-w g), is mu(i, c) for
other classes and ``s_i``, the sum of mu(i, y) over y != class, for its own. Nothing but sums of
positive terms is ever formed. ``bits`` hold g: bit i of row j set where g_cj(i) = +1.

Sums over slots are those of ``n_blocks`` blocks, added in order.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from boostbench.kernels.float_vectors import (
    f8_add,
    f8_exp,
    f8_load,
    f8_mul,
    f8_pick,
    f8_splat,
    f8_store,
    f8_sub,
    f8_sum,
)
from boostbench.kernels.jit import helper, kernel

# Slots that one pass over many stumps keeps in the first-level cache.
_TILE = 1024


@helper
def block_slots(n_slots, n_blocks, block):
    """Return the first slot of a block and its end, both multiples of eight."""
    eights = n_slots // 8
    return 8 * (eights * block // n_blocks), 8 * (eights * (block + 1) // n_blocks)


@helper
def pair_sums(sums):
    """Return the two sums over the blocks of ``sums`` (n_blocks, 2), added in order."""
    first, second = sums[0, 0], sums[0, 1]
    for block in range(1, sums.shape[0]):
        first += sums[block, 0]
        second += sums[block, 1]
    return first, second


@kernel
def pair_masses(agreement, weights, starts, masses, sums):
    """Fill ``masses`` (K, n_slots); return the sum of mu and the sum of mu * log(mu / weight).

    ``sums`` (n_blocks, 2) is scratch.
    """
    n_blocks = sums.shape[0]
    n_classes = agreement.shape[0]
    zero = f8_splat(0.0)
    for block in range(n_blocks):
        first, end = block_slots(weights.shape[0], n_blocks, block)
        loss = entropy = zero
        for k in range(n_classes):
            for i in range(max(first, starts[k]), min(end, starts[k + 1]), 8):
                own = f8_load(agreement[k], i)
                weight = f8_load(weights, i)
                total = zero
                for y in range(n_classes):
                    if y != k:
                        z = f8_sub(zero, f8_add(f8_load(agreement[y], i), own))
                        mu = f8_mul(weight, f8_exp(z))
                        f8_store(masses[y], i, mu)
                        total = f8_add(total, mu)
                        entropy = f8_add(entropy, f8_mul(mu, z))
                f8_store(masses[k], i, total)
                loss = f8_add(loss, total)
        sums[block, 0] = f8_sum(loss)
        sums[block, 1] = f8_sum(entropy)
    return pair_sums(sums)


@helper
def class_masses(column, agreement, weights, starts, mass):
    """Fill ``mass`` (n_slots,) with only the row ``column`` of ``pair_masses``."""
    zero = f8_splat(0.0)
    row = agreement[column]
    for k in range(agreement.shape[0]):
        own = agreement[k]
        if k != column:
            for i in range(starts[k], starts[k + 1], 8):
                z = f8_sub(zero, f8_add(f8_load(row, i), f8_load(own, i)))
                f8_store(mass, i, f8_mul(f8_load(weights, i), f8_exp(z)))
        else:
            for i in range(starts[k], starts[k + 1], 8):
                mine = f8_load(own, i)
                total = zero
                for y in range(agreement.shape[0]):
                    if y != k:
                        z = f8_sub(zero, f8_add(f8_load(agreement[y], i), mine))
                        total = f8_add(total, f8_exp(z))
                f8_store(mass, i, f8_mul(f8_load(weights, i), total))


@helper
def split_sums(mass, bits):
    """Return the sums of ``mass`` where g = +1 and where g = -1."""
    zero = f8_splat(0.0)
    p0 = p1 = n0 = n1 = zero
    n_bytes = bits.shape[0]
    b = 0
    while b + 2 <= n_bytes:
        x = f8_load(mass, 8 * b)
        y = f8_load(mass, 8 * b + 8)
        p0 = f8_add(p0, f8_pick(bits[b], x, zero))
        n0 = f8_add(n0, f8_pick(bits[b], zero, x))
        p1 = f8_add(p1, f8_pick(bits[b + 1], y, zero))
        n1 = f8_add(n1, f8_pick(bits[b + 1], zero, y))
        b += 2
    if b < n_bytes:
        x = f8_load(mass, 8 * b)
        p0 = f8_add(p0, f8_pick(bits[b], x, zero))
        n0 = f8_add(n0, f8_pick(bits[b], zero, x))
    return f8_sum(f8_add(p0, p1)), f8_sum(f8_add(n0, n1))


@helper
def add_step(row, bits, step):
    """``row += step * g``."""
    up = f8_splat(step)
    down = f8_splat(-step)
    for b in range(bits.shape[0]):
        f8_store(row, 8 * b, f8_add(f8_load(row, 8 * b), f8_pick(bits[b], up, down)))


@helper
def step_and_split_sums(row, mass, bits, step, next_bits):
    """``row += step * g; mass *= exp(-step * g)``, then ``split_sums(mass, next_bits)``."""
    zero = f8_splat(0.0)
    up = f8_splat(step)
    down = f8_splat(-step)
    shrink = f8_splat(np.exp(-step))
    grow = f8_splat(np.exp(step))
    p = zero
    n = zero
    for b in range(bits.shape[0]):
        g = bits[b]
        f8_store(row, 8 * b, f8_add(f8_load(row, 8 * b), f8_pick(g, up, down)))
        x = f8_mul(f8_load(mass, 8 * b), f8_pick(g, shrink, grow))
        f8_store(mass, 8 * b, x)
        p = f8_add(p, f8_pick(next_bits[b], x, zero))
        n = f8_add(n, f8_pick(next_bits[b], zero, x))
    return f8_sum(p), f8_sum(n)


@helper
def agreement_sums(mass, bits, n, out):
    """``out[j] = sum_i mass[i] g_j(i)`` for the first ``n`` rows of ``bits`` (n, n_slots / 8)."""
    n_bytes = bits.shape[1]
    zero = f8_splat(0.0)
    out[:n] = 0.0
    for first in range(0, n_bytes, _TILE // 8):
        last = min(first + _TILE // 8, n_bytes)
        j = 0
        while j + 4 <= n:
            a = b = c = d = zero
            row_a = bits[j]
            row_b = bits[j + 1]
            row_c = bits[j + 2]
            row_d = bits[j + 3]
            for k in range(first, last):
                x = f8_load(mass, 8 * k)
                minus = f8_sub(zero, x)
                a = f8_add(a, f8_pick(row_a[k], x, minus))
                b = f8_add(b, f8_pick(row_b[k], x, minus))
                c = f8_add(c, f8_pick(row_c[k], x, minus))
                d = f8_add(d, f8_pick(row_d[k], x, minus))
            out[j] += f8_sum(a)
            out[j + 1] += f8_sum(b)
            out[j + 2] += f8_sum(c)
            out[j + 3] += f8_sum(d)
            j += 4
        while j < n:
            a = zero
            row_a = bits[j]
            for k in range(first, last):
                x = f8_load(mass, 8 * k)
                a = f8_add(a, f8_pick(row_a[k], x, f8_sub(zero, x)))
            out[j] += f8_sum(a)
            j += 1


@kernel
def agreement_from(coef, bits, n, row):
    """``row = sum_j coef[j] g_j`` over the first ``n`` rows of ``bits``, added in that order."""
    n_bytes = bits.shape[1]
    row[:] = 0.0
    for first in range(0, n_bytes, _TILE // 8):
        last = min(first + _TILE // 8, n_bytes)
        for j in range(n):
            if coef[j] != 0.0:
                up = f8_splat(coef[j])
                down = f8_splat(-coef[j])
                g = bits[j]
                for k in range(first, last):
                    x = f8_add(f8_load(row, 8 * k), f8_pick(g[k], up, down))
                    f8_store(row, 8 * k, x)
