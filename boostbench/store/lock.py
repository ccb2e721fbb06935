"""A lock for the one writer of a results folder, which the system frees when the process ends."""

import contextlib
import fcntl
import json
import os
import socket
import time
from pathlib import Path

from boostbench.errors import StoreError

_PATIENCE_S = 0.3


class WriterLock:
    """An exclusive lock on ``FOLDER/store.lock``, whose text says who holds it.

    :class:`StoreError` names the holder where another process has it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "store.lock"
        # A reader that checks for a running process holds a shared lock for an instant.
        deadline = time.monotonic() + _PATIENCE_S
        while not self._lock(folder):
            if time.monotonic() > deadline:
                other = _read(self._path)
                host = other.get("host", "an unknown host")
                which = f" (process {other['pid']} on {host})" if "pid" in other else ""
                raise StoreError(
                    f"{folder} is in use by another run{which}: wait until that run has ended, "
                    "stop it, or give this run another results folder"
                )
            time.sleep(0.02)
        held_by = {"pid": os.getpid(), "host": socket.gethostname()}
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, json.dumps(held_by).encode(), 0)
        # Otherwise a second machine on a network file system would see the name only at the end.
        os.fsync(self._fd)

    def _lock(self, folder: Path) -> bool:
        """Lock the file; False where another process has it, or has just removed it."""
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        with contextlib.ExitStack() as undone:
            undone.callback(self.release)
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            except OSError as error:
                raise StoreError(
                    f"{folder} cannot be locked ({error.strerror}), so that two runs there would "
                    "spoil each other's results: name a folder on another disk as `results`, or "
                    "have this one mounted with locks"
                ) from error
            content = os.pread(self._fd, 4096, 0).strip(b"\0")
            if content and not (content.startswith(b"{") and b'"pid"' in content):
                raise StoreError(
                    f"{self._path} is in the way: it is not a lock of boostbench; move it away, or "
                    "name another folder as `results` in the experiment"
                )
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._fd), self._path.stat()):
                    undone.pop_all()
                    return True
        return False

    def remove(self) -> None:
        """Remove the file, while the lock is held; to be released afterwards."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def release(self) -> None:
        """Free the lock; harmless when done twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def holder(folder: Path) -> dict[str, object] | None:
    """Return ``{"pid", "host"}`` of the process that writes to ``folder`` now, None without one."""
    path = folder / "store.lock"
    with contextlib.suppress(OSError), path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read(path)
    return None


def _read(path: Path) -> dict[str, object]:
    with contextlib.suppress(OSError, ValueError):
        values = json.loads(path.read_text())
        if isinstance(values, dict):
            return values
    return {}
