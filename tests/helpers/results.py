"""Results folders in tests: a small experiment, its files, and stores edited from outside."""

import csv
import sqlite3
from pathlib import Path

TINY = """\
name: tiny
title: A tiny experiment
datasets: [diabetes]
methods:
  - {estimator: sklearn.linear_model.Ridge, params: {alpha: 0.1}}
  - {name: dummy, estimator: sklearn.dummy.DummyRegressor}
folds: 2
seeds: 2
"""


def rows(path: str | Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, or of the trials in a results folder."""
    path = Path(path, "trials.csv") if Path(path).is_dir() else Path(path)
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def statuses(path: str | Path) -> list[tuple[str, str]]:
    """Return the data set and the status of each trial in a results folder."""
    return [(row["dataset"], row["status"]) for row in rows(path)]


def files(folder: Path) -> dict[str, bytes]:
    """Return the files in a folder with their contents."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def edit(folder: Path, *statements: str) -> None:
    """Change what a store has recorded, as if it had been recorded so."""
    with sqlite3.connect(folder / "store.sqlite") as db:
        for statement in statements:
            db.execute(statement)
        db.execute("UPDATE outcomes SET digest = ''")
        db.execute("DELETE FROM meta WHERE name = 'plan_digest'")
    db.close()
