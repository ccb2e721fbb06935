"""What a dask worker keeps for one run: its environment checked, a pool of processes, the data.

The functions of this module are called by name on a worker and return plain values.
"""

import asyncio
import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from distributed import WorkerPlugin, get_worker

from boostbench.data.arrays import load_arrays
from boostbench.engine.dask.modules import shadowed, unpack
from boostbench.engine.environment import environment_id, identity, mismatch, source_hash
from boostbench.engine.pool import Pool
from boostbench.engine.types import Limits
from boostbench.errors import BoostbenchError, DataError
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

IDLE_S = 30.0
TOPIC = "boostbench"
"""The topic of dask's events on which workers report what begins and which data they need."""

# What this process runs, even where its files have changed since.
_LOADED = source_hash()


class PoolClosed(Exception):
    """The pool takes no trials any more; the text is the reason, empty where it was told to end."""


class TrialPlugin(WorkerPlugin):
    """Checks a worker, and keeps a pool and the data of the run on it.

    Trials need the resource ``run``, which only workers that passed offer (:func:`offer_threads`).
    The plugin is added worker by worker: one registered with the scheduler outlives a killed
    client, and no worker without boostbench can start while it is there.

    ``expected`` is the identity of the process that submits. ``estimators`` are the import paths in
    the plan, ``files`` the sources of their modules where they are not installed, ``arrays_dir`` is
    the folder of the arrays there, which may be shared. After :data:`IDLE_S` seconds without a
    trial the plugin removes itself, so that nothing is left where the client was killed.
    """

    def __init__(
        self,
        run: str,
        expected: Mapping[str, Any],
        *,
        limits: Limits,
        estimators: Sequence[str],
        files: Mapping[str, bytes],
        arrays_dir: Path,
    ) -> None:
        self.run, self.expected, self.limits = run, expected, limits
        self.estimators, self.files, self.arrays_dir = estimators, files, arrays_dir

    async def setup(self, worker: Any) -> None:
        """Check ``worker`` and make ready; raises BoostbenchError where it must not be used."""
        self.found = await asyncio.to_thread(self._check, worker.address)
        self._worker = worker
        self._environment_id = environment_id(self.found["environment"])
        self._data: dict[str, asyncio.Task[None]] = {}
        self._arrived: dict[str, asyncio.Event] = {}
        self._running: dict[str, asyncio.Task[Outcome]] = {}
        self._used = time.monotonic()
        self._folder = Path(tempfile.mkdtemp(prefix="boostbench-", dir=worker.local_directory))
        unpack(self.files, self._folder / "modules")
        self._pool = PoolThread(
            jobs=worker.state.nthreads,
            limits=self.limits,
            arrays_dir=self._folder,
            estimators=self.estimators,
            path=[str(self._folder / "modules")],
        )
        self._watch = asyncio.create_task(self._remove_when_idle())

    def _check(self, address: str) -> dict[str, Any]:
        found = identity(self.estimators)
        reason = mismatch(self.expected, found, address)
        if reason is None and found["source"] != _LOADED:
            reason = (
                f"the worker {address} cannot be used: its files of boostbench have changed since "
                "it started: restart it"
            )
        if reason is None and (hidden := shadowed(self.files)) is not None:
            reason = f"the worker {address} cannot be used: {hidden}"
        if reason is not None:
            raise BoostbenchError(reason)
        return found

    async def teardown(self, worker: Any) -> None:
        """Kill every trial and delete the run's files."""
        if not hasattr(self, "_pool"):
            return
        self._watch.cancel()
        for task in (*self._running.values(), *self._data.values()):
            task.cancel()
        await asyncio.to_thread(self._pool.close, 2.0)
        shutil.rmtree(self._folder, ignore_errors=True)
        if worker.status.name == "running":
            await worker.set_resources(**{self.run: 0})

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Stop a running trial that dask gave up: cancelled, or its client is gone."""
        if start in ("executing", "long-running") and finish == "released":
            task = self._running.get(key) if hasattr(self, "_running") else None
            if task is not None:
                task.cancel()

    async def run_trial(self, key: str, trial: Trial) -> dict[str, Any]:
        """Run ``trial`` as the dask task ``key``, see :func:`run_trial`."""
        task = self._running[key] = asyncio.create_task(self._run(key, trial))
        try:
            outcome = await task
        except asyncio.CancelledError:
            return {"state": "closed", "why": ""}
        except PoolClosed as error:
            return {"state": "closed", "why": str(error), "worker": self._worker.address}
        finally:
            del self._running[key]
            self._used = time.monotonic()
        return {
            "state": "done",
            "outcome": outcome.to_dict(),
            "worker": self._worker.address,
            "environment_id": self._environment_id,
        }

    async def _run(self, key: str, trial: Trial) -> Outcome:
        name = trial.fingerprint
        if name not in self._data:
            self._data[name] = asyncio.create_task(self._provide(name))
        # Other trials wait for the same data when this one is cancelled.
        await asyncio.shield(self._data[name])
        # Each trial that dask runs has a process to itself: there are as many as threads.
        self._report("begun", key=key)
        outcome = self._pool.submit(trial)
        try:
            return await asyncio.wrap_future(outcome)
        except asyncio.CancelledError:
            self._pool.drop(trial)
            raise

    def _report(self, kind: str, **values: str) -> None:
        message = {"run": self.run, "kind": kind, "worker": self._worker.address, **values}
        self._worker.log_event(TOPIC, message)

    async def _provide(self, fingerprint: str) -> None:
        """Find the arrays in the shared folder or in this machine's cache, else wait for them."""
        if not await asyncio.to_thread(self._find, fingerprint):
            arrived = self._arrived[fingerprint] = asyncio.Event()
            self._report("needs", fingerprint=fingerprint)
            await arrived.wait()

    def _find(self, fingerprint: str) -> bool:
        from boostbench.data.access import default_access

        for folder in (self.arrays_dir, default_access().cache_dir / "arrays"):
            with contextlib.suppress(DataError):
                load_arrays(fingerprint, folder)
                (self._folder / f"{fingerprint}.npz").symlink_to(
                    (folder / f"{fingerprint}.npz").resolve()
                )
                return True
        return False

    async def keep_arrays(self, fingerprint: str, content: bytes) -> str:
        """Keep the file of the arrays; return what is wrong with it, or ""."""

        def write() -> str:
            arriving = self._folder / "arriving" / f"{fingerprint}.npz"
            arriving.parent.mkdir(exist_ok=True)
            arriving.write_bytes(content)
            try:
                load_arrays(fingerprint, arriving.parent)
            except DataError as error:
                return str(error)
            arriving.replace(self._folder / arriving.name)
            return ""

        wrong = await asyncio.to_thread(write)
        if not wrong:
            self._arrived[fingerprint].set()
        return wrong

    async def _remove_when_idle(self) -> None:
        while self._running or time.monotonic() - self._used < IDLE_S:
            await asyncio.sleep(1.0)
        # By another task: the removal cancels this one.
        self._removal = asyncio.create_task(self._worker.plugin_remove(name=self.run))


