"""scikit-learn's own checks, and the rules for the package as a whole."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from boostbench.boosting import AdaBoostECC, AdaBoostMH, AdaBoostMO, MultiBoost, MultiBoostCW


@parametrize_with_checks(
    [
        MultiBoostCW(),
        MultiBoostCW(stagewise=True, max_iter=40),
        MultiBoostCW(solver="lbfgsb", max_iter=10),
        MultiBoost(max_iter=10),
        AdaBoostMH(max_iter=40),
        AdaBoostMO(max_iter=40),
        AdaBoostECC(max_iter=40),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("n_classes", [2, 12, 50])
def test_any_number_of_classes(n_classes):
    rng = np.random.default_rng(1)
    y = np.arange(300) % n_classes
    X = np.column_stack([y + 0.3 * rng.normal(size=300), rng.normal(size=300)])
    for model in (
        MultiBoostCW(max_iter=30, random_state=0),
        AdaBoostMH(max_iter=30),
        AdaBoostECC(max_iter=30, random_state=0),
    ):
        assert model.fit(X, y).score(X, y) > 1.5 / n_classes
