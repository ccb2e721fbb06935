"""Trials on the workers of a dask cluster; only this process writes the store."""

import asyncio
import contextlib
import itertools
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostbench.engine.dask import site
from boostbench.engine.dask.client import WorkerLost, answer, call_worker, connect, quiet
from boostbench.engine.dask.options import ClusterSpec
from boostbench.engine.environment import environment_id, identity, remark
from boostbench.engine.recording import Recorder
from boostbench.engine.stopping import Flag, Signals
from boostbench.engine.types import Event, Limits, Summary
from boostbench.engine.warming import what_to_warm
from boostbench.errors import BoostbenchError, DataError
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.user_code import own_sources

MAX_LOSSES = 5
"""A trial stays pending when that many workers were lost while they ran it."""

_MAX_BROKEN = 3
_TICK_S = 0.25
_LOOK_S = 0.5
_WAITED_S = 3.0
_LEAVE_S = 5.0


def run_on_cluster(
    trials: Sequence[Trial],
    store: Store,
    *,
    cluster: ClusterSpec,
    arrays_dir: Path,
    limits: Limits = Limits(),  # noqa: B008
    listener: Callable[[Event], None] = lambda event: None,
    stop: Flag = None,
    kill: Flag = None,
    environment: Mapping[str, Any] | None = None,
) -> Summary:
    """Run ``trials`` on a dask cluster and commit each outcome to ``store``.

    As :func:`boostbench.engine.local.run_trials`, except that each worker of the cluster runs as
    many trials at a time as it has threads, and that the environment of a trial is that of its
    worker. Workers may come and go: a trial whose worker is lost runs again on another one, and
    stays pending after :data:`MAX_LOSSES` such losses. A worker whose sources or packages differ is
    never used.

    Raises :class:`~boostbench.errors.BoostbenchError` when there is no scheduler or it goes away,
    and when a worker that was there at the start, or the last one, does not fit.
    """
    if not trials:
        return Summary(environment_id=environment_id(environment) if environment else "")
    dispatcher = _Dispatcher(cluster, trials, store, Path(arrays_dir), limits, listener)
    with Signals(stop, kill, listener) as signals, quiet():
        finished = asyncio.run(dispatcher.run(signals.should_stop, signals.should_kill))
    dispatcher.recorder.summary.interrupted = not finished
    return dispatcher.recorder.summary


@dataclass(eq=False)
class _Worker:
    """A worker of the cluster; ``state`` is ``new``, ``ready`` or ``refused``, ``data`` it has."""

    address: str
    threads: int
    from_start: bool
    state: str = "new"
    data: frozenset[str] = frozenset()


@dataclass(eq=False)
class _Running:
    """A trial submitted to a worker, with the names of the data sent along."""

    trial: Trial
    worker: _Worker
    slot: int
    data: list[str]


