"""Training time of optimal regression trees beside a scan that fits every threshold, interleaved.

    python scripts/bench_ort.py --mirror DIR [--datasets yacht kin8nm] [--depth 3] [--rounds 3]

The plain peer is ``plain_ort.py``: the same local search, starts and order of visits,
but each threshold's leaves are fitted one after the other by coordinate descent from the solution
before (tolerance 1e-6 of the sum of squares, at most 200 sweeps), without a bound and without
remembering visits. Each round runs both from the same starts (the greedy tree and a random one) on
one fold, in turn, on one thread; the table has medians, the ratio and both objectives.
"""

import time

import bench_parts as bench
import numpy as np
from plain_ort import PlainSearch
from speed_tables import SpeedTable

from boostbench.trees.local_search.problem import Problem
from boostbench.trees.local_search.search import Search

DATASETS = ["yacht", "auto_mpg", "lpga2009", "housing", "airfoil", "abalone", "kin8nm", "friedman"]
DEFINITION = {"l1": 1e-3, "cp": 0.0, "penalty_weight": "leaf", "penalty_scale": "sd"}
DEFINITION |= {"min_samples_leaf": 1}


class Forgetful(PlainSearch):
    """The plain peer: every visit is computed again."""

    def visit(self, *arguments):
        """Forget earlier visits, and visit."""
        self._visits.clear()
        return super().visit(*arguments)


def train(kind: type[Search], X: np.ndarray, y: np.ndarray, depth: int) -> tuple[float, float]:
    """Seconds and the objective of the better of two starts."""
    started = time.perf_counter()
    search = kind(Problem(X, y, **DEFINITION))
    totals = []
    for start in range(2):
        rng = np.random.default_rng(start)
        uniforms = rng.random((2**depth, 2))
        first = search.greedy(depth) if start == 0 else search.random(uniforms)
        totals.append(search.total(search.improve(first, depth, rng)))
    return time.perf_counter() - started, min(totals) / len(y)


def main() -> None:
    parser = bench.parser(__doc__, depth=3, rounds=3)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    options = parser.parse_args()
    tiny = np.random.default_rng(0).random((30, 2))
    for kind in (Search, Forgetful):
        train(kind, tiny, tiny[:, 0] * tiny[:, 1], 2)
    table = SpeedTable(
        "optimal_trees",
        f"Local search for optimal regression trees of depth {options.depth} beside a plain scan",
        "Seconds of the greedy and a random start on one thread, on three quarters of the rows; "
        "the plain peer is the same search with every threshold fitted by coordinate descent. The "
        "objectives are mean squared errors with their penalties.",
        bench.SHAPE
        | {
            "ours_s": "ours, s",
            "plain_s": "plain, s",
            "ratio": "ratio",
            "objective": "objective, ours",
            "plain_objective": "objective, plain",
        },
    )
    for name in options.datasets:
        data = bench.first_fold(name, options.mirror)
        runs: dict[type[Search], list[tuple[float, float]]] = {Search: [], Forgetful: []}
        for _ in range(options.rounds):
            for kind, results in runs.items():
                results.append(train(kind, data.X_train, data.y_train, options.depth))
        # Seconds and objectives, (rounds, 2).
        ours, plain = map(np.array, runs.values())
        table.add(
            **bench.shape_of(name, data.X_train),
            ours_s=ours[:, 0],
            plain_s=plain[:, 0],
            ratio=plain[:, 0] / ours[:, 0],
            objective=f"{ours[0, 1]:.6f}",
            plain_objective=f"{plain[0, 1]:.6f}",
        )
    table.write(options)


if __name__ == "__main__":
    main()
