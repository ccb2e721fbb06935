"""The planned trials by their labels in SQL, and the part of them that a store is for."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from boostbench.plan.selection import Selection
from boostbench.plan.shard import Shard
from boostbench.store.sqlite import Database

_OF_SHARD = """planned.key IN (SELECT key FROM
    (SELECT key, row_number() OVER (ORDER BY min(position)) - 1 AS number FROM places GROUP BY key)
    WHERE number % ? = ? - 1)"""
"""The distinct trials of a shard; see :class:`~boostbench.plan.shard.Shard`."""


class Part(NamedTuple):
    """A condition on the rows of ``planned``, and the values of its question marks."""

    condition: str
    values: tuple[object, ...]


WHOLE = Part("TRUE", ())
"""The whole plan."""


_PLANNED = """CREATE TEMP VIEW planned AS SELECT
    places.position, places.key, places.cell, cells.dataset, cells.method,
    places.split_seed, places.fold, places.seed, coalesce(places.rows, '') AS row_digest,
    {outcome} AS outcome, {status} AS status
    FROM places JOIN cells ON cells.cell = places.cell LEFT JOIN {joined}"""
WITH_OUTCOMES = "planned JOIN outcomes ON outcomes.rowid = planned.outcome"
"""The planned trials that have an outcome, with it."""
WITH_ANY_OUTCOMES = "planned LEFT JOIN outcomes ON outcomes.rowid = planned.outcome"
"""All planned trials, with their outcomes as far as there are any."""


def make_planned(database: Database) -> None:
    """Make ``planned`` anew, which has the labels of each trial and the row of its outcome."""
    database.query("DROP VIEW IF EXISTS temp.planned")
    database.query("DROP TABLE IF EXISTS temp.recorded")
    joined = "outcomes ON outcomes.key = places.key"
    database.query(
        _PLANNED.format(outcome="outcomes.rowid", status="outcomes.status", joined=joined)
    )


def keep_recorded(database: Database) -> None:
    """Look up the outcomes of the planned trials once, where there will be no others."""
    if database.query("SELECT 1 FROM temp.sqlite_master WHERE name = 'recorded'"):
        return
    database.query(
        "CREATE TEMP TABLE recorded (position INTEGER PRIMARY KEY, outcome INTEGER, status TEXT)"
    )
    database.query(
        """INSERT INTO recorded SELECT position, outcomes.rowid, status FROM places
        JOIN outcomes USING (key)"""
    )
    database.query("DROP VIEW temp.planned")
    joined = "recorded ON recorded.position = places.position"
    database.query(
        _PLANNED.format(outcome="recorded.outcome", status="recorded.status", joined=joined)
    )


def part_of(database: Database, shard: Shard | None, only: Sequence[str]) -> Part:
    """Return the part of a shard, or of the whole plan, that ``only`` selects.

    ConfigError where nothing is selected.
    """
    part = WHOLE if shard is None else Part(_OF_SHARD, (shard.count, shard.index))
    if not only:
        return part
    named = Selection.parse(only, {}).patterns
    known = {name: _values(database, part, name) for name in named}
    selection = Selection.parse(only, known)
    for name in selection.patterns:
        chosen = [value for text, value in known[name].items() if selection.matches(name, text)]
        condition = f"planned.{name} IN (SELECT value FROM json_each(?))"
        part = Part(f"{part.condition} AND {condition}", (*part.values, json.dumps(chosen)))
    return part


def _values(database: Database, part: Part, name: str) -> dict[str, object]:
    """Return the values of a label in a part of the plan by their texts, sorted."""
    sql = f"SELECT DISTINCT {name} FROM planned WHERE {part.condition}"
    values = {str(value): value for (value,) in database.each(sql, part.values)}
    return dict(sorted(values.items()))
