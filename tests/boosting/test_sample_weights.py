"""Sample weights of every booster: one is none, two is a sample given twice, zero is left out."""

import numpy as np
import pytest
from boosters import BOOSTERS
from boosting_reference import blobs
from sklearn.base import clone

# scipy's solver, that of "multiboost", goes by another way for other weights.
every_model = pytest.mark.parametrize("name", [name for name in BOOSTERS if name != "multiboost"])


def same(one, other, X):
    np.testing.assert_array_equal(one.stumps_, other.stumps_)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.objective_history_, other.objective_history_)
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


@every_model
def test_weights_of_one_change_no_bit(name):
    X, y = blobs(seed=1)
    plain = clone(BOOSTERS[name]).fit(X, y)
    same(plain, clone(BOOSTERS[name]).fit(X, y, sample_weight=np.ones(y.shape[0])), X)
    same(plain, clone(BOOSTERS[name]).fit(X, y, np.full(y.shape[0], 4.0)), X)


@every_model
def test_a_weight_of_two_is_a_sample_given_twice(name):
    X, y = blobs(n=90, seed=0)
    weight = np.random.default_rng(0).integers(0, 4, 90)
    weighted = clone(BOOSTERS[name]).fit(X, y, weight)
    repeated = clone(BOOSTERS[name]).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_array_equal(weighted.stumps_, repeated.stumps_)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(weighted.objective_history_, repeated.objective_history_, rtol=1e-9)
    np.testing.assert_allclose(
        weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6, atol=1e-9
    )


@every_model
def test_a_sample_of_no_weight_is_left_out(name):
    X, y = blobs(n=90, seed=4)
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.5, 2.0, 90) * (rng.random(90) < 0.7)
    kept = weight > 0
    # Neither its features nor its label may count, even a label that no other sample has.
    X[~kept] *= 100.0
    y[np.flatnonzero(~kept)[0]] = 17
    weighted = clone(BOOSTERS[name]).fit(X, y, weight)
    assert weighted.classes_.tolist() == [0, 1, 2, 3]
    same(weighted, clone(BOOSTERS[name]).fit(X[kept], y[kept], weight[kept]), X)
