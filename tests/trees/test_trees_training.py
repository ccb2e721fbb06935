"""NODEC-DR with the convergence conditions off: start, steps, penalties, best iterate, restarts."""

import copy

import numpy as np
import pytest
import reference
from sklearn.linear_model import LogisticRegression

from boostbench.trees import SoftRegressionTree, srt_objective

VARIANTS = {
    "srt": {},
    "l2": {"regularization": "l2"},
    "literal": {"regularization": "l2", "penalty_scaling": "mean"},
    "own lambdas": {"regularization": "l2", "lambda_branch": 0.01, "lambda_leaf": 0.3},
    "omega metric": {"regularization": "l2", "branch_metric": "omega"},
    "slope metric": {"branch_metric": "slope", "mu": 3.0},
    "convergent": {"regularization": "l2", "convergent_after": 9},
    "convergent from the start": {"convergent_after": 0, "max_iter": 4},
}


@pytest.fixture(scope="module")
def data():
    return reference.friedman(np.random.default_rng(0), 260)


@pytest.fixture(scope="module")
def blobs():
    """Two pairs of clusters with a plane each, far apart."""
    rng = np.random.default_rng(1)
    corners = np.array([[0.0, 0.0], [0.0, 0.3], [1.0, 0.0], [1.0, 0.3]])
    blob = rng.permutation(np.repeat(np.arange(4), 45))
    X = corners[blob] + 0.03 * rng.normal(size=(180, 2))
    planes = np.array([[1.0, 2.0, -1.0], [-2.0, 0.5, 3.0], [0.0, -4.0, 1.0], [3.0, 1.0, 1.0]])
    y = np.sum(np.column_stack([np.ones(180), X]) * planes[blob], axis=1)
    return X, y, blob, planes


def test_the_start_is_a_logistic_regression_a_branch_and_a_linear_one_a_leaf(blobs):
    X, y, blob, planes = blobs
    model = SoftRegressionTree(2, max_iter=0, n_clusterings=5, random_state=0).fit(X, y)
    assert model.n_iter_ == 0
    assert len(model.objective_history_) == 1
    order = [int(np.bincount(blob[model.apply(X) == leaf]).argmax()) for leaf in range(4, 8)]
    assert sorted(order) == [0, 1, 2, 3]
    np.testing.assert_allclose(model.leaf_coef_, planes[order], atol=1e-3)
    sides = {1: (blob, order[:2]), 2: (blob, order[:1]), 3: (blob, order[2:3])}
    members = {1: order, 2: order[:2], 3: order[2:]}
    for t, (labels, left) in sides.items():
        here = np.isin(labels, members[t])
        goes_left = np.isin(labels[here], left)
        logistic = LogisticRegression(tol=1e-12).fit(X[here], goes_left)
        optimum = np.r_[logistic.intercept_, 2 * logistic.coef_[0]]
        np.testing.assert_allclose(model.branch_coef_[t - 1], optimum, rtol=0.01, atol=0.01)


def test_with_target_weight_the_start_clusters_the_target_too():
    rng = np.random.default_rng(5)
    X, group = rng.random((200, 2)), rng.permutation(np.repeat(np.arange(4), 50))
    intercepts, slopes = (
        np.array([0.0, 10.0, 30.0, 40.0]),
        np.array([[1, 2], [2, -1], [0, 1], [3, 0]]),
    )
    y = intercepts[group] + np.sum(slopes[group] * X, axis=1)
    planes = np.column_stack([intercepts, slopes])

    def leaves(weight, target):
        model = SoftRegressionTree(2, max_iter=0, target_weight=weight, random_state=0)
        return model.fit(X, target).leaf_coef_

    found = leaves(3.0, y)
    np.testing.assert_allclose(found[np.argsort(found[:, 0])], planes, atol=1e-2)
    # Other units of the target are the same clusters.
    np.testing.assert_allclose(leaves(3.0, 1000.0 * y), 1000.0 * found, rtol=1e-3, atol=10.0)
    # The groups are alike in the features: without the target no cluster is a group.
    assert np.abs(np.sort(leaves(0.0, y)[:, 0]) - intercepts).max() > 5.0
    # A target that is constant adds nothing.
    constant = np.ones(200)
    np.testing.assert_array_equal(leaves(3.0, constant), leaves(0.0, constant))