async def add_plugin(plugin: TrialPlugin, dask_worker: Any) -> dict[str, Any]:
    """Set ``plugin`` up on this worker and return the worker's identity; raises as its setup."""
    try:
        await dask_worker.plugin_add(plugin=plugin, name=plugin.run, catch_errors=False)
    except BaseException:
        dask_worker.plugins.pop(plugin.run, None)
        raise
    return plugin.found


async def offer_threads(run: str, dask_worker: Any) -> None:
    """Give this worker the resource that the trials of ``run`` need, one per thread."""
    await dask_worker.set_resources(**{run: dask_worker.state.nthreads})


async def remove_plugin(run: str, dask_worker: Any) -> None:
    """Kill what still runs of ``run``, and end its processes."""
    if run in dask_worker.plugins:
        await dask_worker.plugin_remove(name=run)


async def keep_arrays(run: str, fingerprint: str, data: str, dask_worker: Any) -> str:
    """Keep the arrays that dask has brought under the key ``data``, see :class:`TrialPlugin`."""
    plugin = dask_worker.plugins.get(run)
    if plugin is None:
        return ""
    wrong: str = await plugin.keep_arrays(fingerprint, dask_worker.data[data])
    return wrong


async def run_trial(run: str, key: str, trial: Mapping[str, Any]) -> dict[str, Any]:
    """Run one trial as the dask task ``key``.

    Returns ``state``: ``done`` with ``outcome``, ``worker`` and ``environment_id``, or ``closed``
    with ``why``, empty where the trial was cancelled or the run has no plugin here.
    """
    plugin: Any = get_worker().plugins.get(run)
    if plugin is None:
        return {"state": "closed", "why": ""}
    result: dict[str, Any] = await plugin.run_trial(key, Trial.from_dict(trial))
    return result


