"""Starting worker processes for a pool, and talking to them.

They are forks of a warm process on Linux, else new interpreters.
"""

import contextlib
import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import wait
from typing import IO

from boostbench.engine import os_processes
from boostbench.engine.interface import Compiling, TrialLimits
from boostbench.engine.messages import WARM, FromWorker, WorkerConfig, WorkerRequest
from boostbench.estimators import module_of
from boostbench.plan.trial import Trial
from boostbench.store.types import Outcome

_PATH = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
# Imports make many objects and no garbage: nothing looks for it until the process is warm.
_WARM = (
    f"import gc; gc.disable(); {_PATH}from boostbench.engine import warm; "
    "warm.main(int(sys.argv[2]), int(sys.argv[3]))"
)
_WORKER = (
    f"{_PATH}from boostbench.engine import os_processes, worker; "
    "os_processes.die_with_parent(int(sys.argv[3])); "
    "worker.main(int(sys.argv[2]), json.loads(sys.argv[4]), json.loads(sys.argv[5]))"
)

_TICK_S = 0.1
# Enough for Python's report of the place of a crash.
_MOST_BYTES = 2**14


class LauncherLost(Exception):
    """The process that starts workers is gone; the text is the last line of its errors."""


def forks() -> bool:
    """Return whether workers are forked: on Linux, unless ``BOOSTBENCH_START_METHOD`` is spawn."""
    return os_processes.IS_LINUX and os.environ.get("BOOSTBENCH_START_METHOD") != "spawn"


class WarmProcess:
    """The pool's end of the warm process; ``config`` is the configuration of all workers."""

    is_warm = False

    def __init__(self, config: WorkerConfig, path: Sequence[str]) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # Not closed: another thread may be reading why its worker could not be started.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # see above
        name, value = "BOOSTBENCH_RUN", f"{os.getpid()}-{os.urandom(8).hex()}"
        self._mark = f"{name}={value}"
        with theirs:
            self._process = _start(
                _WARM,
                path,
                theirs,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                environment={**os_processes.worker_environment(), name: value},
            )
        with contextlib.suppress(LauncherLost):  # it is waited for
            self._send(config)

    def wait(self, report: Callable[[Compiling], None]) -> None:
        """Return when it is warm; ``report`` gets each part of the kernels that it compiles."""
        with contextlib.suppress(OSError):
            while message := self._control.recv(os_processes.MAX_MESSAGE):
                self.is_warm = message == WARM
                if self.is_warm:
                    return
                report(Compiling(**json.loads(message)))
        if not self.is_warm:
            raise LauncherLost(self._last_error_line())

    def start(
        self, request: WorkerRequest, channel: socket.socket, output: int, status: socket.socket
    ) -> None:
        """Start a worker on these ends, which stay the caller's to close.

        ``status`` gets two lines, its number and its exit code, and is closed where none can come.
        """
        self._send(request, channel.fileno(), output, status.fileno())

    def kill(self) -> None:
        """Kill it during the warm-up, when closing its socket does not end it."""
        if not self.is_warm and self._process.poll() is None:
            os_processes.kill_tree(self._process.pid)

    def close(self) -> None:
        """End it, with its workers and their descendants."""
        self._control.close()
        self.kill()
        try:
            self._process.wait(timeout=8)
        except subprocess.TimeoutExpired:
            os_processes.kill_tree(self._process.pid)
            self._process.wait()
        if self._process.returncode != 0:
            # It could not reap its workers, and their descendants have lost their parents.
            os_processes.kill_marked(self._mark)

    def _send(self, message: WorkerConfig | WorkerRequest, *descriptors: int) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], list(descriptors))
        except OSError as error:
            raise LauncherLost(self._last_error_line()) from error

    def _last_error_line(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}"


