"""A worker process as its pool sees it: its trial, its limits, what it says and prints."""

import contextlib
import json
import os
import signal
import socket
import time
from collections.abc import Mapping
from typing import Any

from boostbench.engine import os_processes
from boostbench.engine.launch import Launcher, Spawner
from boostbench.engine.types import Limits
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

_HEAD_BYTES = 2048
_TAIL_BYTES = 4096
_START_LIMIT_S = 120.0


class WorkerProcess:
    """A worker process and its trial, which waits for the process to be ready.

    It runs trials of one ``kind`` only, just one if ``once``. ``verdict`` is the outcome that the
    trial is killed for, ``outcome`` the one that the process has sent.
    """

    def __init__(
        self,
        number: int,
        launcher: Launcher | Spawner,
        config: Mapping[str, Any],
        kind: str,
        fingerprint: str,
    ) -> None:
        self.number, self.launcher, self.kind, self.once = number, launcher, kind, config["once"]
        self.pid: int | None = None
        self.ready = self.is_ending = False
        self.trial: Trial | None = None
        self.slot = 0
        self.outcome: Outcome | None = None
        self.verdict: Outcome | None = None
        self.importing = ""
        self._born = time.monotonic()
        self.begun: float | None = None
        self._kill_at: float | None = None
        self._held = 0
        self._received = self._head = self._tail = b""
        self._left_out = 0
        self.channel, theirs = socket.socketpair()
        self.output, output = os.pipe()
        os.set_blocking(self.output, False)
        try:
            launcher.start(number, config, theirs.fileno(), output, fingerprint)
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

    def begin(self) -> None:
        """Hand over the trial and start its clock."""
        assert self.trial is not None
        self._head = self._tail = b""
        self._left_out = 0
        self.importing, self.outcome = "", None
        # What earlier trials have left in the process does not count against this one.
        self._restart(0 if self.pid is None else os_processes.resident_memory(self.pid))
        with contextlib.suppress(OSError):  # its death is reported
            self.channel.sendall(json.dumps(self.trial.to_dict()).encode() + b"\n")

    def _restart(self, held: int) -> None:
        self.begun, self._held = time.monotonic(), held

    def receive(self) -> tuple[list[dict[str, Any]], bool]:
        """Return the messages that have come, and whether there may be more."""
        is_open = False
        with contextlib.suppress(ConnectionResetError):
            try:
                while data := self.channel.recv(2**16, socket.MSG_DONTWAIT):
                    self._received += data
            except BlockingIOError:
                is_open = True
        *lines, self._received = self._received.split(b"\n")
        messages = [json.loads(line) for line in lines]
        for message in messages:
            if "imported" in message:
                # Each process imports a module once: that is not the time of this very trial.
                self._restart(message["imported"])
            if "importing" in message or "imported" in message:
                self.importing = message.get("importing", "")
        return messages, is_open

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
        return min(self._deadline(limits), self._kill_at or float("inf"))

    def enforce(self, limits: Limits) -> None:
        """Begin or finish the killing of a trial over its limits."""
        now = time.monotonic()
        is_late = not self.ready and now > self._born + _START_LIMIT_S
        if is_late or (self._kill_at is not None and now >= self._kill_at):
            self.kill()
        if self._deadline(limits) <= now:
            assert self.begun is not None
            seconds = f"{self._deadline(limits) - self.begun:g} s"
            reason = f"over the time limit of {seconds}"
            if self.importing:
                reason = f"importing {self.importing} takes more than {seconds}"
            self.verdict = Outcome("timeout", reason)
            self.is_ending = True
            self._kill_at = now + limits.grace_s
            if self.pid is not None:
                with contextlib.suppress(OSError):
                    os.killpg(self.pid, signal.SIGTERM)
        elif limits.memory_bytes and self.pid and self._is_running and not self.importing:
            allowed = self._held + limits.memory_bytes
            if os_processes.tree_memory(self.pid, allowed) > allowed:
                self.kill(over_memory(limits))

    @property
    def _is_running(self) -> bool:
        return self.begun is not None and self.verdict is None and self.outcome is None

    def _deadline(self, limits: Limits) -> float:
        """When the trial is over its time (monotonic, s)."""
        if limits.time_s is None or not self._is_running or self.begun is None:
            return float("inf")
        seconds = max(limits.time_s, limits.import_s) if self.importing else limits.time_s
        return self.begun + seconds

    def kill(self, verdict: Outcome | None = None) -> None:
        """Kill it and its descendants now; its launcher will report the death."""
        self.verdict = self.verdict or verdict
        self._kill_at = None
        self.is_ending = True
        if self.pid is not None:
            os_processes.kill_tree(self.pid)

    def elapsed(self) -> dict[str, float]:
        """The times of a trial whose process is dead."""
        return {"wall_s": time.monotonic() - (self.begun or self._born)}

    def close(self) -> None:
        """Free the descriptors."""
        self.channel.close()
        os.close(self.output)


def over_memory(limits: Limits) -> Outcome:
    """The outcome of a trial over its memory limit."""
    if limits.memory_bytes is None:
        return Outcome("memory", "out of memory")
    amount, unit = limits.memory_bytes / 2**30, "GiB"
    if amount < 1:
        amount, unit = limits.memory_bytes / 2**20, "MiB"
    return Outcome("memory", f"over the memory limit of {amount:g} {unit}")
