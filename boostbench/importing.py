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
from types import ModuleType

from boostbench.remembered import TRUSTED, keep_no_more

# Looking through all that is installed takes longer than many a run.
_NAMES = {"sklearn": "scikit-learn"}
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


def import_quietly(name: str) -> ModuleType:
    """Import the module ``name``; the changes that it makes to the process are undone.

    That is the working directory, the environment, standard streams, warnings filters, signal
    handlers, the umask, the recursion limit, NumPy's error state and scikit-learn's configuration.
    Whatever the module raises is an ``Exception``; one that would end the process is an
    ImportError.
    """
    if name in sys.modules or name.partition(".")[0] in TRUSTED:
        return importlib.import_module(name)
    keep_no_more()
    with _unchanged():
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
