"""What every way to run trials does: each is committed and reported as it ends, signals stop it."""

import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from boostbench.engine.environment import environment_id, snapshot
from boostbench.engine.types import Event, Limits, Summary
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome

Flag = threading.Event | None


class Recorder:
    """Commits outcomes to ``store``, and reports and counts them; it has a run's options.

    ``arrays_dir`` holds the arrays of every data set as ``FINGERPRINT.npz``. ``stop`` set: running
    trials end, no other begins. ``kill`` set: running trials are killed and stay missing. In the
    main thread SIGINT sets ``stop``, a second one ``kill``, and SIGTERM ``kill``; the handlers are
    put back at the end. ``environment`` (default: :func:`snapshot`) is kept in the store once.
    """

    def __init__(
        self,
        store: Store,
        *,
        arrays_dir: Path,
        limits: Limits = Limits(),  # noqa: B008
        listener: Callable[[Event], None] = lambda event: None,
        stop: Flag = None,
        kill: Flag = None,
        environment: Mapping[str, Any] | None = None,
    ) -> None:
        self.store, self.listener = store, listener
        self.arrays_dir, self.limits = Path(arrays_dir), limits
        self.signals = Signals(stop, kill, listener)
        self._environment = snapshot() if environment is None else environment
        self.summary = Summary(environment_id=environment_id(self._environment))

    def describe(self) -> None:
        """Keep the environment in the store, as that of the trials that follow."""
        self.store.add_environment(self.summary.environment_id, self._environment)

    def begin(self, trial: Trial, slot: int) -> None:
        """Note that ``trial`` runs, as the one in ``slot`` (from 0) of those that run now."""
        self.store.mark_running(trial, slot)
        self.listener(Event("start", trial, worker=slot))

    def finish(self, trial: Trial, outcome: Outcome, slot: int, environment: str = "") -> None:
        """Commit ``outcome``, made in the described environment or the one of that id."""
        self.summary.environment_id = environment or self.summary.environment_id
        self.store.record(trial, outcome, self.summary.environment_id)
        counts = self.summary.counts
        counts[outcome.status] = counts.get(outcome.status, 0) + 1
        self.listener(Event("end", trial, outcome, worker=slot))


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
