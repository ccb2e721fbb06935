"""Data sets: cards, loaders, fingerprints, folds and scaling."""

from boostbench.data.access import DataAccess, default_access
from boostbench.data.arrays import load_arrays, save_arrays
from boostbench.data.cards import Card, card_names, known_fingerprint, load_card
from boostbench.data.dataset import Dataset, fingerprint
from boostbench.data.loading import load_dataset
from boostbench.data.prepare import Prepared, prepare_split
from boostbench.data.request import DataRequest
from boostbench.data.splits import (
    SplitRule,
    given_indices,
    kfold_indices,
    shuffle_indices,
    split_indices,
)

__all__ = [
    "Card",
    "DataAccess",
    "DataRequest",
    "Dataset",
    "Prepared",
    "SplitRule",
    "card_names",
    "default_access",
    "fingerprint",
    "given_indices",
    "kfold_indices",
    "known_fingerprint",
    "load_arrays",
    "load_card",
    "load_dataset",
    "prepare_split",
    "save_arrays",
    "shuffle_indices",
    "split_indices",
]
