"""A dask scheduler and workers as processes of their own, to be killed and started again."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

_ADDRESS = re.compile(r"Scheduler at:\s+(tcp://\S+)")


class Cluster:
    """A scheduler and ``workers`` worker processes of one thread on loopback.

    Use as a context manager; ``folder`` takes logs and the workers' files. Workers do not know
    modules that are not installed.
    """

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False"}
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.address = ""
        self.workers: list[subprocess.Popen[bytes]] = []
        self._count = workers
        self._started = 0

    def __enter__(self) -> Self:
        self.start_scheduler()
        for _ in range(self._count):
            self.start_worker()
        return self

    def __exit__(self, *exc: object) -> None:
        for process in [*self.workers, self.scheduler]:
            stop(process)

    def start_scheduler(self) -> None:
        """Start the scheduler on a free port and wait until it listens."""
        log = self.folder / "scheduler.log"
        with log.open("wb") as file:
            self.scheduler = subprocess.Popen(
                [
                    *(sys.executable, "-m", "distributed.cli.dask_scheduler"),
                    *("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"),
                ],
                stdout=file,
                stderr=file,
                cwd=self.folder,
                env=self.environment,
                start_new_session=True,
            )
        deadline = time.monotonic() + 60
        while not (found := _ADDRESS.search(log.read_text())):
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.01)
        self.address = found[1]

    def start_worker(
        self, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start one more worker process, without waiting for it."""
        self._started += 1
        log = self.folder / f"worker-{self._started}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "distributed.cli.dask_worker", self.address),
                    *("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard"),
                    *("--local-directory", str(self.folder / "scratch"), "--memory-limit", "0"),
                    *arguments,
                ],
                stdout=file,
                stderr=file,
                cwd=self.folder,
                env={**self.environment, **(environment or {})},
                start_new_session=True,
            )
        self.workers.append(process)
        return process

    def kill_worker(self, number: int = 0) -> None:
        """SIGKILL one worker process, and start another one in its place."""
        process = self.workers.pop(number)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        self.start_worker()

    def kill_scheduler(self) -> None:
        """SIGKILL the scheduler."""
        assert self.scheduler is not None
        self.scheduler.kill()
        self.scheduler.wait()


class Killer(threading.Thread):
    """While inside: kills one worker of ``cluster`` every ``every`` seconds, in turns."""

    def __init__(self, cluster: Cluster, every: float) -> None:
        super().__init__(daemon=True)
        self.cluster, self.every = cluster, every
        self.kills = 0
        self._end = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._end.set()
        self.join()

    def run(self) -> None:
        """Kill until asked to end."""
        while not self._end.wait(self.every):
            self.cluster.kill_worker()
            self.kills += 1


def stop(process: subprocess.Popen[bytes] | None) -> None:
    """Kill a process of this module, and the group that it leads."""
    if process is not None:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
