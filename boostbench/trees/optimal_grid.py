"""ORT-L with l1 and cp chosen on a held-out part of the training rows: the paper's Appendix D."""

import itertools
import math
from collections.abc import Sequence
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from boostbench.trees._base import RandomStateLike, in_threads
from boostbench.trees._types import FloatArray
from boostbench.trees.local_search.pruning import Pruned, cost_complexity_path
from boostbench.trees.optimal import LinearTree, SearchedTree

# No split is worth it: J of a leaf is at most 1.
NO_SPLITS = 1.0


class OptimalRegressionTreeCV(SearchedTree):
    """:class:`OptimalRegressionTree` whose l1 and cp are those that predict held-out rows best.

    A part of the training rows is held out. For each l1 a tree is trained on the others with cp = 0
    and pruned by weakest link; of all (l1, cp) the pair with the best R2 on the held-out rows
    trains the final tree on all rows. Where two are equal it is the larger cp, then the first l1.

    Parameters
    ----------
    depth : int, default=3
        D, the greatest number of splits from the root to a leaf, 1 to 8.
    splits : {"parallel", "hyperplane"}, default="parallel"
        As in :class:`OptimalRegressionTree`.
    l1s : sequence of float, default=(1e-3, 5e-3, 1e-2)
        The values of l1 to choose from, at least 0.
    validation_fraction : float, default=1/3
        The share of the rows that is held out, above 0 and below 1.
    n_restarts : int, default=10
        The number of starts of each search.
    min_samples_leaf : int, default=1
        The least number of rows in a leaf.
    penalty_weight : {"leaf", "points"}, default="leaf"
        As in :class:`OptimalRegressionTree`.
    penalty_scale : {"sd", "raw"}, default="sd"
        As in :class:`OptimalRegressionTree`.
    n_jobs : int or None, default=None
        The number of threads that share the values of l1, then the restarts of the final tree. The
        result is the same, bit for bit, for any number.
    random_state : int, RandomState instance or None, default=None
        Draws the held-out rows, the starts and the order of the places.

    Attributes
    ----------
    l1_, cp_ : float
        The values chosen.
    scores_ : dict
        ``{l1: [(cp, R2), ...]}`` on the held-out rows, cp being the geometric mean of the ends of
        the interval on which the pruned tree is the best one. Where all held-out targets are the
        same, which R2 cannot judge, it is less the mean squared error.
    objective_ : float
        J of the final tree; so are all other attributes those of :class:`OptimalRegressionTree`.

    References
    ----------
    A. Consolo, E. Amaldi and A. Manno, "Soft regression trees", 2026, Appendix D.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from boostbench.trees import OptimalRegressionTreeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = OptimalRegressionTreeCV(depth=1, l1s=[1e-3, 1e-2], n_restarts=1, random_state=0)
    >>> sorted(tree.fit(X[:100], y[:100]).scores_)
    [0.001, 0.01]
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        **SearchedTree._parameter_constraints,
        "l1s": ["array-like"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    }

    _least_samples = 3

    def __init__(
        self,
        depth: int = 3,
        splits: str = "parallel",
        *,
        l1s: Sequence[float] = (1e-3, 5e-3, 1e-2),
        validation_fraction: float = 1 / 3,
        n_restarts: int = 10,
        min_samples_leaf: int = 1,
        penalty_weight: str = "leaf",
        penalty_scale: str = "sd",
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
    ) -> None:
        self.depth = depth
        self.splits = splits
        self.l1s = l1s
        self.validation_fraction = validation_fraction
        self.n_restarts = n_restarts
        self.min_samples_leaf = min_samples_leaf
        self.penalty_weight = penalty_weight
        self.penalty_scale = penalty_scale
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        values = np.asarray(self.l1s)
        is_list = values.ndim == 1 and len(values) > 0 and values.dtype.kind in "iuf"
        if not is_list or not (np.isfinite(values) & (values >= 0.0)).all():
            raise ValueError(
                "The 'l1s' parameter of OptimalRegressionTreeCV must be a list of numbers that are "
                f"not negative. Got {self.l1s!r} instead."
            )

    def _fit(self, X: FloatArray, y: FloatArray) -> None:
        l1s = np.asarray(self.l1s, dtype=np.float64).tolist()
        random_state = check_random_state(self.random_state)
        seed = random_state.randint(2**31 - 1)
        order = random_state.permutation(len(X))
        n_held = min(max(round(self.validation_fraction * len(X)), 1), len(X) - 2)
        held = np.sort(order[:n_held])
        kept = np.sort(order[n_held:])

        def scores_of(l1: float) -> list[tuple[float, float]]:
            problem = self._problem(X[kept], y[kept], l1, 0.0)
            path = cost_complexity_path(self._best_tree(problem, seed, 1), problem)
            scores = []
            for cp, pruned in zip(_prices(path), path, strict=True):
                tree = LinearTree()
                tree._keep(problem, pruned.tree, int(self.depth))
                scores.append((cp, _score(y[held], tree._predict(X[held]))))
            return scores

        self.scores_ = dict(zip(l1s, in_threads(self.n_jobs, scores_of, l1s), strict=True))
        grid = [(score, cp, l1) for l1 in l1s for cp, score in self.scores_[l1]]
        _, self.cp_, self.l1_ = max(grid, key=lambda point: point[:2])
        problem = self._problem(X, y, self.l1_, self.cp_)
        self._keep(problem, self._best_tree(problem, seed, self.n_jobs), int(self.depth))

    def benchmark_metrics_(self) -> dict[str, float | int]:
        """Return the numbers that a benchmark stores beside the scores.

        Returns
        -------
        dict
            The final ``objective``, the number of splits, ``n_splits``, and the chosen ``l1`` and
            ``cp``.
        """
        return {**super().benchmark_metrics_(), "l1": float(self.l1_), "cp": float(self.cp_)}


def _prices(path: list[Pruned]) -> list[float]:
    """Return the geometric mean of the ends of each tree's interval of cp."""
    ends = [tree.cp for tree in path]
    return [math.sqrt(low * high) for low, high in itertools.pairwise(ends)] + [NO_SPLITS]


def _score(y: FloatArray, predicted: FloatArray) -> float:
    """R2, or less the squared error where all values of y are the same, which R2 cannot judge."""
    if (y == y[0]).all():
        return -float(np.mean((y - predicted) ** 2))
    return float(r2_score(y, predicted))
