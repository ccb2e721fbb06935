"""Compile, or load from the cache, the kernels of a run, so that no measured fit pays for it."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from boostbench.boosting._adaboost_rounds import coloured_masses, orient, split_all
from boostbench.boosting._coordinate_descent import descend, loss_and_gradient
from boostbench.boosting._shared_stump_search import search_shared
from boostbench.boosting._slots import LANES, make_slots
from boostbench.boosting._stump_search import (
    encode_feature,
    locate,
    search,
)
from boostbench.boosting._types import Features, Found
from boostbench.boosting.adaboost import AdaBoostECC, AdaBoostMH, AdaBoostMO
from boostbench.boosting.multiboost import MultiBoost, MultiBoostCW
from boostbench.boosting.output_codes import code_matrix
from boostbench.boosting.stumps import MAX_WIDTH, MOST_SHORT_SLOTS, StumpSearch, row_width
from boostbench.kernels.arrays import zero_matrix
from boostbench.kernels.tasks import Task

_WIDTHS = (4, 8, 16, 32)
_SIZE = re.compile(r"(\d+)x(\d+)")
# Two classes do not need all kernels.
_FEWEST_CLASSES = 3


def _column_generation() -> list[Any]:
    # Either class may have either solver.
    return [
        MultiBoostCW(max_iter=3, random_state=0),
        MultiBoostCW(max_iter=2, stagewise=True),
        MultiBoost(max_iter=2),
    ]


# For each estimator the models to fit, and some of the kernels that it needs.
_BOOSTERS: dict[str, tuple[Callable[[], list[Any]], tuple[Any, ...]]] = {
    "MultiBoostCW": (_column_generation, (descend, loss_and_gradient)),
    "MultiBoost": (_column_generation, (descend, loss_and_gradient)),
    "AdaBoostMH": (lambda: [AdaBoostMH(max_iter=2)], (orient,)),
    "AdaBoostMO": (lambda: [AdaBoostMO(max_iter=2)], (split_all,)),
    "AdaBoostECC": (lambda: [AdaBoostECC(max_iter=2, random_state=0)], (coloured_masses,)),
}


class _Search(NamedTuple):
    """A version of the search: of one stump for all columns, in rows of ``width`` lanes."""

    width: int
    is_shared: bool
    many_rows: bool

    def codes(self) -> np.ndarray:
        return np.empty(0, dtype=np.uint32 if self.many_rows else np.uint16)

    def kernel(self) -> tuple[Any, tuple[Any, ...]]:
        """Return the kernel, and values of types by which its versions differ."""
        return search_shared if self.is_shared else search, ((0,) * self.width, self.codes())

    def shared(self) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
        """Return what this version calls and others may, with values of its arguments' types."""
        reals, integers = np.empty((1, 1)), np.empty((1, 1), dtype=np.intp)
        real, integer, codes = reals[0], integers[0], self.codes()
        sums = np.empty((1, 1, 1), dtype=np.int32)
        features = Features(codes, integers, integer)
        found = Found(sums[0], integers, sums[0])
        of_each_column: tuple[tuple[Any, tuple[Any, ...]], ...] = (
            (locate, (features, sums[0], sums[0], 1, found, integer)),
        )
        return (
            *(() if self.is_shared else of_each_column),
            (encode_feature, (real, integer, integer, codes, integer)),
            (zero_matrix, (1, 1)),
        )


def warm_up(needs: Collection[str] = ()) -> None:
    """Call kernels on tiny data, so that no compilation falls into a measurement.

    ``needs`` are names of classes in :mod:`boostbench.boosting`, none for all of them, and sizes of
    the data as ``ROWSxCLASSES``, none for any. ``AdaBoostMO.code``: it may have any code, and so
    any number of columns.
    Takes a fraction of a second when numba's cache is filled, about half a minute when it is not.
    """
    for task in warm_up_tasks(needs):
        task.run()


