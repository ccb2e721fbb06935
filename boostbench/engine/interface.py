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
class Compiling:
    """Kernels are being compiled: ``part`` (from 1) of ``parts``, each of an estimator and sizes.

    ``folder`` is where they are kept if ``is_kept``, else where nothing can be written.
    """

    part: int
    parts: int
    folder: str
    is_kept: bool

    def __str__(self) -> str:
        """Return what is done, and why, in a line."""
        why = (
            f"once for this version and processor, kept in {self.folder}"
            if self.is_kept
            else f"in each run, as nothing can be written in {self.folder}; NUMBA_CACHE_DIR names "
            "another folder"
        )
        return f"compiling the kernels, part {self.part:,} of {self.parts:,} ({why})"


@dataclass(frozen=True)
class Event:
    """An event for a listener, which is called in the thread of ``run_trials``.

    ``start``: ``worker`` begins ``trial``. ``end``: ``trial`` has the recorded ``outcome``.
    ``worker``: ``detail`` is news of the worker processes. ``stop``: the run was interrupted;
    ``detail`` says what it waits for. ``worker`` counts from 0; -1 is none in particular.
    ``threads``, if not 0, is the number of trials that can run at a time from now on.
    ``compile``: kernels are ``compiling``; None says that this is over.
    """

    kind: Literal["start", "end", "worker", "stop", "compile"]
    trial: Trial | None = None
    outcome: Outcome | None = None
    worker: int = -1
    detail: str = ""
    threads: int = 0
    compiling: Compiling | None = None


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


def changed_sources(path: str) -> TrialError:
    """Return the error for the code behind an import path that is not as it was planned."""
    return TrialError(
        f"the source of {path}, or a package that it imports, was changed after the run began: run "
        "the experiment again"
    )
