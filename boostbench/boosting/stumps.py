"""Decision stumps: how they are stored, evaluated, and found exactly for many problems at once.

A stump says ``polarity`` where ``x[feature] > threshold`` and ``-polarity`` elsewhere; a constant
one has feature -1 and says ``polarity`` everywhere. Of equally good stumps the one with the lowest
feature wins, then the lowest threshold, then polarity +1; a constant stump comes last. Thresholds
lie half-way between neighbouring distinct values, never on the upper one.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.boosting._shared_stump_search import search_shared
from boostbench.boosting._slots import Slots, make_slots
from boostbench.boosting._stump_search import encode_feature, search, write_bits
from boostbench.boosting._types import (
    Columns,
    Floats,
    Integers,
    PresortedFeatures,
    Quantised,
    Samples,
    Stumps,
)
from boostbench.boosting.errors import InputError
from boostbench.kernels.arrays import aligned_zeros
from boostbench.kernels.jit import entry_of

STUMP_DTYPE = np.dtype(
    [("class", np.intp), ("feature", np.intp), ("threshold", np.float64), ("polarity", np.int8)]
)
MAX_WIDTH = 32
# More slots than this need codes of 32 bits: one bit of a code is a flag.
MOST_SHORT_SLOTS = 1 << 15
# Bytes of a row of X that are transposed at a time: a cache line.
_LINE = 64


def row_width(n_columns: int) -> int:
    """How many int32 lanes a row of weights gets: 4, 8, 16 or 32."""
    width = 4
    while width < min(n_columns, MAX_WIDTH):
        width *= 2
    return width


def midpoints(low: Floats, high: Floats) -> Floats:
    """Thresholds t with low <= t < high, half-way if floating point allows."""
    middle = 0.5 * low + 0.5 * high
    return np.where((middle >= low) & (middle < high), middle, low)


def order_of(values: Floats) -> Integers:
    """Return an order in which ``values`` (n,) ascend; small integers go faster."""
    low, high = values.min(), values.max()
    # Halves, as the difference of two large numbers may overflow.
    if high / 2 - low / 2 < 1 << 14 and (values == np.rint(values)).all():
        return np.argsort((values - low).astype(np.uint16), kind="stable")
    return np.argsort(values)


def _bound(kernel: Callable[..., None], *first: object) -> Callable[..., None]:
    """``kernel`` with its ``first`` arguments; the rest must keep the types of the first call.

    Only that call looks them up, which takes longer than a search of few rows.
    """
    entry = kernel

    def call(*rest: object) -> None:
        nonlocal entry
        entry(*first, *rest)
        if entry is kernel:
            entry = entry_of(kernel, (*first, *rest))

    return call


class StumpSearch:
    """Presorted features, and the search for the best stump of every column of a weight matrix.

    Parameters
    ----------
    X : array (n_samples, n_features) of finite real numbers, not copied
    slots : the layout of the samples; those of weight 0 give no thresholds
    signs : (K, L) of +-1, the sign that samples of class k have in column l
    """

    def __init__(self, X: Samples, slots: Slots, signs: Floats) -> None:
        self._X = X
        self.slots = slots
        self.signs = np.ascontiguousarray(signs, dtype=np.float64)
        self.n_columns = self.signs.shape[1]
        self.columns = Columns(self.signs, slots.starts)
        self.features = self._presort()
        width = row_width(self.n_columns)
        chunks = -(-self.n_columns // width)
        rows = aligned_zeros((chunks, slots.n_slots, width), np.int32)
        totals = np.zeros((chunks, 2, width), dtype=np.int32)
        self.quantised = Quantised(np.zeros(self.n_columns), rows, totals, (0,) * width)
        data = (*self.features, *self.columns, *self.quantised)
        lane_scores = np.zeros((width, 2), dtype=np.int32)
        lane_places = np.zeros((width, 5), dtype=np.intp)
        self._best = _bound(search, *data, lane_scores, lane_places)
        self._best_shared = _bound(search_shared, *data)
        flags = np.empty(slots.n_slots, dtype=np.uint8)
        codes, bounds = self.features.codes, self.features.bounds
        self._write_bits = _bound(write_bits, codes, bounds, *self.columns, flags)

    def _presort(self) -> PresortedFeatures:
        X, slots = self._X, self.slots
        n_features = X.shape[1]
        kept = np.flatnonzero(slots.slot_of >= 0)
        slot_of = slots.slot_of[kept]
        dtype = np.uint16 if slots.n_slots <= MOST_SHORT_SLOTS else np.uint32
        # Written to virtual memory; the unused part of skipped runs is never allocated.
        codes = np.empty(n_features * kept.shape[0], dtype=dtype)
        bounds = np.empty((n_features, 3), dtype=np.intp)
        modes = np.empty(n_features, dtype=np.intp)
        at = 0
        some = max(1, _LINE // X.itemsize)
        for first in range(0, n_features, some):
            block = X[:, first : first + some]
            block = block if kept.shape[0] == X.shape[0] else block[kept]
            columns = np.ascontiguousarray(block.T, dtype=np.float64)
            for feature, values in enumerate(columns, first):
                bounds[feature, 0] = at
                modes[feature] = encode_feature(
                    values, order_of(values), slot_of, codes, bounds[feature]
                )
                at = bounds[feature, 2]
        codes = codes[:at].copy() if at < codes.shape[0] // 2 else codes[:at]
        return PresortedFeatures(codes, bounds, modes)

    def best(self, masses: Floats, stumps: Integers, scores: Floats) -> None:
        """Write each column's best stump to ``stumps`` (L, 5) and its score to ``scores`` (L,).

        ``masses`` is (L, n_slots) float64, 0 in the padding. The five numbers are for
        ``write_bits`` and ``decode``.
        """
        self._best(masses, stumps, scores)

    def best_shared(self, masses: Floats, total: float, stump: Integers) -> None:
        """Write to ``stump`` (5,) the one that serves all columns best, each voting on its sign.

        ``total`` is the sum of ``masses``; the sum of the columns' |scores| is maximised.
        """
        self._best_shared(masses, total, stump)

    def slack(self) -> Floats:
        """(L,) by how much the last search's scores may fall short of the true maxima."""
        # Each weight is off by at most half a unit; a little more for the float sums above it.
        most = np.full(self.n_columns, 0.51 * self.slots.n_slots)
        scales = self.quantised.scales
        slack = np.zeros_like(most)
        np.divide(most, scales, out=slack, where=scales > 0)
        return slack

    def write_bits(self, stumps: Integers, bits: NDArray[np.uint8], at: int) -> None:
        """Set ``bits[l, at]`` (n_slots / 8,) to where stump l agrees with the signs of column l."""
        self._write_bits(stumps, bits, at)

    def decode(self, stumps: Integers, classes: Integers) -> Stumps:
        """Return the structured array (S,) of the stumps (S, 5), found for ``classes`` (S,)."""
        out = np.zeros(stumps.shape[0], dtype=STUMP_DTYPE)
        out["class"] = classes
        out["feature"] = stumps[:, 0]
        out["polarity"] = stumps[:, 1]
        out["threshold"] = -np.inf
        real = np.flatnonzero(stumps[:, 0] >= 0)
        feature = stumps[real, 0]
        low = self._X[self.slots.rows[stumps[real, 2]], feature].astype(np.float64)
        high = self._X[self.slots.rows[stumps[real, 3]], feature].astype(np.float64)
        out["threshold"][real] = midpoints(low, high)
        return out


