"""What a trial may leave behind in its process, set back before the next one."""

import contextlib
import gc
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

from boostbench.engine.processes import children
from boostbench.engine.settings import Settings

_SIGNALS = (
    signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP,
    signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip
_STREAMS = ("stdin", "stdout", "stderr", "excepthook", "displayhook")


class Isolation:
    """A snapshot of the process's state, taken once, around any number of trials.

    Set back: working directory, environment, ``sys.path``, streams, warnings filters, NumPy's
    error state, signal handlers, timers, umask, recursion limit, garbage collection. Seeded from
    the trial: the global generators of ``random`` and NumPy. What cannot be set back (threads,
    child processes, lost or left-open files, replaced functions of common modules, generators kept
    by a user's module, the other :mod:`~boostbench.engine.settings`) makes :attr:`unclean` say so:
    the process must go.
    """

    def __init__(self) -> None:
        import numpy as np

        self._np = np
        self._cwd = os.getcwd()  # noqa: PTH109
        self._environ = dict(os.environ)
        self._path = list(sys.path)
        self._streams = {name: getattr(sys, name) for name in _STREAMS}
        self._handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        self._recursion = sys.getrecursionlimit()
        self._umask = os.umask(0o022)
        os.umask(self._umask)
        self._errors = np.geterr()
        self._threads = threading.active_count()
        self._open_files = _open_files()
        self._settings = Settings()
        self._loaded = len(sys.modules)
        gc.freeze()
        self.unclean = ""

    @contextlib.contextmanager
    def around(self, seed: int) -> Iterator[None]:
        """Run one trial inside; sets :attr:`unclean` where the process should not be used again."""
        random.seed(seed)
        self._np.random.seed(seed)
        try:
            with warnings.catch_warnings():
                yield
        finally:
            try:
                self.unclean = self._restore() or self._inspect()
            except Exception as error:
                self.unclean = f"its state cannot be set back ({type(error).__name__})"

    def _restore(self) -> str:
        with contextlib.suppress(ValueError, OSError):
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._handlers.items():
            if signal.getsignal(number) != handler:
                return "its signal handlers were changed"
        if dict(os.environ) != self._environ:
            os.environ.clear()
            os.environ.update(self._environ)
        sys.path[:] = self._path
        for name, value in self._streams.items():
            setattr(sys, name, value)
        sys.setrecursionlimit(self._recursion)
        sys.settrace(None)
        sys.setprofile(None)
        os.umask(self._umask)
        self._np.seterr(**self._errors)
        gc.enable()
        os.chdir(self._cwd)
        return ""

    def _inspect(self) -> str:
        if threading.active_count() > self._threads:
            return "threads were left running"
        if children(os.getpid()):
            return "child processes were left running"
        if any(getattr(stream, "closed", True) for stream in (sys.stdout, sys.stderr)):
            return "its output was closed"
        gc.collect()
        if _open_files() != self._open_files:
            return "files were closed or left open"
        changed = self._settings.changed()
        if not changed and len(sys.modules) > self._loaded:
            # What was imported stays: looking through it after every trial takes longer than many
            # a trial. No file of this trial's is open, so none can be kept by what is set apart.
            self._loaded = len(sys.modules)
            gc.freeze()
        return changed


def _open_files() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            for descriptor in os.listdir(name):  # noqa: PTH208
                # The descriptor of this very listing is gone by the time it is looked at.
                with contextlib.suppress(OSError, ValueError):
                    status = os.fstat(int(descriptor))
                    found[descriptor] = (status.st_dev, status.st_ino)
            return found
    return found
