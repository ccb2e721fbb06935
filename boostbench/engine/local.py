"""Trials on this machine: the supervisor, the store and the signals brought together."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.engine.environment import environment_id, snapshot
from boostbench.engine.stopping import Flag, Signals
from boostbench.engine.supervisor import Supervisor
from boostbench.engine.types import Event, Limits, Summary
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome

__all__ = ["Event", "Limits", "Summary", "run_trials"]


def run_trials(
    trials: Sequence[Trial],
    store: Store,
    *,
    jobs: int,
    arrays_dir: Path,
    limits: Limits = Limits(),  # noqa: B008
    listener: Callable[[Event], None] = lambda event: None,
    stop: Flag | None = None,
    kill: Flag | None = None,
    environment: Mapping[str, Any] | None = None,
) -> Summary:
    """Run ``trials`` (each key once) on ``jobs`` processes and commit each outcome to ``store``.

    ``arrays_dir`` holds the arrays of every data set as ``FINGERPRINT.npz``. ``stop`` set: running
    trials end, no other begins. ``kill`` set: running trials are killed and stay missing. In the
    main thread SIGINT sets ``stop``, a second one ``kill``, and SIGTERM ``kill``; the handlers are
    put back at the end. ``environment`` (default: :func:`snapshot`) is kept in the store once.

    Raises :class:`~boostbench.errors.StoreError` when an outcome cannot be committed and
    :class:`~boostbench.errors.BoostbenchError` when workers cannot be started. Whatever is raised,
    no worker is left and every committed outcome is kept.
    """
    stop = stop if stop is not None else threading.Event()
    kill = kill if kill is not None else threading.Event()
    described = dict(environment) if environment is not None else snapshot()
    summary = Summary(environment_id=environment_id(described))
    if not trials:
        return summary
    store.add_environment(summary.environment_id, described)

    def begin(trial: Trial, slot: int) -> None:
        store.mark_running(trial, slot)
        listener(Event("start", trial, worker=slot))

    def finish(trial: Trial, outcome: Outcome, slot: int) -> None:
        store.record(trial, outcome, summary.environment_id)
        summary.counts[outcome.status] = summary.counts.get(outcome.status, 0) + 1
        listener(Event("end", trial, outcome, worker=slot))

    supervisor = Supervisor(
        trials,
        jobs=jobs,
        arrays_dir=Path(arrays_dir),
        limits=limits,
        begin=begin,
        finish=finish,
        notify=listener,
    )
    with Signals(stop, kill) as signals:
        summary.interrupted = not supervisor.run(
            lambda: signals.tell(listener) or stop.is_set(), kill.is_set
        )
    return summary
