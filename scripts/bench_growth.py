"""How training grows with rows, features, classes and depth, and prediction beside its peers.

    python scripts/bench_growth.py [--part growth rows predict] [--repeats 3]

growth   Seconds of a fit of SoftRegressionTree(3, "l2") and of a search for stumps where one of
         rows, features, depth and classes varies, on generated data. The exponent b of
         ``seconds = a * size**b`` is fitted by least squares to the logarithms of the medians, with
         its 95 % interval. The size of a depth D is the number of leaves, 2**D.
rows     Microseconds of training per row from 1,000 to ``--most`` rows of 10 features, and
         nanoseconds per row of one evaluation of the loss of one branch node and its gradient,
         which reads every point once. In turns with it, how fast this machine reads as many bytes.
predict  Microseconds per row of ``predict`` on one thread: the soft tree follows one path (the
         paper's conditional computation), beside a forest of 500 trees and LightGBM's 100 trees,
         for many rows and for one row per call.

All take turns, so that a disturbance of the machine affects all of them.
"""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import bench_parts as bench
import numpy as np
from bench_search import random_masses
from numba import njit
from scipy.stats import linregress, t
from speed_tables import SpeedTable

from boostbench.boosting._slots import make_slots
from boostbench.boosting.stumps import StumpSearch
from boostbench.trees import ForestRegressor, SoftRegressionTree
from boostbench.trees._blocks import BLOCK, to_points
from boostbench.trees._branch_step import subtree_loss
from boostbench.trees._types import Subtree

PARTS = ("growth", "rows", "predict")
ROWS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
FEATURES = (4, 8, 16, 32, 64)
CLASSES = (2, 4, 8, 16, 32, 64)
DEPTHS = (1, 2, 3, 4, 5, 6)
MANY_ROWS = (1_000, 10_000, 100_000, 1_000_000)


def regression(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.random((n, p))
    y = np.sin(5 * X[:, 0]) + 2 * X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)
    return X, (y - y.mean()) / y.std()


def tree_fit(n: int = 5_000, p: int = 10, depth: int = 3) -> Callable[[], Any]:
    X, y = regression(n, p)
    return lambda: SoftRegressionTree(depth, "l2", random_state=0).fit(X, y)


def search(n: int = 5_000, p: int = 32, classes: int = 8) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    slots = make_slots(rng.integers(0, classes, n), classes)
    finder = StumpSearch(rng.random((n, p)), slots, 2.0 * np.eye(classes) - 1.0)
    masses = random_masses(slots, classes)
    stumps, scores = np.zeros((classes, 5), dtype=np.intp), np.zeros(classes)
    return lambda: finder.best(masses, stumps, scores)


def growth(args: argparse.Namespace) -> None:
    table = SpeedTable(
        "growth",
        "Growth of training and of a search for stumps",
        "Exponent b of seconds = a * size**b over the sizes given, by least squares on logarithms "
        "of the medians, with its 95 % interval; 1 is linear. Trees: SRT-l2, 5,000 rows, 10 "
        "features, depth 3 where they do not vary. Search: 5,000 rows, 32 features, 8 classes. "
        "Generated data.",
        {
            "what": "what",
            "size": "size",
            "values": "values",
            "exponent": "exponent",
            "low": "from",
            "high": "to",
            "first_ms": "ms at the least",
            "last_ms": "ms at the most",
        },
    )
    cases: list[tuple[str, str, Mapping[int, Callable[[], Any]]]] = [
        ("tree", "rows", {n: tree_fit(n=n) for n in ROWS}),
        ("tree", "features", {p: tree_fit(p=p) for p in FEATURES}),
        ("tree", "leaves", {2**d: tree_fit(depth=d) for d in DEPTHS}),
        ("search", "rows", {n: search(n=n) for n in ROWS}),
        ("search", "features", {p: search(p=p) for p in FEATURES}),
        ("search", "classes", {k: search(classes=k) for k in CLASSES}),
    ]
    for what, size, tasks in cases:
        seconds = bench.in_turns(tasks, args.repeats)
        medians = [np.median(found) for found in seconds.values()]
        fit = linregress(np.log(list(tasks)), np.log(medians))
        half = t.ppf(0.975, len(tasks) - 2) * fit.stderr
        ends = {"low": float(fit.slope - half), "high": float(fit.slope + half)}
        ends |= {"first_ms": 1e3 * seconds[min(tasks)], "last_ms": 1e3 * seconds[max(tasks)]}
        values = ", ".join(f"{value:,}" for value in tasks)
        table.add(what=what, size=size, values=values, exponent=float(fit.slope), **ends)
    table.write(args)


