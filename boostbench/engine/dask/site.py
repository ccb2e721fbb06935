"""What a dask worker keeps for one run: its environment checked, a pool of processes, the data.

The functions of this module are called by name on a worker and return plain values.
"""

import asyncio
import importlib.util
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import get_worker

from boostbench.engine.environment import environment_id, identity, mismatch, source_hash
from boostbench.engine.pool import Pool
from boostbench.engine.types import Limits
from boostbench.errors import BoostbenchError
from boostbench.plan.trial import Trial

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
    ``sys.path``.
    """

    run: str
    expected: Mapping[str, Any]
    limits: Limits
    estimators: Sequence[str]
    warm_up: Mapping[str, Any]
    files: Mapping[str, bytes]


class _Site:
    """A pool of processes, and a folder for the run's files."""

    def __init__(self, order: Order, worker: Any) -> None:
        self.order = order
        self.found = _checked(order, worker.address)
        self.environment_id = environment_id(self.found["environment"])
        self.folder = Path(tempfile.mkdtemp(prefix="boostbench-", dir=worker.local_directory))
        modules = self.folder / "modules"
        for name, content in order.files.items():
            (modules / name).parent.mkdir(parents=True, exist_ok=True)
            (modules / name).write_bytes(content)
        self.running, self.used = 0, time.monotonic()
        self.watch: asyncio.Task[None] | None = None
        self.pool = Pool(
            self.folder, order.limits, order.warm_up, lambda event: None, [str(modules)]
        )

    async def close_when_idle(self) -> None:
        """Close it when no trial comes for :data:`IDLE_S` seconds: the client may be dead."""
        while self.running or time.monotonic() - self.used < IDLE_S:
            await asyncio.sleep(_LOOK_S)
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Kill every trial and delete the run's files."""
        with _one_at_a_time:
            _sites.pop(self.order.run, None)
        self.pool.close()
        shutil.rmtree(self.folder, ignore_errors=True)


async def prepare(order: Order, dask_worker: Any) -> dict[str, Any]:
    """Check this worker and warm it up; return its identity.

    Raises BoostbenchError where it must not be used.
    """

    def start() -> _Site:
        with _one_at_a_time:
            site = _sites.get(order.run) or _Site(order, dask_worker)
            _sites[order.run] = site
        try:
            site.pool.prepare()
        except BoostbenchError as error:
            site.close()
            message = f"the worker {dask_worker.address} cannot be used: {error}"
            raise BoostbenchError(message) from None
        site.used = time.monotonic()
        return site

    site = await asyncio.to_thread(start)
    site.watch = asyncio.create_task(site.close_when_idle())
    return site.found


def run_trial(run: str, trial: Mapping[str, Any], data: Mapping[str, bytes]) -> Any:
    """Run one trial, with files of ``data`` that are not here; return its outcome.

    None where the run has no pool here any more, or the trial is given up.
    """
    with _one_at_a_time:
        site = _sites.get(run)
        if site is None:
            return None
        for name, content in data.items():
            arriving = site.folder / f"{name}.part"
            arriving.write_bytes(content)
            arriving.replace(site.folder / f"{name}.npz")
        site.running += 1
    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())

    def is_unwanted() -> bool:
        # Dask has given it up: it was cancelled, or its client is gone.
        return task is None or task.state not in ("executing", "long-running")

    try:
        outcome = site.pool.run(Trial.from_dict(trial), is_unwanted)
    finally:
        with _one_at_a_time:
            site.running -= 1
            site.used = time.monotonic()
    if outcome is None:
        return None
    return {"outcome": outcome.to_dict(), "environment_id": site.environment_id}


def _checked(order: Order, address: str) -> dict[str, Any]:
    found = identity(order.estimators)
    if reason := mismatch(order.expected, found, address):
        raise BoostbenchError(reason)
    fault = _shadowed(order.files)
    if found["source"] != _LOADED:
        fault = "its files of boostbench have changed since it started: restart it"
    if fault:
        raise BoostbenchError(f"the worker {address} cannot be used: {fault}")
    return found


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
