"""The results of an experiment in one SQLite file: one writer, one transaction per trial."""

import contextlib
import copy
import hashlib
import os
import sqlite3
import time
import uuid
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from boostbench.outputs import os_sentence
from boostbench.plan.selection import select
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store import sqlite
from boostbench.store.archive_format import open_archive
from boostbench.store.database_rows import (
    insert,
    insert_outcomes,
    load,
    outcome_of,
    read_outcomes,
    read_plan,
    read_runs,
    recorded_run,
    row_of,
    trial_of,
    write_meta,
    write_plan,
)
from boostbench.store.files import STORE_FILE, is_archive_only
from boostbench.store.lock import WriterLock, holder
from boostbench.store.predictions import (
    Predictions,
    keys_with_predictions,
    read_prediction,
    remove_predictions,
    rows_of,
    write_predictions,
)
from boostbench.store.record import DEFAULTS, ExperimentRecord
from boostbench.store.types import FINAL_STATUSES, Contents, Outcome, RecordedRun
from boostbench.values import Record


class Store:
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
        self.folder = folder
        self.path = folder / STORE_FILE
        self.database = sqlite.Database(self.path, connection)
        self.is_new = False
        """Whether :meth:`open` created the file."""
        self._created: Sequence[Path] = ()
        self._lock = lock
        self._run_id = ""
        self.only = only
        self._part: list[Trial] | None = None
        self._outcomes: dict[str, Outcome] | None = None

    @classmethod
    def read(cls, folder: Path, only: Sequence[str] = ()) -> "Store":
        """Open the store of ``folder`` for reading.

        Without a store, an archive (see :mod:`boostbench.store.archive_format`) is read like one.
        ``only`` leaves other trials out of :meth:`part`; see
        :func:`~boostbench.plan.selection.select`, which raises ConfigError there.

        Raises :class:`StoreError`: no store there, a file that is damaged or of another program or
        version.
        """
        if is_archive_only(folder):
            return cls(folder, open_archive(folder), None, only)
        return cls(folder, sqlite.open_reader(folder / STORE_FILE), None, only)

    @classmethod
    def made(
        cls, folder: Path, experiment: Record, trials: Sequence[Trial], outcomes: Sequence[Outcome]
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
        insert(database, Contents(experiment, _rows_of_plan(trials), by_key, (), ()))
        return cls(folder, database, None)

    def selecting(self, only: Sequence[str]) -> "Store":
        """Return a reader's store, as it was read, with other trials left out of :meth:`part`."""
        chosen = copy.copy(self)
        chosen.only, chosen._part = only, None
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
            connection = sqlite.open_writer(path)
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

    # -- writing ---------------------------------------------------------------------------------

    def set_plan(self, experiment: Record, trials: Sequence[Trial]) -> None:
        """Set the plan to ``trials``, in this order; outcomes of trials no longer planned stay."""
        with self.database.transaction() as db:
            write_plan(db, _rows_of_plan(trials))
            write_meta(db, "experiment", canonical_json(experiment))
            db.execute("DELETE FROM running")

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

    # -- reading ---------------------------------------------------------------------------------

    def digest(self) -> str:
        """Return the digest of the plan, the outcomes, and where and how they were recorded."""
        digest = hashlib.sha256()
        for rows in ("meta", "plan", "outcomes", "environments", "runs"):
            # The first column is the key of each.
            for row in self.database.query(f"SELECT * FROM {rows} ORDER BY 1"):
                digest.update(repr(row).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def experiment(self) -> Record:
        """Return the experiment's JSON as given to :meth:`set_plan`, ``{}`` before."""
        record: Record = load(self.path, self._experiment_text())
        return record

    def record_of_run(self) -> ExperimentRecord:
        """Return the experiment's JSON with the defaults of the keys that it lacks."""
        return {**DEFAULTS, **load(self.path, self._experiment_text())}

    def _experiment_text(self) -> str:
        rows = self.database.query("SELECT value FROM meta WHERE name = 'experiment'")
        return rows[0][0] if rows else "{}"

    def plan(self) -> list[Trial]:
        """Return the planned trials in order; StoreError if the plan was changed."""
        return [trial_of(self.path, text, key) for key, text in read_plan(self.database)]

    def is_planned(self, trials: Sequence[Trial]) -> bool:
        """Return whether these are the planned trials, with all that is recorded of each."""
        return read_plan(self.database) == _rows_of_plan(trials)

    def shard(self) -> Shard | None:
        """Return the shard of the plan that the store is for, None for the whole plan."""
        text = self.record_of_run()["shard"]
        return Shard.parse(text) if text else None

    def part(self) -> list[Trial]:
        """Return the planned trials that the store is for, in order: its shard's, or all."""
        if self._part is None or self._lock is not None:
            plan, shard = self.plan(), self.shard()
            self._part = select(plan if shard is None else shard.part(plan), self.only)
        return list(self._part)

    def missing(self) -> list[Trial]:
        """Return the planned trials without an outcome, or to be run again, in order, each once."""
        ended = {key for (key,) in self.database.query("SELECT key FROM outcomes")}
        ended -= self.to_run_again()
        first: dict[str, Trial] = {}
        for trial in self.plan():
            first.setdefault(trial.key, trial)
        return [trial for key, trial in first.items() if key not in ended]

    def to_run_again(self) -> set[str]:
        """Return the keys given to :meth:`run_again` whose trials have not been recorded since."""
        return {key for (key,) in self.database.query("SELECT key FROM again")}

    def outcomes(self, *, brief: bool = False) -> dict[str, Outcome]:
        """Return every stored outcome by the trial's key, planned now or not.

        ``brief`` leaves all but the status, the reason and the times empty, which suffices for
        counts and estimates.
        """
        if brief:
            rows = self.database.query("SELECT key, status, reason, times FROM outcomes")
            return {
                key: Outcome(status, reason, times=load(self.path, times))
                for key, status, reason, times in rows
            }
        # A reader sees the store at one moment, so that it reads the outcomes only once.
        if self._outcomes is None or self._lock is not None:
            recorded = read_outcomes(self.database)
            self._outcomes = {row.key: outcome_of(self.path, row) for row in recorded}
        return dict(self._outcomes)

    def with_predictions(self) -> set[str]:
        """Return the keys of the trials whose predictions are kept."""
        return keys_with_predictions(self.database)

    def predictions(self, key: str) -> Predictions | None:
        """Return the predictions of a trial, None where none are kept."""
        return read_prediction(self.database, key)

    def outside_plan(self, planned: Collection[str]) -> list[Trial]:
        """Return the trials with an outcome whose key is not among ``planned``, oldest first."""
        rows = self.database.query("SELECT key, trial FROM outcomes ORDER BY recorded, rowid")
        return [trial_of(self.path, text, key) for key, text in rows if key not in planned]

    def timed(self) -> list[tuple[Trial, dict[str, float]]]:
        """Return the trials that ended ok, and their times."""
        rows = self.database.query("SELECT trial, times FROM outcomes WHERE status = 'ok'")
        return [(trial_of(self.path, trial), load(self.path, times)) for trial, times in rows]

    def running(self) -> list[tuple[Trial, float]]:
        """Return the trials that a live run works on now, each with its start (Unix time, s)."""
        if holder(self.folder) is None:
            return []
        rows = self.database.query(
            """SELECT trial, started FROM running JOIN plan USING (key)
            GROUP BY running.worker ORDER BY running.worker"""
        )
        return [(trial_of(self.path, t), started) for t, started in rows]

    def environments(self) -> dict[str, Record]:
        """Return the descriptions of where planned trials ran, by id, oldest first."""
        rows = self.database.query(
            """SELECT id, description FROM environments WHERE id IN
            (SELECT environment_id FROM outcomes JOIN plan USING (key)) ORDER BY first_seen, id"""
        )
        return {name: load(self.path, text) for name, text in rows}

    def environment_ids(self) -> dict[str, str]:
        """Return the id of the environment of every stored outcome, by the trial's key."""
        return dict(self.database.query("SELECT key, environment_id FROM outcomes"))

    def environment(self, environment_id: str) -> Record:
        """Return the description of an environment, ``{}`` where there is none of that id."""
        sql = "SELECT description FROM environments WHERE id = ?"
        rows = self.database.query(sql, (environment_id,))
        return load(self.path, rows[0][0]) if rows else {}

    def runs(self) -> list[RecordedRun]:
        """Return the runs in which planned trials were recorded, in the order of their start."""
        condition = "id IN (SELECT run_id FROM outcomes JOIN plan USING (key))"
        rows = sorted(read_runs(self.database, condition), key=lambda row: (row.started, row.id))
        return [recorded_run(self.path, row) for row in rows]

    def run_of(self, key: str) -> RecordedRun | None:
        """Return the run in which the trial was recorded, None where unknown."""
        condition = "id IN (SELECT run_id FROM outcomes WHERE key = ?)"
        rows = read_runs(self.database, condition, key)
        return recorded_run(self.path, rows[0]) if rows else None


def _rows_of_plan(trials: Sequence[Trial]) -> list[tuple[str, str]]:
    return [(trial.key, canonical_json(trial.to_dict())) for trial in trials]
