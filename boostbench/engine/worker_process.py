"""A worker process as its pool sees it: its trial, its limits, what it says and prints."""

import contextlib
import json
import os
import selectors
import signal
import socket
import time
from collections.abc import Mapping
from typing import Any

from boostbench.engine import os_processes
from boostbench.engine.launch import Launcher, Spawner
from boostbench.engine.types import Limits
from boostbench.estimators import module_of
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

_HEAD_BYTES = 2048
_TAIL_BYTES = 4096


class WorkerProcess:
    """A worker process and its trial, which begins when the process is ready.

    It runs trials of one ``kind`` only, see :class:`~boostbench.engine.pool.Pool`, and just one if
    its ``config`` says ``once``. Before it is ready it imports the module of its kind. ``verdict``
    is the outcome that the trial is killed for, ``outcome`` the one that the process has sent.
    """

    def __init__(
        self,
        number: int,
        launcher: Launcher | Spawner,
        selector: selectors.BaseSelector,
        kind: str,
        config: Mapping[str, Any],
    ) -> None:
        self.number, self.launcher, self.kind, self.once = number, launcher, kind, config["once"]
        self.pid: int | None = None
        self.ready = self.is_ending = False
        self.trial: Trial | None = None
        self.slot = 0
        self.outcome: Outcome | None = None
        self.verdict: Outcome | None = None
        self._since, self._held, self._kill_at = 0.0, 0, float("inf")
        self._received = self._head = self._tail = b""
        self._left_out = 0
        self._selector = selector
        self._channel, theirs = socket.socketpair()
        self._channel.settimeout(5.0)
        self._output, output = os.pipe()
        os.set_blocking(self._output, False)
        for descriptor in (self._output, self._channel.fileno()):
            selector.register(descriptor, selectors.EVENT_READ)
        try:
            launcher.start(number, config, theirs.fileno(), output)
        except BaseException:
            self.close()
            raise
        finally:
            theirs.close()
            os.close(output)

    @property
    def is_idle(self) -> bool:
        """Whether it waits for a trial."""
        return self.ready and self.trial is None and not self.is_ending

    def begin(self, trial: Trial, slot: int) -> None:
        """Hand ``trial`` over."""
        self.trial, self.slot, self.outcome = trial, slot, None
        # What earlier trials have left in the process does not count against this one.
        self.start_clock(os_processes.resident_memory(self.pid) if self.pid else 0)
        # Not when it is ready: by then a trial that was waiting for it may have printed.
        self._head = self._tail = b""
        self._left_out = 0
        with contextlib.suppress(OSError):  # its death is reported
            self._channel.sendall(json.dumps(trial.to_dict()).encode() + b"\n")

    def start_clock(self, held: int) -> None:
        """Count time, and memory above ``held`` bytes, from now on."""
        self._since, self._held = time.monotonic(), held

    def receive(self) -> list[dict[str, Any]]:
        """Return the messages that have come, and keep the ends of what was printed before."""
        self._received += self._read(self._channel.fileno())
        printed = self._read(self._output)
        room = _HEAD_BYTES - len(self._head)
        self._head += printed[:room]
        rest = self._tail + printed[room:]
        self._tail = rest[-_TAIL_BYTES:]
        self._left_out += len(rest) - len(self._tail)
        *lines, self._received = self._received.split(b"\n")
        return [json.loads(line) for line in lines]

    def _read(self, descriptor: int) -> bytes:
        try:
            data = os.read(descriptor, 2**20)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:  # it is closed, or its process is gone
            self._unwatch(descriptor)
        return data

    def _unwatch(self, descriptor: int) -> None:
        with contextlib.suppress(KeyError):
            self._selector.unregister(descriptor)

    def printed(self) -> str:
        """Return what the trial printed: if that is much, its beginning and its end."""
        gap = f"\n... {self._left_out:,} bytes left out ...\n".encode() * bool(self._left_out)
        text = (self._head + gap + self._tail).decode(errors="replace")
        return text.strip().replace("\0", "\\0")

    def next_check(self, limits: Limits) -> float:
        """Return the time (monotonic, s) at which :meth:`enforce` has something to do."""
        return min(self._since + self._seconds(limits), self._kill_at)

    def _seconds(self, limits: Limits) -> float:
        """How long the trial, or before it the import of its module, may take from now on."""
        is_running = self.trial and not self.verdict and not self.outcome
        if limits.time_s is None or not is_running or not (self.ready or self.kind):
            return float("inf")
        return limits.time_s if self.ready else max(limits.time_s, limits.import_s)

    def enforce(self, limits: Limits) -> None:
        """Begin or finish the killing of a trial over its limits."""
        now, seconds = time.monotonic(), self._seconds(limits)
        if now >= self._kill_at:
            self.kill()
        if self.trial is None or self.verdict or self.outcome or self.pid is None:
            return
        if now >= self._since + seconds:
            reason = f"over the time limit of {seconds:g} s"
            if not self.ready:
                module = module_of(self.trial.estimator)
                reason = f"importing {module} takes more than {seconds:g} s"
            self.verdict, self.is_ending = Outcome("timeout", reason), True
            self._kill_at = now + limits.grace_s
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGTERM)
        elif limits.memory_bytes and self.ready:
            allowed = self._held + limits.memory_bytes
            if os_processes.tree_memory(self.pid, allowed) > allowed:
                self.kill(over_memory(limits))

    def kill(self, verdict: Outcome | None = None) -> None:
        """Kill it and its descendants now; its launcher will report the death."""
        self.verdict = self.verdict or verdict
        self.is_ending, self._kill_at = True, float("inf")
        if self.pid is not None:
            os_processes.kill_tree(self.pid)

    def elapsed(self) -> dict[str, float]:
        """The times of a trial whose process is dead."""
        return {"wall_s": time.monotonic() - self._since}

    def close(self) -> None:
        """Free the descriptors."""
        self._unwatch(self._channel.fileno())
        self._unwatch(self._output)
        self._channel.close()
        os.close(self._output)


def over_memory(limits: Limits) -> Outcome:
    """The outcome of a trial over its memory limit."""
    if limits.memory_bytes is None:
        return Outcome("memory", "out of memory")
    amount, unit = limits.memory_bytes / 2**30, "GiB"
    if amount < 1:
        amount, unit = limits.memory_bytes / 2**20, "MiB"
    return Outcome("memory", f"over the memory limit of {amount:g} {unit}")
