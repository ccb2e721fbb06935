"""Teams of threads: barriers, sums in a fixed order, and how they end."""

import os
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pytest

from boostbench.kernels.jit import kernel
from boostbench.kernels.processors import leave, processor
from boostbench.kernels.team import (
    SOLO,
    add_rows,
    barrier,
    begin,
    claim,
    floats,
    make_team,
    next_loop,
    ordered_sums,
    partial_sums,
    share,
    take,
)
from boostbench.kernels.threads import Crew, Threads, crew_of, thread_count


@kernel
def _sums_of_rows(team, values, rounds, at_once, out):
    """``out[r]`` = the sum of the rows of ``values`` times r + 1, each round after the last.

    The first thread may add its first rows ``at_once``.
    """
    n = values.shape[0]
    scaled = floats(team, n)
    for r in range(rounds):
        start, end = share(team, n)
        for i in range(start, end):
            scaled[i] = values[i, 0] * (r + 1)
        barrier(team)
        sums = ordered_sums(team, n, np.zeros(1))
        own_end = end if team.rank == 0 and at_once else 0
        added = 0
        loop = next_loop(team)
        start, end = claim(team, loop, n, 0)
        while start < end:
            for i in range(start, end):
                sums[i, 0] = scaled[i]
                if i == added and i < own_end:
                    sums[n, 0] += scaled[i]
                    added += 1
            start, end = claim(team, loop, n, end)
        out[r] = add_rows(team, loop, sums, added)[0]


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_sums_are_taken_in_the_order_of_the_rows_by_any_number_of_threads(
    size: int, at_once: bool
) -> None:
    rng = np.random.default_rng(0)
    # Of these magnitudes, each order of the sum has other bits.
    values = rng.normal(size=(101, 1)) * 10.0 ** rng.integers(-8, 9, (101, 1))
    rounds = 400
    expected = [sum((values[:, 0] * (r + 1)).tolist()) for r in range(rounds)]
    teams = make_team(size, len(values) + 1, len(values))
    outs = [np.zeros(rounds) for _ in teams]
    with Threads(size) as threads:
        threads.run(
            lambda team, out: _sums_of_rows(team, values, rounds, at_once, out),
            zip(teams, outs, strict=True),
            teams,
        )
    assert all(out.tolist() == expected for out in outs)
    assert sum(sorted(values[:, 0].tolist())) != expected[0]


def test_shares_are_all_there_is_once() -> None:
    for size in (1, 2, 3, 7):
        parts = [share(team, 23) for team in make_team(size, 0, 0)]
        assert [i for start, end in parts for i in range(start, end)] == list(range(23))


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("n", [0, 1, 5, 23, 1000])
def test_claims_are_all_there_is_once_whoever_comes_first(size: int, n: int) -> None:
    rng = np.random.default_rng(size * n)
    teams = make_team(size, 0, 0)
    for _ in range(20):
        loops = [next_loop(team) for team in teams]
        assert len(set(loops)) == 1
        claimed: list[int] = []
        at, busy = [0] * size, list(range(size))
        while busy:
            rank = int(rng.choice(busy))
            start, end = claim(teams[rank], loops[rank], n, at[rank])
            claimed += range(start, end)
            at[rank] = end
            if start == end:
                busy.remove(rank)
        assert sorted(claimed) == list(range(n))


def test_a_thread_claims_its_own_share_first_and_nothing_once_others_are_further() -> None:
    first, second = make_team(2, 0, 0)
    loop = next_loop(first)
    assert claim(first, loop, 100, 0) == (0, 12)
    assert next_loop(second) == loop
    assert claim(second, loop, 100, 0) == (50, 62)
    rest = []
    start, end = claim(second, loop, 100, 62)
    while start < end:
        rest += range(start, end)
        start, end = claim(second, loop, 100, end)
    assert rest == [*range(62, 100), *range(12, 50)]
    # The second thread goes on to its next loop; the first is still in this one.
    later = next_loop(second)
    assert claim(second, later, 10, 0)[0] == 5
    start, end = claim(first, loop, 100, 12)
    assert start == end


@kernel
def _takers(team, taken, n, owner, order):
    """Set ``owner[i]`` to the rank that took i of ``range(n)``, and ``order[i]`` to when it did."""
    first, end = take(team, taken, 0, n)
    count = 0
    while first < end:
        for i in range(first, end):
            owner[i] += team.rank + 1
            order[i] = count
            count += 1
        first, end = take(team, taken, 0, n)
    barrier(team)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 5, 1000])
