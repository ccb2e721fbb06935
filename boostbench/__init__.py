"""Reproduce, and extend, the benchmarks of MultiBoost-cw and of soft regression trees.

The public face, imported when first used: :func:`run`, :class:`Data`, :func:`load`,
:class:`Results`, :class:`Listener`, :class:`BoostbenchError` with :class:`ConfigError`,
:class:`DataError` and :class:`StoreError`. The estimators are in :mod:`boostbench.trees` and
:mod:`boostbench.boosting`, the statistics of comparisons in :mod:`boostbench.stats`.
"""

import importlib
from typing import TYPE_CHECKING

from boostbench.errors import BoostbenchError, ConfigError, DataError, StoreError

if TYPE_CHECKING:
    from boostbench.api import Data, load, run
    from boostbench.experiment.listener import Listener
    from boostbench.experiment.results import Results

    __version__: str
_PACKAGES = ("boosting", "stats", "trees")
__all__ = [
    "BoostbenchError",
    "ConfigError",
    "Data",
    "DataError",
    "Listener",
    "Results",
    "StoreError",
    "__version__",
    "load",
    "run",
]


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        return importlib.import_module(f"boostbench.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'boostbench' has no attribute '{name}'")
    if name == "__version__":
        return importlib.import_module("boostbench.release").installed()
    return getattr(importlib.import_module("boostbench.api"), name)
