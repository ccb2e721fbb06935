"""The results of an experiment in one SQLite file: one writer, one transaction a trial."""

import contextlib
import os
import sqlite3
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.bulk import collector_paused
from boostbench.outputs import os_sentence
from boostbench.plan.encoding import texts
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store import connect
from boostbench.store.lock import WriterLock, holder
from boostbench.store.session import Session, outcome_digest, seal_plan
from boostbench.store.types import FINAL_STATUSES, Contents, Outcome, OutcomeRow, Run

FILE_NAME = "store.sqlite"
_OUTCOME = "status, reason, metrics, times, traceback, curve, time_curve, output, digest"
_PLACES = ",".join("?" * len(OutcomeRow._fields))
_BRIEF = "status, reason, '{}', times, '', NULL, NULL, '', ''"


class Store(Session):
    """The plan, the outcomes and the environments of one results folder; use as a context manager.

    Any number of readers may open it while one writer runs, and after the writer was killed; each
    sees the store as it was when it was opened.
    Every method raises :class:`~boostbench.errors.StoreError` with one sentence when the file, the
    folder or the disk is at fault; what had been recorded before is kept. Not for use from two
    threads at once.
    """

    def __init__(
        self, folder: Path, connection: sqlite3.Connection, lock: WriterLock | None, note: str
    ) -> None:
        super().__init__(folder / FILE_NAME, connection)
        self.folder = folder
        self.note = note
        """A sentence worth telling the user once (an unusual journal mode), or empty."""
        self.is_new = False
        """Whether :meth:`open` has made the file."""
        self._created: Sequence[Path] = ()
        self._lock = lock
        self._run_id = ""

    @classmethod
    def open(cls, folder: Path, *, create: bool, read_only: bool = False) -> "Store":
        """Open the store of ``folder``; with ``create`` it is made where there is none.

        Raises :class:`StoreError`: no store there, another process writes to it (and which), a
        read-only folder, a full disk, a file that is damaged, of another program or version.
        """
        folder = Path(folder)
        path = folder / FILE_NAME
        if read_only:
            connection = connect.open_reader(path)
            return cls(folder, connection, None, "")
        if not create and not path.is_file():
            raise connect.nothing_there(path)
        made = [p for p in (folder, *folder.parents) if not os.path.lexists(p)]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for new in made:
                _sync_folder(new.parent)
            lock = WriterLock(folder)
        except OSError as error:
            raise os_sentence(folder, error) from error
        # Asked under the lock: until then another process may make it.
        is_new = not os.path.lexists(path)
        try:
            connection, note = connect.open_writer(path)
        except BaseException:
            lock.release()
            raise
        store = cls(folder, connection, lock, note)
        store.is_new, store._created = is_new, made
        return store

    def discard(self) -> None:
        """Close the store and remove what :meth:`open` created: a new file, its lock, its folders.

        What was there before stays, and so does a folder that holds anything else.
        """
        self._connection.close()
        if self._lock is not None:
            if self.is_new:
                for suffix in ("", "-wal", "-shm", "-journal"):
                    with contextlib.suppress(OSError):
                        self.path.with_name(FILE_NAME + suffix).unlink(missing_ok=True)
            if self._lock.is_new:
                self._lock.remove()
            self._lock.release()
        for folder in self._created:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def close(self) -> None:
        """Close the file and let another process write."""
        self._connection.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- writing ---------------------------------------------------------------------------------

    def set_plan(self, experiment: Mapping[str, Any], trials: Sequence[Trial]) -> None:
        """Make ``trials``, in this order, the plan; outcomes of trials no longer planned stay."""
        with collector_paused():
            written = zip(trials, texts(trials), strict=True)
            rows = [(i, trial.key, text) for i, (trial, text) in enumerate(written)]
        with self._transaction() as db:
            if db.execute("SELECT * FROM plan ORDER BY position").fetchall() != rows:
                db.execute("DELETE FROM plan")
                db.executemany("INSERT INTO plan VALUES (?, ?, ?)", rows)
            seal_plan(db, [row[1:] for row in rows])
            db.execute("DELETE FROM running")
            db.execute(
                "INSERT OR REPLACE INTO meta VALUES ('experiment', ?)",
                (canonical_json(experiment),),
            )

    def add_environment(self, environment_id: str, environment: Mapping[str, Any]) -> None:
        """Keep a description of the machine and its packages, once."""
        with self._transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO environments VALUES (?, ?, ?)",
                (environment_id, canonical_json(environment), time.time()),
            )

    def begin_run(
        self,
        environment_id: str,
        environment: Mapping[str, Any],
        *,
        command: Sequence[str] = (),
        shard: str = "",
        cluster: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> str:
        """Keep what is to be known of a run and return its id, which outcomes recorded from now on
        carry: where it takes place, the words of its command, and ``details`` (JSON values)."""
        self.add_environment(environment_id, environment)
        run_id = uuid.uuid4().hex[:16]
        said, more = canonical_json(list(command)), canonical_json(dict(details or {}))
        with self._transaction() as db:
            db.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run_id, environment_id, said, time.time(), shard, cluster, more),
            )
        self._run_id = run_id
        return run_id

    def mark_running(self, trial: Trial, worker: int) -> None:
        """Note, for readers, that ``worker`` has begun ``trial``; not to outlast a power cut."""
        with self._unsynced(), self._transaction() as db:
            db.execute("DELETE FROM running WHERE worker = ?", (worker,))
            db.execute("INSERT INTO running VALUES (?, ?, ?)", (worker, trial.key, time.time()))

    def record(self, trial: Trial, outcome: Outcome, environment_id: str = "") -> None:
        """Commit the outcome of one trial; it is on the disk when this returns."""
        if outcome.status not in FINAL_STATUSES:
            raise ValueError(f"status {outcome.status!r} is not final")
        curve, time_curve = (
            None if curve is None else canonical_json(dict(curve))
            for curve in (outcome.curve, outcome.time_curve)
        )
        metrics, times = canonical_json(dict(outcome.metrics)), canonical_json(dict(outcome.times))
        told = (trial.key, outcome.status, outcome.reason, metrics, times, outcome.traceback, curve)
        row = (
            *told,
            environment_id,
            canonical_json(trial.to_dict()),
            time.time(),
            time_curve,
            self._run_id,
            outcome_digest([*told, time_curve, outcome.output]),
            outcome.output,
        )
        with self._transaction() as db:
            db.execute(f"INSERT OR REPLACE INTO outcomes VALUES ({_PLACES})", row)
            db.execute("DELETE FROM running WHERE key = ?", (trial.key,))
            db.execute("DELETE FROM again WHERE key = ?", (trial.key,))

    def run_again(self, keys: Iterable[str]) -> None:
        """Have the trials of ``keys`` run again: each is missing until it is recorded again."""
        with self._transaction() as db:
            db.executemany("INSERT OR IGNORE INTO again VALUES (?)", [(key,) for key in keys])

    def absorb(
        self,
        experiment: Mapping[str, Any],
        *,
        plan: Sequence[tuple[str, str]],
        outcomes: Sequence[OutcomeRow],
        environments: Sequence[tuple[Any, ...]],
        runs: Sequence[tuple[Any, ...]],
    ) -> None:
        """Take over rows of other stores' :meth:`contents`, all in one transaction.

        ``outcomes`` replace those of their keys; ``plan``, unless empty, replaces the plan.
        """
        with self._transaction() as db:
            if plan:
                db.execute("DELETE FROM plan")
                rows = ((i, key, trial) for i, (key, trial) in enumerate(plan))
                db.executemany("INSERT INTO plan VALUES (?, ?, ?)", rows)
                seal_plan(db, plan)
            db.execute(
                "INSERT OR REPLACE INTO meta VALUES ('experiment', ?)",
                (canonical_json(experiment),),
            )
            db.executemany(
                """INSERT INTO environments VALUES (?, ?, ?) ON CONFLICT (id)
                DO UPDATE SET first_seen = min(first_seen, excluded.first_seen)""",
                environments,
            )
            db.executemany("INSERT OR IGNORE INTO runs VALUES (?,?,?,?,?,?,?)", runs)
            db.executemany(f"INSERT OR REPLACE INTO outcomes VALUES ({_PLACES})", outcomes)

    # -- reading ---------------------------------------------------------------------------------

    def experiment(self) -> dict[str, Any]:
        """Return the experiment's JSON as given to :meth:`set_plan`, ``{}`` before."""
        rows = self._query("SELECT value FROM meta WHERE name = 'experiment'")
        return self._load(rows[0][0]) if rows else {}

    def plan(self) -> list[Trial]:
        """Return the planned trials in order."""
        rows = self._sealed_plan()
        with collector_paused():
            values = self._load_all([text for _, text in rows])
            return [self._made(value, key) for (key, _), value in zip(rows, values, strict=True)]

    def has_plan(self) -> bool:
        """Return whether any trial is planned."""
        return bool(self._query("SELECT 1 FROM plan LIMIT 1"))

    def planned_fingerprints(self) -> dict[str, str]:
        """Return the fingerprints of the planned data sets by name."""
        name, mark = "json_extract(trial, '$.dataset')", "json_extract(trial, '$.fingerprint')"
        return dict(self._query(f"SELECT DISTINCT {name}, {mark} FROM plan"))

    def shard(self) -> Shard | None:
        """Return which shard of its plan the store is for, None where it is for all of it."""
        text = self.experiment().get("shard")
        return Shard.parse(text) if text else None

    def part(self) -> list[Trial]:
        """Return the planned trials that the store is for, in order: its shard's, or all."""
        plan, shard = self.plan(), self.shard()
        return plan if shard is None else shard.part(plan)

    def missing(self, retry_failed: bool = False) -> list[Trial]:
        """Return the planned trials without an outcome, or to be run again, in order, each once.

        With ``retry_failed`` those whose outcome is neither ``ok`` nor ``skipped`` as well.
        """
        done = "status IN ('ok', 'skipped')" if retry_failed else "1"
        rows = self._query(
            f"""SELECT key, trial FROM plan
            WHERE key NOT IN (SELECT key FROM outcomes NOT INDEXED WHERE {done})
               OR key IN (SELECT key FROM again)
            ORDER BY position"""
        )
        first: dict[str, str] = {}
        for key, text in rows:
            first.setdefault(key, text)
        with collector_paused():
            return [self._trial(text, key) for key, text in first.items()]

    def to_run_again(self) -> set[str]:
        """Return the keys given to :meth:`run_again` whose trials have not been recorded since."""
        return {key for (key,) in self._query("SELECT key FROM again")}

    def outcomes(self, *, brief: bool = False) -> dict[str, Outcome]:
        """Return every stored outcome by the trial's key, planned now or not.

        ``brief``: with no more than the status, the reason and the times, which is all that
        counting and estimating need.
        """
        columns = _BRIEF if brief else _OUTCOME
        rows = self._query(f"SELECT key, {columns} FROM outcomes")
        with collector_paused():
            rows = [self._checked(row) for row in rows]
            metrics = self._load_all([row[3] for row in rows])
            times = self._load_all([row[4] for row in rows])
            return {
                row[0]: self._outcome((*row[1:3], metrics[i], times[i], *row[5:]))
                for i, row in enumerate(rows)
            }

    def timed(
        self, estimators: Sequence[str], most: int
    ) -> list[tuple[Trial, dict[str, float], str]]:
        """Return trials of ``estimators`` that ended ok, their times and their environment's id.

        Of more than about ``most`` outcomes in the store, so many evenly spread ones are looked at.
        """
        count = self._query("SELECT count(*) FROM outcomes")[0][0]
        marks = ", ".join("?" * len(estimators))
        rows = self._query(
            f"""SELECT trial, times, environment_id FROM outcomes
            WHERE rowid % ? = 0 AND status = 'ok'
              AND json_extract(trial, '$.estimator') IN ({marks})""",
            (-(-count // most) or 1, *estimators),
        )
        return [(self._trial(t), self._load(s), environment) for t, s, environment in rows]

    def outcome(self, key: str) -> Outcome | None:
        """Return the outcome of one trial, None where there is none."""
        rows = self._query(f"SELECT key, {_OUTCOME} FROM outcomes WHERE key = ?", (key,))
        if not rows:
            return None
        _, status, reason, metrics, times, *more = self._checked(rows[0])
        return self._outcome((status, reason, self._load(metrics), self._load(times), *more))

    def find(self, prefix: str) -> list[Trial]:
        """Return the trials (planned, or with an outcome) whose key starts with ``prefix``."""
        if not prefix or not set(prefix) <= set("0123456789abcdef"):
            return []
        rows = self._query(
            """SELECT trial FROM plan WHERE substr(key, 1, ?1) = ?2
            UNION ALL SELECT trial FROM outcomes WHERE substr(key, 1, ?1) = ?2
              AND key NOT IN (SELECT key FROM plan)""",
            (len(prefix), prefix),
        )
        return [self._trial(t) for (t,) in rows]

    def running(self) -> list[tuple[Trial, float]]:
        """Return the trials that a live run works on now, each with its start (Unix time, s)."""
        if holder(self.folder) is None:
            return []
        rows = self._query(
            """SELECT trial, started FROM running JOIN plan USING (key)
            GROUP BY running.worker ORDER BY running.worker"""
        )
        return [(self._trial(t), started) for t, started in rows]

    def environments(self) -> dict[str, dict[str, Any]]:
        """Return the descriptions of where planned trials ran, by id, oldest first."""
        rows = self._query(
            """SELECT id, description FROM environments WHERE id IN
            (SELECT environment_id FROM outcomes JOIN plan USING (key)) ORDER BY first_seen, id"""
        )
        return {name: self._load(text) for name, text in rows}

    def environment_of(self, key: str) -> str:
        """Return the id of the environment in which the trial ran, empty where unknown."""
        rows = self._query("SELECT environment_id FROM outcomes WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def environment_ids(self) -> dict[str, str]:
        """Return the id of the environment of every stored outcome, by the trial's key."""
        return dict(self._query("SELECT key, environment_id FROM outcomes"))

    def environment(self, environment_id: str) -> dict[str, Any] | None:
        """Return the description of an environment, None where there is none of that id."""
        rows = self._query("SELECT description FROM environments WHERE id = ?", (environment_id,))
        return self._load(rows[0][0]) if rows else None

    def runs(self) -> list[Run]:
        """Return the runs in which planned trials were recorded, in the order of their start."""
        return self._runs("id IN (SELECT run_id FROM outcomes JOIN plan USING (key))")

    def run_of(self, key: str) -> Run | None:
        """Return the run in which the trial was recorded, None where unknown."""
        runs = self._runs("id IN (SELECT run_id FROM outcomes WHERE key = ?)", (key,))
        return runs[0] if runs else None

    def contents(self) -> Contents:
        """Return all rows as they are at one moment, whatever a writer does meanwhile."""
        # A reader is within a transaction or has a copy, and nobody writes beside a writer.
        for table, is_json in (
            ("outcomes", "json_valid(metrics) AND json_valid(trial)"),
            ("plan", "json_valid(trial)"),
        ):
            if self._query(f"SELECT 1 FROM {table} WHERE NOT ({is_json}) LIMIT 1"):
                raise connect.damaged(self.path, "a row is not JSON")
        rows = self._query(f"SELECT {', '.join(OutcomeRow._fields)} FROM outcomes")
        for row in rows:
            self._checked((*row[:7], row[10], row[13], row[12]))
        return Contents(
            self.experiment(),
            self._sealed_plan(),
            {row[0]: OutcomeRow(*row) for row in rows},
            self._query("SELECT id, description, first_seen FROM environments"),
            self._query(
                "SELECT id, environment_id, command, started, shard, cluster, details FROM runs"
            ),
        )


def _sync_folder(folder: Path) -> None:
    """Have the entries of a folder on the disk, where the file system can do that."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
