"""Forests: scikit-learn's set as R's, and R's own where it is installed."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import reference
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.utils import estimator_checks

from boostbench.trees import ForestRegressor, RForestRegressor, forest

_REASON = RForestRegressor.unavailable()
needs_r = pytest.mark.skipif(_REASON is not None, reason=str(_REASON))


@pytest.fixture(scope="module")
def data():
    return reference.friedman(np.random.default_rng(0), 120, 7)


@pytest.mark.parametrize(("p", "tried"), [(1, 1), (5, 1), (6, 2)])
def test_the_forest_is_scikit_learns_with_r_s_settings(data, p, tried):
    X, y = data[0][:, :p], data[1]
    ours = ForestRegressor(30, random_state=0).fit(X, y)
    same = RandomForestRegressor(30, max_features=tried, min_samples_split=5, random_state=0)
    np.testing.assert_array_equal(ours.predict(X), same.fit(X, y).predict(X))
    assert ours.max_features == "third"


@pytest.mark.parametrize("max_features", ["third", 0.5])
def test_the_forest_passes_the_weights_on(max_features, data):
    X, y = data
    weight = np.random.default_rng(9).integers(0, 4, len(X))
    ours = ForestRegressor(10, max_features=max_features, random_state=0).fit(X, y, weight)
    tried = 2 if max_features == "third" else 0.5
    same = RandomForestRegressor(10, max_features=tried, min_samples_split=5, random_state=0)
    np.testing.assert_array_equal(ours.predict(X), same.fit(X, y, weight).predict(X))
    assert not np.array_equal(ours.predict(X), same.fit(X, y).predict(X))


def test_the_forests_parameters_stay_after_a_failure(data):
    model = ForestRegressor(3)
    with pytest.raises(ValueError):
        model.fit(data[0], data[1][:5])
    assert model.max_features == "third"


def _without_r(monkeypatch, path):
    monkeypatch.setenv("PATH", str(path))
    forest._r_reason.cache_clear()


@pytest.fixture
def _fresh_reason():
    yield
    forest._r_reason.cache_clear()


@pytest.mark.usefixtures("_fresh_reason")
def test_without_r_the_missing_program_is_named(monkeypatch, tmp_path):
    _without_r(monkeypatch, tmp_path)
    assert "Rscript is not installed" in RForestRegressor.unavailable()


@pytest.mark.usefixtures("_fresh_reason")
def test_a_missing_r_package_and_a_failing_r_are_distinguished(monkeypatch, tmp_path, data):
    fake = tmp_path / "Rscript"
    said = "Error: there is no such package\\nExecution halted"
    fake.write_text(f"#!/bin/sh\nprintf '{said}\\n' >&2\nexit 1\n")
    fake.chmod(0o755)
    _without_r(monkeypatch, tmp_path)
    assert "randomForest is not installed" in RForestRegressor.unavailable()
    with pytest.raises(RuntimeError, match="there is no such package"):
        RForestRegressor().fit(*data)


@needs_r
def test_r_s_forest_predicts_is_deterministic_and_travels(data):
    X, y = data
    model = RForestRegressor(60, random_state=5).fit(X, y)
    predictions = model.predict(X)
    assert predictions.shape == y.shape
    assert model.score(X, y) > 0.8
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), predictions)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), predictions)
    other = clone(model).set_params(random_state=6).fit(X, y).predict(X)
    assert not np.array_equal(other, predictions)
    # Column order and the row order of new data: a mixed-up matrix would not survive this.
    np.testing.assert_array_equal(model.predict(X[::-1]), predictions[::-1])
    assert model.score(X[:, ::-1], y) < 0.5


@needs_r
def test_r_s_forest_is_trained_within_a_limit_on_memory():
    # A trial's limit is one on the process's data, which Rscript inherits.
    script = (
        "import resource, numpy as np\n"
        "from boostbench.trees import RForestRegressor\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, resource.RLIM_INFINITY))\n"
        "X = np.random.default_rng(0).random((80, 3))\n"
        "print(RForestRegressor(20, random_state=0).fit(X, X[:, 0]).score(X, X[:, 0]))\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0.8


@needs_r
@pytest.mark.parametrize(
    "check", [estimator_checks.check_estimators_nan_inf, estimator_checks.check_n_features_in]
)
def test_r_s_forest_keeps_scikit_learns_rules(check):
    check("RForestRegressor", RForestRegressor(5, random_state=0))
