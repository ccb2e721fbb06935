"""The training rows, standardised and sorted by each feature, and the costs of leaves."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.trees._types import BoolArray, FloatArray
from boostbench.trees.local_search._leaf import fit_leaf
from boostbench.trees.local_search._types import LassoPenalty, Sample
from boostbench.trees.local_search.tree import (
    Node,
    Path,
    Split,
    goes_left,
    leaf_paths,
    midpoint,
)

_KEPT_ROWS = 256


class Scale(NamedTuple):
    """``mean`` and ``sd`` (p,) of the features (sd 0: constant), and those of the target."""

    mean: FloatArray
    sd: FloatArray
    mean_y: float
    sd_y: float


def moments(values: FloatArray) -> tuple[float, float]:
    """Return the mean and population sd; sd 0 exactly where all values are the same."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, 0.0
    size = max(abs(low), abs(high))  # keeps squares within float64
    scaled = values / size
    mean = float(scaled.mean())
    sd = float(np.sqrt(((scaled - mean) ** 2).mean()))
    return mean * size, sd * size


def ordered(values: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows from the lowest value on, and each row's number among distinct values."""
    order = np.argsort(values, kind="stable")
    in_order = values[order]
    rank = np.empty(len(values), dtype=np.intp)
    rank[order] = np.r_[0, np.cumsum(in_order[1:] != in_order[:-1])]
    return order, rank


class Problem:
    """Data, penalty and the costs of the leaves met so far, which their paths determine.

    Costs are N times their share of the objective J, N being the number of rows.
    """

    def __init__(
        self,
        X: FloatArray,
        y: FloatArray,
        *,
        l1: float,
        cp: float,
        penalty_weight: str,
        penalty_scale: str,
        min_samples_leaf: int,
    ) -> None:
        self.columns = np.ascontiguousarray(X.T)
        self.split_cost = cp * self.n
        self.penalised = l1 > 0.0
        self.min_samples_leaf = min_samples_leaf
        pairs = [moments(column) for column in self.columns]
        self.scale = Scale(
            np.array([mean for mean, _ in pairs]),
            np.array([sd for _, sd in pairs]),
            *moments(y),
        )
        self.sample = self._sample(y)
        self.penalty = self._penalty(l1, penalty_weight, penalty_scale)
        self.lowest = self.columns.min(axis=1)
        self._rows: dict[Path, BoolArray] = {}
        self._costs: dict[Path, float] = {}

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.columns[0])

    @property
    def p(self) -> int:
        """The number of features."""
        return len(self.columns)

    def _sample(self, y: FloatArray) -> Sample:
        p, n = self.columns.shape
        width = -(-p // 8) * 8
        rows = np.zeros((n, width + 8))
        order = np.empty((p, n), dtype=np.int32)
        rank = np.empty((p, n), dtype=np.int32)
        mean, sd, mean_y, sd_y = self.scale
        for j, column in enumerate(self.columns):
            if sd[j] > 0.0:
                rows[:, j] = (0.5 * column - 0.5 * mean[j]) / (0.5 * sd[j])
            order[j], rank[j] = ordered(column)
        rows[:, width] = 1.0
        if sd_y > 0.0:
            rows[:, width + 1] = (0.5 * y - 0.5 * mean_y) / (0.5 * sd_y)
        return Sample(rows, p, order, rank)

    def _penalty(self, l1: float, penalty_weight: str, penalty_scale: str) -> LassoPenalty:
        by_count = penalty_weight == "points"
        half = np.zeros(self.sample.rows.shape[1] - 8)
        factors = np.ones(self.p)
        if penalty_scale == "raw":
            with np.errstate(divide="ignore", over="ignore"):
                factors = np.where(self.scale.sd > 0.0, 1.0 / self.scale.sd, 1.0)
        half[: self.p] = 0.5 * l1 * (1.0 if by_count else self.n) * factors
        return LassoPenalty(half, by_count)

    def rows_at(self, path: Path) -> BoolArray:
        """Return which rows reach the end of ``path``: (n,)."""
        if not path:
            return np.ones(self.n, dtype=np.bool_)
        rows = self._rows.get(path)
        if rows is None:
            split, left = path[-1]
            side = goes_left(split, self.columns)
            rows = self.rows_at(path[:-1]) & (side if left else ~side)
            if len(self._rows) >= _KEPT_ROWS:
                self._rows.clear()
            self._rows[path] = rows
        return rows

    def centred(self, split: Split, path: Path) -> Split:
        """Return ``split`` with the threshold midway between the rows at ``path`` beside it.

        Both sides must have rows. Splits on several features stay as they are.
        """
        if split.weights:
            return split
        values = self.columns[split.feature][self.rows_at(path)]
        left = values < split.threshold
        return split._replace(
            threshold=midpoint(float(values[left].max()), float(values[~left].min()))
        )

    def leaf_cost(self, path: Path) -> float:
        """Return the cost of a leaf there: 0 without rows, infinity with too few."""
        cost = self._costs.get(path)
        if cost is None:
            cost = self._costs[path] = self.fit_leaf(self.rows_at(path))[0]
        return cost

    def fit_leaf(self, rows: BoolArray) -> tuple[float, FloatArray]:
        """Return cost and standardised coefficients (p + 1,), intercept last, of a leaf."""
        chosen = np.flatnonzero(rows)
        coef = np.zeros(self.penalty.half.size + 1)
        if not len(chosen):
            return 0.0, np.zeros(self.p + 1)
        if len(chosen) < min(self.min_samples_leaf, len(rows)):
            return float("inf"), np.zeros(self.p + 1)
        cost = fit_leaf(self.sample, self.penalty, self.penalised, chosen, coef)
        return float(cost), np.r_[coef[: self.p], coef[-1]]

    def cost(self, node: Node, path: Path = ()) -> float:
        """Return the cost of the leaves below ``path`` if ``node`` were there."""
        return sum(self.leaf_cost(end) for end in leaf_paths(node, path))

    def in_target_units(self, coef: FloatArray) -> tuple[FloatArray, float]:
        """Return slopes (p,) and intercept for the data as given, from standardised (p + 1,)."""
        mean, sd, mean_y, sd_y = self.scale
        slopes = np.zeros(self.p)
        used = (coef[:-1] != 0.0) & (sd > 0.0)
        slopes[used] = coef[:-1][used] / sd[used] * sd_y
        offset = coef[-1] - float(np.sum(coef[:-1][used] * (mean[used] / sd[used])))
        return slopes, mean_y + sd_y * offset


def used_leaves(node: Node, path: Path, problem: Problem) -> Node:
    """Return the subtree without the splits that leave one side without rows.

    The other thresholds lie midway between values of the rows that reach them: a subtree that was
    kept when a split above it changed has some that do not.
    """
    if node is None:
        return None
    left_path, right_path = (*path, (node.split, True)), (*path, (node.split, False))
    if not problem.rows_at(left_path).any():
        return used_leaves(node.right, path, problem)
    if not problem.rows_at(right_path).any():
        return used_leaves(node.left, path, problem)
    split = problem.centred(node.split, path)
    left = used_leaves(node.left, (*path, (split, True)), problem)
    right = used_leaves(node.right, (*path, (split, False)), problem)
    return type(node)(split, left, right)
