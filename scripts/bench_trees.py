"""Training time of soft regression trees as ratios to named peers, measured in one interleaved run.

    python scripts/bench_trees.py --mirror DIR [--datasets yacht airfoil] [--rounds 3]

Each round trains every contestant once on the same fold (three quarters of the rows, features in
[0, 1], target standardised), in turn, so that what disturbs the machine disturbs all; what is fast
is repeated within its turn. The table shows each peer's median time divided by that of
SoftRegressionTree(depth=3, regularization="l2"), a single start, on one thread. Needs LightGBM:
pip install '.[bench]'.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from plain_srt import fit_plain_srt

from boostbench.data import DataRequest, kfold_indices, load_dataset, prepare_split
from boostbench.data.access import default_access
from boostbench.trees import ForestRegressor, SoftRegressionTree

DATASETS = [
    *("yacht", "auto_mpg", "computer_hardware", "lpga2009", "housing", "airfoil", "abalone"),
    *("kin8nm", "delta_ailerons", "cpu_small", "compactiv", "ailerons", "puma32h", "elevators"),
    "friedman",
]
# The peers asked for, and how many times faster than each of them the tree is meant to be.
WANTED = {"forest, 1 thread": 40.0, "forest, 2 threads": 25.0, "LightGBM linear": 1.0}
MIN_TURN_S = 0.05


def contestants(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], object]]:
    from lightgbm import LGBMRegressor

    return {
        "srt_l2": lambda: SoftRegressionTree(3, "l2", random_state=0).fit(X, y),
        "srt_l2_best5": lambda: SoftRegressionTree(3, "l2", 15, 5, random_state=0).fit(X, y),
        "SLSQP + NumPy": lambda: fit_plain_srt(X, y),
        "forest, 1 thread": lambda: ForestRegressor(n_jobs=1, random_state=0).fit(X, y),
        "forest, 2 threads": lambda: ForestRegressor(n_jobs=2, random_state=0).fit(X, y),
        "LightGBM linear": lambda: LGBMRegressor(linear_tree=True, n_jobs=1, verbose=-1).fit(X, y),
    }


def turn(train: Callable[[], object]) -> float:
    """Seconds of one training, the mean over as many as fill a moment."""
    count, started = 0, time.perf_counter()
    while True:
        train()
        count += 1
        passed = time.perf_counter() - started
        if passed >= MIN_TURN_S:
            return passed / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirror", type=Path, help="folder with copies of the data files")
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    access = default_access(options.mirror, False)
    names: list[str] = []
    for dataset_name in options.datasets:
        dataset = load_dataset(DataRequest(dataset_name, card=dataset_name), access)
        train, test = kfold_indices(len(dataset.y), 4, 0, 0)
        data = prepare_split(dataset, train, test)
        entrants = contestants(data.X_train, data.y_train)
        if not names:
            names = list(entrants)
            small = contestants(data.X_train[:64], data.y_train[:64])
            for fit in small.values():
                fit()
            peers = "".join(f"{name:>19}" for name in names[1:])
            print(f"{'data set':<18}{'srt_l2, ms':>12}{peers}   (times slower)")
        seconds: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(options.rounds):
            for name in names:
                seconds[name].append(turn(entrants[name]))
        median = {name: statistics.median(values) for name, values in seconds.items()}
        base = median["srt_l2"]
        cells = "".join(f"{median[name] / base:>18.1f}x" for name in names[1:])
        missed = [name for name, wanted in WANTED.items() if median[name] / base < wanted]
        if median["forest, 1 thread"] / median["srt_l2_best5"] < 5.0:
            missed.append("best of 5 not 5x faster than the forest")
        note = f"   below what is asked: {'; '.join(missed)}" if missed else ""
        print(f"{dataset_name:<18}{1e3 * base:>12.2f}{cells}{note}", flush=True)


if __name__ == "__main__":
    main()
