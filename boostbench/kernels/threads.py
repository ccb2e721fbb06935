"""Threads for the length of a fit, for kernels that release the GIL."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Any, Self

from joblib import effective_n_jobs

from boostbench.kernels.team import STOP, Team


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
