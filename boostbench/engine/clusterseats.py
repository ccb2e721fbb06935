"""The workers of a cluster as a run sees them: checked when they come, given data, and missed."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from boostbench.engine import cluster_worker
from boostbench.engine.clusterlink import Link, LinkLost, WorkerLost, WorkerUnfit
from boostbench.engine.environment import environment_id
from boostbench.engine.identity import mismatch, remark
from boostbench.engine.types import Event
from boostbench.errors import BoostbenchError, DataError
from boostbench.plan.trial import Trial

LOOK_S = 0.5
_WAITED_S = 3.0

Act = Callable[[], None]


@dataclass(eq=False)
class Flight:
    """A trial given to a worker; ``slot`` is -1 until it begins as far as can be told."""

    trial: Trial
    seat: "Seat"
    since: float
    slot: int = -1
    task: "asyncio.Task[None] | None" = None


@dataclass(eq=False)
class Seat:
    """A worker of the cluster: its trials, oldest first, and the data that it has.

    ``state``: ``new``, ``ready``, ``data`` while some is on its way to it, or ``refused``.
    """

    address: str
    threads: int
    from_start: bool
    state: str = "new"
    environment_id: str = ""
    flights: list[Flight] = field(default_factory=list)
    data: set[str] = field(default_factory=set)
    setup: "asyncio.Task[None] | None" = None
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)


class Seats:
    """All workers of a run. What it finds out is acted on by :meth:`hear`, one by one.

    ``identity`` is that of this process, ``settings`` go to every worker, ``names`` are those of
    the data sets by fingerprint. ``lost`` is told of a worker that is gone, ``described`` of each
    environment once.
    """

    def __init__(
        self,
        link: Link,
        run_id: str,
        *,
        settings: Mapping[str, Any],
        identity: Mapping[str, Any],
        arrays_dir: Path,
        names: Mapping[str, str],
        listener: Callable[[Event], None],
        lost: Callable[[Seat], None],
        described: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        self._link, self._run_id = link, run_id
        self._settings, self._identity = settings, identity
        self._arrays_dir, self._names = arrays_dir, names
        self._listener, self._tell_lost, self._tell_described = listener, lost, described
        self._news: asyncio.Queue[Act] = asyncio.Queue()
        self._said: set[str] = set()
        self._started = time.monotonic()
        self._first_look = True
        self._threads = 0
        self._watcher = asyncio.create_task(self._watch())
        self.by_address: dict[str, Seat] = {}

    def all(self) -> list[Seat]:
        """Return the workers in sight."""
        return list(self.by_address.values())

    def ready(self) -> list[Seat]:
        """Return the workers that can be given trials."""
        return [seat for seat in self.by_address.values() if seat.state == "ready"]

    async def hear(self, patience_s: float) -> None:
        """Wait up to ``patience_s`` seconds for news, and act on all there are."""
        try:
            act = await asyncio.wait_for(self._news.get(), patience_s)
        except TimeoutError:
            return
        act()
        while not self._news.empty():
            self._news.get_nowait()()

    async def leave(self) -> None:
        """Have every worker kill what is left of this run."""
        tasks = {self._watcher, *(task for seat in self.all() for task in seat.tasks)}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        opened = [seat.address for seat in self.all() if seat.state != "refused"]
        await self._link.everywhere(opened, cluster_worker.close_station, self._run_id)

    def do(self, seat: Seat, work: Callable[[], Awaitable[Act]]) -> "asyncio.Task[None]":
        """Have ``work`` done for ``seat``; :meth:`hear` acts on what it comes to."""

        async def attend() -> None:
            try:
                act = await work()
            except (WorkerLost, LinkLost):
                # The next look at the workers, or at the scheduler, tells what has become of it.
                return
            except BoostbenchError as error:
                act = partial(_raise, error)
            self._news.put_nowait(act)

        task = asyncio.create_task(attend())
        seat.tasks.add(task)
        task.add_done_callback(seat.tasks.discard)
        return task

    def say(self, text: str, once: str = "") -> None:
        """Tell the user something; what has the name ``once`` a single time."""
        if not once or once not in self._said:
            self._said.add(once)
            self._listener(Event("worker", detail=text))

    # -- coming and going ------------------------------------------------------------------------

    async def _watch(self) -> None:
        while True:
            try:
                found = await self._link.workers()
            except LinkLost:
                pass
            else:
                self._news.put_nowait(partial(self._compare, found))
            await asyncio.sleep(LOOK_S)

    def _compare(self, found: Mapping[str, int]) -> None:
        for address in [address for address in self.by_address if address not in found]:
            seat = self.by_address.pop(address)
            for task in seat.tasks:
                task.cancel()
            self._tell_lost(seat)
        for address, threads in found.items():
            if address not in self.by_address:
                self.by_address[address] = Seat(address, threads, self._first_look)
                self.welcome(self.by_address[address])
        # Those who are there together with the first were there from the start.
        self._first_look = self._first_look and not found
        for seat in self.all():
            # A call that was lost on the way, to a worker that is still there, is made again.
            if seat.state in ("new", "data") and seat.setup is not None and seat.setup.done():
                self.welcome(seat)
        working = [seat for seat in self.all() if seat.state in ("ready", "data")]
        if not working and time.monotonic() - self._started > _WAITED_S:
            self.say(self._link.waiting, once="waiting")
        threads = sum(seat.threads for seat in working)
        if threads not in (0, self._threads):
            self._threads = threads
            self._listener(Event("worker", threads=threads))

    def welcome(self, seat: Seat) -> None:
        """Have ``seat`` make ready for this run, whether or not it was before, and check it."""

        async def ask() -> Act:
            try:
                found = await self._link.call(
                    seat.address, cluster_worker.open_station, self._run_id, self._settings
                )
            except WorkerUnfit as error:
                return partial(self._refuse, seat, str(error))
            return partial(self._welcomed, seat, found)

        seat.state = "new"
        seat.data.clear()
        seat.setup = self.do(seat, ask)

    def _welcomed(self, seat: Seat, found: Mapping[str, Any]) -> None:
        reason: str | None
        if "refused" in found:
            reason = f"the worker {seat.address} cannot be used: {found['refused']}"
        else:
            reason = mismatch(self._identity, found, seat.address)
        if reason is not None:
            self._refuse(seat, reason)
            return
        described = found["environment"]
        seat.environment_id = environment_id(described)
        if seat.environment_id not in self._said:
            self._tell_described(seat.environment_id, described)
            difference = remark(self._identity, found, seat.address)
            if difference is not None:
                self.say(difference)
            self._said.add(seat.environment_id)
        seat.state = "ready"

    def _refuse(self, seat: Seat, reason: str) -> None:
        seat.state = "refused"
        others = any(seat.state in ("ready", "data") for seat in self.all())
        if seat.from_start or not others:
            raise BoostbenchError(reason)
        self.say(f"{reason}; until then it gets no trials")

    # -- data ------------------------------------------------------------------------------------

    def bring_data(self, seat: Seat, fingerprint: str) -> None:
        """See that ``seat`` has the arrays; until then it is not ready."""

        async def bring() -> Act:
            call, run = self._link.call, self._run_id
            folders = [str(self._arrays_dir.resolve())]
            there = await call(seat.address, cluster_worker.find_data, run, fingerprint, folders)
            wrong: str | None = "" if there is not None else None
            if there is False:
                path = self._arrays_dir / f"{fingerprint}.npz"
                async for offset, part, last in self._link.parts(path):
                    wrong = await call(
                        seat.address, cluster_worker.take_data, run, fingerprint, offset, part, last
                    )
            return partial(self._brought, seat, fingerprint, wrong)

        seat.state = "data"
        seat.setup = self.do(seat, bring)

    def _brought(self, seat: Seat, fingerprint: str, wrong: str | None) -> None:
        if wrong is None:
            self.welcome(seat)
            return
        if wrong:
            raise DataError(
                f"the data set {self._names[fingerprint]} did not arrive whole at the worker "
                f"{seat.address}: {wrong}"
            )
        seat.data.add(fingerprint)
        if seat.state == "data":
            seat.state = "ready"


def _raise(error: Exception) -> None:
    raise error
