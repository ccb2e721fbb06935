"""Rows of the database as what they mean, and the digests that guard them."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.sqlite import damaged
from boostbench.store.types import Contents, Outcome, OutcomeRow

# json.loads looks for blanks around a text, which none in a store has.
_DECODER = json.JSONDecoder()


def load(path: Path, text: str) -> Any:
    """Return the value of a JSON text; StoreError where it is none."""
    try:
        value, end = _DECODER.raw_decode(text)
        return value if end == len(text) else json.loads(text)
    except (TypeError, ValueError) as error:
        raise damaged(path, "a row is not JSON") from error


def trial_of(path: Path, text: str, key: str | None = None) -> Trial:
    """Return the trial of a JSON text; ``key`` is its key where that is known."""
    try:
        return Trial.from_dict(load(path, text), key)
    except (TypeError, AttributeError) as error:
        raise damaged(path, "a row is not a trial") from error


def outcome_of(path: Path, row: Sequence[Any]) -> Outcome:
    """Return the outcome of (status, reason, metrics, times, traceback, curve, time_curve, output),
    the mappings as JSON."""
    status, reason, metrics, times, traceback, curve, time_curve, output = row
    return Outcome(
        status=status,
        reason=reason,
        metrics=load(path, metrics),
        times=load(path, times),
        traceback=traceback,
        curve=None if curve is None else load(path, curve),
        time_curve=None if time_curve is None else load(path, time_curve),
        output=output,
    )


def checked(path: Path, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the row without its digest, the last cell; it must be as it was recorded."""
    # SQLite itself does not notice a byte that has changed within a text.
    if row[-1] and row[-1] != outcome_digest(row[:-1]):
        raise damaged(path, "an outcome is not as it was recorded")
    return row[:-1]


def digest(parts: Iterable[Any]) -> str:
    """Return 16 hex digits of the sha256 of texts (or None)."""
    joined = "\0".join("" if part is None else str(part) for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def outcome_digest(parts: Sequence[Any]) -> str:
    """Return :func:`digest` of an outcome's cells, the last of which is its output."""
    return digest(parts if parts[-1] else parts[:-1])


def write_plan(db: sqlite3.Connection, plan: Sequence[tuple[str, str]]) -> None:
    """Replace the plan by these (key, trial), both text, with their digest beside it."""
    rows = [(i, key, trial) for i, (key, trial) in enumerate(plan)]
    if db.execute("SELECT * FROM plan ORDER BY position").fetchall() != rows:
        db.execute("DELETE FROM plan")
        db.executemany("INSERT INTO plan VALUES (?, ?, ?)", rows)
    found = digest(part for row in plan for part in row)
    db.execute("INSERT OR REPLACE INTO meta VALUES ('plan_digest', ?)", (found,))


def insert(db: sqlite3.Connection, contents: Contents) -> None:
    """Take over rows of other stores; outcomes replace those of their keys."""
    if contents.plan:
        write_plan(db, contents.plan)
    said = canonical_json(contents.experiment)
    db.execute("INSERT OR REPLACE INTO meta VALUES ('experiment', ?)", (said,))
    db.executemany(
        """INSERT INTO environments VALUES (?, ?, ?) ON CONFLICT (id)
        DO UPDATE SET first_seen = min(first_seen, excluded.first_seen)""",
        contents.environments,
    )
    db.executemany("INSERT OR IGNORE INTO runs VALUES (?,?,?,?,?,?,?)", contents.runs)
    places = ",".join("?" * len(OutcomeRow._fields))
    db.executemany(f"INSERT OR REPLACE INTO outcomes VALUES ({places})", contents.outcomes.values())


def check_plan(path: Path, plan: Sequence[Sequence[str]], planned: str) -> None:
    """Raise StoreError unless the (key, trial) of the plan have the digest ``planned``."""
    if planned != digest(part for row in plan for part in row):
        raise damaged(path, "the plan is not as it was made")
