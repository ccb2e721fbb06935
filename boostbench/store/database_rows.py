"""Conversion between database rows and objects, and the digests that guard the rows."""

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.sqlite import Database, damaged
from boostbench.store.types import (
    Contents,
    EnvironmentRow,
    Outcome,
    OutcomeRow,
    RecordedRun,
    RunRow,
)

_COLUMNS = ", ".join(OutcomeRow._fields)
_OUTCOME = tuple(each.name for each in fields(Outcome) if each.name != "predictions")
_MAPPINGS = ("metrics", "times", "curve", "time_curve")


def load(path: Path, text: str) -> Any:
    """Return the value of a JSON text; StoreError where it is not JSON."""
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        raise damaged(path, "a row is not JSON") from error


def trial_of(path: Path, text: str, key: str | None = None) -> Trial:
    """Return the trial of a JSON text; ``key`` is its key where that is known."""
    try:
        return Trial.from_dict(load(path, text), key)
    except (TypeError, AttributeError) as error:
        raise damaged(path, "a row is not a trial") from error


def row_of(trial: Trial, outcome: Outcome, environment_id: str, run_id: str) -> OutcomeRow:
    """Return the row of an outcome that is recorded now, with its digest."""
    values = {name: value for name, value in vars(outcome).items() if name != "predictions"}
    for name in _MAPPINGS:
        values[name] = None if values[name] is None else canonical_json(dict(values[name]))
    row = OutcomeRow(
        trial.key,
        trial=canonical_json(trial.to_dict()),
        environment_id=environment_id,
        run_id=run_id,
        recorded=time.time(),
        **values,
    )
    return with_digest(row)


def outcome_of(path: Path, row: OutcomeRow) -> Outcome:
    """Return the outcome of a row."""
    values = {name: getattr(row, name) for name in _OUTCOME}
    for name in _MAPPINGS:
        values[name] = None if values[name] is None else load(path, values[name])
    return Outcome(**values)


def read_outcomes(database: Database) -> list[OutcomeRow]:
    """Return the rows of all outcomes, each as it was recorded."""
    rows = [OutcomeRow(*row) for row in database.query(f"SELECT {_COLUMNS} FROM outcomes")]
    for row in rows:
        # SQLite itself does not notice a byte that has changed within a text.
        if row.digest and row != with_digest(row):
            raise damaged(database.path, "an outcome is not as it was recorded")
    return rows


def read_plan(database: Database) -> list[tuple[str, str]]:
    """Return the (key, trial) of the plan in order, both text, as it was made."""
    rows = database.query("SELECT key, trial FROM plan ORDER BY position")
    planned = database.query("SELECT value FROM meta WHERE name = 'plan_digest'")
    if planned and planned[0][0] != _digest(part for row in rows for part in row):
        raise damaged(database.path, "the plan is not as it was made")
    return [(key, trial) for key, trial in rows]


def read_environments(database: Database) -> list[EnvironmentRow]:
    """Return the rows of all environments."""
    rows = database.query("SELECT id, description, first_seen FROM environments")
    return list(map(EnvironmentRow._make, rows))


def read_runs(database: Database, condition: str = "TRUE", *parameters: str) -> list[RunRow]:
    """Return the rows of the runs for which a condition of SQL holds, by default of all."""
    sql = f"SELECT {', '.join(RunRow._fields)} FROM runs WHERE {condition}"
    return list(map(RunRow._make, database.query(sql, parameters)))


def recorded_run(path: Path, row: RunRow) -> RecordedRun:
    """Return the run of a row."""
    loaded = {"command": load(path, row.command), "details": load(path, row.details)}
    return RecordedRun(**row._asdict() | loaded)


def with_digest(row: OutcomeRow) -> OutcomeRow:
    """Return the row with the digest of its values."""
    parts = [*row[:7], row.time_curve, *([row.output] if row.output else [])]
    return row._replace(digest=_digest(parts))


def _digest(parts: Iterable[object]) -> str:
    joined = "\0".join("" if part is None else str(part) for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def write_plan(db: sqlite3.Connection, plan: Sequence[tuple[str, str]]) -> None:
    """Replace the plan by these (key, trial), both text, with their digest beside it."""
    rows = [(i, key, trial) for i, (key, trial) in enumerate(plan)]
    if db.execute("SELECT * FROM plan ORDER BY position").fetchall() != rows:
        db.execute("DELETE FROM plan")
        db.executemany("INSERT INTO plan VALUES (?, ?, ?)", rows)
    write_meta(db, "plan_digest", _digest(part for row in plan for part in row))


def write_meta(db: sqlite3.Connection, name: str, value: str) -> None:
    """Keep a value by its name."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


def insert(db: sqlite3.Connection, contents: Contents) -> None:
    """Take over rows of other stores; outcomes replace those of their keys."""
    if contents.plan:
        write_plan(db, contents.plan)
    write_meta(db, "experiment", canonical_json(contents.experiment))
    db.executemany(
        """INSERT INTO environments VALUES (?, ?, ?) ON CONFLICT (id)
        DO UPDATE SET first_seen = min(first_seen, excluded.first_seen)""",
        contents.environments,
    )
    db.executemany("INSERT OR IGNORE INTO runs VALUES (?,?,?,?,?,?,?)", contents.runs)
    insert_outcomes(db, contents.outcomes.values())


def insert_outcomes(db: sqlite3.Connection, rows: Iterable[OutcomeRow]) -> None:
    """Write outcomes, each in place of the one of its key."""
    db.executemany("INSERT OR REPLACE INTO outcomes VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)
