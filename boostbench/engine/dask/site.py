"""A dask worker's state for one run: its checked environment, a pool of processes, the data.

The functions of this module are called by name on a worker and return plain values.
"""

import contextlib
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from distributed import get_worker

from boostbench.engine.environment import Identity, identity, mismatch, source_hash
from boostbench.engine.interface import TrialLimits
from boostbench.engine.messages import WarmUp
from boostbench.engine.pool import Pool
from boostbench.errors import BoostbenchError
from boostbench.plan.trial import Trial
from boostbench.values import Record

IDLE_S = 30.0
_LOOK_S = 0.5

# The sources of this process, even if the files have changed since.
_LOADED = source_hash()
_sites: dict[str, "_Site"] = {}
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Order:
    """A run's settings for a worker: ``expected`` is the identity of the submitting process.

    ``files`` are the sources of modules that are not installed, by name below a folder on
    ``sys.path``.
    """

    run: str
    expected: Identity
    limits: TrialLimits
    estimators: Sequence[str]
    warm_up: WarmUp
    files: Mapping[str, bytes]


class _Site:
    """A pool of processes, and a folder for the run's files."""

    def __init__(self, order: Order) -> None:
        self.order, worker = order, get_worker()
        self.identity = identity(order.estimators)
        difference = mismatch(order.expected, self.identity)
        if self.identity["source"] != _LOADED:
            difference = difference or "its files have changed since it started"
        if difference:
            raise BoostbenchError(
                f"it is unlike this machine ({difference}): install the same there"
            )
        self.folder = Path(tempfile.mkdtemp(prefix="boostbench-", dir=worker.local_directory))
        modules = self.folder / "modules"
        for name, content in order.files.items():
            (modules / name).parent.mkdir(parents=True, exist_ok=True)
            (modules / name).write_bytes(content)
        self.pool = Pool(self.folder, order.limits, order.warm_up, path=[str(modules)])
        self.running, self.used = 0, time.monotonic()

    def close_when_idle(self) -> None:
        """Close it when no trial comes for :data:`IDLE_S` seconds: the client may be dead."""
        while self.order.run in _sites:
            time.sleep(_LOOK_S)
            with _one_at_a_time:
                if not self.running and time.monotonic() - self.used > IDLE_S:
                    del _sites[self.order.run]
        self.pool.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def prepare(order: Order) -> Identity:
    """Check this worker and warm it up; return its identity.

    Raises BoostbenchError where it must not be used.
    """
    with _one_at_a_time:
        if order.run not in _sites:
            _sites[order.run] = site = _Site(order)
            threading.Thread(target=site.close_when_idle, daemon=True).start()
    with _in_use(order.run) as used:
        assert used is not None
        used.pool.prepare()
        return used.identity


@contextlib.contextmanager
def _in_use(run: str) -> Iterator[_Site | None]:
    """Yield the site of a run, if any, and keep it open."""
    with _one_at_a_time:
        site = _sites.get(run)
        if site:
            site.running += 1
    try:
        yield site
    finally:
        if site:
            with _one_at_a_time:
                site.running, site.used = site.running - 1, time.monotonic()


def run_trials(
    run: str, trials: Sequence[Record], data: Mapping[str, bytes]
) -> list[Record] | None:
    """Run trials, with files of ``data`` that are missing here; return their outcomes.

    They are fewer if the trials are given up meanwhile, and None if the run has no pool here.
    """
    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())

    def is_cancelled() -> bool:
        # Dask has given it up: it was cancelled, or its client is gone.
        return task is None or task.state not in ("executing", "long-running")

    with _in_use(run) as site:
        if site is None:
            return None
        for name, content in data.items():
            arriving = site.folder / f"{name}.{threading.get_ident()}"
            arriving.write_bytes(content)
            arriving.replace(site.folder / f"{name}.npz")
        outcomes: list[Record] = []
        for trial in trials:
            outcome = site.pool.run(Trial.from_dict(trial), is_cancelled)
            if outcome is None:
                break
            outcomes.append(vars(outcome))
        return outcomes