@pytest.mark.parametrize("name", VARIANTS)
def test_the_best_iterate_is_kept(data, name):
    X, y = data
    depth = 3
    model = SoftRegressionTree(depth, random_state=3).set_params(**VARIANTS[name]).fit(X, y)
    history = model.objective_history_
    assert len(history) == 1 + model.n_iter_ * (2**depth - 1)
    assert np.isfinite(history).all()
    assert model.objective_ == pytest.approx(history.min(), rel=1e-13)
    assert model.objective(X, y) == pytest.approx(model.objective_, rel=1e-10, abs=1e-10)
    assert history[-1] < history[0]


def test_the_last_iterate_is_not_always_the_best(data):
    kept = [SoftRegressionTree(3, random_state=s).fit(*data).objective_history_ for s in range(8)]
    assert any(history[-1] > history.min() for history in kept)


def test_a_longer_run_begins_like_a_shorter_one(data):
    short = SoftRegressionTree(3, max_iter=2, random_state=0).fit(*data)
    long = SoftRegressionTree(3, max_iter=6, random_state=0).fit(*data)
    assert (short.n_iter_, long.n_iter_) == (2, 6)
    np.testing.assert_array_equal(short.objective_history_, long.objective_history_[:15])


def test_penalties_are_those_of_the_docstring(data):
    X, y = data
    n, p, depth = len(X), X.shape[1], 2
    omega, beta = np.random.default_rng(0).normal(size=(3, 6)), np.ones((4, 6))

    def objective(**params):
        model = SoftRegressionTree(depth, max_iter=0, random_state=0, **params).fit(X, y)
        model.branch_coef_, model.leaf_coef_ = omega, beta
        return model.objective(X, y)

    def expected(mu=1.0, branch=0.0, leaf=0.0):
        return pytest.approx(reference.error_srt(omega, beta, X, y, mu, branch, leaf), rel=1e-11)

    paper_branch, paper_leaf = 2 / (p * 3), 2 / (p * 4)
    literal = {"regularization": "l2", "penalty_scaling": "mean"}
    sums = {"regularization": "l2", "penalty_scaling": "sum"}
    own = {"lambda_branch": 0.3, "lambda_leaf": 0.7}
    assert objective() == expected()
    assert objective(mu=2.0, **own) == expected(2.0)
    assert objective(**literal) == expected(1.0, paper_branch, paper_leaf)
    assert objective(mu=2.0, **literal) == expected(2.0, paper_branch, paper_leaf)
    assert objective(**literal, **own) == expected(1.0, 0.3, 0.7)
    assert objective(**sums, **own) == expected(1.0, 0.3 / n, 0.7 / n)
    for mu in (1.0, 2.0):
        squares = np.sum((mu * omega[:, 1:] / p) ** 2)
        without = reference.error_srt(omega, beta, X, y, mu, 0.0, paper_leaf / n)
        with_slopes = without + paper_branch / 2 * X.var(axis=0).sum() * squares / n
        assert objective(mu=mu, **sums) == pytest.approx(with_slopes, rel=1e-11)


