"""How much faster the estimators train with n_jobs=2 than with one thread, on generated data.

    python scripts/bench_threads.py [--rounds 5] [--only srt_l2 adaboost_mh] [--scale 1.0]

Each round trains every model once with one thread and once with two, in turn, so that what disturbs
the machine disturbs both. The table shows the ratios of the rounds, and how much more processor
time two threads use than one: where that is little, the time on idle processors falls by nearly
half, however busy this machine is. It is an error if two threads give another model than one.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import pickle
import time
import warnings
from typing import Any

import numpy as np
from speed_tables import SpeedTable, add_arguments

from boostbench import boosting, trees

WANTED = 1.7


def regression(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.random((n, p))
    y = np.sin(5 * X[:, 0]) + 2 * X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)
    return X, (y - y.mean()) / y.std()


def classification(n: int, p: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    return X, np.digitize(score, np.linspace(-1.5, 1.5, n_classes - 1))


def contestants(scale: float) -> dict[str, tuple[Any, np.ndarray, np.ndarray]]:
    """A model and its data by name."""
    small, large = regression(int(100_000 * scale), 10), regression(int(200_000 * scale), 30)
    classes = classification(int(100_000 * scale), 50, 10)
    orrt: dict[str, Any] = {"mu": 1.0, "branch_bound": None, "max_iter": 30, "random_state": 0}
    descent: dict[str, Any] = {"max_iter": 30, "polish": False, "random_state": 0}
    return {
        "srt, 10 features": (trees.SoftRegressionTree(3, random_state=0), *small),
        "srt_l2, 10 features": (trees.SoftRegressionTree(3, "l2", random_state=0), *small),
        "srt_l2, 30 features": (trees.SoftRegressionTree(3, "l2", random_state=0), *large),
        "orrt, 10 features": (trees.RandomizedRegressionTree(3, "lbfgsb", **orrt), *small),
        "multiboost_cw": (boosting.MultiBoostCW(**descent), *classes),
        "multiboost_cw1": (boosting.MultiBoostCW(stagewise=True, max_iter=60), *classes),
        "adaboost_mh": (boosting.AdaBoostMH(max_iter=30), *classes),
        "adaboost_mo": (boosting.AdaBoostMO(code="one_vs_all", max_iter=60), *classes),
        "adaboost_ecc": (boosting.AdaBoostECC(max_iter=60, random_state=0), *classes),
    }


def fitted(model: Any) -> bytes:
    """What the fit found, without the times it took."""
    names = ("branch_coef_", "leaf_coef_", "coef_", "stumps_", "objective_history_")
    return pickle.dumps([getattr(model, name, None) for name in names])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=[], help="models whose names begin so")
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows")
    add_arguments(parser)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    table = SpeedTable(
        "threads",
        "Training with n_jobs=2 beside one thread",
        "Generated data. The ratio is the time on one thread divided by that on two in the same "
        "round; processor time is that of two threads divided by that of one. Both find the same "
        f"model, bit for bit. At least {WANTED:g} was asked for.",
        {
            "model": "model", "n": "rows", "p": "features", "one_s": "1 thread, s",
            "two_s": "2 threads, s", "ratio": "ratio", "processor": "processor time",
        },
    )  # fmt: skip
    for name, (model, X, y) in contestants(options.scale).items():
        if options.only and not name.startswith(tuple(options.only)):
            continue
        wall: list[list[float]] = [[], []]
        used: list[list[float]] = [[], []]
        for _ in range(options.rounds):
            found = []
            for which in (0, 1):
                model.set_params(n_jobs=which + 1)
                started, before = time.perf_counter(), time.process_time()
                model.fit(X, y)
                wall[which].append(time.perf_counter() - started)
                used[which].append(time.process_time() - before)
                found.append(fitted(model))
            if found[0] != found[1]:
                raise SystemExit(f"{name}: two threads give another model than one")
        one, two = np.array(wall)
        table.add(
            model=name,
            n=X.shape[0],
            p=X.shape[1],
            one_s=one,
            two_s=two,
            ratio=one / two,
            processor=np.array(used[1]) / np.array(used[0]),
        )
    table.write(options)


if __name__ == "__main__":
    main()
