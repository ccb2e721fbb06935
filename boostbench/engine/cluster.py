"""Trials on the workers of a dask cluster; the store is written here alone."""

import asyncio
import contextlib
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from boostbench.engine import cluster_worker, shipping
from boostbench.engine.clusterchoice import ClusterChoice
from boostbench.engine.clusterlink import Link, LinkLost, WorkerLost, WorkerUnfit, quiet
from boostbench.engine.environment import environment_id
from boostbench.engine.identity import identity, mismatch, remark
from boostbench.engine.stopping import Flag, Signals
from boostbench.engine.types import Event, Limits, Summary
from boostbench.errors import BoostbenchError, DataError
from boostbench.plan.trial import Trial
from boostbench.store.database import Store
from boostbench.store.types import FINAL_STATUSES, Outcome

MAX_LOSSES = 5
"""A trial during which that many workers were lost is given up as ``killed``."""

_MAX_BROKEN = 3
_TICK_S = 0.25
_SHORT_S = 1.0
_WAITED_S = 3.0
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
    runs as many trials at a time as it has threads. Workers may come and go: what ran on a lost one
    runs again. A worker whose sources or packages differ is never used.

    Raises :class:`~boostbench.errors.BoostbenchError` when there is no scheduler or it goes away,
    and when a worker that was there at the start, or the last one, does not fit.
    """
    stop = stop if stop is not None else threading.Event()
    kill = kill if kill is not None else threading.Event()
    summary = Summary()
    if environment is not None:
        summary.environment_id = environment_id(dict(environment))
    if not trials:
        return summary
    with Signals(stop, kill) as signals, quiet():
        dispatcher = _Dispatcher(
            trials, store, Path(arrays_dir), limits, listener, environment or {}, summary
        )
        finished = asyncio.run(
            dispatcher.run(cluster, lambda: signals.tell(listener) or stop.is_set(), kill.is_set)
        )
    summary.interrupted = not finished
    return summary


@dataclass(eq=False)
class _Seat:
    """A worker of the cluster: its trials, oldest first, and the data that it has."""

    address: str
    threads: int
    from_start: bool
    state: str = "new"  # then "ready", "data" while some is being sent, or "refused"
    setup: "asyncio.Task[None] | None" = None
    environment_id: str = ""
    flights: list["_Flight"] = field(default_factory=list)
    data: set[str] = field(default_factory=set)
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)


@dataclass(eq=False)
class _Flight:
    """A trial given to a worker; ``slot`` is -1 until it begins as far as can be told."""

    trial: Trial
    seat: _Seat
    since: float
    slot: int = -1
    task: "asyncio.Task[None] | None" = None


class _Dispatcher:
    def __init__(
        self,
        trials: Sequence[Trial],
        store: Store,
        arrays_dir: Path,
        limits: Limits,
        listener: Callable[[Event], None],
        environment: Mapping[str, Any],
        summary: Summary,
    ) -> None:
        self._waiting = deque({trial.key: trial for trial in trials}.values())
        self._store, self._arrays_dir = store, arrays_dir
        self._listener, self._environment, self._summary = listener, environment, summary
        self._estimators = sorted({trial.estimator for trial in self._waiting})
        self._names = {trial.fingerprint: trial.dataset for trial in self._waiting}
        self._settings: dict[str, Any] = {
            "limits": {
                "time_s": limits.time_s,
                "memory_bytes": limits.memory_bytes,
                "grace_s": limits.grace_s,
            },
            "estimators": self._estimators,
        }
        self._run_id = uuid.uuid4().hex
        self._seats: dict[str, _Seat] = {}
        self._losses: dict[str, int] = {}
        self._broken: dict[str, int] = {}
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._slots: set[int] = set()
        self._news: asyncio.Queue[Callable[[], None]] = asyncio.Queue()
        self._said: set[str] = set()
        self._started = time.monotonic()
        self._first_look = True

    async def run(
        self,
        cluster: ClusterChoice,
        should_drain: Callable[[], bool],
        should_kill: Callable[[], bool],
    ) -> bool:
        """Run everything; return False when told to drain or to kill before the end."""
        self._settings["files"] = shipping.sources(self._estimators)
        self._identity = identity(self._estimators)
        async with Link(cluster) as self._link:
            watch = asyncio.create_task(self._watch())
            try:
                return await self._conduct(should_drain, should_kill)
            finally:
                watch.cancel()
                await self._leave()

    async def _conduct(
        self, should_drain: Callable[[], bool], should_kill: Callable[[], bool]
    ) -> bool:
        while not should_kill():
            draining = should_drain()
            if draining:
                self._withdraw(lambda flight: flight.slot < 0)
            flying = any(seat.flights for seat in self._seats.values())
            if not flying and (draining or not self._waiting):
                return not self._waiting
            if not draining:
                self._level()
                self._feed()
            for seat in self._seats.values():
                self._begin_first(seat)
            await self._hear()
            self._link.check()
        return False

    async def _hear(self) -> None:
        """Wait a moment for news, and act on all there are."""
        with contextlib.suppress(TimeoutError):
            act = await asyncio.wait_for(self._news.get(), _TICK_S)
            act()
            while not self._news.empty():
                self._news.get_nowait()()

    async def _leave(self) -> None:
        """Have every worker kill what is left of this run."""
        ready = [seat.address for seat in self._seats.values() if seat.state == "ready"]
        tasks = {task for seat in self._seats.values() for task in seat.tasks}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._link.everywhere(ready, cluster_worker.close_station, self._run_id)

    # -- workers ---------------------------------------------------------------------------------

    async def _watch(self) -> None:
        while True:
            try:
                threads = await self._link.workers()
            except LinkLost:
                threads = None
            if threads is not None:
                self._news.put_nowait(partial(self._compare, threads))
            await asyncio.sleep(2 * _TICK_S)

    def _compare(self, found: Mapping[str, int]) -> None:
        for address in [address for address in self._seats if address not in found]:
            self._lost(self._seats.pop(address))
        for address, threads in found.items():
            if address not in self._seats:
                seat = _Seat(address, threads, self._first_look)
                self._seats[address] = seat
                self._welcome(seat)
        for seat in self._seats.values():
            # A call that was lost on the way, to a worker that is still there, is made again.
            if seat.state in ("new", "data") and seat.setup is not None and seat.setup.done():
                self._welcome(seat)
        # Who was there when the first worker was, was there from the start.
        self._first_look = self._first_look and not found
        late = time.monotonic() - self._started > _WAITED_S
        if late and not any(seat.state == "ready" for seat in self._seats.values()):
            self._say("waiting for workers of the cluster", once="waiting")
        slots = sum(seat.threads for seat in self._seats.values() if seat.state == "ready")
        if slots:
            self._listener(Event("worker", threads=slots))

    def _welcome(self, seat: _Seat) -> None:
        async def ask() -> Callable[[], None]:
            try:
                found = await self._link.call(
                    seat.address, cluster_worker.open_station, self._run_id, self._settings
                )
            except WorkerUnfit as error:
                reason = str(error)
                return lambda: self._refuse(seat, reason)
            return lambda: self._welcomed(seat, found)

        seat.state = "new"
        seat.data.clear()
        seat.setup = self._do(seat, ask())

    def _welcomed(self, seat: _Seat, found: Mapping[str, Any]) -> None:
        reason: str | None
        if "refused" in found:
            reason = f"the worker {seat.address} cannot be used: {found['refused']}"
        else:
            reason = mismatch(self._identity, found, seat.address)
        if reason is not None:
            self._refuse(seat, reason)
            return
        described = dict(found["environment"])
        seat.environment_id = environment_id(described)
        self._store.add_environment(seat.environment_id, described)
        difference = remark(self._identity, found, seat.address)
        if difference is not None:
            self._say(difference, once=seat.environment_id)
        seat.state = "ready"

    def _refuse(self, seat: _Seat, reason: str) -> None:
        seat.state = "refused"
        others = any(other.state == "ready" for other in self._seats.values())
        if seat.from_start or not others:
            raise BoostbenchError(reason)
        self._say(f"{reason}; it gets no trials")

    def _lost(self, seat: _Seat) -> None:
        for task in seat.tasks:
            task.cancel()
        begun = sum(flight.slot >= 0 for flight in seat.flights)
        if begun:
            again = "its trial runs" if begun == 1 else f"its {begun} trials run"
            self._say(f"the worker {seat.address} was lost: {again} again")
        for flight in reversed(seat.flights):
            self._lost_flight(flight)
        seat.flights.clear()

    def _lost_flight(self, flight: _Flight) -> None:
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

    # -- data ------------------------------------------------------------------------------------

    def _bring_data(self, seat: _Seat, fingerprint: str) -> None:
        async def bring() -> Callable[[], None]:
            arrays = str(self._arrays_dir.resolve())
            call, run = self._link.call, self._run_id
            there = await call(seat.address, cluster_worker.find_data, run, fingerprint, [arrays])
            wrong: str | None = ""
            if there is False:
                path = self._arrays_dir / f"{fingerprint}.npz"
                async for offset, part, last in self._link.parts(path):
                    wrong = await call(
                        seat.address, cluster_worker.take_data, run, fingerprint, offset, part, last
                    )
            return lambda: self._brought(seat, fingerprint, there is None or wrong is None, wrong)

        seat.state = "data"
        seat.setup = self._do(seat, bring())

    def _brought(self, seat: _Seat, fingerprint: str, forgotten: bool, wrong: str | None) -> None:
        if forgotten:
            self._welcome(seat)
            return
        if wrong:
            raise DataError(
                f"the data set {self._names[fingerprint]} did not arrive whole at the worker "
                f"{seat.address}: {wrong}"
            )
        seat.data.add(fingerprint)
        seat.state = "ready"

    # -- trials ----------------------------------------------------------------------------------

    def _feed(self) -> None:
        """Give each worker what it has threads for, and more where trials are short."""
        # To a trial that takes seconds the way to the worker does not matter, but if it stands in
        # the queue of a busy worker it may wait for long while another one has nothing to do.
        ahead = 2 if self._recent and fmean(self._recent) < _SHORT_S else 1
        seats = [seat for seat in self._seats.values() if seat.state == "ready"]
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
                    self._bring_data(seat, fingerprint)

    def _launch(self, seat: _Seat, trial: Trial) -> None:
        flight = _Flight(trial, seat, time.monotonic())

        async def fly() -> Callable[[], None]:
            try:
                reply = await self._link.submit(
                    seat.address, cluster_worker.run_trial, self._run_id, trial.to_dict()
                )
            except WorkerLost:
                reply = {"state": "unknown"}
            return lambda: self._landed(flight, reply)

        seat.flights.append(flight)
        flight.task = self._do(seat, fly())

    def _begin_first(self, seat: _Seat) -> None:
        """A worker begins its trials in the order in which they came, one a thread."""
        for flight in seat.flights[: seat.threads]:
            if flight.slot < 0:
                self._begin(flight)

    def _begin(self, flight: _Flight) -> None:
        flight.slot = next(n for n in range(len(self._slots) + 1) if n not in self._slots)
        flight.since = time.monotonic()
        self._slots.add(flight.slot)
        self._store.mark_running(flight.trial, flight.slot)
        self._listener(Event("start", flight.trial, worker=flight.slot))

    def _landed(self, flight: _Flight, reply: Mapping[str, Any]) -> None:
        seat = flight.seat
        if flight not in seat.flights:
            return
        seat.flights.remove(flight)
        state = reply.get("state")
        if state == "done":
            if flight.slot < 0:
                self._begin(flight)
            outcome = Outcome.from_dict(reply["outcome"])
            if outcome.status not in FINAL_STATUSES:
                raise BoostbenchError(f"the worker {seat.address} gave no outcome of a trial")
            slot = flight.slot
            self._free(flight)
            self._recent.append(outcome.times.get("wall_s", 0.0))
            self._record(flight.trial, outcome, seat, slot)
        elif state == "broken":
            self._free(flight)
            self._waiting.appendleft(flight.trial)
            self._broken[seat.address] = self._broken.get(seat.address, 0) + 1
            if self._broken[seat.address] >= _MAX_BROKEN:
                raise BoostbenchError(
                    f"the worker {seat.address} cannot run trials: {reply.get('why')}"
                )
            self._welcome(seat)
        else:
            # Another process has taken the place of the worker, or it has closed its station.
            self._lost_flight(flight)
            if seat.state in ("ready", "data") and self._seats.get(seat.address) is seat:
                self._welcome(seat)

    def _record(self, trial: Trial, outcome: Outcome, seat: _Seat, slot: int) -> None:
        self._store.record(trial, outcome, seat.environment_id)
        self._summary.environment_id = seat.environment_id
        counts = self._summary.counts
        counts[outcome.status] = counts.get(outcome.status, 0) + 1
        self._losses.pop(trial.key, None)
        self._listener(Event("end", trial, outcome, worker=slot))

    def _free(self, flight: _Flight) -> None:
        self._slots.discard(flight.slot)
        flight.slot = -1

    def _withdraw(self, which: Callable[[_Flight], bool]) -> None:
        """Take trials back from workers."""
        for seat in self._seats.values():
            for flight in [flight for flight in seat.flights if which(flight)]:
                if flight.task is not None:
                    flight.task.cancel()
                seat.flights.remove(flight)
                self._free(flight)
                self._waiting.appendleft(flight.trial)

    def _level(self) -> None:
        """Near the end, take trials that wait behind long ones back for workers that are idle."""
        if self._waiting:
            return
        idle = sum(
            seat.threads
            for seat in self._seats.values()
            if seat.state == "ready" and not seat.flights
        )
        late = time.monotonic() - _SHORT_S
        stuck = [
            flight
            for seat in self._seats.values()
            for flight in seat.flights
            if flight.slot < 0 and flight.since < late
        ]
        chosen = stuck[:idle]
        if chosen:
            self._withdraw(lambda flight: flight in chosen)

    # -- inside ----------------------------------------------------------------------------------

    def _do(self, seat: _Seat, work: Any) -> "asyncio.Task[None]":
        """Have ``work`` done for ``seat`` and act on what it comes to, in the main loop."""

        async def attend() -> None:
            try:
                act = await work
            except (WorkerLost, LinkLost):
                # The next look at the workers, or at the scheduler, tells what has become of it.
                return
            except BoostbenchError as error:
                failure = error
                act = lambda: _raise(failure)  # noqa: E731
            self._news.put_nowait(act)

        task = asyncio.create_task(attend())
        seat.tasks.add(task)
        task.add_done_callback(seat.tasks.discard)
        return task

    def _say(self, text: str, once: str = "") -> None:
        if not once or once not in self._said:
            self._said.add(once)
            self._listener(Event("worker", detail=text))


def _raise(error: Exception) -> None:
    raise error
