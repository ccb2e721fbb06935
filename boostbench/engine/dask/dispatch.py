"""Trials on the workers of a dask cluster; only this process writes the store."""

import asyncio
import contextlib
import itertools
import math
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, Unpack

from distributed.scheduler import KilledWorker

from boostbench.engine.dask import site
from boostbench.engine.dask.client import WorkerLost, answer, connect, quiet
from boostbench.engine.dask.options import ClusterSpec
from boostbench.engine.environment import environment_id, identity, mismatch
from boostbench.engine.interface import Event, Summary
from boostbench.engine.recording import Recorder, RecorderOptions
from boostbench.engine.warming import warm_up_plan
from boostbench.errors import BoostbenchError, ConfigError, DataError, first_line
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.user_code import own_sources

MAX_LOSSES = 5
"""A trial stays pending when that many workers were lost while they ran it."""

_BATCH_S = 0.25
"""Short trials go to a worker together, as many as end in that time."""
_TICK_S = 0.25
_WAITED_S = 3.0
_RESTART_S = 10.0
"""In that time the nanny of a lost worker starts another one in its place."""


def run_on_cluster(
    trials: Sequence[Trial],
    store: Store,
    *,
    cluster: ClusterSpec,
    **options: Unpack[RecorderOptions],
) -> Summary:
    """Run ``trials`` on a dask cluster and commit each outcome to ``store``.

    As :func:`boostbench.engine.local.run_trials`, except that each worker of the cluster runs as
    many trials at a time as it has threads, and that the environment of a trial is that of its
    worker. Workers may come and go: a trial whose worker is lost runs again on another one, and
    stays pending after :data:`MAX_LOSSES` such losses. A worker whose sources or packages differ is
    never used.

    Raises :class:`~boostbench.errors.BoostbenchError` when there is no scheduler or it is lost, and
    when none of the workers can be used.
    """
    with contextlib.suppress(RuntimeError):  # without a loop, as it should be
        asyncio.get_running_loop()
        raise ConfigError(
            "a cluster cannot be used inside a running event loop, as in a notebook: run the "
            "experiment there with boostbench run CONFIG --cluster ADDRESS, and load the results"
        )
    run = Recorder(store, **options)
    if not trials:
        return run.summary
    estimators = sorted({trial.estimator for trial in trials})
    functions = {path for t in trials for path in t.metrics.values() if ":" in path}
    sources = [own_sources(path) for path in [*estimators, *functions]]
    # What own code imports must be the same there, too.
    estimators += sorted({f"{package}:" for each in sources for package in each.versions()})
    order = site.Order(
        run=f"boostbench-{uuid.uuid4().hex}",
        expected=identity(estimators),
        limits=run.limits,
        estimators=estimators,
        warm_up=warm_up_plan(trials, run.arrays_dir),
        files={n: path.read_bytes() for each in sources for n, path in each.files.items()},
    )
    with run, quiet():
        run.summary.interrupted = not asyncio.run(_Dispatcher(cluster, order, run).run(trials))
    return run.summary


@dataclass(eq=False)
class _Worker:
    """A worker of the cluster, with the names of the ``data`` that it has."""

    address: str
    threads: int
    task: asyncio.Task[None] = field(init=False)
    # The id of its environment, "" before it is accepted.
    environment: str = ""
    refusal: str = ""
    data: set[str] = field(default_factory=set)
    # Its trials, by slot, and the slots of those that were submitted to it.
    taken: dict[int, Sequence[Trial]] = field(default_factory=dict)
    submitted: set[int] = field(default_factory=set)


