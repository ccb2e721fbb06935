"""How a run is stopped: flags, and the signals that set them."""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from boostbench.engine.types import Event

Flag = threading.Event | None


class Signals:
    """While inside, in the main thread: SIGINT sets ``stop``, a second one or SIGTERM ``kill``.

    ``None`` for either flag: a new one.
    """

    def __init__(self, stop: Flag, kill: Flag, listener: Callable[[Event], None]) -> None:
        self._stop = threading.Event() if stop is None else stop
        self._kill = threading.Event() if kill is None else kill
        self._listener = listener
        self._old: dict[signal.Signals, Any] = {}
        self._reported = False

    def __enter__(self) -> "Signals":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._old[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *exc: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)

    def should_stop(self) -> bool:
        """Return whether ``stop`` is set; the first time that it is, the listener hears of it."""
        if self._stop.is_set() and not self._reported:
            self._reported = True
            detail = "running trials end first; interrupt again to kill them"
            self._listener(Event("stop", detail=detail))
        return self._stop.is_set()

    def should_kill(self) -> bool:
        """Return whether ``kill`` is set."""
        return self._kill.is_set()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGTERM or self._stop.is_set():
            self._kill.set()
        self._stop.set()
