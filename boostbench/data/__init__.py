"""Data sets: cards, loaders, fingerprints, folds and scaling.

The functions are imported when first used: workers need neither pandas nor what downloads need.
"""

import importlib

_MODULES = {
    "DataAccess": "access",
    "default_access": "access",
    "load_arrays": "arrays",
    "save_arrays": "arrays",
    "Dataset": "dataset",
    "fingerprint": "dataset",
    "load_dataset": "loading",
    "prepare_split": "prepare",
    "DataRequest": "request",
    "known_fingerprint": "request",
    "kfold_indices": "splits",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'boostbench.data' has no attribute '{name}'")
    return getattr(importlib.import_module(f"boostbench.data.{_MODULES[name]}"), name)
