"""The SQLite file: opening, reading and writing, with each error turned into one sentence."""

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from boostbench.errors import StoreError
from boostbench.outputs import os_sentence
from boostbench.store import schema

_NETWORK_FILE_SYSTEMS = (
    "nfs",
    "cifs",
    "smb",
    "lustre",
    "gpfs",
    "beegfs",
    "ceph",
    "afs",
    "9p",
    "glusterfs",
    "pvfs",
    "sshfs",
    "virtiofs",
    "vboxsf",
    "vmhgfs",
    "panfs",
    "wekafs",
    "davfs",
    "s3fs",
    "gcsfuse",
    "juicefs",
)


class Database:
    """A connection to the file ``path`` whose errors are sentences."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def query(self, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a statement."""
        return list(self.each(sql, parameters))

    def each(self, sql: str, parameters: tuple[object, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a statement one by one, so that those of many are never all there."""
        with _errors_as_sentences(self.path):
            # Not "yield from", which closes the cursor where a reader stops after the connection.
            for row in self._connection.execute(sql, parameters):  # noqa: UP028
                yield row

    @contextmanager
    def transaction(self, *, synced: bool = True) -> Iterator[sqlite3.Connection]:
        """Commit all writes inside, or none; if ``synced``, they are then on the disk."""
        # Without a log beside the file, only waiting for the disk keeps the file intact.
        is_lax = not synced and self.query("PRAGMA journal_mode") == [("wal",)]
        with _errors_as_sentences(self.path), self._connection as db:
            db.execute(f"PRAGMA synchronous = {'NORMAL' if is_lax else 'EXTRA'}")
            db.execute("BEGIN IMMEDIATE")
            yield db


def read_meta(database: Database, name: str) -> str | None:
    """Return a value that was kept by its name, None where there is none."""
    rows = database.query("SELECT value FROM meta WHERE name = ?", (name,))
    return rows[0][0] if rows else None


def write_meta(db: sqlite3.Connection, name: str, value: str) -> None:
    """Keep a value by its name."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


def open_writer(path: Path) -> sqlite3.Connection:
    """Return a connection that may write; the file is created if it is missing."""
    with _errors_as_sentences(path), ExitStack() as undone:
        connection = sqlite3.connect(
            path, timeout=10, isolation_level=None, check_same_thread=False
        )
        undone.callback(connection.close)
        fresh = _is_blank(connection)
        if not fresh:
            _check_identity(path, connection)
            answer = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if answer != "ok":
                raise damaged(path, str(answer).splitlines()[-1])
        # A log beside the file needs memory that processes share, which network file systems lack.
        kind = _mount_of(path)[0].lower()
        is_remote = any(name in kind for name in _NETWORK_FILE_SYSTEMS)
        connection.execute(f"PRAGMA journal_mode = {'DELETE' if is_remote else 'WAL'}")
        if fresh:
            connection.execute("BEGIN IMMEDIATE")
            schema.create_tables(connection)
            connection.execute("COMMIT")
        undone.pop_all()
        return connection


def open_reader(path: Path, *, copied: bool = False) -> sqlite3.Connection:
    """Return a connection to the file as it is now, which keeps no writer waiting.

    It is read where it is if it has a log, where a writer need not wait for a reader; else, or
    where it shall be ``copied``, a copy that no one else sees is.
    """
    if not path.is_file():
        raise _no_results(path)
    with _errors_as_sentences(path):
        try:
            return _opened(path, f"{path.resolve().as_uri()}?mode=ro", copied=copied)
        except sqlite3.Error as error:
            if (getattr(error, "sqlite_errorcode", 0) & 0xFF) == sqlite3.SQLITE_BUSY:
                raise
        # A log can only be read where memory for it can be made beside the file, and one with a
        # killed writer's journal where that can be rolled back: a copy can.
        try:
            with tempfile.TemporaryDirectory(prefix="boostbench-") as name:
                copy = Path(name) / path.name
                for suffix in ("", "-wal", "-journal"):
                    source = path.with_name(path.name + suffix)
                    if source.exists():
                        shutil.copyfile(source, copy.with_name(copy.name + suffix))
                return _opened(path, copy.as_uri(), copied=True)
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error


def _opened(path: Path, uri: str, *, copied: bool) -> sqlite3.Connection:
    """Return the store ``path``, read at ``uri`` as it is now, or a copy of it."""
    with ExitStack() as undone:
        connection = sqlite3.connect(
            uri, uri=True, timeout=10, isolation_level=None, check_same_thread=False
        )
        undone.callback(connection.close)
        # What is read within one transaction is of one moment.
        connection.execute("BEGIN")
        if _is_blank(connection):
            raise _no_results(path)
        _check_identity(path, connection)
        has_log = connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        # What was written by an earlier version is upgraded before it is read.
        if has_log and not copied and schema.version_of(connection) == schema.VERSION:
            undone.pop_all()
            return connection
        # Such a file is temporary, and in memory as far as it is small.
        copy = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        connection.backup(copy)
        return copy


def _no_results(path: Path) -> StoreError:
    """Return the error for a folder without a store."""
    return StoreError(f"{path.parent} holds no results yet: there is no {path.name} in it")


def damaged(path: Path, damage: str) -> StoreError:
    """Return the error for a file that SQLite cannot read."""
    return StoreError(
        f"{path} is damaged ({damage}); it was left as it is: restore it from a copy, or move it "
        "away and run again"
    )


@contextmanager
def _errors_as_sentences(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into sentences."""
    try:
        yield
    except sqlite3.Error as error:
        raise sqlite_sentence(path, error) from error


def sqlite_sentence(path: Path, error: sqlite3.Error) -> StoreError:
    """Return an error that explains SQLite's error to the user."""
    text = str(error)
    code = getattr(error, "sqlite_errorcode", None)
    base = None if code is None else code & 0xFF
    if base == sqlite3.SQLITE_FULL:
        return os_sentence(path.parent, OSError(errno.ENOSPC, text))
    if _is_forbidden(path, base):
        return os_sentence(path.parent, PermissionError(errno.EACCES, text))
    if base == sqlite3.SQLITE_NOTADB:
        return _not_a_store(path)
    if base == sqlite3.SQLITE_CORRUPT or "no such" in text:
        return damaged(path, text)
    if text == "malformed JSON":
        return damaged(path, "a row is not JSON")
    if text.startswith("Could not decode"):
        # Python's own message continues with the bytes themselves.
        return damaged(path, "a text is not UTF-8")
    if base in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError(f"{path} stays locked by another program: close it there and run again")
    if base == sqlite3.SQLITE_IOERR:
        return StoreError(
            f"{path} cannot be read or written ({text}: a full disk, a quota or a failing drive); "
            "recorded results are kept: correct that and run again"
        )
    return StoreError(f"{path} cannot be used: {text}")


def _is_forbidden(path: Path, code: int | None) -> bool:
    if code == sqlite3.SQLITE_CANTOPEN:
        return not os.access(path.parent, os.W_OK) or _on_read_only_mount(path)
    return code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)


def _not_a_store(path: Path) -> StoreError:
    return StoreError(
        f"{path} is not a store of boostbench; it was left as it is: move it away, or name another "
        "folder as `results` in the experiment"
    )


def _is_blank(connection: sqlite3.Connection) -> bool:
    # The file of a run that was killed before its tables were committed is blank too.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return not tables and not connection.execute("PRAGMA application_id").fetchone()[0]


def _check_identity(path: Path, connection: sqlite3.Connection) -> None:
    application_id = connection.execute("PRAGMA application_id").fetchone()[0]
    if application_id != schema.APPLICATION_ID:
        raise _not_a_store(path)
    version = schema.version_of(connection)
    if not schema.OLDEST_VERSION <= version <= schema.VERSION:
        raise StoreError(
            f"{path} has format {version}, and this version of boostbench reads formats "
            f"{schema.OLDEST_VERSION} to {schema.VERSION}: use the version that wrote it, or "
            "another results folder"
        )


def _mount_of(path: Path) -> tuple[str, str]:
    """Return (file system type, options) of the mount that holds ``path``."""
    real = path.parent.resolve()
    best = ("", "")
    length = -1
    for mount in psutil.disk_partitions(all=True):
        point = Path(mount.mountpoint)
        if real.is_relative_to(point) and len(point.parts) >= length:
            best, length = (mount.fstype, mount.opts), len(point.parts)
    return best


def _on_read_only_mount(path: Path) -> bool:
    return "ro" in _mount_of(path)[1].split(",")


def in_memory() -> sqlite3.Connection:
    """Return a new, empty store in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    schema.create_tables(connection)
    return connection


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to the disk, where the file system supports that."""
    descriptor = os.open(folder, os.O_RDONLY)
    with suppress(OSError):
        os.fsync(descriptor)
    os.close(descriptor)
