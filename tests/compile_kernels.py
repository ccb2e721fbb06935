"""Fits each estimator of a family, ``trees`` or ``boosting``, so that tests find it compiled."""

import sys

from boostbench.engine.warming import fit_synthetic

TREES = (
    ("SoftRegressionTree", {}),
    ("SoftRegressionTree", {"regularization": "l2", "convergent_after": 3}),
    ("RandomizedRegressionTree", {}),
    ("RandomizedRegressionTree", {"init": "clustering"}),
    ("OptimalRegressionTree", {}),
)
BOOSTERS = ("MultiBoostCW", "MultiBoost", "AdaBoostMH", "AdaBoostMO", "AdaBoostECC")

if sys.argv[1] == "trees":
    for name, params in TREES:
        fit_synthetic(f"boostbench.trees.{name}", params, "regression")
else:
    for n_classes in (3, 5, 11, 26):
        for name in BOOSTERS:
            fit_synthetic(f"boostbench.boosting.{name}", {}, "classification", 99, n_classes)
