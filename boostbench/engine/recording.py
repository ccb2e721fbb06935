"""Committing and reporting outcomes, and handling signals, for every way to run trials."""

import contextlib
import signal
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Required, TypedDict, Unpack

from boostbench.engine.environment import environment_id, snapshot
from boostbench.engine.interface import Event, Summary, TrialLimits
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome


class RecorderOptions(TypedDict, total=False):
    """The options of a :class:`Recorder`, also for functions that make one.

    ``arrays_dir`` holds the arrays of every data set as ``FINGERPRINT.npz``. ``environment``
    (default: :func:`snapshot`) is kept in the store as that of the trials.
    """

    arrays_dir: Required[Path]
    limits: TrialLimits
    listener: Callable[[Event], None]
    environment: Mapping[str, object]


def outcomes_apart(run: Callable[[Store], Summary]) -> Mapping[str, Outcome]:
    """Return by key the outcomes of trials that are run in a temporary store."""
    with (
        tempfile.TemporaryDirectory(prefix="boostbench-") as name,
        Store.open(Path(name)) as store,
    ):
        if run(store).interrupted:
            raise KeyboardInterrupt
        return store.outcomes()


class Recorder:
    """Commits outcomes to ``store``, and reports and counts them; it has a run's options.

    As a context manager, in the main thread, it handles signals: after SIGINT no further trial
    begins, a second one or SIGTERM kills the running ones, which stay missing; the handlers are
    restored at the end.
    """

    def __init__(self, store: Store, **options: Unpack[RecorderOptions]) -> None:
        self.store = store
        self.arrays_dir = options["arrays_dir"]
        self.limits = options.get("limits", TrialLimits())
        self.listener: Callable[[Event], None] = options.get("listener", lambda event: None)
        environment = options["environment"] if "environment" in options else snapshot()
        self.summary = Summary(environment_id=environment_id(environment))
        store.add_environment(self.summary.environment_id, environment)
        self.should_kill = self._is_stopped = self._is_reported = False
        self._restore_handlers = contextlib.ExitStack()

    def __enter__(self) -> "Recorder":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                earlier = signal.signal(number, self._handle)
                self._restore_handlers.callback(signal.signal, number, earlier)
        return self

    def __exit__(self, *exc: object) -> None:
        self._restore_handlers.close()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.should_kill = self._is_stopped or number == signal.SIGTERM
        self._is_stopped = True

    def should_stop(self) -> bool:
        """Return whether no further trial may begin; notify the listener the first time."""
        if self._is_stopped and not self._is_reported:
            self._is_reported = True
            detail = "running trials end first; interrupt again to kill them"
            self.listener(Event("stop", detail=detail))
        return self._is_stopped

    def begin(self, trial: Trial, slot: int) -> None:
        """Note that ``trial`` runs, in ``slot`` (from 0) of the running trials."""
        self.store.mark_running(trial, slot)
        self.listener(Event("start", trial, worker=slot))

    def finish(self, trial: Trial, outcome: Outcome, slot: int, environment: str = "") -> None:
        """Commit ``outcome``, with the described environment or the id of another one."""
        self.summary.environment_id = environment or self.summary.environment_id
        self.store.record(trial, outcome, self.summary.environment_id)
        self.summary.counts[outcome.status] += 1
        self.listener(Event("end", trial, outcome, worker=slot))
