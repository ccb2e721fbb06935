"""Keeps worker processes at work, kills trials over their limits, and loses nothing to a death."""

import contextlib
import dataclasses
import re
import selectors
import signal
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.engine.launch import FirstLauncher, Launcher, LauncherLost, Spawner, forks
from boostbench.engine.os_processes import kill_tree
from boostbench.engine.types import Event, Limits
from boostbench.engine.warming import NOTHING, what_to_warm
from boostbench.engine.worker import EXIT_CHANNEL_LOST
from boostbench.engine.worker_process import WorkerProcess, over_memory
from boostbench.errors import BoostbenchError
from boostbench.estimators import module_of
from boostbench.importing import TRUSTED
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

_MAX_ATTEMPTS = 3
_MAX_FAILED_STARTS = 5
_TICK_S = 0.25
_MEMORY_TICK_S = 0.05
_SPAWNER_TICK_S = 0.02
_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP)
_OUT_OF_MEMORY = re.compile(r"bad_alloc|out of memory|cannot allocate memory", re.IGNORECASE)

Finish = Callable[[Trial, Outcome, int], None]
Begin = Callable[[Trial, int], None]


def shares_worker(trial: Trial) -> bool:
    """Whether ``trial`` runs code of boostbench and scikit-learn only, which leaves nothing."""
    paths = [trial.estimator, *(path for path in trial.metrics.values() if ":" in path)]
    return all(module_of(path).partition(".")[0] in TRUSTED for path in paths)