def best_stumps(X: ArrayLike, weights: ArrayLike) -> tuple[Stumps, Floats]:
    """Find, for each column of weights, the stump h with the most ``sum_i weights[i] h(x_i)``.

    The search is exact. Of equally good stumps the one with the lowest feature wins, then the
    lowest threshold, then polarity +1; a constant stump comes last.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples, finite real numbers.
    weights : array-like of shape (n_samples, L)
        Finite real numbers, of either sign.

    Returns
    -------
    stumps : structured ndarray of shape (L,)
        The fields class (the column), feature (-1 for a constant stump), threshold and polarity: a
        stump says polarity where ``x[feature] > threshold``, and -polarity elsewhere.
    scores : ndarray of shape (L,)
        The maxima, to a relative accuracy of about 1e-7 of the sum of the absolute weights.

    Raises
    ------
    InputError
        If the shapes do not fit or there is a value that is not finite.

    References
    ----------
    G. Lin, C. Shen, A. van den Hengel and D. Suter, "Fast training of
    effective multi-class boosting using coordinate descent optimization", ACCV 2012, the
    sub-problem (4).

    Examples
    --------
    >>> from boostbench.boosting import best_stumps
    >>> stumps, scores = best_stumps([[0.0], [1.0], [2.0]], [[-1.0], [1.0], [1.0]])
    >>> stumps[["feature", "threshold", "polarity"]].tolist(), scores.round(6).tolist()
    ([(0, 0.5, 1)], [3.0])
    """
    data = np.asarray(X)
    w = np.asarray(weights, dtype=np.float64)
    if data.ndim != 2 or w.ndim != 2 or data.shape[0] != w.shape[0] or 0 in data.shape + w.shape:
        raise InputError(
            "best_stumps needs X of shape (n_samples, n_features) and weights of shape "
            f"(n_samples, n_columns), both not empty, but got {data.shape} and {w.shape}."
        )
    if not (np.isfinite(data).all() and np.isfinite(w).all()):
        raise InputError("best_stumps needs finite numbers, but X or weights has NaN or infinity.")
    slots = make_slots(np.zeros(data.shape[0], dtype=np.intp), 1)
    finder = StumpSearch(data, slots, np.ones((1, w.shape[1])))
    # A power of two keeps the weights exact and their sum in range.
    _, exponents = np.frexp(np.abs(w).max(axis=0))
    masses = np.zeros((w.shape[1], slots.n_slots))
    masses[:, slots.slot_of] = np.ldexp(w, -exponents).T
    stumps = np.zeros((w.shape[1], 5), dtype=np.intp)
    scores = np.zeros(w.shape[1])
    finder.best(masses, stumps, scores)
    with np.errstate(over="ignore"):
        return finder.decode(stumps, np.arange(w.shape[1])), np.ldexp(scores, exponents)


