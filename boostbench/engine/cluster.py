"""Trials on the workers of a dask cluster; the store is written here alone."""

import asyncio
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from boostbench.engine import cluster_worker, shipping
from boostbench.engine.clusterchoice import ClusterChoice
from boostbench.engine.clusterlink import Link, WorkerLost, quiet
from boostbench.engine.clusterseats import Act, Flight, Seat, Seats
from boostbench.engine.environment import environment_id
from boostbench.engine.identity import identity
from boostbench.engine.stopping import Flag, Signals
from boostbench.engine.types import Event, Limits, Summary
from boostbench.errors import BoostbenchError
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import FINAL_STATUSES, Outcome

MAX_LOSSES = 5
"""A trial during which that many workers were lost is given up as ``killed``."""

_MAX_BROKEN = 3
_TICK_S = 0.25
_SHORT_S = 1.0
_RECENT = 30


def run_on_cluster(
    trials: Sequence[Trial],
    store: Store,
    *,
    cluster: ClusterChoice,
    arrays_dir: Path,
    limits: Limits = Limits(),  # noqa: B008
    listener: Callable[[Event], None] = lambda event: None,
    stop: Flag | None = None,
    kill: Flag | None = None,
    environment: Mapping[str, Any] | None = None,
) -> Summary:
    """Run ``trials`` on a dask cluster and commit each outcome to ``store``.

    All is as in :func:`boostbench.engine.local.run_trials`, but that each worker of the cluster
    runs as many trials at a time as it has threads, and that the environment of a trial is that of
    its worker. Workers may come and go: what ran on a lost one runs again. A worker whose sources
    or packages differ is never used.

    Raises :class:`~boostbench.errors.BoostbenchError` when there is no scheduler or it goes away,
    and when a worker that was there at the start, or the last one, does not fit.
    """
    stop = stop if stop is not None else threading.Event()
    kill = kill if kill is not None else threading.Event()
    summary = Summary()
    if environment is not None:
        summary.environment_id = environment_id(environment)
    if not trials:
        return summary
    dispatcher = _Dispatcher(trials, store, Path(arrays_dir), limits, listener, summary)
    with Signals(stop, kill) as signals, quiet():
        finished = asyncio.run(
            dispatcher.run(cluster, lambda: signals.tell(listener) or stop.is_set(), kill.is_set)
        )
    summary.interrupted = not finished
    return summary


