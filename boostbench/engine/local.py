"""Trials on this machine: a pool, the store and the signals."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.engine.environment import environment_id, snapshot
from boostbench.engine.pool import Pool
from boostbench.engine.recording import Recorder
from boostbench.engine.stopping import Flag, Signals
from boostbench.engine.types import Event, Limits, Summary
from boostbench.plan.trial import Trial
from boostbench.store.store import Store

__all__ = ["Event", "Limits", "Summary", "run_trials"]


def run_trials(
    trials: Sequence[Trial],
    store: Store,
    *,
    jobs: int,
    arrays_dir: Path,
    limits: Limits = Limits(),  # noqa: B008
    listener: Callable[[Event], None] = lambda event: None,
    stop: Flag = None,
    kill: Flag = None,
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
    recorder = Recorder(store, listener)
    described = dict(environment) if environment is not None else snapshot()
    if not trials:
        return Summary(environment_id=environment_id(described))
    recorder.describe(described)
    pool = Pool(
        trials,
        jobs=jobs,
        arrays_dir=Path(arrays_dir),
        limits=limits,
        begin=recorder.begin,
        finish=recorder.finish,
        notify=listener,
    )
    with Signals(stop, kill, listener) as signals:
        recorder.summary.interrupted = not pool.run(signals.should_stop, signals.should_kill)
    return recorder.summary
