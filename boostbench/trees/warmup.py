"""Compile every kernel before a clock starts."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np

from boostbench.kernels.arrays import matrix, zero_matrix
from boostbench.kernels.elementwise import add_products, affine, copy, dot, multiply, sigmoid
from boostbench.kernels.tasks import Task
from boostbench.trees._blocks import pack
from boostbench.trees._branch_step import join, slope_product, split

_ROW, _ROWS, _BLOCKS = np.empty(1), np.empty((1, 1)), np.empty((1, 1, 1))
# What most of the kernels for trees call, with values of its arguments' types.
_SHARED: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (pack, (_ROWS, _BLOCKS)),
    (affine, (_ROWS, _ROW, _ROW, 1)),
    (add_products, (_ROWS, _ROW, _ROW, 1)),
    (sigmoid, (_ROW, 1)),
    (multiply, (_ROW, _ROW, _ROW, 1)),
    (dot, (_ROW, _ROW, 1)),
    (copy, (_ROW, _ROW, 1)),
    (join, (_ROW, _ROW, _ROW, _ROW, _ROW, 1)),
    (split, (_ROW, _ROW, _ROW, _ROW, 1)),
    (slope_product, (_ROW, _ROW, _ROW, _ROW, 1)),
    (matrix, (1, 1)),
    (zero_matrix, (1, 1)),
)


def warm_up(estimators: Collection[str] | None = None) -> None:
    """Call tree estimators on tiny data, so that no compilation falls into a measurement.

    ``estimators`` are names of classes in :mod:`boostbench.trees`, None for all. A name may be
    followed by that of a parameter with kernels of its own, which are compiled, too:
    ``SoftRegressionTree.convergent_after``, ``RandomizedRegressionTree.init``.
    """
    for task in warm_up_tasks(estimators):
        task.run()


def warm_up_tasks(estimators: Collection[str] | None = None) -> list[Task]:
    """Return what :func:`warm_up` does, in an order in which two processes share it evenly."""
    soft, randomized = "SoftRegressionTree", "RandomizedRegressionTree"
    known: dict[tuple[str, ...], tuple[Callable[[], list[Any]], tuple[str, ...]]] = {
        (soft,): (_soft_trees, ("_nodec",)),
        # Soft trees call the kernels of the next two at the end of a fit and to predict.
        (soft, randomized): (_importances, ("_importance",)),
        (soft, f"{soft}.convergent_after"): (_predictions, ("_routing",)),
        (f"{soft}.convergent_after",): (_convergent_trees, ("_convergent",)),
        (randomized,): (_randomized_trees, ("_orrt_loss",)),
        ("OptimalRegressionTree",): (_optimal_trees, ("local_search._scan", "local_search._leaf")),
        (f"{randomized}.init",): (_clustered_trees, ("_initialisation",)),
    }
    wanted = {
        "OptimalRegressionTree" if name == "OptimalRegressionTreeCV" else name
        for name in (known if estimators is None else estimators)
    }
    return [
        Task(
            partial(_fit, models),
            tuple(f"boostbench.trees.{name}" for name in modules),
            shared=() if models in (_predictions, _optimal_trees) else _SHARED,
        )
        for names, (models, modules) in known.items()
        if estimators is None or not wanted.isdisjoint(names)
    ]


def _importances() -> list[Any]:
    from boostbench.trees._blocks import to_points
    from boostbench.trees._importance import feature_importances
    from boostbench.trees._types import Tree

    tree = Tree(1, np.zeros((1, 3)), np.zeros((2, 3)))
    feature_importances(to_points(np.zeros((4, 2))), tree, True, np.empty(2))
    return []


def _predictions() -> list[Any]:
    from boostbench.trees.structure import predict_hard

    predict_hard(np.zeros((1, 3)), np.zeros((2, 3)), np.zeros((4, 2)))
    return []


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


def _fit(make: Callable[[], list[Any]]) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    for model in make():
        model.fit(X, y).predict(X)