@pytest.mark.parametrize("name", VARIANTS)
def test_gradient_norm_is_that_of_the_penalised_objective(data, name):
    X, y = data[0][:120], data[1][:120]
    model = SoftRegressionTree(2, max_iter=1, random_state=0).set_params(
        **{**VARIANTS[name], "max_iter": 1}
    )
    model.fit(X, y)
    shape = model.branch_coef_.shape
    size = model.branch_coef_.size

    def objective(v):
        moved = copy.copy(model)
        moved.branch_coef_ = v[:size].reshape(shape)
        moved.leaf_coef_ = v[size:].reshape(model.leaf_coef_.shape)
        return moved.objective(X, y)

    point = np.concatenate([model.branch_coef_.ravel(), model.leaf_coef_.ravel()])
    point += 0.1 * np.random.default_rng(0).normal(size=point.size)
    model.branch_coef_ = point[:size].reshape(shape)
    model.leaf_coef_ = point[size:].reshape(model.leaf_coef_.shape)
    numerical = np.linalg.norm(reference.numerical_gradient(objective, point, 1e-5))
    assert numerical > 1e-3
    assert model.gradient_norm(X, y) == pytest.approx(numerical, rel=1e-6)


@pytest.mark.parametrize(("variant", "usual"), [("srt", "omega"), ("l2", "slope")])
def test_each_variant_steps_in_its_own_metric(data, variant, usual):
    fitted = {
        metric: SoftRegressionTree(
            2, max_iter=4, branch_metric=metric, random_state=0, **VARIANTS[variant]
        ).fit(*data)
        for metric in ("auto", "omega", "slope")
    }
    coefs = {metric: model.branch_coef_ for metric, model in fitted.items()}
    assert not np.array_equal(coefs["omega"], coefs["slope"])
    np.testing.assert_array_equal(coefs["auto"], coefs[usual])


@pytest.mark.parametrize("metric", ["omega", "slope"])
def test_a_single_split_without_the_heuristic_never_gets_worse(data, metric):
    # With one branch node the subproblem is the whole problem, and both steps decrease it.
    model = SoftRegressionTree(
        1, max_iter=20, imbalance_threshold=0.0, branch_metric=metric, random_state=0
    ).fit(*data)
    assert (np.diff(model.objective_history_) <= 1e-15).all()


@pytest.mark.parametrize(("seed", "epsilon2", "epsilon3"), [(0, 0.0, 0.4), (1, 0.5, 0.3)])
def test_an_imbalanced_node_is_refitted_by_the_logistic_regression(seed, epsilon2, epsilon3):
    # epsilon_1 = 1/2 calls every node imbalanced; epsilon_2 = 1/2 calls it highly so.
    X, y = reference.friedman(np.random.default_rng(seed), 140, 3)
    options = {
        "imbalance_threshold": 0.5,
        "high_imbalance_threshold": epsilon2,
        "reassigned_share": epsilon3,
        "random_state": seed,
    }
    start = SoftRegressionTree(1, max_iter=0, **options).fit(X, y)
    after = SoftRegressionTree(1, max_iter=1, **options).fit(X, y).objective_history_[1]
    omega, beta = start.branch_coef_, start.leaf_coef_
    goes_left = start.apply(X) == 2
    residual = [reference.subtree_error(omega, beta, a, b, 1) for a, b in zip(X, y, strict=True)]
    sides = reference.reassigned_sides(goes_left, residual, epsilon2, epsilon3)
    assert np.array_equal(sides, goes_left) == (epsilon2 == 0.0)
    model = LogisticRegression(class_weight="balanced", tol=1e-12, max_iter=10_000).fit(X, sides)
    refitted = np.r_[model.intercept_, 3 * model.coef_[0]][None]
    P = np.array([[reference.p_leaf(refitted, x, t) for t in (2, 3)] for x in X])
    expected = reference.error_srt(refitted, reference.leaf_step(P, X, y, 0.0), X, y)
    assert after == pytest.approx(expected, rel=2e-3)


def test_thresholds_decay_from_one_macro_iteration_to_the_next(data):
    # With a decay of 0 only the first macro iteration knows the heuristic.
    X, y = data
    common = {"imbalance_threshold": 0.5, "random_state": 0}
    decayed = SoftRegressionTree(2, max_iter=4, threshold_decay=0.0, **common).fit(X, y)
    kept = SoftRegressionTree(2, max_iter=4, threshold_decay=1.0, **common).fit(X, y)
    np.testing.assert_array_equal(decayed.objective_history_[:4], kept.objective_history_[:4])
    assert decayed.objective_history_[-1] < kept.objective_history_[-1]


