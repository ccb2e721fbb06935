"""The one shape in which every loader hands over a data set."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Dataset:
    """A parsed and encoded, unscaled data set.

    ``X`` is (n_samples, n_features) C-ordered float64; ``y`` is (n_samples,), float64 for
    regression and int64 codes 0..K-1 for classification (``classes`` holds the labels). ``X`` has
    NaN only where ``missing`` is ``median``: each is to be filled by the median of its feature in
    the training rows. ``remarks`` say how the data were read, as far as that is worth knowing.
    ``n_left_out`` is how many rows were left out for missing values, so that later rows moved up.
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
    remarks: tuple[str, ...] = ()
    missing: str = "error"
    n_left_out: int = 0

    @property
    def remarks_line(self) -> str:
        """The remarks as one line that begins with the data set's name, empty without any."""
        return f"{self.name}: {'; '.join(self.remarks)}" if self.remarks else ""
