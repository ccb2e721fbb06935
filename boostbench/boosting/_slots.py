"""Where each sample sits while a model is trained: sorted by class, each class padded to eights."""

from dataclasses import dataclass

import numpy as np

from boostbench.boosting._types import Floats, Integers, Pairs
from boostbench.kernels.arrays import aligned_zeros

LANES = 8
# Sums over more slots than twice this are sums of blocks.
_BLOCK = 1 << 14


@dataclass(frozen=True)
class Slots:
    """The training samples in class order, so that a class is a range and a SIMD vector one class.

    ``rows`` (n_slots,) is the sample in each slot, -1 in the padding; ``starts`` (K + 1,) the first
    slot of each class; ``weights`` (n_slots,) the sample weights, 0 in the padding;
    ``slot_of`` (n_samples,) the slot of each sample, -1 for those of weight 0, which are left out.
    """

    rows: Integers
    starts: Integers
    weights: Floats
    slot_of: Integers

    @property
    def n_slots(self) -> int:
        return len(self.rows)

    @property
    def n_blocks(self) -> int:
        """The number of blocks of the sums over slots."""
        return max(1, self.n_slots // _BLOCK)

    @property
    def n_classes(self) -> int:
        return len(self.starts) - 1

    @property
    def n_pairs(self) -> float:
        """The paper's p = m (K - 1), where m is the sum of the sample weights."""
        return float(self.weights.sum()) * (self.n_classes - 1)

    def pairs(self, n_columns: int) -> Pairs:
        """Return new arrays for the pair loss, with an agreement of 0."""
        agreement = aligned_zeros((n_columns, self.n_slots))
        masses = aligned_zeros((n_columns, self.n_slots))
        return Pairs(agreement, self.weights, self.starts, masses, np.zeros((self.n_blocks, 2)))


def make_slots(y: Integers, n_classes: int, sample_weight: Floats | None = None) -> Slots:
    """Lay out samples of class codes ``y`` (n_samples,) in 0..n_classes-1."""
    weight = np.ones(y.shape[0]) if sample_weight is None else sample_weight
    kept = np.flatnonzero(weight > 0)
    if kept.size:
        # Only ratios of weights count, and a power of two leaves them as they are.
        weight = np.ldexp(weight, 1 - int(np.frexp(weight.max())[1]))
    kept = kept[np.argsort(y[kept], kind="stable")]
    counts = np.bincount(y[kept], minlength=n_classes)
    starts = np.zeros(n_classes + 1, dtype=np.intp)
    np.cumsum(-(-counts // LANES) * LANES, out=starts[1:])
    first_kept = np.cumsum(counts) - counts
    places = starts[y[kept]] + np.arange(kept.shape[0]) - first_kept[y[kept]]
    rows = np.full(starts[-1], -1, dtype=np.intp)
    rows[places] = kept
    weights = np.zeros(starts[-1])
    weights[places] = weight[kept]
    slot_of = np.full(y.shape[0], -1, dtype=np.intp)
    slot_of[kept] = places
    return Slots(rows, starts, weights, slot_of)
