"""What :mod:`boostbench.engine.cluster` has a dask worker do.

Each function is called by name in the worker's process, gives plain values back and raises only
what the caller must hear of.
"""

import asyncio
import contextlib
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.engine.identity import identity, source_hash
from boostbench.engine.shipping import shadowed
from boostbench.engine.station import Station, StationClosed
from boostbench.engine.types import Limits
from boostbench.plan.trial import Trial

# What this process runs, even where its files have changed since.
_LOADED = source_hash()
_WANTED = ("executing", "long-running")

_stations: dict[tuple[str, str], Station] = {}
_lock = threading.Lock()


async def open_station(run: str, settings: Mapping[str, Any], dask_worker: Any) -> dict[str, Any]:
    """Make ready for ``run``; return the identity of this process, or ``refused`` with a reason."""
    try:
        return await asyncio.to_thread(_open, run, settings, dask_worker)
    except Exception as error:
        # Not every exception can be sent.
        return {"refused": f"{type(error).__name__}: {error}"}


def _open(run: str, settings: Mapping[str, Any], worker: Any) -> dict[str, Any]:
    estimators: Sequence[str] = settings["estimators"]
    found = identity(estimators)
    if found["source"] != _LOADED:
        return {"refused": "its files of boostbench have changed since it started: restart it"}
    if (reason := shadowed(estimators, settings["files"])) is not None:
        return {"refused": reason}
    name = (run, worker.address)
    with _lock:
        if name not in _stations:
            folder = Path(tempfile.mkdtemp(prefix="boostbench-", dir=worker.local_directory))
            _stations[name] = Station(
                folder,
                jobs=worker.state.nthreads,
                limits=Limits(**settings["limits"]),
                estimators=estimators,
                files=settings["files"],
                closed=lambda: _forget(name),
            )
    return found


def _forget(name: tuple[str, str]) -> None:
    with _lock:
        _stations.pop(name, None)


async def find_data(
    run: str, fingerprint: str, folders: Sequence[str], dask_worker: Any
) -> bool | None:
    """Return whether the arrays are at hand, in ``folders`` or this machine's cache; None: lost."""
    from boostbench.data.access import default_access

    station = _stations.get((run, dask_worker.address))
    if station is None:
        return None
    everywhere = [*folders, str(default_access().cache_dir / "arrays")]
    return await asyncio.to_thread(station.has_data, fingerprint, everywhere)


async def take_data(
    run: str, fingerprint: str, offset: int, part: bytes, last: bool, dask_worker: Any
) -> str | None:
    """Take a part of the file of the arrays; return what is wrong with it, or ""; None: lost."""
    station = _stations.get((run, dask_worker.address))
    if station is None:
        return None
    return await asyncio.to_thread(station.add_data, fingerprint, offset, part, last)


def run_trial(run: str, key: str, trial: Mapping[str, Any]) -> dict[str, Any]:
    """Run one trial as the dask task ``key``; never raises.

    Returns ``state``: ``done`` with the ``outcome``, ``dropped``, ``unknown`` (no station for this
    run), or ``broken`` with ``why``.
    """
    from distributed import get_worker

    try:
        worker = get_worker()
        station = _stations.get((run, worker.address))
        if station is None:
            return {"state": "unknown"}
        outcome = station.run(Trial.from_dict(trial), lambda: _is_wanted(worker, key))
    except StationClosed as error:
        return {"state": "broken", "why": str(error)} if str(error) else {"state": "unknown"}
    except Exception as error:
        return {"state": "broken", "why": f"{type(error).__name__}: {error}"}
    return (
        {"state": "dropped"} if outcome is None else {"state": "done", "outcome": outcome.to_dict()}
    )


def _is_wanted(worker: Any, key: str) -> bool:
    """Return whether the task still counts.

    It does not when it was cancelled, its client or the scheduler is gone, or the worker closes.
    """
    if worker.status.name not in ("running", "paused", "closing_gracefully"):
        return False
    task = worker.state.tasks.get(key)
    return task is not None and task.state in _WANTED


async def close_station(run: str, dask_worker: Any) -> None:
    """Kill what still runs of ``run``, and end its processes."""
    station = _stations.get((run, dask_worker.address))
    if station is not None:
        with contextlib.suppress(Exception):
            await asyncio.to_thread(station.close, "", 2.0)
