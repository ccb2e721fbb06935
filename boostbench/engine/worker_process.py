"""A worker process: how the pool sees it, and the loop that it runs."""

import contextlib
import faulthandler
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from boostbench.engine import os_processes
from boostbench.engine.channel import Channel, ChannelBroken
from boostbench.engine.process_state import ProcessState
from boostbench.engine.trial import import_first, run_trial
from boostbench.engine.types import Limits
from boostbench.engine.warming import warm_up
from boostbench.estimators import module_of
from boostbench.importing import imported_from_source
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

EXIT_CHANNEL_LOST = 97
_HEAD_BYTES = 2048
_TAIL_BYTES = 4096

Start = Callable[[int, dict[str, Any], int, int], None]
"""Starts a worker process: its number, its settings, its ends of the channel and of the output."""


class WorkerProcess:
    """A worker process: its trial, deadline, output, and the verdict it is being killed for."""

    def __init__(self, number: int, slot: int, start: Start, config: dict[str, Any]) -> None:
        self.number = number
        self.slot = slot
        self.pid: int | None = None
        self.ready = False
        self.retiring = False
        self.trial: Trial | None = None
        self.verdict: Outcome | None = None
        self.finished = 0
        self._head = self._tail = b""
        self._left_out = 0
        self._born = time.monotonic()
        self._begun = 0.0
        self._only_code: str | None = None
        self.importing = ""
        """The module that the worker imports for its trial now, else empty."""
        self._kill_at: float | None = None
        self._lost_at: float | None = None
        self._idle_bytes = 0
        ours, theirs = socket.socketpair()
        self.output, output = os.pipe()
        try:
            start(number, config, theirs.fileno(), output)
        except BaseException:
            ours.close()
            os.close(self.output)
            raise
        finally:
            theirs.close()
            os.close(output)
        os.set_blocking(self.output, False)
        self.channel = Channel(ours)

    @property
    def idle(self) -> bool:
        """Whether it waits for a trial."""
        return self.ready and self.trial is None and not self.retiring

    def suits(self, trial: Trial) -> bool:
        """Whether ``trial`` may run here: the settings of this process are none of other code's."""
        return self._only_code in (None, trial.code)

    def begin(self, trial: Trial) -> None:
        """Hand over ``trial`` and start its clock."""
        if self.pid is not None:
            # What earlier trials have left in the process does not count against this one.
            self._idle_bytes = os_processes.resident_memory(self.pid)
        self._head = self._tail = b""
        self._left_out = 0
        self._begun = time.monotonic()
        self.importing = ""
        self.trial = trial
        with contextlib.suppress(ChannelBroken):
            self.channel.send({"trial": trial.to_dict()})

    def imported(self, held: int, keeps_settings: bool) -> None:
        """Start the trial's clock and memory again: its module is imported, ``held`` bytes held.

        ``keeps_settings``: the module made settings that trials of no other code may see.
        """
        self.importing = ""
        self._idle_bytes = held
        if keeps_settings and self.trial is not None:
            self._only_code = self.trial.code
        self._begun = time.monotonic()

    def drain(self) -> bool:
        """Read what the trial printed, and keep its ends; whether it may still print."""
        try:
            while data := os.read(self.output, 2**18):
                room = _HEAD_BYTES - len(self._head)
                self._head += data[:room]
                rest = self._tail + data[room:]
                self._tail = rest[-_TAIL_BYTES:]
                self._left_out += len(rest) - len(self._tail)
        except BlockingIOError:
            return True
        except OSError:
            pass
        # The process has closed its output, or is gone.
        return False

    def printed(self) -> str:
        """Return what the trial printed: if that is much, its beginning and its end."""
        gap = f"\n... {self._left_out:,} bytes left out ...\n".encode() * bool(self._left_out)
        text = (self._head + gap + self._tail).decode(errors="replace")
        return text.strip().replace("\0", "\\0")

    def next_check(self, limits: Limits) -> float:
        """Return the time (monotonic, s) at which :meth:`enforce` has something to do."""
        times = [self._kill_at, None if self._lost_at is None else self._lost_at + 1.0]
        if self.trial is not None and self.verdict is None:
            times.append(self._deadline(limits))
        return min((t for t in times if t is not None), default=float("inf"))

    def enforce(self, limits: Limits) -> None:
        """Begin or finish the killing of a trial over its limits."""
        now = time.monotonic()
        if self._kill_at is not None and now >= self._kill_at:
            self.kill()
        if self._lost_at is not None and now >= self._lost_at + 1.0:
            self.kill(Outcome("killed", "the trial closed the files of its worker"))
        if self.trial is None or self.verdict is not None:
            return
        deadline = self._deadline(limits)
        if deadline is not None and now >= deadline:
            seconds = deadline - self._begun
            reason = f"over the time limit of {seconds:g} s"
            if self.importing:
                reason = f"importing {self.importing} takes more than {seconds:g} s"
            self.verdict = Outcome("timeout", reason)
            self._terminate(limits.grace_s)
        elif limits.memory_bytes is not None and self.pid is not None and not self.importing:
            allowed = self._idle_bytes + limits.memory_bytes
            if os_processes.tree_memory(self.pid, allowed) > allowed:
                self.kill(over_memory(limits))

    def _deadline(self, limits: Limits) -> float | None:
        """When the trial is over its time (monotonic, s), None for no limit."""
        if limits.time_s is None:
            return None
        # Each worker process imports a module once: that is not the time of this very trial.
        seconds = max(limits.time_s, limits.import_s) if self.importing else limits.time_s
        return self._begun + seconds

    def retire(self, patience_s: float = 5.0) -> None:
        """Ask the idle process to end, and kill it if it does not."""
        self.retiring = True
        self.channel.close()
        self._kill_at = time.monotonic() + patience_s

    def lost_channel(self) -> None:
        """Its end of the connection is closed: it is dying, or about to be killed."""
        if self._lost_at is None:
            self._lost_at = time.monotonic()

    def kill(self, verdict: Outcome | None = None) -> None:
        """Kill it and its descendants now; the spawner will report the death."""
        if verdict is not None and self.verdict is None:
            self.verdict = verdict
        self._kill_at = None
        self._lost_at = None
        self.retiring = True
        if self.pid is not None:
            os_processes.kill_tree(self.pid)

    def elapsed(self) -> dict[str, float]:
        """The times of a trial whose process is dead."""
        return {"wall_s": time.monotonic() - self._begun}

    def age(self) -> float:
        """Seconds since it was asked for."""
        return time.monotonic() - self._born

    def close(self) -> None:
        """Free the descriptors."""
        self.channel.close()
        with contextlib.suppress(OSError):
            os.close(self.output)

    def _terminate(self, grace_s: float) -> None:
        self.retiring = True
        self._kill_at = time.monotonic() + grace_s
        if self.pid is not None:
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGTERM)


