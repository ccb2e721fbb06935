"""A fit that does not come to its end leaves the model that was there, and no other."""

import copy

import numpy as np
import pytest
from boosters import BOOSTERS
from boosting_reference import blobs
from sklearn.base import clone

from boostbench.boosting.stumps import StumpSearch


@pytest.fixture(params=BOOSTERS)
def model(request):
    return clone(BOOSTERS[request.param]).set_params(max_iter=5, warm_start=True)


@pytest.fixture
def interrupt(monkeypatch):
    """Call with a number: the search is interrupted when it is called for that time."""

    def after(calls):
        left = [calls]
        for name in ("best", "best_shared"):
            search = getattr(StumpSearch, name)

            def interrupted(self, *args, search=search):
                left[0] -= 1
                if left[0] < 0:
                    raise KeyboardInterrupt
                return search(self, *args)

            monkeypatch.setattr(StumpSearch, name, interrupted)

    yield after
    monkeypatch.undo()


def seen(model, X):
    stages = list(model.staged_decision_function(X))
    return [model.n_iter_, model.coef_, model.objective_history_, *stages, model.predict(X)]


def assert_equal(first, second):
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_interrupted_fit_can_be_resumed(model, monkeypatch, interrupt):
    X, y = blobs(seed=22)
    model.fit(X, y)
    interrupt(4)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(max_iter=12).fit(X, y)
    monkeypatch.undo()
    model.fit(X, y)
    assert model.n_iter_ == 12
    assert len(list(model.staged_predict(X))) == 12
    final = list(model.staged_decision_function(X))[-1]
    np.testing.assert_allclose(final, model.decision_function(X), atol=1e-9)
    assert model.objective_history_[-1] < model.objective_history_[4]


def test_a_copy_is_resumed_without_the_original(model):
    X, y = blobs(seed=25)
    model.fit(X, y)
    before = seen(model, X)
    other = copy.copy(model).set_params(max_iter=15).fit(X, y)
    assert_equal(seen(model, X), before)
    assert other.n_iter_ == 15


@pytest.mark.parametrize("warm_start", [True, False])
def test_an_interrupted_fit_leaves_the_model_as_it_was(model, interrupt, warm_start):
    X, y = blobs(seed=21)
    model.set_params(warm_start=warm_start).fit(X, y)
    before = seen(model, X)
    interrupt(4 if warm_start else 2)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(max_iter=50).fit(*((X, y) if warm_start else blobs(seed=24, K=6, d=7)))
    assert_equal(seen(model, X), before)
    assert model.n_features_in_ == 4
