"""Statements on the SQLite file, each of its failures one sentence, and rows as what they mean."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from boostbench.plan.trial import Trial
from boostbench.store import connect
from boostbench.store.types import Outcome, Run


class Session:
    """A connection to the file ``path``, with transactions; the base of the store."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._is_wal: bool | None = None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._rollback()
            raise connect.sqlite_sentence(self.path, error) from error
        except BaseException:
            self._rollback()
            raise

    @contextmanager
    def _unsynced(self) -> Iterator[None]:
        """Commit without waiting for the disk, where the journal mode leaves the file sound."""
        if self._is_wal is None:
            self._is_wal = self._query("PRAGMA journal_mode")[0][0] == "wal"
        if not self._is_wal:
            yield
            return
        self._query("PRAGMA synchronous = NORMAL")
        try:
            yield
        finally:
            self._query("PRAGMA synchronous = EXTRA")

    def _rollback(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _query(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise connect.sqlite_sentence(self.path, error) from error

    def _runs(self, which: str, parameters: tuple[Any, ...] = ()) -> list[Run]:
        rows = self._query(
            "SELECT id, environment_id, command, started, shard, cluster, details FROM runs "
            f"WHERE {which} ORDER BY started, id",
            parameters,
        )
        return [
            Run(name, environment, self._load(said), started, shard, cluster, self._load(more))
            for name, environment, said, started, shard, cluster, more in rows
        ]

    def _load(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (TypeError, ValueError) as error:
            raise connect.damaged(self.path, "a row is not JSON") from error

    def _load_all(self, texts: Sequence[str]) -> list[Any]:
        """Load many texts, a thousand in one go: most of the time of one is the call."""
        values: list[Any] = []
        for start in range(0, len(texts), 1000):
            some = texts[start : start + 1000]
            try:
                loaded = json.loads(f"[{','.join(some)}]")
            except (TypeError, ValueError):
                loaded = []
            # One by one where something is amiss, to fail at what it is.
            values += loaded if len(loaded) == len(some) else map(self._load, some)
        return values

    def _trial(self, text: str, key: str | None = None) -> Trial:
        return self._made(self._load(text), key)

    def _made(self, values: Any, key: str | None = None) -> Trial:
        try:
            return Trial.from_dict(values, key)
        except (TypeError, AttributeError) as error:
            raise connect.damaged(self.path, "a row is not a trial") from error

    def _sealed_plan(self) -> list[tuple[Any, ...]]:
        """Return the (key, trial) of the plan in order; they must be as they were planned."""
        rows = self._query("SELECT key, trial FROM plan ORDER BY position")
        seal = self._query("SELECT value FROM meta WHERE name = 'plan_digest'")
        if seal and seal[0][0] != digest(part for row in rows for part in row):
            raise connect.damaged(self.path, "the plan is not as it was made")
        return rows

    def _checked(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the row without its digest, the last cell; it must be as it was recorded."""
        # SQLite itself does not notice a byte that has changed within a text.
        if row[-1] and row[-1] != outcome_digest(row[:-1]):
            raise connect.damaged(self.path, "an outcome is not as it was recorded")
        return row[:-1]

    def _outcome(self, row: tuple[Any, ...]) -> Outcome:
        status, reason, metrics, times, traceback, curve, time_curve, output = row
        return Outcome(
            status=status,
            reason=reason,
            metrics=metrics,
            times=times,
            traceback=traceback,
            curve=None if curve is None else self._load(curve),
            time_curve=None if time_curve is None else self._load(time_curve),
            output=output,
        )


def digest(parts: Iterable[Any]) -> str:
    """Return 16 hex digits of the sha256 of texts (or None)."""
    joined = "\0".join("" if part is None else str(part) for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def outcome_digest(parts: Sequence[Any]) -> str:
    """Return :func:`digest` of an outcome's cells, the last of which is its output.

    No output leaves the digest as it was before stores kept any.
    """
    return digest(parts if parts[-1] else parts[:-1])


def seal_plan(db: sqlite3.Connection, plan: Iterable[Sequence[str]]) -> None:
    """Keep the digest of the plan's (key, trial) beside it."""
    found = digest(part for row in plan for part in row)
    db.execute("INSERT OR REPLACE INTO meta VALUES ('plan_digest', ?)", (found,))
