"""Data sets: cards, loaders, fingerprints, folds and scaling."""

from boostbench.data.access import DataAccess, default_access
from boostbench.data.arrays import load_arrays, save_arrays
from boostbench.data.cards import known_fingerprint
from boostbench.data.dataset import Dataset, fingerprint
from boostbench.data.loading import load_dataset
from boostbench.data.prepare import prepare_split
from boostbench.data.request import DataRequest
from boostbench.data.splits import kfold_indices

__all__ = [
    "DataAccess", "DataRequest", "Dataset", "default_access", "fingerprint", "kfold_indices",
    "known_fingerprint", "load_arrays", "load_dataset", "prepare_split", "save_arrays",
]  # fmt: skip
