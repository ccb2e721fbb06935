"""The tables of the SQLite file, and the upgrade of a file of the format before."""

import sqlite3

APPLICATION_ID = 0x62_62_65_6E
VERSION = 6
OLDEST_VERSION = 5
"""Files from this version on are read, and upgraded before they are written to."""
LIKE = "json_replace(trial, '$.split_seed', 0, '$.fold', 0, '$.seed', 0, '$.rows', '-')"
"""The text of a trial without its place, which it shares with all like it."""
# The trials that are alike share one text: each has only its place and key of its own.
_PLAN = (
    """CREATE TABLE cells (
    cell INTEGER PRIMARY KEY, dataset TEXT NOT NULL, method TEXT NOT NULL,
    trial TEXT NOT NULL UNIQUE)""",
    """CREATE TABLE places (
    position INTEGER PRIMARY KEY, key TEXT NOT NULL, cell INTEGER NOT NULL,
    split_seed INTEGER NOT NULL, fold INTEGER NOT NULL, seed INTEGER NOT NULL, rows TEXT)""",
    """CREATE VIEW plan AS SELECT position, key, json_replace(
    trial, '$.split_seed', split_seed, '$.fold', fold, '$.seed', seed, '$.rows', rows) AS trial
    FROM places JOIN cells USING (cell)""",
)
_OTHERS = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE outcomes (
    key TEXT PRIMARY KEY, status TEXT NOT NULL, reason TEXT NOT NULL, metrics TEXT NOT NULL,
    times TEXT NOT NULL, traceback TEXT NOT NULL, curve TEXT, environment_id TEXT NOT NULL,
    trial TEXT NOT NULL, recorded REAL NOT NULL, time_curve TEXT,
    run_id TEXT NOT NULL DEFAULT '', digest TEXT NOT NULL DEFAULT '',
    output TEXT NOT NULL DEFAULT '')""",
    "CREATE TABLE running (worker INTEGER PRIMARY KEY, key TEXT NOT NULL, started REAL NOT NULL)",
    """CREATE TABLE environments (
    id TEXT PRIMARY KEY, description TEXT NOT NULL, first_seen REAL NOT NULL)""",
    """CREATE TABLE runs (
    id TEXT PRIMARY KEY, environment_id TEXT NOT NULL, command TEXT NOT NULL,
    started REAL NOT NULL, shard TEXT NOT NULL, cluster TEXT NOT NULL, details TEXT NOT NULL)""",
    "CREATE TABLE again (key TEXT PRIMARY KEY)",
)


def create_tables(db: sqlite3.Connection) -> None:
    """Make the tables of a new file, within a transaction."""
    for statement in (*_PLAN, *_OTHERS):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def version_of(db: sqlite3.Connection) -> int:
    """Return the version of a file's format."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def upgrade(db: sqlite3.Connection) -> None:
    """Store the plan of a file of the oldest version as this version does, in a transaction."""
    db.execute("ALTER TABLE plan RENAME TO planned_texts")
    db.execute("DROP INDEX IF EXISTS plan_key")
    for statement in _PLAN:
        db.execute(statement)
    fill_plan(db, "planned_texts")
    db.execute("DROP TABLE planned_texts")
    db.execute(f"PRAGMA user_version = {VERSION}")


def fill_plan(db: sqlite3.Connection, texts: str) -> None:
    """Fill the plan from a table of the positions, keys and texts of trials."""
    db.execute(
        f"""INSERT INTO cells (dataset, method, trial)
        SELECT json_extract(trial, '$.dataset'), json_extract(trial, '$.method'), {LIKE}
        FROM {texts} GROUP BY 3 ORDER BY min(position)"""
    )
    db.execute(
        f"""INSERT INTO places SELECT position, key, cell, json_extract(text, '$.split_seed'),
        json_extract(text, '$.fold'), json_extract(text, '$.seed'), json_extract(text, '$.rows')
        FROM (SELECT position, key, trial AS text, {LIKE} AS own FROM {texts})
        JOIN cells ON cells.trial = own"""
    )
