"""Compile every kernel before a clock starts."""

import numpy as np


def warm_up() -> None:
    """Call each tree estimator on tiny data, so that no compilation falls into a measurement."""
    from boostbench.trees.optimal import OptimalRegressionTree
    from boostbench.trees.randomized import RandomizedRegressionTree
    from boostbench.trees.soft import SoftRegressionTree

    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    for model in (
        SoftRegressionTree(depth=2, max_iter=2, n_clusterings=2, random_state=0),
        SoftRegressionTree(2, "l2", 2, convergent_after=3, tol=1e-9, random_state=0),
        RandomizedRegressionTree(depth=2, max_iter=2, random_state=0),
        OptimalRegressionTree(depth=2, n_restarts=2, random_state=0),
    ):
        model.fit(X, y).predict(X)