class _Dispatcher:
    def __init__(
        self,
        trials: Sequence[Trial],
        store: Store,
        arrays_dir: Path,
        limits: Limits,
        listener: Callable[[Event], None],
        summary: Summary,
    ) -> None:
        self._waiting = deque({trial.key: trial for trial in trials}.values())
        self._store, self._arrays_dir = store, arrays_dir
        self._listener, self._summary = listener, summary
        self._limits = {
            "time_s": limits.time_s,
            "memory_bytes": limits.memory_bytes,
            "grace_s": limits.grace_s,
        }
        self._run_id = uuid.uuid4().hex
        self._losses: dict[str, int] = {}
        self._broken: dict[str, int] = {}
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._slots: set[int] = set()

    async def run(
        self,
        cluster: ClusterChoice,
        should_drain: Callable[[], bool],
        should_kill: Callable[[], bool],
    ) -> bool:
        """Run everything; return False when told to drain or to kill before the end."""
        estimators = sorted({trial.estimator for trial in self._waiting})
        files = shipping.sources(estimators)
        async with Link(cluster) as self._link:
            self._seats = Seats(
                self._link,
                self._run_id,
                settings={"limits": self._limits, "estimators": estimators, "files": files},
                identity=identity(estimators),
                arrays_dir=self._arrays_dir,
                names={trial.fingerprint: trial.dataset for trial in self._waiting},
                listener=self._listener,
                lost=self._lost,
                described=self._store.add_environment,
            )
            try:
                return await self._conduct(should_drain, should_kill)
            finally:
                await self._seats.leave()

    async def _conduct(
        self, should_drain: Callable[[], bool], should_kill: Callable[[], bool]
    ) -> bool:
        while not should_kill():
            draining = should_drain()
            if draining:
                self._withdraw(self._queued())
            flying = any(seat.flights for seat in self._seats.all())
            if not flying and (draining or not self._waiting):
                return not self._waiting
            if not draining:
                self._level()
                self._feed()
            for seat in self._seats.all():
                # A worker begins its trials in the order in which they came, one a thread.
                for flight in seat.flights[: seat.threads]:
                    self._begin(flight)
            await self._seats.hear(_TICK_S)
            self._link.check()
        return False

    # -- giving work -----------------------------------------------------------------------------

    def _feed(self) -> None:
        """Give each worker what it has threads for, and more where trials are short."""
        # To a trial that takes seconds the way to the worker does not matter, but if it stands in
        # the queue of a busy worker it may wait for long while another one has nothing to do.
        ahead = 2 if self._recent and fmean(self._recent) < _SHORT_S else 1
        seats = self._seats.ready()
        for n in range(ahead * max((seat.threads for seat in seats), default=0)):
            for seat in seats:
                if not self._waiting:
                    return
                if seat.state != "ready" or len(seat.flights) > n or n >= ahead * seat.threads:
                    continue
                fingerprint = self._waiting[0].fingerprint
                if fingerprint in seat.data:
                    self._launch(seat, self._waiting.popleft())
                else:
                    self._seats.bring_data(seat, fingerprint)

    def _launch(self, seat: Seat, trial: Trial) -> None:
        flight = Flight(trial, seat, time.monotonic())

        async def fly() -> Act:
            try:
                reply = await self._link.submit(
                    seat.address, cluster_worker.run_trial, self._run_id, trial.to_dict()
                )
            except WorkerLost:
                reply = {"state": "unknown"}
            return partial(self._landed, flight, reply)

        seat.flights.append(flight)
        flight.task = self._seats.do(seat, fly)

    def _begin(self, flight: Flight) -> None:
        if flight.slot >= 0:
            return
        flight.slot = next(n for n in range(len(self._slots) + 1) if n not in self._slots)
        flight.since = time.monotonic()
        self._slots.add(flight.slot)
        self._store.mark_running(flight.trial, flight.slot)
        self._listener(Event("start", flight.trial, worker=flight.slot))

    def _queued(self) -> list[Flight]:
        """Return the trials that wait at a worker, the first to be waited for last."""
        return [
            flight
            for seat in self._seats.all()
            for flight in reversed(seat.flights)
            if flight.slot < 0
        ]

    def _withdraw(self, flights: Sequence[Flight]) -> None:
        """Take trials back from their workers."""
        for flight in flights:
            if flight.task is not None:
                flight.task.cancel()
            flight.seat.flights.remove(flight)
            self._free(flight)
            self._waiting.appendleft(flight.trial)

    def _level(self) -> None:
        """Near the end, take trials that wait behind long ones back for workers that are idle."""
        if self._waiting:
            return
        idle = sum(seat.threads for seat in self._seats.ready() if not seat.flights)
        late = time.monotonic() - _SHORT_S
        if idle:
            self._withdraw([flight for flight in self._queued() if flight.since < late][:idle])

    # -- hearing of it ---------------------------------------------------------------------------

    def _landed(self, flight: Flight, reply: Mapping[str, Any]) -> None:
        seat = flight.seat
        if flight not in seat.flights:
            return
        state = reply.get("state")
        if state == "done":
            self._begin(flight)
        seat.flights.remove(flight)
        slot = flight.slot
        if state == "done":
            outcome = Outcome.from_dict(reply["outcome"])
            if outcome.status not in FINAL_STATUSES:
                raise BoostbenchError(f"the worker {seat.address} gave no outcome of a trial")
            self._recent.append(outcome.times.get("wall_s", 0.0))
            self._free(flight)
            self._record(flight.trial, outcome, seat, slot)
            return
        if state == "broken":
            self._free(flight)
            self._waiting.appendleft(flight.trial)
            self._broken[seat.address] = self._broken.get(seat.address, 0) + 1
            if self._broken[seat.address] >= _MAX_BROKEN:
                why = reply.get("why")
                raise BoostbenchError(f"the worker {seat.address} cannot run trials: {why}")
        else:
            # Another process has taken the place of the worker, or it has closed its station.
            self._lost_flight(flight)
        if seat.state in ("ready", "data") and self._seats.by_address.get(seat.address) is seat:
            self._seats.welcome(seat)

    def _lost(self, seat: Seat) -> None:
        begun = sum(flight.slot >= 0 for flight in seat.flights)
        if begun:
            again = "its trial runs" if begun == 1 else f"its {begun} trials run"
            self._seats.say(f"the worker {seat.address} was lost: {again} again")
        for flight in reversed(seat.flights):
            self._lost_flight(flight)
        seat.flights.clear()

    def _lost_flight(self, flight: Flight) -> None:
        """Have the trial run again, unless it may be what ends the workers."""
        trial, slot = flight.trial, flight.slot
        self._free(flight)
        if slot >= 0:
            self._losses[trial.key] = self._losses.get(trial.key, 0) + 1
        losses = self._losses.get(trial.key, 0)
        if losses < MAX_LOSSES:
            self._waiting.appendleft(trial)
            return
        outcome = Outcome("killed", f"{losses} workers of the cluster were lost while it ran")
        self._record(trial, outcome, flight.seat, slot)

    def _record(self, trial: Trial, outcome: Outcome, seat: Seat, slot: int) -> None:
        self._store.record(trial, outcome, seat.environment_id)
        self._summary.environment_id = seat.environment_id
        counts = self._summary.counts
        counts[outcome.status] = counts.get(outcome.status, 0) + 1
        self._losses.pop(trial.key, None)
        self._listener(Event("end", trial, outcome, worker=slot))

    def _free(self, flight: Flight) -> None:
        self._slots.discard(flight.slot)
        flight.slot = -1
