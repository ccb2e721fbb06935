"""The importances of a tree's features."""

import numpy as np
import pytest
import reference
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from boostbench.trees import (
    ForestRegressor,
    RandomizedRegressionTree,
    SoftRegressionTree,
    branch_probabilities,
    leaf_outputs,
)

TREES = {
    "srt": SoftRegressionTree(3, "l2", max_iter=4, random_state=0),
    "srt-1": SoftRegressionTree(1, mu=3.0, random_state=0),
    "srt-convergent": SoftRegressionTree(2, "l2", max_iter=4, convergent_after=3, random_state=0),
    "orrt": RandomizedRegressionTree(2, max_iter=20, random_state=0),
    "orrt-trained": RandomizedRegressionTree(
        2, mu=1.0, branch_bound=None, max_iter=60, random_state=0
    ),
}
every_tree = pytest.mark.parametrize("name", TREES)


def by_hand(model, X):
    """Importances from the public attributes and functions."""
    n_leaves, p = len(model.leaf_coef_), X.shape[1]
    left = branch_probabilities(model.branch_coef_, X, model.mu)
    if isinstance(model, SoftRegressionTree):
        left = (left >= 0.5).astype(float)
    reach, sides, outputs = (np.zeros((len(X), 2 * n_leaves)) for _ in range(3))
    reach[:, 1] = 1.0
    for t in range(1, n_leaves):
        sides[:, t] = reach[:, t] * left[:, t - 1]
        reach[:, 2 * t], reach[:, 2 * t + 1] = sides[:, t], reach[:, t] - sides[:, t]
    outputs[:, n_leaves:] = leaf_outputs(model.leaf_coef_, X)
    for t in range(n_leaves - 1, 0, -1):
        share = left[:, t - 1]
        outputs[:, t] = share * outputs[:, 2 * t] + (1.0 - share) * outputs[:, 2 * t + 1]
    slopes = model.branch_coef_[:, 1:] / p
    importances = reference.importances(reach, sides, outputs, X, slopes, model.leaf_coef_[:, 1:])
    return importances, outputs[:, 1]


@every_tree
def test_importances_follow_their_definition(name):
    rng = np.random.default_rng(100)
    X, y = reference.friedman(rng, 100, 5)
    X *= [1.0, 1.0, 1e3, 1.0, 0.0]
    X += [0.0, 5.0, 0.0, 0.0, 2.0]
    model = clone(TREES[name]).fit(X, y)
    expected, predictions = by_hand(model, X)
    np.testing.assert_allclose(predictions, model.predict(X), rtol=1e-6, atol=1e-8)
    importances = model.feature_importances_
    assert importances.shape == (5,)
    np.testing.assert_allclose(importances, expected, rtol=1e-6, atol=1e-9)
    assert importances.sum() == pytest.approx(1.0)
    assert importances[4] == 0.0


def test_there_are_no_importances_before_fit():
    model = clone(TREES["srt"])
    assert not hasattr(model, "feature_importances_")
    with pytest.raises((AttributeError, NotFittedError)):
        model.feature_importances_  # noqa: B018


def test_a_constant_prediction_has_no_important_feature():
    X = np.random.default_rng(3).random((40, 3))
    model = SoftRegressionTree(2, "l2", random_state=0).fit(X, np.zeros(40))
    assert model.feature_importances_.tolist() == [0.0, 0.0, 0.0]


def test_the_forest_has_scikit_learns():
    X, y = reference.friedman(np.random.default_rng(4), 100, 4)
    model = ForestRegressor(20, random_state=0)
    assert not hasattr(model, "feature_importances_")
    assert model.fit(X, y).feature_importances_.sum() == pytest.approx(1.0)
