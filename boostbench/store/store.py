"""The results of an experiment in one SQLite file: one writer, one transaction per trial."""

import contextlib
import copy
import hashlib
import os
import sqlite3
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from boostbench.outputs import os_sentence
from boostbench.plan.shard import Shard
from boostbench.plan.trial import PlannedTrial, Trial, canonical_json
from boostbench.store import sqlite
from boostbench.store.archive_format import open_archive
from boostbench.store.database_rows import (
    LIKE,
    RESULT,
    check_plan,
    insert,
    insert_outcomes,
    is_plan,
    load,
    outcome_of,
    read_cells,
    read_outcomes,
    read_planned,
    read_runs,
    recorded_run,
    result_of,
    row_of,
    trial_at,
    trial_of,
    write_meta,
    write_plan,
)
from boostbench.store.files import STORE_FILE, is_archive_only
from boostbench.store.lock import WriterLock, holder
from boostbench.store.part import WHOLE, Part, label, part_of
from boostbench.store.predictions import (
    Predictions,
    keys_with_predictions,
    read_prediction,
    remove_predictions,
    rows_of,
    write_predictions,
)
from boostbench.store.record import DEFAULTS, ExperimentRecord
from boostbench.store.types import (
    FINAL_STATUSES,
    Contents,
    Outcome,
    PlannedCell,
    RecordedRun,
    Result,
)
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
        self._part: Part | None = None
        self._cells: list[PlannedCell] | None = None
        self._planned: list[PlannedTrial] | None = None
        self._outcomes: dict[str, Outcome] | None = None
        self._digest = ""
        self._is_checked = False

    @classmethod
    def read(cls, folder: Path, only: Sequence[str] = (), *, copied: bool = False) -> "Store":
        """Open the store of ``folder`` for reading; ``copied`` into memory, to be kept for long.

        Without a store, an archive (see :mod:`boostbench.store.archive_format`) is read like one.
        ``only`` leaves other trials out of :meth:`part`, which raises ConfigError where it selects
        none; see :class:`~boostbench.plan.selection.Selection`.

        Raises :class:`StoreError`: no store there, a file that is damaged or of another program or
        version.
        """
        if is_archive_only(folder):
            return cls(folder, open_archive(folder), None, only)
        return cls(folder, sqlite.open_reader(folder / STORE_FILE, copied=copied), None, only)

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
        chosen.only = only
        chosen._part, chosen._cells, chosen._planned = None, None, None
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
        self._part, self._cells, self._planned, self._digest = None, None, None, ""
        self._is_checked = False

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
        """Return the digest of the plan, the outcomes, and where and how they were recorded.

        StoreError where the plan or an outcome was changed.
        """
        if self._digest and self._is_read_once:
            return self._digest
        self._check_plan()
        parts = self.database.query("SELECT key FROM plan ORDER BY position")
        for table in ("meta", "environments", "runs"):
            parts += self.database.query(f"SELECT * FROM {table} ORDER BY 1")
        digest = hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass"))
        for row in read_outcomes(self.database):
            # The digest of a row stands for what it guards.
            guarded = row.digest, row.environment_id, row.recorded, row.run_id
            digest.update(repr(guarded if row.digest else row).encode("utf-8", "surrogatepass"))
        self._digest = digest.hexdigest()
        return self._digest

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

    @property
    def _is_read_once(self) -> bool:
        """Whether the store is a reader's, who sees it at one moment."""
        return self._lock is None

    def plan(self) -> list[Trial]:
        """Return the planned trials in order; StoreError if the plan was changed."""
        self._check_plan()
        return [planned.trial for planned in read_planned(self.database, WHOLE)]

    def _check_plan(self) -> None:
        # Only the one writer changes the plan.
        if not self._is_checked:
            check_plan(self.database)
        self._is_checked = True

    def datasets(self) -> dict[str, Trial]:
        """Return a trial of each planned data set, by its name; StoreError as in :meth:`plan`."""
        self._check_plan()
        sql = f"SELECT {label('dataset')}, min(position) FROM plan GROUP BY 1 ORDER BY 2"
        return {name: trial_at(self.database, first) for name, first in self.database.query(sql)}

    def is_planned(self, trials: Sequence[Trial]) -> bool:
        """Return whether these are the planned trials, with all that is recorded of each."""
        rows = self.database.each("SELECT key, trial FROM plan ORDER BY position")
        return is_plan(rows, ((trial.key, trial.text) for trial in trials))

    def shard(self) -> Shard | None:
        """Return the shard of the plan that the store is for, None for the whole plan."""
        text = self.record_of_run()["shard"]
        return Shard.parse(text) if text else None

    @property
    def _chosen(self) -> Part:
        if self._part is None:
            self._check_plan()
            self._part = part_of(self.database, self.shard(), self.only)
        return self._part

    def cells(self) -> list[PlannedCell]:
        """Return the cells of the planned trials that the store is for, and what has run of them.

        StoreError if the plan was changed.
        """
        if self._cells is None or not self._is_read_once:
            self._cells = read_cells(self.database, self._chosen)
        return self._cells

    def planned_part(self) -> list[PlannedTrial]:
        """Return the planned trials that the store is for, by their places; see :meth:`part`."""
        if self._planned is None:
            self._planned = read_planned(self.database, self._chosen)
        return self._planned

    def part(self) -> list[Trial]:
        """Return the planned trials that the store is for, in order: its shard's, or all."""
        return [planned.trial for planned in self.planned_part()]

    def missing(self) -> list[Trial]:
        """Return the planned trials without an outcome, or to be run again, in order, each once."""
        ended = self.statuses().keys() - self.to_run_again()
        first: dict[str, Trial] = {}
        for planned in read_planned(self.database, WHOLE):
            if planned.key not in ended and planned.key not in first:
                first[planned.key] = planned.trial
        return list(first.values())

    def to_run_again(self) -> set[str]:
        """Return the keys given to :meth:`run_again` whose trials have not been recorded since."""
        return {key for (key,) in self.database.query("SELECT key FROM again")}

    def statuses(self) -> dict[str, str]:
        """Return the status of every stored outcome by the trial's key, planned now or not."""
        return dict(self.database.each("SELECT key, status FROM outcomes"))

    def failures(self) -> list[Record]:
        """Return the failures of planned trials by method and reason, the most frequent first."""
        sql = f"""SELECT {label("method")}, status, reason, count(*), min(position), plan.trial
            FROM plan JOIN outcomes ON outcomes.key = plan.key
            WHERE {self._chosen.condition} AND status != 'ok' GROUP BY 1, 2, 3 ORDER BY 4 DESC, 5"""
        if not any(cell.recorded.keys() - {"ok"} for cell in self.cells()):
            return []
        names = ("method", "status", "reason", "trials")
        return [
            {**dict(zip(names, values, strict=False)), "such_as": trial_of(self.path, trial).name}
            for *values, _, trial in self.database.query(sql, self._chosen.values)
        ]

    def outcomes(self) -> dict[str, Outcome]:
        """Return every stored outcome by the trial's key, planned now or not."""
        # A reader sees the store at one moment, so that it reads the outcomes only once.
        if self._outcomes is None or not self._is_read_once:
            recorded = read_outcomes(self.database)
            self._outcomes = {row.key: outcome_of(self.path, row) for row in recorded}
        return dict(self._outcomes)

    def results(self) -> Iterator[Result | None]:
        """Yield what a report reads of the outcome of each trial, None where it has none.

        The trials are those of :meth:`planned_part`, in this order.
        """
        self.digest()
        sql = f"""SELECT {RESULT} FROM plan LEFT JOIN outcomes ON outcomes.key = plan.key
            WHERE {self._chosen.condition} ORDER BY position"""
        for row in self.database.each(sql, self._chosen.values):
            yield None if row[0] is None else result_of(self.path, row)

    def recorded(self, field: str) -> Iterator[tuple[str, str, Record]]:
        """Yield the status, the reason and one field of the outcome of each trial.

        The trials are those of :meth:`planned_part`, in this order; one that has none is pending.
        """
        self.digest()
        sql = f"""SELECT status, reason, {field} FROM plan
            LEFT JOIN outcomes ON outcomes.key = plan.key
            WHERE {self._chosen.condition} ORDER BY position"""
        for status, reason, values in self.database.each(sql, self._chosen.values):
            yield status or "pending", reason or "", load(self.path, values or "{}")

    def recorded_names(self, field: str) -> dict[str, int]:
        """Return the names in a field of the trials' outcomes, and the most values of each."""
        has_some = f"SELECT 1 FROM outcomes WHERE {field} IS NOT NULL LIMIT 1"
        if not self.database.query(has_some):
            return {}
        values = "iif(value.type = 'array', json_array_length(value.value), 1)"
        sql = f"""SELECT value.key, max({values}) FROM plan
            JOIN outcomes ON outcomes.key = plan.key, json_each({field}) AS value
            WHERE {self._chosen.condition} GROUP BY 1"""
        return dict(self.database.query(sql, self._chosen.values))

    def result(self, key: str) -> Result | None:
        """Return what a report reads of the outcome of one trial, None where it has none."""
        rows = self.database.query(f"SELECT {RESULT} FROM outcomes WHERE key = ?", (key,))
        return result_of(self.path, rows[0]) if rows else None

    @property
    def has_curves(self) -> bool:
        """Whether there is a learning curve."""
        return bool(self.database.query("SELECT 1 FROM outcomes WHERE curve != '{}' LIMIT 1"))

    def curves(self) -> dict[str, Mapping[str, list[float]]]:
        """Return the learning curves of the trials that ended ok, by the trial's key."""
        rows = self.database.each(
            """SELECT key, curve, time_curve FROM outcomes
            WHERE status = 'ok' AND (curve IS NOT NULL OR time_curve IS NOT NULL)"""
        )
        return {
            key: {**load(self.path, curve or "{}"), **load(self.path, seconds or "{}")}
            for key, curve, seconds in rows
        }

    def with_predictions(self) -> set[str]:
        """Return the keys of the trials whose predictions are kept."""
        return keys_with_predictions(self.database)

    def predictions(self, key: str) -> Predictions | None:
        """Return the predictions of a trial, None where none are kept."""
        return read_prediction(self.database, key)

    def outside_plan(self, planned: Collection[str]) -> list[Trial]:
        """Return the trials with an outcome whose key is not among ``planned``, oldest first."""
        rows = self.database.each("SELECT key, trial FROM outcomes ORDER BY recorded, rowid")
        return [trial_of(self.path, text, key) for key, text in rows if key not in planned]

    def timed(self) -> Iterator[tuple[Trial, list[dict[str, float]]]]:
        """Yield the times of trials that ended ok, with a trial like each of them."""
        alike: dict[str, list[str]] = {}
        sql = f"SELECT {LIKE}, times FROM outcomes WHERE status = 'ok'"
        for like, times in self.database.each(sql):
            alike.setdefault(like, []).append(times)
        for like, each in alike.items():
            yield trial_of(self.path, like), [load(self.path, times) for times in each]

    def running(self) -> list[tuple[Trial, float]]:
        """Return the trials that a live run works on now, each with its start (Unix time, s)."""
        if holder(self.folder) is None:
            return []
        rows = self.database.query(
            f"""SELECT trial, started FROM running JOIN plan USING (key)
            WHERE {self._chosen.condition} GROUP BY running.worker ORDER BY running.worker""",
            self._chosen.values,
        )
        return [(trial_of(self.path, t), started) for t, started in rows]

    def environments(self) -> dict[str, Record]:
        """Return the descriptions of where planned trials ran, by id, oldest first."""
        rows = self.database.query(
            """SELECT id, description FROM environments WHERE EXISTS (SELECT 1 FROM outcomes
            JOIN plan USING (key) WHERE environment_id = environments.id) ORDER BY first_seen, id"""
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
    return [(trial.key, trial.text) for trial in trials]
