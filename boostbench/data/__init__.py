"""Data sets: cards, loaders, fingerprints, folds and scaling.

The functions are imported when first used: workers need neither pandas nor what downloads need.
"""

import importlib

_NAMES = {
    "access": ("DataAccess", "default_access"),
    "arrays": ("load_arrays", "save_arrays"),
    "dataset": ("Dataset", "fingerprint"),
    "loading": ("load_dataset",),
    "prepare": ("prepare_split",),
    "request": ("DataRequest", "known_fingerprint"),
    "splits": ("kfold_indices",),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'boostbench.data' has no attribute '{name}'")
    return getattr(importlib.import_module(f"boostbench.data.{_MODULES[name]}"), name)
