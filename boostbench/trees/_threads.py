"""The threads of a fit: a team that shares the points of one start, or a thread for each start."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from boostbench.kernels.team import Team, make_team
from boostbench.kernels.threads import Crew, Threads, thread_count
from boostbench.trees._blocks import arena_size, partial_size
from boostbench.trees._types import Points

# With fewer points for each thread, the threads of a team wait for each other too often.
_POINTS_PER_THREAD = 4096
# Below, threads take longer to start than a start takes to train; from the second on, starts that
# are trained at the same time take too much memory, and a team is about as fast.
_STARTS_FROM, _STARTS_BELOW = 200, 50_000


class SharedPoints:
    """``points`` as each thread of a team gets them, and a way to run a kernel in all threads."""

    def __init__(
        self, points: Points, teams: Sequence[Team] = (), threads: Threads | None = None
    ) -> None:
        self.members = [points._replace(team=team) for team in teams] or [points]
        self._teams, self._threads = teams, threads
        self._crew = Crew(teams, threads) if threads is not None else Crew()

    def run(self, kernel: Callable[..., Any], *own: Sequence[Any]) -> list[Any]:
        """Call ``kernel`` with the points and one item of each of ``own`` in every thread."""
        if self._threads is None:
            return [kernel(self.members[0], *(each[0] for each in own))]
        return self._threads.run(kernel, zip(self.members, *own, strict=True), self._teams)

    def run_short(self, kernel: Callable[..., Any], *own: Sequence[Any]) -> Any:
        """What ``kernel`` returns in the first thread, which is this one: see ``Crew``.

        Faster than ``run``, but cannot be interrupted before the kernel ends.
        """
        return self._crew.run(
            lambda team: kernel(self.members[team.rank], *(each[team.rank] for each in own))
        )

    def end(self) -> None:
        """Stop the threads, if there are any."""
        if self._threads is not None:
            self._crew.end()


@contextmanager
def shared_points(points: Points, depth: int, n_jobs: int | None) -> Iterator[SharedPoints]:
    """Share ``points`` among as many of ``n_jobs`` threads as are worth their while."""
    size = min(thread_count(n_jobs), points.n // _POINTS_PER_THREAD)
    if size < 2:
        yield SharedPoints(points)
        return
    teams = make_team(size, partial_size(points, depth), arena_size(points, depth))
    with Threads(size) as threads:
        shared = SharedPoints(points, teams, threads)
        try:
            yield shared
        finally:
            shared.end()


def train_starts(
    train: Callable[[SharedPoints, Any], Any],
    points: Points,
    depth: int,
    n_jobs: int | None,
    starts: Sequence[Any],
) -> list[Any]:
    """Call ``train`` with the points and each of ``starts``; return its results, in order."""
    size = min(thread_count(n_jobs), len(starts))
    if size < 2 or not _STARTS_FROM <= points.n < _STARTS_BELOW:
        with shared_points(points, depth, n_jobs) as shared:
            return [train(shared, start) for start in starts]
    # Their memory is allocated here: what a kernel allocates is lost if it is stopped.
    teams = [make_team(1, 0, arena_size(points, depth))[0] for _ in range(size)]
    free: SimpleQueue[Team] = SimpleQueue()
    for team in teams:
        free.put(team)

    def train_one(start: Any) -> Any:
        team = free.get()
        try:
            return train(SharedPoints(points._replace(team=team)), start)
        finally:
            # Also after an error: another start may be waiting for it.
            free.put(team)

    with Threads(size) as threads:
        return threads.run(train_one, [(start,) for start in starts], teams)
