"""A team of threads that run one kernel together: barriers, shares of the work, shared memory.

Every thread of a team calls the same kernel and takes the same decisions. What it works on depends
on its rank (``share``) or, in long loops, on who is free (``claim``): a thread that another program
has delayed leaves the others more to do, rather than waiting. A sum over blocks is the sum, in the
order of the blocks, of the sums that the threads wrote to ``partial_sums``, so that it has the same
bits for any number of threads, whoever has computed what.
"""

# mypy: disable-error-code="no-untyped-def"

import threading
import time
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from boostbench.kernels.arrays import aligned_empty
from boostbench.kernels.float_vectors import data_of, primitive
from boostbench.kernels.jit import helper, kernel
from boostbench.kernels.processors import leave, processor

# Places in Team.sync. Each thread's own numbers have a cache line for themselves.
_ARRIVED, STOP, CAPACITY, NEXT, _BEGUN, _ADDED, _OWN, _LINE = 0, 8, 16, 24, 32, 40, 48, 8
# Within a thread's own line: its barriers so far, the end of what it has allocated, its loops so
# far, what has been claimed of its share (the loop's number, and how many items), the processor on
# which it was last seen, and the number of its kernel.
_LOOPS, _CLAIMED, _WHERE, _NUMBER = 2, 3, 4, 5
_CLAIM_BITS = 32
# A claim is for this part of what is left of a share: long ones first, so that there are few, and
# short ones last, so that the threads end at about the same time.
_PARTS = 4
# A waiting thread checks this many times (about 0.5 ms), then sleeps between checks. Yielding
# would give away whole time slices on a busy machine; a sleeping thread is soon scheduled again.
# To wake takes 100 us: one that waited for less would fall asleep while it waits for another to
# wake, which then waits for it, and so at each barrier.
_CHECKS, _NAP_US = 200_000, 50
# After so many (about 5 us), a thread makes sure that it does not wait where another has to run.
_CHECKS_TOGETHER = 2_000
# Into how many parts for each thread ``take`` divides the work.
_TAKEN_PARTS = 16
# A thread that waits for a kernel to begin gives up after this many checks (about 0.1 ms).
_CHECKS_BETWEEN = 50_000


class Team(NamedTuple):
    """Thread ``rank`` of the ``size`` that share ``sync`` and ``arena``.

    ``sync`` has the state of the barrier, ``arena`` the memory of ``partial_sums`` (twice the
    capacity), ``floats`` and ``integers``. An empty arena means that these are allocated anew.
    """

    rank: int
    size: int
    sync: NDArray[np.int64]
    arena: NDArray[np.float64]


