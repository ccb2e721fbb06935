"""How the supervisor gets worker processes: forked from a warm process, or started afresh."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import IO, Any, Protocol

from boostbench.engine import processes
from boostbench.engine.forkserver import MAX_MESSAGE

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
_FORKSERVER = _START + (
    "from boostbench.engine import forkserver; forkserver.main(int(sys.argv[2]), int(sys.argv[3]))"
)
_WORKER = _START + (
    "from boostbench.engine import processes, worker; "
    "processes.die_with_parent(int(sys.argv[3])); "
    "worker.main(int(sys.argv[2]), json.loads(sys.argv[4]))"
)


class SpawnerLost(Exception):
    """The process that starts workers is gone; the text is the last it said."""


class Spawner(Protocol):
    """Starts workers and says which have died."""

    def fileno(self) -> int | None:
        """A descriptor that is readable when :meth:`poll` has something new, None without one."""

    def start(self, worker: int, config: dict[str, Any], channel: int, output: int) -> None:
        """Start a worker process on these descriptors; they stay the caller's to close."""

    def poll(self) -> list[dict[str, Any]]:
        """Return what is new: ``warm``, ``spawned`` + ``pid``, ``died`` + ``exitcode``."""

    def close(self) -> None:
        """Kill what still lives, workers and their descendants, and wait for it."""


def make_spawner(
    modules: Sequence[str], warm_up: Sequence[str], path: Sequence[str] = ()
) -> Spawner:
    """Fork on Linux; elsewhere, or with ``BOOSTBENCH_START_METHOD=spawn``, start fresh processes.

    ``modules`` are imported and ``module.warm_up()`` is called once for those in ``warm_up``
    before the first fork. ``path``: folders to look for modules in, after all of ``sys.path``.
    """
    method = os.environ.get("BOOSTBENCH_START_METHOD", "")
    if processes.IS_LINUX and method != "spawn":
        return ForkSpawner(modules, warm_up, path)
    return FreshSpawner(path)


class ForkSpawner:
    """Asks :mod:`boostbench.engine.forkserver`, one process, for forks of itself."""

    def __init__(
        self, modules: Sequence[str], warm_up: Sequence[str], path: Sequence[str] = ()
    ) -> None:
        self._control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        name, value = "BOOSTBENCH_RUN", f"{os.getpid()}-{os.urandom(8).hex()}"
        self._mark = f"{name}={value}"
        try:
            arguments = [json.dumps([*sys.path, *path]), str(other.fileno()), str(os.getpid())]
            self._process = subprocess.Popen(
                [sys.executable, "-c", _FORKSERVER, *arguments],
                pass_fds=[other.fileno()],
                env={**processes.worker_environment(), name: value},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )
        finally:
            other.close()
        self._warm = False
        try:
            self._send({"modules": list(modules), "warm_up": list(warm_up)})
        except SpawnerLost:
            self.close()
            raise

    def fileno(self) -> int | None:
        return self._control.fileno()

    def start(self, worker: int, config: dict[str, Any], channel: int, output: int) -> None:
        self._send({"spawn": worker, "config": config}, channel, output)

    def poll(self) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = []
        while True:
            try:
                data = self._control.recv(MAX_MESSAGE, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return messages
            except OSError as error:
                raise SpawnerLost(str(error)) from error
            if not data:
                if messages:
                    return messages
                raise SpawnerLost(self._last_words())
            messages.append(json.loads(data))
            self._warm = self._warm or "warm" in messages[-1]

    def close(self) -> None:
        self._control.close()
        try:
            # While it imports and compiles it hears nothing, and has no workers to bury.
            self._process.wait(timeout=8 if self._warm else 0.2)
        except subprocess.TimeoutExpired:
            processes.kill_tree(self._process.pid)
            self._process.wait()
        if self._process.returncode != 0:
            # It could not bury its workers, and what those have started has lost its parents.
            processes.kill_marked(self._mark)
        self._errors.close()

    def _send(self, message: dict[str, Any], *descriptors: int) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], list(descriptors))
        except OSError as error:
            raise SpawnerLost(self._last_words()) from error

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}"


class FreshSpawner:
    """Starts a new interpreter for each worker: slow, and the same everywhere."""

    def __init__(self, path: Sequence[str] = ()) -> None:
        self._path = list(path)
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._messages: list[dict[str, Any]] = [{"warm": True}]

    def fileno(self) -> int | None:
        return None

    def start(self, worker: int, config: dict[str, Any], channel: int, output: int) -> None:
        arguments = [json.dumps([*sys.path, *self._path]), str(channel), str(os.getpid())]
        process = subprocess.Popen(
            [sys.executable, "-c", _WORKER, *arguments, json.dumps(config)],
            pass_fds=[channel],
            env=processes.worker_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        self._processes[worker] = process
        self._messages.append({"spawned": worker, "pid": process.pid})

    def poll(self) -> list[dict[str, Any]]:
        messages, self._messages = self._messages, []
        for worker, process in list(self._processes.items()):
            code = process.poll()
            if code is not None:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                del self._processes[worker]
                messages.append({"died": worker, "exitcode": code})
        return messages

    def close(self) -> None:
        for process in self._processes.values():
            processes.kill_tree(process.pid)
            process.wait()
        self._processes.clear()
