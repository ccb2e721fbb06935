"""The words in which the engine speaks to its callers."""

from dataclasses import dataclass, field
from typing import Literal

from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome


@dataclass(frozen=True)
class Limits:
    """What one trial may use.

    ``time_s``: wall-clock seconds for the whole trial (loading, training, prediction).
    ``memory_bytes``: what the trial and its child processes add to an idle worker's memory.
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
    """Something a listener may show. It is called in the thread of ``run_trials``.

    ``start``: ``worker`` begins ``trial``. ``end``: ``trial`` has the recorded ``outcome``.
    ``worker``: ``detail`` says what happens to the worker processes. ``stop``: the run was asked
    to end; ``detail`` says what it waits for. ``worker`` counts from 0; -1 is none in particular.
    ``threads``, where it is not 0: so many trials can run at a time from now on. ``compiling``:
    whether kernels are being compiled.
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

    counts: dict[str, int] = field(default_factory=dict)
    interrupted: bool = False
    environment_id: str = ""

    @property
    def done(self) -> int:
        """The number of trials recorded by this run."""
        return sum(self.counts.values())


class TrialError(Exception):
    """A trial that cannot count, with the reason as one sentence."""
