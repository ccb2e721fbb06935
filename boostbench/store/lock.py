"""One writer at a time on a results folder, held by the operating system and freed by any death."""

import contextlib
import fcntl
import json
import os
import socket
import time
from pathlib import Path
from typing import Any

from boostbench.errors import StoreError

_PATIENCE_S = 0.3


class WriterLock:
    """An exclusive lock on ``FOLDER/store.lock``, whose text says who holds it.

    :class:`StoreError` names the holder where another process has it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "store.lock"
        self._fd = -1
        while self._fd < 0:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                self._acquire(folder)
                _refuse_foreign(self._path, self._fd)
            except BaseException:
                self.release()
                raise
            if not self._is_current():
                # The one who held it has removed the file meanwhile: others lock another one now.
                self.release()
        os.ftruncate(self._fd, 0)
        os.pwrite(
            self._fd, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode(), 0
        )
        # Else a second machine on a network file system would not see the name until the end.
        os.fsync(self._fd)

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._fd), os.stat(self._path))  # noqa: PTH116
        except FileNotFoundError:
            return False

    def _acquire(self, folder: Path) -> None:
        # A reader that asks whether a run is going on holds a shared lock for an instant.
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    found = _read(self._path)
                    host = found.get("host", "an unknown host")
                    which = f" (process {found['pid']} on {host})" if "pid" in found else ""
                    raise StoreError(
                        f"{folder} is in use by another run{which}: wait until that run has ended, "
                        "stop it, or give this run another results folder"
                    ) from None
                time.sleep(0.02)
            except OSError as error:
                raise StoreError(
                    f"{folder} cannot be locked ({error.strerror}), so that two runs there would "
                    "spoil each other's results: name a folder on another disk as `results`, or "
                    "have this one mounted with locks"
                ) from error

    def remove(self) -> None:
        """Remove the file, while the lock is held; to be released afterwards."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def release(self) -> None:
        """Free the lock; harmless when done twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _refuse_foreign(path: Path, fd: int) -> None:
    """Raise StoreError where the file holds what no lock of ours ever held."""
    content = os.pread(fd, 4096, 0).strip(b"\0")
    if content and not (content.startswith(b"{") and b'"pid"' in content):
        raise StoreError(
            f"{path} is in the way: it is not a lock of boostbench; move it away, or name another "
            "folder as `results` in the experiment"
        )


def holder(folder: Path) -> dict[str, Any] | None:
    """Return ``{"pid", "host"}`` of the process that writes to ``folder`` now, None without one."""
    path = folder / "store.lock"
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(path)
    except OSError:
        return None
    finally:
        os.close(fd)
    return None


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
