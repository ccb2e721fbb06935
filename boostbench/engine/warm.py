"""A warm process has imported and compiled what trials need; workers are forked from it.

It adopts the processes that dead workers leave behind and kills them, and ends, with all workers,
when the pool is gone. A module that is neither boostbench's nor scikit-learn's gets a warm process
of its own, forked from the first, which imports it once.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boostbench.engine import os_processes, worker
from boostbench.engine.trial import import_first, load_data
from boostbench.engine.warming import warm_up
from boostbench.importing import imported_from_source

MAX_MESSAGE = 2**16
_MODULES = (
    "boostbench.methods",
    "boostbench.data.prepare",
    "boostbench.data.splits",
)
_TICK_S = 0.5


def main(descriptor: int, pool: int) -> None:
    """Serve on the SEQPACKET socket ``descriptor``; the first message is what to warm up."""

    def prepare(server: "_Server") -> None:
        os_processes.die_with_parent(pool, signal.SIGTERM)
        request = server.receive()[0]
        warm_up({**request, "modules": [*_MODULES, *request["modules"]]}, server.send)

    _Server(descriptor).run(prepare)


class _Server:
    def __init__(self, descriptor: int) -> None:
        self._control = socket.socket(fileno=descriptor)
        self._children: dict[int, int] = {}
        self._wakeup = os.pipe()
        for end in self._wakeup:
            os.set_blocking(end, False)
        os_processes.adopt_orphans()
        signal.set_wakeup_fd(self._wakeup[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._end())
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def run(self, prepare: Callable[["_Server"], None]) -> None:
        """Prepare and serve until the pool closes the socket; does not return."""
        sources: list[Any] = [self._control, self._wakeup[0]]
        try:
            prepare(self)
            self._settle()
            while True:
                ready, _, _ = select.select(sources, [], [], _TICK_S)
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wakeup[0], 4096)
                self._reap()
                if self._control in ready:
                    self._obey(*self.receive())
        except EOFError:
            pass
        except BaseException:
            traceback.print_exc()
        finally:
            self._end()

    def receive(self) -> tuple[dict[str, Any], list[int]]:
        """Return the next message with its descriptors; EOFError where the pool is gone."""
        data, descriptors, _, _ = socket.recv_fds(self._control, MAX_MESSAGE, 2)
        if not data:
            raise EOFError
        return json.loads(data), descriptors

    def send(self, message: dict[str, Any]) -> None:
        """Send ``message`` to the pool, if it is there."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._control.send(json.dumps(message).encode())

    def _settle(self) -> None:
        gc.collect()
        gc.freeze()
        # Threads are not forked: what started them cannot be relied on in a fork.
        self.send({"warm": True, "threads": len(list(Path("/proc/self/task").iterdir())) - 1})

    def _obey(self, request: dict[str, Any], descriptors: list[int]) -> None:
        if "import" in request:
            for name in request["import"]:
                with contextlib.suppress(BaseException):
                    importlib.import_module(name)
            self._settle()
            return
        config = request.get("config") or {}
        if config.get("fingerprint"):
            with contextlib.suppress(Exception):  # the trial reports it
                load_data(config["fingerprint"], Path(config["arrays_dir"]))
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            try:
                self._become(parent, request, *descriptors)
            except BaseException:
                traceback.print_exc()
            os._exit(70)
        for descriptor in descriptors:
            os.close(descriptor)
        self._children[pid] = request["number"]
        self.send({"forked": request["number"], "pid": pid})

    def _become(
        self, parent: int, request: dict[str, Any], channel: int, output: int | None = None
    ) -> None:
        os.setsid()
        os_processes.die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in (self._control.detach(), *self._wakeup):
            os.close(descriptor)
        if output is not None:
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.close(output)
            worker.main(channel, request["config"])
        with imported_from_source():
            _Server(channel).run(lambda _: _import_within(request["limit_s"], *request["own"]))

    def _reap(self) -> None:
        """Report workers that died, when the processes that they left are dead too."""
        dead = []
        for pid, number in list(self._children.items()):
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                # Before the reaping: until then nobody else can have this process group.
                with contextlib.suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                dead.append({"died": number, "exitcode": code})
                del self._children[pid]
        self._kill_strangers()
        for message in dead:
            self.send(message)

    def _kill_strangers(self, patience_s: float = 2.0) -> None:
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            strangers = [p for p in os_processes.children(os.getpid()) if p not in self._children]
            if not strangers:
                return
            for pid in strangers:
                os_processes.kill_tree(pid)
            for pid in strangers:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.002)

    def _end(self) -> None:
        """End, after every worker and all that descends from them."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for pid in self._children:
            os_processes.kill_tree(pid)
        self._children.clear()
        self._kill_strangers()
        os._exit(0)


def _import_within(limit_s: float, estimator: str, code: str) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    import_first(estimator, code)
    signal.setitimer(signal.ITIMER_REAL, 0)
