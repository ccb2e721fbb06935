"""Stump search in threads: the bits of one thread, also where stumps tie."""

import signal
import threading
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from boostbench.boosting import (
    AdaBoostECC,
    AdaBoostMH,
    AdaBoostMO,
    MultiBoost,
    MultiBoostCW,
    _slots,
    base,
)
from boostbench.kernels import threads

_MODELS = {
    "cw": MultiBoostCW(max_iter=4, random_state=0),
    "cw1": MultiBoostCW(max_iter=5, stagewise=True),
    "mb": MultiBoost(max_iter=3, solver="fcd", random_state=0),
    "mh": AdaBoostMH(max_iter=6),
    "mo": AdaBoostMO(max_iter=3, code="random", random_state=0),
    "ecc": AdaBoostECC(max_iter=6, random_state=0),
}


def _data() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 12))
    X[:, 3] = np.round(X[:, 3])
    X[:, 7] = 1.0
    y = np.digitize(X[:, 1] + X[:, 3] * X[:, 8], [-1.0, 0.0, 0.4, 2.0])
    # The same splits once more, in another thread's part; and as good ones the other way round.
    X[:, 9], X[:, 10], X[:, 11] = X[:, 1], -X[:, 3], X[:, 8]
    weight = rng.random(3000)
    weight[::7] = 0.0
    return X, y, weight


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the groups of threads that were started; small data are enough for them."""
    sizes: list[int] = []
    start = threads.Threads.__init__

    def noted(self: threads.Threads, size: int) -> None:
        sizes.append(size)
        start(self, size)

    monkeypatch.setattr(threads.Threads, "__init__", noted)
    monkeypatch.setattr(base, "_CELLS", 100)
    return sizes


def _bits(model: Any, *data: Any) -> tuple[bytes, ...]:
    model.fit(*data)
    X = data[0][:400]
    staged = np.array(list(model.staged_predict(X)))
    names = ("coef_", "objective_history_")
    return (
        *(getattr(model, name).tobytes() for name in names),
        model.stumps_.tobytes(),
        staged.tobytes(),
        model.predict_proba(X).tobytes(),
    )


@pytest.mark.parametrize("name", _MODELS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_number_of_threads_gives_the_same_bits(
    name: str, weighted: bool, started: list[int]
) -> None:
    X, y, weight = _data()
    data = (X, y, weight) if weighted else (X, y)
    model = clone(_MODELS[name])
    once = _bits(model.set_params(n_jobs=1), *data)
    assert started == []
    for n_jobs in (2, 3, 12):
        assert once == _bits(model.set_params(n_jobs=n_jobs), *data)
    assert started == [2, 3, 12]
    assert set(model.stumps_["feature"]) <= {*range(-1, 9)}


@pytest.mark.parametrize("name", _MODELS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sums_of_blocks_have_the_same_bits_in_any_number_of_threads(
    name: str, started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, weight = _data()
    model = clone(_MODELS[name])
    whole = model.fit(X, y, weight).objective_history_
    monkeypatch.setattr(_slots, "_BLOCK", 500)
    once = _bits(model.set_params(n_jobs=1), X, y, weight)
    np.testing.assert_allclose(model.objective_history_, whole, rtol=1e-6)
    for n_jobs in (2, 3, 12):
        assert once == _bits(model.set_params(n_jobs=n_jobs), X, y, weight)
    assert started == [2, 3, 12]


def test_the_number_of_blocks_depends_on_the_number_of_slots_only() -> None:
    sizes = [_slots.make_slots(np.zeros(n, dtype=np.intp), 1).n_blocks for n in (1, 32_760, 10**5)]
    assert sizes == [1, 1, 6]


def test_a_fit_is_resumed_with_other_threads(started: list[int]) -> None:
    X, y, _ = _data()
    for model in (MultiBoostCW(max_iter=6, random_state=0), AdaBoostMH(max_iter=6)):
        once = _bits(clone(model), X, y)
        model.set_params(max_iter=2, warm_start=True, n_jobs=2).fit(X, y)
        assert once == _bits(model.set_params(max_iter=6, n_jobs=3), X, y)
        model.set_params(max_iter=7, n_jobs=None).fit(X, y)
    assert started == [2, 3, 2, 3]


def test_few_values_start_no_threads(started: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    X, y, _ = _data()
    AdaBoostMH(max_iter=2, n_jobs=4).fit(X, y)
    assert started == []


def test_an_interrupt_stops_the_threads(started: list[int]) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    X, y, _ = _data()
    model = AdaBoostMH(max_iter=100_000, n_jobs=2)
    clone(model).set_params(max_iter=1).fit(X, y)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert started == [2, 2]
    assert not hasattr(model, "stumps_")
    assert not [t for t in threading.enumerate() if t.name.startswith("boostbench")]
