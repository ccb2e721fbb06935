"""The upgrade of a store of the format before, which had a text for each planned trial."""

import hashlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from boostbench.store import schema
from boostbench.store.plan_rows import DIGEST, MADE_OF, seal
from boostbench.store.sqlite import Database, damaged, read_meta

_TEXTS = "SELECT key, trial FROM plan ORDER BY position"


def upgraded(path: Path, connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return the store of a connection in today's format; StoreError where it is damaged."""
    database = Database(path, connection)
    try:
        if database.query("PRAGMA user_version") != [(schema.VERSION,)]:
            _upgrade(database)
    except BaseException:  # raised again
        database.close()
        raise
    return connection


def _upgrade(database: Database) -> None:
    with database.transaction() as db:
        digest = read_meta(database, DIGEST)
        if digest not in (None, _digest_of_texts(database.each(_TEXTS))):
            raise damaged(database.path, "the plan is not as it was made")
        schema.upgrade(db)
        if digest not in (None, _digest_of_texts(database.each(_TEXTS))):
            raise damaged(database.path, "a row is not a trial")
        db.execute("DELETE FROM meta WHERE name = ?", (MADE_OF,))
        seal(db)


def _digest_of_texts(rows: Iterable[tuple[str, str]]) -> str:
    digest, separator = hashlib.sha256(), ""
    for key, trial in rows:
        digest.update(f"{separator}{key}\0{trial}".encode("utf-8", "surrogatepass"))
        separator = "\0"
    return digest.hexdigest()[:16]
