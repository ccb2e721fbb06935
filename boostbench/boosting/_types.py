"""The named tuples of arrays that the kernels of boosting pass to each other.

A *column* l is one binary problem over all samples: a class of MultiBoost-cw, a bit of a code.
Samples sit in slots, sorted by class (see ``_slots``); a vector (n_slots,) has zeros in the
padding.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
RandomStateLike = int | np.random.RandomState | None
Samples = NDArray[np.generic]  # as they are given, of any numeric type
Labels = NDArray[np.generic]
Stumps = NDArray[np.void]  # of ``stumps.STUMP_DTYPE``


class PresortedFeatures(NamedTuple):
    """Presorted features for the search of stumps, as ``encode_feature`` writes them.

    ``codes`` lists, feature by feature, slots in ascending order (slot << 1 | whether a threshold
    may follow); ``bounds`` (d, 3) delimit each feature's two parts, below and above its most
    frequent value, ``modes`` (d,) is a slot that has that value.
    """

    codes: NDArray[np.unsignedinteger]
    bounds: Integers
    modes: Integers


class Columns(NamedTuple):
    """``signs`` (K, L): the sign of class k in column l; ``starts`` (K + 1,): its first slot."""

    signs: Floats
    starts: Integers


class Quantised(NamedTuple):
    """Scratch: the weights of all columns as int32.

    ``scales`` (L,) are powers of two, ``rows`` (chunks, n_slots, width) twice the weights times
    these, ``totals`` (chunks, 2, width) their plain sums and how far the rows of a block reach;
    ``like`` is any tuple of ``width`` integers, from which the compiler knows the width.
    """

    scales: Floats
    rows: NDArray[np.int32]
    totals: NDArray[np.int32]
    like: tuple[int, ...]


class BestBlocks(NamedTuple):
    """The block of codes with the best stump so far, for each lane of a chunk.

    ``score`` (width, 2): the best score (-1: no stump but a constant one), and the running sum
    before the block; ``place`` (width, 5): feature, part (0 below, 1 above), the block's first code
    and its end, the end of the part. ``buffer`` (3, width) is scratch.
    """

    score: NDArray[np.int32]
    place: Integers
    buffer: NDArray[np.int32]


class Pairs(NamedTuple):
    """The pair loss in factorised form (see ``_pair_loss``).

    ``agreement`` and ``masses`` (K, n_slots); ``weights`` (n_slots,) of the samples; ``starts``
    (K + 1,), the first slot of each class; ``sums`` (n_blocks, 2) is scratch.
    """

    agreement: Floats
    weights: Floats
    starts: Integers
    masses: Floats
    sums: Floats


class Variables(NamedTuple):
    """The variables (class c, round j) of the master problem, for at most ``capacity`` rounds.

    ``bits`` (K, capacity, n_slots / 8): where a variable's stump has the sign of the sample;
    ``coef`` (K, capacity); ``theta`` (K, capacity) is scratch for the violated values (16).
    """

    bits: NDArray[np.uint8]
    coef: Floats
    theta: Floats


class Descent(NamedTuple):
    """The settings of Algorithm 2: ``c_over_p`` is C / p, ``tol`` and ``visit_tol`` bound (16).

    Sweeps after the first visit the variables whose violated value is above ``visit_tol``, the
    paper's epsilon, and end when none is above ``tol``, or after ``max_sweeps``.
    """

    c_over_p: float
    max_sweeps: int
    tol: float
    visit_tol: float
    adaboost_rule: bool
