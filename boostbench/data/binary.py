"""IDX (MNIST) and MATLAB files, data sets bundled with scikit-learn, and generated ones."""

import io
import struct
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat

from boostbench.data.table import Table, table_of_arrays
from boostbench.errors import DataError

BUNDLED = ("breast_cancer", "diabetes", "digits", "iris", "wine")
_IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def parse_idx(content: bytes, where: str) -> NDArray[np.float64]:
    """Return the array of an IDX file (Y. LeCun, "The MNIST database"), as float64.

    Raises DataError if the header is wrong or does not match the length.
    """
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _IDX_TYPES:
        raise DataError(f"{where} is not an IDX file")
    dtype, n_axes = np.dtype(_IDX_TYPES[content[2]]), content[3]
    start = 4 + 4 * n_axes
    shape = struct.unpack(f">{n_axes}I", content[4:start]) if len(content) >= start else ()
    if not 0 < len(shape) <= 8 or 0 in shape:
        raise DataError(f"{where} is not an IDX file of images or labels: its shape is {shape[:9]}")
    expected = start + int(np.prod(shape, dtype=object)) * dtype.itemsize
    if len(content) != expected:
        raise DataError(f"{where} has {len(content):,} bytes, but its header asks for {expected:,}")
    return np.frombuffer(content, dtype, offset=start).reshape(shape).astype(np.float64)


def table_of_idx(arrays: Sequence[NDArray[np.float64]], where: str) -> Table:
    """Return the table of alternating images (n, ...) and labels (n,), labels in the last column.

    Raises DataError if they do not match.
    """
    images = [array.reshape(len(array), -1) for array in arrays[::2]]
    labels = [array.ravel() for array in arrays[1::2]]
    if [len(x) for x in images] != [len(y) for y in labels]:
        raise DataError(f"{where} does not hold as many labels as images")
    if len({x.shape[1] for x in images}) > 1:
        raise DataError(f"{where} holds images of different sizes")
    return table_of_arrays(np.concatenate(images), np.concatenate(labels), where)


def parse_mat(content: bytes, where: str) -> Table:
    """Return the table of a MATLAB v5 file with X, a matrix or a cell of matrices, and Y."""
    try:
        stored = loadmat(io.BytesIO(content), variable_names=["X", "Y"])
        X = stored["X"]
        if X.dtype == object:
            X = np.hstack([np.asarray(block, dtype=np.float64) for block in X.ravel()])
        X = np.asarray(X, dtype=np.float64)
        y = np.asarray(stored["Y"], dtype=np.float64).ravel()
    except Exception as error:  # SciPy raises many kinds on damaged files
        raise DataError(f"{where} is not a MATLAB v5 file with X and Y: {error}") from None
    if X.ndim != 2 or len(X) != len(y):
        raise DataError(f"{where} has X of shape {X.shape} and Y of {len(y)} values")
    return table_of_arrays(X, y, where)


def load_bundled(name: str) -> Table:
    """Return the table of one of ``BUNDLED``, unscaled, its target last, classes as numbers."""
    if name not in BUNDLED:
        raise DataError(f"scikit-learn bundles no data set {name!r}; it has {', '.join(BUNDLED)}")
    from sklearn import datasets

    # scikit-learn scales diabetes when it loads it, with last bits that depend on the machine.
    options = {"scaled": False} if name == "diabetes" else {}
    bunch = getattr(datasets, f"load_{name}")(**options)
    data, y = (np.asarray(part, dtype=np.float64) for part in (bunch.data, bunch.target))
    if name == "diabetes":
        # At most four decimals were published; older files of scikit-learn have 4.803999999999999.
        data = np.round(data, 4)
    return table_of_arrays(data, y, f"scikit-learn's {name}", list(map(str, bunch.feature_names)))


def friedman1(n_samples: int, n_features: int, noise: float, seed: int) -> Table:
    """Return Friedman's first function with noise, as the "fried" data set is defined.

    y = 10 sin(pi x1 x2) + 20 (x3 - 0.5)^2 + 10 x4 + 5 x5 + noise N(0, 1), x uniform in [0, 1),
    where the features from the sixth on do not matter; ``noise`` is its standard deviation. The
    same bits on every machine. J. Friedman, "Multivariate adaptive regression splines", Ann. Stat.
    19 (1991); at 40,768 x 10, L. Breiman, "Bagging predictors", Mach. Learn. 24 (1996), as
    distributed by L. Torgo.
    """
    # The legacy generator, whose stream is frozen; y is rounded since sin and log differ in their
    # last bit from one C library to the next.
    random = np.random.RandomState(seed)
    X = random.random_sample((n_samples, n_features))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    y += 10 * X[:, 3]
    y += 5 * X[:, 4]
    y += noise * random.standard_normal(n_samples)
    return table_of_arrays(X, np.round(y, 6), "friedman1")


_GENERATORS: Mapping[str, Callable[..., Table]] = {"friedman1": friedman1}


def generate(name: str, params: Mapping[str, float]) -> Table:
    """Return the table of a generator; DataError for an unknown one, and for wrong ``params``."""
    if name not in _GENERATORS:
        raise DataError(f"there is no generator {name!r}")
    try:
        return _GENERATORS[name](**params)
    except (TypeError, ValueError, IndexError, MemoryError) as error:
        raise DataError(f"generator {name} with {dict(params)}: {error}") from None
