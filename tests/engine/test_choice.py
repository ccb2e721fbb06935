"""The part of the training rows on which parameters are compared, and which value wins."""

import dataclasses

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from support import trial

from boostbench.data.dataset import Dataset
from boostbench.data.prepare import prepare_split
from boostbench.data.splits import shuffle_indices
from boostbench.engine.choice import chosen_params
from boostbench.engine.interface import TrialError

SEEN = []


class Constant(RegressorMixin, BaseEstimator):
    """Predicts ``value``; fit returns itself, nothing or another estimator."""

    def __init__(self, value=0.0, returns="self", shape="right"):
        self.value, self.returns, self.shape = value, returns, shape

    def fit(self, X, y):
        SEEN.append((X.copy(), y.copy()))
        X[:], y[:] = 0, 0
        if self.returns == "other":
            other = Constant(self.value)
            self.value = 1e9
            return other
        return self if self.returns == "self" else None

    def predict(self, X):
        found = np.full(len(X), self.value)
        return {"right": found, "column": found[:, None]}.get(self.shape, found[None])


def data(task="regression", rows=80):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 2))
    y = rng.normal(3.0, 0.1, size=rows) if task == "regression" else (np.arange(rows) % 4 == 0) * 1
    return Dataset(
        "d", X, y, ("a", "b"), "y", task, "f", "made", ("p", "q") if task != "regression" else ()
    )


def choice(values, seed=0, task="regression", **params):
    one = trial("f", f"{__name__}:Constant", seed=seed, **params)
    return dataclasses.replace(
        one, task=task, choose={"value": values}, scale_features="standard", scale_target="none"
    )


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_values_are_fitted_on_three_quarters_scaled_by_these(task):
    dataset, train = data(task), np.arange(8, 72)
    one = choice([0, 1], 2, task)
    SEEN.clear()
    chosen_params(one, dataset, train)
    fit_part, test_part = shuffle_indices(
        dataset.y[train], 0.25, 0, one.random_state, stratify=task == "classification"
    )
    expected = prepare_split(dataset, train[fit_part], train[test_part], "standard", "none")
    assert len(SEEN) == 2
    for X, y in SEEN:
        assert np.array_equal(X, expected.X_train)
        assert np.array_equal(y, expected.y_train)
    if task == "classification":
        # A quarter of the rows are of one class, in each part.
        assert np.mean(SEEN[0][1]) == 0.25


@pytest.mark.parametrize("returns", ["self", "nothing", "other"])
def test_the_least_error_wins_whatever_fit_returns(returns):
    one = choice([0.0, 2.9, 3.0, 9.0], returns=returns)
    assert chosen_params(one, data(), np.arange(80)) == {"value": 3.0}


@pytest.mark.parametrize("bad", [float("nan"), 1e200])
def test_an_error_that_is_no_number_never_wins(bad):
    with np.errstate(over="ignore"):
        assert chosen_params(choice([bad, 2.0]), data(), np.arange(80)) == {"value": 2.0}
        assert chosen_params(choice([2.0, bad]), data(), np.arange(80)) == {"value": 2.0}
        assert np.isnan(chosen_params(choice([float("nan"), bad]), data(), np.arange(80))["value"])


def test_predictions_of_another_shape_are_the_trials_error():
    column = choice([0.0, 3.0], shape="column")
    assert chosen_params(column, data(), np.arange(80)) == {"value": 3.0}
    with pytest.raises(TrialError, match=r"shape \(1, 20\) for 20 rows"):
        chosen_params(choice([1.0], shape="wrong"), data(), np.arange(80))
