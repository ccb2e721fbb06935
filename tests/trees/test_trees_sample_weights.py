"""Weighted soft trees: a weight of 2 is a row given twice, a weight of 0 a row left out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from boostbench.trees import (
    SoftRegressionTree,
    davies_bouldin_index,
    reassign_points,
    srt_objective,
)

# Round-off makes LSMR stop after another iteration, and (17) may take one of two copies of a row.
EXACT = {"leaf_solver": "cholesky", "reassigned_share": 0.0}
MODELS = {
    "srt": SoftRegressionTree(2, max_iter=3, **EXACT),
    "restarts": SoftRegressionTree(3, max_iter=2, n_restarts=2, n_clusterings=3, **EXACT),
    "reassigned": SoftRegressionTree(
        2, max_iter=3, imbalance_threshold=0.45, high_imbalance_threshold=0.45, **EXACT
    ),
    "target": SoftRegressionTree(2, max_iter=2, target_weight=0.5, n_clusterings=2, **EXACT),
    "l2": SoftRegressionTree(2, "l2", max_iter=3, reassigned_share=0.0),
    "mean": SoftRegressionTree(
        2, "l2", max_iter=2, penalty_scaling="mean", mu=2.0, lambda_branch=1e-3, **EXACT
    ),
    "given": SoftRegressionTree(
        2, "l2", max_iter=2, lambda_branch=0.1, lambda_leaf=0.01, reassigned_share=0.0
    ),
    "convergent": SoftRegressionTree(2, max_iter=4, convergent_after=3, skip_factor=0.5, tol=1e-3),
    "convergent l2": SoftRegressionTree(1, "l2", max_iter=3, convergent_after=0),
    "published solvers, first tree": SoftRegressionTree(2, max_iter=0),
}


def table(seed, n, p):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    y = np.sin(4.0 * X[:, 0]) + X[:, -1] ** 2 + 0.1 * rng.normal(size=n)
    return X, (y - y.mean()) / y.std(), rng.integers(1, 4, n)


@pytest.mark.parametrize(("n", "p"), [(90, 3), (700, 5)])
@pytest.mark.parametrize("name", MODELS)
def test_a_weight_equals_as_many_copies_of_the_row(name, n, p):
    X, y, counts = table(1, n, p)
    copied = np.repeat(X, counts, axis=0), np.repeat(y, counts)
    model = clone(MODELS[name]).set_params(random_state=0)
    weighted, plain = (clone(model).fit(*data) for data in ((X, y, counts), copied))
    close = {"rtol": 1e-6, "atol": 1e-7}
    np.testing.assert_allclose(weighted.predict(X), plain.predict(X), **close)
    np.testing.assert_allclose(weighted.objective_history_, plain.objective_history_, **close)
    np.testing.assert_allclose(weighted.feature_importances_, plain.feature_importances_, **close)
    assert weighted.objective(X, y, counts) == pytest.approx(weighted.objective_, rel=1e-8)
    assert weighted.objective(X, y, counts) == pytest.approx(plain.objective(*copied), rel=1e-6)
    assert weighted.gradient_norm(X, y, counts) == pytest.approx(
        plain.gradient_norm(*copied), rel=1e-4, abs=1e-8
    )
    unweighted = clone(model).fit(X, y)
    assert abs(unweighted.predict(X) - weighted.predict(X)).max() > 1e-3


@pytest.mark.parametrize("name", MODELS)
def test_a_weight_of_0_is_a_row_left_out_and_weights_of_1_are_none(name):
    X, y, counts = table(2, 120, 4)
    left_out = counts == 1
    X[left_out] *= 50.0
    y[left_out] -= 9.0
    model = clone(MODELS[name]).set_params(random_state=0, clip=True)
    fits = [
        clone(model).fit(*data)
        for data in (
            (X, y, np.where(left_out, 0.0, 1.0)),
            (X[~left_out], y[~left_out], np.ones((~left_out).sum())),
            (X[~left_out], y[~left_out]),
        )
    ]
    for one in fits[1:]:
        np.testing.assert_array_equal(one.branch_coef_, fits[0].branch_coef_)
        np.testing.assert_array_equal(one.leaf_coef_, fits[0].leaf_coef_)
        np.testing.assert_array_equal(one.objective_history_, fits[0].objective_history_)
        np.testing.assert_array_equal(one.feature_importances_, fits[0].feature_importances_)
        np.testing.assert_array_equal(one.feature_range_, fits[0].feature_range_)


@pytest.mark.parametrize(("left", "share"), [(20, 0.4), (8, 0.25)])
def test_reassignment_counts_the_weight_of_the_points_that_it_moves(left, share):
    rng = np.random.default_rng(3)
    X, residual = rng.random((left + 2, 2)), rng.permutation(left + 2) + 1.0
    goes_left = np.arange(left + 2) < left
    counts = np.full(left + 2, 2)
    weighted = reassign_points(X, goes_left, residual, 0.3, share, sample_weight=counts)
    copied = (np.repeat(each, counts, axis=0) for each in (X, goes_left, residual))
    omega, sides = reassign_points(*copied, 0.3, share)
    np.testing.assert_allclose(weighted[0], omega, rtol=1e-9)
    np.testing.assert_array_equal(weighted[1], sides[::2])
    assert (weighted[1] != goes_left).sum() == left * share
    # The first of the largest residuals weighs more than may move.
    heavy = counts + 2.0 * left * (residual == residual[goes_left].max())
    sides = reassign_points(X, goes_left, residual, 0.3, share, sample_weight=heavy)[1]
    np.testing.assert_array_equal(sides, goes_left)


@pytest.mark.parametrize("n_clusters", [2, 5])
def test_the_index_that_picks_a_clustering_counts_weights(n_clusters):
    X, _, counts = table(7, 300, 3)
    labels = np.random.default_rng(1).integers(0, n_clusters, 300)
    weighted = davies_bouldin_index(X, labels, counts)
    copied = davies_bouldin_index(np.repeat(X, counts, axis=0), np.repeat(labels, counts))
    assert weighted == pytest.approx(copied, rel=1e-10)
    assert weighted != pytest.approx(davies_bouldin_index(X, labels), rel=1e-3)
    # An empty cluster does not count, be it of no row or of rows without weight.
    without = labels != 0
    assert davies_bouldin_index(X, labels, counts * without) == pytest.approx(
        davies_bouldin_index(X[without], labels[without], counts[without]), rel=1e-10
    )


def test_the_weighted_objective_and_its_gradients():
    X, y, counts = table(4, 60, 3)
    rng = np.random.default_rng(0)
    branch, leaf = rng.normal(size=(3, 4)), rng.normal(size=(4, 4))
    weighted = srt_objective(branch, leaf, X, y, 2.0, 0.1, 0.2, sample_weight=counts)
    copies = np.repeat(X, counts, axis=0), np.repeat(y, counts)
    plain = srt_objective(branch, leaf, *copies, 2.0, 0.1, 0.2)
    for one, other in zip(weighted, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.r_[np.ones(19), -2.0], "sample_weight is -2 at row 19"),
        (np.zeros(20), "weight"),
        (np.full(20, 1e308), "sum of sample_weight is inf"),
        (np.ones(7), "sample_weight"),
        (np.r_[np.ones(19), np.nan], "NaN"),
        (np.r_[1.0, np.zeros(19)], "fewer than the 4 leaves"),
    ],
)
def test_bad_weights_are_refused(weights, words):
    X, y, _ = table(5, 20, 2)
    with pytest.raises(ValueError, match=words):
        SoftRegressionTree(2).fit(X, y, weights)


def test_other_kinds_of_weights_give_finite_trees():
    X, y, counts = table(6, 80, 3)
    model = SoftRegressionTree(2, max_iter=2, random_state=0)
    expected = model.fit(X, y, counts.astype(float)).predict(X)
    for same in (counts.tolist(), pd.Series(counts, index=range(5, 85)), counts.astype("float32")):
        np.testing.assert_array_equal(model.fit(X, y, same).predict(X), expected)
    for extreme in (counts / counts.sum(), 10.0 ** np.linspace(-200, 200, 80), counts * 1e-9):
        assert np.isfinite(model.fit(X, y, extreme).predict(X)).all()
    # Three rows may stand for as many samples as there are leaves.
    few = model.fit(X[:3], y[:3], [3, 3, 3])
    assert np.isfinite(few.predict(X)).all()
