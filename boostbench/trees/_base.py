"""Code that the tree regressors share: validation of the input, and threads."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from boostbench.trees.structure import FloatArray, kernel_array

Seed = int | np.random.RandomState | None
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_threads(
    n_jobs: int | None, function: Callable[[_Item], _Result], items: Iterable[_Item]
) -> list[_Result]:
    """Return ``function`` of each item, in order; ``n_jobs`` threads share them, as in joblib."""
    items = list(items)
    size = min(effective_n_jobs(n_jobs), len(items))
    if size < 2:  # Parallel would take as long as a tenth of a small tree
        return [function(item) for item in items]
    return list(Parallel(n_jobs=size, require="sharedmem")(map(delayed(function), items)))


class TreeRegressor(RegressorMixin, BaseEstimator):
    """Base class: float64, C-ordered, finite arrays for the kernels."""

    def _training_data(
        self, X: ArrayLike, y: ArrayLike, min_samples: int = 1
    ) -> tuple[FloatArray, FloatArray]:
        """X (n, p) and y (n,) of a fit."""
        X, y = validate_data(
            self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=min_samples
        )
        return kernel_array(X), kernel_array(y)

    def _scoring_data(self, X: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """X (n, p) and y (n,) of a fitted tree."""
        check_is_fitted(self)
        X, y = validate_data(self, X, y, reset=False, dtype=np.float64, y_numeric=True)
        return kernel_array(X), kernel_array(y)

    def _new_data(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return kernel_array(validate_data(self, X, reset=False, dtype=np.float64))
