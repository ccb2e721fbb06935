"""Soft regression trees and what they are compared with, as scikit-learn estimators.

Usable alone: nothing here knows of experiments, files or terminals.
"""

from boostbench.trees.forest import ForestRegressor, RForestRegressor
from boostbench.trees.objective import orrt_objective, srt_objective
from boostbench.trees.randomized import RandomizedRegressionTree
from boostbench.trees.soft import SoftRegressionTree
from boostbench.trees.steps import (
    cluster_leaves,
    davies_bouldin_index,
    leaf_step,
    reassign_points,
)
from boostbench.trees.structure import (
    branch_probabilities,
    leaf_outputs,
    leaf_probabilities,
    predict_hard,
    route,
)
from boostbench.trees.view import export_text, plot
from boostbench.trees.warmup import warm_up

__all__ = [
    "ForestRegressor",
    "RForestRegressor",
    "RandomizedRegressionTree",
    "SoftRegressionTree",
    "branch_probabilities",
    "cluster_leaves",
    "davies_bouldin_index",
    "export_text",
    "leaf_outputs",
    "leaf_probabilities",
    "leaf_step",
    "orrt_objective",
    "plot",
    "predict_hard",
    "reassign_points",
    "route",
    "srt_objective",
    "warm_up",
]
