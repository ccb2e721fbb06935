"""Trials under a supervisor of their own, in a thread of another program's process.

A station is what a worker of a cluster keeps for one run: warm processes, and a folder with the
run's data and modules. It knows nothing of the cluster.
"""

import contextlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from boostbench.data.arrays import load_arrays
from boostbench.engine.shipping import unpack
from boostbench.engine.supervisor import Supervisor
from boostbench.engine.types import Limits
from boostbench.errors import BoostbenchError, DataError
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

IDLE_S = 30.0
_LOOK_S = 0.25


class StationClosed(Exception):
    """The station takes no trials any more; the text says why, empty where it was asked to end."""


class Ticket:
    """A trial on its way through a station."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.done = threading.Event()
        self.outcome: Outcome | None = None


class Station:
    """Runs up to ``jobs`` trials at a time, given from any number of threads.

    ``estimators`` are the import paths to expect, ``files`` the sources of their modules as far as
    they are not installed. After :data:`IDLE_S` seconds without a trial it closes by itself.
    """

    def __init__(
        self,
        folder: Path,
        *,
        jobs: int,
        limits: Limits,
        estimators: Sequence[str],
        files: Mapping[str, bytes],
        closed: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder = folder
        modules = folder / "modules"
        modules.mkdir(parents=True, exist_ok=True)
        unpack(dict(files), modules)
        self.estimators = estimators
        self.path: Sequence[str] = [str(modules)]
        self._jobs, self._limits, self._on_close = jobs, limits, closed
        self._news: SimpleQueue[tuple[str, Trial]] = SimpleQueue()
        self._wake, self._waker = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._waker, False)
        self._lock = threading.Lock()
        self._tickets: dict[int, Ticket] = {}
        self._closing: str | None = None
        self._used = time.monotonic()
        # One thread for good: the processes that it starts die with the thread that started them.
        self._thread = threading.Thread(target=self._serve, name="boostbench-station", daemon=True)
        self._thread.start()

    # -- data ------------------------------------------------------------------------------------

    def has_data(self, fingerprint: str, folders: Iterable[str] = ()) -> bool:
        """Return whether the arrays are here, or sound in one of ``folders``."""
        self._used = time.monotonic()
        target = self._arrays(fingerprint)
        if target.exists():
            return True
        for folder in folders:
            try:
                load_arrays(fingerprint, Path(folder))
            except DataError:
                continue
            target.unlink(missing_ok=True)  # it may be a link to what is gone
            target.symlink_to(Path(folder).resolve() / target.name)
            return True
        return False

    def add_data(self, fingerprint: str, offset: int, part: bytes, last: bool) -> str:
        """Take one part of the file of the arrays; return what is wrong with the whole, or ""."""
        self._used = time.monotonic()
        writing = self.folder / "arriving" / f"{fingerprint}.npz"
        writing.parent.mkdir(exist_ok=True)
        with writing.open("r+b" if offset else "wb") as file:
            file.seek(offset)
            file.write(part)
        if not last:
            return ""
        try:
            load_arrays(fingerprint, writing.parent)
        except DataError as error:
            return str(error)
        writing.replace(self._arrays(fingerprint))
        return ""

    def _arrays(self, fingerprint: str) -> Path:
        if not fingerprint.isalnum():
            raise ValueError("not a fingerprint")
        return self.folder / f"{fingerprint}.npz"

    # -- trials ----------------------------------------------------------------------------------

    def run(self, trial: Trial, wanted: Callable[[], bool] = lambda: True) -> Outcome | None:
        """Run ``trial`` and return its outcome, or None when it was dropped as not ``wanted``.

        Raises :class:`StationClosed`.
        """
        ticket = Ticket(trial)
        with self._lock:
            if self._closing is not None:
                raise StationClosed(self._closing)
            self._tickets[id(trial)] = ticket
            self._tell("run", trial)
        while not ticket.done.wait(_LOOK_S):
            if not wanted():
                with self._lock:
                    self._tickets.pop(id(trial), None)
                    self._tell("drop", trial)
                return None
        if ticket.outcome is None:
            raise StationClosed(self._closing or "")
        return ticket.outcome

    def close(self, why: str = "", wait_s: float = 0.0) -> None:
        """Kill what runs and end; waits up to ``wait_s`` seconds for it."""
        with self._lock:
            if self._closing is None:
                self._closing = why
                self._poke()
        self._thread.join(wait_s)

    # -- the supervisor's side -------------------------------------------------------------------

    def fileno(self) -> int:
        """See :class:`~boostbench.engine.supervisor.Inlet`."""
        return self._wake

    def take(self) -> list[tuple[str, Trial]]:
        """See :class:`~boostbench.engine.supervisor.Inlet`."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 4096)
        found = []
        with contextlib.suppress(Empty):
            while True:
                found.append(self._news.get_nowait())
        return found

    def _tell(self, what: str, trial: Trial) -> None:
        self._used = time.monotonic()
        if self._closing is None:
            self._news.put((what, trial))
            self._poke()

    def _poke(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._waker, b"x")

    def _serve(self) -> None:
        why = ""
        try:
            Supervisor(
                [],
                jobs=self._jobs,
                arrays_dir=self.folder,
                limits=self._limits,
                begin=lambda trial, slot: None,
                finish=self._finish,
                notify=lambda event: None,
                inlet=self,
            ).run(lambda: False, self._should_end)
        except BoostbenchError as error:
            why = str(error)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        finally:
            with self._lock:
                self._closing = self._closing or why
                left = list(self._tickets.values())
                self._tickets.clear()
                os.close(self._wake)
                os.close(self._waker)
                self._waker = -1
            self._on_close()
            for ticket in left:
                ticket.done.set()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _finish(self, trial: Trial, outcome: Outcome, slot: int) -> None:
        with self._lock:
            ticket = self._tickets.pop(id(trial), None)
            self._used = time.monotonic()
        if ticket is not None:
            ticket.outcome = outcome
            ticket.done.set()

    def _should_end(self) -> bool:
        with self._lock:
            idle = not self._tickets and time.monotonic() - self._used > IDLE_S
            if idle and self._closing is None:
                self._closing = ""
            return self._closing is not None
