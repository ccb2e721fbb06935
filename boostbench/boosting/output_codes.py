"""Code matrices for AdaBoost.MO: +-1 for each class (row) and bit (column)."""

import numpy as np
from numpy.typing import ArrayLike

from boostbench.boosting._types import Floats
from boostbench.boosting.errors import ParameterError

MOST_EXHAUSTIVE = 12


def exhaustive_code(n_classes: int) -> Floats:
    """All 2**(K-1) - 1 ways to split K classes in two, class 0 always +1 (Dietterich, Bakiri)."""
    if n_classes > MOST_EXHAUSTIVE:
        raise ParameterError(
            f'code="exhaustive" would need 2**{n_classes - 1} - 1 bits for {n_classes} classes; '
            f'above {MOST_EXHAUSTIVE} classes use code="random", "one_vs_all" or a matrix.'
        )
    n_bits = 2 ** (n_classes - 1) - 1
    bits = (np.arange(n_bits)[:, None] >> np.arange(n_classes - 1)) & 1
    code = np.ones((n_classes, n_bits))
    code[1:] = 2.0 * bits.T - 1.0
    return code


def one_vs_all(n_classes: int) -> Floats:
    """Return the code with a bit for each class, +1 for it and -1 for the others."""
    code: Floats = 2.0 * np.eye(n_classes) - 1.0
    return code


def random_code(n_classes: int, seed: int) -> Floats:
    """ceil(10 log2 K) random splits with all rows different (Allwein, Schapire, Singer)."""
    n_bits = max(1, int(np.ceil(10 * np.log2(n_classes))))
    if n_bits >= 2 ** (n_classes - 1) - 1:
        return exhaustive_code(n_classes)
    rng = np.random.default_rng(seed)
    while True:
        code = rng.choice([-1.0, 1.0], size=(n_classes, n_bits))
        mixed = (np.abs(code.sum(axis=0)) < n_classes).all()
        if mixed and np.unique(code, axis=0).shape[0] == n_classes:
            return code
        # A constant column separates nothing; redraw, which soon succeeds for K > 5.


def code_matrix(code: str | ArrayLike, n_classes: int, seed: int) -> Floats:
    """Return the (K, L) matrix that ``code`` means for K classes.

    Raises
    ------
    ParameterError
        If a given matrix has the wrong shape, other values than +-1, or two equal rows; or if an
        exhaustive one would be too large.
    """
    if isinstance(code, str):
        if code == "one_vs_all":
            return one_vs_all(n_classes)
        if code == "exhaustive" or (code == "auto" and n_classes < MOST_EXHAUSTIVE):
            return exhaustive_code(n_classes)
        return random_code(n_classes, seed)
    matrix = np.asarray(code, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != n_classes or matrix.shape[1] == 0:
        raise ParameterError(
            f"code must have a row for each of the {n_classes} classes and at least one column, "
            f"but its shape is {matrix.shape}."
        )
    if not np.isin(matrix, (-1.0, 1.0)).all():
        raise ParameterError("code must consist of +1 and -1 only.")
    if np.unique(matrix, axis=0).shape[0] < n_classes:
        raise ParameterError("code must have a different row for each class.")
    return np.ascontiguousarray(matrix)
