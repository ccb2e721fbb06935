"""Code that the tree regressors share: the frame of a fit, checks of the input, and threads."""

from collections.abc import Callable, Iterable
from typing import ClassVar, Self, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.utils.validation import check_is_fitted, validate_data

from boostbench.trees._types import FloatArray
from boostbench.trees.structure import kernel_array

RandomStateLike = int | np.random.RandomState | None
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

    _least_samples: ClassVar[int] = 1

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples, finite numbers.
        y : array-like of shape (n_samples,)
            The target of each sample, finite numbers.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            For bad input or a bad parameter, among it fewer samples than the model needs.
        """
        self._fit(*self._training_data(X, y))
        return self

    def _training_data(self, X: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """X (n, p) and y (n,) for ``_fit``; ValueError for bad ones, and for bad parameters."""
        self._check_parameters()
        X, y = validate_data(
            self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=self._least_samples
        )
        return kernel_array(X), kernel_array(y)

    def _check_parameters(self) -> None:
        """Raise ValueError for what ``_parameter_constraints`` cannot refuse."""

    def _fit(self, X: FloatArray, y: FloatArray) -> None:
        """Set the fitted attributes; the parameters and data are checked."""
        raise NotImplementedError

    def _scoring_data(self, X: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """X (n, p) and y (n,) of a fitted tree."""
        check_is_fitted(self)
        X, y = validate_data(self, X, y, reset=False, dtype=np.float64, y_numeric=True)
        return kernel_array(X), kernel_array(y)

    def _new_data(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return kernel_array(validate_data(self, X, reset=False, dtype=np.float64))
