"""The data sets that come inside scikit-learn."""

import numpy as np

from boostbench.data.binary import table_of
from boostbench.data.table import Table
from boostbench.errors import DataError

NAMES = ("breast_cancer", "diabetes", "digits", "iris", "wine")


def load_bundled(name: str) -> Table:
    """Return the table of one of ``NAMES``, unscaled, its target last, classes as numbers.

    :raises DataError: if the name is none of them
    """
    if name not in NAMES:
        raise DataError(f"scikit-learn bundles no data set {name!r}; it has {', '.join(NAMES)}")
    from sklearn import datasets

    # scikit-learn scales diabetes when it loads it, with last bits that depend on the machine.
    options = {"scaled": False} if name == "diabetes" else {}
    bunch = getattr(datasets, f"load_{name}")(**options)
    data = np.asarray(bunch.data, dtype=np.float64)
    if name == "diabetes":
        # At most four decimals were published; older files of scikit-learn have 4.803999999999999.
        data = np.round(data, 4)
    return table_of(
        data,
        np.asarray(bunch.target, dtype=np.float64),
        f"scikit-learn's {name}",
        [str(feature) for feature in bunch.feature_names],
    )
