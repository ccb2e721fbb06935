"""The estimators as scikit-learn knows them, and data that break careless code."""

import warnings

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from boostbench.trees import (
    ForestRegressor,
    OptimalRegressionTree,
    OutOfRangeWarning,
    RandomizedRegressionTree,
    SoftRegressionTree,
    route,
)

TRAINED = {"mu": 1.0, "branch_bound": None, "max_iter": 25}
ESTIMATORS = [
    SoftRegressionTree(),
    SoftRegressionTree(1, n_restarts=2, n_clusterings=2, mu=4.0, branch_metric="slope"),
    SoftRegressionTree(2, "l2", penalty_scaling="mean", lambda_branch=1e-3, lambda_leaf=1e-3),
    SoftRegressionTree(2, "l2", convergent_after=6, skip_factor=0.5, tol=1e-4),
    RandomizedRegressionTree(1, max_iter=20),
    RandomizedRegressionTree(1, "lbfgsb", **TRAINED, init="clustering"),
    ForestRegressor(n_estimators=5),
]
SOFT = [e for e in ESTIMATORS if isinstance(e, SoftRegressionTree)]
TREES = [e for e in ESTIMATORS if not isinstance(e, ForestRegressor)]


def _name(estimator):
    return repr(estimator).replace("\n", "").replace(" ", "")


def _expected_failures(estimator):
    if isinstance(estimator, ForestRegressor):
        reason = "the bootstrap samples of repeated rows are others"
    elif isinstance(estimator, SoftRegressionTree):
        reason = "the check shuffles the rows, and the first centre is drawn in their order"
    else:
        return {}
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")
    }


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=_expected_failures)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return reference.friedman(np.random.default_rng(0), 150, 4)


def _awkward():
    rng = np.random.default_rng(7)
    X, y = reference.friedman(rng, 90, 3)
    onehot = np.eye(9)[rng.integers(0, 9, 90)]
    corners = np.repeat([[0.0, 0.0], [1.0, 1.0]], 45, axis=0)
    return {
        "constant column": (np.column_stack([X, np.full(90, 3.0)]), y),
        "constant columns only": (np.ones((90, 2)), y),
        "constant target": (X, np.full(90, 2.5)),
        "zero target": (X, np.zeros(90)),
        "duplicated points": (np.repeat(X[:5], 18, axis=0), np.repeat(y[:5], 18)),
        "two points, repeated": (corners, corners[:, 0]),
        "as many points as leaves": (X[:8], y[:8]),
        "one more than leaves": (X[:9], y[:9]),
        "collinear one-hot columns": (np.column_stack([onehot, onehot, X]), y),
        "more features than points": (rng.random((20, 60)), rng.random(20)),
        "huge features": (X * 1e8, y),
        "absurd features": (X * 1e150, y),
        "overflowing features": (X * 1e300, y),
        "tiny features": (X * 1e-200, y),
        "features of many sizes": (X * [1e8, 1.0, 1e-8], y),
        "features far from zero": (X + 1e7, y),
        "an outlier": (np.vstack([X, [1e6, -1e6, 0.0]]), np.r_[y, 1e4]),
        "huge target": (X, y * 1e100),
    }


AWKWARD = _awkward()


