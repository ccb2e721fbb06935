"""Stores as earlier versions made them, by their own statements."""

import sqlite3
import time

from boostbench.plan.trial import canonical_json

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE plan (position INTEGER PRIMARY KEY, key TEXT NOT NULL, trial TEXT NOT NULL);
CREATE INDEX plan_key ON plan (key);
CREATE TABLE outcomes (
    key TEXT PRIMARY KEY, status TEXT NOT NULL, reason TEXT NOT NULL, metrics TEXT NOT NULL,
    times TEXT NOT NULL, traceback TEXT NOT NULL, curve TEXT, environment_id TEXT NOT NULL,
    trial TEXT NOT NULL, recorded REAL NOT NULL{time_curve});
CREATE TABLE running (worker INTEGER PRIMARY KEY, key TEXT NOT NULL, started REAL NOT NULL);
CREATE TABLE environments (
    id TEXT PRIMARY KEY, description TEXT NOT NULL, first_seen REAL NOT NULL);
PRAGMA application_id = 0x6262656e;
PRAGMA user_version = {version};
"""
ENVIRONMENT = {
    "python": "3.11.2",
    "packages": {"numpy": "1.26.0", "pandas": "2.1.0"},
    "system": "Linux 6.1",
    "cpu": "a processor",
    "cpus": 4,
    "git": {"commit": "c" * 40, "dirty": False},
}


def _described(trial, version):
    later = () if version == 2 else ("split", "test_size", "choose", "curves")
    return {name: value for name, value in trial.to_dict().items() if name not in later}


def make_old(folder, version, experiment, plan, outcomes):
    """Make a store of format 1 or 2; ``outcomes`` are by key."""
    folder.mkdir(parents=True)
    time_curve = ", time_curve TEXT" if version == 2 else ""
    db = sqlite3.connect(folder / "store.sqlite")
    db.execute("PRAGMA journal_mode = WAL")
    db.executescript(_SCHEMA.format(version=version, time_curve=time_curve))
    trials = {trial.key: canonical_json(_described(trial, version)) for trial in plan}
    db.execute("INSERT INTO meta VALUES ('experiment', ?)", (canonical_json(experiment),))
    db.executemany(
        "INSERT INTO plan VALUES (?, ?, ?)",
        [(i, trial.key, trials[trial.key]) for i, trial in enumerate(plan)],
    )
    db.execute(
        "INSERT INTO environments VALUES ('old', ?, ?)", (canonical_json(ENVIRONMENT), time.time())
    )
    for key, outcome in outcomes.items():
        values = outcome.to_dict()
        row = [key, values["status"], values["reason"]]
        row += [canonical_json(values["metrics"]), canonical_json(values["times"])]
        row += [values["traceback"], values["curve"] and canonical_json(values["curve"])]
        row += ["old", trials[key], time.time()]
        if version == 2:
            row.append(values["time_curve"] and canonical_json(values["time_curve"]))
        db.execute(f"INSERT INTO outcomes VALUES ({','.join('?' * len(row))})", row)
    db.commit()
    db.close()
