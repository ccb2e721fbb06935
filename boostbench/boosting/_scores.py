"""Scores of many samples from many stumps."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from boostbench.kernels.jit import kernel

# Samples that stay in the first-level cache while all stumps pass over them.
_TILE = 1024


@kernel
def add_scores(values, places, thresholds, polarities, stumps, columns, steps, scores):
    """``scores[columns[q]] += steps[q] * h_q`` for each q in order.

    ``h_q`` is stump ``stumps[q]``, which reads row ``places[...]`` of ``values`` (n_used_features,
    n_samples), or is constant where that is -1; scores (L, n_samples) float64.
    """
    n = scores.shape[1]
    for first in range(0, n, _TILE):
        last = min(first + _TILE, n)
        for q in range(steps.shape[0]):
            stump = stumps[q]
            step = steps[q] * polarities[stump]
            out = scores[columns[q], first:last]
            if places[stump] < 0:
                for i in range(last - first):
                    out[i] += step
            else:
                threshold = thresholds[stump]
                x = values[places[stump], first:last]
                for i in range(last - first):
                    out[i] += step if np.float64(x[i]) > threshold else -step
