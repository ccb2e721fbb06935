"""A warm process has imported and compiled the trials' code; workers are forked from it.

It adopts the processes that dead workers leave behind and kills them, and ends, with all workers,
when the pool is gone. A module that is neither boostbench's nor scikit-learn's gets a warm process
of its own, forked from the first, which imports it once and forks the workers of its trials.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from boostbench.engine import os_processes, worker
from boostbench.engine.execution import import_first, load_data
from boostbench.engine.messages import WARM, WorkerConfig, WorkerRequest
from boostbench.engine.warming import NOTHING, warm_up
from boostbench.estimators import module_of
from boostbench.importing import TRUSTED

_TICK_S = 0.5


def main(descriptor: int, pool: int) -> None:
    """Serve on the SEQPACKET socket ``descriptor``; the first message configures all workers."""
    server = _Server(socket.socket(fileno=descriptor))
    os_processes.die_with_parent(pool, signal.SIGTERM)
    server.serve(server.warm_up)


class _Server:
    """A warm process; that of a user's own ``module`` forks only for its trials."""

    _config: WorkerConfig

    def __init__(self, control: socket.socket, module: str | None = None) -> None:
        self._control = control
        self._module = module
        # The warm processes of modules; each trial imports modules that cannot be forked.
        self._servers: dict[str, tuple[int, socket.socket]] = {}
        self._unforkable: set[str] = set()
        # By process id, the end of the pool's socket to which its death is reported.
        self._workers: dict[int, socket.socket] = {}
        self._wakeup = socket.socketpair()
        for end in self._wakeup:
            end.setblocking(False)
        os_processes.adopt_orphans()
        signal.set_wakeup_fd(self._wakeup[1].fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._end())
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def serve(self, prepare: Callable[[], None]) -> None:
        """Prepare, and fork workers until the other end is closed; does not return."""
        try:
            prepare()
            gc.collect()
            gc.freeze()
            gc.enable()
            while True:
                ready, _, _ = select.select([self._control, self._wakeup[0]], [], [], _TICK_S)
                with contextlib.suppress(BlockingIOError):
                    self._wakeup[0].recv(4096)
                self._reap()
                if self._control in ready:
                    message, descriptors = self._receive()
                    self._start(json.loads(message), descriptors)
                    for descriptor in descriptors:
                        os.close(descriptor)
        except EOFError:
            pass
        except BaseException:  # only its output says why
            traceback.print_exc()
        finally:
            self._end()

    def warm_up(self) -> None:
        """Read the workers' configuration, and do its imports and fits."""
        message, _ = self._receive()
        self._config = json.loads(message)
        warm_up(self._config["warm_up"], lambda part: self._tell(json.dumps(vars(part)).encode()))
        self._tell(WARM)

    def _tell(self, message: bytes) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._control.send(message)

    def _receive(self) -> tuple[bytes, list[int]]:
        """Return the next message with its descriptors; EOFError if the other end is closed."""
        message, descriptors, _, _ = socket.recv_fds(self._control, os_processes.MAX_MESSAGE, 3)
        if not message:
            raise EOFError
        return message, descriptors

    def _start(self, request: WorkerRequest, descriptors: list[int]) -> None:
        """Start a worker on ``descriptors``: its channel, its output and its status."""
        estimator = request["own"] or ""
        own = module_of(estimator)
        is_trusted = own.partition(".")[0] in {*TRUSTED, ""}
        if not (is_trusted or own == self._module or own in self._unforkable):
            if own not in self._servers:
                ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                with theirs:
                    pid = self._fork(
                        lambda: self._serve_module(theirs, estimator, descriptors), ours
                    )
                self._servers[own] = pid, ours
            with contextlib.suppress(OSError):  # it has just ended: the pool asks once more
                socket.send_fds(self._servers[own][1], [json.dumps(request).encode()], descriptors)
            return
        for name in request["modules"]:
            with contextlib.suppress(BaseException):  # the trial reports it
                importlib.import_module(name)
        if request["fingerprint"]:
            with contextlib.suppress(Exception):  # the trial reports it
                load_data(request["fingerprint"], Path(self._config["arrays_dir"]))
        status = socket.socket(fileno=os.dup(descriptors[2]))
        pid = self._fork(lambda: self._work(request, *descriptors), status)
        self._workers[pid] = status
        with contextlib.suppress(OSError):
            status.send(b"%d\n" % pid)

    def _fork(self, target: Callable[[], None], ours: socket.socket) -> int:
        """Fork a process for ``target``, in which all sockets of this one are closed."""
        parent, pid = os.getpid(), os.fork()
        if pid:
            return pid
        try:
            os.setsid()
            os_processes.die_with_parent(parent)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            servers = [control for _, control in self._servers.values()]
            for each in (self._control, *self._wakeup, *self._workers.values(), *servers, ours):
                each.close()
            target()
        except BaseException:  # never back into the server's loop
            traceback.print_exc()
        os._exit(70)

    def _work(self, request: WorkerRequest, channel: int, output: int, status: int) -> None:
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        os.close(status)
        config = self._config
        if request["once"]:
            config = {**config, "warm_up": NOTHING}
        worker.main(channel, config, request)

    def _serve_module(self, control: socket.socket, estimator: str, descriptors: list[int]) -> None:
        """Be the warm process of an estimator's module, unless its import leaves threads."""
        for descriptor in descriptors:
            os.close(descriptor)

        def prepare() -> None:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            limit_s = max(self._config["import_s"], self._config["time_s"] or 0.0)
            signal.setitimer(signal.ITIMER_REAL, limit_s)
            import_first(estimator)
            signal.setitimer(signal.ITIMER_REAL, 0)
            # Threads are not forked, so that a module that started some may fail in a fork.
            if len(list(Path("/proc/self/task").iterdir())) > 1:
                raise EOFError

        sys.dont_write_bytecode = True
        server = _Server(control, module_of(estimator))
        server._config = self._config
        server.serve(prepare)

    def _reap(self) -> None:
        """Report workers that died, once the processes that they left are dead too."""
        dead = []
        servers = {pid: module for module, (pid, _) in self._servers.items()}
        for pid in (*self._workers, *servers):
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                # Before the reaping: until then no other process can have this process group.
                with contextlib.suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                if pid in servers:
                    # The import of its module may have ended it.
                    self._unforkable.add(servers[pid])
                    self._servers.pop(servers[pid])[1].close()
                else:
                    dead.append((self._workers.pop(pid), code))
        self._kill_orphans()
        for status, code in dead:
            with status, contextlib.suppress(OSError):
                status.send(b"%d\n" % code)

    def _kill_orphans(self) -> None:
        deadline = time.monotonic() + 2.0
        ours = {*self._workers, *(pid for pid, _ in self._servers.values())}
        while time.monotonic() < deadline:
            orphans = [pid for pid in os_processes.children(os.getpid()) if pid not in ours]
            if not orphans:
                return
            for pid in orphans:
                os_processes.kill_tree(pid)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.002)

    def _end(self) -> None:
        """End, after every worker and all their descendants."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self._workers.clear()
        self._servers.clear()
        self._kill_orphans()
        os._exit(0)