def test_restarts_are_independent_and_the_least_objective_wins(data):
    stream = np.random.RandomState(11)
    singles = [SoftRegressionTree(2, max_iter=3, random_state=stream).fit(*data) for _ in range(5)]
    best = min(singles, key=lambda m: m.objective_)
    assert len({m.objective_ for m in singles}) == 5
    several = SoftRegressionTree(2, max_iter=3, n_restarts=5, random_state=11).fit(*data)
    np.testing.assert_array_equal(several.branch_coef_, best.branch_coef_)
    np.testing.assert_array_equal(several.leaf_coef_, best.leaf_coef_)
    np.testing.assert_array_equal(several.objective_history_, best.objective_history_)


def test_mu_only_rescales_omega_where_the_slopes_are_penalised(data):
    one = SoftRegressionTree(2, "l2", random_state=0).fit(*data)
    steep = SoftRegressionTree(2, "l2", mu=8.0, random_state=0).fit(*data)
    assert steep.objective_ == pytest.approx(one.objective_, rel=1e-9)
    np.testing.assert_allclose(8 * steep.branch_coef_, one.branch_coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        steep.leaf_probabilities(data[0]), one.leaf_probabilities(data[0]), rtol=1e-6, atol=1e-12
    )


def test_a_leaf_without_samples_gets_the_mean():
    X, y = np.array([[0.0], [10.0], [11.0], [12.0]]), np.arange(4.0)
    leaves = SoftRegressionTree(2, max_iter=0, random_state=0).fit(X, y).leaf_coef_
    assert [1.5, 0.0] in leaves.tolist()


def test_clip_moves_new_features_into_the_range_of_the_training_samples(data):
    X, y = data
    inside = X[:, 0] <= 0.9
    kept = X[inside]
    free = SoftRegressionTree(2, random_state=0).fit(kept, y[inside])
    clipped = SoftRegressionTree(2, clip=True, random_state=0).fit(kept, y[inside])
    np.testing.assert_array_equal(clipped.feature_range_, [kept.min(axis=0), kept.max(axis=0)])
    np.testing.assert_array_equal(clipped.branch_coef_, free.branch_coef_)
    np.testing.assert_array_equal(clipped.predict(kept), free.predict(kept))

    new = 3.0 * X - 1.0
    moved = np.clip(new, kept.min(axis=0), kept.max(axis=0))
    for answer in (
        lambda model, X: model.predict(X),
        lambda model, X: model.apply(X),
        lambda model, X: model.decision_path(X).toarray(),
        lambda model, X: model.leaf_probabilities(X),
        lambda model, X: model.objective(X, y),
        lambda model, X: model.gradient_norm(X, y),
    ):
        np.testing.assert_array_equal(answer(clipped, new), answer(free, moved))
        assert np.any(answer(clipped, new) != answer(free, new))


@pytest.mark.parametrize("p", [3, 300])
def test_the_leaves_of_the_last_step_are_optimal_however_many_are_fitted_at_once(p):
    # With 300 features the normal equations of two leaves are too large to be solved at once.
    rng = np.random.default_rng(0)
    X = rng.random((900, p))
    y = np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2]
    model = SoftRegressionTree(
        1, "l2", max_iter=1, lambda_leaf=0.5, imbalance_threshold=0.0, random_state=0
    ).fit(X, y)
    assert model.objective_history_[-1] == model.objective_
    gradient = srt_objective(model.branch_coef_, model.leaf_coef_, X, y)[2]
    ridge = 0.5 * model.leaf_coef_ / len(X)
    assert np.abs(gradient + ridge).max() < 1e-5 * np.abs(ridge).max()
