"""Importing a user's module without changing the rest of the process."""

import contextlib
import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType

TRUSTED = frozenset({"boostbench", "sklearn"})
"""Packages that change nothing outside themselves when they are imported."""


def installed_version(module: str) -> str:
    """Return the version of the package with the outermost module ``module``, "" where unknown.

    The module is neither imported nor asked: the answer is the same in each process.
    """
    with contextlib.suppress(metadata.PackageNotFoundError, ValueError):
        # Looking through all installed packages, as below, takes longer than many runs.
        return metadata.version("scikit-learn" if module == "sklearn" else module)
    return ", ".join(map(metadata.version, sorted(set(_distributions().get(module, [])))))


_distributions = cache(metadata.packages_distributions)


@cache
def is_library(place: Path) -> bool:
    """Return whether a file lies where Python and its packages are installed."""
    real = place.resolve()
    installed = not {"site-packages", "dist-packages"}.isdisjoint(real.parts)
    return installed or real.is_relative_to(Path(contextlib.__file__).resolve().parent)


def import_quietly(name: str) -> ModuleType:
    """Import the module ``name``, and undo the changes that it makes to the process.

    Any error of the module is an ``Exception``: a SystemExit becomes an ImportError.
    """
    if name in sys.modules or name.partition(".")[0] in TRUSTED:
        return importlib.import_module(name)
    with preserved_process():
        try:
            return importlib.import_module(name)
        except SystemExit as error:
            raise ImportError(f"SystemExit in the module {name}") from error


@contextlib.contextmanager
def preserved_process() -> Iterator[None]:
    """Undo changes to this process, and leave no compiled files of the modules imported within.

    Restored are the working directory, the environment, stdout and stderr, warnings filters,
    Ctrl-C's handler, NumPy's error state and scikit-learn's configuration.
    """
    import numpy as np
    from sklearn import config_context

    with (
        contextlib.chdir("."),
        contextlib.redirect_stdout(sys.stdout),
        contextlib.redirect_stderr(sys.stderr),
        warnings.catch_warnings(),
        np.errstate(),
        config_context(),
        contextlib.ExitStack() as undo,
    ):
        on_interrupt = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and on_interrupt is not None:
            undo.callback(signal.signal, signal.SIGINT, on_interrupt)
        undo.callback(os.environ.update, dict(os.environ))
        undo.callback(os.environ.clear)
        undo.callback(setattr, sys, "dont_write_bytecode", sys.dont_write_bytecode)
        sys.dont_write_bytecode = True
        yield
