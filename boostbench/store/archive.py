"""Results as files small enough to be kept in git, and read back as a store.

``trials.csv`` has a row per planned trial, in the plan's order, as plain text, of which git keeps
only the differences between versions; the compressed ``times.csv.xz``, ``curves.csv.xz`` and
``curve_times.csv.xz`` have the same rows. ``record.json`` has the fields that all trials of a
method on a data set share, the experiment, environments and command lines. A cell is a number, a
text, or JSON (a curve, or a text that could be mistaken for a number), an empty one no value.
Seconds are rounded to the microsecond, those of curves to the nanosecond. Tracebacks, the output
of trials and metrics without a value are left out.
"""

import csv
import hashlib
import io
import json
import lzma
import sqlite3
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from boostbench.errors import StoreError
from boostbench.plan.trial import LABELS, Trial, canonical_json
from boostbench.store.files import ARCHIVE_FILE
from boostbench.store.rows import insert, with_digest
from boostbench.store.sqlite import in_memory
from boostbench.store.types import Contents, OutcomeRow
from boostbench.values import Record

FORMAT = 2
_FILES = {
    "trials.csv": ("metrics", "status", "reason"),
    "times.csv.xz": ("times", "environment_id", "run_id", "recorded"),
    "curves.csv.xz": ("curve",),
    "curve_times.csv.xz": ("time_curve",),
}
"""The field of an outcome whose values are each file's columns, and the columns before them."""
_NONE = OutcomeRow("")
_DAMAGE = (OSError, ValueError, TypeError, LookupError, AttributeError, lzma.LZMAError, csv.Error)


def archive_files(contents: Contents) -> dict[str, bytes]:
    """Return the files of the archive of ``contents`` by name: equal contents, equal bytes.

    Outcomes outside the plan are left out. Raises StoreError where reading the files would not give
    the same results.
    """
    texts = dict(contents.plan)
    kept = {key: _kept(row, texts[key]) for key, row in contents.outcomes.items() if key in texts}
    contents = contents._replace(outcomes=kept)
    plan = [Trial.from_dict(json.loads(text), key) for key, text in contents.plan]
    place = [
        n for n in LABELS if n != "split_seed" or len({trial.split_seed for trial in plan}) > 1
    ]
    files = {name: table for name in _FILES if (table := _table(name, place, plan, kept))}
    methods: dict[str, dict[str, object]] = {}
    for trial in plan:
        parts = {"folds": trial.folds, **trial.key_parts()}
        if trial.metrics:
            parts["metrics"] = trial.metrics
        common = {name: value for name, value in parts.items() if name not in place}
        methods.setdefault(trial.method, {}).setdefault(trial.dataset, common)
    record = {
        "format": FORMAT,
        "experiment": contents.experiment,
        "methods": methods,
        "environments": contents.environments,
        "runs": contents.runs,
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "contents": _digest(contents),
    }
    try:
        _contents(record, files)
    except _DAMAGE as error:
        raise StoreError(f"these results cannot be kept in an archive: {error}") from error
    return {**files, ARCHIVE_FILE: f"{json.dumps(record, indent=1, ensure_ascii=False)}\n".encode()}


def read_archive(folder: Path) -> Contents:
    """Return the contents of the archive in ``folder``; StoreError where it is damaged."""
    try:
        record: Record = json.loads((folder / ARCHIVE_FILE).read_bytes())
        if record["format"] != FORMAT:
            raise StoreError(
                f"the archive in {folder} has format {record['format']}, and this version of "
                f"boostbench reads format {FORMAT}: use the version that wrote it"
            )
        files = {name: (folder / name).read_bytes() for name in record["sha256"]}
        for name, content in files.items():
            if hashlib.sha256(content).hexdigest() != record["sha256"][name]:
                raise ValueError(f"{name} is not as it was written")
        return _contents(record, files)
    except _DAMAGE as error:
        raise StoreError(
            f"the archive in {folder} is damaged ({type(error).__name__}: {error}): restore it "
            "from a copy, or from git"
        ) from error


