"""Trials on the workers of a dask cluster; only this process writes the store."""

import asyncio
import contextlib
import itertools
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from boostbench.engine.dask import modules, plugin
from boostbench.engine.dask.client import (
    WorkerLost,
    WorkerUnfit,
    answer,
    call_worker,
    connect,
    quiet,
)
from boostbench.engine.dask.data import ScatteredData
from boostbench.engine.dask.options import ClusterSpec
from boostbench.engine.environment import environment_id, identity, remark
from boostbench.engine.recording import Recorder
from boostbench.engine.stopping import Flag, Signals
from boostbench.engine.types import Event, Limits, Summary
from boostbench.engine.warming import what_to_warm
from boostbench.errors import BoostbenchError, DataError
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, Outcome

MAX_LOSSES = 5
"""A trial stays pending when that many workers were lost while they ran it."""

_MAX_BROKEN = 3
_TICK_S = 0.25
_LOOK_S = 0.5
_WAITED_S = 3.0
_SHORT_S = 1.0
_LEAVE_S = 5.0
_RECENT = 30


def run_on_cluster(
    trials: Sequence[Trial],
    store: Store,
    *,
    cluster: ClusterSpec,
    arrays_dir: Path,
    limits: Limits = Limits(),  # noqa: B008
    listener: Callable[[Event], None] = lambda event: None,
    stop: Flag | None = None,
    kill: Flag | None = None,
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
class ClusterWorker:
    """A worker of the cluster; ``state`` is ``new``, ``ready`` or ``refused``."""

    address: str
    threads: int
    from_start: bool
    state: str = "new"


@dataclass(eq=False)
class Assignment:
    """A trial submitted to dask; ``worker`` is empty and ``slot`` -1 until it begins."""

    trial: Trial
    future: Any
    worker: str = ""
    slot: int = -1


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
        self._cluster = cluster
        self._waiting = deque({trial.key: trial for trial in trials}.values())
        self._datasets = {trial.fingerprint: trial.dataset for trial in trials}
        self._store, self._limits = store, limits
        self._arrays_dir = arrays_dir.resolve()
        self._listener = listener
        self._run_id = f"boostbench-{uuid.uuid4().hex}"
        self._assignments: dict[str, Assignment] = {}
        self._workers: dict[str, ClusterWorker] = {}
        self._losses: dict[str, int] = {}
        self._broken: dict[str, int] = {}
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._numbers = itertools.count()
        self._said: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = self._looked = time.monotonic()
        self._threads = 0

    async def run(self, should_drain: Callable[[], bool], should_kill: Callable[[], bool]) -> bool:
        """Run everything; return False when asked to drain or to kill before the end."""
        estimators = sorted({trial.estimator for trial in self._waiting})
        functions = {path for t in self._waiting for path in t.metrics.values() if ":" in path}
        self._identity = identity(estimators)
        self._plugin = plugin.TrialPlugin(
            self._run_id,
            self._identity,
            limits=self._limits,
            estimators=estimators,
            warm_up=what_to_warm(self._waiting, self._arrays_dir),
            files=modules.sources([*estimators, *functions]),
            arrays_dir=self._arrays_dir,
        )
        from distributed import as_completed

        async with connect(self._cluster) as self._client:
            self._data = ScatteredData(self._client, self._run_id, self._arrays_dir)
            # In tasks of ours, as dask keeps errors of its handlers to itself.
            self._client.subscribe_topic(
                plugin.TOPIC, lambda event: self._spawn(self._hear(event[1]))
            )
            self._futures = as_completed(
                loop=self._client.loop, with_results=True, raise_errors=False
            )
            try:
                await self._look()
                return await self._conduct(should_drain, should_kill)
            finally:
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)
                await self._leave()

    async def _conduct(
        self, should_drain: Callable[[], bool], should_kill: Callable[[], bool]
    ) -> bool:
        while not should_kill():
            draining = should_drain()
            if draining:
                await self._withdraw()
            if not self._assignments and (draining or not self._waiting):
                return not self._waiting
            if time.monotonic() - self._looked > _LOOK_S:
                await self._look()
            if self._client.status != "running":
                raise BoostbenchError(
                    f"the dask scheduler {self._cluster.target} is gone; recorded trials are kept, "
                    "and the same command resumes the run"
                )
            if not draining:
                self._submit()
            await self._take_completed()
            for task in [task for task in self._tasks if task.done()]:
                self._tasks.discard(task)
                task.result()
        return False

    async def _leave(self) -> None:
        """Have every worker kill the trials of this run that are left."""
        used = [name for name, worker in self._workers.items() if worker.state != "refused"]
        if used and self._client.status == "running":
            call = self._client.run(
                plugin.remove_plugin, self._run_id, workers=used, on_error="ignore"
            )
            with contextlib.suppress(Exception):
                await asyncio.wait_for(call, _LEAVE_S)

    # -- trials ----------------------------------------------------------------------------------

    def _submit(self) -> None:
        """Submit as many trials as there are threads, and more where trials are short."""
        # Not all at once: dask would assign each to a worker that is there now, and count the loss
        # of that worker against all of them.
        ahead = 2 if self._recent and fmean(self._recent) < _SHORT_S else 1
        while self._waiting and len(self._assignments) < ahead * self._threads:
            trial = self._waiting.popleft()
            key = f"{self._run_id}-{next(self._numbers)}-{trial.key}"
            future = self._client.submit(
                plugin.run_trial, self._run_id, key, trial.to_dict(),
                key=key, resources={self._run_id: 1}, pure=False,
            )  # fmt: skip
            self._assignments[key] = Assignment(trial, future)
            self._futures.add(future)

    async def _hear(self, message: Mapping[str, Any]) -> None:
        if message.get("run") != self._run_id:
            return
        if message["kind"] == "needs":
            await self._bring(message["worker"], message["fingerprint"])
        elif (assignment := self._assignments.get(message["key"])) is not None:
            if assignment.worker:
                # Dask runs it again, as its worker was lost.
                self._say_lost(assignment.worker, 1)
                if self._lost(message["key"]):
                    return
            self._begin(assignment, message["worker"])

    def _begin(self, assignment: Assignment, worker: str) -> None:
        used = {other.slot for other in self._assignments.values()}
        assignment.worker = worker
        assignment.slot = next(n for n in itertools.count() if n not in used)
        self.recorder.begin(assignment.trial, assignment.slot)

    async def _take_completed(self) -> None:
        """Wait for completed tasks, up to a tick, and act on all there are."""
        try:
            first = await asyncio.wait_for(anext(self._futures), _TICK_S)
        except (TimeoutError, StopAsyncIteration) as reason:
            if isinstance(reason, StopAsyncIteration):  # there are no tasks
                await asyncio.sleep(_TICK_S)
            return
        for future, result in (first, *self._futures.next_batch(block=False)):
            self._completed(future.key, result[1] if future.status == "error" else result)
            # The worker may forget the result.
            future.release()

    def _completed(self, key: str, result: Any) -> None:
        assignment = self._assignments.get(key)
        if assignment is None:
            return
        if isinstance(result, dict) and result["state"] == "done":
            if not assignment.worker:
                self._begin(assignment, result["worker"])
            del self._assignments[key]
            self._record(assignment, Outcome.from_dict(result["outcome"]), result)
            return
        if isinstance(result, dict):
            lost, why, where = False, result["why"], result.get("worker", "")
        else:
            from distributed.scheduler import KilledWorker

            lost = isinstance(result, KilledWorker)
            where, why = assignment.worker, f"{type(result).__name__}: {result}"
            # Cancelled: by dask, or by another client.
            why = "" if lost or isinstance(result, CancelledError) else why
        if lost and assignment.worker and self._lost(key):
            return
        del self._assignments[key]
        self._waiting.appendleft(assignment.trial)
        if why:
            self._broken[where] = self._broken.get(where, 0) + 1
            if self._broken[where] >= _MAX_BROKEN:
                raise BoostbenchError(f"the worker {where} cannot run trials: {why}")

    def _record(self, assignment: Assignment, outcome: Outcome, result: Mapping[str, Any]) -> None:
        if outcome.status not in FINAL_STATUSES:
            raise BoostbenchError(f"the worker {result['worker']} gave no outcome of a trial")
        self._recent.append(outcome.times.get("wall_s", 0.0))
        self.recorder.finish(assignment.trial, outcome, assignment.slot, result["environment_id"])

    def _lost(self, key: str) -> bool:
        """Count the loss of a worker against the trial it ran; return whether it is given up."""
        assignment = self._assignments[key]
        trial, assignment.worker, assignment.slot = assignment.trial, "", -1
        losses = self._losses[trial.key] = self._losses.get(trial.key, 0) + 1
        if losses < MAX_LOSSES:
            return False
        del self._assignments[key]
        self._spawn(self._cancel([assignment]))
        self._say(
            f"{losses} workers were lost while they ran {trial.method} on {trial.dataset}, fold "
            f"{trial.fold}, seed {trial.seed}: it stays pending, and the next run tries it again"
        )
        return True

    async def _withdraw(self) -> None:
        """Cancel the tasks that have not begun; their trials are the next to be submitted."""
        keys = [key for key, assignment in self._assignments.items() if not assignment.worker]
        withdrawn = [self._assignments.pop(key) for key in reversed(keys)]
        self._waiting.extendleft(assignment.trial for assignment in withdrawn)
        await self._cancel(withdrawn)

    async def _cancel(self, assignments: Sequence[Assignment]) -> None:
        if assignments:
            with contextlib.suppress(WorkerLost):
                await answer(self._client.cancel([one.future for one in assignments]))

    # -- workers ---------------------------------------------------------------------------------

    async def _look(self) -> None:
        """Check workers that came, and run again the trials of those that are gone."""
        self._looked = time.monotonic()
        first = not self._workers
        try:
            found = (await answer(self._client.scheduler.identity()))["workers"]
        except WorkerLost:
            return
        for address, worker in list(self._workers.items()):
            # Without its plugin it was idle for long, or restarted.
            offered = found.get(address, {}).get("resources", {}).get(self._run_id)
            if address not in found or (worker.state == "ready" and not offered):
                del self._workers[address]
                await self._gone(address)
        for address, described in found.items():
            if address not in self._workers:
                worker = ClusterWorker(address, described["nthreads"], first)
                self._workers[address] = worker
                self._spawn(self._check(worker))
        if not self._ready() and self._looked - self._started > _WAITED_S:
            self._say(self._cluster.waiting, once="waiting")
        self._count_threads()

    async def _gone(self, address: str) -> None:
        keys = [key for key, task in self._assignments.items() if task.worker == address]
        if keys:
            self._say_lost(address, len(keys))
        for key in keys:
            self._lost(key)
        # A task for which dask finds no worker stays there, though one offers its threads later.
        await self._withdraw()

    def _say_lost(self, address: str, trials: int) -> None:
        again = "its trial runs" if trials == 1 else f"its {trials} trials run"
        self._say(f"the worker {address} was lost: {again} again")

    async def _check(self, worker: ClusterWorker) -> None:
        try:
            found = await self._call(worker.address, plugin.add_plugin, self._plugin)
        except WorkerLost:
            if self._workers.get(worker.address) is worker:
                del self._workers[worker.address]
            return
        except WorkerUnfit as error:
            worker.state = "refused"
            if worker.from_start or not any(w.state != "refused" for w in self._workers.values()):
                raise
            self._say(f"{error}; until then it gets no trials")
            return
        described = found["environment"]
        name = environment_id(described)
        if name not in self._said:
            self._said.add(name)
            self._store.add_environment(name, described)
            difference = remark(self._identity, found, worker.address)
            if difference is not None:
                self._say(difference)
        with contextlib.suppress(WorkerLost, WorkerUnfit):
            await self._call(worker.address, plugin.offer_threads, self._run_id)
        worker.state = "ready"
        self._count_threads()

    def _ready(self) -> list[ClusterWorker]:
        return [worker for worker in self._workers.values() if worker.state == "ready"]

    def _count_threads(self) -> None:
        threads = sum(worker.threads for worker in self._ready())
        if threads not in (0, self._threads):
            self._listener(Event("worker", threads=threads))
        self._threads = threads

    async def _bring(self, address: str, fingerprint: str) -> None:
        wrong = await self._data.bring(fingerprint, address, lambda: address in self._workers)
        if wrong:
            raise DataError(
                f"the data set {self._datasets[fingerprint]} did not arrive whole at the worker "
                f"{address}: {wrong}"
            )

    async def _call(self, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        return await call_worker(self._client, address, function, *arguments)

    def _spawn(self, work: Any) -> None:
        self._tasks.add(asyncio.ensure_future(work))

    def _say(self, text: str, once: str = "") -> None:
        if not once or once not in self._said:
            self._said.add(once)
            self._listener(Event("worker", detail=text))
