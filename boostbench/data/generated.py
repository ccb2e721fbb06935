"""Data sets that are generated, the same bits on every machine."""

from collections.abc import Callable, Mapping

import numpy as np

from boostbench.data.binary import table_of
from boostbench.data.table import Table
from boostbench.errors import DataError


def friedman1(
    n_samples: int = 40768, n_features: int = 10, noise: float = 1.0, seed: int = 0
) -> Table:
    """Return Friedman's first function with noise, as the "fried" data set is defined.

    y = 10 sin(pi x1 x2) + 20 (x3 - 0.5)^2 + 10 x4 + 5 x5 + noise N(0, 1), x uniform in [0, 1),
    where the features from the sixth on do not matter. J. Friedman, "Multivariate adaptive
    regression splines", Ann. Stat. 19 (1991); at 40,768 x 10, L. Breiman, "Bagging predictors",
    Mach. Learn. 24 (1996), as distributed by L. Torgo.

    :param noise: standard deviation of the noise
    """
    if n_samples < 2 or n_features < 5:
        raise DataError("friedman1 needs at least 2 samples and 5 features")
    # The legacy generator, whose stream is frozen; y is rounded since sin and log differ in their
    # last bit from one C library to the next.
    random = np.random.RandomState(seed)
    X = random.random_sample((n_samples, n_features))
    y = (
        10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4]
        + noise * random.standard_normal(n_samples)
    )
    return table_of(X, np.round(y, 6), "friedman1")


GENERATORS: Mapping[str, Callable[..., Table]] = {"friedman1": friedman1}
