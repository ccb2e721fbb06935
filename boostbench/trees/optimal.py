"""Optimal regression trees with linear leaves (ORT-L, ORT-LH) by local search."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from boostbench.trees._base import RandomStateLike, TreeRegressor, in_threads
from boostbench.trees._types import FloatArray, IntArray
from boostbench.trees.local_search.problem import Problem
from boostbench.trees.local_search.search import TIE, Search
from boostbench.trees.local_search.tree import (
    Node,
    goes_left,
    leaf_paths,
    n_splits,
    nodes,
)

MAX_DEPTH = 8


class LinearTree(TreeRegressor):
    """Prediction with a fitted tree of hard splits and linear leaves."""

    leaves_: IntArray

    def _keep(self, problem: Problem, root: Node, depth: int) -> None:
        """Refit the leaves of ``root`` and set the fitted attributes."""
        p, n_nodes = problem.p, 2 ** (depth + 1)
        self.root_ = root
        self.feature_ = np.full(n_nodes, -1)
        self.threshold_ = np.full(n_nodes, np.nan)
        self.split_coef_ = np.zeros((n_nodes, p))
        leaves = []
        for place, node in nodes(root):
            if node is None:
                leaves.append(place)
                continue
            split = node.split
            self.threshold_[place] = split.threshold
            self.feature_[place] = -2 if split.weights else split.feature
            self.split_coef_[place] = split.weights or np.eye(p)[split.feature]
        self.leaves_ = np.array(leaves)
        self.n_leaves_ = len(leaves)
        self.n_splits_ = n_splits(root)
        self.coef_, self.intercept_ = np.zeros((len(leaves), p)), np.zeros(len(leaves))
        cost = problem.split_cost * self.n_splits_
        for k, path in enumerate(leaf_paths(root)):
            leaf_cost, coef = problem.fit_leaf(problem.rows_at(path))
            self.coef_[k], self.intercept_[k] = problem.in_target_units(coef)
            cost += leaf_cost
        self.objective_ = cost / problem.n

    def _leaf_numbers(self, X: FloatArray) -> IntArray:
        """Return the number of the leaf, from left to right, that each row reaches."""
        columns = np.ascontiguousarray(X.T)
        out = np.zeros(len(X), dtype=np.int64)

        def walk(node: Node, rows: IntArray, first: int) -> int:
            if node is None:
                out[rows] = first
                return first + 1
            left = goes_left(node.split, columns[:, rows])
            return walk(node.right, rows[~left], walk(node.left, rows[left], first))

        walk(self.root_, np.arange(len(X)), 0)
        return out

    def apply(self, X: ArrayLike) -> IntArray:
        """Return the leaf that each sample reaches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The leaves' numbers in heap order: root 1, then 2t and 2t + 1. The coefficients of the
            leaf ``leaves_[k]`` are ``coef_[k]`` and ``intercept_[k]``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, or values that are not finite.
        """
        return self.leaves_[self._leaf_numbers(self._new_data(X))]

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the regression of the leaf that each sample reaches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions, in the unit of the target.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            For another number of features, or values that are not finite.
        """
        return self._predict(self._new_data(X))

    def _predict(self, X: FloatArray) -> FloatArray:
        leaf = self._leaf_numbers(X)
        out = np.empty(len(X))
        for k in range(self.n_leaves_):
            rows = leaf == k
            used = np.flatnonzero(self.coef_[k])
            out[rows] = np.einsum("ij,j->i", X[np.ix_(rows, used)], self.coef_[k][used])
            out[rows] += self.intercept_[k]
        return out

    def benchmark_metrics_(self) -> dict[str, float | int]:
        """Return the numbers that a benchmark stores beside the scores.

        Returns
        -------
        dict
            The final ``objective`` and the number of splits, ``n_splits``.
        """
        return {"objective": float(self.objective_), "n_splits": int(self.n_splits_)}


