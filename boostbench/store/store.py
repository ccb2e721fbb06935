"""The results of an experiment in one SQLite file: one writer, one transaction per trial."""

import contextlib
import copy
import os
import sqlite3
import time
import uuid
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from boostbench.outputs import os_sentence
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store import sqlite
from boostbench.store.archive_format import open_archive
from boostbench.store.database_rows import (
    insert,
    insert_outcomes,
    row_of,
)
from boostbench.store.files import STORE_FILE, is_archive_only
from boostbench.store.lock import WriterLock
from boostbench.store.plan_rows import write_plan
from boostbench.store.predictions import (
    remove_predictions,
    rows_of,
    write_predictions,
)
from boostbench.store.reading import StoreReader
from boostbench.store.sqlite import write_meta
from boostbench.store.types import (
    FINAL_STATUSES,
    Contents,
    Outcome,
)
from boostbench.store.upgrade import upgraded
from boostbench.values import Record


class Store(StoreReader):
    """The plan, the outcomes and the environments of one results folder; use as a context manager.

    Any number of readers may open it while one writer runs, and after the writer was killed; each
    sees the store as it was when it was opened.
    Every method raises :class:`~boostbench.errors.StoreError` with one sentence when the file, the
    folder or the disk is at fault; earlier records are kept. Not for use from two threads at once.
    """

    def __init__(
        self,
        folder: Path,
        connection: sqlite3.Connection,
        lock: WriterLock | None,
        only: Sequence[str] = (),
    ) -> None:
        super().__init__(folder, connection, only, is_read_once=lock is None)
        self.is_new = False
        """Whether :meth:`open` created the file."""
        self._created: Sequence[Path] = ()
        self._lock = lock
        self._run_id = ""

    @classmethod
    def read(cls, folder: Path, only: Sequence[str] = (), *, copied: bool = False) -> "Store":
        """Open the store of ``folder`` for reading, or a copy (``copied``) to be kept for long.

        Without a store, an archive (see :mod:`boostbench.store.archive_format`) is read like one.
        ``only`` leaves other trials out of :meth:`part`, which raises ConfigError where it selects
        none; see :class:`~boostbench.plan.selection.Selection`.

        Raises :class:`StoreError`: no store there, a file that is damaged or of another program or
        version.
        """
        if is_archive_only(folder):
            return cls(folder, open_archive(folder), None, only)
        path = folder / STORE_FILE
        connection = upgraded(path, sqlite.open_reader(path, copied=copied))
        return cls(folder, connection, None, only)

    @classmethod
    def made(
        cls,
        folder: Path,
        experiment: Record | None = None,
        trials: Sequence[Trial] = (),
        outcomes: Sequence[Outcome] = (),
    ) -> "Store":
        """Return a reader's store in memory, with a plan and the outcome of each of its trials.

        ``folder`` is only its name.
        """
        database = sqlite.in_memory()
        recorded = [
            row_of(trial, outcome, "", "")._replace(recorded=0.0)
            for trial, outcome in zip(trials, outcomes, strict=True)
        ]
        by_key = {row.key: row for row in recorded}
        write_plan(database, trials)
        insert(database, Contents(experiment or {}, (), by_key, (), ()))
        return cls(folder, database, None)

    def selecting(self, only: Sequence[str]) -> "Store":
        """Return a reader's store, as it was read, with other trials left out of :meth:`part`."""
        chosen = copy.copy(self)
        chosen.only = only
        chosen._forget_part()
        return chosen

    @classmethod
    def open(cls, folder: Path) -> "Store":
        """Open the store of ``folder`` for writing; it is created where there is none.

        Raises :class:`StoreError`: another process (which is named) writes to it, a read-only
        folder, a full disk, a file that is damaged or of another program or version.
        """
        path = folder / STORE_FILE
        made = [p for p in (folder, *folder.parents) if not os.path.lexists(p)]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for new in made:
                sqlite.sync_folder(new.parent)
            lock = WriterLock(folder)
        except OSError as error:
            raise os_sentence(folder, error) from error
        # Checked under the lock: until then another process may create it.
        is_new = not os.path.lexists(path)
        try:
            connection = upgraded(path, sqlite.open_writer(path))
        except BaseException:  # raised again
            lock.remove()
            lock.release()
            raise
        store = cls(folder, connection, lock)
        store.is_new, store._created = is_new, made
        return store

    def discard(self) -> None:
        """Close the store and remove what :meth:`open` created: a new file, its lock, its folders.

        Earlier files stay, and so does a folder that holds anything else.
        """
        self.database.close()
        if self._lock is not None:
            if self.is_new:
                for suffix in ("", "-wal", "-shm", "-journal"):
                    with contextlib.suppress(OSError):
                        self.path.with_name(STORE_FILE + suffix).unlink(missing_ok=True)
                self._lock.remove()
            self._lock.release()
        for folder in self._created:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def close(self) -> None:
        """Close the file and let another process write."""
        self.database.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def set_plan(self, experiment: Record, trials: Collection[Trial]) -> None:
        """Set the plan to ``trials``, in this order; outcomes of trials no longer planned stay."""
        is_new = not self.is_made_of(trials)
        with self.database.transaction() as db:
            if is_new:
                write_plan(db, trials)
            write_meta(db, "experiment", canonical_json(experiment))
            db.execute("DELETE FROM running")
        self._forget_plan()

    def add_environment(self, environment_id: str, environment: Record) -> None:
        """Store a description of the machine and its packages, once."""
        with self.database.transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO environments VALUES (?, ?, ?)",
                (environment_id, canonical_json(environment), time.time()),
            )

    def begin_run(
        self,
        environment_id: str,
        environment: Record,
        *,
        command: Sequence[str] = (),
        shard: str = "",
        cluster: str = "",
        details: Record | None = None,
    ) -> str:
        """Store a run's environment, the words of its command and ``details`` (JSON values).

        Returns its id, which outcomes recorded from now on carry.
        """
        self.add_environment(environment_id, environment)
        run_id = uuid.uuid4().hex[:16]
        said, more = canonical_json(list(command)), canonical_json(dict(details or {}))
        with self.database.transaction() as db:
            db.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run_id, environment_id, said, time.time(), shard, cluster, more),
            )
        self._run_id = run_id
        return run_id

    def mark_running(self, trial: Trial, worker: int) -> None:
        """Note, for readers, that ``worker`` has begun ``trial``; a power cut may lose the note."""
        with self.database.transaction(synced=False) as db:
            db.execute("DELETE FROM running WHERE worker = ?", (worker,))
            db.execute("INSERT INTO running VALUES (?, ?, ?)", (worker, trial.key, time.time()))

    def record(self, trial: Trial, outcome: Outcome, environment_id: str = "") -> None:
        """Commit the outcome of one trial; it is on the disk when this returns."""
        if outcome.status not in FINAL_STATUSES:
            raise ValueError(f"status {outcome.status!r} is not final")
        row = row_of(trial, outcome, environment_id, self._run_id)
        with self.database.transaction() as db:
            insert_outcomes(db, [row])
            remove_predictions(db, trial.key)
            if outcome.predictions is not None:
                write_predictions(db, rows_of(trial.key, outcome.predictions), {trial.key: row})
            db.execute("DELETE FROM running WHERE key = ?", (trial.key,))
            db.execute("DELETE FROM again WHERE key = ?", (trial.key,))

    def run_again(self, keys: Iterable[str]) -> None:
        """Mark the trials of ``keys`` to be run again: each is missing until recorded again."""
        with self.database.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO again VALUES (?)", [(key,) for key in keys])
