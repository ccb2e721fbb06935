"""Class probabilities: what each loss makes of the scores, and what every link must keep to."""

import numpy as np
import pytest
from boosters import BOOSTERS
from boosting_reference import blobs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from sklearn.base import clone
from sklearn.metrics import log_loss

from boostbench.boosting import AdaBoostMO
from boostbench.boosting._probabilities import (
    inverse_loss,
    keep_order,
    one_against_rest,
    pairwise,
    vote_shares,
)

MODELS = {
    **BOOSTERS,
    "mo-one-vs-all": AdaBoostMO(code="one_vs_all", max_iter=8),
    "mo-hamming": AdaBoostMO(decoding="hamming", max_iter=8),
}
every_model = pytest.mark.parametrize("name", MODELS)
LINKS = {
    "pairwise": lambda scores: pairwise(scores, 2.0),
    "one_against_rest": one_against_rest,
    "inverse_loss": inverse_loss,
}
distributions = st.lists(st.floats(0.01, 1.0), min_size=2, max_size=6).map(
    lambda p: np.array(p) / np.sum(p)
)
# Of any size, and close to each other too.
score = st.floats(-1e308, 1e308) | st.floats(-30, 30) | st.integers(-2, 2).map(float)


@given(p=distributions, scale=st.sampled_from([1.0, 0.5]))
@settings(max_examples=50)
def test_the_link_of_the_pair_loss_inverts_its_minimiser(p, scale):
    def expected_loss(F):
        pairs = np.exp(scale * (F[None, :] - F[:, None]))
        return p @ (pairs.sum(axis=1) - 1.0)

    F = minimize(expected_loss, np.zeros(p.shape), options={"gtol": 1e-9}).x
    np.testing.assert_allclose(pairwise(F[None, :] + 7.0, 2.0 * scale)[0], p, atol=1e-5)


@given(p=distributions)
@settings(max_examples=50)
def test_the_link_of_the_hamming_loss_inverts_its_minimiser(p):
    def minimiser(share):
        return minimize_scalar(lambda f: share * np.exp(-f) + (1.0 - share) * np.exp(f)).x

    F = np.array([minimiser(share) for share in p])
    np.testing.assert_allclose(one_against_rest(F[None, :])[0], p, atol=1e-5)


@given(scores=st.lists(st.floats(-8, 8), min_size=2, max_size=5))
@settings(max_examples=50)
def test_odds_that_fit_no_distribution_are_all_moved_by_one_factor(scores):
    F = np.array(scores)
    p = one_against_rest(F[None, :])[0]
    shift = np.log(p) - np.log1p(-p) - 2.0 * F
    np.testing.assert_allclose(shift, shift[0], atol=1e-6)


def test_a_one_bit_code_of_two_classes_has_half_log_odds():
    f = np.array([-3.0, -0.2, 0.0, 1.5])
    scores = np.column_stack([f, -f])
    np.testing.assert_allclose(inverse_loss(scores)[:, 0], 1.0 / (1.0 + np.exp(-2.0 * f)))


@given(data=st.data(), link=st.sampled_from(list(LINKS)), K=st.integers(2, 7))
@settings(max_examples=100)
def test_any_scores_give_a_distribution_in_their_order(data, link, K):
    scores = np.array([data.draw(st.lists(score, min_size=K, max_size=K)) for _ in range(2)])
    with np.errstate(all="raise", under="ignore"):
        p = keep_order(LINKS[link](scores), scores)
    assert ((p >= 0.0) & (p <= 1.0 + 1e-15)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(np.argmax(p, axis=1), np.argmax(scores, axis=1))
    for row, shares in zip(scores, p, strict=True):
        assert (np.diff(shares[np.argsort(row)]) >= -1e-15).all()
        assert np.unique(shares[row == row.max()]).size == 1


def test_scores_that_differ_by_rounding_keep_their_order():
    scores = np.array([[1.0, np.nextafter(1.0, 2.0), 0.0], [40.0, 40.0, 300.0], [2.0, 2.0, 2.0]])
    for link in LINKS.values():
        p = keep_order(link(scores), scores)
        assert p.argmax(axis=1).tolist() == [1, 2, 0]
    # 1 / (1 + exp(-2 F)) is 1 for both classes.
    p = one_against_rest(np.array([[30.0, 20.0]]))
    np.testing.assert_allclose(p, [[1.0, np.exp(-10.0)]], rtol=1e-4)


def test_votes_become_shares_of_the_bits():
    votes = np.array([[7.0, -1.0, -1.0], [1.0, 1.0, -3.0]])
    expected = np.array([[7.0, 3.0, 3.0], [4.0, 4.0, 2.0]])
    p = vote_shares(votes, 7)
    np.testing.assert_allclose(p, expected / expected.sum(axis=1, keepdims=True))


@every_model
@pytest.mark.parametrize("K", [2, 5])
def test_probabilities_are_those_of_predict(name, K):
    X, y = blobs(n=150, seed=1, K=K)
    labels = np.array(["delta", "alpha", "echo", "bravo", "charlie"])[y]
    model = clone(MODELS[name]).fit(X, labels)
    new = np.random.default_rng(0).normal(size=(200, 4)) * 2
    p = model.predict_proba(new)
    assert p.shape == (200, K)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(new))


@pytest.mark.parametrize("name", ["cw", "multiboost"])
def test_the_order_is_kept_where_probabilities_are_equal_up_to_rounding(name):
    X, y = blobs(n=60, seed=1, K=3)
    model = clone(MODELS[name]).set_params(max_iter=1).fit(X, y)
    model.coef_ *= 1e-30
    labels, p = model.predict(X), model.predict_proba(X)
    assert np.unique(labels).size > 1
    np.testing.assert_allclose(p, 1.0 / 3.0)
    np.testing.assert_array_equal(p.argmax(axis=1), labels)


@every_model
def test_stages_end_at_the_model(name):
    X, y = blobs(seed=3)
    model = clone(MODELS[name]).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == model.n_iter_
    np.testing.assert_allclose(stages[-1], model.predict_proba(X), atol=1e-9)
    for p, labels in zip(stages, model.staged_predict(X), strict=True):
        np.testing.assert_array_equal(p.argmax(axis=1), labels)


@pytest.mark.parametrize("name", ["cw1", "mh", "ecc"])
def test_probabilities_approach_the_true_ones(name):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, 20_000)[:, None].astype(float)
    truth = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.05, 0.15, 0.8]])
    y = (rng.random((20_000, 1)) > truth[X[:, 0].astype(int)].cumsum(axis=1)).sum(axis=1)
    model = clone(MODELS[name]).set_params(max_iter=300).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(np.arange(4.0)[:, None]), truth, atol=0.025)
    assert log_loss(y, model.predict_proba(X)) < log_loss(y, truth[X[:, 0].astype(int)]) + 1e-3
