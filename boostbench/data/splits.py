"""Folds, which depend on the number of rows and the split seed alone."""

from typing import TYPE_CHECKING

from boostbench.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def kfold_indices(
    n_samples: int, folds: int, fold: int, split_seed: int
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the sorted row numbers (train, test) of one fold of a shuffled k-fold.

    The folds are those of ``sklearn.model_selection.KFold(folds, shuffle=True,
    random_state=split_seed)``: every method and seed sees the same ones.

    :param fold: 0 .. folds - 1
    :raises DataError: if ``folds`` is below 2 or above ``n_samples``, or ``fold`` is none of them
    """
    import numpy as np

    if folds < 2:
        raise DataError(f"folds is {folds}; at least 2 are needed")
    if folds > n_samples:
        raise DataError(f"folds is {folds}, but the data set has only {n_samples} rows")
    if not 0 <= fold < folds:
        raise DataError(f"fold is {fold}; it is one of 0 to {folds - 1}")
    order = np.random.RandomState(split_seed).permutation(n_samples)
    parts = np.array_split(order, folds)
    test = np.sort(parts[fold]).astype(np.int64)
    train = np.sort(np.concatenate(parts[:fold] + parts[fold + 1 :])).astype(np.int64)
    return train, test
