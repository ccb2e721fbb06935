"""A team of threads that run one kernel together: barriers, shares of the work, shared memory.

Every thread of a team calls the same kernel and takes the same decisions; what it works on
depends on its rank. A sum over blocks is the sum, in the order of the blocks, of the sums that the
threads wrote to ``partial_sums``, so that it has the same bits for any number of threads.
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

from boostbench.kernels.float_vectors import data_of, primitive
from boostbench.kernels.jit import helper, kernel

# Places in Team.sync. Each thread's own numbers have a cache line for themselves.
_ARRIVED, STOP, CAPACITY, NEXT, _BEGUN, _OWN, _LINE = 0, 8, 16, 24, 32, 40, 8
# A thread checks a barrier this many times (about 50 us), then sleeps between checks. Yielding
# would give away whole time slices on a busy machine; a sleeping thread is soon scheduled again.
_CHECKS, _NAP_US = 20_000, 50
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
    sync = np.zeros(_OWN + _LINE * size, dtype=np.int64)
    sync[CAPACITY] = capacity
    sync[_OWN + 1 :: _LINE] = 2 * capacity
    arena = np.empty(2 * capacity + n_floats)
    return [Team(rank, size, sync, arena) for rank in range(size)]


SOLO = make_team(1, 0, 0)[0]

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


@primitive(lambda sync, i: int(sync[i]))
def _read(typing, sync, i):
    """``sync[i]`` as other threads have written it."""

    def codegen(context, builder, sig, args):
        place = builder.gep(data_of(context, builder, sig.args[0], args[0]), [args[1]])
        return builder.load_atomic(place, "acquire", 8)

    return types.int64(sync, types.intp), codegen


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
def barrier(team):
    """Wait until all threads of the team are here; RuntimeError if the team was stopped."""
    sync = team.sync
    if team.size > 1:
        own = _OWN + _LINE * team.rank
        sync[own] += 1
        goal = sync[own] * team.size
        _arrive(sync)
        waited = 0
        while _read(sync, _ARRIVED) < goal and _read(sync, STOP) == 0:
            waited += 1
            if waited > _CHECKS:
                _pause(np.int32(_NAP_US))
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
    waited = 0
    while _read(sync, _BEGUN) < number and _read(sync, STOP) == 0:
        waited += 1
        if waited > _CHECKS_BETWEEN:
            return


@helper
def share(team, n):
    """This thread's part of ``range(n)``: its first number and its end."""
    if team.size == 1:
        return 0, n
    return n * team.rank // team.size, n * (team.rank + 1) // team.size


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
def add_rows(rows, first, out):
    """``out[j] += rows[i, first + j]`` for each i in order."""
    for i in range(rows.shape[0]):
        row = rows[i, first:]
        for j in range(out.shape[0]):
            out[j] += row[j]


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
    team.sync[own] = first + n
    return team.arena[first : first + n]


@helper
def integers(team, n):
    """An array (n,) of int64 that the threads of the team share, not initialised."""
    if team.arena.shape[0] == 0:
        return np.empty(n, np.int64)
    return floats(team, n).view(np.int64)
