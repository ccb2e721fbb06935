"""Training time of optimal regression trees beside a scan that fits every threshold, interleaved.

    python scripts/bench_ort.py --mirror DIR [--datasets yacht kin8nm] [--depth 3] [--rounds 3]

The plain peer is ``tests/trees/plain_ort.py``: the same local search, starts and order of visits,
but each threshold's leaves are fitted one after the other by coordinate descent from the solution
before (tolerance 1e-6 of the sum of squares, at most 200 sweeps), without a bound and without
remembering visits. Each round runs both from the same starts (the greedy tree and a random one) on
one fold, in turn, on one thread; the table has medians, the ratio and both objectives.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from boostbench.data import DataRequest, kfold_indices, load_dataset, prepare_split
from boostbench.data.access import default_access
from boostbench.trees.local_search.problem import Problem
from boostbench.trees.local_search.search import Search

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "trees"))
from plain_ort import PlainSearch

DATASETS = ["yacht", "auto_mpg", "lpga2009", "housing", "airfoil", "abalone", "kin8nm", "friedman"]
DEFINITION = {
    "l1": 1e-3,
    "cp": 0.0,
    "penalty_weight": "leaf",
    "penalty_scale": "sd",
    "min_samples_leaf": 1,
}


class Forgetful(PlainSearch):
    """The plain peer: every visit is looked at again."""

    def visit(self, *arguments):
        self._visits.clear()
        return super().visit(*arguments)


def train(kind: type[Search], X: np.ndarray, y: np.ndarray, depth: int) -> tuple[float, float]:
    """Seconds and the objective of the better of two starts."""
    started = time.perf_counter()
    search = kind(Problem(X, y, np.empty(0), **DEFINITION))
    totals = []
    for start in range(2):
        rng = np.random.default_rng(start)
        uniforms = rng.random((2**depth, 2))
        first = search.greedy(depth) if start == 0 else search.random(uniforms)
        totals.append(search.total(search.improve(first, depth, rng)))
    return time.perf_counter() - started, min(totals) / len(y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirror", type=Path, help="folder with copies of the data files")
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    access = default_access(options.mirror, False)
    tiny = np.random.default_rng(0).random((30, 2))
    for kind in (Search, Forgetful):
        train(kind, tiny, tiny[:, 0] * tiny[:, 1], 2)
    print(
        f"{'data set':<18}{'ours, s':>9}{'plain, s':>10}{'ratio':>8}{'J, ours':>12}{'J, plain':>12}"
    )
    for name in options.datasets:
        dataset = load_dataset(DataRequest(name, card=name), access)
        rows, test = kfold_indices(len(dataset.y), 4, 0, 0)
        data = prepare_split(dataset, rows, test)
        runs: dict[type[Search], list[tuple[float, float]]] = {Search: [], Forgetful: []}
        for _ in range(options.rounds):
            for kind, results in runs.items():
                results.append(train(kind, data.X_train, data.y_train, options.depth))
        ours, plain = (statistics.median(t for t, _ in results) for results in runs.values())
        values = [results[0][1] for results in runs.values()]
        print(
            f"{name:<18}{ours:>9.3f}{plain:>10.2f}{plain / ours:>7.1f}x"
            f"{values[0]:>12.6f}{values[1]:>12.6f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
