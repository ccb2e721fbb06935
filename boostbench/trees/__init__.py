"""Soft regression trees and their rivals, as scikit-learn estimators usable without the rest.

soft              SoftRegressionTree: parameters, restarts, and the order of the stages below
_initialisation   a first tree: two-means (_clustering), logistic regressions (_logistic), leaves
_nodec            NODEC-DR, one inner iteration after the other; the best iterate is returned
_convergent       the same with conditions (15), (16) and Armijo's rule
_reassignment     where a branch is imbalanced: weighted logistic regression (17) instead of
_branch_step      loss, gradient, SLSQP or L-BFGS of a subtree's branch nodes; then the
_leaf_step        weighted ridge regressions (_equations) of the leaves, by _cholesky or _lsmr; the
_expected_losses  of all points brought up to date: error (7), penalties, who reaches a node
randomized        ORRT: objective (4) as a whole (_orrt_loss), by SLSQP or L-BFGS-B
optimal           OptimalRegressionTree (ORT-L, ORT-LH), by the search in local_search
optimal_grid      OptimalRegressionTreeCV: its l1 and cp chosen on held-out rows
stacking          Appendix A: one soft tree for the product or sum of two
steps, objective, structure   the stages, errors and routing on plain arrays
_range            whether fit warns that the data are unlike those the method was made for
_types, _blocks, _heap        the kernels' arguments, points in blocks, nodes in heap order
_products         products of a block of points with the coefficients of several nodes
"""

from boostbench.trees._range import OutOfRangeWarning
from boostbench.trees.forest import ForestRegressor, RForestRegressor
from boostbench.trees.objective import orrt_objective, srt_objective
from boostbench.trees.optimal import OptimalRegressionTree
from boostbench.trees.optimal_grid import OptimalRegressionTreeCV
from boostbench.trees.randomized import RandomizedRegressionTree
from boostbench.trees.soft import SoftRegressionTree
from boostbench.trees.stacking import StackedRegressionTree, stack
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

__all__ = [
    "ForestRegressor",
    "OptimalRegressionTree",
    "OptimalRegressionTreeCV",
    "OutOfRangeWarning",
    "RForestRegressor",
    "RandomizedRegressionTree",
    "SoftRegressionTree",
    "StackedRegressionTree",
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
    "stack",
]