class Pool:
    """Runs trials on ``jobs`` worker processes: :meth:`run` returns when all have ended.

    With ``warm_up``, what is known of the trials to expect (see
    :func:`~boostbench.engine.warming.what_to_warm`), it stays open instead: other threads
    :meth:`submit` and :meth:`drop` trials, and it ends when it is asked to kill. ``path``: folders
    in which workers look for modules after all others.

    Nothing is restored between trials. A worker runs those of boostbench and scikit-learn one after
    another, and exactly one of anything else; where workers are not forked, those of one method.

    A worker that dies of a signal that the pool did not send (the kernel's killer of
    processes, an operator) has its trial run again on a fresh one, up to three times in all.
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        *,
        jobs: int,
        arrays_dir: Path,
        limits: Limits,
        begin: Begin,
        finish: Finish,
        notify: Callable[[Event], None],
        warm_up: Mapping[str, Any] | None = None,
        path: Sequence[str] = (),
    ) -> None:
        self._waiting = deque({trial.key: trial for trial in trials}.values())
        self._dropped: deque[Trial] = deque()
        self._is_open = warm_up is not None
        self._wakeup, self._wakeup_end = socket.socketpair()
        self._warm_up = what_to_warm(self._waiting, arrays_dir) if warm_up is None else warm_up
        self._path, self._limits = path, limits
        self._jobs = max(1, jobs if self._is_open else min(jobs, len(self._waiting)))
        self._begin, self._finish, self._notify = begin, finish, notify
        # A trial may change the working directory.
        self._arrays_dir = str(arrays_dir.absolute())
        self._launchers: dict[str, Launcher | Spawner] = {}
        self._unforkable: set[str] = set()
        self._workers: dict[int, WorkerProcess] = {}
        self._numbers = self._failed_starts = 0
        self._losses: Counter[str] = Counter()
        self._selector = selectors.DefaultSelector()

    def run(self, should_drain: Callable[[], bool], should_kill: Callable[[], bool]) -> bool:
        """Run everything; return False when asked to drain or to kill before the end.

        ``should_drain`` true: no trial begins any more, running ones end. ``should_kill`` true:
        running ones are killed and not recorded. Whatever is raised, no process is left.
        """
        self._selector.register(self._wakeup, selectors.EVENT_READ)
        try:
            while not should_kill():
                is_draining = should_drain()
                if not is_draining:
                    with contextlib.suppress(LauncherLost):  # it will be noticed
                        self._assign()
                is_done = is_draining or not (self._waiting or self._is_open)
                if is_done and not self._busy():
                    return not self._waiting
                self._wait()
                for module, launcher in list(self._launchers.items()):
                    self._check(module, launcher)
                for worker in list(self._workers.values()):
                    self._listen(worker)
                for worker in self._workers.values():
                    worker.enforce(self._limits)
            return False
        finally:
            self._shut_down()

    def submit(self, trial: Trial) -> None:
        """Run one more trial on an open pool; from any thread."""
        self._waiting.append(trial)
        self.wake()

    def drop(self, trial: Trial) -> None:
        """Kill the submitted ``trial`` where it runs, else forget it; from any thread."""
        self._dropped.append(trial)
        self.wake()

    def wake(self) -> None:
        """Have the pool look at once whether it should end; from any thread."""
        with contextlib.suppress(OSError):  # it has ended
            self._wakeup_end.send(b"x")

    def _busy(self) -> list[WorkerProcess]:
        return [worker for worker in self._workers.values() if worker.trial is not None]

    # -- giving work -----------------------------------------------------------------------------

    def _assign(self) -> None:
        """Give trials to workers as long as there are free slots."""
        first = self._first_launcher()
        while self._waiting and len(busy := self._busy()) < self._jobs:
            trial = self._waiting[0]
            kind = "" if shares_worker(trial) else trial.method
            launcher = self._launcher_for(trial) if kind else first
            if not launcher.is_warm:
                return
            idle = [worker for worker in self._workers.values() if worker.is_idle]
            worker = next((worker for worker in idle if worker.kind == kind), None)
            if worker is None:
                if idle and len(busy) + len(idle) >= self._jobs:
                    idle[0].kill()
                worker = self._start(launcher, trial, kind)
            self._waiting.popleft()
            slot = min(set(range(self._jobs)) - {other.slot for other in busy})
            worker.begin(trial, slot)
            self._begin(trial, slot)

    def _first_launcher(self) -> Launcher | Spawner:
        if "" not in self._launchers:
            self._launchers[""] = (
                FirstLauncher(self._selector, self._warm_up, self._path)
                if forks()
                else Spawner(self._path)
            )
        return self._launchers[""]

    def _launcher_for(self, trial: Trial) -> Launcher | Spawner:
        """Return the launcher of processes that have imported the module of ``trial``."""
        first, module = self._launchers[""], module_of(trial.estimator)
        is_own = module.partition(".")[0] not in TRUSTED and module not in self._unforkable
        if not (is_own and first.is_warm and isinstance(first, Launcher)):
            return first
        if module not in self._launchers:
            limit_s = max(self._limits.import_s, self._limits.time_s or 0.0)
            self._launchers[module] = first.fork([trial.estimator, trial.code], limit_s)
        return self._launchers[module]

    def _start(self, launcher: Launcher | Spawner, trial: Trial, kind: str) -> WorkerProcess:
        self._numbers += 1
        once = bool(kind) and isinstance(launcher, Launcher)
        config = {
            "arrays_dir": self._arrays_dir,
            "memory_bytes": self._limits.memory_bytes,
            "time_s": self._limits.time_s,
            "warm_up": NOTHING if once else self._warm_up,
            "own": [trial.estimator, trial.code] if kind else None,
            # The data that a fork inherits.
            "fingerprint": trial.fingerprint if once else None,
            "once": once,
        }
        worker = WorkerProcess(self._numbers, launcher, self._selector, kind, config)
        self._workers[worker.number] = worker
        return worker

    # -- messages ---------------------------------------------------------------------------------

    def _wait(self) -> None:
        tick = _TICK_S if forks() else _SPAWNER_TICK_S
        if self._limits.memory_bytes is not None and self._busy():
            tick = min(tick, _MEMORY_TICK_S)
        checks = [worker.next_check(self._limits) for worker in self._workers.values()]
        self._selector.select(max(0.0, min([tick, *(at - time.monotonic() for at in checks)])))
        with contextlib.suppress(BlockingIOError):
            self._wakeup.recv(4096, socket.MSG_DONTWAIT)
        while self._dropped:
            # By identity: the same trial may be given again.
            trial = self._dropped.popleft()
            for worker in self._busy():
                if worker.trial is trial:
                    worker.kill(Outcome("killed", "dropped"))
            if any(other is trial for other in self._waiting):
                self._waiting.remove(trial)

    def _check(self, module: str, launcher: Launcher | Spawner) -> None:
        try:
            messages = launcher.poll()
        except LauncherLost as error:
            self._lost(module, str(error))
            return
        for message in messages:
            if "warm" in message:
                if message["threads"] and module:
                    self._unforkable.add(module)
                self._notify(Event("worker"))
            elif "compiling" in message:
                self._notify(Event("worker", compiling=True))
            elif (worker := self._workers.get(message.get("forked", -1))) is not None:
                worker.pid = message["pid"]
                if worker.is_ending:
                    worker.kill()
            elif (worker := self._workers.get(message.get("died", -1))) is not None:
                self._died(worker, message["exitcode"])

    def _listen(self, worker: WorkerProcess) -> None:
        for message in worker.receive():
            if "ready" in message:
                worker.ready = True
                worker.start_clock(message["ready"])
                self._failed_starts = 0
                self._notify(Event("worker"))
            elif "compiling" in message:
                self._notify(Event("worker", compiling=True))
            elif worker.trial is not None and worker.verdict is None:
                worker.outcome = Outcome.from_dict(message["outcome"])
                if message["loaded"]:
                    worker.launcher.load(message["loaded"])
                if not worker.once:
                    if worker.outcome.status == "memory":
                        worker.kill()
                    self._end(worker, worker.outcome)

    # -- ends ------------------------------------------------------------------------------------

    def _end(self, worker: WorkerProcess, outcome: Outcome) -> None:
        trial, worker.trial = worker.trial, None
        assert trial is not None
        if outcome.status == "memory":
            outcome = dataclasses.replace(outcome, reason=over_memory(self._limits).reason)
        self._losses.pop(trial.key, None)
        times = outcome.times or worker.elapsed()
        outcome = dataclasses.replace(outcome, times=times, output=worker.printed())
        self._finish(trial, outcome, worker.slot)

    def _died(self, worker: WorkerProcess, exitcode: int, is_lost: bool = False) -> None:
        self._listen(worker)
        del self._workers[worker.number]
        worker.close()
        trial, outcome = worker.trial, worker.verdict or worker.outcome
        if trial is None:
            return
        if outcome is None and not (worker.ready or worker.kind):
            # It had not begun.
            self._waiting.appendleft(trial)
            if not is_lost:
                self._count_failed_start(worker.printed() or f"exit code {exitcode}")
            return
        if outcome is None and exitcode in _FROM_OUTSIDE:
            self._losses[trial.key] += 1
            if self._losses[trial.key] < _MAX_ATTEMPTS:
                self._waiting.appendleft(trial)
                name = signal.Signals(-exitcode).name
                detail = f"a worker was ended by {name}: its trial runs again"
                self._notify(Event("worker", trial, worker=worker.slot, detail=detail))
                return
        self._end(worker, outcome or self._cause(exitcode, worker.printed()))

    def _cause(self, exitcode: int, printed: str) -> Outcome:
        if self._limits.memory_bytes is not None and _OUT_OF_MEMORY.search(printed):
            return over_memory(self._limits)
        if exitcode == EXIT_CHANNEL_LOST:
            return Outcome("killed", "the trial closed the files of its worker")
        if exitcode >= 0:
            return Outcome("killed", f"the process ended itself with exit code {exitcode}")
        names = {number.value: number.name for number in signal.Signals}
        return Outcome("killed", f"ended by signal {names.get(-exitcode, -exitcode)}")

    def _lost(self, module: str, why: str) -> None:
        """Have the trials of a launcher that is gone run again by others."""
        if module not in self._launchers:
            return
        launcher = self._launchers.pop(module)
        for worker in [one for one in self._workers.values() if one.launcher is launcher]:
            if worker.pid is not None:
                kill_tree(worker.pid)
            self._died(worker, -signal.SIGKILL, is_lost=True)
        launcher.close()
        if module:
            # Its import may be what ends it: each trial imports the module itself, and reports it.
            self._unforkable.add(module)
            return
        for other in list(self._launchers):
            self._lost(other, why)
        if not launcher.is_warm:
            # The imports or the warming may be what killed it: workers then do without.
            self._warm_up = NOTHING
        self._count_failed_start(why)

    def _count_failed_start(self, why: str) -> None:
        self._failed_starts += 1
        if self._failed_starts >= _MAX_FAILED_STARTS:
            last = why.strip().splitlines()[-1] if why.strip() else "no reason given"
            raise BoostbenchError(f"worker processes cannot be started: {last}")

    def _shut_down(self) -> None:
        for worker in self._workers.values():
            worker.close()
        # The first one last: it kills what the others leave.
        for launcher in reversed(list(self._launchers.values())):
            launcher.close()
        self._selector.close()
        self._wakeup.close()
        self._wakeup_end.close()