@pytest.mark.parametrize("estimator", [SOFT[0], SOFT[-1]], ids=_name)
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_data_give_finite_predictions_and_no_other_warning(name, estimator):
    X, y = AWKWARD[name]
    model = clone(estimator).set_params(depth=3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", OutOfRangeWarning)
        predictions = model.fit(X, y).predict(X)
        value = model.objective(X, y)
    assert np.isfinite(predictions).all()
    assert np.isfinite(model.branch_coef_).all()
    assert np.isfinite(model.leaf_coef_).all()
    assert value == pytest.approx(model.objective_, rel=1e-8, abs=1e-10 * max(1.0, np.var(y)))
    importances = model.feature_importances_
    assert (importances >= 0).all()
    assert importances.sum() == pytest.approx(1.0) or not importances.any()
    np.testing.assert_allclose(model.leaf_probabilities(X).sum(axis=1), 1.0)


OVERFLOWING = {"absurd features", "overflowing features", "huge target"}
OTHERS = [
    OptimalRegressionTree(3, n_restarts=3),
    RandomizedRegressionTree(2, max_iter=20),
    RandomizedRegressionTree(2, **TRAINED),
    RandomizedRegressionTree(2, "lbfgsb", **TRAINED, init="clustering"),
]


@pytest.mark.parametrize("estimator", OTHERS, ids=_name)
@pytest.mark.parametrize("name", AWKWARD)
def test_other_trees_fit_awkward_data_or_say_that_they_overflow(name, estimator):
    X, y = AWKWARD[name]
    model = clone(estimator).set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", OutOfRangeWarning)
        try:
            predictions = model.fit(X, y).predict(X)
        except ValueError as error:
            assert isinstance(model, RandomizedRegressionTree)
            assert name in OVERFLOWING
            assert "overflow" in str(error)  # noqa: PT017
            assert "\n" not in str(error)  # noqa: PT017
            return
    assert np.isfinite(predictions).all()
    assert np.isfinite(model.objective_)
    if isinstance(model, OptimalRegressionTree):
        assert 0.0 <= model.objective_ <= 1.0 + 1e-9


def test_an_optimal_tree_of_one_row_is_its_target():
    model = OptimalRegressionTree(3, random_state=0).fit(np.ones((1, 2)), [3.0])
    assert model.predict([[7.0, 1.0]]) == [3.0]


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(8, 200),
    p=st.integers(1, 7),
    depth=st.integers(1, 3),
    regularization=st.sampled_from([None, "l2"]),
    kind=st.sampled_from(["smooth", "binary", "integers", "sparse"]),
    after=st.sampled_from([None, 0, 5]),
)
@settings(max_examples=40)
def test_any_data_are_survived(seed, n, p, depth, regularization, kind, after):
    rng = np.random.default_rng(seed)
    X = {
        "smooth": lambda: rng.random((n, p)),
        "binary": lambda: rng.integers(0, 2, (n, p)).astype(float),
        "integers": lambda: rng.integers(-3, 4, (n, p)) * 10.0 ** rng.integers(-3, 4),
        "sparse": lambda: rng.random((n, p)) * (rng.random((n, p)) < 0.1),
    }[kind]()
    y = rng.normal(size=n) + X[:, 0]
    model = SoftRegressionTree(
        depth, regularization, max_iter=4, convergent_after=after, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", OutOfRangeWarning)
        model.fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model.objective_ <= model.objective_history_[0]
    assert model.objective(X, y) == pytest.approx(model.objective_, rel=1e-9, abs=1e-10)
    assert set(model.apply(X)) <= set(range(2**depth, 2 ** (depth + 1)))


@pytest.mark.parametrize("depth", [1, 3])
def test_fitted_attributes_and_paths_fit_together(data, depth):
    X, y = data
    model = SoftRegressionTree(depth, "l2", max_iter=2, random_state=0).fit(X, y)
    n_leaves = 2**depth
    assert model.branch_coef_.shape == (n_leaves - 1, 5)
    assert model.leaf_coef_.shape == (n_leaves, 5)
    assert model.n_features_in_ == 4
    leaves = model.apply(X)
    np.testing.assert_array_equal(leaves, route(model.branch_coef_, X))
    expected = reference.predict_srt(model.branch_coef_, model.leaf_coef_, X)
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-10, atol=1e-12)
    path = model.decision_path(X)
    assert sparse.issparse(path)
    dense = path.toarray()
    assert dense.shape == (len(X), 2 * n_leaves)
    for row, leaf in zip(dense, leaves, strict=True):
        assert np.flatnonzero(row).tolist() == [leaf >> up for up in range(depth, -1, -1)]


@pytest.mark.parametrize("estimator", TREES[:1] + TREES[-1:], ids=_name)
def test_fewer_points_than_leaves_are_refused_in_a_sentence(estimator, data):
    X, y = data
    with pytest.raises(ValueError, match=r"^n_samples=7 .* 8 leaves .* depth 3$"):
        clone(estimator).set_params(depth=3).fit(X[:7], y[:7])


@pytest.mark.parametrize("estimator", TREES[:1] + TREES[-1:], ids=_name)
def test_the_type_and_the_layout_of_the_numbers_do_not_matter(estimator, data):
    X = np.round(data[0] * 64)
    y = np.round(data[1] * 64)
    model = clone(estimator).set_params(random_state=0).fit(X, y)
    expected = model.predict(X)
    for kind in (np.float32, np.int64, np.int16):
        other = clone(model).fit(X.astype(kind), y.astype(kind))
        assert other.predict(X.astype(kind)).dtype == np.float64
        np.testing.assert_array_equal(other.predict(X.astype(kind)), expected)
    np.testing.assert_array_equal(clone(model).fit(np.asfortranarray(X), y).predict(X), expected)
    wide = np.repeat(X, 2, axis=1)[:, ::2]
    np.testing.assert_array_equal(clone(model).fit(wide, y).predict(wide), expected)
    np.testing.assert_array_equal(clone(model).fit(X.tolist(), y.tolist()).predict(X), expected)


@pytest.mark.parametrize(
    ("tree", "params"),
    [
        *(
            (SoftRegressionTree, {name: value})
            for name, value in (
                ("depth", 2.5),
                ("regularization", "l1"),
                ("mu", 0.0),
                ("imbalance_threshold", 0.6),
            )
        ),
        *(
            (OptimalRegressionTree, {name: value})
            for name, value in (
                ("depth", 9),
                ("splits", "oblique"),
                ("l1", -1e-3),
                ("penalty_weight", "rows"),
            )
        ),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(tree, params, data):
    with pytest.raises(ValueError, match=next(iter(params))):
        tree(**params).fit(*data)


@pytest.mark.parametrize("estimator", TREES[:1] + TREES[-1:], ids=_name)
def test_a_benchmark_gets_plain_numbers(estimator, data):
    metrics = clone(estimator).set_params(random_state=0).fit(*data).benchmark_metrics_()
    assert metrics
    assert all(type(value) in (int, float) for value in metrics.values())
