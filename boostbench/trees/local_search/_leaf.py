"""The regression of one leaf, as exact as float64 allows, from its rows less their mean."""

import numpy as np

from boostbench.kernels.arrays import vector
from boostbench.kernels.jit import kernel
from boostbench.trees.local_search._gram import (
    centred_rows,
    make_gram,
    make_scratch,
    packed_length,
    unpack,
)
from boostbench.trees.local_search._lasso import solve_leaf

_TOLERANCE = 1e-12


@kernel
def fit_leaf(sample, penalty, penalised, chosen, coef):
    """Set ``coef`` (width + 1,) for the rows ``chosen``, intercept last; return the leaf's cost."""
    width = penalty.half.shape[0]
    p = sample.p
    packed = vector(packed_length(width))
    z = vector(64 * (width + 8))
    centre = vector(width + 1)
    gram = make_gram(p, width)
    coef[:] = 0.0
    centred_rows(sample.rows, chosen, chosen.shape[0], z, centre, packed)
    unpack(packed, penalty, gram)
    slopes = coef[:width]
    cost = solve_leaf(gram, penalised, slopes, np.inf, _TOLERANCE, make_scratch(p, width))[1]
    intercept = centre[width]
    for j in range(p):
        intercept -= slopes[j] * centre[j]
    coef[width] = intercept
    return cost