def stump_outputs(stumps: Stumps, X: ArrayLike) -> NDArray[np.int8]:
    """Return the outputs of stumps on samples.

    Parameters
    ----------
    stumps : structured ndarray of shape (n_stumps,)
        Stumps, as in ``stumps_`` of a booster or from :func:`best_stumps`.
    X : array-like of shape (n_samples, n_features)
        The samples.

    Returns
    -------
    ndarray of shape (n_stumps, n_samples)
        +1 or -1: the polarity where ``x[feature] > threshold`` and everywhere for a constant stump,
        elsewhere less the polarity.

    Raises
    ------
    IndexError
        If a stump's feature is not among those of ``X``.

    Examples
    --------
    >>> from boostbench.boosting import best_stumps, stump_outputs
    >>> X = [[0.0], [1.0], [2.0]]
    >>> stumps, scores = best_stumps(X, [[-1.0], [1.0], [1.0]])
    >>> stump_outputs(stumps, X).tolist()
    [[-1, 1, 1]]
    """
    data = np.asarray(X)
    out = np.empty((stumps.shape[0], data.shape[0]), dtype=np.int8)
    for row, stump in zip(out, stumps, strict=True):
        if stump["feature"] < 0:
            row[:] = stump["polarity"]
        else:
            above = data[:, stump["feature"]].astype(np.float64) > stump["threshold"]
            row[:] = np.where(above, stump["polarity"], -stump["polarity"])
    return out
