"""A part of a data set with equally many rows of each class."""

import dataclasses

import numpy as np

from boostbench.data.dataset import Dataset, fingerprint
from boostbench.errors import DataError

_SEED = 0


def take_per_class(dataset: Dataset, per_class: int) -> Dataset:
    """Return ``per_class`` rows of each class, in their order, with a fingerprint of their own.

    Which rows these are depends only on the data set: the first of a permutation of the class's
    rows by ``numpy.random.RandomState(0)``, class after class.

    :raises DataError: if a class has fewer rows
    """
    rng = np.random.RandomState(_SEED)
    chosen = []
    for code in range(len(dataset.classes) or int(dataset.y.max()) + 1):
        rows = np.flatnonzero(dataset.y == code)
        if len(rows) < per_class:
            label = dataset.classes[code] if dataset.classes else code
            raise DataError(
                f"data set {dataset.name!r} has {len(rows)} rows of class {label!r}, fewer than "
                f"per_class: {per_class}"
            )
        chosen.append(rng.permutation(rows)[:per_class])
    rows = np.sort(np.concatenate(chosen))
    X, y = np.ascontiguousarray(dataset.X[rows]), dataset.y[rows]
    return dataclasses.replace(
        dataset,
        X=X,
        y=y,
        fingerprint=fingerprint(X, y),
        source=f"{dataset.source}, {per_class} rows a class",
    )
