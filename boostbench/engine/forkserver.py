"""The process from which workers are forked, libraries imported and kernels compiled beforehand.

It adopts what dead workers leave behind and kills it, and ends, with all workers, when the
supervisor is gone.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
import time
import traceback
from typing import Any

from boostbench.engine import processes
from boostbench.engine.warming import Report, warm_up

MAX_MESSAGE = 2**16
WORKER_MODULES = [
    "numpy",
    "boostbench.engine.worker",
    "boostbench.methods",
    "boostbench.data",
    "boostbench.data.prepare",
    "boostbench.data.splits",
]


def main(descriptor: int, supervisor: int) -> None:
    """Serve on the SEQPACKET socket ``descriptor``: first one ``warm`` message, then ``spawn``."""
    processes.die_with_parent(supervisor, signal.SIGTERM)
    processes.adopt_orphans()
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
    warm_up([*WORKER_MODULES, *request["modules"]], request["warm_up"], report)
    with contextlib.suppress(ImportError):
        from boostbench.engine.process_state import thread_pools

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
                self._bury()
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
        processes.die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in (self._control.detach(), self._wakeup, self._writing):
            os.close(descriptor)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        from boostbench.engine import worker

        worker.main(channel, config)

    def _bury(self) -> None:
        """Report workers that died, when all they left behind is dead too."""
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
            strangers = [p for p in processes.children(os.getpid()) if p not in self._workers]
            if not strangers:
                return
            for pid in strangers:
                processes.kill_tree(pid)
            for pid in strangers:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.002)

    def end(self) -> None:
        """Kill every worker and all that descends from them."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for pid in self._workers:
            processes.kill_tree(pid)
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
