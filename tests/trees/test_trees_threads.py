"""Restarts and values of l1 in threads: the bits of one thread."""

from typing import Any

import joblib
import numpy as np
import pytest
import reference
from sklearn.base import clone

from boostbench.trees import (
    OptimalRegressionTree,
    OptimalRegressionTreeCV,
    RandomizedRegressionTree,
    SoftRegressionTree,
    _base,
)

_DATA = reference.friedman(np.random.default_rng(300), 300, 4)
_MODELS = {
    "srt": SoftRegressionTree(2, max_iter=2, n_restarts=5),
    "convergent": SoftRegressionTree(2, "l2", 2, 4, convergent_after=3, tol=1e-9),
    "orrt": RandomizedRegressionTree(2, mu=4.0, init="clustering", max_iter=20, n_restarts=4),
    "orrt, lbfgsb": RandomizedRegressionTree(2, "lbfgsb", mu=1.0, max_iter=20, n_restarts=4),
    "ort": OptimalRegressionTree(3, n_restarts=5),
    "ort-h": OptimalRegressionTree(2, "hyperplane", n_restarts=3),
    "ort-cv": OptimalRegressionTreeCV(2, n_restarts=3),
}


def _bits(model: Any) -> dict[str, Any]:
    model.fit(*_DATA)
    found = {name: value for name, value in vars(model).items() if name.endswith("_")}
    found["predictions"] = model.predict(_DATA[0])
    return {
        name: value.tobytes() if isinstance(value, np.ndarray) else repr(value)
        for name, value in found.items()
    }


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of threads that were started."""
    sizes: list[int] = []
    parallel = joblib.Parallel

    def noted(n_jobs: int, **options: Any) -> Any:
        sizes.append(n_jobs)
        return parallel(n_jobs=n_jobs, **options)

    monkeypatch.setattr(_base, "Parallel", noted)
    return sizes


@pytest.mark.parametrize("name", _MODELS)
def test_any_number_of_threads_gives_the_same_bits(name: str, started: list[int]) -> None:
    model = clone(_MODELS[name]).set_params(random_state=3)
    once = _bits(model.set_params(n_jobs=1))
    assert started == []
    for n_jobs in (2, 3):
        assert _bits(model.set_params(n_jobs=n_jobs)) == once
    assert set(started) == {2, 3}


def test_one_restart_starts_no_threads_and_the_context_may_ask_for_some(started: list[int]) -> None:
    SoftRegressionTree(1, max_iter=1, n_jobs=4, random_state=0).fit(*_DATA)
    assert started == []
    model = SoftRegressionTree(1, max_iter=1, n_restarts=3, random_state=0)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        model.fit(*_DATA)
    assert started == [2]


def test_no_threads_at_all_are_refused() -> None:
    with pytest.raises(ValueError, match="n_jobs"):
        SoftRegressionTree(1, n_jobs=0).fit(*_DATA)


def test_an_error_in_a_thread_is_raised_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        _base.in_threads(2, lambda number: 1 // number, range(4))
