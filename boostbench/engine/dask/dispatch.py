"""Trials on the workers of a dask cluster; only this process writes the store."""

import asyncio
import contextlib
import itertools
import time
import uuid
from collections import Counter
from collections.abc import Sequence
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

_TICK_S = 0.25
_WAITED_S = 3.0


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
    is_refused: bool = False
    data: set[str] = field(default_factory=set)
    # Its trials, by slot, and those of them that were submitted to it.
    taken: dict[int, Trial] = field(default_factory=dict)
    submitted: set[int] = field(default_factory=set)


@dataclass(eq=False)
class _Dispatcher:
    """Runs trials by coroutines, one for each thread of each worker."""

    cluster: ClusterSpec
    order: site.Order
    recorder: Recorder
    # The types of distributed are those of its blocking use.
    client: Any = None
    waiting: asyncio.Queue[Trial] = field(default_factory=asyncio.Queue)
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)
    scattered: dict[str, object] = field(default_factory=dict)
    workers: dict[str, _Worker] = field(default_factory=dict)
    losses: Counter[str] = field(default_factory=Counter)
    noted: set[str] = field(default_factory=set)
    started: float = field(default_factory=time.monotonic)
    threads: int = 0

    async def run(self, trials: Sequence[Trial]) -> bool:
        """Run everything; return False if interrupted or killed before the end."""
        for trial in {trial.key: trial for trial in trials}.values():
            self.waiting.put_nowait(trial)
        async with connect(self.cluster) as self.client:
            try:
                while not self.recorder.should_kill:
                    draining = self.recorder.should_stop()
                    if not self._current_trials() and (draining or self.waiting.empty()):
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

    def _current_trials(self) -> dict[int, Trial]:
        return {n: trial for worker in self.workers.values() for n, trial in worker.taken.items()}

    async def _run_trials(self, worker: _Worker) -> None:
        """Run one trial after another on one thread of ``worker``."""
        while worker.environment:
            trial = await self.waiting.get()
            if self.recorder.should_stop():
                self.waiting.put_nowait(trial)
                return
            taken = self._current_trials()
            slot = next(n for n in itertools.count() if n not in taken)
            worker.taken[slot] = trial
            runs_again = await self._run(trial, worker, slot)
            del worker.taken[slot]
            worker.submitted.discard(slot)
            if runs_again:
                self.waiting.put_nowait(trial)

    async def _run(self, trial: Trial, worker: _Worker, slot: int) -> bool:
        """Run ``trial``, and record it unless it has to run again."""
        # Listed rows come with the data.
        files = trial.fingerprint, trial.test_rows, trial.rows
        names = [name for name in files if name and name not in worker.data]
        try:
            data = {name: await self._scatter(name, worker) for name in names}
        except WorkerLost:
            await asyncio.sleep(_TICK_S)
            return True
        future = self.client.submit(
            site.run_trial,
            self.order.run,
            trial.to_dict(),
            data,
            workers=[worker.address],
            pure=False,
        )
        worker.submitted.add(slot)
        self.recorder.begin(trial, slot)
        try:
            result = await future.result()
        except KilledWorker:
            return self._runs_again(trial)
        except CancelledError:
            # Cancelled by dask, because no worker has its data any more, or by another client.
            for name in names:
                self.scattered.pop(name, None)
            # If its worker was lost with the data, it is removed meanwhile.
            await asyncio.sleep(4 * _TICK_S)
            return True
        except Exception as error:  # a worker may raise any kind of error
            raise BoostbenchError(
                f"the worker {worker.address} cannot run trials: {type(error).__name__}: "
                f"{first_line(error)}"
            ) from None
        finally:
            # The worker may forget the result, or need not run the trial any more.
            future.release()
        if result is None:
            # It closed its pool after a long idle time: prepare it again.
            await self._prepare(worker)
            return True
        worker.data |= set(names)
        self.recorder.finish(trial, Outcome(**result), slot, worker.environment)
        return False

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

    def _runs_again(self, trial: Trial) -> bool:
        """Count the loss of a trial's worker; return whether the trial runs again."""
        self.losses[trial.key] += 1
        if self.losses[trial.key] < MAX_LOSSES:
            return True
        self._note(
            f"{self.losses[trial.key]} workers were lost while they ran {trial.method} on "
            f"{trial.dataset}, fold {trial.fold}, seed {trial.seed}: it stays pending, and the "
            "next run tries it again"
        )
        return False

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
        if not threads and time.monotonic() - self.started > _WAITED_S:
            self._note_waiting()

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
        for slot, trial in worker.taken.items():
            if slot not in worker.submitted or self._runs_again(trial):
                self.waiting.put_nowait(trial)

    async def _use(self, worker: _Worker) -> None:
        """Check ``worker`` and run trials on it, as many at a time as it has threads."""
        if await self._prepare(worker):
            await asyncio.gather(*(self._run_trials(worker) for _ in range(worker.threads)))

    async def _prepare(self, worker: _Worker) -> bool:
        """Return whether ``worker`` is ready; BoostbenchError if every worker was refused."""
        future = self.client.submit(site.prepare, self.order, workers=[worker.address], pure=False)
        try:
            there = await future.result()
        except CancelledError:
            return False
        except Exception as error:  # a worker may raise any kind of error
            text = str(error)
            if not isinstance(error, BoostbenchError):
                text = f"{type(error).__name__}: {first_line(error)}; install boostbench there"
            refusal = BoostbenchError(f"the worker {worker.address} cannot be used: {text}")
            worker.environment, worker.is_refused = "", True
            if all(each.is_refused for each in self.workers.values()):
                raise refusal from None
            self._note(f"{refusal}; until then it gets no trials")
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
