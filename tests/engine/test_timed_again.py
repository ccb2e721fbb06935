"""Where a kernel was compiled in a fit, a second fit is timed, and the first result is kept."""

import dataclasses
import importlib
import itertools

import numpy as np
import pytest
from numba import config
from support import trial

from boostbench.engine.execution import run_trial

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the compiler is switched off")

MODULE = """
import random, time
import numpy as np
from numba import njit
from boostbench.kernels.jit import kernel

@{decorator}
def add(x):
    return x + 1.0

drawn, given, seconds = [], [], 0

class Adder:
    def __init__(self, value=0):
        self.value = value
    def get_params(self, deep=True):
        return {{"value": self.value}}
    def fit(self, X, y):
        drawn.append((random.random(), np.random.random()))
        given.append(X[0, 0])
        X[:] = 0.0
        if not add.overloads:
            time.sleep(0.2)  # so that the compilation takes at least as long
        add(float(len(drawn)))
        self.number = len(drawn)
        if self.value and len(drawn) > 1:
            raise ValueError("once is enough")
        self.time_history_ = [float(self.number)]
        self.objective_history_ = [1.0]
        return self
    def predict(self, X):
        time.sleep(seconds)
        return np.full(len(X), np.random.random())
    def benchmark_metrics_(self):
        return {{"number": self.number}}
"""
_numbers = itertools.count()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a function that makes the module again, with a kernel that is not compiled yet."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.syspath_prepend(tmp_path)

    def make(decorator="kernel"):
        name = f"adding_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(MODULE.format(decorator=decorator))
        return importlib.import_module(name)

    return make


def _run(mark, module, tmp_path, time_limit_s=None, **params):
    one = trial(mark, f"{module.__name__}:Adder", **params)
    one = dataclasses.replace(one, curves=True)
    return run_trial(one, tmp_path / "arrays", time_limit_s=time_limit_s)


def test_the_second_fit_is_timed_and_the_first_result_kept(tmp_path, mark, module):
    adding = module()
    first = _run(mark, adding, tmp_path)
    assert (first.status, first.metrics["number"]) == ("ok", 1)
    assert first.times["fit_s"] < first.times["first_fit_s"]
    assert first.curve == {"iteration": [1], "objective": [1.0]}
    assert first.time_curve == {"fit_s": [2.0]}
    # The same seeds and the same data, which the first fit has written into.
    seed = trial(mark, "x:y").random_state
    np.random.seed(seed)  # noqa: NPY002
    assert adding.drawn[1][1] == np.random.random()  # noqa: NPY002
    assert adding.given[0] == adding.given[1] != 0.0
    # Once it is compiled, nothing is done twice.
    second = _run(mark, adding, tmp_path)
    assert second.metrics["number"] == 3
    assert "first_fit_s" not in second.times


def test_predictions_are_those_of_a_trial_without_a_second_fit(tmp_path, mark, module):
    compiled, plain = module(), module()
    plain.add(1.0)
    np.random.seed(5)  # noqa: NPY002
    first = _run(mark, compiled, tmp_path)
    np.random.seed(5)  # noqa: NPY002
    second = _run(mark, plain, tmp_path)
    assert (len(compiled.drawn), len(plain.drawn)) == (2, 1)
    assert first.metrics == second.metrics


@pytest.mark.parametrize(("limit", "predicting"), [(0.3, 0), (1.2, 0.5)])
def test_a_fit_is_not_repeated_where_the_time_limit_would_end_the_trial(
    tmp_path, mark, module, limit, predicting
):
    adding = module()
    adding.seconds = predicting
    outcome = _run(mark, adding, tmp_path, time_limit_s=limit)
    assert len(adding.drawn) == 1
    assert outcome.times["fit_s"] == outcome.times["first_fit_s"] > 0.15


def test_code_that_is_compiled_in_every_process_is_fitted_once(tmp_path, mark, module):
    adding = module("njit")
    outcome = _run(mark, adding, tmp_path)
    assert len(adding.drawn) == 1
    assert "first_fit_s" not in outcome.times
