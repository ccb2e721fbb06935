"""Predictions kept beside outcomes: what workers send, and the tables that hold them.

The tables are made with the first predictions: a store without them is as it always was.
"""

import base64
import hashlib
import io
import sqlite3
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.store.sqlite import Database, damaged
from boostbench.store.types import OutcomeRow

Array = NDArray[np.generic]

_TABLES = (
    """CREATE TABLE IF NOT EXISTS predictions (
    key TEXT PRIMARY KEY, outcome TEXT NOT NULL, test TEXT NOT NULL, content BLOB NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS test_parts (id TEXT PRIMARY KEY, content BLOB NOT NULL)",
)
_DAMAGE = (ValueError, TypeError, LookupError, EOFError, OSError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class Predictions:
    """The predictions of a trial for its test rows, as it measured its scores on them.

    ``rows`` are the test rows, numbered from 0 in the data set as it was read, and ``y`` their
    targets, for classes their codes. ``predicted`` are values of the target as it was scaled, with
    the mean and the scale in ``unit``, or codes of classes, of which ``labels`` has the labels.
    ``probabilities`` has a column for each of the ``classes`` trained on, None without any, and
    ``decision`` what the estimator's ``decision_function`` returned.
    """

    rows: NDArray[np.int64]
    y: NDArray[np.float64] | NDArray[np.int64]
    predicted: Array
    unit: tuple[float, float] = (0.0, 1.0)
    classes: Array | None = None
    labels: Sequence[str] = ()
    probabilities: Array | None = None
    decision: Array | None = None


class PredictionRow(NamedTuple):
    """The predictions of a trial as they are stored, and the id of its test part."""

    test: str
    content: bytes


@dataclass(frozen=True)
class KeptRows:
    """Predictions by the keys of their trials, and test parts by their ids, as they are stored."""

    predicted: Mapping[str, PredictionRow] = field(default_factory=dict)
    tests: Mapping[str, bytes] = field(default_factory=dict)

    def of(self, keys: Mapping[str, object]) -> "KeptRows":
        """Return those of some trials."""
        predicted = {key: row for key, row in self.predicted.items() if key in keys}
        used = {row.test for row in predicted.values()}
        return KeptRows(predicted, {name: self.tests[name] for name in used if name in self.tests})


def as_texts(predictions: Predictions) -> dict[str, str]:
    """Return predictions as a worker sends them: compressed arrays in base64."""
    test = _packed({"rows": predictions.rows, "y": predictions.y})
    optional = {
        "classes": predictions.classes,
        "probabilities": predictions.probabilities,
        "decision": predictions.decision,
    }
    content = _packed(
        {
            "predicted": predictions.predicted,
            "unit": np.array(predictions.unit),
            "labels": np.array(predictions.labels, dtype=str),
            **{name: array for name, array in optional.items() if array is not None},
        }
    )
    return {name: base64.b64encode(b).decode() for name, b in (("test", test), ("all", content))}


def _packed(arrays: Mapping[str, Array]) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # its option allow_pickle
    return file.getvalue()


def unpacked(path: Path, row: PredictionRow, test: bytes) -> Predictions:
    """Return stored predictions; StoreError where they are damaged."""
    try:
        if _id(test) != row.test:
            raise ValueError("test rows")
        with np.load(io.BytesIO(test), allow_pickle=False) as rows:
            part = {name: rows[name] for name in ("rows", "y")}
        with np.load(io.BytesIO(row.content), allow_pickle=False) as arrays:
            kept = dict(arrays.items())
    except _DAMAGE as error:
        raise damaged(path, "predictions are not as they were recorded") from error
    mean, scale = kept.pop("unit").tolist()
    labels = kept.pop("labels").tolist()
    return Predictions(**part, unit=(mean, scale), labels=labels, **kept)


def _id(test: bytes) -> str:
    return hashlib.sha256(test).hexdigest()[:32]


def rows_of(key: str, texts: Mapping[str, str]) -> KeptRows:
    """Return what a worker sent as it is stored."""
    test, content = (base64.b64decode(texts[name]) for name in ("test", "all"))
    name = _id(test)
    return KeptRows({key: PredictionRow(name, content)}, {name: test})


def write_predictions(
    db: sqlite3.Connection, kept: KeptRows, outcomes: Mapping[str, OutcomeRow]
) -> None:
    """Write predictions beside the ``outcomes`` of their trials, which are in the store."""
    rows = [
        (key, outcomes[key].digest, row.test, row.content)
        for key, row in kept.predicted.items()
        if key in outcomes
    ]
    if not rows:
        return
    for sql in _TABLES:
        db.execute(sql)
    db.executemany("INSERT OR REPLACE INTO predictions VALUES (?, ?, ?, ?)", rows)
    db.executemany("INSERT OR IGNORE INTO test_parts VALUES (?, ?)", kept.tests.items())


def remove_predictions(db: sqlite3.Connection, key: str) -> None:
    """Remove those of an earlier outcome of a trial."""
    if db.execute(_HAS_TABLE).fetchone():
        db.execute("DELETE FROM predictions WHERE key = ?", (key,))


_HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'predictions'"
# Those of an outcome that was replaced by a version that knows nothing of them are not read.
_CURRENT = "predictions JOIN outcomes ON outcomes.key = predictions.key AND digest = outcome"


def keys_with_predictions(database: Database) -> set[str]:
    """Return the keys of the trials whose predictions are kept."""
    if not database.query(_HAS_TABLE):
        return set()
    return {key for (key,) in database.query(f"SELECT predictions.key FROM {_CURRENT}")}


def read_prediction(database: Database, key: str) -> Predictions | None:
    """Return the predictions of a trial, None where none are kept."""
    if not database.query(_HAS_TABLE):
        return None
    sql = f"""SELECT test, predictions.content, test_parts.content FROM {_CURRENT}
        JOIN test_parts ON test = test_parts.id WHERE predictions.key = ?"""
    rows = database.query(sql, (key,))
    if not rows:
        return None
    name, content, test = rows[0]
    return unpacked(database.path, PredictionRow(name, content), test)


def read_kept(database: Database) -> KeptRows:
    """Return all predictions as they are stored."""
    if not database.query(_HAS_TABLE):
        return KeptRows()
    sql = f"SELECT predictions.key, test, content FROM {_CURRENT}"
    return KeptRows(
        {key: PredictionRow(test, content) for key, test, content in database.query(sql)},
        dict(database.query("SELECT id, content FROM test_parts")),
    )
