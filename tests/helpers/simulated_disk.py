"""A disk that loses unsynced writes, and fails on request, below SQLite and the store.

An SQLite file system (a VFS of apsw) passes every operation on to real files and keeps, beside it,
the state after a power loss: each file's content at the last sync, and all writes since then, of
which any may be lost or torn. ``crash_at`` ends the process in the middle of an operation.
"""

import contextlib
import random
import shutil
import sqlite3
from pathlib import Path

import apsw

SECTOR = 512
_NUMBERS = {
    apsw.FullError: sqlite3.SQLITE_FULL,
    apsw.IOError: sqlite3.SQLITE_IOERR,
    apsw.ReadOnlyError: sqlite3.SQLITE_READONLY,
    apsw.CantOpenError: sqlite3.SQLITE_CANTOPEN,
}


class _File:
    """The content of a file that is surely on the disk, and the writes since then."""

    def __init__(self, path):
        self.path = path
        self.durable = path.read_bytes() if path.exists() else None
        self.pending = []

    def synced(self):
        self.durable, self.pending = self.path.read_bytes(), []

    def after_power_loss(self, rng):
        """Return a content that a disk may have, None where there may be no such file."""
        content = bytearray(self.durable or b"")
        survived = self.durable is not None
        for kind, offset, data in self.pending:
            fate = rng.random()
            if fate < 0.4:
                continue
            survived = True
            if kind == "truncate":
                del content[offset:]
                continue
            if fate < 0.6:
                data = data[: rng.randrange(0, len(data) + 1, SECTOR if fate < 0.5 else 1)]
            content[len(content) :] = bytes(max(0, offset + len(data) - len(content)))
            content[offset : offset + len(data)] = data
        return bytes(content) if survived else None


class Disk(apsw.VFS):
    """The file system ``simulated``; one at a time."""

    def __init__(self):
        self.files = {}
        self.removed = {}
        self.operations = 0
        self.crash_at = None
        self.full_at = None
        self.read_only = False
        self.gone = False
        super().__init__("simulated", "")

    def step(self, name, writes=True):
        """Count an operation on the file ``name``; raise where the process or the disk gives up."""
        self.operations += 1
        if self.gone or (self.crash_at is not None and self.operations >= self.crash_at):
            self.gone = True
            raise apsw.IOError("the process is gone")
        if writes and self.read_only:
            raise apsw.ReadOnlyError("read-only")
        if writes and self.full_at is not None and self.operations >= self.full_at:
            raise apsw.FullError("no space left")

    def xOpen(self, name, flags):
        path = Path(name.filename() if isinstance(name, apsw.URIFilename) else str(name))
        if self.gone:
            raise apsw.CantOpenError("the process is gone")
        if self.read_only and flags[0] & apsw.SQLITE_OPEN_READWRITE:
            raise apsw.CantOpenError("read-only")
        if path not in self.files:
            self.files[path] = _File(path)
        return _Handle(self, self.files[path], name, flags)

    def xDelete(self, name, syncdir):
        self.step(name)
        super().xDelete(name, syncdir)
        lost = self.files.pop(Path(name), None)
        if lost is not None and not syncdir:
            self.removed[Path(name)] = lost

    def image(self, folder, target, rng=None):
        """Copy ``folder`` to ``target`` as the next process finds it.

        After the end of the process only, or, with ``rng``, after a power loss.
        """
        shutil.copytree(folder, target)
        if rng is None:
            return
        # A removal, and a new file by the old name, may not have reached the folder yet.
        back = {
            path: file
            for path, file in self.removed.items()
            if (path not in self.files or self.files[path].durable is None) and rng.random() < 0.5
        }
        for path, file in {**self.files, **back}.items():
            copy = target / path.name
            content = file.after_power_loss(rng)
            copy.unlink(missing_ok=True)
            if content is not None:
                copy.write_bytes(content)


class _Handle(apsw.VFSFile):
    def __init__(self, disk, file, name, flags):
        self._disk, self._file = disk, file
        super().__init__("", name, flags)

    def xWrite(self, data, offset):
        self._disk.step(self._file.path)
        self._file.pending.append(("write", offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, size):
        self._disk.step(self._file.path)
        self._file.pending.append(("truncate", size, b""))
        super().xTruncate(size)

    def xSync(self, flags):
        self._disk.step(self._file.path, writes=False)
        super().xSync(flags)
        if self._file.durable is None:
            # SQLite syncs the folder of a new journal too.
            self._disk.removed.clear()
        self._file.synced()


class _Rows(list):
    def fetchall(self):
        return list(self)

    def fetchone(self):
        return self[0] if self else None


class _Connection:
    """What the store uses of :class:`sqlite3.Connection`, on the simulated disk."""

    def __init__(self, path):
        with _as_sqlite3():
            self._inner = apsw.Connection(str(path), vfs="simulated")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None and self._inner.in_transaction:
                self.execute("COMMIT")
        finally:
            if self._inner.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    self.execute("ROLLBACK")

    def execute(self, sql, parameters=()):
        with _as_sqlite3():
            return _Rows(self._inner.execute(sql, parameters))

    def executemany(self, sql, rows):
        with _as_sqlite3():
            self._inner.executemany(sql, [tuple(row) for row in rows])

    def executescript(self, sql):
        self.execute(sql)

    def close(self):
        with contextlib.suppress(apsw.Error):
            self._inner.close()


@contextlib.contextmanager
def _as_sqlite3():
    try:
        yield
    except apsw.Error as error:
        raised = sqlite3.OperationalError(str(error))
        # One that was raised above carries no number.
        raised.sqlite_errorcode = getattr(error, "result", 0) or _NUMBERS.get(type(error), 1)
        raise raised from error


@contextlib.contextmanager
def mounted(monkeypatch_context, **faults):
    """Have the store work on a new :class:`Disk` inside."""
    disk = Disk()
    for name, value in faults.items():
        setattr(disk, name, value)
    connect = sqlite3.connect

    def simulated(path, **options):
        return connect(path, **options) if options.get("uri") else _Connection(path)

    monkeypatch_context.setattr(sqlite3, "connect", simulated)
    try:
        yield disk
    finally:
        monkeypatch_context.undo()
        disk.unregister()


def rng_of(*seeds):
    """Return a generator that depends only on ``seeds``."""
    return random.Random(repr(seeds))
