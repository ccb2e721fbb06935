"""Estimators that predict at random, on which metrics are tried before anything is run."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class MadeUpRegressor(RegressorMixin, BaseEstimator):
    """Predicts targets of the training rows, drawn at random."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: NDArray[Any]) -> Self:
        """Keep the targets."""
        self.targets_ = np.asarray(y)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return a target for each row, the same ones for as many rows."""
        rng = np.random.default_rng(self.random_state)
        return rng.choice(self.targets_, len(X))


class MadeUpClassifier(ClassifierMixin, BaseEstimator):
    """Predicts probabilities drawn at random, and the most probable class."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: NDArray[Any]) -> Self:
        """Keep the classes."""
        self.classes_: NDArray[Any] = np.unique(y)
        return self

    def predict_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return a probability for each row and class, the same ones for as many rows."""
        rng = np.random.default_rng(self.random_state)
        found: NDArray[Any] = rng.dirichlet(np.ones(len(self.classes_)), len(X))
        return found

    def predict_log_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the logarithms of the probabilities."""
        found: NDArray[Any] = np.log(self.predict_proba(X))
        return found

    def decision_function(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the logarithms, or for two classes by how much that of the second is greater."""
        found = self.predict_log_proba(X)
        return found[:, 1] - found[:, 0] if len(self.classes_) == 2 else found

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the most probable class of each row."""
        found: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return found
