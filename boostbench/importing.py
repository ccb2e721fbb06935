"""Importing a user's module into a process that has other things to do."""

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
"""Packages that change nothing of others when they are imported."""
# Looking through all that is installed takes longer than many a run.
_NAMES = {"sklearn": "scikit-learn"}
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_STANDARD_LIBRARY = Path(contextlib.__file__).resolve().parent
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE)


def installed_version(module: str) -> str:
    """Return the version of the package with the outermost module ``module``, "" where unknown.

    The module is neither imported nor asked: the answer is the same in each process.
    """
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(_NAMES.get(module, module))
    names = sorted(set(_distributions().get(module, [])))
    return ", ".join(metadata.version(name) for name in names)


_distributions = cache(metadata.packages_distributions)


@cache
def is_library(place: Path) -> bool:
    """Return whether a file lies where Python and its packages are installed."""
    real = place.resolve()
    return real.is_relative_to(_STANDARD_LIBRARY) or not _INSTALLED.isdisjoint(real.parts)


def import_quietly(name: str) -> ModuleType:
    """Import the module ``name``; the changes that it makes to the process are undone.

    Whatever the module raises is an ``Exception``; one that would end the process is an
    ImportError.
    """
    if name in sys.modules or name.partition(".")[0] in TRUSTED:
        return importlib.import_module(name)
    with unchanged():
        try:
            return importlib.import_module(name)
        except (SystemExit, GeneratorExit) as error:
            raise ImportError(f"{type(error).__name__} in the module {name}") from error


@contextlib.contextmanager
def unchanged() -> Iterator[None]:
    """Undo changes to this process, and leave no compiled files of the modules imported within.

    That is the working directory, the environment, standard streams, warnings filters, signal
    handlers, the umask, the recursion limit, NumPy's error state and scikit-learn's configuration.
    """
    import numpy as np
    from sklearn import config_context

    with contextlib.ExitStack() as undo:
        for kept in ("stdin", "stdout", "stderr", "dont_write_bytecode"):
            undo.callback(setattr, sys, kept, getattr(sys, kept))
        undo.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        umask = os.umask(0o022)
        undo.callback(os.umask, umask)
        os.umask(umask)
        undo.callback(os.environ.update, dict(os.environ))
        undo.callback(os.environ.clear)
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if (handler := signal.getsignal(number)) is not None:
                    undo.callback(signal.signal, number, handler)
        for context in (
            contextlib.chdir("."), warnings.catch_warnings(), np.errstate(), config_context()
        ):  # fmt: skip
            undo.enter_context(context)
        sys.dont_write_bytecode = True
        yield
