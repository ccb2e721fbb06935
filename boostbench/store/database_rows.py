"""Conversion between database rows and objects, and the digests that guard the rows."""

import hashlib
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

from boostbench.plan.trial import PlannedTrial, Trial, canonical_json
from boostbench.store.part import WITH_ANY_OUTCOMES, Part
from boostbench.store.plan_rows import write_texts
from boostbench.store.sqlite import Database, damaged, write_meta
from boostbench.store.types import (
    Contents,
    EnvironmentRow,
    Outcome,
    OutcomeRow,
    PlannedCell,
    PlannedResults,
    PlannedTrials,
    RecordedRun,
    RunRow,
)

_DECODER = json.JSONDecoder()
_DECODER_TO_TEXT = json.JSONDecoder(parse_float=str)
"""Floats are left as the text that was recorded, which is as short as can be read back."""
_COLUMNS = ", ".join(OutcomeRow._fields)
STATE = "coalesce(outcomes.status, 'pending'), coalesce(reason, '')"
"""The status and the reason of planned trials, of which some have no outcome."""
_OUTCOME = tuple(each.name for each in fields(Outcome) if each.name != "predictions")
_MAPPINGS = ("metrics", "times", "curve", "time_curve")
_AT_ONCE = 10_000
"""So many planned trials are read at once."""


def load(path: Path, text: str, *, floats_as_text: bool = False) -> Any:
    """Return the value of a JSON text; StoreError where it is not JSON."""
    decoder = _DECODER_TO_TEXT if floats_as_text else _DECODER
    try:
        # Texts of stores have no blanks about them, for which json.loads looks twice in each.
        value, end = decoder.raw_decode(text)
        if end != len(text):
            raise ValueError(text[end:])
    except (TypeError, ValueError) as error:
        raise damaged(path, "a row is not JSON") from error
    return value


def load_each(path: Path, texts: Sequence[str], *, floats_as_text: bool = False) -> list[Any]:
    """Return the values of JSON texts, which are parsed as one; StoreError as in :func:`load`."""
    # Where a row has bytes in place of a text, these become no JSON.
    text = f"[{','.join(map(str, texts))}]"
    values: list[Any] = load(path, text, floats_as_text=floats_as_text)
    if len(values) != len(texts):
        raise damaged(path, "a row is not JSON")
    return values


def json_of(field: str) -> str:
    """Return in SQL the JSON text of a field of an outcome, that of nothing where there is none."""
    return f"coalesce({field}, '{{}}')"


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
        trial=trial.text,
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


def read_outcomes(database: Database) -> Iterator[OutcomeRow]:
    """Yield the rows of all outcomes, each as it was recorded."""
    for row in map(OutcomeRow._make, database.each(f"SELECT {_COLUMNS} FROM outcomes")):
        # SQLite itself does not notice a byte that has changed within a text.
        if row.digest and row.digest != _digest(_guarded(row)):
            raise damaged(database.path, "an outcome is not as it was recorded")
        yield row


def each_planned(
    database: Database, part: Part, *columns: str, source: str = "planned"
) -> Iterator[tuple[PlannedTrials, Sequence[Sequence[Any]]]]:
    """Yield the trials of a part of the plan in order, many at once, with these ``columns``.

    ``source`` is ``planned``, or joined to it the outcomes.
    """
    place = "cell, split_seed, fold, seed, row_digest, planned.key"
    named = ", ".join((place, *columns))
    sql = f"SELECT {named} FROM {source} WHERE {part.condition} ORDER BY planned.position"
    rows = database.each(sql, part.values)
    likes: dict[int, Trial] = {}
    while some := list(islice(rows, _AT_ONCE)):
        cells, split_seed, fold, seed, digests, key, *values = zip(*some, strict=True)
        for cell in set(cells) - likes.keys():
            ((text,),) = database.query("SELECT trial FROM cells WHERE cell = ?", (cell,))
            likes[cell] = trial_of(database.path, text)
        yield PlannedTrials(likes, cells, split_seed, fold, seed, digests, key), values


