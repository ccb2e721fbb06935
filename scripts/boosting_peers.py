"""Data and turns of the boosting benchmarks, and the contestants that are not ours."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from boostbench.data.access import default_access
from boostbench.data.loading import load_dataset
from boostbench.data.request import DataRequest

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

# A turn has so many calls and takes so many seconds, at least. Of a few short calls, most of the
# time would go into refilling the caches that the others have emptied in their turns.
CALLS, SECONDS = 5, 0.02
MNIST_PER_CLASS = 1000
DATA = ("vowel", "pendigits", "usps", "mnist")


def split(name: str, mirror: Path | None) -> Split:
    """X, y for training and X, y for testing: 75/25, for MNIST 1,000 a class and 10,000."""
    data = load_dataset(
        DataRequest(name=name, card=name), default_access(mirror, mirror is not None)
    )
    rng = np.random.default_rng(0)
    y = np.asarray(data.y)
    if name == "mnist":
        train_rows = np.arange(60_000)
        train = np.concatenate(
            [
                rng.choice(train_rows[y[train_rows] == k], MNIST_PER_CLASS, replace=False)
                for k in np.unique(y)
            ]
        )
        test = np.arange(60_000, y.shape[0])
    else:
        order = rng.permutation(y.shape[0])
        cut = int(0.75 * y.shape[0])
        train, test = order[:cut], order[cut:]
    return data.X[train], y[train], data.X[test], y[test]


def take_turns(contest: dict[str, Callable[[], float]], turns: int) -> dict[str, np.ndarray]:
    """Seconds a call by contestant, (turns,) each, after a turn that does not count."""
    times: dict[str, list[float]] = {name: [] for name in contest}
    for _ in range(turns + 1):
        for name, turn in contest.items():
            times[name].append(turn())
    return {name: np.array(kept[1:]) for name, kept in times.items()}


def turn_of(step: Callable[[], Any]) -> Callable[[], float]:
    """A turn of ``step``, and what it takes: seconds a call."""

    def turn() -> float:
        start = perf_counter()
        calls, spent = 0, 0.0
        while calls < CALLS or spent < SECONDS:
            step()
            calls += 1
            spent = perf_counter() - start
        return spent / calls

    return turn


def lightgbm_rounds(X: np.ndarray, y: np.ndarray) -> Callable[[], Any] | None:
    try:
        import lightgbm as lgb
    except ImportError:
        return None
    params = {
        "objective": "multiclass",
        "num_class": int(y.max()) + 1,
        "num_leaves": 2,
        "num_threads": 1,
        "verbose": -1,
    }
    booster = lgb.Booster(params, lgb.Dataset(X, label=y, params=params).construct())
    return booster.update


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
