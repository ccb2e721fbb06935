"""The named tuples of arrays that the kernels of the local search pass to each other.

Features and target are standardised on the training rows (mean 0, population sd 1), so
that costs are ``N * J`` without the complexity term: a leaf's sum of squared residuals plus its
penalty. ``width`` is p rounded up to a multiple of 8, the columns that are added being 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.trees._types import FloatArray, IntArray


class Sample(NamedTuple):
    """``n`` training rows.

    ``rows`` (n, width + 8) are [x, 0 ..., 1, y, 0 ...], x having ``p`` features. The k values by
    which rows can be divided, as a rule the features, are given as ``order`` (k, n) int32, the rows
    from the lowest value on, and ``rank`` (k, n) int32, by row the number of its value among the
    distinct ones.
    """

    rows: FloatArray
    p: int
    order: NDArray[np.int32]
    rank: NDArray[np.int32]


class LassoPenalty(NamedTuple):
    """``half`` (width,): half the weight of |b_j| in a leaf's cost.

    ``by_count``: it is multiplied by the number of the leaf's rows.
    """

    half: FloatArray
    by_count: bool


class Gram(NamedTuple):
    """A leaf's centred products, from which everything of its regression follows.

    ``matrix`` (p, width) X'X, ``moment`` (width,) X'y, ``centre`` (width,) the mean of x,
    ``inverse`` (width,) one by the diagonal, 0 where a feature counts as constant; ``half``
    (width,) the leaf's :class:`LassoPenalty`; ``scalars`` (4,): y'y, the count, the mean of y,
    unused.
    """

    matrix: FloatArray
    moment: FloatArray
    centre: FloatArray
    inverse: FloatArray
    half: FloatArray
    scalars: FloatArray


class Scratch(NamedTuple):
    """Scratch: ``gradient`` (width,) X'r, ``factor`` (p, p), ``solution``, ``active`` (p,)."""

    gradient: FloatArray
    factor: FloatArray
    solution: FloatArray
    active: IntArray


class Pair(NamedTuple):
    """The two subtrees between which a scan divides a node's rows.

    ``inside`` (n,) uint8: 1 for the rows of the node. ``leaf`` (2, n) int8: the leaf of the left
    (0) and right (1) subtree that each row would reach. ``n_leaves`` (2,).
    """

    inside: NDArray[np.uint8]
    leaf: NDArray[np.int8]
    n_leaves: IntArray
