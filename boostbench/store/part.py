"""The part of a plan that a store is for, as a condition of SQL on the rows of the plan."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from boostbench.plan.selection import Selection
from boostbench.plan.shard import Shard
from boostbench.store.sqlite import Database

_OF_SHARD = """plan.key IN (SELECT key FROM
    (SELECT key, row_number() OVER (ORDER BY min(position)) - 1 AS number FROM plan GROUP BY key)
    WHERE number % ? = ? - 1)"""
"""The distinct trials of a shard; see :class:`~boostbench.plan.shard.Shard`."""


class Part(NamedTuple):
    """A condition on the rows of the plan, and the values of its question marks."""

    condition: str
    values: tuple[object, ...]


WHOLE = Part("TRUE", ())
"""The whole plan."""


def label(name: str) -> str:
    """Return one of the labels of a planned trial in SQL."""
    return f"json_extract(plan.trial, '$.{name}')"


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
        condition = f"{label(name)} IN (SELECT value FROM json_each(?))"
        part = Part(f"{part.condition} AND {condition}", (*part.values, json.dumps(chosen)))
    return part


def _values(database: Database, part: Part, name: str) -> dict[str, object]:
    """Return the values of a label in a part of the plan by their texts, sorted."""
    sql = f"SELECT DISTINCT {label(name)} FROM plan WHERE {part.condition}"
    values = {str(value): value for (value,) in database.each(sql, part.values)}
    return dict(sorted(values.items()))
