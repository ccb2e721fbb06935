"""The contestants of ``bench_boosting.py`` that are not ours, each a call or a turn of calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import numpy as np

CALLS = 5


def turn_of(step: Callable[[], Any]) -> Callable[[], float]:
    """A turn of ``step``, and what it takes: seconds a call."""

    def turn() -> float:
        start = perf_counter()
        for _ in range(CALLS):
            step()
        return (perf_counter() - start) / CALLS

    return turn


def lightgbm_rounds(X: np.ndarray, y: np.ndarray, threads: int = 1) -> Callable[[], Any] | None:
    try:
        import lightgbm as lgb
    except ImportError:
        return None
    params = {
        "objective": "multiclass",
        "num_class": int(y.max()) + 1,
        "num_leaves": 2,
        "num_threads": threads,
        "verbose": -1,
    }
    booster = lgb.Booster(params, lgb.Dataset(X, label=y, params=params).construct())
    return booster.update


def _two_threads(connection: Connection, X: np.ndarray, y: np.ndarray) -> None:
    rounds = lightgbm_rounds(X, y, threads=2)
    assert rounds is not None
    turn = turn_of(rounds)
    while connection.recv():
        connection.send(turn())


@contextmanager
def lightgbm_apart(X: np.ndarray, y: np.ndarray) -> Iterator[Callable[[], float] | None]:
    """Turns of LightGBM on two threads, in another process."""
    if find_spec("lightgbm") is None or (os.cpu_count() or 1) < 2:
        yield None
        return
    ours, theirs = Pipe()
    process = get_context("spawn").Process(target=_two_threads, args=(theirs, X, y), daemon=True)
    process.start()

    def turn() -> float:
        ours.send(True)
        return float(ours.recv())

    try:
        yield turn
    finally:
        ours.send(False)
        process.join()


def xgboost_rounds(X: np.ndarray, y: np.ndarray) -> Callable[[], Any] | None:
    try:
        import xgboost as xgb
    except ImportError:
        return None
    params = {
        "objective": "multi:softprob",
        "num_class": int(y.max()) + 1,
        "max_depth": 1,
        "tree_method": "hist",
        "nthread": 1,
    }
    data = xgb.DMatrix(X, label=y, nthread=1)
    booster = xgb.Booster(params, [data])
    done = count()
    return lambda: booster.update(data, next(done))


def sklearn_stump(X: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    from sklearn.tree import DecisionTreeClassifier

    X32 = X.astype(np.float32)
    weight = np.random.default_rng(0).exponential(size=y.shape[0])
    K, done = int(y.max()) + 1, count()

    def step() -> None:
        DecisionTreeClassifier(max_depth=1).fit(X32, y == next(done) % K, sample_weight=weight)

    return step
