"""Processes of the operating system for the engine: Linux's own calls, psutil elsewhere."""

import contextlib
import ctypes
import os
import re
import resource
import signal
import sys
from pathlib import Path

import psutil
from joblib import cpu_count

IS_LINUX = sys.platform == "linux"
MAX_MESSAGE = 2**16
"""Bytes that a process receives at once from another."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA")
THREAD_VARIABLES = (*(f"{name}_NUM_THREADS" for name in _LIBRARIES), "VECLIB_MAXIMUM_THREADS")


def processors() -> int:
    """Return the number of processors that this process may use (affinity and control group)."""
    return max(1, int(cpu_count()))


def worker_environment() -> dict[str, str]:
    """Return the environment for workers: one thread each, and fixed string hashes."""
    return {**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1"), "PYTHONHASHSEED": "0"}


def die_with_parent(parent: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to send ``number`` to this process when ``parent``, its parent, dies."""
    _prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies, daemons included."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def prefer_for_oom_killer() -> None:
    """Ask the kernel to kill this process rather than the pool's when memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")


def children(pid: int) -> list[int]:
    """Return the process ids of the direct children of ``pid``, none if it is dead."""
    if IS_LINUX:
        pids: list[int] = []
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                pids += map(int, (task / "children").read_bytes().split())
            return pids
    with contextlib.suppress(psutil.Error):
        return [child.pid for child in psutil.Process(pid).children()]
    return []


def descendants(pid: int) -> list[int]:
    """Return the process ids of all descendants of ``pid``."""
    return [each for child in children(pid) for each in (child, *descendants(child))]


def kill_tree(pid: int) -> None:
    """Kill ``pid``, its process group (it leads one) and its descendants."""
    below = descendants(pid)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    for process in (pid, *below):
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)


def kill_marked(mark: str) -> None:
    """Kill every process that was started with ``mark`` (``NAME=VALUE``) in its environment.

    It finds daemons whose parents are dead, which are in no tree of processes. Linux only.
    """
    wanted = mark.encode()
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in entry.read_bytes().split(b"\0"):
                os.kill(int(entry.parent.name), signal.SIGKILL)


def tree_memory(pid: int, only_itself: int) -> int:
    """Return the bytes of memory of ``pid`` and its descendants, counting shared pages once.

    A cheap sum, which counts shared pages several times, is returned if it is under ``only_itself``
    bytes.
    """
    pids = [pid, *descendants(pid)]
    resident = sum(map(resident_memory, pids))
    if len(pids) == 1 or resident <= only_itself:
        return resident
    return sum(map(_proportional, pids))


def resident_memory(pid: int) -> int:
    """Return the bytes of memory that ``pid`` itself holds, 0 where there is no such process."""
    with contextlib.suppress(psutil.Error):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


def _proportional(pid: int) -> int:
    with contextlib.suppress(psutil.Error):
        info = psutil.Process(pid).memory_full_info()
        return int(getattr(info, "pss", info.uss))
    return 0


def reset_peak_memory() -> None:
    """Restart the count that :func:`peak_memory_mib` reads."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory_mib() -> float:
    """Return the greatest resident memory of this process since the last reset, MiB."""
    if (value := _own_status("VmHWM")) is not None:
        return value / 2**20
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def limit_data(allowance: int) -> None:
    """Make allocations of more than ``allowance`` bytes above those held now fail."""
    if (held := _own_status("VmData")) is not None:
        _set_data_limit(held + allowance)


def lift_data_limit() -> None:
    """Undo :func:`limit_data`."""
    _set_data_limit(resource.getrlimit(resource.RLIMIT_DATA)[1])


def _set_data_limit(soft: int) -> None:
    with contextlib.suppress(ValueError, OSError):
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _own_status(name: str) -> int | None:
    with contextlib.suppress(OSError):
        match = re.search(rf"{name}:\s*(\d+)", Path("/proc/self/status").read_text())
        return match and int(match[1]) * 1024
    return None


def _prctl(option: int, value: int) -> None:
    # Without prctl (a sandbox, another system) the closing of the sockets must suffice.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
