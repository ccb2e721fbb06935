"""A fitted model as a sum of distinct stumps, whichever rounds found them."""

from dataclasses import dataclass

import numpy as np

from boostbench.boosting._types import Floats, Integers, Stumps


@dataclass(frozen=True)
class Terms:
    """The score of column l is ``constants[l] + sum_q weights[q] * sign_q(x)`` over its terms q.

    ``sign_q(x)`` is +1 where ``x[features[q]] > thresholds[q]``, else -1. Terms (Q,) are in order
    of ``columns``, ``features``, ``thresholds``; constant stumps are in ``constants`` (L,).
    """

    columns: Integers
    features: Integers
    thresholds: Floats
    weights: Floats
    constants: Floats


def merge(stumps: Stumps, columns: Integers, weights: Floats, offsets: Floats) -> Terms:
    """Add up the weights of equal stumps (Q,), used in ``columns`` (Q,) with ``weights`` (Q,).

    ``offsets`` (L,) are the scores without any stump.
    """
    signed = weights * stumps["polarity"]
    constant = stumps["feature"] < 0
    constants = offsets + np.bincount(
        columns[constant], weights=signed[constant], minlength=offsets.shape[0]
    )
    used = np.flatnonzero(~constant)
    order = used[np.lexsort((stumps["threshold"][used], stumps["feature"][used], columns[used]))]
    column, feature = columns[order], stumps["feature"][order]
    threshold = stumps["threshold"][order]
    starts = np.ones(order.shape[0], dtype=bool)
    starts[1:] = (
        (column[1:] != column[:-1])
        | (feature[1:] != feature[:-1])
        | (threshold[1:] != threshold[:-1])
    )
    first = np.flatnonzero(starts)
    sums = np.zeros(first.shape[0])
    np.add.at(sums, np.cumsum(starts) - 1, signed[order])
    return Terms(column[first], feature[first], threshold[first], sums, constants)
