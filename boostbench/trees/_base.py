"""What the tree regressors share: validation of what comes in."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from boostbench.trees.structure import FloatArray, kernel_array


class TreeRegressor(RegressorMixin, BaseEstimator):
    """Base class: float64, C-ordered, finite arrays for the kernels."""

    def _training_data(self, X: Any, y: Any, min_samples: int = 1) -> tuple[FloatArray, FloatArray]:
        X, y = validate_data(
            self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=min_samples
        )
        return kernel_array(X), kernel_array(y)

    def _scoring_data(self, X: Any, y: Any) -> tuple[FloatArray, FloatArray]:
        check_is_fitted(self)
        X, y = validate_data(self, X, y, reset=False, dtype=np.float64, y_numeric=True)
        return kernel_array(X), kernel_array(y)

    def _new_data(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return kernel_array(validate_data(self, X, reset=False, dtype=np.float64))
