"""Measure boostbench.boosting against its peers, as ratios of interleaved runs on real data.

    python scripts/bench_boosting.py --mirror FOLDER [--data vowel usps] [--part search solver]

Three parts:

search   one search for the best stump of each of K classes (one thread) against one round of
         LightGBM (``num_leaves=2``), XGBoost (``max_depth=1``, hist), both K trees, and K fits of
         scikit-learn's AdaBoost stump. The searches repeat between every two rounds of a peer.
solver   MultiBoost-cw at C = 1e4: solver seconds of FCD with tau_max = 2 and of L-BFGS-B (scipy,
         one BLAS thread), each until it is within a share of the objective at which L-BFGS-B
         ends after ``--rounds`` rounds.
rounds   seconds of training for ``--rounds`` rounds of every method, and the test error.

Peers that are not installed are left out. Times are the least of several, so that other work on
the machine matters little; a ratio above 1 means that boostbench is faster.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from boostbench.boosting import (
    AdaBoostECC,
    AdaBoostMH,
    AdaBoostMO,
    MultiBoost,
    MultiBoostCW,
    warm_up,
)
from boostbench.boosting._slots import make_slots
from boostbench.boosting.stumps import StumpSearch
from boostbench.data import DataRequest, default_access, load_dataset

MNIST_PER_CLASS = 1000


def seconds(action: Callable[[], Any]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


def split(name: str, mirror: Path | None) -> tuple[np.ndarray, ...]:
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


def lightgbm_rounds(X: np.ndarray, y: np.ndarray, threads: int) -> Callable[[], Any] | None:
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


def xgboost_rounds(X: np.ndarray, y: np.ndarray, threads: int) -> Callable[[], Any] | None:
    try:
        import xgboost as xgb
    except ImportError:
        return None
    params = {
        "objective": "multi:softprob",
        "num_class": int(y.max()) + 1,
        "max_depth": 1,
        "tree_method": "hist",
        "nthread": threads,
    }
    data = xgb.DMatrix(X, label=y)
    booster = xgb.Booster(params, [data])
    done = [0]

    def step() -> None:
        booster.update(data, done[0])
        done[0] += 1

    return step


def sklearn_stumps(X: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    from sklearn.tree import DecisionTreeClassifier

    X32 = X.astype(np.float32)
    weight = np.random.default_rng(0).exponential(size=y.shape[0])

    def step() -> None:
        for k in range(int(y.max()) + 1):
            DecisionTreeClassifier(max_depth=1).fit(X32, y == k, sample_weight=weight)

    return step


def bench_search(X: np.ndarray, y: np.ndarray, repeats: int) -> None:
    K = int(y.max()) + 1
    slots = make_slots(y.astype(np.intp), K)
    start = perf_counter()
    finder = StumpSearch(X, slots, 2.0 * np.eye(K) - 1.0)
    print(f"  presort {perf_counter() - start:.3f} s")
    masses = np.random.default_rng(0).exponential(size=(K, slots.n_slots)) * (slots.weights > 0)
    stumps, scores = np.zeros((K, 5), dtype=np.intp), np.zeros(K)
    peers = {
        "LightGBM, 1 thread": lightgbm_rounds(X, y, 1),
        "LightGBM, 2 threads": lightgbm_rounds(X, y, 2),
        "XGBoost, 1 thread": xgboost_rounds(X, y, 1),
        "XGBoost, 2 threads": xgboost_rounds(X, y, 2),
        "scikit-learn": sklearn_stumps(X, y),
    }
    for name, step in peers.items():
        if step is None:
            print(f"  {name}: not installed")
            continue
        ours, theirs = [], []
        n = max(2, repeats // 10) if name == "scikit-learn" else repeats
        step()
        for _ in range(n):
            ours.append(min(seconds(lambda: finder.best(masses, stumps, scores)) for _ in range(3)))
            theirs.append(seconds(step))
        ratio, best = np.median(theirs) / np.median(ours), min(theirs) / min(ours)
        print(
            f"  {name:20s} {min(theirs) * 1e3:9.3f} ms, ours {min(ours) * 1e3:7.3f} ms: "
            f"{best:6.1f}x (medians {ratio:.1f}x)"
        )


def bench_solver(X: np.ndarray, y: np.ndarray, rounds: int) -> None:
    slow = MultiBoostCW(C=1e4, max_iter=rounds, solver="lbfgsb", objective_tol=0).fit(X, y)
    end = slow.objective_history_[-1]
    print(f"  L-BFGS-B: {slow.solver_time_:.3f} s, objective {end:.6f}, {slow.n_iter_} rounds")
    for tol in (0.1, 0.01, 1e-4):
        fast = MultiBoostCW(C=1e4, max_iter=3 * rounds, tol=tol, objective_tol=0, random_state=0)
        fast.fit(X, y)
        print(f"  FCD-2, tol {tol}: {fast.solver_time_:.3f} s for {fast.n_iter_} rounds")
        for above in (1e-2, 1e-3, 1e-4, 0.0):
            target = end * (1 + above)
            theirs = int(np.argmax(slow.objective_history_ <= target))
            there = np.flatnonzero(fast.objective_history_ <= target)
            text = f"    within {above:g} of it: "
            if there.size:
                ours, used = fast.solver_time_history_[there[0]], slow.solver_time_history_[theirs]
                text += (
                    f"{ours:.3f} s ({there[0] + 1} rounds) against {used:.3f} s "
                    f"({theirs + 1} rounds): {used / ours:.1f}x"
                )
            else:
                text += "not reached"
            print(text)


def bench_rounds(data: tuple[np.ndarray, ...], rounds: int, everything: bool) -> float:
    X, y, X_test, y_test = data
    methods: dict[str, Any] = {
        "multiboost_cw1": MultiBoostCW(stagewise=True, max_iter=rounds),
        "multiboost_cw": MultiBoostCW(max_iter=rounds, random_state=0),
        "multiboost_cw, C=1e5": MultiBoostCW(C=1e5, max_iter=rounds, random_state=0),
        "multiboost, fcd": MultiBoost(max_iter=rounds, solver="fcd", random_state=0),
        "adaboost_mh": AdaBoostMH(max_iter=rounds),
        "adaboost_mo, one_vs_all": AdaBoostMO(code="one_vs_all", max_iter=rounds),
        "adaboost_mo, random": AdaBoostMO(code="random", max_iter=rounds, random_state=0),
        "adaboost_ecc": AdaBoostECC(max_iter=rounds, random_state=0),
    }
    if everything:
        methods["multiboost"] = MultiBoost(max_iter=rounds)
    total = 0.0
    for name, model in methods.items():
        took = seconds(lambda model=model: model.fit(X, y))
        error = 1 - model.score(X_test, y_test)
        total += took
        print(
            f"  {name:24s} {took:7.3f} s (solver {model.solver_time_:.3f}), "
            f"{model.n_iter_} rounds, error {100 * error:.2f} %"
        )
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mirror", type=Path, help="folder with the data files")
    parser.add_argument("--data", nargs="+", default=["vowel", "pendigits", "usps", "mnist"])
    parser.add_argument(
        "--part", nargs="+", default=["search", "rounds"], choices=["search", "solver", "rounds"]
    )
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--all", action="store_true", help="MultiBoost by L-BFGS-B too (slow)")
    args = parser.parse_args()
    print(f"kernels ready in {seconds(warm_up):.2f} s")
    total = 0.0
    for name in args.data:
        data = split(name, args.mirror)
        print(f"{name}: {data[0].shape[0]} x {data[0].shape[1]}, {int(data[1].max()) + 1} classes")
        if "search" in args.part:
            bench_search(data[0], data[1], args.repeats)
        if "solver" in args.part:
            bench_solver(data[0], data[1], args.rounds)
        if "rounds" in args.part:
            total += bench_rounds(data, args.rounds, args.all)
    if "rounds" in args.part:
        print(f"{total:.1f} s in all for {args.rounds} rounds of these methods")


if __name__ == "__main__":
    main()