def make_team(size: int, capacity: int, n_floats: int) -> list[Team]:
    """The members of a team whose arena holds ``n_floats`` beside partial sums of ``capacity``."""
    capacity = -(-capacity // _LINE) * _LINE
    sync = np.zeros(_OWN + _LINE * size, dtype=np.int64)
    sync[CAPACITY] = capacity
    sync[_OWN + 1 :: _LINE] = 2 * capacity
    sync[_OWN + _WHERE :: _LINE] = -1
    arena = aligned_empty((2 * capacity + n_floats,))
    return [Team(rank, size, sync, arena) for rank in range(size)]


SOLO = make_team(1, 0, 0)[0]


def number_place(rank: int) -> int:
    """Where ``sync`` has the number of the kernel that the thread ``rank`` runs."""
    return _OWN + _LINE * rank + _NUMBER


_lock = threading.Lock()


def _arrive_plain(sync):
    with _lock:
        sync[_ARRIVED] += 1


@primitive(_arrive_plain)
def _arrive(typing, sync):
    """Add one to the number of arrivals at barriers."""

    def codegen(context, builder, sig, args):
        place = data_of(context, builder, sig.args[0], args[0])
        builder.atomic_rmw("add", place, ir.Constant(ir.IntType(64), 1), "acq_rel")
        return context.get_dummy_value()

    return types.void(sync), codegen


def _add_plain(sync, i, n):
    with _lock:
        sync[i] += n
        return int(sync[i]) - n


@primitive(_add_plain)
def _add(typing, sync, i, n):
    """Add ``n`` to ``sync[i]``; return the number before that."""

    def codegen(context, builder, sig, args):
        place = builder.gep(data_of(context, builder, sig.args[0], args[0]), [args[1]])
        return builder.atomic_rmw("add", place, args[2], "acq_rel")

    return types.int64(sync, types.intp, types.int64), codegen


@primitive(lambda sync, i: int(sync[i]))
def _read(typing, sync, i):
    """``sync[i]`` as other threads have written it."""

    def codegen(context, builder, sig, args):
        place = builder.gep(data_of(context, builder, sig.args[0], args[0]), [args[1]])
        return builder.load_atomic(place, "acquire", 8)

    return types.int64(sync, types.intp), codegen


def _exchange_plain(sync, i, old, new):
    with _lock:
        seen = int(sync[i])
        if seen == old:
            sync[i] = new
    return seen


@primitive(_exchange_plain)
def _exchange(typing, sync, i, old, new):
    """Set ``sync[i]`` to ``new`` if it is ``old``; return what it was."""

    def codegen(context, builder, sig, args):
        place = builder.gep(data_of(context, builder, sig.args[0], args[0]), [args[1]])
        found = builder.cmpxchg(place, args[2], args[3], "acq_rel", "acquire")
        return builder.extract_value(found, 0)

    return types.int64(sync, types.intp, types.int64, types.int64), codegen


def _write_plain(sync, i, value):
    sync[i] = value


@primitive(_write_plain)
def _write(typing, sync, i, value):
    """``sync[i] = value`` for other threads to read."""

    def codegen(context, builder, sig, args):
        place = builder.gep(data_of(context, builder, sig.args[0], args[0]), [args[1]])
        builder.store_atomic(args[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(sync, types.intp, types.int64), codegen


@primitive(lambda microseconds: time.sleep(1e-6 * microseconds))
def _pause(typing, microseconds):
    """Sleep that long."""

    def codegen(context, builder, sig, args):
        number = ir.IntType(32)
        sleep = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(number, [number]), "usleep"
        )
        builder.call(sleep, [args[0]])
        return context.get_dummy_value()

    return types.void(types.int32), codegen


@helper
def _note_processor(team):
    """Note for the other threads where this one runs."""
    here = processor()
    _write(team.sync, _OWN + _LINE * team.rank + _WHERE, here)
    return here


@helper
def _part(team):
    """Leave the processor if another thread of the team was last seen on it."""
    here = _note_processor(team)
    for rank in range(team.size):
        if rank != team.rank and _read(team.sync, _OWN + _LINE * rank + _WHERE) == here:
            leave(here)
            _note_processor(team)
            return


@helper
def _wait(team, place, goal):
    """Wait until ``sync[place]`` is at least ``goal`` or the team was stopped."""
    sync = team.sync
    waited = 0
    while _read(sync, place) < goal and _read(sync, STOP) == 0:
        waited += 1
        if waited == _CHECKS_TOGETHER or waited > _CHECKS:
            _part(team)
        if waited > _CHECKS:
            _pause(np.int32(_NAP_US))


@helper
def barrier(team):
    """Wait until all threads of the team are here; RuntimeError if the team was stopped."""
    sync = team.sync
    if team.size > 1:
        own = _OWN + _LINE * team.rank
        sync[own] += 1
        _note_processor(team)
        _arrive(sync)
        _wait(team, _ARRIVED, sync[own] * team.size)
    if _read(sync, STOP) != 0:
        raise RuntimeError("the threads were stopped")


@helper
def begin(team):
    """Let the other threads know that the first one has begun the kernel ``sync[NEXT]``.

    They wait for this without Python's lock, which the first thread has held until then.
    """
    if team.size > 1 and team.rank == 0:
        _write(team.sync, _BEGUN, team.sync[NEXT])


@kernel
def await_begin(sync, number):
    """Wait until kernel ``number`` has begun or the team was stopped, but not for long."""
    _await(sync, number)


@helper
def _await(sync, number):
    waited = 0
    while _read(sync, _BEGUN) < number and _read(sync, STOP) == 0:
        waited += 1
        if waited > _CHECKS_BETWEEN:
            return


@helper
def finish(team):
    """``barrier`` at the end of a kernel, after which only the first thread runs for a while.

    The others return to Python when it begins the next kernel: earlier, they would want Python's
    lock when it does, and one of them would be put to sleep.
    """
    barrier(team)
    rest(team)


@helper
def rest(team):
    """Wait until the first thread has begun the next kernel, but not for long; see ``finish``."""
    if team.rank > 0:
        _await(team.sync, team.sync[_OWN + _LINE * team.rank + _NUMBER] + 1)


@helper
def share(team, n):
    """This thread's part of ``range(n)``: its first number and its end."""
    if team.size == 1:
        return 0, n
    return n * team.rank // team.size, n * (team.rank + 1) // team.size


@helper
def next_loop(team):
    """The number of a loop whose items the threads ``claim``: the same for all threads."""
    if team.size == 1:
        return 0
    own = _OWN + _LINE * team.rank + _LOOPS
    team.sync[own] += 1
    return team.sync[own]


@helper
def claim(team, loop, n, at):
    """Items of ``range(n)`` for this thread to work on: the first, and the end; none if equal.

    ``loop`` is from ``next_loop``, ``at`` the end of the last claim or 0. A thread claims its own
    share first, part by part, then what others have left of theirs.
    """
    if team.size == 1:
        return at, n
    for turn in range(team.size):
        rank = (team.rank + turn) % team.size
        first, end = n * rank // team.size, n * (rank + 1) // team.size
        done, more = _claim_of(team.sync, rank, loop, end - first)
        if more > 0:
            return first + done, first + done + more
    return n, n


@helper
def _claim_of(sync, rank, loop, n):
    """Claim some of a thread's share of ``n`` items: how many had been claimed, how many are."""
    place = _OWN + _LINE * rank + _CLAIMED
    old = _read(sync, place)
    while True:
        # Where the thread is in a later loop, this is more than n: nothing was left in this one.
        done = max(0, old - (loop << _CLAIM_BITS))
        if done >= n:
            return n, 0
        more = max(1, (n - done) // _PARTS)
        seen = _exchange(sync, place, old, (loop << _CLAIM_BITS) + done + more)
        if seen == old:
            return done, more
        old = seen


@helper
def take(team, taken, i, n):
    """The next part of ``range(n)`` for whichever thread is free: its first number and its end.

    ``taken[i]`` (int64) is 0 before the first thread calls this. A thread's parts ascend, and are
    short: their work may take one thread longer than another. From ``n`` on nothing is left.
    """
    if team.size == 1:
        first, taken[i] = taken[i], n
        return first, n
    some = max(1, n // (_TAKEN_PARTS * team.size))
    first = _add(taken, i, some)
    return min(first, n), min(first + some, n)


@helper
def capacity(team):
    """How many numbers ``partial_sums`` may have."""
    return team.sync[CAPACITY]


@helper
def partial_sums(team, n_rows, width):
    """Scratch (n_rows, width) for all threads to write before the next barrier, and read after it.

    The sums after the next barrier are elsewhere, so that no thread overwrites what another reads.
    """
    size = team.sync[CAPACITY]
    if n_rows * width > size:
        raise MemoryError("the partial sums are more than the team has room for")
    first = size * (team.sync[_OWN + _LINE * team.rank] & 1)
    return team.arena[first : first + n_rows * width].reshape(n_rows, width)


@helper
def ordered_sums(team, n_rows, start):
    """``partial_sums`` (n_rows + 1, width) for ``add_rows``; the last row is ``start`` (width,)."""
    sums = partial_sums(team, n_rows + 1, start.shape[0])
    if team.rank == 0:
        # A loop: numba compiles that slice assignment far more slowly.
        for j in range(start.shape[0]):
            sums[n_rows, j] = start[j]
    return sums


@helper
def add_rows(team, loop, sums, added):
    """Add all rows of ``ordered_sums`` to the last one, and return it, for all threads to read.

    The threads meet first, as each has filled some of the others in ``loop``. Each adds its share,
    which its cache is likely to have, and passes the sum on: to read what other threads have
    written takes longer. The first thread's ``added`` first rows are part of the last row already.
    """
    barrier(team)
    last = sums.shape[0] - 1
    total = sums[last]
    start, end = share(team, last)
    turn = loop * team.size + team.rank
    if team.rank > 0:
        _wait(team, _ADDED, turn)
    for i in range(start + added, end):
        row = sums[i]
        for j in range(total.shape[0]):
            total[j] += row[j]
    _write(team.sync, _ADDED, turn + 1)
    _wait(team, _ADDED, (loop + 1) * team.size)
    if _read(team.sync, STOP) != 0:
        raise RuntimeError("the threads were stopped")
    return total


@helper
def allocated(team):
    """What to give back to ``release``."""
    return team.sync[_OWN + _LINE * team.rank + 1]


@helper
def release(team, mark):
    """Free what ``floats`` and ``integers`` have returned since ``allocated`` returned ``mark``."""
    team.sync[_OWN + _LINE * team.rank + 1] = mark


@helper
def floats(team, n):
    """An array (n,) of float64 that the threads of the team share, not initialised."""
    if team.arena.shape[0] == 0:
        return np.empty(n)
    own = _OWN + _LINE * team.rank + 1
    first = team.sync[own]
    if first + n > team.arena.shape[0]:
        raise MemoryError("the arrays are more than the team has room for")
    # Each array begins on a cache line.
    team.sync[own] = first + (n + _LINE - 1) // _LINE * _LINE
    return team.arena[first : first + n]


@helper
def integers(team, n):
    """An array (n,) of int64 that the threads of the team share, not initialised."""
    if team.arena.shape[0] == 0:
        return np.empty(n, np.int64)
    return floats(team, n).view(np.int64)
