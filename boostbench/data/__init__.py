"""Data sets: cards, loaders, fingerprints, folds and scaling.

Names are imported when they are first used, so that a list of data sets costs no NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boostbench.data.access import DataAccess, default_access
    from boostbench.data.arrays import fingerprint, load_arrays, save_arrays
    from boostbench.data.cards import Card, card_names, known_fingerprint, load_card
    from boostbench.data.dataset import Dataset
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

_HOMES = {
    "Card": "cards",
    "DataAccess": "access",
    "DataRequest": "request",
    "Dataset": "dataset",
    "Prepared": "prepare",
    "SplitRule": "splits",
    "card_names": "cards",
    "default_access": "access",
    "fingerprint": "arrays",
    "given_indices": "splits",
    "kfold_indices": "splits",
    "known_fingerprint": "cards",
    "load_arrays": "arrays",
    "load_card": "cards",
    "load_dataset": "loading",
    "prepare_split": "prepare",
    "save_arrays": "arrays",
    "shuffle_indices": "splits",
    "split_indices": "splits",
}

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
