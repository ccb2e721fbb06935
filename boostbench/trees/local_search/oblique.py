"""Splits by several features: one weight of a hyperplane changed at a time, as in ORT-LH.

Features are measured from their lowest training value c, as if scaled to [0, 1]. With a change d of
weight j, a row goes left when w.x + d (x_j - c_j) < threshold, that is when
(w.x - threshold) / (x_j - c_j) < -d: rows cross from left to right only as d grows, so that all
values of d are those of a threshold on these ratios, and the scan of thresholds finds the best.
"""

import numpy as np

from boostbench.trees._types import FloatArray
from boostbench.trees.local_search._types import Sample
from boostbench.trees.local_search.problem import Problem, ordered
from boostbench.trees.local_search.tree import Split, midpoint, projection


def weights_of(split: Split, p: int) -> FloatArray:
    """Return the weights (p,) of the split."""
    return np.array(split.weights) if split.weights else np.eye(p)[split.feature]


def turning_values(problem: Problem, split: Split) -> FloatArray:
    """Return, for each weight, the ratio at which each row changes sides, then w.x: (p + 1, n).

    Rows that a weight cannot move have an infinite ratio with the sign of their side.
    """
    value = projection(tuple(weights_of(split, problem.p)), problem.columns)
    above = value - split.threshold
    rise = problem.columns - problem.lowest[:, None]
    fixed = np.where(above < 0.0, -np.inf, np.inf)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = np.where(rise > 0.0, above / rise, fixed)
    return np.vstack([ratios, value])


def as_features(sample: Sample, values: FloatArray) -> Sample:
    """Return the sample with ``values`` (k, n) to divide its rows by."""
    pairs = [ordered(row) for row in values]
    order = np.array([order for order, _ in pairs], dtype=np.int32)
    rank = np.array([rank for _, rank in pairs], dtype=np.int32)
    return sample._replace(order=order, rank=rank)


def turned(problem: Problem, split: Split, number: int, below: float, above: float) -> Split:
    """Return ``split`` after the change ``number`` that divides its values ``below | above``."""
    middle = _between(below, above)
    weights = weights_of(split, problem.p)
    if number == problem.p:
        return Split(-2, middle, tuple(weights.tolist()))
    weights[number] -= middle
    threshold = split.threshold - middle * float(problem.lowest[number])
    return Split(-2, threshold, tuple(weights.tolist()))


def _between(below: float, above: float) -> float:
    if np.isinf(below):
        return above - (1.0 + abs(above)) if np.isfinite(above) else 0.0
    return below + (1.0 + abs(below)) if np.isinf(above) else midpoint(below, above)
