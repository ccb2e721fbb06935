"""Trials on this machine: a pool of processes, a thread for each running one, and the store."""

import contextlib
import queue
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Unpack

from boostbench.engine.interface import Event, Summary
from boostbench.engine.pool import Pool
from boostbench.engine.recording import Recorder, RecorderOptions
from boostbench.engine.warming import warm_up_plan
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Outcome

_TICK_S = 0.25


def run_trials(
    trials: Sequence[Trial], store: Store, *, jobs: int, **options: Unpack[RecorderOptions]
) -> Summary:
    """Run ``trials`` (each key once) on ``jobs`` processes and commit each outcome to ``store``.

    ``options`` are those of :class:`~boostbench.engine.recording.Recorder`.

    Raises :class:`~boostbench.errors.StoreError` when an outcome cannot be committed and
    :class:`~boostbench.errors.BoostbenchError` when workers cannot be started. After any exception,
    no worker is left and every committed outcome is kept.
    """
    run = Recorder(store, **options)
    if trials:
        with run:
            run.summary.interrupted = not _LocalRun(trials, jobs, run).run()
    return run.summary


@dataclass(frozen=True)
class _Ended:
    """The end of a trial's thread."""

    trial: Trial
    slot: int
    future: Future[Outcome | None]


class _LocalRun:
    """The threads of a run, each with one trial in one of ``jobs`` slots."""

    def __init__(self, trials: Sequence[Trial], jobs: int, recorder: Recorder) -> None:
        self._recorder = recorder
        self._waiting = deque({trial.key: trial for trial in trials}.values())
        self._free_slots = set(range(max(1, min(jobs, len(self._waiting)))))
        self._n_slots = len(self._free_slots)
        self._events: queue.SimpleQueue[Event | _Ended | Future[None]] = queue.SimpleQueue()

    def run(self) -> bool:
        """Run the trials; return False if interrupted or killed before the end."""
        recorder = self._recorder
        warm_up = warm_up_plan(self._waiting, recorder.arrays_dir)
        workers = Pool(recorder.arrays_dir, recorder.limits, warm_up, self._events.put)
        with ThreadPoolExecutor(self._n_slots) as threads, workers as pool:
            preparing = threads.submit(pool.prepare)
            preparing.add_done_callback(self._events.put)
            while not recorder.should_kill:
                is_draining = recorder.should_stop()
                if preparing.done() and not is_draining:
                    self._begin_trials(threads, pool)
                is_idle = len(self._free_slots) == self._n_slots
                if is_idle and (is_draining or not self._waiting):
                    return not self._waiting
                with contextlib.suppress(queue.Empty):
                    self._handle(self._events.get(timeout=_TICK_S))
            return False

    def _begin_trials(self, threads: ThreadPoolExecutor, pool: Pool) -> None:
        while self._waiting and self._free_slots:
            trial = self._waiting.popleft()
            slot = min(self._free_slots)
            self._free_slots.remove(slot)
            self._recorder.begin(trial, slot)
            future = threads.submit(pool.run, trial)
            future.add_done_callback(partial(self._report_end, trial, slot))

    def _report_end(self, trial: Trial, slot: int, future: Future[Outcome | None]) -> None:
        self._events.put(_Ended(trial, slot, future))

    def _handle(self, event: Event | _Ended | Future[None]) -> None:
        if isinstance(event, Event):
            self._recorder.listener(event)
        elif isinstance(event, _Ended):
            outcome = event.future.result()
            self._free_slots.add(event.slot)
            if outcome is not None:  # the pool was not closed meanwhile
                self._recorder.finish(event.trial, outcome, event.slot)
        else:
            event.result()
            self._recorder.listener(Event("compile"))
