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
from queue import SimpleQueue
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
        self._is_open = warm_up is not None
        self._changes: SimpleQueue[tuple[str, Trial]] = SimpleQueue()
        self._wakeup, self._wakeup_end = socket.socketpair()
        self._warm_up = what_to_warm(self._waiting, arrays_dir) if warm_up is None else warm_up
        self._path = path
        self._jobs = max(1, jobs if self._is_open else min(jobs, len(self._waiting)))
        self._limits = limits
        self._begin, self._finish, self._notify = begin, finish, notify
        # A trial may change the working directory.
        self._arrays_dir = str(arrays_dir.absolute())
        self._launchers: dict[str, Launcher | Spawner] = {}
        self._unforkable: set[str] = set()
        self._workers: dict[int, WorkerProcess] = {}
        self._numbers = self._failed_starts = 0
        self._losses: Counter[str] = Counter()
        self._selector = selectors.DefaultSelector()
        self._may_begin: Callable[[], bool] = lambda: True

    def run(self, should_drain: Callable[[], bool], should_kill: Callable[[], bool]) -> bool:
        """Run everything; return False when asked to drain or to kill before the end.

        ``should_drain`` true: no trial begins any more, running ones end. ``should_kill`` true:
        running ones are killed and not recorded. Whatever is raised, no process is left.
        """
        self._may_begin = lambda: not (should_drain() or should_kill())
        try:
            self._selector.register(self._wakeup, selectors.EVENT_READ)
            if self._waiting or self._is_open:
                self._first_launcher()
            while not should_kill():
                self._take_in()
                if should_drain():
                    self._put_back()
                else:
                    with contextlib.suppress(LauncherLost):  # it will be noticed
                        self._assign()
                is_done = should_drain() or not (self._waiting or self._is_open)
                if is_done and not self._busy():
                    return not self._waiting
                self._wait()
                for launcher in list(self._launchers.values()):
                    self._check(launcher)
                for worker in list(self._workers.values()):
                    self._listen(worker)
                for worker in self._workers.values():
                    worker.enforce(self._limits)
            return False
        finally:
            self._shut_down()

    def submit(self, trial: Trial) -> None:
        """Run one more trial on an open pool; from any thread."""
        self._changes.put(("run", trial))
        self.wake()

    def drop(self, trial: Trial) -> None:
        """Kill the submitted ``trial`` where it runs, else forget it; from any thread."""
        self._changes.put(("drop", trial))
        self.wake()

    def wake(self) -> None:
        """Have the pool look at once whether it should end; from any thread."""
        with contextlib.suppress(OSError):  # it has ended
            self._wakeup_end.send(b"x")

    def _busy(self) -> list[WorkerProcess]:
        return [worker for worker in self._workers.values() if worker.trial is not None]

    # -- giving work -----------------------------------------------------------------------------

    def _take_in(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._wakeup.recv(4096, socket.MSG_DONTWAIT)
        while not self._changes.empty():
            what, trial = self._changes.get()
            if what == "run":
                self._waiting.append(trial)
                continue
            # By identity: the same trial may have been dropped and given again.
            self._waiting = deque(other for other in self._waiting if other is not trial)
            for worker in self._busy():
                if worker.trial is trial:
                    worker.kill(Outcome("killed", "dropped"))

    def _put_back(self) -> None:
        """Take trials back for which a process is only being started."""
        for worker in self._busy():
            if worker.begun is None and worker.trial is not None:
                self._waiting.appendleft(worker.trial)
                worker.trial = None
                worker.kill()

    def _assign(self) -> None:
        """Give trials to workers as long as there are free slots."""
        while self._waiting and len(busy := self._busy()) < self._jobs:
            trial = self._waiting[0]
            kind = "" if shares_worker(trial) else trial.method
            launcher = self._launcher_for(trial, kind)
            if not launcher.is_warm:
                return
            idle = [worker for worker in self._workers.values() if worker.is_idle]
            suited = [worker for worker in idle if worker.kind == kind]
            if not suited and idle and len(busy) + len(idle) >= self._jobs:
                idle[0].kill()
            worker = suited[0] if suited else self._start(launcher, trial, kind)
            self._waiting.popleft()
            worker.trial = trial
            worker.slot = min(set(range(self._jobs)) - {other.slot for other in busy})
            if worker.ready:
                self._begin_trial(worker)

    def _first_launcher(self) -> Launcher | Spawner:
        if "" not in self._launchers:
            first = FirstLauncher(self._warm_up, self._path) if forks() else Spawner(self._path)
            self._watch_launcher(first)
        return self._launchers[""]

    def _launcher_for(self, trial: Trial, kind: str) -> Launcher | Spawner:
        first, module = self._first_launcher(), module_of(trial.estimator)
        own = kind and module.partition(".")[0] not in TRUSTED and module not in self._unforkable
        if not own or not first.is_warm or not isinstance(first, Launcher):
            return first
        if module not in self._launchers:
            self._numbers += 1
            self._watch_launcher(first.fork(self._numbers, module, trial.estimator, trial.code))
        return self._launchers[module]

    def _watch_launcher(self, launcher: Launcher | Spawner) -> None:
        self._launchers[launcher.module] = launcher
        if launcher.fileno() is not None:
            self._selector.register(launcher, selectors.EVENT_READ)  # type: ignore[arg-type]

    def _start(self, launcher: Launcher | Spawner, trial: Trial, kind: str) -> WorkerProcess:
        self._numbers += 1
        once = bool(kind) and isinstance(launcher, Launcher)
        config = {
            "arrays_dir": self._arrays_dir,
            "memory_bytes": self._limits.memory_bytes,
            "time_s": self._limits.time_s,
            "warm_up": self._warm_up,
            "once": once,
        }
        fingerprint = trial.fingerprint if once else ""
        worker = WorkerProcess(self._numbers, launcher, config, kind, fingerprint)
        self._workers[worker.number] = worker
        self._selector.register(worker.channel, selectors.EVENT_READ)
        self._selector.register(worker.output, selectors.EVENT_READ)
        return worker

    def _begin_trial(self, worker: WorkerProcess) -> None:
        assert worker.trial is not None
        if self._may_begin():
            worker.begin()
            self._begin(worker.trial, worker.slot)

    # -- messages ---------------------------------------------------------------------------------

    def _wait(self) -> None:
        now = time.monotonic()
        tick = _TICK_S
        if self._limits.memory_bytes is not None and self._busy():
            tick = _MEMORY_TICK_S
        if any(launcher.fileno() is None for launcher in self._launchers.values()):
            tick = _SPAWNER_TICK_S
        checks = [worker.next_check(self._limits) for worker in self._workers.values()]
        self._selector.select(max(0.0, min([tick, *(check - now for check in checks)])))

    def _check(self, launcher: Launcher | Spawner) -> None:
        try:
            messages = launcher.poll()
        except LauncherLost as error:
            self._lost(launcher, str(error))
            return
        for message in messages:
            if "warm" in message:
                launcher.is_warm = True
                if message["threads"] and launcher.module:
                    self._unforkable.add(launcher.module)
                self._notify(Event("worker"))
            elif "compiling" in message:
                self._notify(Event("worker", compiling=True))
            elif "forked" in message:
                for one in (*self._workers.values(), *self._launchers.values()):
                    if one.number == message["forked"]:
                        one.pid = message["pid"]
                        if isinstance(one, WorkerProcess) and one.is_ending:
                            one.kill()
            elif (worker := self._workers.get(message["died"])) is not None:
                self._listen(worker)
                if not worker.ready and not worker.is_ending:
                    why = worker.printed() or f"exit code {message['exitcode']}"
                    self._count_failed_start(why)
                self._died(worker, message["exitcode"])
        if launcher.module and not launcher.is_warm:
            limit = max(self._limits.import_s, self._limits.time_s or 0.0)
            if launcher.pid is not None and time.monotonic() > launcher.born + limit:
                kill_tree(launcher.pid)

    def _listen(self, worker: WorkerProcess) -> None:
        if not worker.drain():
            self._unwatch(worker.output)
        messages, is_open = worker.receive()
        if not is_open:
            self._unwatch(worker.channel)
        for message in messages:
            if "ready" in message:
                worker.ready = True
                self._failed_starts = 0
                self._notify(Event("worker"))
                if worker.trial is not None:
                    self._begin_trial(worker)
            elif "compiling" in message:
                self._notify(Event("worker", compiling=True))
            elif "outcome" in message and worker.trial is not None and worker.verdict is None:
                worker.outcome = Outcome.from_dict(message["outcome"])
                self._load(worker.launcher, message["loaded"])
                if not worker.once:
                    worker.drain()
                    if worker.outcome.status == "memory":
                        worker.kill()
                    self._end(worker, worker.outcome)

    def _load(self, launcher: Launcher | Spawner, modules: Sequence[str]) -> None:
        """Have what a trial imported imported once, and not by every trial."""
        if not set(modules) <= launcher.loaded:
            launcher.loaded.update(modules)
            with contextlib.suppress(LauncherLost):  # it will be noticed
                launcher.load(modules)

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

    def _died(self, worker: WorkerProcess, exitcode: int) -> None:
        self._listen(worker)
        self._unwatch(worker.channel, worker.output)
        del self._workers[worker.number]
        worker.close()
        trial = worker.trial
        if trial is None:
            return
        if worker.begun is None:
            self._waiting.appendleft(trial)
            return
        outcome = worker.verdict or worker.outcome
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
        try:
            name = signal.Signals(-exitcode).name
        except ValueError:
            name = str(-exitcode)
        return Outcome("killed", f"ended by signal {name}")

    def _lost(self, launcher: Launcher | Spawner, why: str) -> None:
        """Have the trials of a launcher that is gone run again by others."""
        if self._launchers.pop(launcher.module, None) is None:
            return
        self._unwatch(launcher)
        launcher.close()
        for worker in [one for one in self._workers.values() if one.launcher is launcher]:
            if worker.pid is not None:
                kill_tree(worker.pid)
            self._died(worker, -signal.SIGKILL)
        if launcher.module:
            # Its import may be what ends it: each trial imports the module itself, and reports it.
            self._unforkable.add(launcher.module)
            return
        for other in list(self._launchers.values()):
            self._lost(other, why)
        if not launcher.is_warm:
            # The imports or the warming may be what killed it: workers then do without.
            self._warm_up = NOTHING
        self._count_failed_start(why)
        self._first_launcher()

    def _count_failed_start(self, why: str) -> None:
        self._failed_starts += 1
        if self._failed_starts >= _MAX_FAILED_STARTS:
            last = why.strip().splitlines()[-1] if why.strip() else "no reason given"
            raise BoostbenchError(f"worker processes cannot be started: {last}")

    def _unwatch(self, *items: Any) -> None:
        for item in items:
            with contextlib.suppress(KeyError, ValueError, TypeError):
                self._selector.unregister(item)

    def _shut_down(self) -> None:
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()
        # The first one last: it kills what the others leave.
        for launcher in reversed(list(self._launchers.values())):
            launcher.close()
        self._selector.close()
        self._wakeup.close()
        self._wakeup_end.close()
