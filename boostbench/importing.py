"""Importing a user's module into a process that has other things to do."""

import contextlib
import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

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


@cache
def _distributions() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


class _FromSource(SourceFileLoader):
    """Compiles a module's file as it is now.

    Python takes a compiled file for current where size and time of the source are those noted in
    it, and so misses an edit of the same size within the second of the one before.
    """

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _OwnModules:
    """Finds the user's own modules, to be imported from their sources."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or not spec.origin:
            return None
        if name.partition(".")[0] in TRUSTED or not is_own_file(spec.origin):
            return None
        spec.loader = _FromSource(name, spec.origin)
        return spec


@contextlib.contextmanager
def imported_from_source() -> Iterator[None]:
    """Import the user's own modules as their files are now, and not as they were compiled."""
    finder = _OwnModules()
    sys.meta_path.insert(sys.meta_path.index(PathFinder), finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def is_own_file(path: str | None) -> bool:
    """Return whether the file of a loaded module is the user's own."""
    return bool(path) and not is_library(Path(str(path)))


@cache
def is_library(place: Path) -> bool:
    """Return whether a file lies where Python and its packages are installed."""
    real = place.resolve()
    return real.is_relative_to(_STANDARD_LIBRARY) or not _INSTALLED.isdisjoint(real.parts)


def import_quietly(name: str) -> ModuleType:
    """Import the module ``name``; the changes that it makes to the process are undone.

    That is the working directory, the environment, standard streams, warnings filters, signal
    handlers, the umask, the recursion limit, NumPy's error state and scikit-learn's configuration.
    Whatever the module raises is an ``Exception``; one that would end the process is an
    ImportError.
    """
    if name in sys.modules or name.partition(".")[0] in TRUSTED:
        return importlib.import_module(name)
    with unchanged(), imported_from_source():
        try:
            return importlib.import_module(name)
        except (SystemExit, GeneratorExit) as error:
            raise ImportError(f"{type(error).__name__} in the module {name}") from error


@contextlib.contextmanager
def unchanged() -> Iterator[None]:
    """Undo the changes to this process that :func:`import_quietly` names."""
    import numpy as np
    from sklearn import config_context

    folder, environ = os.getcwd(), dict(os.environ)  # noqa: PTH109
    streams = sys.stdin, sys.stdout, sys.stderr
    recursion = sys.getrecursionlimit()
    umask = os.umask(0o022)
    os.umask(umask)
    in_main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        with warnings.catch_warnings(), np.errstate(), config_context():
            yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.setrecursionlimit(recursion)
        os.umask(umask)
        os.chdir(folder)
        if dict(os.environ) != environ:
            os.environ.clear()
            os.environ.update(environ)
        for number, handler in handlers.items():
            if in_main and handler is not None and signal.getsignal(number) != handler:
                signal.signal(number, handler)
