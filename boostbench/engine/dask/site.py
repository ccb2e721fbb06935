"""What a dask worker keeps for one run: its environment checked, a pool of processes, the data.

The functions of this module are called by name on a worker and return plain values.
"""

import asyncio
import contextlib
import importlib.util
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import get_worker

from boostbench.data.access import default_access
from boostbench.data.arrays import load_arrays
from boostbench.engine.environment import environment_id, identity, mismatch, source_hash
from boostbench.engine.pool import Pool
from boostbench.engine.types import Event, Limits
from boostbench.errors import BoostbenchError, DataError
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

IDLE_S = 30.0
_LOOK_S = 0.5

# What this process runs, even where its files have changed since.
_LOADED = source_hash()
_sites: dict[str, "_Site"] = {}
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Order:
    """What a worker is told of a run: ``expected`` is the identity of the process that submits.

    ``files`` are the sources of modules that are not installed, by name below a folder on
    ``sys.path``; ``arrays_dir`` is the folder of the arrays there, which may be shared;
    ``fingerprints`` are the data that trials need.
    """

    run: str
    expected: Mapping[str, Any]
    limits: Limits
    estimators: Sequence[str]
    warm_up: Mapping[str, Any]
    files: Mapping[str, bytes]
    arrays_dir: Path
    fingerprints: Sequence[str]


class _Site:
    """A pool in a thread that lasts, as the processes that a thread starts die with it.

    It ends after :data:`IDLE_S` seconds without a trial: the client may have been killed.
    """

    def __init__(self, order: Order, worker: Any) -> None:
        self.order = order
        self.found = _checked(order, worker.address)
        self.environment_id = environment_id(self.found["environment"])
        self.folder = Path(tempfile.mkdtemp(prefix="boostbench-", dir=worker.local_directory))
        _unpack(order.files, self.folder / "modules")
        self._futures: dict[int, Future[Outcome]] = {}
        self._closing, self.warm = threading.Event(), threading.Event()
        self.why = ""
        self._used = time.monotonic()
        self.pool = Pool(
            [],
            jobs=worker.state.nthreads,
            arrays_dir=self.folder,
            limits=order.limits,
            begin=lambda trial, slot: None,
            finish=self._finish,
            notify=self._noted,
            warm_up=order.warm_up,
            path=[str(self.folder / "modules")],
        )
        self._thread = threading.Thread(target=self._serve, name="boostbench-pool", daemon=True)
        self._thread.start()

    def _noted(self, event: Event) -> None:
        if not event.compiling and not self.warm.is_set():
            self._used = time.monotonic()
            self.warm.set()

    def _finish(self, trial: Trial, outcome: Outcome, _: int) -> None:
        # By identity: the same trial may have been dropped and given again.
        if (future := self._futures.get(id(trial))) is not None:
            future.set_result(outcome)

    def _should_end(self) -> bool:
        is_idle = self.warm.is_set() and not self._futures
        return self._closing.is_set() or (is_idle and time.monotonic() - self._used > IDLE_S)

    def _serve(self) -> None:
        try:
            self.pool.run(lambda: False, self._should_end)
        except Exception as error:
            self.why = str(error) or type(error).__name__
        finally:
            _sites.pop(self.order.run, None)
            for future in list(self._futures.values()):
                future.cancel()
            self.warm.set()
            shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Kill every trial and delete the run's files."""
        self._closing.set()
        self.pool.wake()
        self._thread.join(2.0)

    def at_hand(self) -> list[str]:
        """Return which arrays the shared folder or this machine's cache holds."""
        return [name for name in self.order.fingerprints if self._find(name)]

    def _find(self, name: str) -> bool:
        if (self.folder / f"{name}.npz").exists():
            return True
        for folder in (self.order.arrays_dir, default_access().cache_dir / "arrays"):
            with contextlib.suppress(DataError):
                load_arrays(name, folder)
                (self.folder / f"{name}.npz").symlink_to((folder / f"{name}.npz").resolve())
                return True
        return False

    def run(self, trial: Trial, data: Mapping[str, bytes]) -> Outcome:
        """Run ``trial`` with files of ``data`` that are not here; CancelledError if given up."""
        for name, content in data.items():
            with _one_at_a_time:
                arriving = self.folder / f"{name}.part"
                arriving.write_bytes(content)
                arriving.replace(self.folder / f"{name}.npz")
        worker = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
        future = self._futures[id(trial)] = Future()
        self.pool.submit(trial)
        try:
            while True:
                try:
                    return future.result(_LOOK_S)
                except TimeoutError:
                    # Dask has given it up: it was cancelled, or its client is gone.
                    is_wanted = task is not None and task.state in ("executing", "long-running")
                    if not (is_wanted and self._thread.is_alive()):
                        raise CancelledError from None
        finally:
            self.pool.drop(trial)
            self._used = time.monotonic()
            del self._futures[id(trial)]


async def prepare(order: Order, dask_worker: Any) -> dict[str, Any]:
    """Check this worker and warm it up; return its identity and the arrays that it has.

    Raises BoostbenchError where it must not be used.
    """

    def start() -> dict[str, Any]:
        with _one_at_a_time:
            site = _sites.get(order.run) or _Site(order, dask_worker)
            _sites[order.run] = site
        site.warm.wait()
        if site.why:
            raise BoostbenchError(f"the worker {dask_worker.address} cannot be used: {site.why}")
        return {**site.found, "data": site.at_hand()}

    return await asyncio.to_thread(start)


def run_trial(run: str, trial: Mapping[str, Any], data: Mapping[str, bytes]) -> Any:
    """Run one trial; return its outcome, or None where the run has no pool here any more."""
    site = _sites.get(run)
    if site is None:
        return None
    outcome = site.run(Trial.from_dict(trial), data)
    return {"outcome": outcome.to_dict(), "environment_id": site.environment_id}


async def close(run: str) -> None:
    """Kill what still runs of ``run``, and end its processes."""
    if (site := _sites.get(run)) is not None:
        await asyncio.to_thread(site.close)


def _checked(order: Order, address: str) -> dict[str, Any]:
    found = identity(order.estimators)
    reason = mismatch(order.expected, found, address)
    if reason is None and found["source"] != _LOADED:
        reason = (
            f"the worker {address} cannot be used: its files of boostbench have changed since "
            "it started: restart it"
        )
    if reason is None and (hidden := _shadowed(order.files)) is not None:
        reason = f"the worker {address} cannot be used: {hidden}"
    if reason is not None:
        raise BoostbenchError(reason)
    return found


def _unpack(files: Mapping[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ValueError(f"{name} leads out of its folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _shadowed(files: Mapping[str, bytes]) -> str | None:
    """Return why a module of this process hides one of ``files`` with other content, or None."""
    for top in dict.fromkeys(name.partition("/")[0].removesuffix(".py") for name in files):
        sent = files.get(f"{top}.py", files.get(f"{top}/__init__.py"))
        spec = importlib.util.find_spec(top)
        if sent is None or spec is None:
            continue
        origin = Path(spec.origin or "")
        if not origin.is_file() or origin.read_bytes() != sent:
            return f"it has another module {top} ({origin}) than the one here"
    return None
