"""Estimators that predict at random, on which metrics are tried before anything is run."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsRegressor

from boostbench.data.dataset import Features, Floats


class MadeUpRegressor(KNeighborsRegressor):
    """Predicts the target of the nearest training row, which is as good as drawn at random here.

    The rows on which it is fitted and asked are random numbers, also in place of a frame.
    """

    def __init__(self) -> None:
        super().__init__(n_neighbors=1)

    def fit(self, X: Features, y: Floats) -> Self:
        """Keep the targets."""
        super().fit(_numbers(X), y)
        return self

    def predict(self, X: Features) -> Floats:
        """Return a target for each row."""
        predicted: Floats = super().predict(_numbers(X))
        return predicted


def _numbers(X: Features) -> Floats:
    if isinstance(X, np.ndarray):
        return X
    return np.random.default_rng(len(X)).random((len(X), 1))


class MadeUpClassifier(ClassifierMixin, BaseEstimator):
    """Predicts probabilities drawn at random, and the most probable class."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Features, y: NDArray[np.int64]) -> Self:
        """Keep the classes."""
        self.classes_: NDArray[np.int64] = np.unique(y)
        return self

    def predict_proba(self, X: Features) -> Floats:
        """Return a probability for each row and class, the same ones for as many rows."""
        rng = np.random.default_rng(self.random_state)
        return rng.dirichlet(np.ones(len(self.classes_)), len(X))

    def predict_log_proba(self, X: Features) -> Floats:
        """Return the logarithms of the probabilities."""
        logarithms: Floats = np.log(self.predict_proba(X))
        return logarithms

    def decision_function(self, X: Features) -> Floats:
        """Return the logarithms, or for two classes by how much that of the second is greater."""
        logarithms = self.predict_log_proba(X)
        if len(self.classes_) != 2:
            return logarithms
        return logarithms[:, 1] - logarithms[:, 0]

    def predict(self, X: Features) -> NDArray[np.int64]:
        """Return the most probable class of each row."""
        classes: NDArray[np.int64] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return classes
