"""The one shape in which every loader hands over a data set."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Dataset:
    """A parsed and encoded, unscaled data set.

    ``X`` is (n_samples, n_features) C-ordered float64 without NaN; ``y`` is (n_samples,), float64
    for regression and int64 codes 0..K-1 for classification (``classes`` holds the labels).
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.float64] | NDArray[np.int64]
    feature_names: tuple[str, ...]
    target: str
    task: str
    fingerprint: str
    source: str
    classes: tuple[str, ...] = ()
