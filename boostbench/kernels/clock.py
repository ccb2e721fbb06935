"""A clock for trainings, which stands still while kernels are compiled or loaded from disk."""

import threading
from time import perf_counter
from typing import Any

from numba.core import event


class _OfThread(threading.local):
    """The ``seconds`` of finished compilations, each thread's own, and how deep those begun are."""

    seconds = 0.0
    depth = 0
    start = 0.0


_OF_THREAD = _OfThread()


class _Compiling(event.Listener):
    """Adds up the seconds for which each thread has held numba's compiler, or waited for it."""

    def on_start(self, event: Any) -> None:
        """Note the time, unless this is a compilation within another."""
        _OF_THREAD.depth += 1
        if _OF_THREAD.depth == 1:
            _OF_THREAD.start = perf_counter()

    def on_end(self, event: Any) -> None:
        """Add the seconds, unless this is the end of a compilation within another."""
        _OF_THREAD.depth -= 1
        if _OF_THREAD.depth == 0:
            _OF_THREAD.seconds += perf_counter() - _OF_THREAD.start


# numba holds this lock while it compiles a function or loads it from its cache.
event.register("numba:compiler_lock", _Compiling())


def clock() -> float:
    """Return seconds to compare with a later call, between which no compilation is counted."""
    return perf_counter() - _OF_THREAD.seconds
