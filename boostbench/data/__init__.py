"""Data sets: cards, loaders, fingerprints, folds and scaling.

The functions are imported when first used: workers need neither pandas nor what downloads need.
"""

import importlib
from typing import Any

_MODULES = {
    "DataAccess": "access", "DataRequest": "request", "Dataset": "dataset",
    "default_access": "access", "fingerprint": "dataset", "kfold_indices": "splits",
    "known_fingerprint": "request", "load_arrays": "arrays", "load_dataset": "loading",
    "prepare_split": "prepare", "save_arrays": "arrays",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'boostbench.data' has no attribute '{name}'")
    return getattr(importlib.import_module(f"boostbench.data.{_MODULES[name]}"), name)