def test_all_is_taken_once_and_in_ascending_order(size: int, n: int) -> None:
    taken, owner, order = np.zeros(1, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    with crew_of(size) as crew:
        crew.run(_takers, taken, n, owner, order)
    assert set(owner) <= set(range(1, size + 1))
    for rank in set(owner):
        assert order[owner == rank].tolist() == list(range((owner == rank).sum()))


def test_too_many_numbers_for_the_team_are_refused() -> None:
    teams = make_team(2, 4, 4)
    with pytest.raises(MemoryError):
        partial_sums(teams[0], 9, 1)
    assert floats(teams[0], 3).shape == (3,)
    with pytest.raises(MemoryError):
        floats(teams[0], 2)
    assert floats(SOLO, 1000).shape == (1000,)


def test_one_thread_that_fails_ends_the_others() -> None:
    teams = make_team(3, 0, 0)

    def task(rank: int) -> None:
        if rank == 1:
            time.sleep(0.05)
            raise OSError("the one that failed")
        barrier(teams[rank])

    with Threads(3) as threads, pytest.raises(OSError, match="the one that failed"):
        threads.run(task, [(0,), (1,), (2,)], teams)
    assert not [t for t in threading.enumerate() if t.name.startswith("boostbench")]


@kernel
def _ranks_meet(team, places, fail_at):
    begin(team)
    places[team.rank] += 1
    if fail_at == team.rank:
        raise ValueError("the one that failed")
    barrier(team)
    return places.sum()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_crew_runs_a_kernel_again_and_again(size: int) -> None:
    places = np.zeros(size, dtype=np.int64)
    with crew_of(size) as crew:
        call = crew.bound(_ranks_meet, places)
        assert [call(-1) for _ in range(300)] == list(range(size, 301 * size, size))
        time.sleep(0.01)
        assert crew.run(_ranks_meet, places, -1) == 301 * size


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_an_error_in_any_thread_of_a_crew_is_raised_and_ends_all(rank: int) -> None:
    places = np.zeros(3, dtype=np.int64)
    with crew_of(3) as crew:
        crew.run(_ranks_meet, places, -1)
        with pytest.raises(ValueError, match="the one that failed"):
            crew.run(_ranks_meet, places, rank)
    assert not [t for t in threading.enumerate() if t.name.startswith("boostbench")]


def test_results_come_in_order_and_errors_at_their_place() -> None:
    def slow_square(i: int) -> int:
        time.sleep(0.01 * (i % 3))
        return i * i

    for size in (1, 3):
        with crew_of(size) as crew:
            assert list(crew.map(slow_square, range(10))) == [i * i for i in range(10)]
    assert Crew().size == 1
    with crew_of(2) as crew:
        results = crew.map(lambda i: 1 // (2 - i), range(4))
        assert [next(results), next(results)] == [0, 1]
        with pytest.raises(ZeroDivisionError):
            next(results)


def test_n_jobs_is_read_as_joblib_reads_it() -> None:
    assert (thread_count(None), thread_count(3)) == (1, 3)
    assert thread_count(-1) == joblib.cpu_count()
    with joblib.parallel_config(backend="threading", n_jobs=5):
        assert (thread_count(None), thread_count(2)) == (5, 2)
    with pytest.raises(ValueError, match="n_jobs"):
        thread_count(0)


@kernel
def _moves(count, where):
    """Leave the processor ``count`` times; ``where`` (count, 2) is where that began and ended."""
    for i in range(count):
        where[i, 0] = processor()
        leave(where[i, 0])
        where[i, 1] = processor()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux only")
def test_a_thread_leaves_its_processor_if_it_may_use_another() -> None:
    allowed = os.sched_getaffinity(0)
    where = np.zeros((50, 2), dtype=np.int64)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        _moves(50, where)
        assert os.sched_getaffinity(0) == {min(allowed)}
        assert set(where.ravel().tolist()) == {min(allowed)}
    finally:
        os.sched_setaffinity(0, allowed)
    if len(allowed) > 1:
        _moves(50, where)
        # It may go back at any time where others want to run.
        assert (where[:, 0] != where[:, 1]).sum() > 25
        assert os.sched_getaffinity(0) == allowed


_ELSEWHERE = """
import sys
import numba
sys.platform = "darwin"
from boostbench.kernels.jit import kernel
from boostbench.kernels.processors import leave, processor

@kernel
def leave_it():
    leave(3)
    return processor()

print(leave_it(), *(name for name in ("sched_", "affinity") if any(
    name in code for code in leave_it.inspect_llvm().values())))
"""


def test_elsewhere_than_on_linux_threads_stay_where_they_are() -> None:
    # A call of a function that is not there would end the process when a kernel is compiled.
    done = subprocess.run(
        [sys.executable, "-P", "-c", _ELSEWHERE], capture_output=True, text=True, check=True
    )
    assert done.stdout == "-1\n"
