"""Compile every kernel before a clock starts."""

from collections.abc import Collection
from typing import Any

import numpy as np


def warm_up(estimators: Collection[str] | None = None) -> None:
    """Call tree estimators on tiny data, so that no compilation falls into a measurement.

    ``estimators`` are names of classes in :mod:`boostbench.trees`, None for all. Those of one
    family (soft and randomized trees, or optimal trees) are compiled together.
    """
    if estimators is None or not {"SoftRegressionTree", "RandomizedRegressionTree"}.isdisjoint(
        estimators
    ):
        _fit(_soft_trees())
    if estimators is None or any(name.startswith("Optimal") for name in estimators):
        _fit(_optimal_trees())


def _soft_trees() -> list[Any]:
    from boostbench.trees.randomized import RandomizedRegressionTree
    from boostbench.trees.soft import SoftRegressionTree

    return [
        SoftRegressionTree(depth=2, max_iter=2, n_clusterings=2, random_state=0),
        SoftRegressionTree(2, "l2", 2, convergent_after=3, tol=1e-9, random_state=0),
        RandomizedRegressionTree(depth=2, max_iter=2, random_state=0),
    ]


def _optimal_trees() -> list[Any]:
    from boostbench.trees.optimal import OptimalRegressionTree

    return [OptimalRegressionTree(depth=2, n_restarts=2, random_state=0)]


def _fit(models: list[Any]) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    for model in models:
        model.fit(X, y).predict(X)
