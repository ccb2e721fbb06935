"""Keeps worker processes at work, kills trials over their limits, and loses nothing to a death."""

import contextlib
import dataclasses
import re
import selectors
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from boostbench.engine.handle import WorkerHandle, over_memory
from boostbench.engine.processes import kill_tree
from boostbench.engine.spawning import Spawner, SpawnerLost, make_spawner
from boostbench.engine.types import Event, Limits
from boostbench.errors import BoostbenchError
from boostbench.estimators import module_of
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome
from boostbench.user_code import own_sources

TRIALS_PER_WORKER = 200
_EXIT_CHANNEL_LOST = 97
_MAX_ATTEMPTS = 3
_MAX_FAILED_STARTS = 5
_START_LIMIT_S = 120.0
_TICK_S = 0.25
_MEMORY_TICK_S = 0.05
_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP)
_PRELOADED = frozenset({"boostbench", "sklearn", "scipy", "pandas"})
_OWN_NEED = ("sklearn.base", "sklearn.utils.validation")
_OUT_OF_MEMORY = re.compile(r"bad_alloc|out of memory|cannot allocate memory", re.IGNORECASE)

Finish = Callable[[Trial, Outcome, int], None]
Begin = Callable[[Trial, int], None]


class Inlet(Protocol):
    """Where more trials come from while a supervisor runs."""

    estimators: Sequence[str]
    """The import paths of the estimators to expect, for the warming before the first trial."""

    path: Sequence[str]
    """Folders that workers look for modules in, after all others."""

    def fileno(self) -> int:
        """A descriptor that is readable when :meth:`take` has something new."""

    def take(self) -> Iterable[tuple[str, Trial]]:
        """Return what is new without waiting: ("run", trial), or ("drop", trial) given before."""


