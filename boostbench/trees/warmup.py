"""Compile every kernel before a clock starts."""

from collections.abc import Collection
from typing import Any

import numpy as np


def warm_up(estimators: Collection[str] | None = None) -> None:
    """Call tree estimators on tiny data, so that no compilation falls into a measurement.

    ``estimators`` are names of classes in :mod:`boostbench.trees`, None for all. A name may be
    followed by that of a parameter with kernels of its own, which are compiled, too:
    ``SoftRegressionTree.convergent_after``, ``RandomizedRegressionTree.init``.
    """
    known = {
        "SoftRegressionTree": _soft_trees,
        "SoftRegressionTree.convergent_after": _convergent_trees,
        "RandomizedRegressionTree": _randomized_trees,
        "RandomizedRegressionTree.init": _clustered_trees,
    }
    wanted = list(known if estimators is None else estimators)
    for name, models in known.items():
        if name in wanted:
            _fit(models())
    if estimators is None or any(name.startswith("Optimal") for name in wanted):
        _fit(_optimal_trees())


def _soft_trees() -> list[Any]:
    from boostbench.trees.soft import SoftRegressionTree

    return [SoftRegressionTree(depth=2, max_iter=2, n_clusterings=2, random_state=0)]


def _convergent_trees() -> list[Any]:
    from boostbench.trees.soft import SoftRegressionTree

    return [SoftRegressionTree(2, "l2", 2, convergent_after=3, tol=1e-9, random_state=0)]


def _randomized_trees() -> list[Any]:
    from boostbench.trees.randomized import RandomizedRegressionTree

    return [RandomizedRegressionTree(depth=2, max_iter=2, random_state=0)]


def _clustered_trees() -> list[Any]:
    from boostbench.trees.randomized import RandomizedRegressionTree

    return [RandomizedRegressionTree(depth=2, max_iter=2, init="clustering", random_state=0)]


def _optimal_trees() -> list[Any]:
    from boostbench.trees.optimal import OptimalRegressionTree

    return [OptimalRegressionTree(depth=2, n_restarts=2, random_state=0)]


def _fit(models: list[Any]) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    for model in models:
        model.fit(X, y).predict(X)