class Spawner:
    """Starts a new interpreter for each worker: slow, but possible everywhere."""

    def __init__(self, config: WorkerConfig, path: Sequence[str]) -> None:
        self._config = config
        self._path = path
        self._ends: list[threading.Thread] = []

    def wait(self, report: Callable[[Compiling], None]) -> None:
        """Nothing: each worker warms up."""

    def start(
        self, request: WorkerRequest, channel: socket.socket, output: int, status: socket.socket
    ) -> None:
        """Start a worker, as :meth:`WarmProcess.start` does."""
        process = _start(
            _WORKER,
            self._path,
            channel,
            json.dumps(self._config),
            json.dumps(request),
            stdout=output,
            stderr=output,
            environment=os_processes.worker_environment(),
        )
        status.send(b"%d\n" % process.pid)
        end = threading.Thread(target=_report_end, args=(process, status.dup()), daemon=True)
        end.start()
        self._ends = [*(each for each in self._ends if each.is_alive()), end]

    def kill(self) -> None:
        """Nothing: the pool kills the workers."""

    def close(self) -> None:
        """Return when all workers are dead."""
        for end in self._ends:
            end.join()


def _start(
    code: str,
    path: Sequence[str],
    end: socket.socket,
    *more: str,
    stdout: int,
    stderr: int | IO[bytes],
    environment: Mapping[str, str],
) -> "subprocess.Popen[bytes]":
    """Start an interpreter that runs ``code``, with ``end`` of a pair of sockets."""
    arguments = [json.dumps(path), str(end.fileno()), str(os.getpid()), *more]
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        pass_fds=[end.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        env=environment,
        start_new_session=True,
    )


def _report_end(process: "subprocess.Popen[bytes]", status: socket.socket) -> None:
    code = process.wait()
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with status, contextlib.suppress(OSError):
        status.send(b"%d\n" % code)