def over_memory(limits: Limits) -> Outcome:
    """The outcome of a trial over its memory limit."""
    if limits.memory_bytes is None:
        return Outcome("memory", "out of memory")
    amount, unit = limits.memory_bytes / 2**30, "GiB"
    if amount < 1:
        amount, unit = limits.memory_bytes / 2**20, "MiB"
    return Outcome("memory", f"over the memory limit of {amount:g} {unit}")


# -- in the worker process -------------------------------------------------------------------------


@imported_from_source()
def main(descriptor: int, config: Mapping[str, Any]) -> None:
    """Run the trials that come on the socket ``descriptor`` until it is closed."""
    os_processes.adopt_orphans()
    os_processes.prefer_for_oom_killer()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    faulthandler.enable(file=2, all_threads=False)
    faulthandler.register(signal.SIGTERM, file=2, all_threads=False, chain=True)
    channel = Channel(socket.socket(fileno=_out_of_the_way(descriptor)))
    arrays_dir = Path(config["arrays_dir"])
    allowance = config["memory_bytes"]
    try:
        warm_up(config["warm_up"], channel.send)
        state = ProcessState()
        channel.send({"ready": os.getpid()})
        while True:
            trial = Trial.from_dict(channel.receive()["trial"])
            if (module := _module_to_import(trial)) is not None:
                channel.send({"importing": module})
                import_first(trial)
                keeps = state.after_imports(own=bool(trial.code))
                # The memory that the import has taken is not the trial's.
                held = os_processes.resident_memory(os.getpid())
                channel.send({"imported": held, "keeps_settings": keeps})
            if allowance:
                os_processes.limit_data(allowance)
            unclean = state.unclean
            with state.around(trial.random_state):
                outcome = run_trial(trial, arrays_dir, time_limit_s=config["time_s"])
            _flush_output()
            if allowance:
                os_processes.lift_data_limit()
            if not channel.is_intact():
                os._exit(EXIT_CHANNEL_LOST)
            channel.send({"outcome": outcome.to_dict(), "unclean": unclean or state.unclean})
    except ChannelBroken:
        os._exit(0 if channel.is_intact() else EXIT_CHANNEL_LOST)


def _module_to_import(trial: Trial) -> str | None:
    """Return the module of the trial's estimator, None where this process has it already."""
    name = module_of(trial.estimator)
    return None if name in sys.modules else name


def _flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def _out_of_the_way(descriptor: int) -> int:
    # Code that closes "all" files often stops at 256.
    import fcntl

    with contextlib.suppress(OSError):
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 700)
        os.close(descriptor)
        return high
    return descriptor
