"""Importing a user's module into a process that has other things to do."""

import contextlib
import importlib
import os
import signal
import site
import sys
import sysconfig
import threading
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from importlib.machinery import BYTECODE_SUFFIXES, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

TRUSTED = frozenset({"boostbench", "sklearn"})
"""Packages that change nothing of others when they are imported."""
# Looking through all that is installed takes longer than many a run.
_NAMES = {"sklearn": "scikit-learn"}
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE)
# How long after a change of a file another one may leave its time of change as it is, in seconds:
# Python compares whole seconds, and some file systems keep every second one only.
_SAME_TIME = 2.0
# How many have asked for modules to be imported as they are written.
_users, _lock = 0, threading.Lock()


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


@contextlib.contextmanager
def imported_as_written() -> Iterator[None]:
    """Import the user's own modules as their files are now.

    Python takes a compiled file for current where size and time of the source are those noted in
    it. An edit of the same size within the second of the one before is not seen: where a file was
    compiled right after a change, it is compiled again here.
    """
    global _users
    loader: Any = SourceFileLoader
    with _lock:
        _users += 1
        loader.get_data = _get_data
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                del loader.get_data  # which is inherited


def _get_data(loader: SourceFileLoader, path: Any) -> bytes:
    if Path(path).suffix in BYTECODE_SUFFIXES and is_own_file(loader.path):
        compiled, changed = Path(path).stat().st_mtime, Path(loader.path).stat().st_mtime
        if compiled < changed + _SAME_TIME:
            raise FileNotFoundError(path)
    return super(SourceFileLoader, loader).get_data(path)


def is_own_file(path: str | None) -> bool:
    """Return whether the file of a loaded module is the user's own."""
    return bool(path) and not is_library(Path(str(path)))


@cache
def _library_folders() -> tuple[Path, ...]:
    found = {sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib", "platstdlib")}
    found |= {*site.getsitepackages(), site.getusersitepackages()}
    # The standard library of a virtual environment lies elsewhere.
    found.add(str(Path(contextlib.__file__).parent))
    return tuple(Path(folder).resolve() for folder in found if folder)


@cache
def is_library(place: Path) -> bool:
    """Return whether a file lies where Python and its packages are installed."""
    real = place.resolve()
    return any(real.is_relative_to(folder) for folder in _library_folders())


def import_quietly(name: str) -> ModuleType:
    """Import the module ``name``; the changes that it makes to the process are undone.

    That is the working directory, the environment, standard streams, warnings filters, signal
    handlers, the umask, the recursion limit, NumPy's error state and scikit-learn's configuration.
    Whatever the module raises is an ``Exception``; one that would end the process is an
    ImportError.
    """
    if name in sys.modules or name.partition(".")[0] in TRUSTED:
        return importlib.import_module(name)
    with _unchanged(), imported_as_written():
        try:
            return importlib.import_module(name)
        except (SystemExit, GeneratorExit) as error:
            raise ImportError(f"{type(error).__name__} in the module {name}") from error


@contextlib.contextmanager
def _unchanged() -> Iterator[None]:
    folder, environ = os.getcwd(), dict(os.environ)  # noqa: PTH109
    streams = sys.stdin, sys.stdout, sys.stderr
    recursion = sys.getrecursionlimit()
    umask = os.umask(0o022)
    os.umask(umask)
    in_main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    errors, sklearn = _numpy_errors(), sys.modules.get("sklearn")
    config = {} if sklearn is None else sklearn.get_config()
    try:
        with warnings.catch_warnings():
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
        if sklearn is not None:
            sklearn.set_config(**config)
        if errors is not None:
            sys.modules["numpy"].seterr(**errors)


def _numpy_errors() -> dict[str, str] | None:
    numpy = sys.modules.get("numpy")
    return None if numpy is None else numpy.geterr()
