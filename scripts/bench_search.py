"""The search for stumps beside rounds of LightGBM, XGBoost and scikit-learn, on real data.

    python scripts/bench_search.py --mirror DIR [--data vowel usps] [--turns 25]

Contestants are searches for the best stump of each of K classes, rounds of K trees of LightGBM
(``num_leaves=2``) and of XGBoost (``max_depth=1``, hist), and stumps of one class as scikit-learn's
AdaBoost fits them, times K. They take turns of 20 ms or 5 calls, whichever takes longer, so that a
disturbance of the machine affects all; a ratio is a peer's time divided by ours in the same turn,
on one thread: above 1, boostbench is faster.

The share of the ceiling is the time that the same processor needs to load and add the same rows of
weights in the same order, and nothing else, divided by the time of a search: 100 % would be a
search that compares no sums. Peers that are not installed (pip install '.[bench]') are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from itertools import count
from typing import Any

import bench_parts as bench
import numpy as np
from numba import njit
from speed_tables import SpeedTable

from boostbench.boosting._slots import Slots, make_slots
from boostbench.boosting.stumps import StumpSearch
from boostbench.kernels.arrays import aligned_zeros
from boostbench.kernels.int_rows import code_at, row_add, row_load, row_store

# The targets, as multiples of LightGBM's speed.
ASKED = {"vowel": 15.0, "pendigits": 25.0, "usps": 25.0, "mnist": 15.0}


@njit(nogil=True)
def load_rows(codes: Any, rows: Any, total: Any, like: Any) -> None:
    """Add the rows of all ``codes``, of each chunk of columns, to ``total``."""
    for chunk in range(rows.shape[0]):
        running = row_load(total[chunk], 0, like)
        for place in range(codes.shape[0]):
            running = row_add(running, row_load(rows[chunk], code_at(codes, place) >> 1, like))
        row_store(total[chunk], 0, running)


def random_masses(slots: Slots, n_columns: int) -> np.ndarray:
    """(L, n_slots) positive weights, 0 in the padding, laid out as the estimators lay them out."""
    masses = aligned_zeros((n_columns, slots.n_slots), np.float64)
    masses[:] = np.random.default_rng(0).exponential(size=masses.shape) * (slots.weights > 0)
    return masses


def searching(X: np.ndarray, y: np.ndarray) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return a search for the best stump of each class, and the loading of its rows."""
    K = int(y.max()) + 1
    slots = make_slots(y.astype(np.intp), K)
    finder = StumpSearch(X, slots, 2.0 * np.eye(K) - 1.0)
    masses = random_masses(slots, K)
    stumps, scores = np.zeros((K, 5), dtype=np.intp), np.zeros(K)
    codes, found = finder.features.codes, finder.quantised
    total = np.zeros_like(found.totals)
    return (
        lambda: finder.best(masses, stumps, scores),
        lambda: load_rows(codes, found.rows, total, found.like),
    )


def lightgbm_rounds(X: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    import lightgbm as lgb

    params = {"objective": "multiclass", "num_class": int(y.max()) + 1, "num_leaves": 2}
    params |= {"num_threads": 1, "verbose": -1}
    booster = lgb.Booster(params, lgb.Dataset(X, label=y, params=params).construct())
    return booster.update


def xgboost_rounds(X: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    import xgboost as xgb

    params = {"objective": "multi:softprob", "num_class": int(y.max()) + 1, "max_depth": 1}
    params |= {"tree_method": "hist", "nthread": 1}
    data = xgb.DMatrix(X, label=y, nthread=1)
    booster, done = xgb.Booster(params, [data]), count()
    return lambda: booster.update(data, next(done))


def sklearn_stump(X: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    from sklearn.tree import DecisionTreeClassifier

    X32 = X.astype(np.float32)
    weight = np.random.default_rng(0).exponential(size=y.shape[0])
    K, done = int(y.max()) + 1, count()

    def step() -> None:
        DecisionTreeClassifier(max_depth=1).fit(X32, y == next(done) % K, sample_weight=weight)

    return step


PEERS = {"lightgbm": lightgbm_rounds, "xgboost": xgboost_rounds, "sklearn": sklearn_stump}


def measure(X: np.ndarray, y: np.ndarray, turns: int) -> dict[str, np.ndarray]:
    """Seconds by contestant, (turns,) each."""
    ours, loads = searching(X, y)
    tasks = {"ours": ours, "loads": loads}
    tasks |= {name: peer(X, y) for name, peer in PEERS.items() if find_spec(name)}
    # A few short calls would spend most of their time on refilling the caches that the others have
    # emptied in their turns.
    found = bench.in_turns(tasks, turns, calls=5)
    found["sklearn"] *= int(y.max()) + 1
    return found


def main() -> None:
    parser = bench.parser(__doc__, turns=25)
    parser.add_argument("--data", nargs="+", default=list(bench.BOOSTING_DATA))
    args = parser.parse_args()
    table = SpeedTable(
        "search",
        "The search for the best stump of each class beside a round of its peers",
        "Peers are times of their round of K trees divided by ours, all on one thread, within a "
        "turn of 20 ms each: above 1, boostbench is faster. The share of the ceiling is the time "
        "of loading and adding the same rows of weights in the same order, and nothing else, "
        "divided by the time of a search.",
        bench.SHAPE
        | {
            "classes": "classes",
            "ours_ms": "search, ms",
            "lightgbm": "LightGBM",
            "asked": "asked",
            "xgboost": "XGBoost",
            "sklearn": "scikit-learn",
            "ceiling": "share of the ceiling, %",
        },
        ("lightgbm", "xgboost-cpu"),
    )
    for name in args.data:
        X, y, _, _ = bench.split(name, args.mirror)
        found = measure(X, y, args.turns)
        ours = found["ours"]
        row: dict[str, Any] = {k: found[k] / ours for k in PEERS if k in found}
        row |= {"asked": ASKED.get(name), "ceiling": 100 * found["loads"] / ours}
        table.add(**bench.shape_of(name, X, y), ours_ms=1e3 * ours, **row)
    table.write(args)


if __name__ == "__main__":
    main()
