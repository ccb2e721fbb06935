"""Compile, or load from the cache, every kernel, so that no measured fit pays for it."""

from functools import partial

import numpy as np

from boostbench.boosting._slots import make_slots
from boostbench.boosting.adaboost import AdaBoostECC, AdaBoostMH, AdaBoostMO
from boostbench.boosting.multiboost import MultiBoost, MultiBoostCW
from boostbench.boosting.stumps import StumpSearch
from boostbench.kernels.tasks import Task

# One number of classes for each width of a row of weights (4, 8, 16, 32 lanes).
_CLASSES = (3, 6, 10, 20)


def warm_up() -> None:
    """Call every kernel once, in every variant, on tiny data.

    Takes a fraction of a second when numba's cache is filled, about half a minute when it is not.
    """
    for task in warm_up_tasks():
        task.run()


def warm_up_tasks() -> list[Task]:
    """Return what :func:`warm_up` does, the longest first."""
    sizes = (_CLASSES[0], *reversed(_CLASSES[1:]))
    modules = tuple(
        f"boostbench.boosting.{name}" for name in ("_stump_search", "_shared_stump_search")
    )
    return [
        Task(partial(task, n_classes), modules)
        for n_classes in sizes
        for task in (_fit, _search_large)
    ]


def _data(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(3 * n_classes) % n_classes
    return np.column_stack([y, np.arange(y.shape[0]) % 7]).astype(np.float64), y


def _fit(n_classes: int) -> None:
    X, y = _data(n_classes)
    boosters = [MultiBoostCW(max_iter=3, random_state=0), AdaBoostMH(max_iter=2)]
    if n_classes == _CLASSES[0]:
        boosters += [
            MultiBoostCW(max_iter=2, stagewise=True),
            MultiBoost(max_iter=2),
            AdaBoostMO(max_iter=2),
            AdaBoostECC(max_iter=2, random_state=0),
        ]
    for booster in boosters:
        booster.fit(X, y).predict(X)
        booster.predict(X.astype(np.float32))


def _search_large(n_classes: int) -> None:
    """The search as it is for more samples than 16 bits can number."""
    X, y = _data(n_classes)
    finder = StumpSearch(X, make_slots(y.astype(np.intp), n_classes), 2.0 * np.eye(n_classes) - 1.0)
    codes = finder.features.codes.astype(np.uint32)
    finder.features = finder.features._replace(codes=codes)
    finder.use(finder.crew)
    masses = np.ones((n_classes, finder.slots.n_slots))
    stumps = np.zeros((n_classes, 5), dtype=np.intp)
    finder.best(masses, stumps, np.zeros(n_classes))
    finder.best_shared(masses, float(masses.sum()), stumps[0])
    finder.write_bits(
        stumps, np.zeros((n_classes, 1, finder.slots.n_slots // 8), dtype=np.uint8), 0
    )
