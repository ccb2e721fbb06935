"""What runs the trials of a run: processes on this machine, this process, or a cluster."""

from collections.abc import Sequence
from functools import partial
from typing import Protocol, Unpack

from boostbench.engine import local
from boostbench.engine.dask.options import ClusterSpec
from boostbench.engine.in_process import run_in_process
from boostbench.engine.interface import Summary
from boostbench.engine.recording import RecorderOptions
from boostbench.plan.trial import Trial
from boostbench.store.store import Store


class Runner(Protocol):
    """Runs trials and commits each outcome to a store.

    The options are those of :class:`~boostbench.engine.recording.Recorder`.
    """

    def __call__(
        self, trials: Sequence[Trial], store: Store, **options: Unpack[RecorderOptions]
    ) -> Summary:
        """Return what was run; an interrupt ends it early."""


def runner_of(cluster: ClusterSpec | None, *, in_process: bool, jobs: int) -> Runner:
    """Return the runner for a cluster, this process, or ``jobs`` trials at a time here."""
    if cluster is not None:
        # distributed is an extra, and takes as long to import as everything else.
        from boostbench.engine.dask.dispatch import run_on_cluster

        return partial(run_on_cluster, cluster=cluster)
    return run_in_process if in_process else partial(local.run_trials, jobs=jobs)
