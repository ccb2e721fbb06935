"""How a pool gets worker processes: forked from a warm process, or started one by one.

The fork server has imported the libraries and compiled the kernels. It adopts the processes that
dead workers leave behind and kills them, and ends, with all workers, when the pool is gone.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from typing import IO, Any, Protocol

from boostbench.engine import os_processes, worker_process
from boostbench.engine.process_state import thread_pools
from boostbench.engine.warming import Report, warm_up

MAX_MESSAGE = 2**16
WORKER_MODULES = [
    "numpy",
    "boostbench.engine.worker_process",
    "boostbench.methods",
    "boostbench.data.arrays",
    "boostbench.data.prepare",
    "boostbench.data.splits",
]

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
_FORKSERVER = _START + (
    "from boostbench.engine import forkserver; forkserver.main(int(sys.argv[2]), int(sys.argv[3]))"
)
_WORKER = _START + (
    "from boostbench.engine import os_processes, worker_process; "
    "os_processes.die_with_parent(int(sys.argv[3])); "
    "worker_process.main(int(sys.argv[2]), json.loads(sys.argv[4]))"
)


# -- in the pool's process -----------------------------------------------------------------------


class SpawnerLost(Exception):
    """The process that starts workers is gone; the text is the last line of its errors."""


class Spawner(Protocol):
    """Starts workers and reports which have died."""

    def fileno(self) -> int | None:
        """A descriptor that is readable when :meth:`poll` has new messages, None without one."""

    def start(self, worker: int, config: dict[str, Any], channel: int, output: int) -> None:
        """Start a worker process on these descriptors; they stay the caller's to close."""

    def poll(self) -> list[dict[str, Any]]:
        """Return the new messages: ``warm``, ``spawned`` + ``pid``, ``died`` + ``exitcode``."""

    def close(self) -> None:
        """Kill what still lives, workers and their descendants, and wait for it."""


def make_spawner(warm_up: Mapping[str, Any], path: Sequence[str] = ()) -> Spawner:
    """Fork on Linux; elsewhere, or with ``BOOSTBENCH_START_METHOD=spawn``, start fresh processes.

    ``warm_up``: what :func:`boostbench.engine.warming.warm_up` does before the first fork.
    ``path``: folders to look for modules in, after all of ``sys.path``.
    """
    method = os.environ.get("BOOSTBENCH_START_METHOD", "")
    if os_processes.IS_LINUX and method != "spawn":
        return ForkSpawner(warm_up, path)
    return FreshSpawner(path)


class ForkSpawner:
    """Starts the fork server, one process, and asks it for forks."""

    def __init__(self, warm_up: Mapping[str, Any], path: Sequence[str] = ()) -> None:
        self._control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        name, value = "BOOSTBENCH_RUN", f"{os.getpid()}-{os.urandom(8).hex()}"
        self._mark = f"{name}={value}"
        try:
            arguments = [json.dumps([*sys.path, *path]), str(other.fileno()), str(os.getpid())]
            self._process = subprocess.Popen(
                [sys.executable, "-c", _FORKSERVER, *arguments],
                pass_fds=[other.fileno()],
                env={**os_processes.worker_environment(), name: value},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )
        finally:
            other.close()
        self._warm = False
        try:
            self._send(dict(warm_up))
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
            # While it imports and compiles it reads no message, and has no workers to reap.
            self._process.wait(timeout=8 if self._warm else 0.2)
        except subprocess.TimeoutExpired:
            os_processes.kill_tree(self._process.pid)
            self._process.wait()
        if self._process.returncode != 0:
            # It could not reap its workers, and what those have started has lost its parents.
            os_processes.kill_marked(self._mark)
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
            env=os_processes.worker_environment(),
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
            os_processes.kill_tree(process.pid)
            process.wait()
        self._processes.clear()


# -- in the fork server ----------------------------------------------------------------------------


def main(descriptor: int, pool: int) -> None:
    """Serve on the SEQPACKET socket ``descriptor``: first one ``warm`` message, then ``spawn``."""
    os_processes.die_with_parent(pool, signal.SIGTERM)
    os_processes.adopt_orphans()
    control = socket.socket(fileno=descriptor)
    server = _Server(control)
    try:
        request = control.recv(MAX_MESSAGE)
        if not request:
            return
        _warm(json.loads(request), server.send)
        server.send({"warm": True})
        server.serve()
    finally:
        server.end()


def _warm(request: dict[str, Any], report: Report) -> None:
    warm_up({**request, "modules": [*WORKER_MODULES, *request["modules"]]}, report)
    with contextlib.suppress(ImportError):
        # Looking for them takes longer than a fork.
        thread_pools()
    gc.collect()
    gc.freeze()


class _Server:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._workers: dict[int, int] = {}
        self._wakeup, writing = os.pipe()
        self._writing = writing
        for end in (self._wakeup, writing):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, _leave)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._control.send(json.dumps(message).encode())

    def serve(self) -> None:
        sources: list[Any] = [self._control, self._wakeup]
        while True:
            ready, _, _ = select.select(sources, [], [])
            if self._wakeup in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wakeup, 4096)
                self._reap()
            if self._control in ready:
                data, descriptors, _, _ = socket.recv_fds(self._control, MAX_MESSAGE, 4)
                if not data:
                    return
                self._spawn(json.loads(data), descriptors)

    def _spawn(self, request: dict[str, Any], descriptors: list[int]) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                self._become_worker(parent, request["config"], *descriptors)
            except BaseException:
                traceback.print_exc()
                os._exit(70)
            os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)
        self._workers[pid] = request["spawn"]
        self.send({"spawned": request["spawn"], "pid": pid})

    def _become_worker(
        self, parent: int, config: dict[str, Any], channel: int, output: int
    ) -> None:
        os.setsid()
        os_processes.die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in (self._control.detach(), self._wakeup, self._writing):
            os.close(descriptor)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        worker_process.main(channel, config)

    def _reap(self) -> None:
        """Report workers that died, when the processes that they left are dead too."""
        dead = []
        while (pid := _next_dead()) is not None:
            if pid in self._workers:
                # Before the reaping: until then nobody else can have this process group.
                with contextlib.suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)
            status = os.waitpid(pid, 0)[1]
            if pid in self._workers:
                code = os.waitstatus_to_exitcode(status)
                dead.append({"died": self._workers.pop(pid), "exitcode": code})
        self._kill_strangers()
        for message in dead:
            self.send(message)

    def _kill_strangers(self, patience_s: float = 2.0) -> None:
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            strangers = [p for p in os_processes.children(os.getpid()) if p not in self._workers]
            if not strangers:
                return
            for pid in strangers:
                os_processes.kill_tree(pid)
            for pid in strangers:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.002)

    def end(self) -> None:
        """Kill every worker and all that descends from them."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for pid in self._workers:
            os_processes.kill_tree(pid)
        self._workers.clear()
        self._kill_strangers()


def _leave(*_: object) -> None:
    raise SystemExit(0)


def _next_dead() -> int | None:
    try:
        result = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if result is None else result.si_pid
