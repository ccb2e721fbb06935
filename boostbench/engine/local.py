"""Trials on this machine: a pool of processes, a thread for each that runs, and the store."""

import contextlib
import queue
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from boostbench.engine.pool import Pool
from boostbench.engine.recording import Recorder
from boostbench.engine.types import Event, Limits, Summary
from boostbench.engine.warming import what_to_warm
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome

__all__ = ["Event", "Limits", "Summary", "run_all", "run_trials"]

_TICK_S = 0.25


def run_trials(trials: Sequence[Trial], store: Store, *, jobs: int, **options: Any) -> Summary:
    """Run ``trials`` (each key once) on ``jobs`` processes and commit each outcome to ``store``.

    ``options`` are those of :class:`~boostbench.engine.recording.Recorder`.

    Raises :class:`~boostbench.errors.StoreError` when an outcome cannot be committed and
    :class:`~boostbench.errors.BoostbenchError` when workers cannot be started. Whatever is raised,
    no worker is left and every committed outcome is kept.
    """
    run = Recorder(store, **options)
    if trials:
        run.describe()
        with run.signals as signals:
            run.summary.interrupted = not run_all(
                trials, jobs, run.arrays_dir, run.limits, run.finish, run.begin, run.listener,
                signals.should_stop, signals.should_kill,
            )  # fmt: skip
    return run.summary


def run_all(
    trials: Sequence[Trial],
    jobs: int,
    arrays_dir: Path,
    limits: Limits,
    finish: Callable[[Trial, Outcome, int], None],
    begin: Callable[[Trial, int], None] = lambda trial, slot: None,
    notify: Callable[[Event], None] = lambda event: None,
    should_drain: Callable[[], bool] = lambda: False,
    should_kill: Callable[[], bool] = lambda: False,
) -> bool:
    """Run ``trials``; return False when asked to drain or to kill before the end.

    All functions are called in this thread, and ``begin`` and ``finish`` with the number of the
    trial among those that run at a time. ``should_drain`` true: no trial begins any more, running
    ones end. ``should_kill`` true: running ones are killed. Whatever is raised, no process is left.
    """
    waiting = deque({trial.key: trial for trial in trials}.values())
    jobs = max(1, min(jobs, len(waiting)))
    events: queue.SimpleQueue[Event | Future[Any]] = queue.SimpleQueue()
    running: dict[Future[Any], tuple[Trial, int]] = {}
    warm_up = what_to_warm(waiting, arrays_dir)
    with ThreadPoolExecutor(jobs) as threads, Pool(arrays_dir, limits, warm_up, events.put) as pool:
        preparing = threads.submit(pool.prepare)
        preparing.add_done_callback(events.put)
        while not should_kill():
            is_draining = should_drain()
            while preparing.done() and waiting and len(running) < jobs and not is_draining:
                trial = waiting.popleft()
                slot = min(set(range(jobs)) - {used for _, used in running.values()})
                begin(trial, slot)
                future = threads.submit(pool.run, trial)
                running[future] = trial, slot
                future.add_done_callback(events.put)
            if not running and (is_draining or not waiting):
                return not waiting
            with contextlib.suppress(queue.Empty):
                event = events.get(timeout=_TICK_S)
                if isinstance(event, Event):
                    notify(event)
                else:
                    outcome = event.result()
                    if event in running:
                        trial, slot = running.pop(event)
                        finish(trial, outcome, slot)
        return False
