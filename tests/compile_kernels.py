"""Fits each estimator of a family, so that tests find it compiled.

The families are ``soft_trees``, ``optimal_trees`` and ``boosting``.
"""

import sys

from boostbench.engine.warming import fit_synthetic

SOFT_TREES = (
    ("SoftRegressionTree", {}),
    ("SoftRegressionTree", {"regularization": "l2", "convergent_after": 3}),
    ("RandomizedRegressionTree", {}),
    ("RandomizedRegressionTree", {"init": "clustering"}),
)
BOOSTERS = ("MultiBoostCW", "MultiBoost", "AdaBoostMH", "AdaBoostMO", "AdaBoostECC")

if sys.argv[1] == "soft_trees":
    for name, params in SOFT_TREES:
        fit_synthetic(f"boostbench.trees.{name}", params, "regression")
elif sys.argv[1] == "optimal_trees":
    fit_synthetic("boostbench.trees.OptimalRegressionTree", {}, "regression")
else:
    for n_classes in (3, 5, 11, 26):
        for name in BOOSTERS:
            fit_synthetic(f"boostbench.boosting.{name}", {}, "classification", 99, n_classes)
