"""Keeps worker processes at work, kills trials over their limits, and loses nothing to a death."""

import contextlib
import dataclasses
import re
import selectors
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from boostbench.engine.forkserver import Spawner, SpawnerLost, make_spawner
from boostbench.engine.os_processes import kill_tree
from boostbench.engine.types import Event, Limits
from boostbench.engine.warming import NOTHING, what_to_warm
from boostbench.engine.worker_process import EXIT_CHANNEL_LOST, WorkerProcess, over_memory
from boostbench.errors import BoostbenchError
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

TRIALS_PER_WORKER = 200
_MAX_ATTEMPTS = 3
_MAX_FAILED_STARTS = 5
_START_LIMIT_S = 120.0
_TICK_S = 0.25
_MEMORY_TICK_S = 0.05
_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP)
_OUT_OF_MEMORY = re.compile(r"bad_alloc|out of memory|cannot allocate memory", re.IGNORECASE)

Finish = Callable[[Trial, Outcome, int], None]
Begin = Callable[[Trial, int], None]


class Pool:
    """Runs trials on ``jobs`` worker processes: :meth:`run` returns when all have ended.

    With ``warm_up``, what is known of the trials to expect (see
    :func:`~boostbench.engine.warming.what_to_warm`), it stays open instead: other threads
    :meth:`submit` and :meth:`drop` trials, and it ends when it is asked to kill. ``path``: folders
    in which workers look for modules after all others.

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
        self._config: dict[str, Any] = {
            "arrays_dir": str(arrays_dir),
            "memory_bytes": limits.memory_bytes,
            "time_s": limits.time_s,
        }
        self._attempts: dict[str, int] = {}
        self._unclean: set[tuple[str, str]] = set()
        self._workers: dict[int, WorkerProcess] = {}
        self._numbers = 0
        self._failed_starts = 0
        self._warm = False
        self._selector = selectors.DefaultSelector()
        self._spawner: Spawner | None = None
        self._should_begin: Callable[[], bool] = lambda: True

    def run(self, should_drain: Callable[[], bool], should_kill: Callable[[], bool]) -> bool:
        """Run everything; return False when asked to drain or to kill before the end.

        ``should_drain`` true: no trial begins any more, running ones end. ``should_kill`` true:
        running ones are killed and not recorded. Whatever is raised, no process is left.
        """
        self._should_begin = lambda: not (should_drain() or should_kill())
        try:
            self._selector.register(self._wakeup, selectors.EVENT_READ)
            if self._waiting or self._is_open:
                self._start_spawner()
            while not should_kill():
                self._take_in()
                draining = should_drain()
                done = not self._waiting and not self._is_open
                if not self._busy() and (draining or done):
                    return not self._waiting
                if not draining:
                    self._assign()
                self._wait()
                self._check_spawner()
                for worker in list(self._workers.values()):
                    self._listen(worker)
                for worker in list(self._workers.values()):
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

    def _assign(self) -> None:
        for worker in list(self._workers.values()):
            if not self._waiting:
                return
            if worker.idle and (trial := self._next_for(worker)) is not None:
                worker.begin(trial)
                self._begin(trial, worker.slot)
        if not self._warm:
            return
        staying = [worker for worker in self._workers.values() if not worker.retiring]
        free = sorted(set(range(self._jobs)) - {worker.slot for worker in staying})
        for slot in free[: len(self._waiting)]:
            self._add_worker(slot)

    def _next_for(self, worker: WorkerProcess) -> Trial | None:
        """Return the trial whose turn it is; None where it needs another process than this one."""
        if worker.suits(self._waiting[0]):
            return self._waiting.popleft()
        self._unwatch(worker.channel, worker.output)
        worker.retire()
        return None

    def _add_worker(self, slot: int) -> None:
        assert self._spawner is not None
        self._numbers += 1
        try:
            worker = WorkerProcess(self._numbers, slot, self._spawner.start, self._config)
        except SpawnerLost as error:
            self._replace_spawner(error)
            return
        self._workers[worker.number] = worker
        self._selector.register(worker.channel, selectors.EVENT_READ)
        self._selector.register(worker.output, selectors.EVENT_READ)

    def _start_spawner(self) -> None:
        self._warm = False
        # A fresh fork pays for its first touch of every page: workers warm up once more, briefly.
        self._config["warm_up"] = self._warm_up
        while self._spawner is None:
            try:
                self._spawner = make_spawner(self._warm_up, self._path)
            except SpawnerLost as error:
                self._count_failed_start(str(error))
        if self._spawner.fileno() is not None:
            self._selector.register(self._spawner, selectors.EVENT_READ)  # type: ignore[arg-type]

    # -- messages ---------------------------------------------------------------------------------

    def _wait(self) -> None:
        now = time.monotonic()
        tick = _TICK_S
        if self._limits.memory_bytes is not None and self._busy():
            tick = _MEMORY_TICK_S
        if self._spawner is not None and self._spawner.fileno() is None:
            tick = min(tick, 0.02)
        checks = [worker.next_check(self._limits) for worker in self._workers.values()]
        self._selector.select(max(0.0, min([tick, *(check - now for check in checks)])))

    def _check_spawner(self) -> None:
        assert self._spawner is not None
        try:
            messages = self._spawner.poll()
        except SpawnerLost as error:
            self._replace_spawner(error)
            return
        for message in messages:
            if "warm" in message:
                self._warm = True
                self._notify(Event("worker"))
            elif "compiling" in message:
                self._notify(Event("worker", compiling=True))
            elif (worker := self._workers.get(message.get("spawned", -1))) is not None:
                worker.pid = message["pid"]
                if worker.verdict is not None:
                    worker.kill()
            elif (worker := self._workers.get(message.get("died", -1))) is not None:
                self._listen(worker)
                self._died(worker, message["exitcode"])

    def _listen(self, worker: WorkerProcess) -> None:
        if worker.trial is None and worker.retiring:
            return
        if not worker.drain():
            self._unwatch(worker.output)
        messages, is_open = worker.channel.poll()
        for message in messages:
            if "ready" in message:
                worker.ready = True
                self._failed_starts = 0
                self._notify(Event("worker"))
            elif "compiling" in message:
                self._notify(Event("worker", compiling=True))
            elif "importing" in message:
                worker.importing = message["importing"]
            elif "imported" in message:
                worker.imported(message["imported"], message["keeps_settings"])
            elif worker.trial is not None and worker.verdict is None:
                self._ended(worker, message)
        if not is_open and worker.number in self._workers and not worker.retiring:
            self._unwatch(worker.channel)
            worker.lost_channel()
        if not worker.ready and worker.age() > _START_LIMIT_S:
            worker.kill()

    def _ended(self, worker: WorkerProcess, message: dict[str, Any]) -> None:
        trial = worker.trial
        assert trial is not None
        worker.drain()
        outcome = Outcome.from_dict(message["outcome"])
        if outcome.status == "memory":
            verdict = over_memory(self._limits)
            outcome = dataclasses.replace(outcome, reason=verdict.reason)
        outcome = dataclasses.replace(outcome, output=worker.printed())
        worker.trial = None
        worker.finished += 1
        self._attempts.pop(trial.key, None)
        if message["unclean"]:
            self._report_unclean(trial, message["unclean"])
        if message["unclean"] or outcome.status == "memory":
            self._unwatch(worker.channel, worker.output)
            worker.kill()
        elif worker.finished >= TRIALS_PER_WORKER:
            self._unwatch(worker.channel, worker.output)
            worker.retire()
        # The worker has its next trial while the disk takes the outcome of this one.
        following = None
        if self._waiting and worker.idle and self._should_begin():
            following = self._next_for(worker)
        if following is not None:
            worker.begin(following)
        self._finish(trial, outcome, worker.slot)
        if following is None:
            return
        if self._should_begin():
            self._begin(following, worker.slot)
            return
        # No listener was called: it did not begin.
        worker.trial = None
        self._waiting.appendleft(following)
        self._unwatch(worker.channel, worker.output)
        worker.kill()

    def _report_unclean(self, trial: Trial, why: str) -> None:
        if (trial.method, why) not in self._unclean:
            self._unclean.add((trial.method, why))
            detail = f"{trial.method}: {why}; after such a trial the worker process is replaced"
            self._notify(Event("worker", trial, detail=detail))

    # -- deaths ----------------------------------------------------------------------------------

    def _died(self, worker: WorkerProcess, exitcode: int) -> None:
        worker.drain()
        self._unwatch(worker.channel, worker.output)
        del self._workers[worker.number]
        worker.close()
        trial = worker.trial
        if trial is None:
            if not worker.ready:
                self._count_failed_start(worker.printed() or f"exit code {exitcode}")
            return
        outcome = worker.verdict or self._cause(exitcode, worker.printed())
        if worker.verdict is None and exitcode in _FROM_OUTSIDE and self._try_again(trial):
            detail = f"a worker was ended by {signal.Signals(-exitcode).name}: its trial runs again"
            self._notify(Event("worker", trial, worker=worker.slot, detail=detail))
            return
        outcome = dataclasses.replace(outcome, times=worker.elapsed(), output=worker.printed())
        self._finish(trial, outcome, worker.slot)

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

    def _try_again(self, trial: Trial) -> bool:
        self._attempts[trial.key] = self._attempts.get(trial.key, 1) + 1
        if self._attempts[trial.key] > _MAX_ATTEMPTS:
            del self._attempts[trial.key]
            return False
        self._waiting.appendleft(trial)
        return True

    def _replace_spawner(self, error: SpawnerLost) -> None:
        was_warm = self._warm
        self._close_spawner()
        for worker in list(self._workers.values()):
            if worker.pid is not None:
                kill_tree(worker.pid)
            self._died(worker, -signal.SIGKILL)
        if not was_warm:
            # The imports or the warming may be what killed it: workers then do without.
            self._warm_up = NOTHING
        self._count_failed_start(str(error))
        self._start_spawner()

    def _count_failed_start(self, why: str) -> None:
        self._failed_starts += 1
        if self._failed_starts >= _MAX_FAILED_STARTS:
            last = why.strip().splitlines()[-1] if why.strip() else "no reason given"
            raise BoostbenchError(f"worker processes cannot be started: {last}")

    def _unwatch(self, *items: Any) -> None:
        for item in items:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(item)

    def _close_spawner(self) -> None:
        if self._spawner is None:
            return
        if self._spawner.fileno() is not None:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(self._spawner)  # type: ignore[arg-type]
        self._spawner.close()
        self._spawner = None

    def _shut_down(self) -> None:
        for worker in self._workers.values():
            self._unwatch(worker.channel, worker.output)
            worker.close()
        self._workers.clear()
        self._close_spawner()
        self._selector.close()
        self._wakeup.close()
        self._wakeup_end.close()