class SearchedTree(LinearTree):
    """A tree that local search finds, with the parameters of the search."""

    depth: int
    splits: str
    n_restarts: int
    min_samples_leaf: int
    penalty_weight: str
    penalty_scale: str

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "depth": [Interval(Integral, 1, MAX_DEPTH, closed="both")],
        "splits": [StrOptions({"parallel", "hyperplane"})],
        "n_restarts": [Interval(Integral, 1, None, closed="left")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "penalty_weight": [StrOptions({"leaf", "points"})],
        "penalty_scale": [StrOptions({"sd", "raw"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def _problem(self, X: FloatArray, y: FloatArray, l1: float, cp: float) -> Problem:
        return Problem(
            X,
            y,
            l1=l1,
            cp=cp,
            penalty_weight=self.penalty_weight,
            penalty_scale=self.penalty_scale,
            min_samples_leaf=int(self.min_samples_leaf),
        )

    def _best_tree(self, problem: Problem, seed: int, n_jobs: int | None) -> Node:
        """Return the first of ``n_restarts`` local searches' trees with the lowest objective."""
        search = Search(problem)
        depth = int(self.depth)
        n_restarts = int(self.n_restarts)
        streams = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(n_restarts)]

        def run(number: int) -> Node:
            rng = streams[number]
            uniforms = rng.random((2**depth, 2))
            start = search.greedy(depth) if number == 0 else search.random(uniforms)
            tree = search.improve(start, depth, rng)
            if self.splits == "hyperplane":
                tree = search.improve(tree, depth, rng, oblique=True)
            return tree

        trees = in_threads(n_jobs, run, range(n_restarts))
        costs = np.array([search.total(tree) for tree in trees])
        return trees[int(np.argmax(costs <= costs.min() * (1.0 + TIE) + search.rounding))]


class OptimalRegressionTree(SearchedTree):
    """Regression tree with hard splits and Lasso leaves, by local search: ORT-L and ORT-LH.

    Minimises, with N the number of rows, base the mean squared error of the mean of y, s_j the
    population standard deviation of feature j, all over the training rows,

        J = RSS / (N base) + l1 * sum_t w_t sum_j s_j abs(b_tj) / sd(y) + cp * (number of splits)

    over trees of at most ``depth`` levels of splits; a row goes left when its value is below the
    threshold. From each start, passes over all places of the tree in random order replace a node by
    one of its subtrees, or its split by the best of all features and thresholds, the subtrees kept
    and all their leaves refitted, until nothing lowers J by more than 1e-8 of it. The first start
    is the greedy tree, the others are random.

    Parameters
    ----------
    depth : int, default=3
        D, the greatest number of splits from the root to a leaf, 1 to 8.
    splits : {"parallel", "hyperplane"}, default="parallel"
        "parallel" (x_j < threshold) or "hyperplane" (w.x < threshold). The latter continues from
        the parallel search's trees: besides the steps above, one weight of a split is changed at a
        time, features being measured from their lowest training value, or its threshold; of all
        values of the weight the best is taken, if it lowers J.
    l1 : float, default=1e-3
        The penalty's factor, at least 0; 0 gives least squares in the leaves.
    cp : float, default=0.0
        The price of a split, at least 0.
    n_restarts : int, default=10
        The number of starts; the tree with the lowest J is kept.
    min_samples_leaf : int, default=1
        The least number of rows in a leaf.
    penalty_weight : {"leaf", "points"}, default="leaf"
        The weight w_t of a leaf's penalty: 1 ("leaf") or the leaf's share of the rows ("points").
    penalty_scale : {"sd", "raw"}, default="sd"
        "sd" for s_j as above, "raw" for s_j = 1.
    n_jobs : int or None, default=None
        The number of threads that share the restarts: None for 1 unless in a
        ``joblib.parallel_config`` context, -1 for all processors. The result is the same, bit for
        bit, for any number.
    random_state : int, RandomState instance or None, default=None
        Draws the starts and the order of the places.

    Attributes
    ----------
    objective_ : float
        J of the final tree.
    n_splits_, n_leaves_ : int
        The numbers of its splits and leaves.
    feature_ : ndarray of shape (2**(D + 1),)
        The feature on which node t, numbered in heap order, splits; -1 for a leaf or no node, -2
        where several features decide.
    threshold_ : ndarray of shape (2**(D + 1),)
        The threshold of node t, NaN without a split.
    split_coef_ : ndarray of shape (2**(D + 1), n_features)
        A row x goes left at node t when ``x @ split_coef_[t] < threshold_[t]``.
    leaves_ : ndarray of shape (n_leaves,)
        The leaves' numbers in heap order, from left to right.
    coef_ : ndarray of shape (n_leaves, n_features)
        The coefficients of the leaves.
    intercept_ : ndarray of shape (n_leaves,)
        Their intercepts.
    n_features_in_ : int
        The number of features.

    References
    ----------
    J. W. Dunn, "Optimal trees for prediction and prescription", PhD thesis, MIT, 2018.
    D. Bertsimas and J. Dunn, "Machine learning under a modern optimization lens", 2019.

    Examples
    --------
    >>> from boostbench.trees import OptimalRegressionTree
    >>> X = [[0.0], [0.1], [0.2], [0.6], [0.8], [1.0]]
    >>> y = [0.0, 0.1, 0.2, 2.0, 1.0, 0.0]
    >>> tree = OptimalRegressionTree(depth=1, l1=0.0, random_state=0).fit(X, y)
    >>> tree.threshold_[1:2].round(3), tree.predict([[0.3], [0.9]]).round(3)
    (array([0.4]), array([0.3, 0.5]))
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **SearchedTree._parameter_constraints,
        "l1": [Interval(Real, 0, None, closed="left")],
        "cp": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        depth: int = 3,
        splits: str = "parallel",
        *,
        l1: float = 1e-3,
        cp: float = 0.0,
        n_restarts: int = 10,
        min_samples_leaf: int = 1,
        penalty_weight: str = "leaf",
        penalty_scale: str = "sd",
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
    ) -> None:
        self.depth = depth
        self.splits = splits
        self.l1 = l1
        self.cp = cp
        self.n_restarts = n_restarts
        self.min_samples_leaf = min_samples_leaf
        self.penalty_weight = penalty_weight
        self.penalty_scale = penalty_scale
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: FloatArray, y: FloatArray) -> None:
        problem = self._problem(X, y, float(self.l1), float(self.cp))
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        root = self._best_tree(problem, seed, self.n_jobs)
        self._keep(problem, root, int(self.depth))
