"""How a pool gets worker processes: forks of a warm process on Linux, else new interpreters."""

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import IO, Any

from boostbench.engine import os_processes
from boostbench.engine.warm import MAX_MESSAGE

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
_WARM = f"{_START}from boostbench.engine import warm; warm.main(int(sys.argv[2]), int(sys.argv[3]))"
_WORKER = (
    f"{_START}from boostbench.engine import os_processes, worker; "
    "os_processes.die_with_parent(int(sys.argv[3])); "
    "worker.main(int(sys.argv[2]), json.loads(sys.argv[4]))"
)


class LauncherLost(Exception):
    """The process that starts workers is gone; the text is the last line of its errors."""


def forks() -> bool:
    """Whether workers are forked here: on Linux, unless ``BOOSTBENCH_START_METHOD`` is spawn."""
    return os_processes.IS_LINUX and os.environ.get("BOOSTBENCH_START_METHOD") != "spawn"


class Launcher:
    """The pool's end of a warm process, which is a fork of another one and serves one module."""

    is_warm = False

    def __init__(self, control: socket.socket, selector: selectors.BaseSelector) -> None:
        self._control, self._selector = control, selector
        selector.register(control, selectors.EVENT_READ)

    def start(self, number: int, config: Mapping[str, Any], channel: int, output: int) -> None:
        """Start a worker process on these descriptors; they stay the caller's to close."""
        self._send({"number": number, "config": config}, channel, output)

    def fork(self, own: Sequence[str], limit_s: float) -> "Launcher":
        """Return a warm process that has imported its ``own`` module as well, within the limit."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._send({"number": -1, "own": own, "limit_s": limit_s}, theirs.fileno())
        return Launcher(ours, self._selector)

    def load(self, modules: Sequence[str]) -> None:
        """Import ``modules``, for the workers that are forked from now on."""
        with contextlib.suppress(LauncherLost):  # poll says so
            self._send({"import": modules})

    def poll(self) -> list[dict[str, Any]]:
        """Return new messages: ``warm`` with ``threads``, ``forked`` + ``pid``, ``died`` + code."""
        messages: list[dict[str, Any]] = []
        while True:
            try:
                data = self._control.recv(MAX_MESSAGE, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return messages
            except OSError:
                data = b""
            if not data:
                if messages:
                    return messages
                raise LauncherLost(self._last_words())
            messages.append(json.loads(data))
            self.is_warm = self.is_warm or "warm" in messages[-1]

    def close(self) -> None:
        """End it, with its workers and their descendants."""
        self._selector.unregister(self._control)
        self._control.close()

    def _send(self, message: dict[str, Any], *descriptors: int) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], list(descriptors))
        except OSError as error:
            raise LauncherLost(self._last_words()) from error

    def _last_words(self) -> str:
        return "a warm process ended"


class FirstLauncher(Launcher):
    """The pool's end of the warm process from which all others are forked."""

    def __init__(
        self, selector: selectors.BaseSelector, warm_up: Mapping[str, Any], path: Sequence[str]
    ) -> None:
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(control, selector)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        name, value = "BOOSTBENCH_RUN", f"{os.getpid()}-{os.urandom(8).hex()}"
        self._mark = f"{name}={value}"
        arguments = [json.dumps([*sys.path, *path]), str(theirs.fileno()), str(os.getpid())]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _WARM, *arguments],
                pass_fds=[theirs.fileno()],
                env={**os_processes.worker_environment(), name: value},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )
        with contextlib.suppress(LauncherLost):  # poll says so
            self._send(dict(warm_up))

    def close(self) -> None:
        super().close()
        try:
            # While it imports and compiles it reads no message, and has no workers to reap.
            self._process.wait(timeout=8 if self.is_warm else 0.2)
        except subprocess.TimeoutExpired:
            os_processes.kill_tree(self._process.pid)
            self._process.wait()
        if self._process.returncode != 0:
            # It could not reap its workers, and what those have started has lost its parents.
            os_processes.kill_marked(self._mark)
        self._errors.close()

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}"


class Spawner:
    """Starts a new interpreter for each worker: slow, and the same everywhere."""

    is_warm = True

    def __init__(self, path: Sequence[str]) -> None:
        self._path = [*sys.path, *path]
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._messages: list[dict[str, Any]] = []

    def start(self, number: int, config: Mapping[str, Any], channel: int, output: int) -> None:
        arguments = [json.dumps(self._path), str(channel), str(os.getpid()), json.dumps(config)]
        process = subprocess.Popen(
            [sys.executable, "-c", _WORKER, *arguments],
            pass_fds=[channel],
            env=os_processes.worker_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        self._processes[number] = process
        self._messages.append({"forked": number, "pid": process.pid})

    def load(self, modules: Sequence[str]) -> None:
        """Nothing: a worker runs many trials."""

    def poll(self) -> list[dict[str, Any]]:
        messages, self._messages = self._messages, []
        for number, process in list(self._processes.items()):
            if (code := process.poll()) is not None:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                del self._processes[number]
                messages.append({"died": number, "exitcode": code})
        return messages

    def close(self) -> None:
        for process in self._processes.values():
            os_processes.kill_tree(process.pid)
            process.wait()
        self._processes.clear()