class WorkerProcess:
    """A worker process, for trials of one ``kind``, see :class:`~boostbench.engine.pool.Pool`.

    ``request`` has its own settings, beside the configuration of all workers, and whether it ends
    after one trial. ``pid`` is 0 before its start, ``exitcode`` None until it and its descendants
    are dead; ``is_lost`` says that the process that started it is dead too, and ``has_begun`` that
    it has begun its trial. ``loaded`` are the installed modules that trials have imported.
    """

    # When it is killed.
    _kill_at: float

    def __init__(self, launcher: WarmProcess | Spawner, kind: str, request: WorkerRequest) -> None:
        self.kind = kind
        self._once = request["once"]
        self.pid = 0
        self.is_lost = False
        self.exitcode: int | None = None
        self.loaded: list[str] = []
        self._channel, channel = socket.socketpair()
        self._status, status = socket.socketpair()
        self._output, output = os.pipe()
        self._channel.settimeout(5.0)
        for descriptor in (self._status.fileno(), self._output):
            os.set_blocking(descriptor, False)
        # The descriptors that are open at the other end, with their incomplete line.
        self._open = {self._channel.fileno(): b"", self._status.fileno(): b"", self._output: b""}
        try:
            launcher.start(request, channel, output, status)
        except BaseException:  # raised again
            self.close()
            raise
        finally:
            channel.close()
            status.close()
            os.close(output)

    def run(
        self, trial: Trial, limits: TrialLimits, is_cancelled: Callable[[], bool]
    ) -> Outcome | None:
        """Run ``trial``, and kill it over its limits; None if the process died for another reason.

        It is also killed if it ``is_cancelled``, which is checked several times a second.
        """
        self._send(trial)
        while self.exitcode is None and (self._is_running or self._once):
            now = time.monotonic()
            time_is_up = self._check_limits(trial, limits, now)
            if now >= self._kill_at or is_cancelled():
                self.kill()
                self._kill_at = float("inf")
            self._receive(min(_TICK_S, max(0.0, min(time_is_up, self._kill_at) - now)))
        if self.exitcode is not None:
            self._receive(0.0)
        outcome = self._overrun or self._outcome
        if outcome is None:
            return None
        if outcome.status == "memory":
            outcome = dataclasses.replace(outcome, reason=limits.over_memory().reason)
        return self.ended(outcome)

    def _send(self, trial: Trial) -> None:
        """Send ``trial``, with nothing left of an earlier one."""
        self.has_begun = False
        self._outcome: Outcome | None = None
        # The outcome of a trial that is over a limit.
        self._overrun: Outcome | None = None
        self._kill_at = float("inf")
        self._since = time.monotonic()
        self._held = 0
        self._printed = b""
        with contextlib.suppress(OSError):  # its death is reported
            self._channel.sendall(json.dumps(trial.to_dict()).encode() + b"\n")

    @property
    def _is_running(self) -> bool:
        return self._outcome is None or self._overrun is not None

    def _check_limits(self, trial: Trial, limits: TrialLimits, now: float) -> float:
        """Note that the trial is over a limit; return when its time is up."""
        if self._outcome and self._outcome.status == "memory" and not self._overrun:
            self._overrun = self._outcome
            self._kill_at = now
        if not self.pid or self._overrun or self._outcome:
            return float("inf")
        limit_s = self._limit_s(limits)
        if now >= self._since + limit_s:
            self._overrun = self._over_time(trial, limit_s)
            self._kill_at = now + limits.grace_s
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGTERM)
        elif limits.memory_bytes and self.has_begun and self._is_over(limits.memory_bytes):
            self._overrun = limits.over_memory()
            self._kill_at = now
        return self._since + limit_s

    @property
    def has_tried(self) -> bool:
        """Whether the trial, or the import of its module, may have caused the death."""
        return self.has_begun or bool(self.pid and self.kind)

    def ended(self, outcome: Outcome) -> Outcome:
        """Return ``outcome`` with the trial's output, and with its time if that is missing."""
        times = outcome.times or {"wall_s": time.monotonic() - self._since}
        return dataclasses.replace(outcome, times=times, output=self.printed())

    def printed(self) -> str:
        """Return the end of the trial's output."""
        return self._printed.decode(errors="replace").strip().replace("\0", "\\0")

    def kill(self) -> None:
        """Kill it and its descendants; the death is reported."""
        if self.pid and self.exitcode is None:
            os_processes.kill_tree(self.pid)

    def close(self) -> None:
        """End it, and free the descriptors."""
        self.kill()
        self._channel.close()
        self._status.close()
        os.close(self._output)

    def _limit_s(self, limits: TrialLimits) -> float:
        """Return the time limit of the trial, or of the import of its module before it."""
        if limits.time_s is None or not (self.has_begun or self.kind):
            return float("inf")
        return limits.time_s if self.has_begun else max(limits.time_s, limits.import_s)

    def _over_time(self, trial: Trial, limit_s: float) -> Outcome:
        if self.has_begun:
            return Outcome("timeout", f"over the time limit of {limit_s:g} s")
        module = module_of(trial.estimator)
        return Outcome("timeout", f"importing {module} takes more than {limit_s:g} s")

    def _is_over(self, memory_bytes: int) -> bool:
        allowed = self._held + memory_bytes
        return os_processes.tree_memory(self.pid, allowed) > allowed

    def _receive(self, timeout_s: float) -> None:
        """Wait for messages and output, and read them."""
        wait(list(self._open), timeout_s)
        # The output last: once a message has come, output from before it has come too.
        for line in self._lines(self._channel.fileno()):
            self._handle_message(json.loads(line))
        for line in self._lines(self._status.fileno()):
            if self.pid:
                self.exitcode = int(line)
            else:
                self.pid = int(line)
                self._since = time.monotonic()
        if self._status.fileno() not in self._open and self.exitcode is None:
            self.exitcode = -signal.SIGKILL
            self.is_lost = True
        self._printed = (self._printed + self._read(self._output))[-_MOST_BYTES:]

    def _handle_message(self, message: FromWorker) -> None:
        if "begins" in message:
            self.has_begun = True
            self._since = time.monotonic()
            self._held = message["begins"]
        else:
            self._outcome = Outcome(**message["outcome"])
            self.loaded += message["loaded"]

    def _lines(self, descriptor: int) -> list[bytes]:
        *lines, rest = (self._open.get(descriptor, b"") + self._read(descriptor)).split(b"\n")
        if descriptor in self._open:
            self._open[descriptor] = rest
        return lines

    def _read(self, descriptor: int) -> bytes:
        try:
            data = os.read(descriptor, 2**20)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:  # it is closed, or its process is dead
            self._open.pop(descriptor, None)
        return data
