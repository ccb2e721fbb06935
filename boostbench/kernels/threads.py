"""Threads for the length of a fit, for kernels that release the GIL."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from joblib import effective_n_jobs

from boostbench.kernels.team import SOLO, STOP, Team, make_team


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
    """A team and its threads, or one thread only, for kernels that take a ``Team`` first."""

    def __init__(self, teams: Sequence[Team] = (SOLO,), threads: Threads | None = None) -> None:
        self.size = len(teams)
        self._teams, self._threads = teams, threads

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """Call ``kernel`` in every thread of the team; what the first one returns."""
        if self._threads is None:
            return kernel(SOLO, *arguments)
        calls = ((team, *arguments) for team in self._teams)
        return self._threads.run(kernel, calls, self._teams)[0]

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Yield the result of each item in order; a few are computed ahead."""
        if self._threads is None:
            return map(function, items)
        return self._threads.map_ahead(function, items, self.size)


@contextmanager
def crew_of(size: int) -> Iterator[Crew]:
    """A crew of ``size`` threads until the end of the ``with`` block."""
    if size < 2:
        yield Crew()
        return
    with Threads(size) as threads:
        yield Crew(make_team(size, 0, 0), threads)