def read_planned(database: Database, part: Part) -> list[PlannedTrial]:
    """Return the trials of a part of the plan in order."""
    return [planned for trials, _ in each_planned(database, part) for planned in trials.each]


def read_results(database: Database, part: Part) -> Iterator[PlannedResults]:
    """Yield the trials of a part of the plan with their results, many at once.

    Those of a split that have no outcome are counted at the first of them.
    """
    pending = f"""SELECT min(position) AS first, count(*) AS trials FROM planned
        WHERE outcome IS NULL AND {part.condition} GROUP BY dataset, method, split_seed, fold"""
    source = f"{WITH_ANY_OUTCOMES} LEFT JOIN ({pending}) AS pending ON first = planned.position"
    shown = f"{part.condition} AND (planned.outcome IS NOT NULL OR first IS NOT NULL)"
    columns = (
        "planned.position",
        "coalesce(pending.trials, 1)",
        STATE,
        *map(json_of, ("metrics", "times", "time_curve")),
        "coalesce(environment_id, '')",
    )
    for planned, values in each_planned(
        database, Part(shown, part.values * 2), *columns, source=source
    ):
        position, trials, status, reason, *texts, environments = values
        metrics, times, curves = (load_each(database.path, each) for each in texts)
        yield PlannedResults(
            planned, position, trials, status, reason, metrics, times, curves, environments
        )


def read_cells(database: Database, part: Part) -> list[PlannedCell]:
    """Return the cells of a part of the plan, in the order of their first trials."""
    rows = database.query(
        f"""SELECT min(position), dataset, method, status,
        planned.key IN (SELECT key FROM again), count(*) FROM planned
        WHERE {part.condition} GROUP BY 2, 3, 4, 5 ORDER BY 1""",
        part.values,
    )
    cells: dict[tuple[str, str], PlannedCell] = {}
    for position, dataset, method, status, is_again, trials in rows:
        if (dataset, method) not in cells:
            cells[dataset, method] = PlannedCell(trial_at(database, position), 0, {}, {})
        cell = cells[dataset, method]
        recorded, again = Counter(cell.recorded), Counter(cell.again)
        if status is not None:
            recorded[status] += trials
            again[status] += trials * is_again
        cells[dataset, method] = PlannedCell(cell.like, cell.trials + trials, recorded, +again)
    return list(cells.values())


def trial_at(database: Database, position: int) -> Trial:
    """Return the trial at a position of the plan."""
    (row,) = database.query("SELECT trial, key FROM plan WHERE position = ?", (position,))
    return trial_of(database.path, *row)


def read_environments(database: Database) -> list[EnvironmentRow]:
    """Return the rows of all environments."""
    rows = database.query("SELECT id, description, first_seen FROM environments")
    return list(map(EnvironmentRow._make, rows))


def read_runs(database: Database) -> list[RunRow]:
    """Return the rows of all runs."""
    rows = database.query(f"SELECT {', '.join(RunRow._fields)} FROM runs")
    return list(map(RunRow._make, rows))


def recorded_run(path: Path, row: RunRow) -> RecordedRun:
    """Return the run of a row."""
    loaded = {"command": load(path, row.command), "details": load(path, row.details)}
    return RecordedRun(**row._asdict() | loaded)


def with_digest(row: OutcomeRow) -> OutcomeRow:
    """Return the row with the digest of its values."""
    return row._replace(digest=_digest(_guarded(row)))


def _guarded(row: OutcomeRow) -> list[str | None]:
    return [*row[:7], row.time_curve, *([row.output] if row.output else [])]


def _digest(parts: Iterable[object]) -> str:
    joined = "\0".join(["" if part is None else str(part) for part in parts])
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def insert(db: sqlite3.Connection, contents: Contents) -> None:
    """Take over rows of other stores; outcomes replace those of their keys."""
    if contents.plan:
        write_texts(db, contents.plan)
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