@njit(nogil=True, fastmath=True)
def read(numbers: np.ndarray) -> float:
    total = 0.0
    for i in range(numbers.shape[0]):
        total += numbers[i]
    return total


def rows(args: argparse.Namespace) -> None:
    p = 10
    table = SpeedTable(
        "growth_rows",
        "Training of a soft tree per row, from few rows to many",
        "SRT-l2 of depth 3 on 10 features, one thread; one evaluation of the loss of one branch "
        "node and its gradient, which reads 112 bytes of points, losses and weights per row; and "
        "only reading as many bytes. Where the rows no longer fit into the cache, the processor "
        "waits for memory at each evaluation.",
        {
            "n": "rows",
            "mib": "read by an evaluation, MiB",
            "fit_us": "fit, us per row",
            "loss_ns": "evaluation, ns per row",
            "read_ns": "reading only, ns per row",
        },
    )
    for n in (size for size in MANY_ROWS if size <= args.most):
        X, y = regression(n, p)
        numbers, grad = np.ones(n * (p + 4)), np.empty((1, p + 1))
        coef, nodes = np.random.default_rng(0).standard_normal((1, p + 1)), np.empty((4, 4, BLOCK))
        subtree = Subtree(to_points(X, y).blocks, n, np.ones(n), np.ones((2, n)))
        tasks = {
            "loss": partial(subtree_loss, subtree, coef, grad, nodes),
            "read": partial(read, numbers),
        }
        found = bench.in_turns(tasks, 5 * args.repeats)
        # A fit of a million rows takes ten seconds: a single turn, and no warm-up.
        repeats = 1 if n >= 1_000_000 else args.repeats
        fit = np.array([bench.turn(tree_fit(n=n)) for _ in range(repeats)])
        row = {"loss_ns": 1e9 * found["loss"] / n, "read_ns": 1e9 * found["read"] / n}
        table.add(n=n, mib=numbers.nbytes / 2**20, fit_us=1e6 * fit / n, **row)
    table.write(args)


def predict(args: argparse.Namespace) -> None:
    table = SpeedTable(
        "predict",
        "Prediction beside a forest and LightGBM",
        "Microseconds per row of predict on one thread, 10 features, models of 10,000 rows: 20,000 "
        "rows per call and one row per call. A soft tree evaluates one path of D products and one "
        "leaf. Ratios are to the time of the soft tree of depth 3 in the same turn.",
        {
            "model": "model",
            "many_us": "us per row, many rows",
            "many": "ratio",
            "one_us": "us, one row per call",
            "one": "ratio",
        },
        ("lightgbm",),
    )
    from lightgbm import LGBMRegressor

    X, y = regression(10_000, 10)
    models: dict[str, Any] = {
        f"SRT-l2, depth {depth}": SoftRegressionTree(depth, "l2", random_state=0)
        for depth in (3, 2, 5)
    }
    models["forest of 500 trees"] = ForestRegressor(n_jobs=1, random_state=0)
    models["LightGBM"] = LGBMRegressor(n_jobs=1, verbose=-1)
    models["LightGBM, linear leaves"] = LGBMRegressor(linear_tree=True, n_jobs=1, verbose=-1)
    for model in models.values():
        model.fit(X, y)
    many, one = regression(20_000, 10)[0], X[:1]
    measured: dict[str, dict[str, Any]] = {name: {} for name in models}
    for key, rows in (("many", many), ("one", one)):
        tasks = {name: partial(model.predict, rows) for name, model in models.items()}
        found = bench.in_turns(tasks, args.repeats)
        for name, seconds in found.items():
            measured[name][f"{key}_us"] = 1e6 * seconds / len(rows)
            measured[name][key] = seconds / found["SRT-l2, depth 3"]
    for name, row in measured.items():
        table.add(model=name, **row)
    table.write(args)


def main() -> None:
    parser = bench.parser(__doc__, repeats=3, most=1_000_000)  # rows of part rows
    parser.add_argument("--part", nargs="+", default=PARTS, choices=PARTS)
    args = parser.parse_args()
    tree_fit(500)()
    search(500)()
    for part in args.part:
        {"growth": growth, "rows": rows, "predict": predict}[part](args)


if __name__ == "__main__":
    main()
