"""What holds of the fits of every booster: their stages, their resumption, their complaints."""

import numpy as np
import pytest
from boosters import BOOSTERS
from boosting_reference import blobs
from sklearn.base import clone

from boostbench.boosting import InputError, ParameterError


@pytest.fixture(params=BOOSTERS)
def model(request):
    return clone(BOOSTERS[request.param])


def test_stages_have_the_coefficients_of_their_round(model):
    X, y = blobs(seed=2)
    whole = model.fit(X, y)
    stages = list(whole.staged_decision_function(X))
    labels = list(whole.staged_predict(X))
    assert len(stages) == len(labels) == whole.n_iter_ == whole.objective_history_.shape[0]
    assert whole.objective_history_.shape == whole.time_history_.shape
    # The last round of a fit may be solved better than that round of a longer one.
    shorter = clone(model).set_params(max_iter=6).fit(X, y)
    np.testing.assert_allclose(stages[4], list(shorter.staged_decision_function(X))[4], atol=1e-9)
    np.testing.assert_array_equal(labels[4], list(shorter.staged_predict(X))[4])
    np.testing.assert_allclose(
        list(shorter.staged_decision_function(X))[-1], shorter.decision_function(X), atol=1e-9
    )
    np.testing.assert_allclose(stages[-1], whole.decision_function(X), atol=1e-9)
    if not hasattr(model, "solver"):
        np.testing.assert_array_equal(stages[:6], list(shorter.staged_decision_function(X)))


def test_a_resumed_fit_is_the_uninterrupted_one(model):
    X, y = blobs(seed=4)
    weight = np.random.default_rng(0).uniform(0.5, 2, y.shape[0])
    whole = model.fit(X, y, weight)
    resumed = clone(model).set_params(max_iter=5, warm_start=True).fit(X, y, weight)
    assert resumed.n_iter_ == 5
    resumed.set_params(max_iter=12).fit(X, y, weight)
    np.testing.assert_array_equal(resumed.stumps_, whole.stumps_)
    np.testing.assert_array_equal(resumed.objective_history_, whole.objective_history_)
    if getattr(model, "solver", "fcd") == "fcd":
        np.testing.assert_array_equal(resumed.coef_, whole.coef_)
    assert (np.diff(resumed.time_history_) >= 0).all()
    with pytest.raises(ParameterError, match="max_iter=3 is less than the 12 rounds already"):
        resumed.set_params(max_iter=3).fit(X, y, weight)


def test_wrong_input_is_one_sentence(model):
    X, y = blobs(n=20)
    with pytest.raises(InputError, match="at least two classes in y, but all 20 samples"):
        model.fit(X, ["same"] * 20)
    spoilt = X.copy()
    spoilt[3, 2] = np.nan
    with pytest.raises(InputError, match="NaN at row 3, column 2"):
        model.fit(spoilt, y)
    model.fit(X, y)
    spoilt[3, 2] = np.inf
    with pytest.raises(InputError, match="infinity at row 3, column 2"):
        model.predict(spoilt)
    with pytest.raises(ValueError, match="at least one non-zero"):
        model.fit(X, y, np.zeros(20))
    with pytest.raises(InputError, match="sample_weight is -1 at row 19"):
        model.fit(X, y, np.append(np.ones(19), -1))
