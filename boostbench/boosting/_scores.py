"""Scores of many samples from many stumps."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from boostbench.kernels.jit import kernel

# Samples that stay in the first-level cache while all stumps pass over them.
_TILE = 1024


@kernel
def add_scores(values, stumps, update, scores):
    """``scores[columns[q]] += steps[q] * h_q`` for each q of ``update`` in order.

    ``h_q`` is its stump, which reads row ``places[...]`` of ``values`` (n_used_features,
    n_samples), or is constant where that is -1; scores (L, n_samples) float64.
    """
    places, thresholds, polarities = stumps.places, stumps.thresholds, stumps.polarities
    n = scores.shape[1]
    for first in range(0, n, _TILE):
        last = min(first + _TILE, n)
        for q in range(update.steps.shape[0]):
            stump = update.stumps[q]
            step = update.steps[q] * polarities[stump]
            out = scores[update.columns[q], first:last]
            if places[stump] < 0:
                for i in range(last - first):
                    out[i] += step
            else:
                threshold = thresholds[stump]
                x = values[places[stump], first:last]
                for i in range(last - first):
                    out[i] += step if np.float64(x[i]) > threshold else -step