def warm_up_tasks(needs: Collection[str] = ()) -> list[Task]:
    """Return what :func:`warm_up` does, in an order in which two processes share it evenly."""
    names = [name for name in _BOOSTERS if name in needs] or list(_BOOSTERS)
    found = [match.groups() for text in needs if (match := _SIZE.fullmatch(text))]
    sizes = [(int(rows), max(2, int(classes))) for rows, classes in found]
    any_code = "AdaBoostMO.code" in needs
    fewest = min((classes for _, classes in sizes), default=0)
    fit_classes = min(max(fewest, _FEWEST_CLASSES), MAX_WIDTH)
    if sizes:
        searches = {
            each for size in sizes for name in names for each in _searches(name, *size, any_code)
        }
    else:
        searches = {
            _Search(width, name == "AdaBoostMH", many_rows)
            for name in names
            for width in (_WIDTHS[:1] if name == "AdaBoostECC" else _WIDTHS)
            for many_rows in (False, True)
        }
    fits: dict[Callable[[], list[Any]], list[str]] = {}
    for name in names:
        fits.setdefault(_BOOSTERS[name][0], []).append(name)
    found_by_fits: set[_Search] = set()
    tasks = []
    for make, its_names in fits.items():
        own = {each for name in its_names for each in _searches(name, 1, fit_classes, False)}
        found_by_fits |= own
        kernels = [(kernel, ()) for name in its_names for kernel in _BOOSTERS[name][1]]
        tasks.append(
            Task(
                partial(_fit, make, fit_classes),
                kernels=(*kernels, *(each.kernel() for each in own)),
                shared=next(iter(own)).shared(),
            )
        )
    rest = [
        Task(partial(_search, each), kernels=(each.kernel(),), shared=each.shared())
        for each in sorted(searches - found_by_fits, reverse=True)
    ]
    # Whoever comes to the other fits last finds most of their kernels compiled.
    return [tasks[0], *rest, *tasks[1:]]


def _searches(name: str, n_rows: int, n_classes: int, any_code: bool) -> list[_Search]:
    """Return the searches of an estimator on at most that many rows of that many classes."""
    is_shared = name == "AdaBoostMH"
    many = (False, True) if n_rows + (LANES - 1) * n_classes > MOST_SHORT_SLOTS else (False,)
    return [
        _Search(row_width(n_columns), is_shared, many_rows)
        for n_columns in _columns(name, n_classes, any_code)
        for many_rows in many
    ]


def _columns(name: str, n_classes: int, any_code: bool) -> Sequence[int]:
    if name == "AdaBoostECC":
        return [1]
    if name != "AdaBoostMO":
        return [n_classes]
    return _WIDTHS if any_code else [code_matrix("auto", n_classes, 0).shape[1]]


def _data(n_classes: int, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n_rows) % n_classes
    return np.column_stack([y, np.arange(y.shape[0]) % 7]).astype(np.float64), y


def _fit(make: Callable[[], list[Any]], n_classes: int) -> None:
    X, y = _data(n_classes, 3 * n_classes)
    for booster in make():
        booster.fit(X, y).predict(X)
        booster.predict(X.astype(np.float32))


def _search(version: _Search) -> None:
    X, y = _data(version.width, MOST_SHORT_SLOTS + 1 if version.many_rows else 3 * version.width)
    signs = 2.0 * np.eye(version.width) - 1.0
    finder = StumpSearch(X, make_slots(y.astype(np.intp), version.width), signs)
    masses = np.ones((version.width, finder.slots.n_slots))
    stumps = np.zeros((version.width, 5), dtype=np.intp)
    if version.is_shared:
        finder.best_shared(masses, float(masses.sum()), stumps[0])
    else:
        finder.best(masses, stumps, np.zeros(version.width))
    bits = np.zeros((version.width, 1, finder.slots.n_slots // 8), dtype=np.uint8)
    finder.write_bits(stumps, bits, 0)
