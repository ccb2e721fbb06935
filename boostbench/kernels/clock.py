"""A clock for trainings, which stands still while kernels are compiled or loaded from disk."""

import threading
from time import perf_counter
from typing import Any

from numba.core import event


class _Compiling(event.Listener):
    """Adds up the seconds for which each thread has held numba's compiler, or waited for it."""

    def __init__(self) -> None:
        self._of_thread = threading.local()

    @property
    def seconds(self) -> float:
        """The seconds of this thread so far."""
        return getattr(self._of_thread, "seconds", 0.0)

    def on_start(self, event: Any) -> None:
        """Note the time, unless this is a compilation within another."""
        of_thread = self._of_thread
        of_thread.depth = getattr(of_thread, "depth", 0) + 1
        if of_thread.depth == 1:
            of_thread.start = perf_counter()

    def on_end(self, event: Any) -> None:
        """Add the seconds, unless this is the end of a compilation within another."""
        of_thread = self._of_thread
        of_thread.depth -= 1
        if of_thread.depth == 0:
            of_thread.seconds = self.seconds + perf_counter() - of_thread.start


_COMPILING = _Compiling()
# numba holds this lock while it compiles a function or loads it from its cache.
event.register("numba:compiler_lock", _COMPILING)


def clock() -> float:
    """Return seconds to compare with a later call, between which no compilation is counted."""
    return perf_counter() - _COMPILING.seconds