def open_archive(folder: Path) -> sqlite3.Connection:
    """Return a database in memory with the contents of the archive in ``folder``."""
    db = in_memory()
    insert(db, read_archive(folder))
    return db


def _kept(row: OutcomeRow, trial: str) -> OutcomeRow:
    """Return an outcome without the parts that an archive leaves out."""
    decoded = {field: json.loads(getattr(row, field) or "{}") for field, *_ in _FILES.values()}
    times, curves = decoded["times"], decoded["time_curve"]
    decoded["times"] = {n: round(v, 6) if n.endswith("_s") else v for n, v in times.items()}
    decoded["time_curve"] = {n: [round(v, 9) for v in values] for n, values in curves.items()}
    texts = {field: _text(field, values) for field, values in decoded.items()}
    # A reason is one line.
    texts |= {"reason": row.reason.replace("\r", " "), "traceback": "", "output": ""}
    return with_digest(row._replace(trial=trial, recorded=round(row.recorded, 6), **texts))


def _text(field: str, values: Mapping[str, object]) -> Any:
    known = {name: value for name, value in values.items() if value is not None and value != []}
    return canonical_json(known) if known else getattr(_NONE, field)


def _digest(contents: Contents) -> str:
    return hashlib.sha256(canonical_json(contents).encode()).hexdigest()


def _table(
    name: str, place: Sequence[str], plan: Sequence[Trial], outcomes: Mapping[str, OutcomeRow]
) -> bytes:
    """Return a file, empty where it would only name the trials."""
    field, *columns = _FILES[name]
    rows = []
    for trial in plan:
        row = outcomes.get(trial.key, _NONE)
        values = json.loads(getattr(row, field) or "{}")
        plain = {n: getattr(row, n) for n in columns} | {n: getattr(trial, n) for n in place}
        rows.append({name: _cell(value) for name, value in values.items()} | plain)
    names = dict.fromkeys([*place, *columns, *sorted({name for row in rows for name in row})])
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    content = file.getvalue().encode() if len(names) > len(place) else b""
    return lzma.compress(content) if content and name.endswith(".xz") else content


def _cell(value: Any) -> str:
    plain = isinstance(value, str) and value and "\r" not in value and _value(value) is value
    return value if plain else canonical_json(value)


def _value(cell: str) -> object:
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def _contents(record: Record, files: Mapping[str, bytes]) -> Contents:
    """Return the contents of the files; ValueError unless they are those that were archived."""
    # A curve may be longer than the csv module's default limit.
    csv.field_size_limit(2**31 - 1)
    read = {n: lzma.decompress(f) if n.endswith(".xz") else f for n, f in files.items()}
    texts = (io.StringIO(read.get(name, b"").decode(), newline="") for name in _FILES)
    tables = [csv.DictReader(text) for text in texts]
    plan: list[tuple[str, str]] = []
    outcomes: dict[str, OutcomeRow] = {}
    for rows in zip_longest(*tables, fillvalue={}):
        named = {name: rows[0][name] for name in LABELS if name in rows[0]}
        common = record["methods"][named["method"]][named["dataset"]]
        numbers = {name: int(named[name]) for name in LABELS[2:] if name in named}
        trial = Trial(**{**common, **named, **numbers})
        key, text = trial.key, canonical_json(trial.to_dict())
        plan.append((key, text))
        fields: dict[str, Any] = {}
        for (field, *columns), row in zip(_FILES.values(), rows, strict=True):
            fields |= {name: row[name] for name in columns}
            left = row.keys() - {*LABELS, *columns}
            values = {name: _value(row[name]) for name in left if row[name]}
            fields[field] = _text(field, values)
        if fields["status"] != _NONE.status:
            fields["recorded"] = float(fields["recorded"])
            outcomes[key] = with_digest(_NONE._replace(key=key, trial=text, **fields))
    rest = ([tuple(row) for row in record[name]] for name in ("environments", "runs"))
    contents = Contents(record["experiment"], plan, outcomes, *rest)
    if _digest(contents) != record["contents"]:
        raise ValueError("the files have other contents than the recorded results")
    return contents
