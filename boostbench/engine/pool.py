"""Worker processes: each trial runs in one, which is killed over its limits or may die.

A pool is used from several threads at once, one for each running trial.
"""

import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from boostbench.engine.interface import Compiling, Event, TrialLimits
from boostbench.engine.launch import LauncherLost, Spawner, WarmProcess, WorkerProcess, forks
from boostbench.engine.messages import WarmUp, WorkerConfig, WorkerRequest
from boostbench.engine.warming import NOTHING
from boostbench.errors import BoostbenchError
from boostbench.estimators import module_of
from boostbench.importing import TRUSTED
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

_MAX_ATTEMPTS = 3
_MAX_FAILED_STARTS = 5
_MOST_MODULES = 500
_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP)


def shares_worker(trial: Trial) -> bool:
    """Return whether ``trial`` runs only code of boostbench and scikit-learn."""
    paths = [trial.estimator, *(path for path in trial.metrics.values() if ":" in path)]
    return all(module_of(path).partition(".")[0] in TRUSTED for path in paths)


class Pool:
    """Worker processes within ``limits``; leaving it as a context kills them.

    ``warm_up`` is the result of :func:`~boostbench.engine.warming.warm_up_plan` for the expected
    trials. ``notify`` is called in the threads that prepare and run trials. Workers look for
    modules in the folders ``path`` first. The process that starts workers dies with the thread in
    which the pool was first used, or in which that process was replaced: these threads must outlast
    the pool.

    Nothing is restored between trials. A worker runs trials of boostbench and scikit-learn one
    after another, and exactly one of other code; without forks, those of one method.
    """

    def __init__(
        self,
        arrays_dir: Path,
        limits: TrialLimits,
        warm_up: WarmUp,
        notify: Callable[[Event], None] = lambda event: None,
        path: Sequence[str] = (),
    ) -> None:
        self._limits = limits
        self._notify = notify
        self._path = [*path, *sys.path]
        self._config = WorkerConfig(
            # A trial may change the working directory.
            arrays_dir=str(arrays_dir.absolute()),
            time_s=limits.time_s,
            memory_bytes=limits.memory_bytes,
            import_s=limits.import_s,
            warm_up=warm_up,
        )
        self._lock = threading.RLock()
        self._launcher: WarmProcess | Spawner | None = None
        self._idle: list[WorkerProcess] = []
        # The imports of each own module's trials, which are imported before a fork.
        self._loaded: dict[str, dict[str, None]] = {}
        self._failed_starts = 0
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill all workers; no further trial can be run."""
        self._is_closed = True
        if self._launcher is not None:
            self._launcher.kill()
        with self._lock:
            while self._idle:
                self._idle.pop().close()
            if self._launcher is not None:
                self._launcher.close()

    def prepare(self) -> None:
        """Return when workers can be started; BoostbenchError where they cannot."""
        with self._lock:
            while self._launcher is None and not self._is_closed:
                self._launcher = (WarmProcess if forks() else Spawner)(self._config, self._path)
                if self._is_closed:
                    self._launcher.kill()
                try:
                    self._launcher.wait(self._report_compiling)
                except LauncherLost as error:
                    # The imports or the warm-up may have killed it: workers then do without.
                    self._config["warm_up"] = NOTHING
                    self._replace(self._launcher, str(error))

    def _report_compiling(self, compiling: Compiling) -> None:
        self._notify(Event("compile", compiling=compiling))

    def run(self, trial: Trial, is_cancelled: Callable[[], bool] = lambda: False) -> Outcome | None:
        """Run ``trial``; None if the pool is closed or the trial ``is_cancelled`` meanwhile.

        If a worker dies of a signal from outside (the kernel's out-of-memory killer, an operator),
        the trial runs again on another one, up to three times in all. Raises BoostbenchError where
        workers cannot be started.
        """

        def is_over() -> bool:
            return self._is_closed or is_cancelled()

        losses = 0
        while not is_over():
            worker = self._worker(trial)
            if worker is None:
                continue
            outcome = worker.run(trial, self._limits, is_over)
            if worker.has_begun:
                self._failed_starts = 0
            if outcome is None and not is_over():
                outcome = self._outcome_of_death(worker, losses)
                losses += worker.has_tried
            self._release(worker, trial)
            if outcome is not None:
                return outcome
        return None

    def _outcome_of_death(self, worker: WorkerProcess, losses: int) -> Outcome | None:
        """Return the outcome after the death of ``worker``, None if its trial runs again."""
        code = worker.exitcode
        assert code is not None
        if not worker.has_tried:
            if not worker.is_lost:
                self._count_failed_start(worker.printed() or f"exit code {code}")
            return None
        if code in _FROM_OUTSIDE and losses + 1 < _MAX_ATTEMPTS:
            detail = f"a worker was ended by {signal.Signals(-code).name}: its trial runs again"
            self._notify(Event("worker", detail=detail))
            return None
        reason = f"the process ended itself with exit code {code}"
        if code < 0:
            names = {number.value: number.name for number in signal.Signals}
            reason = f"ended by signal {names.get(-code, -code)}"
        return worker.ended(Outcome("killed", reason))

    def _worker(self, trial: Trial) -> WorkerProcess | None:
        """Return a suitable idle worker, or a new one; None if none could be started."""
        kind = "" if shares_worker(trial) else trial.method
        once = bool(kind) and forks()
        with self._lock:
            for worker in self._idle:
                if worker.kind == kind:
                    self._idle.remove(worker)
                    return worker
            if self._idle and not once:
                self._idle.pop().close()
        self.prepare()
        launcher = self._launcher
        if launcher is None:
            return None
        request = WorkerRequest(
            own=trial.estimator if kind else None,
            once=once,
            fingerprint=trial.fingerprint if once else None,
            modules=list(self._loaded.get(_own_module(trial), ()))[:_MOST_MODULES],
        )
        try:
            return WorkerProcess(launcher, kind, request)
        except LauncherLost as error:
            self._replace(launcher, str(error))
            return None

    def _release(self, worker: WorkerProcess, trial: Trial) -> None:
        if forks():
            loaded = self._loaded.setdefault(_own_module(trial), {})
            loaded.update(dict.fromkeys(worker.loaded))
        worker.loaded = []
        with self._lock:
            if worker.exitcode is None and not self._is_closed:
                self._idle.append(worker)
            else:
                worker.close()

    def _replace(self, launcher: WarmProcess | Spawner, why: str) -> None:
        with self._lock:
            if self._launcher is launcher:
                self._launcher = None
                launcher.close()
                self._count_failed_start(why)

    def _count_failed_start(self, why: str) -> None:
        self._failed_starts += 1
        if self._failed_starts >= _MAX_FAILED_STARTS:
            last = why.strip().splitlines()[-1] if why.strip() else "no reason given"
            raise BoostbenchError(f"worker processes cannot be started: {last}")


def _own_module(trial: Trial) -> str:
    return "" if shares_worker(trial) else module_of(trial.estimator)
