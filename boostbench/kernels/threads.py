"""Threads for the length of a fit, for kernels that release the GIL."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

from joblib import effective_n_jobs

from boostbench.kernels.jit import entry_of
from boostbench.kernels.team import (
    NEXT,
    SOLO,
    STOP,
    Team,
    await_begin,
    make_team,
    number_place,
)


def thread_count(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` stands for, as in joblib: None for 1 or what the context says.

    Raises ValueError for 0.
    """
    return int(effective_n_jobs(n_jobs))


class Threads:
    """``size`` threads, from the first call until the end of the ``with`` block.

    They belong to one fit: a process that is forked later shares none of them.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="boostbench")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def run(
        self, task: Callable[..., Any], arguments: Iterable[Sequence[Any]], teams: Sequence[Team]
    ) -> list[Any]:
        """Call ``task`` with each of ``arguments``, each call in a thread; its results, in order.

        As many calls run at a time as there are threads, which is at least as many as wait for each
        other. If one fails, or the wait is interrupted, ``teams`` are stopped at their next
        barrier, and the error is raised when all have ended.
        """
        calls: list[Future[Any]] = []
        try:
            calls += [self._pool.submit(task, *each) for each in arguments]
            wait(calls, return_when=FIRST_EXCEPTION)
            for call in calls:
                if call.done():
                    call.result()
            return [call.result() for call in calls]
        except BaseException:
            for team in teams:
                team.sync[STOP] = 1
            for call in calls:
                call.cancel()
            wait(calls)
            raise

    def map_ahead(
        self, function: Callable[[Any], Any], items: Iterable[Any], lookahead: int
    ) -> Iterator[Any]:
        """Yield the result of each item in order, with ``lookahead`` calls under way meanwhile."""
        calls: deque[Future[Any]] = deque()
        for item in items:
            calls.append(self._pool.submit(function, item))
            if len(calls) > lookahead:
                yield calls.popleft().result()
        while calls:
            yield calls.popleft().result()


class Crew:
    """A team and its threads, or one thread only, for kernels that take a ``Team`` first.

    This thread is the first of the team; the others run from the first kernel on, until ``end``. A
    kernel calls ``begin`` first, for speed, and its last act on what threads share precedes a
    barrier or is the first thread's.
    """

    def __init__(self, teams: Sequence[Team] = (SOLO,), threads: Threads | None = None) -> None:
        self.size = len(teams)
        self._teams, self._threads = teams, threads
        self._workers: list[threading.Thread] = []
        self._jobs: list[SimpleQueue[Any]] = [SimpleQueue() for _ in teams[1:]]
        self._errors: list[BaseException] = []

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """Call ``kernel`` in every thread of the team; what the first one returns.

        If one fails, the others are stopped at their next barrier, and the error is raised; the
        crew is then of no more use.
        """
        if self._threads is None:
            return kernel(SOLO, *arguments)
        team = self._teams[0]
        team.sync[NEXT] += 1
        for jobs in self._jobs:
            jobs.put((kernel, arguments))
        if not self._workers:
            self._start()
        try:
            found = kernel(team, *arguments)
        except Exception as error:
            # That the team was stopped is what follows from another's error.
            raise (self._errors or [error])[0] from None
        if self._errors:
            raise self._errors[0]
        return found

    def if_worthwhile(self, n_blocks: int) -> "Crew":
        """This crew for work that consists of several blocks, else one thread."""
        return self if n_blocks > 1 else Crew()

    def bound(self, kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
        """``run`` with ``kernel`` and its first ``arguments``; the rest must keep its types.

        These are looked up in the first call only.
        """
        entry = kernel

        def call(*rest: Any) -> Any:
            nonlocal entry
            found = self.run(entry, *arguments, *rest)
            if entry is kernel:
                entry = entry_of(kernel, (SOLO, *arguments, *rest))
            return found

        return call

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Yield the result of each item in order; a few are computed ahead."""
        if self._threads is None:
            return map(function, items)
        return self._threads.map_ahead(function, items, self.size)

    def end(self) -> None:
        """Stop the threads at their next barrier, and wait for their end."""
        self._teams[0].sync[STOP] = 1
        for jobs in self._jobs:
            jobs.put(None)
        for worker in self._workers:
            if worker.ident is not None:
                worker.join()
        self._workers = []

    def _start(self) -> None:
        self._workers = [
            threading.Thread(target=self._work, args=each, name=f"boostbench-{each[0].rank}")
            for each in zip(self._teams[1:], self._jobs, strict=True)
        ]
        for worker in self._workers:
            worker.start()

    def _work(self, team: Team, jobs: "SimpleQueue[Any]") -> None:
        number, own_number = 0, number_place(team.rank)
        while True:
            number += 1
            await_begin(team.sync, number)
            team.sync[own_number] = number
            job = jobs.get()
            if job is None:
                return
            kernel, arguments = job
            try:
                kernel(team, *arguments)
            except BaseException as error:
                self._errors.append(error)
                team.sync[STOP] = 1


@contextmanager
def crew_of(size: int) -> Iterator[Crew]:
    """A crew of ``size`` threads until the end of the ``with`` block."""
    if size < 2:
        yield Crew()
        return
    with Threads(size) as threads:
        crew = Crew(make_team(size, 0, 0), threads)
        try:
            yield crew
        finally:
            crew.end()
