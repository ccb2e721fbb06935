"""The types of the engine's interface."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome


@dataclass(frozen=True)
class TrialLimits:
    """The limits of one trial.

    ``time_s``: wall-clock seconds for the whole trial (loading, training, prediction).
    ``memory_bytes``: memory of the trial and its child processes beyond an idle worker's.
    ``grace_s``: seconds between SIGTERM and SIGKILL for a trial over its time.
    ``import_s``: seconds for the import of the estimator's module, once per worker process, where
    ``time_s`` is less.
    None means no limit.
    """

    time_s: float | None = None
    memory_bytes: int | None = None
    grace_s: float = 2.0
    import_s: float = 60.0

    def over_memory(self) -> Outcome:
        """Return the outcome of a trial over its memory limit."""
        if self.memory_bytes is None:
            return Outcome("memory", "out of memory")
        in_gib, in_mib = self.memory_bytes / 2**30, self.memory_bytes / 2**20
        amount = f"{in_gib:g} GiB" if in_gib >= 1 else f"{in_mib:g} MiB"
        return Outcome("memory", f"over the memory limit of {amount}")


@dataclass(frozen=True)
class Event:
    """An event for a listener, which is called in the thread of ``run_trials``.

    ``start``: ``worker`` begins ``trial``. ``end``: ``trial`` has the recorded ``outcome``.
    ``worker``: ``detail`` is news of the worker processes. ``stop``: the run was interrupted;
    ``detail`` says what it waits for. ``worker`` counts from 0; -1 is none in particular.
    ``threads``, if not 0, is the number of trials that can run at a time from now on.
    ``compiling``: whether kernels are being compiled.
    """

    kind: Literal["start", "end", "worker", "stop"]
    trial: Trial | None = None
    outcome: Outcome | None = None
    worker: int = -1
    detail: str = ""
    threads: int = 0
    compiling: bool = False


@dataclass
class Summary:
    """The result of a run: recorded trials by status, and whether it was interrupted."""

    counts: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False
    environment_id: str = ""

    @property
    def done(self) -> int:
        """The number of trials recorded by this run."""
        return self.counts.total()


class TrialError(Exception):
    """The trial's results are invalid, for a reason in one sentence."""
