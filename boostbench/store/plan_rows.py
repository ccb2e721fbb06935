"""The rows of a plan: the trials that are alike once as text, and each trial's place and key."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from boostbench.plan.grid import Plan
from boostbench.plan.trial import Trial
from boostbench.store.schema import fill_plan
from boostbench.store.sqlite import Database, damaged, read_meta, write_meta

DIGEST = "plan_digest"
"""The name by which the digest of the plan is kept."""
MADE_OF = "plan_made_of"
"""The name by which the digest of :class:`~boostbench.plan.grid.Plan` is kept."""
_PLACES = "SELECT * FROM places ORDER BY position"
_CELLS = "SELECT * FROM cells ORDER BY cell"

PlanRow = tuple[Any, ...]
"""A row of one of the two tables."""


class PlanRows:
    """The rows of planned trials: ``places`` one by one, and after them the ``cells``."""

    def __init__(self, trials: Iterable[Trial]) -> None:
        self._trials = trials
        self._cells: dict[str, PlanRow] = {}
        self._likes: dict[int, tuple[Trial, int]] = {}

    @property
    def places(self) -> Iterator[PlanRow]:
        """The rows of the table ``places``."""
        for position, trial in enumerate(self._trials):
            cell = self._cell_of(trial.like)
            rows = trial.rows or None
            yield position, trial.key, cell, trial.split_seed, trial.fold, trial.seed, rows

    @property
    def cells(self) -> Iterator[PlanRow]:
        """The rows of the table ``cells`` for all places so far."""
        yield from self._cells.values()

    def _cell_of(self, like: Trial) -> int:
        if id(like) not in self._likes:
            text = like.at(0, 0, 0, "-" if like.rows else "").text
            number = len(self._cells) + 1
            row = self._cells.setdefault(text, (number, like.dataset, like.method, text))
            # The trial is kept too, so that no other one gets its id.
            self._likes[id(like)] = like, int(row[0])
        return self._likes[id(like)][1]


def write_plan(db: sqlite3.Connection, plan: Iterable[Trial]) -> None:
    """Replace the plan, with its digest; that of what it was made of is kept beside it."""
    rows = PlanRows(plan)
    db.execute("DELETE FROM places")
    db.execute("DELETE FROM cells")
    db.executemany("INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?)", rows.places)
    db.executemany("INSERT INTO cells VALUES (?, ?, ?, ?)", rows.cells)
    digest = seal(db)
    made_of = plan.digest if isinstance(plan, Plan) else ""
    write_meta(db, MADE_OF, f"{made_of} {digest}")


def write_texts(db: sqlite3.Connection, plan: Iterable[tuple[str, str]]) -> None:
    """Fill an empty plan with trials given as (key, trial), both text."""
    db.execute("CREATE TEMP TABLE texts (position INTEGER PRIMARY KEY, key TEXT, trial TEXT)")
    rows = ((position, key, trial) for position, (key, trial) in enumerate(plan))
    db.executemany("INSERT INTO texts VALUES (?, ?, ?)", rows)
    fill_plan(db, "texts")
    db.execute("DROP TABLE texts")
    seal(db)


def read_plan(database: Database) -> list[tuple[str, str]]:
    """Return the (key, trial) of the plan in order, both text, as it was made."""
    check_plan(database)
    return list(database.each("SELECT key, trial FROM plan ORDER BY position"))


def check_plan(database: Database) -> str:
    """Return the digest of the plan; StoreError where it is not as it was made."""
    digest = _digest_of_database(database)
    if read_meta(database, DIGEST) not in (None, digest):
        raise damaged(database.path, "the plan is not as it was made")
    return digest


def is_made_of(database: Database, made_of: str) -> bool:
    """Return whether the plan is known to have been made of what has this digest."""
    # Another version may have written a plan since, and not what it was made of.
    digest = read_meta(database, DIGEST)
    return read_meta(database, MADE_OF) == f"{made_of} {digest}"


def is_plan(database: Database, trials: Iterable[Trial]) -> bool:
    """Return whether these are the planned trials, in order."""
    rows = PlanRows(trials)
    return digest_of(rows.places, rows.cells) == _digest_of_database(database)


def seal(db: sqlite3.Connection) -> str:
    """Keep the digest of the plan, and return it."""
    digest = digest_of(db.execute(_PLACES), db.execute(_CELLS))
    write_meta(db, DIGEST, digest)
    return digest


def _digest_of_database(database: Database) -> str:
    return digest_of(database.each(_PLACES), database.each(_CELLS))


def digest_of(*tables: Iterable[object]) -> str:
    """Return the digest of the rows of tables, which are read many at once."""
    digest = hashlib.sha256()
    for rows in map(iter, tables):
        while several := list(islice(rows, 1000)):
            digest.update(repr(several).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