class Supervisor:
    """Runs trials on ``jobs`` worker processes; :meth:`run` is the only entry.

    With an ``inlet`` more trials come, and others are dropped, while it runs; it then ends only
    when told to.

    A worker that dies of a signal that the supervisor did not send (the kernel's killer of
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
        inlet: Inlet | None = None,
    ) -> None:
        self._waiting = deque(_unique(trials))
        self._inlet = inlet
        estimators = [trial.estimator for trial in self._waiting]
        if inlet is not None:
            estimators += inlet.estimators
        self._modules, self._warm_up = _what_to_warm(estimators)
        self._path = [] if inlet is None else list(inlet.path)
        self._jobs = max(1, jobs if inlet is not None else min(jobs, len(self._waiting)))
        self._limits = limits
        self._begin, self._finish, self._notify = begin, finish, notify
        self._config: dict[str, Any] = {
            "arrays_dir": str(arrays_dir),
            "memory_bytes": limits.memory_bytes,
        }
        self._attempts: dict[str, int] = {}
        self._unclean: set[tuple[str, str]] = set()
        self._handles: dict[int, WorkerHandle] = {}
        self._numbers = 0
        self._failed_starts = 0
        self._warm = False
        self._selector = selectors.DefaultSelector()
        self._spawner: Spawner | None = None
        self._should_begin: Callable[[], bool] = lambda: True

    def run(self, should_drain: Callable[[], bool], should_kill: Callable[[], bool]) -> bool:
        """Run everything; return False when told to drain or to kill before the end.

        ``should_drain`` true: no trial begins any more, running ones end. ``should_kill`` true:
        running ones are killed and not recorded. Whatever is raised, no process is left.
        """
        self._should_begin = lambda: not (should_drain() or should_kill())
        try:
            if self._inlet is not None:
                self._selector.register(self._inlet, selectors.EVENT_READ)
            if self._waiting or self._inlet is not None:
                self._start_spawner()
            while not should_kill():
                self._take_in()
                draining = should_drain()
                done = not self._waiting and self._inlet is None
                if not self._busy() and (draining or done):
                    return not self._waiting
                if not draining:
                    self._assign()
                self._wait()
                self._check_spawner()
                for handle in list(self._handles.values()):
                    self._listen(handle)
                for handle in list(self._handles.values()):
                    handle.enforce(self._limits)
            return False
        finally:
            self._shut_down()

    def _busy(self) -> list[WorkerHandle]:
        return [handle for handle in self._handles.values() if handle.trial is not None]

    # -- giving work -----------------------------------------------------------------------------

    def _take_in(self) -> None:
        if self._inlet is None:
            return
        for what, trial in self._inlet.take():
            if what == "run":
                self._waiting.append(trial)
                continue
            # By identity: the same trial may have been dropped and given again.
            self._waiting = deque(other for other in self._waiting if other is not trial)
            for handle in self._busy():
                if handle.trial is trial:
                    handle.kill(Outcome("killed", "dropped"))

    def _assign(self) -> None:
        for handle in list(self._handles.values()):
            if not self._waiting:
                return
            if handle.idle and (trial := self._next_for(handle)) is not None:
                handle.begin(trial)
                self._begin(trial, handle.slot)
        if not self._warm:
            return
        staying = [handle for handle in self._handles.values() if not handle.retiring]
        free = sorted(set(range(self._jobs)) - {handle.slot for handle in staying})
        for slot in free[: len(self._waiting)]:
            self._add_worker(slot)

    def _next_for(self, handle: WorkerHandle) -> Trial | None:
        """Return the trial whose turn it is; None where it needs another process than this one."""
        if handle.suits(self._waiting[0]):
            return self._waiting.popleft()
        self._unwatch(handle.channel, handle.output)
        handle.retire()
        return None

    def _add_worker(self, slot: int) -> None:
        assert self._spawner is not None
        self._numbers += 1
        try:
            handle = WorkerHandle(self._numbers, slot, self._spawner, self._config)
        except SpawnerLost as error:
            self._replace_spawner(error)
            return
        self._handles[handle.number] = handle
        self._selector.register(handle.channel, selectors.EVENT_READ)
        self._selector.register(handle.output, selectors.EVENT_READ)

    def _start_spawner(self) -> None:
        self._warm = False
        # A fresh fork pays for its first touch of every page: workers warm up once more, briefly.
        self._config |= {"modules": self._modules, "warm_up": self._warm_up}
        while self._spawner is None:
            try:
                self._spawner = make_spawner(self._modules, self._warm_up, self._path)
            except SpawnerLost as error:
                self._count_failed_start(str(error))
        if self._spawner.fileno() is not None:
            self._selector.register(self._spawner, selectors.EVENT_READ)  # type: ignore[arg-type]

    # -- hearing ---------------------------------------------------------------------------------

    def _wait(self) -> None:
        now = time.monotonic()
        tick = _TICK_S
        if self._limits.memory_bytes is not None and self._busy():
            tick = _MEMORY_TICK_S
        if self._spawner is not None and self._spawner.fileno() is None:
            tick = min(tick, 0.02)
        checks = [handle.next_check(self._limits) for handle in self._handles.values()]
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
            elif "compiled" in message:
                self._report_compiling(message)
            elif (handle := self._handles.get(message.get("spawned", -1))) is not None:
                handle.pid = message["pid"]
                if handle.verdict is not None:
                    handle.kill()
            elif (handle := self._handles.get(message.get("died", -1))) is not None:
                self._listen(handle)
                self._died(handle, message["exitcode"])

    def _listen(self, handle: WorkerHandle) -> None:
        if handle.trial is None and handle.retiring:
            return
        if not handle.drain():
            self._unwatch(handle.output)
        messages, is_open = handle.channel.poll()
        for message in messages:
            if "ready" in message:
                handle.ready = True
                self._failed_starts = 0
                self._notify(Event("worker"))
            elif "compiled" in message:
                self._report_compiling(message)
            elif "importing" in message:
                handle.importing = message["importing"]
            elif "imported" in message:
                handle.imported(message["imported"], message["keeps_settings"])
            elif handle.trial is not None and handle.verdict is None:
                self._ended(handle, message)
        if not is_open and handle.number in self._handles and not handle.retiring:
            self._unwatch(handle.channel)
            handle.lost_channel()
        if not handle.ready and handle.age() > _START_LIMIT_S:
            handle.kill()

    def _ended(self, handle: WorkerHandle, message: dict[str, Any]) -> None:
        trial = handle.trial
        assert trial is not None
        handle.drain()
        outcome = Outcome.from_dict(message["outcome"])
        if outcome.status == "memory":
            verdict = over_memory(self._limits)
            outcome = dataclasses.replace(outcome, reason=verdict.reason)
        outcome = dataclasses.replace(outcome, output=handle.said())
        handle.trial = None
        handle.finished += 1
        self._attempts.pop(trial.key, None)
        if message["unclean"]:
            self._report_unclean(trial, message["unclean"])
        if message["unclean"] or outcome.status == "memory":
            self._unwatch(handle.channel, handle.output)
            handle.kill()
        elif handle.finished >= TRIALS_PER_WORKER:
            self._unwatch(handle.channel, handle.output)
            handle.retire()
        # The worker has its next trial while the disk takes the outcome of this one.
        following = None
        if self._waiting and handle.idle and self._should_begin():
            following = self._next_for(handle)
        if following is not None:
            handle.begin(following)
        self._finish(trial, outcome, handle.slot)
        if following is None:
            return
        if self._should_begin():
            self._begin(following, handle.slot)
            return
        # Nobody has been told that it began: it did not.
        handle.trial = None
        self._waiting.appendleft(following)
        self._unwatch(handle.channel, handle.output)
        handle.kill()

    def _report_compiling(self, message: dict[str, Any]) -> None:
        self._notify(Event("worker", compiling=(message["compiled"], message["kernels"])))

    def _report_unclean(self, trial: Trial, why: str) -> None:
        if (trial.method, why) not in self._unclean:
            self._unclean.add((trial.method, why))
            detail = f"{trial.method}: {why}; after such a trial the worker process is replaced"
            self._notify(Event("worker", trial, detail=detail))

    # -- deaths ----------------------------------------------------------------------------------

    def _died(self, handle: WorkerHandle, exitcode: int) -> None:
        handle.drain()
        self._unwatch(handle.channel, handle.output)
        del self._handles[handle.number]
        handle.close()
        trial = handle.trial
        if trial is None:
            if not handle.ready:
                self._count_failed_start(handle.said() or f"exit code {exitcode}")
            return
        outcome = handle.verdict or self._cause(exitcode, handle.said())
        if handle.verdict is None and exitcode in _FROM_OUTSIDE and self._try_again(trial):
            detail = f"a worker was ended by {signal.Signals(-exitcode).name}: its trial runs again"
            self._notify(Event("worker", trial, worker=handle.slot, detail=detail))
            return
        outcome = dataclasses.replace(outcome, times=handle.elapsed(), output=handle.said())
        self._finish(trial, outcome, handle.slot)

    def _cause(self, exitcode: int, said: str) -> Outcome:
        if self._limits.memory_bytes is not None and _OUT_OF_MEMORY.search(said):
            return over_memory(self._limits)
        if exitcode == _EXIT_CHANNEL_LOST:
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
        for handle in list(self._handles.values()):
            if handle.pid is not None:
                kill_tree(handle.pid)
            self._died(handle, -signal.SIGKILL)
        if not was_warm:
            # The imports or the warming may be what killed it: workers then do without.
            self._modules, self._warm_up = [], []
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
        for handle in self._handles.values():
            self._unwatch(handle.channel, handle.output)
            handle.close()
        self._handles.clear()
        self._close_spawner()
        self._selector.close()


def _unique(trials: Sequence[Trial]) -> Iterator[Trial]:
    seen = set()
    for trial in trials:
        if trial.key not in seen:
            seen.add(trial.key)
            yield trial


def _what_to_warm(estimators: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the modules worth importing before the first fork, and those with kernels to warm.

    A user's own modules, and packages that may start threads, are left to the workers, where time
    and memory are limited; what own modules import of well-behaved packages is not.
    """
    known: dict[str, None] = {}
    for path in dict.fromkeys(estimators):
        name = module_of(path)
        if name.partition(".")[0] in _PRELOADED:
            known[name] = None
            continue
        imported = sorted(own_sources(path).installed)
        wanted = [name for name in imported if name.partition(".")[0] in _PRELOADED]
        known.update(dict.fromkeys([*_OWN_NEED, *wanted]))
    rooms = dict.fromkeys(".".join(name.split(".")[:2]) for name in known)
    warm = [name for name in rooms if name in ("boostbench.trees", "boostbench.boosting")]
    return list(known), warm
