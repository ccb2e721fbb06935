"""Folds and random splits, which depend on the data set and the split seed only."""

import math
from typing import TYPE_CHECKING, Any

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

    _check_folds(n_samples, folds, fold)
    order = np.random.RandomState(split_seed).permutation(n_samples)
    parts = np.array_split(order, folds)
    test = np.sort(parts[fold]).astype(np.int64)
    train = np.sort(np.concatenate(parts[:fold] + parts[fold + 1 :])).astype(np.int64)
    return train, test


def stratified_kfold_indices(
    y: "NDArray[Any]", folds: int, fold: int, split_seed: int
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the sorted row numbers (train, test) of one fold with its share of each class.

    The folds are those of ``sklearn.model_selection.StratifiedKFold(folds, shuffle=True,
    random_state=split_seed)``, which also takes classes of fewer rows than folds here.

    :param y: (n_samples,) class codes
    :param fold: 0 .. folds - 1
    :raises DataError: as :func:`kfold_indices`
    """
    import numpy as np

    _check_folds(len(y), folds, fold)
    # As scikit-learn numbers the classes: by their first row.
    _, first, codes = np.unique(y, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]
    order = np.sort(codes)
    counts = [np.bincount(order[i::folds], minlength=len(first)) for i in range(folds)]
    rng = np.random.RandomState(split_seed)
    fold_of = np.empty(len(y), dtype=np.int64)
    for code in range(len(first)):
        parts = np.arange(folds).repeat([count[code] for count in counts])
        rng.shuffle(parts)
        fold_of[codes == code] = parts
    return np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


def split_indices(
    y: "NDArray[Any]",
    fold: int,
    *,
    folds: int,
    test_size: float | None,
    split_seed: int,
    stratify: bool,
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return one of ``folds`` folds where ``test_size`` is None, else a random split.

    With ``stratify`` each part has its share of each class of ``y`` (n_samples,).
    """
    if test_size is not None:
        return shuffle_indices(y, test_size, fold, split_seed, stratify=stratify)
    if stratify:
        return stratified_kfold_indices(y, folds, fold, split_seed)
    return kfold_indices(len(y), folds, fold, split_seed)


def _check_folds(n_samples: int, folds: int, fold: int) -> None:
    if folds < 2:
        raise DataError(f"folds is {folds}; at least 2 are needed")
    if folds > n_samples:
        raise DataError(f"folds is {folds}, but the data set has only {n_samples} rows")
    if not 0 <= fold < folds:
        raise DataError(f"fold is {fold}; it is one of 0 to {folds - 1}")


def shuffle_indices(
    y: "NDArray[Any]",
    test_size: float,
    split: int,
    split_seed: int,
    *,
    stratify: bool,
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the sorted row numbers (train, test) of one random split: the same for every method.

    The test part has ``ceil(test_size * n_samples)`` rows, at least one. With ``stratify`` each
    class has its share of it, rounded down or up, and keeps at least one row for training.

    :param y: (n_samples,) target; looked at only with ``stratify``
    :param split: 0, 1, ...; one split does not depend on how many others there are
    :raises DataError: if ``test_size`` is not between 0 and 1 or the training part would have
        fewer than two rows
    """
    import numpy as np

    if not 0.0 < test_size < 1.0:
        raise DataError(f"test_size is {test_size}; it is above 0 and below 1")
    n_samples = len(y)
    # A product such as 0.07 * 100 must not be rounded up for its last bit.
    n_test = max(1, math.ceil(round(test_size * n_samples, 9)))
    if n_samples - n_test < 2:
        raise DataError(
            f"{n_samples} rows cannot be split with test_size {test_size}: "
            f"{n_samples - n_test} would be left for training"
        )
    rng = np.random.RandomState([split_seed, split])
    if not stratify:
        chosen = [rng.permutation(n_samples)[:n_test]]
    else:
        codes = np.unique(y, return_inverse=True)[1]
        counts = np.bincount(codes)
        chosen = [
            rng.permutation(np.flatnonzero(codes == code))[:n]
            for code, n in enumerate(_shares(counts, n_test, rng))
        ]
    is_test = np.zeros(n_samples, dtype=bool)
    is_test[np.concatenate(chosen)] = True
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _shares(
    counts: "NDArray[np.int64]", n_test: int, rng: "np.random.RandomState"
) -> "NDArray[np.int64]":
    """Return how many of each class are tested: about the same share of all, ``n_test`` in sum."""
    import numpy as np

    exact = n_test * counts / counts.sum()
    shares = np.floor(exact).astype(np.int64)
    # The largest remainders first; equal ones in a random order, so that no class is favoured.
    order = np.lexsort((rng.permutation(len(counts)), shares - exact))
    for code in order[: n_test - shares.sum()]:
        shares[code] += 1
    return np.minimum(shares, counts - 1)
