"""Whether a soft tree is fitted to data like those that its method was made for."""

import warnings
from collections.abc import Iterator

import numpy as np

from boostbench.trees._types import FloatArray

# Scaling and standardising give numbers far below these, on all data sets of the papers.
_FARTHEST_FEATURE = 10.0
_FARTHEST_MEAN = 10.0
_LEAST_SPREAD, _GREATEST_SPREAD = 0.1, 10.0


class OutOfRangeWarning(UserWarning):
    """A tree is fitted to data unlike those that its method was made for.

    ``fit`` of the soft and randomized trees gives it where features lie beyond -10 or 10, the
    target's mean lies beyond -10 or 10, its standard deviation is not between 0.1 and 10, or a leaf
    has more coefficients than training samples on average. The sentence names the numbers and the
    remedy.
    """


def warn_if_out_of_range(model: object, X: FloatArray, y: FloatArray, depth: int) -> None:
    """Warn the caller of ``fit``, in one sentence, where a tree of ``depth`` suits X, y badly."""
    reasons = [*_of_features(X), *_of_target(y), *_of_leaves(X, depth)]
    if reasons:
        text = f"{type(model).__name__} is not made for such data: {'; '.join(reasons)}"
        # Above this function: _fit, fit, scikit-learn's context of fit, and its caller.
        warnings.warn(text, OutOfRangeWarning, stacklevel=5)


def _of_features(X: FloatArray) -> Iterator[str]:
    low, high = float(X.min()), float(X.max())
    if max(-low, high) > _FARTHEST_FEATURE:
        yield (
            f"features lie between {low:.4g} and {high:.4g}, far outside [0, 1] "
            "(scale them, for example with MinMaxScaler)"
        )


def _of_target(y: FloatArray) -> Iterator[str]:
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = float(y.mean()), float(y.std())
    is_constant = spread == 0.0
    usual = abs(mean) <= _FARTHEST_MEAN and _LEAST_SPREAD <= spread <= _GREATEST_SPREAD
    if not is_constant and not usual:
        yield (
            f"the target has mean {mean:.4g} and standard deviation {spread:.4g}, far from 0 and 1 "
            "(standardise it, for example with TransformedTargetRegressor and StandardScaler)"
        )


def _of_leaves(X: FloatArray, depth: int) -> Iterator[str]:
    n, p = X.shape
    n_leaves = 2**depth
    if (p + 1) * n_leaves <= n:
        return
    # A column that is the same in all but a few samples, such as a rare level's, is the same in
    # most leaves, and has no coefficient to speak of there.
    coefficients = 1 + sum(n - _most_equal(column) >= n_leaves for column in X.T)
    if coefficients * n_leaves > n:
        yield (
            f"each of the {n_leaves} leaves has {coefficients} coefficients, more than the "
            f"{n / n_leaves:.4g} training samples that it gets on average "
            "(take a lower depth, fewer features, or more samples)"
        )


def _most_equal(column: FloatArray) -> int:
    """Return how often the most frequent value occurs."""
    return int(np.unique(column, return_counts=True)[1].max())