class _Dispatcher:
    def __init__(
        self,
        cluster: ClusterSpec,
        trials: Sequence[Trial],
        store: Store,
        arrays_dir: Path,
        limits: Limits,
        listener: Callable[[Event], None],
    ) -> None:
        self.recorder = Recorder(store, listener)
        self._cluster, self._store, self._listener = cluster, store, listener
        self._waiting = deque({trial.key: trial for trial in trials}.values())
        estimators = sorted({trial.estimator for trial in trials})
        functions = {path for t in trials for path in t.metrics.values() if ":" in path}
        sources = [own_sources(path).files.items() for path in [*estimators, *functions]]
        self._order = site.Order(
            run=f"boostbench-{uuid.uuid4().hex}",
            expected=identity(estimators),
            limits=limits,
            estimators=estimators,
            warm_up=what_to_warm(self._waiting, arrays_dir),
            files={name: path.read_bytes() for files in sources for name, path in files},
            arrays_dir=arrays_dir.resolve(),
            fingerprints=sorted({trial.fingerprint for trial in trials}),
        )
        self._scattered: dict[str, Any] = {}
        self._running: dict[str, _Running] = {}
        self._workers: dict[str, _Worker] = {}
        self._losses: Counter[str] = Counter()
        self._broken: Counter[str] = Counter()
        self._numbers = itertools.count()
        self._said: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = self._looked = time.monotonic()
        self._threads = 0

    async def run(self, should_drain: Callable[[], bool], should_kill: Callable[[], bool]) -> bool:
        """Run everything; return False when asked to drain or to kill before the end."""
        from distributed import as_completed

        async with connect(self._cluster) as self._client:
            self._futures = as_completed(
                loop=self._client.loop, with_results=True, raise_errors=False
            )
            try:
                await self._look()
                while not should_kill():
                    draining = should_drain()
                    if not self._running and (draining or not self._waiting):
                        return not self._waiting
                    await self._look()
                    if self._client.status != "running":
                        raise BoostbenchError(
                            f"the dask scheduler {self._cluster.target} is gone; recorded trials "
                            "are kept, and the same command resumes the run"
                        )
                    if not draining:
                        await self._submit()
                    await self._take_completed()
                    for task in [task for task in self._tasks if task.done()]:
                        self._tasks.discard(task)
                        task.result()
                return False
            finally:
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)
                await self._leave()

    async def _leave(self) -> None:
        """Have every worker kill the trials of this run that are left."""
        used = [name for name, worker in self._workers.items() if worker.state != "refused"]
        if used and self._client.status == "running":
            call = self._client.run(site.close, self._order.run, workers=used, on_error="ignore")
            with contextlib.suppress(Exception):
                await asyncio.wait_for(call, _LEAVE_S)

    # -- trials ----------------------------------------------------------------------------------

    async def _submit(self) -> None:
        """Give trials to workers that have threads free, as many as each has."""
        while self._waiting:
            busy = Counter(one.worker.address for one in self._running.values())
            free = [w for w in self._ready() if busy[w.address] < w.threads]
            if not free:
                return
            worker = min(free, key=lambda w: busy[w.address])
            trial = self._waiting[0]
            # Listed test rows come with the data.
            names = [n for n in (trial.fingerprint, trial.test_rows) if n and n not in worker.data]
            try:
                data = {name: await self._scatter(name, worker) for name in names}
            except WorkerLost:
                return
            self._waiting.popleft()
            key = f"{self._order.run}-{next(self._numbers)}-{trial.key}"
            slots = {one.slot for one in self._running.values()}
            slot = next(n for n in itertools.count() if n not in slots)
            self._running[key] = _Running(trial, worker, slot, names)
            self._futures.add(
                self._client.submit(
                    site.run_trial, self._order.run, trial.to_dict(), data,
                    key=key, workers=[worker.address], pure=False,
                )
            )  # fmt: skip
            self.recorder.begin(trial, slot)

    async def _scatter(self, name: str, worker: _Worker) -> Any:
        """Return the file of arrays as dask's data: sent once, and copied by dask."""
        if name not in self._scattered:
            path = self._order.arrays_dir / f"{name}.npz"
            try:
                content = await asyncio.to_thread(path.read_bytes)
            except OSError as error:
                why = error.strerror or error
                raise DataError(f"the arrays {path} cannot be read: {why}") from None
            self._scattered[name] = await answer(
                self._client.scatter(content, workers=[worker.address], hash=False)
            )
        return self._scattered[name]

    async def _take_completed(self) -> None:
        """Wait for completed tasks, up to a tick, and act on all there are."""
        try:
            first = await asyncio.wait_for(anext(self._futures), _TICK_S)
        except (TimeoutError, StopAsyncIteration) as reason:
            if isinstance(reason, StopAsyncIteration):  # there are no tasks
                await asyncio.sleep(_TICK_S)
            return
        for future, result in (first, *self._futures.next_batch(block=False)):
            running = self._running.pop(future.key, None)
            if running is not None:
                self._completed(running, result[1] if future.status == "error" else result)
            # The worker may forget the result.
            future.release()

    def _completed(self, running: _Running, result: Any) -> None:
        from distributed.scheduler import KilledWorker

        trial, worker = running.trial, running.worker
        if isinstance(result, dict):
            worker.data |= set(running.data)
            outcome = Outcome.from_dict(result["outcome"])
            self.recorder.finish(trial, outcome, running.slot, result["environment_id"])
            return
        if isinstance(result, KilledWorker):
            self._lost(trial)
            return
        self._waiting.appendleft(trial)
        if result is None:
            # It was idle for long: it is made ready again.
            self._workers.pop(worker.address, None)
        elif isinstance(result, CancelledError):
            # By dask, as no worker has its data any more, or by another client.
            for name in running.data:
                self._scattered.pop(name, None)
        else:
            self._broken[worker.address] += 1
            if self._broken[worker.address] >= _MAX_BROKEN:
                why = f"{type(result).__name__}: {result}"
                raise BoostbenchError(f"the worker {worker.address} cannot run trials: {why}")

    def _lost(self, trial: Trial) -> None:
        """Run a trial again whose worker was lost, unless that happens again and again."""
        self._losses[trial.key] += 1
        if self._losses[trial.key] < MAX_LOSSES:
            self._waiting.appendleft(trial)
            return
        self._say(
            f"{self._losses[trial.key]} workers were lost while they ran {trial.method} on "
            f"{trial.dataset}, fold {trial.fold}, seed {trial.seed}: it stays pending, and the "
            "next run tries it again"
        )

    # -- workers ---------------------------------------------------------------------------------

    async def _look(self) -> None:
        """Check workers that came, and run again the trials of those that are gone."""
        if self._workers and time.monotonic() - self._looked < _LOOK_S:
            return
        self._looked = time.monotonic()
        first = not self._workers
        try:
            found = (await answer(self._client.scheduler.identity()))["workers"]
        except WorkerLost:
            return
        for address in [address for address in self._workers if address not in found]:
            del self._workers[address]
            await self._gone(address)
        for address, described in found.items():
            if address not in self._workers:
                worker = _Worker(address, described["nthreads"], first)
                self._workers[address] = worker
                self._tasks.add(asyncio.create_task(self._check(worker)))
        if not self._ready() and self._looked - self._started > _WAITED_S:
            self._say(self._cluster.waiting, once="waiting")
        self._count_threads()

    async def _gone(self, address: str) -> None:
        keys = [key for key, one in self._running.items() if one.worker.address == address]
        if not keys:
            return
        again = "its trial runs" if len(keys) == 1 else f"its {len(keys)} trials run"
        self._say(f"the worker {address} was lost: {again} again")
        for key in keys:
            self._lost(self._running.pop(key).trial)
        with contextlib.suppress(WorkerLost):
            await answer(self._client.cancel(keys))

    async def _check(self, worker: _Worker) -> None:
        try:
            found = await call_worker(self._client, worker.address, site.prepare, self._order)
        except WorkerLost:
            if self._workers.get(worker.address) is worker:
                del self._workers[worker.address]
            return
        except BoostbenchError as error:
            worker.state = "refused"
            if worker.from_start or all(w.state == "refused" for w in self._workers.values()):
                raise
            self._say(f"{error}; until then it gets no trials")
            return
        described = found["environment"]
        name = environment_id(described)
        if name not in self._said:
            self._said.add(name)
            self._store.add_environment(name, described)
            difference = remark(self._order.expected, found, worker.address)
            if difference is not None:
                self._say(difference)
        worker.state, worker.data = "ready", frozenset(found["data"])
        self._count_threads()

    def _ready(self) -> list[_Worker]:
        return [worker for worker in self._workers.values() if worker.state == "ready"]

    def _count_threads(self) -> None:
        threads = sum(worker.threads for worker in self._ready())
        if threads not in (0, self._threads):
            self._listener(Event("worker", threads=threads))
        self._threads = threads

    def _say(self, text: str, once: str = "") -> None:
        if not once or once not in self._said:
            self._said.add(once)
            self._listener(Event("worker", detail=text))
