"""Soft trees warn, once per fit, where the data are unlike those of the paper."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from boostbench.trees import OutOfRangeWarning, RandomizedRegressionTree, SoftRegressionTree

MODELS = [
    SoftRegressionTree(2, max_iter=1, n_restarts=3, random_state=0),
    SoftRegressionTree(2, "l2", max_iter=1, n_restarts=2, n_jobs=2, random_state=0),
    RandomizedRegressionTree(2, max_iter=5, n_restarts=2, random_state=0),
]


def table(n=80, p=3):
    rng = np.random.default_rng(0)
    X = rng.random((n, p))
    y = np.sin(4.0 * X[:, 0]) + 0.1 * rng.normal(size=n)
    return X, (y - y.mean()) / y.std()


def said(model, X, y, **weights):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, **weights)
    assert all(each.filename == __file__ for each in caught)
    assert all(each.category is OutOfRangeWarning for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("model", MODELS, ids=lambda each: type(each).__name__)
def test_scaled_and_standardised_data_give_no_warning(model):
    X, y = table()
    assert said(model, X, y) == []
    assert said(model, StandardScaler().fit_transform(X), 3.0 * y + 2.0) == []
    assert said(model, X, np.full(80, 700.0)) == []


@pytest.mark.parametrize("model", MODELS, ids=lambda each: type(each).__name__)
def test_features_far_outside_are_told_with_their_range_and_the_remedy(model):
    X, y = table()
    for sign in (1.0, -1.0):
        far = X * [1.0, 500.0 * sign, 1.0]
        (sentence,) = said(model, far, y)
        assert sentence.startswith(f"{type(model).__name__} is not made for such data: features")
        assert f"between {far.min():.4g} and {far.max():.4g}" in sentence
        assert "MinMaxScaler" in sentence
        assert "target" not in sentence
        assert "coefficients" not in sentence


@pytest.mark.parametrize(("factor", "shift"), [(250.0, 0.0), (0.004, 0.0), (1.0, 33.0)])
def test_a_target_of_another_scale_is_told_with_its_mean_and_deviation(factor, shift):
    X, y = table()
    for model in MODELS:
        (sentence,) = said(model, X, factor * y + shift)
        assert f"standard deviation {factor:.4g}" in sentence
        assert "StandardScaler" in sentence
        assert "features lie" not in sentence


def test_more_coefficients_in_a_leaf_than_samples_are_told():
    X, y = table(80, 19)
    for model in MODELS:
        assert said(model, X, y) == []  # 20 of both
        (sentence,) = said(model, X[:79], y[:79])
        assert "each of the 4 leaves has 20 coefficients" in sentence
        assert "19.75 training samples" in sentence
    (sentence,) = said(SoftRegressionTree(3, "l2", max_iter=0), *table(300, 100))
    assert "101 coefficients" in sentence
    assert "37.5 training" in sentence


def test_columns_of_rare_levels_do_not_count_as_coefficients():
    X, y = table(80, 3)
    rare = np.eye(80)[:, :40]
    common = (np.arange(80)[:, None] % np.arange(2, 32) == 0).astype(float)
    model = MODELS[0]
    assert said(model, np.column_stack([X, rare, np.ones((80, 30))]), y) == []
    (sentence,) = said(model, np.column_stack([X, common]), y)
    many = int((np.minimum(common.sum(axis=0), 80 - common.sum(axis=0)) >= 4).sum())
    assert f"has {1 + 3 + many} coefficients" in sentence


def test_all_reasons_are_one_sentence_and_rows_of_weight_0_do_not_count():
    X, y = table(60, 20)
    (sentence,) = said(MODELS[1], 1000.0 * X, 1000.0 * y)
    assert "features lie" in sentence
    assert "the target has" in sentence
    assert "coefficients" in sentence
    assert "\n" not in sentence
    X, y = table()
    X[0], y[0] = 1e6, 1e6
    assert said(MODELS[0], X, y, sample_weight=np.r_[0.0, np.ones(79)]) == []
    assert len(said(MODELS[0], X, y, sample_weight=np.ones(80))) == 1


def test_the_remedies_remove_the_warning():
    X, y = table()
    X, y = X * 900.0, y * 900.0 + 5000.0
    scaled = make_pipeline(MinMaxScaler(), MODELS[1])
    model = TransformedTargetRegressor(scaled, transformer=StandardScaler())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_val_score(model, X, y)


def test_who_makes_warnings_errors_gets_one_before_the_training():
    X, y = table()
    for model, data in itertools.product(MODELS, [(X * 1e3, y), (X, y * 1e3)]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(OutOfRangeWarning):
                model.fit(*data)