class PoolThread:
    """A pool in a thread of its own, to which trials are submitted from another one.

    The thread starts with the first trial and lasts: the processes that it starts die with it.
    """

    def __init__(
        self,
        *,
        jobs: int,
        limits: Limits,
        arrays_dir: Path,
        estimators: Sequence[str],
        path: Sequence[str],
    ) -> None:
        self.estimators, self.path = estimators, path
        self._jobs, self._limits, self._arrays_dir = jobs, limits, arrays_dir
        self._changes: SimpleQueue[tuple[str, Trial]] = SimpleQueue()
        self._readable, self._writable = os.pipe()
        for end in (self._readable, self._writable):
            os.set_blocking(end, False)
        self._lock = threading.Lock()
        # The trials are kept too, so that no other one gets the id of one that is pending.
        self._pending: dict[int, tuple[Trial, Future[Outcome]]] = {}
        self._closing = False
        self._why = ""
        self._thread = threading.Thread(target=self._serve, name="boostbench-pool", daemon=True)

    def submit(self, trial: Trial) -> "Future[Outcome]":
        """Have ``trial`` run; the future raises :class:`PoolClosed` where the pool ends first."""
        outcome: Future[Outcome] = Future()
        with self._lock:
            if self._closing:
                outcome.set_exception(PoolClosed(self._why))
                return outcome
            self._pending[id(trial)] = (trial, outcome)
            if not self._thread.ident:
                self._thread.start()
            self._change("run", trial)
        return outcome

    def drop(self, trial: Trial) -> None:
        """Kill ``trial`` where it runs, else forget it."""
        with self._lock:
            if self._pending.pop(id(trial), None) is not None:
                self._change("drop", trial)

    def close(self, wait_s: float = 0.0) -> None:
        """Kill what runs and end; waits up to ``wait_s`` seconds for it."""
        with self._lock:
            self._closing = True
            self._wake()
        if self._thread.ident:
            self._thread.join(wait_s)

    # -- the pool's side: a TrialSource ----------------------------------------------------------

    def fileno(self) -> int:
        """See :class:`~boostbench.engine.pool.TrialSource`."""
        return self._readable

    def take(self) -> list[tuple[str, Trial]]:
        """See :class:`~boostbench.engine.pool.TrialSource`."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._readable, 4096)
        found = []
        with contextlib.suppress(Empty):
            while True:
                found.append(self._changes.get_nowait())
        return found

    def _change(self, what: str, trial: Trial) -> None:
        self._changes.put((what, trial))
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._writable, b"x")

    def _serve(self) -> None:
        try:
            Pool(
                [],
                jobs=self._jobs,
                arrays_dir=self._arrays_dir,
                limits=self._limits,
                begin=lambda trial, slot: None,
                finish=self._finish,
                notify=lambda event: None,
                source=self,
            ).run(lambda: False, lambda: self._closing)
        except BoostbenchError as error:
            self._why = str(error)
        except Exception as error:
            self._why = f"{type(error).__name__}: {error}"
        finally:
            with self._lock:
                self._closing = True
                left, self._pending = self._pending, {}
                os.close(self._readable)
                os.close(self._writable)
                self._writable = -1
            for _, outcome in left.values():
                with contextlib.suppress(InvalidStateError):
                    outcome.set_exception(PoolClosed(self._why))

    def _finish(self, trial: Trial, outcome: Outcome, _: int) -> None:
        with self._lock:
            pending = self._pending.pop(id(trial), None)
        if pending is not None:
            # Its task may be cancelled at this very moment.
            with contextlib.suppress(InvalidStateError):
                pending[1].set_result(outcome)
