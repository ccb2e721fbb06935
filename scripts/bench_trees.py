"""Training time of soft regression trees as ratios to named peers, measured in one interleaved run.

    python scripts/bench_trees.py --mirror DIR [--datasets yacht airfoil] [--rounds 3]

Each round trains every contestant once on the same fold (three quarters of the rows, features in
[0, 1], target standardised), in turn, so that a disturbance of the machine affects all; fast ones
are repeated within their turn. Ours is SoftRegressionTree(D, "l2"), a single start, on one thread.
A ratio is a peer's time divided by ours in the same round; above 1, boostbench is faster.

``trees`` has depth 3 beside each peer, ``trees_depths`` depths 2 to 5 beside the peers that have no
depth, and ``trees_ceiling`` how near the kernel that takes most of the time comes to the best
speed of this machine: the loss of a whole tree and its gradient, in floating-point operations of
its products with the features (the logistic function and the sums over the nodes are not counted),
beside ``dgemm`` of 1,000 x 1,000 matrices. Needs LightGBM: pip install '.[bench]'.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import bench_parts as bench
import numpy as np
from plain_srt import fit_plain_srt
from speed_tables import SpeedTable

from boostbench.data.prepare import Prepared
from boostbench.trees import ForestRegressor, SoftRegressionTree
from boostbench.trees._blocks import BLOCK, to_points
from boostbench.trees._branch_step import subtree_loss
from boostbench.trees._types import Subtree

DATASETS = [
    *("yacht", "auto_mpg", "computer_hardware", "lpga2009", "housing", "airfoil", "abalone"),
    *("kin8nm", "delta_ailerons", "cpu_small", "compactiv", "ailerons", "puma32h", "elevators"),
    "friedman",
]
DEPTHS = (2, 3, 4, 5)
PEERS = {
    "slsqp": "SLSQP + NumPy",
    "forest_1": "forest, 1 thread",
    "forest_2": "forest, 2 threads",
    "lightgbm": "LightGBM linear",
}
# The targets at depth 3, and for the ratio of the forest on one thread to the best of five starts.
WANTED = {"forest_1": 40.0, "forest_2": 25.0, "lightgbm": 1.0}
WANTED_BEST5 = 5.0
MIN_TURN_S = 0.05


def contestants(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], object]]:
    from lightgbm import LGBMRegressor

    ours: dict[str, Callable[[], object]] = {
        f"d{depth}": lambda depth=depth: SoftRegressionTree(depth, "l2", random_state=0).fit(X, y)
        for depth in DEPTHS
    }
    return ours | {
        "best5": lambda: SoftRegressionTree(3, "l2", 15, 5, random_state=0).fit(X, y),
        "slsqp": lambda: fit_plain_srt(X, y),
        "forest_1": lambda: ForestRegressor(n_jobs=1, random_state=0).fit(X, y),
        "forest_2": lambda: ForestRegressor(n_jobs=2, random_state=0).fit(X, y),
        "lightgbm": lambda: LGBMRegressor(linear_tree=True, n_jobs=1, verbose=-1).fit(X, y),
    }


def multiplied(a: np.ndarray) -> float:
    """GFLOP/s of one product of ``a`` (n, n) with itself."""
    started = time.perf_counter()
    a @ a
    return 2e-9 * len(a) ** 3 / (time.perf_counter() - started)


def evaluated(X: np.ndarray, y: np.ndarray, depth: int) -> Callable[[], float]:
    """GFLOP/s of one evaluation of the loss of a tree of ``depth`` and of its gradient."""
    rng = np.random.default_rng(0)
    n, p = X.shape
    n_nodes = 2**depth - 1
    coef, grad = rng.standard_normal((n_nodes, p + 1)), np.empty((n_nodes, p + 1))
    subtree = Subtree(to_points(X, y).blocks, n, np.ones(n), rng.random((n_nodes + 1, n)))
    nodes = np.empty((4, 2 * n_nodes + 2, BLOCK))

    def evaluate() -> float:
        seconds = bench.turn(lambda: subtree_loss(subtree, coef, grad, nodes), 1, MIN_TURN_S)
        # One multiplication and one addition in z, and as many in the gradient.
        return 4e-9 * n * n_nodes * (p + 1) / seconds

    return evaluate


def ceiling(table: SpeedTable, name: str, data: Prepared, rounds: int) -> None:
    """Add a row per depth to ``table``."""
    square = np.random.default_rng(0).random((1000, 1000))
    for depth in DEPTHS:
        loss = evaluated(data.X_train, data.y_train, depth)
        found = np.array([(loss(), multiplied(square)) for _ in range(rounds + 1)][1:])
        ours, best = found.T
        row = {"depth": depth, "ours": ours, "dgemm": best, "percent": 100 * ours / best}
        table.add(**bench.shape_of(name, data.X_train), **row)


def tables() -> tuple[SpeedTable, SpeedTable, SpeedTable]:
    packages = ("lightgbm",)
    by_peer = SpeedTable(
        "trees",
        "Training of a soft regression tree of depth 3 beside its peers",
        "SRT-l2, a single start, one thread, on three quarters of the rows. The peers' columns are "
        "their times divided by ours in the same round: above 1, SRT-l2 is faster. The forest has "
        "500 trees; LightGBM has its 100 trees with linear leaves, on one thread; SLSQP + NumPy is "
        "NODEC-DR written without compiled kernels. The last column is the forest's time on one "
        "thread divided by that of SRT-l2 with the best of five starts.",
        bench.SHAPE
        | {"srt_ms": "SRT-l2, ms", **PEERS, "best5": "forest, 1 thread / best of 5"}
        | {"missed": "below what was asked"},
        packages,
    )
    by_depth = SpeedTable(
        "trees_depths",
        "Training of soft regression trees of depth 2 to 5 beside peers without a depth",
        "As in the table of depth 3, from the same rounds.",
        bench.SHAPE
        | {"depth": "depth", "srt_ms": "SRT-l2, ms", "us_per_row": "us per row"}
        | {key: PEERS[key] for key in ("forest_1", "forest_2", "lightgbm")},
        packages,
    )
    near = SpeedTable(
        "trees_ceiling",
        "Loss and gradient of a soft tree beside the machine's matrix product",
        "GFLOP/s on one thread: the products with the features in the kernel that takes most of "
        "the training, which also computes the logistic function and the sums over the nodes (not "
        "counted), and dgemm of 1,000 x 1,000 matrices, in turns.",
        bench.SHAPE
        | {"depth": "depth", "ours": "loss and gradient, GFLOP/s", "dgemm": "dgemm, GFLOP/s"}
        | {"percent": "share, %"},
    )
    return by_peer, by_depth, near


def measured(data: Prepared, rounds: int) -> dict[str, np.ndarray]:
    """Return the seconds of each contestant, (rounds,) each."""
    entrants = contestants(data.X_train, data.y_train)
    seconds: dict[str, list[float]] = {name: [] for name in entrants}
    for _ in range(rounds):
        for name, fit in entrants.items():
            seconds[name].append(bench.turn(fit, 1, MIN_TURN_S))
    return {name: np.array(values) for name, values in seconds.items()}


def add_peers(
    table: SpeedTable, shape: Mapping[str, Any], seconds: Mapping[str, np.ndarray]
) -> None:
    """Add a row of depth 3 beside each peer, with the targets that were missed."""
    ratios = {name: seconds[name] / seconds["d3"] for name in PEERS}
    best5 = seconds["forest_1"] / seconds["best5"]
    missed = [PEERS[name] for name, least in WANTED.items() if np.median(ratios[name]) < least]
    missed += ["best of 5"] if np.median(best5) < WANTED_BEST5 else []
    table.add(
        **shape,
        srt_ms=1e3 * seconds["d3"],
        **ratios,
        best5=best5,
        missed=", ".join(missed) or "-",
    )


def add_depths(
    table: SpeedTable, shape: Mapping[str, Any], seconds: Mapping[str, np.ndarray]
) -> None:
    """Add a row per depth beside the peers that have none."""
    for depth in DEPTHS:
        ours = seconds[f"d{depth}"]
        table.add(
            **shape,
            depth=depth,
            **{key: seconds[key] / ours for key in ("forest_1", "forest_2", "lightgbm")},
            srt_ms=1e3 * ours,
            us_per_row=1e6 * ours / shape["n"],
        )


def main() -> None:
    parser = bench.parser(__doc__, rounds=3)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    options = parser.parse_args()
    by_peer, by_depth, near = tables()
    for number, dataset_name in enumerate(options.datasets):
        data = bench.first_fold(dataset_name, options.mirror)
        if not number:
            for fit in contestants(data.X_train[:64], data.y_train[:64]).values():
                fit()
        seconds = measured(data, options.rounds)
        shape = bench.shape_of(dataset_name, data.X_train)
        add_peers(by_peer, shape, seconds)
        add_depths(by_depth, shape, seconds)
        ceiling(near, dataset_name, data, options.rounds)
    for table in (by_peer, by_depth, near):
        table.write(options)


if __name__ == "__main__":
    main()
