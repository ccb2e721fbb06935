"""What a dask worker keeps for one run: its environment checked, a pool of processes, the data.

The functions of this module are called by name on a worker and return plain values.
"""

import asyncio
import contextlib
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin, get_worker

from boostbench.data.access import default_access
from boostbench.data.arrays import load_arrays
from boostbench.engine.dask.modules import shadowed, unpack
from boostbench.engine.environment import environment_id, identity, mismatch, source_hash
from boostbench.engine.pool import Pool
from boostbench.engine.types import Limits
from boostbench.errors import BoostbenchError, DataError
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

IDLE_S = 30.0
_FLUSH_S = 0.01
TOPIC = "boostbench"
"""The topic of dask's events on which workers report what begins and which data they need."""

# What this process runs, even where its files have changed since.
_LOADED = source_hash()


class PoolClosed(Exception):
    """The pool takes no trials any more; the text is the reason, empty where it was closed."""


class TrialPlugin(WorkerPlugin):
    """Checks a worker, and keeps a pool and the data of the run on it.

    Trials need the resource ``run``, which only workers that passed offer (:func:`offer_threads`).
    The plugin is added worker by worker: one registered with the scheduler outlives a killed
    client, and no worker without boostbench can start while it is there.

    ``expected`` is the identity of the process that submits. ``estimators`` are the import paths in
    the plan, ``warm_up`` is what they need before the first trial, ``files`` are the sources of
    their modules where they are not installed, ``arrays_dir`` is the folder of the arrays there,
    which may be shared. After :data:`IDLE_S` seconds without a trial the plugin removes itself, so
    that nothing is left where the client was killed.
    """

    def __init__(
        self,
        run: str,
        expected: Mapping[str, Any],
        *,
        limits: Limits,
        estimators: Sequence[str],
        warm_up: Mapping[str, Any],
        files: Mapping[str, bytes],
        arrays_dir: Path,
    ) -> None:
        self.run, self.expected, self.limits = run, expected, limits
        self.estimators, self.files, self.arrays_dir = estimators, files, arrays_dir
        self.warm_up = warm_up
        self._running: dict[str, asyncio.Task[Outcome]] = {}

    async def setup(self, worker: Any) -> None:
        """Check ``worker`` and make ready; raises BoostbenchError where it must not be used."""
        # Dask may call the other methods as soon as the plugin is there, before its setup ends.
        self._worker = worker
        self.found = await asyncio.to_thread(self._check, worker.address)
        self._environment_id = environment_id(self.found["environment"])
        self._data: dict[str, asyncio.Task[None]] = {}
        self._arrived: dict[str, asyncio.Event] = {}
        self._used = time.monotonic()
        self._folder = Path(tempfile.mkdtemp(prefix="boostbench-", dir=worker.local_directory))
        unpack(self.files, self._folder / "modules")
        self._loop = asyncio.get_running_loop()
        self._pending: dict[int, asyncio.Future[Outcome]] = {}
        self._pool: Pool | None = None
        # A thread that lasts: the processes that a thread starts die with it.
        self._thread = threading.Thread(target=self._serve, name="boostbench-pool", daemon=True)
        self._closing = threading.Event()
        self._why: str | None = None
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
        self._watch.cancel()
        for task in (*self._running.values(), *self._data.values()):
            task.cancel()
        self._closing.set()
        if self._pool is not None:
            self._pool.wake()
            await asyncio.to_thread(self._thread.join, 2.0)
        shutil.rmtree(self._folder, ignore_errors=True)
        if worker.status.name == "running":
            await worker.set_resources(**{self.run: 0})

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Stop a running trial that dask gave up: cancelled, or its client is gone."""
        was_running = start in ("executing", "long-running") and key in self._running
        if was_running and finish == "released":
            self._running[key].cancel()

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
        # Dask sends events in batches: this one should be out before the trial ends the worker.
        await asyncio.sleep(_FLUSH_S)
        if self._why is not None:
            raise PoolClosed(self._why)
        if self._pool is None:
            self._pool = Pool(
                [],
                jobs=self._worker.state.nthreads,
                arrays_dir=self._folder,
                limits=self.limits,
                begin=lambda trial, slot: None,
                finish=self._finish,
                notify=lambda event: None,
                warm_up=self.warm_up,
                path=[str(self._folder / "modules")],
            )
            self._thread.start()
        outcome = self._pending[id(trial)] = self._loop.create_future()
        self._pool.submit(trial)
        try:
            return await outcome
        except asyncio.CancelledError:
            self._pool.drop(trial)
            raise
        finally:
            del self._pending[id(trial)]

    # -- in the pool's thread --------------------------------------------------------------------

    def _serve(self) -> None:
        assert self._pool is not None
        why = ""
        try:
            self._pool.run(lambda: False, self._closing.is_set)
        except BoostbenchError as error:
            why = str(error)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        self._soon(self._ended, why)

    def _finish(self, trial: Trial, outcome: Outcome, _: int) -> None:
        self._soon(self._settle, trial, outcome)

    def _soon(self, function: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the worker has ended
            self._loop.call_soon_threadsafe(function, *arguments)

    # -- in the worker's event loop --------------------------------------------------------------

    def _settle(self, trial: Trial, outcome: Outcome) -> None:
        future = self._pending.get(id(trial))
        if future is not None and not future.done():
            future.set_result(outcome)

    def _ended(self, why: str) -> None:
        self._why = why
        for future in self._pending.values():
            if not future.done():
                future.set_exception(PoolClosed(why))

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
        for folder in (self.arrays_dir, default_access().cache_dir / "arrays"):
            with contextlib.suppress(DataError):
                load_arrays(fingerprint, folder)
                (self._folder / f"{fingerprint}.npz").symlink_to(
                    (folder / f"{fingerprint}.npz").resolve()
                )
                return True
        return False

    async def keep_arrays(self, fingerprint: str, content: bytes) -> str:
        """Keep the file of the arrays; return the fault found in it, or ""."""

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
