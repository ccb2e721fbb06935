"""Dunn's local search for regression trees with linear leaves.

Sources: Dunn's thesis, 2018; Bertsimas and Dunn, Machine Learning under a Modern Optimization
Lens, 2019.
"""

import math
from typing import NamedTuple

import numpy as np

from boostbench.trees._types import FloatArray
from boostbench.trees.local_search._scan import BestSplit, scan
from boostbench.trees.local_search._types import Pair, Sample
from boostbench.trees.local_search.oblique import as_features, turned, turning_values
from boostbench.trees.local_search.problem import Problem, used_leaves
from boostbench.trees.local_search.tree import (
    Branch,
    Node,
    Path,
    Split,
    descend,
    midpoint,
    n_splits,
    reach,
    replace,
)

N_BLOCKS = 48
IMPROVEMENT = 1e-8
TIE = 1e-9
_ROUNDING = 1e-13  # relative to the cost of a tree that predicts the mean


class Visit(NamedTuple):
    """The best change at a node, and the cost of the leaves below with it, splits included."""

    node: Node
    cost: float


class Search:
    """Visits to the nodes of trees, each remembered: the same rows and subtree, the same answer.

    A visit's answer follows from its arguments only, so that it does not matter which restart
    asked first, nor in which thread.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rounding = _ROUNDING * problem.n
        self._visits: dict[tuple[Path, Node, int, bool], Visit] = {}

    def total(self, node: Node, path: Path = ()) -> float:
        """Return N * J of the part of a tree at ``path``."""
        return self.problem.cost(node, path) + self.problem.split_cost * n_splits(node)

    def visit(self, path: Path, node: Node, least_gain: float, oblique: bool = False) -> Visit:
        """Return the best of: keep, the left or the right subtree, a new split, a turned split.

        Splits are turned only if ``oblique``.

        A new split is looked for below the cost of the others less ``least_gain``, rounded down to
        a power of two, on which alone the answer then depends.
        """
        exponent = math.frexp(least_gain)[1] - 1 if least_gain > 0.0 else -1074
        key = (path, node, exponent, oblique)
        known = self._visits.get(key)
        if known is None:
            known = self._visits[key] = self._look(path, node, math.ldexp(1.0, exponent), oblique)
        return known

    def _look(self, path: Path, node: Node, least_gain: float, oblique: bool) -> Visit:
        best = Visit(node, self.total(node, path))
        limit = best.cost - least_gain
        children: tuple[Node, Node] = (None, None) if node is None else (node.left, node.right)
        if node is not None:
            for child in children:
                cost = self.total(child, path)
                if cost <= best.cost + self.rounding:
                    best = Visit(child, cost)
        limit = min(limit, best.cost - self.rounding)
        splits = self.problem.split_cost * (1 + n_splits(children[0]) + n_splits(children[1]))
        candidates = [self.best_split(path, children, limit - splits)]
        if oblique and node is not None:
            candidates.append(self.best_turn(path, node, limit - splits))
        for split in candidates:
            if split is not None:
                new = Branch(split, *children)
                cost = self.total(new, path)
                if cost < best.cost - self.rounding:
                    best = Visit(new, cost)
        return best

    def best_split(self, path: Path, children: tuple[Node, Node], cutoff: float) -> Split | None:
        """Return the split at ``path`` over these subtrees that costs least, below ``cutoff``."""
        best = self._scan(self.problem.sample, path, children, cutoff)
        if best is None:
            return None
        column = self.problem.columns[best.feature]
        return Split(best.feature, midpoint(float(column[best.below]), float(column[best.above])))

    def best_turn(self, path: Path, node: Branch, cutoff: float) -> Split | None:
        """Return the split of ``node`` with one weight changed that costs least."""
        values = turning_values(self.problem, node.split)
        sample = as_features(self.problem.sample, values)
        best = self._scan(sample, path, (node.left, node.right), cutoff)
        if best is None:
            return None
        sides = values[best.feature][[best.below, best.above]].tolist()
        return turned(self.problem, node.split, best.feature, *sides)

    def _scan(
        self, sample: Sample, path: Path, children: tuple[Node, Node], cutoff: float
    ) -> BestSplit | None:
        problem = self.problem
        if not cutoff > 0.0:
            return None
        reached = np.stack([reach(child, problem.columns) for child in children])
        best: BestSplit = scan(
            sample,
            problem.penalty,
            problem.penalised,
            Pair(
                problem.rows_at(path).view(np.uint8),
                reached,
                np.array([n_splits(child) + 1 for child in children]),
            ),
            problem.min_samples_leaf,
            N_BLOCKS,
            cutoff,
            self.rounding,
        )
        return best if best.feature >= 0 else None

    def improve(
        self, root: Node, depth: int, rng: np.random.Generator, oblique: bool = False
    ) -> Node:
        """Return the local optimum that passes over all places in random order lead to."""
        places = np.arange(1, 2**depth)
        current = self.total(root)
        changed = True
        while changed:
            changed = False
            for place in rng.permutation(places).tolist():
                there = descend(root, place)
                if there is None:
                    continue
                path, node = there
                before = self.total(node, path)
                least_gain = max(IMPROVEMENT * current, self.rounding)
                after = self.visit(path, node, least_gain, oblique)
                gain = before - after.cost
                deletion = n_splits(after.node) < n_splits(node)
                if after.node != node and (
                    gain > least_gain or (deletion and gain >= -self.rounding)
                ):
                    root = replace(root, path, after.node)
                    current = self.total(root)
                    changed = True
        return used_leaves(root, (), self.problem)

    def greedy(self, depth: int, path: Path = ()) -> Node:
        """Return the tree grown from the root down by best splits, where they lower the cost."""
        if len(path) == depth:
            return None
        before = self.total(None, path)
        after = self.visit(path, None, max(IMPROVEMENT * before, self.rounding))
        if after.node is None:
            return None
        split = after.node.split
        left = self.greedy(depth, (*path, (split, True)))
        return Branch(split, left, self.greedy(depth, (*path, (split, False))))

    def random(self, uniforms: FloatArray, place: int = 1, path: Path = ()) -> Node:
        """Return a tree with a random feature and a random quantile in each place.

        ``uniforms`` (2**depth, 2) decide. Features without an allowed threshold are passed over.
        """
        if place >= len(uniforms):
            return None
        p, rows = self.problem.p, self.problem.rows_at(path)
        first = int(uniforms[place, 0] * p)
        for j in range(first, first + p):
            split = self._quantile(j % p, rows, float(uniforms[place, 1]))
            if split is not None:
                left = self.random(uniforms, 2 * place, (*path, (split, True)))
                right = self.random(uniforms, 2 * place + 1, (*path, (split, False)))
                return Branch(split, left, right)
        return None

    def _quantile(self, feature: int, inside: np.ndarray, share: float) -> Split | None:
        """Return the allowed split that leaves nearest to ``share`` of the rows left."""
        problem = self.problem
        order = problem.sample.order[feature]
        order = order[inside[order]]
        values = problem.columns[feature][order]
        least = problem.min_samples_leaf
        left = np.arange(1, len(order))
        cuts = left[(values[1:] != values[:-1]) & (left >= least) & (left <= len(order) - least)]
        if not len(cuts):
            return None
        cut = int(cuts[np.argmin(np.abs(cuts - share * len(order)))])
        return Split(feature, midpoint(float(values[cut - 1]), float(values[cut])))
