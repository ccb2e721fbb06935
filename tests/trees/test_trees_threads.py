"""Fits in threads: the bits of one thread, when threads are started, and how they end."""

import multiprocessing
import pickle
import signal
import threading
import time
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from boostbench.kernels import threads
from boostbench.trees import RandomizedRegressionTree, SoftRegressionTree
from boostbench.trees import _threads as tree_threads

# Three threads share the points from three times _POINTS_PER_THREAD on; not whole blocks.
_N = 12_301

_MODELS = {
    "srt": SoftRegressionTree(max_iter=1),
    "l2": SoftRegressionTree(2, "l2", max_iter=1, n_clusterings=2),
    "one level": SoftRegressionTree(1, "l2", max_iter=2),
    "reassigned": SoftRegressionTree(2, max_iter=1, imbalance_threshold=0.5),
    "convergent": SoftRegressionTree(2, "l2", max_iter=2, convergent_after=2, tol=1e-9),
    "orrt": RandomizedRegressionTree(2, "lbfgsb", mu=1.0, branch_bound=None, max_iter=3),
    "orrt from clusters": RandomizedRegressionTree(1, mu=4.0, init="clustering", max_iter=2),
}


def _data(n: int = _N) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(n)
    X = rng.random((n, 4))
    y = np.sin(5 * X[:, 0]) + 2 * X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)
    weight = rng.random(n)
    weight[::9] = 0.0
    return X, y, weight


def _bits(model: Any, *data: Any) -> tuple[bytes, ...]:
    model.fit(*data)
    names = ("branch_coef_", "leaf_coef_", "objective_history_", "feature_importances_")
    return (*(getattr(model, name).tobytes() for name in names), model.predict(data[0]).tobytes())


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the groups of threads that were started."""
    sizes: list[int] = []
    start = threads.Threads.__init__

    def noted(self: threads.Threads, size: int) -> None:
        sizes.append(size)
        start(self, size)

    monkeypatch.setattr(threads.Threads, "__init__", noted)
    return sizes


@pytest.mark.parametrize("name", _MODELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_any_number_of_threads_gives_the_same_bits(
    name: str, weighted: bool, started: list[int]
) -> None:
    X, y, weight = _data(14_000)
    data = (X, y, weight) if weighted else (X, y)
    model = clone(_MODELS[name]).set_params(random_state=3)
    once = _bits(model.set_params(n_jobs=1), *data)
    assert started == []
    assert once == _bits(model.set_params(n_jobs=2), *data)
    assert once == _bits(model.set_params(n_jobs=3), *data)
    assert started == [2, 3]


def test_points_that_are_all_the_same_are_cut_alike() -> None:
    X, y = np.repeat(np.random.default_rng(0).random((3, 2)), _N // 3, axis=0), _data()[1]
    model = SoftRegressionTree(2, "l2", max_iter=1, random_state=0)
    once = _bits(model, X, y[: len(X)])
    assert once == _bits(model.set_params(n_jobs=3), X, y[: len(X)])


@pytest.mark.parametrize("weighted", [False, True])
def test_normal_equations_of_many_points_are_sums_of_groups(
    weighted: bool, started: list[int]
) -> None:
    # 162 blocks at the root, two for each group; some of the nodes below it have one.
    X, y, weight = _data(41_300)
    data = (X, y, weight) if weighted else (X, y)
    model = SoftRegressionTree(2, max_iter=1, random_state=0)
    once = _bits(model, *data)
    assert once == _bits(model.set_params(n_jobs=2), *data)
    assert once == _bits(model.set_params(n_jobs=5), *data)
    assert started == [2, 5]


def test_more_points_than_the_sums_have_room_for_at_once(started: list[int]) -> None:
    # 66 blocks, with normal equations for 51 at a time.
    X, y, _ = _data(66 * 256)
    X = np.column_stack([X, np.random.default_rng(0).random((len(X), 30))])
    model = SoftRegressionTree(1, "l2", max_iter=1, random_state=0)
    assert _bits(model, X, y) == _bits(model.set_params(n_jobs=2), X, y)
    assert started == [2]


@pytest.mark.parametrize("weighted", [False, True])
def test_restarts_are_trained_side_by_side(weighted: bool, started: list[int]) -> None:
    X, y, weight = _data(500)
    data = (X, y, weight) if weighted else (X, y)
    model = SoftRegressionTree(2, "l2", 2, 5, convergent_after=3, random_state=1)
    once = _bits(model, *data)
    assert all(once == _bits(model.set_params(n_jobs=jobs), *data) for jobs in (2, 3, 8))
    assert started == [2, 3, 5]


def test_few_points_start_no_threads(started: list[int]) -> None:
    X, y, _ = _data(2000)
    SoftRegressionTree(2, max_iter=1, n_jobs=-1, random_state=0).fit(X, y)
    SoftRegressionTree(2, max_iter=1, n_restarts=4, n_jobs=4, random_state=0).fit(X[:99], y[:99])
    RandomizedRegressionTree(1, max_iter=1, n_jobs=2, random_state=0).fit(X, y)
    assert started == []


def test_the_context_says_how_many_threads(started: list[int]) -> None:
    X, y, _ = _data()
    with joblib.parallel_config(backend="threading", n_jobs=2):
        SoftRegressionTree(1, max_iter=1, random_state=0).fit(X, y)
    assert started == [2]


def test_a_model_with_threads_is_cloned_and_pickled() -> None:
    X, y, _ = _data()
    model = SoftRegressionTree(1, max_iter=1, n_jobs=2, random_state=0).fit(X, y)
    assert clone(model).get_params()["n_jobs"] == 2
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict(X), model.predict(X))


def _fit_in_threads(_: int = 0) -> tuple[bytes, ...]:
    X, y, _weight = _data()
    return _bits(SoftRegressionTree(1, "l2", max_iter=1, n_jobs=3, random_state=0), X, y)


def test_fits_in_worker_processes_and_after_a_fork_give_the_same_bits() -> None:
    here = _fit_in_threads()
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(_fit_in_threads)(i) for i in range(2)) == [
        here,
        here,
    ]
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map_async(_fit_in_threads, [0]).get(timeout=120) == [here]
    assert joblib.Parallel(n_jobs=2, backend="threading")(
        joblib.delayed(_fit_in_threads)(i) for i in range(2)
    ) == [here, here]


@pytest.mark.parametrize("n", [_N, 2000])
def test_an_interrupt_stops_the_threads(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    X, y, _ = _data(n)
    # About a minute of training; with 2000 points each thread has a start of its own.
    model = SoftRegressionTree(3, max_iter=20_000, n_restarts=2, n_jobs=2, random_state=0)
    SoftRegressionTree(3, max_iter=1, n_jobs=2, n_restarts=2, random_state=0).fit(X, y)
    monkeypatch.setattr(tree_threads, "_STARTS_BELOW", 10_000)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        started = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - started < 20
    assert not hasattr(model, "branch_coef_")
    assert not [t for t in threading.enumerate() if t.name.startswith("boostbench")]


@pytest.mark.timeout(60)
def test_a_start_that_fails_leaves_no_other_waiting() -> None:
    from boostbench.trees._blocks import to_points
    from boostbench.trees._threads import train_starts

    X = np.random.default_rng(0).random((300, 2))
    points = to_points(X, X[:, 0], np.empty(0))

    def train(shared, start):
        if start == 0:
            raise MemoryError("no room")
        return start

    with pytest.raises(MemoryError, match="no room"):
        train_starts(train, points, 2, 2, range(6))
