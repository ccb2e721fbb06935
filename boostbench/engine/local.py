"""Trials on this machine: a pool of processes, a thread for each running one, and the store."""

import contextlib
import queue
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from boostbench.engine.pool import Pool
from boostbench.engine.recording import Recorder
from boostbench.engine.types import Event, Summary
from boostbench.engine.warming import warm_up_plan
from boostbench.plan.trial import Trial
from boostbench.store.store import Store

_TICK_S = 0.25
# A longer wait before the first trial is the compilation of kernels.
_IMPORTS_S = 8.0


def run_trials(trials: Sequence[Trial], store: Store, *, jobs: int, **options: Any) -> Summary:
    """Run ``trials`` (each key once) on ``jobs`` processes and commit each outcome to ``store``.

    ``options`` are those of :class:`~boostbench.engine.recording.Recorder`.

    Raises :class:`~boostbench.errors.StoreError` when an outcome cannot be committed and
    :class:`~boostbench.errors.BoostbenchError` when workers cannot be started. After any exception,
    no worker is left and every committed outcome is kept.
    """
    run = Recorder(store, **options)
    if trials:
        with run:
            run.summary.interrupted = not _run(trials, jobs, run)
    return run.summary


def _run(trials: Sequence[Trial], jobs: int, run: Recorder) -> bool:
    """Run ``trials``; return False if interrupted or killed before the end."""
    waiting = deque({trial.key: trial for trial in trials}.values())
    jobs = max(1, min(jobs, len(waiting)))
    events: queue.SimpleQueue[Event | Future[Any]] = queue.SimpleQueue()
    running: dict[Future[Any], tuple[Trial, int]] = {}
    workers = Pool(run.arrays_dir, run.limits, warm_up_plan(waiting, run.arrays_dir), events.put)
    with ThreadPoolExecutor(jobs) as threads, workers as pool:
        preparing = threads.submit(pool.prepare)
        preparing.add_done_callback(events.put)
        compiles_at = time.monotonic() + _IMPORTS_S
        while not run.should_kill:
            is_draining = run.should_stop()
            if time.monotonic() > compiles_at and not preparing.done():
                run.listener(Event("worker", compiling=True))
            while preparing.done() and waiting and len(running) < jobs and not is_draining:
                trial = waiting.popleft()
                slot = min(set(range(jobs)) - {used for _, used in running.values()})
                run.begin(trial, slot)
                future = threads.submit(pool.run, trial)
                running[future] = trial, slot
                future.add_done_callback(events.put)
            if not running and (is_draining or not waiting):
                return not waiting
            with contextlib.suppress(queue.Empty):
                event = events.get(timeout=_TICK_S)
                if isinstance(event, Event):
                    run.listener(event)
                else:
                    outcome = event.result()
                    if event in running:
                        trial, slot = running.pop(event)
                        run.finish(trial, outcome, slot)
                    else:
                        run.listener(Event("worker", compiling=False))
        return False