@dataclass(eq=False)
class _Dispatcher:
    """Runs trials by coroutines, one for each thread of each worker."""

    cluster: ClusterSpec
    order: site.Order
    recorder: Recorder
    # The types of distributed are those of its blocking use.
    client: Any = None
    # Trials by their place: in the order of the plan, then those that run again.
    waiting: asyncio.PriorityQueue[tuple[int, Trial]] = field(default_factory=asyncio.PriorityQueue)
    places: Iterator[int] = field(default_factory=itertools.count)
    # The longest trial of each data set and method, in seconds.
    seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)
    scattered: dict[str, object] = field(default_factory=dict)
    workers: dict[str, _Worker] = field(default_factory=dict)
    losses: Counter[str] = field(default_factory=Counter)
    noted: set[str] = field(default_factory=set)
    started: float = field(default_factory=time.monotonic)
    # When a worker could be used last.
    last_usable: float = -math.inf
    threads: int = 0

    async def run(self, trials: Sequence[Trial]) -> bool:
        """Run everything; return False if interrupted or killed before the end."""
        self._add(list({trial.key: trial for trial in trials}.values()))
        async with connect(self.cluster) as self.client:
            try:
                while not self.recorder.should_kill:
                    draining = self.recorder.should_stop()
                    if not self._slots() and (draining or self.waiting.empty()):
                        return self.waiting.empty()
                    await self._update_workers()
                    if self.client.status != "running":
                        raise BoostbenchError(
                            f"the dask scheduler {self.cluster.target} is gone; recorded trials "
                            "are kept, and the same command resumes the run"
                        )
                    await asyncio.sleep(_TICK_S)
                    for worker in self.workers.values():
                        if worker.task.done():
                            worker.task.result()
                return False
            finally:
                # The remaining trials are given up with their tasks.
                for worker in self.workers.values():
                    worker.task.cancel()

    # -- trials ----------------------------------------------------------------------------------

    def _slots(self) -> set[int]:
        """Return the slots of the trials that workers have now."""
        return {slot for worker in self.workers.values() for slot in worker.taken}

    def _add(self, trials: Sequence[Trial]) -> None:
        for trial in trials:
            self.waiting.put_nowait((next(self.places), trial))

    async def _next(self) -> list[Trial]:
        """Wait for a trial, and return it with those that follow and are short, too."""
        _, first = await self.waiting.get()
        batch = [first]
        seconds = self._expected_s(first)
        while seconds < _BATCH_S and not self.waiting.empty():
            place, trial = self.waiting.get_nowait()
            seconds += self._expected_s(trial)
            if seconds > _BATCH_S:
                self.waiting.put_nowait((place, trial))
            else:
                batch.append(trial)
        return batch

    def _expected_s(self, trial: Trial) -> float:
        """Return how long a trial may take; unknown, or dangerous to others, it goes alone."""
        if self.losses[trial.key]:
            return math.inf
        return self.seconds.get((trial.dataset, trial.method), math.inf)

    async def _run_trials(self, worker: _Worker) -> None:
        """Run one batch of trials after another on one thread of ``worker``."""
        while worker.environment:
            batch = await self._next()
            if self.recorder.should_stop():
                self._add(batch)
                return
            taken = self._slots()
            slot = next(n for n in itertools.count() if n not in taken)
            worker.taken[slot] = batch
            again = await self._run(batch, worker, slot)
            del worker.taken[slot]
            worker.submitted.discard(slot)
            self._add(again)

    async def _run(self, batch: Sequence[Trial], worker: _Worker, slot: int) -> Sequence[Trial]:
        """Run trials and record them; return those that have to run again."""
        # Listed rows come with the data.
        files = {name for t in batch for name in (t.fingerprint, t.test_rows, t.rows) if name}
        names = sorted(files - worker.data)
        try:
            data = {name: await self._scatter(name, worker) for name in names}
        except WorkerLost:
            await asyncio.sleep(_TICK_S)
            return batch
        try:
            results = await self._results(batch, data, worker, slot)
        except KilledWorker:
            return self._to_run_again(batch)
        except CancelledError:
            # Cancelled by dask, because no worker has its data any more, or by another client.
            for name in names:
                self.scattered.pop(name, None)
            # If its worker was lost with the data, it is removed meanwhile.
            await asyncio.sleep(4 * _TICK_S)
            return batch
        if not results:
            # It closed its pool after a long idle time: prepare it again.
            await self._prepare(worker)
            return batch
        worker.data |= set(names)
        for trial, outcome in zip(batch, results, strict=False):
            if trial is not batch[0]:
                # When it began on the worker is known no earlier.
                self.recorder.begin(trial, slot)
            self._record(trial, outcome, worker, slot)
        return batch[len(results) :]

    async def _results(
        self, batch: Sequence[Trial], data: Mapping[str, object], worker: _Worker, slot: int
    ) -> list[Outcome]:
        """Return the outcomes of trials on a worker, fewer or none if it gave them up."""
        future = self.client.submit(
            site.run_trials,
            self.order.run,
            [trial.to_dict() for trial in batch],
            data,
            workers=[worker.address],
            pure=False,
        )
        worker.submitted.add(slot)
        self.recorder.begin(batch[0], slot)
        try:
            return [Outcome(**each) for each in await future.result() or ()]
        except (KilledWorker, CancelledError):
            raise
        except Exception as error:  # a worker may raise any kind of error
            raise BoostbenchError(
                f"the worker {worker.address} cannot run trials: {type(error).__name__}: "
                f"{first_line(error)}"
            ) from None
        finally:
            # The worker may forget the result, or need not run the trials any more.
            future.release()

    def _record(self, trial: Trial, outcome: Outcome, worker: _Worker, slot: int) -> None:
        cell = trial.dataset, trial.method
        took = outcome.times.get("wall_s", math.inf)
        self.seconds[cell] = max(took, self.seconds.get(cell, 0.0))
        self.recorder.finish(trial, outcome, slot, worker.environment)

    async def _scatter(self, name: str, worker: _Worker) -> object:
        """Return the file of arrays as dask's data: sent once, and copied by dask."""
        async with self.sending:
            if name not in self.scattered:
                try:
                    content = (self.recorder.arrays_dir / f"{name}.npz").read_bytes()
                except OSError as error:
                    raise DataError(f"the arrays cannot be read: {error}") from None
                call = self.client.scatter(content, workers=[worker.address], hash=False)
                self.scattered[name] = await answer(call)
            return self.scattered[name]

    def _to_run_again(self, batch: Sequence[Trial]) -> list[Trial]:
        """Count the loss of the worker of trials; return those that run again."""
        self.losses.update(trial.key for trial in batch)
        again = [trial for trial in batch if self.losses[trial.key] < MAX_LOSSES]
        for trial in batch:
            if trial not in again:
                self._note(
                    f"{self.losses[trial.key]} workers were lost while they ran {trial.method} on "
                    f"{trial.dataset}, fold {trial.fold}, seed {trial.seed}: it stays pending, and "
                    "the next run tries it again"
                )
        return again

    # -- workers ---------------------------------------------------------------------------------

    async def _update_workers(self) -> None:
        """Use new workers, and run the trials of lost ones again."""
        try:
            there = (await answer(self.client.scheduler.identity()))["workers"]
        except WorkerLost:
            return
        for address in [address for address in self.workers if address not in there]:
            self._remove(address)
        for address, described in there.items():
            if address not in self.workers:
                worker = self.workers[address] = _Worker(address, described["nthreads"])
                worker.task = asyncio.create_task(self._use(worker))
        threads = sum(each.threads for each in self.workers.values() if each.environment)
        if threads not in (0, self.threads):
            self.recorder.listener(Event("worker", threads=threads))
        self.threads = threads
        if threads:
            self.last_usable = time.monotonic()
        elif time.monotonic() - self.started > _WAITED_S:
            self._note_waiting()
        self._end_if_refused()

    def _end_if_refused(self) -> None:
        """Raise BoostbenchError where every worker was refused, and no lost one comes back."""
        refusals = [worker.refusal for worker in self.workers.values()]
        is_over = time.monotonic() - self.last_usable > _RESTART_S
        if refusals and all(refusals) and is_over:
            raise BoostbenchError(refusals[-1])

    def _note_waiting(self) -> None:
        text = f"waiting for workers of the cluster {self.cluster.target}"
        if self.cluster.jobs:
            text += "; a batch system's queue and logs say why none comes"
        self._note(text, once=True)

    def _remove(self, address: str) -> None:
        worker = self.workers.pop(address)
        worker.task.cancel()
        if worker.submitted:
            self._note(f"the worker {address} was lost: its trials run again")
        for slot, batch in worker.taken.items():
            was_sent = slot in worker.submitted
            self._add(self._to_run_again(batch) if was_sent else batch)

    async def _use(self, worker: _Worker) -> None:
        """Check ``worker`` and run trials on it, as many at a time as it has threads."""
        if await self._prepare(worker):
            await asyncio.gather(*(self._run_trials(worker) for _ in range(worker.threads)))

    async def _prepare(self, worker: _Worker) -> bool:
        """Return whether ``worker`` is ready for trials."""
        future = self.client.submit(site.prepare, self.order, workers=[worker.address], pure=False)
        try:
            there = await future.result()
        except CancelledError:
            return False
        except Exception as error:  # a worker may raise any kind of error
            text = str(error)
            if not isinstance(error, BoostbenchError):
                text = f"{type(error).__name__}: {first_line(error)}; install boostbench there"
            worker.environment = ""
            worker.refusal = f"the worker {worker.address} cannot be used: {text}"
            if not all(each.refusal for each in self.workers.values()):
                self._note(f"{worker.refusal}; until then it gets no trials")
            return False
        finally:
            future.release()
        worker.environment = environment_id(there["environment"])
        worker.data = set()
        self.recorder.store.add_environment(worker.environment, there["environment"])
        if difference := mismatch(self.order.expected, there, minor=True):
            self._note(
                f"a worker is unlike this machine ({difference}): the last digits of results may "
                "depend on it",
                once=True,
            )
        return True

    def _note(self, text: str, *, once: bool = False) -> None:
        if not (once and text in self.noted):
            self.noted.add(text)
            self.recorder.listener(Event("worker", detail=text))
