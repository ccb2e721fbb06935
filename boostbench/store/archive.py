"""Results as compressed tables, small enough to be kept in git, and read back as a store.

An archive has the tables of :mod:`boostbench.store.export`, which any program reads, as
``trials.csv.gz``, ``times.csv.gz`` and, where there are learning curves, ``curves.csv.gz`` and
``curve_times.csv.gz``, and all that is not in a table in ``archive.json``: the experiment, what
each method was, environments and command lines. Tracebacks, what trials printed and metrics without
a value are left out.
"""

import csv
import gzip
import hashlib
import io
import json
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.errors import StoreError
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.export import Table, tables_of
from boostbench.store.files import ARCHIVE_FILE
from boostbench.store.rows import outcome_digest, outcome_of, write_plan
from boostbench.store.sqlite import in_memory
from boostbench.store.types import Contents, Outcome, OutcomeRow

FORMAT = 1
_CURVES = ("curves", "curve_times")
_KEYS = ("dataset", "method", "split_seed", "fold", "seed")
_WHERE = ("environment", "run", "recorded")
# The columns that are labels end with these.
_VALUES_AFTER = {"trials": "reason", "times": "status"}
_UNREADABLE = (
    ValueError, TypeError, LookupError, AttributeError, EOFError, zlib.error, csv.Error,
)  # fmt: skip
_LABELS_END = {**_VALUES_AFTER, "curves": "seed", "curve_times": "seed"}
Cells = dict[str, str]
Row = tuple[Cells, Cells]
"""The labels of a row of a table, and its values, by column."""


def archive_files(contents: Contents) -> dict[str, bytes]:
    """Return the files of the archive of ``contents`` by name: equal contents, equal bytes.

    Outcomes outside the plan are left out. Raises StoreError where the results would not be read
    back as they are.
    """
    plan = [Trial.from_dict(json.loads(text), key) for key, text in contents.plan]
    planned = {trial.key for trial in plan}
    outcomes = {
        key: _without_texts(row) for key, row in contents.outcomes.items() if key in planned
    }
    tables = tables_of(plan, {key: _outcome(row) for key, row in outcomes.items()})
    header, rows = tables["times"]
    places = [_names(contents.environments), _names(contents.runs)]
    tables["times"] = (
        [*header, *_WHERE],
        [
            [*cells, *_where(outcomes.get(trial.key), *places)]
            for trial, cells in zip(plan, rows, strict=True)
        ],
    )
    kinds = {name: _kinds(*tables[name], after) for name, after in _VALUES_AFTER.items()}
    files = {
        f"{name}.csv": _csv(name, _without_keys(name, table), kinds.get(name, {}))
        for name, table in tables.items()
        if name not in _CURVES or table[1]
    }
    record: dict[str, Any] = {
        "format": FORMAT,
        "experiment": contents.experiment,
        "methods": _templates(plan),
        "environments": [list(row) for row in contents.environments],
        "runs": [list(row) for row in contents.runs],
        "columns": kinds,
        "outcomes": _digest(outcomes),
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    record["record"] = _record_digest(record)
    packed = {f"{name}.gz": gzip.compress(content, 9, mtime=0) for name, content in files.items()}
    packed[ARCHIVE_FILE] = f"{json.dumps(record, indent=1, ensure_ascii=False)}\n".encode()
    try:
        # The digests of the outcomes are compared.
        _contents(Path(ARCHIVE_FILE), record, files)
    except (StoreError, *_UNREADABLE) as error:
        raise StoreError(
            f"these results cannot be kept in an archive: they are not read back the same ({error})"
        ) from error
    return packed


def read_archive(folder: Path) -> Contents:
    """Return the contents of the archive in ``folder``; StoreError where it is damaged."""
    path = folder / ARCHIVE_FILE
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise StoreError(
                f"{path} has format {record['format']}, and this version of boostbench reads "
                f"format {FORMAT}: use the version that wrote it"
            )
        if record["record"] != _record_digest(record):
            raise _damaged(path, "it is not as it was written")
        files = {
            name: gzip.decompress((folder / f"{name}.gz").read_bytes()) for name in record["sha256"]
        }
        for name, content in files.items():
            if hashlib.sha256(content).hexdigest() != record["sha256"][name]:
                raise _damaged(folder / f"{name}.gz", "it is not as it was written")
        return _contents(path, record, files)
    except OSError as error:
        # So does gzip say that a file is not one of its own.
        what = f"{error.strerror or error}"
        raise StoreError(f"the archive in {folder} cannot be read: {what}") from error
    except _UNREADABLE as error:
        raise _damaged(path, f"{type(error).__name__}: {error}") from error


def open_archive(folder: Path) -> sqlite3.Connection:
    """Return a database in memory with the contents of the archive in ``folder``."""
    contents = read_archive(folder)
    db = in_memory()
    write_plan(db, contents.plan)
    db.execute(
        "INSERT INTO meta VALUES ('experiment', ?)", (canonical_json(dict(contents.experiment)),)
    )
    db.executemany("INSERT INTO environments VALUES (?, ?, ?)", contents.environments)
    db.executemany("INSERT INTO runs VALUES (?,?,?,?,?,?,?)", contents.runs)
    places = ",".join("?" * len(OutcomeRow._fields))
    db.executemany(f"INSERT INTO outcomes VALUES ({places})", contents.outcomes.values())
    return db


def _damaged(path: Path, what: str) -> StoreError:
    return StoreError(f"{path} is damaged ({what}): restore it from a copy, or from git")


def _without_texts(row: OutcomeRow) -> OutcomeRow:
    known = {name: v for name, v in json.loads(row.metrics).items() if v is not None}
    row = row._replace(
        metrics=canonical_json(known),
        traceback="",
        output="",
        # A reason is one line.
        reason=row.reason.replace("\r", " "),
        curve=_without_empty(row.curve),
        time_curve=_without_empty(row.time_curve),
    )
    return row._replace(digest=_row_digest(row))


def _without_empty(curve: str | None) -> str | None:
    known = {name: values for name, values in json.loads(curve or "{}").items() if values}
    return canonical_json(known) if known else None


def _row_digest(row: OutcomeRow) -> str:
    return outcome_digest([*row[:7], row.time_curve, row.output])


def _outcome(row: OutcomeRow) -> Outcome:
    return outcome_of(Path(ARCHIVE_FILE), (*row[1:7], row.time_curve, row.output))


def _record_digest(record: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in record.items() if name != "record"}
    return hashlib.sha256(canonical_json(rest).encode()).hexdigest()


def _digest(outcomes: Mapping[str, OutcomeRow]) -> str:
    lines = (
        f"{key} {row.digest} {row.environment_id} {row.run_id} {row.recorded!r}\n"
        for key, row in sorted(outcomes.items())
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _names(rows: Sequence[Sequence[Any]]) -> dict[str, int]:
    return {row[0]: number for number, row in enumerate(rows)}


def _where(
    row: OutcomeRow | None, environments: Mapping[str, int], runs: Mapping[str, int]
) -> list[Any]:
    if row is None:
        return [None] * len(_WHERE)
    return [environments.get(row.environment_id), runs.get(row.run_id), row.recorded]


def _templates(plan: Sequence[Trial]) -> list[dict[str, Any]]:
    """Return what the trials of each method on each data set have in common."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for trial in plan:
        if (trial.dataset, trial.method) not in found:
            values = trial.to_dict()
            for name in ("split_seed", "fold", "seed"):
                del values[name]
            found[trial.dataset, trial.method] = values
    return list(found.values())


def _kinds(header: Sequence[str], rows: Sequence[Sequence[Any]], after: str) -> dict[str, str]:
    """Return how the cells of each column beyond ``after`` are written."""
    return {
        header[i]: _kind([cells[i] for cells in rows if cells[i] is not None])
        for i in range(header.index(after) + 1, len(header))
    }


def _kind(values: Sequence[Any]) -> str:
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return "number"
    plain = all(isinstance(value, str) and value and "\r" not in value for value in values)
    return "text" if plain else "json"


def _without_keys(name: str, table: Table) -> Table:
    """Keys are long and cannot be compressed: those of the trials are enough."""
    header, rows = table
    if name == "trials" or "key" not in header:
        return table
    at = header.index("key")
    return (
        [*header[:at], *header[at + 1 :]],
        [[*cells[:at], *cells[at + 1 :]] for cells in rows],
    )


def _csv(name: str, table: Table, kinds: Mapping[str, str]) -> bytes:
    header, rows = table
    labels = header.index(_LABELS_END[name]) + 1
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    as_json = [i >= labels and kinds.get(column) == "json" for i, column in enumerate(header)]
    for cells in rows:
        writer.writerow(
            canonical_json(cell) if encoded and cell is not None else cell
            for cell, encoded in zip(cells, as_json, strict=True)
        )
    return file.getvalue().encode()


def _read_csv(name: str, content: bytes | None) -> list[Row]:
    """Return the rows of a table; a value may be named like a label."""
    if content is None:
        return []
    # A text may be longer than what the module allows by itself.
    csv.field_size_limit(2**31 - 1)
    lines = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
    header = next(lines)
    end = header.index(_LABELS_END[name]) + 1
    return [
        (
            dict(zip(header[:end], cells[:end], strict=True)),
            dict(zip(header[end:], cells[end:], strict=True)),
        )
        for cells in lines
    ]


def _contents(path: Path, record: Mapping[str, Any], files: Mapping[str, bytes]) -> Contents:
    """Return what the files say; StoreError unless it is what was archived."""
    templates = {(one["dataset"], one["method"]): one for one in record["methods"]}
    trials, times = (_read_csv(name, files[f"{name}.csv"]) for name in _VALUES_AFTER)
    curves, time_curves = (_read_curves(name, files.get(f"{name}.csv")) for name in _CURVES)
    several = len({cells["split_seed"] for cells, _ in trials}) > 1
    environments = [tuple(row) for row in record["environments"]]
    runs = [tuple(row) for row in record["runs"]]
    plan: list[tuple[str, str]] = []
    outcomes: dict[str, OutcomeRow] = {}
    for (cells, metrics), (_, timed) in zip(trials, times, strict=True):
        numbers = {name: int(cells[name]) for name in ("split_seed", "fold", "seed")}
        trial = Trial.from_dict({**templates[cells["dataset"], cells["method"]], **numbers})
        key, text = trial.key, canonical_json(trial.to_dict())
        if key != cells["key"]:
            raise _damaged(path, f"{trial.name} has another key than it was recorded with")
        plan.append((key, text))
        if cells["status"] == "pending":
            continue
        which = _which(cells, several)
        places = _values(timed, dict.fromkeys(_WHERE, "number"))
        curve, time_curve = curves.get(which), time_curves.get(which)
        if time_curve is not None:
            # Its iterations are those of the curve, and are not recorded twice.
            time_curve.pop("iteration", None)
        row = OutcomeRow(
            key=key,
            status=cells["status"],
            reason=cells["reason"],
            metrics=canonical_json(_values(metrics, record["columns"]["trials"])),
            times=canonical_json(_values(timed, _times_only(record["columns"]["times"]))),
            traceback="",
            curve=None if curve is None else canonical_json(curve),
            environment_id=_named(environments, places.get("environment")),
            trial=text,
            recorded=places["recorded"],
            time_curve=None if time_curve is None else canonical_json(time_curve),
            run_id=_named(runs, places.get("run")),
            digest="",
            output="",
        )
        outcomes[key] = row._replace(digest=_row_digest(row))
    if _digest(outcomes) != record["outcomes"]:
        raise _damaged(path, "the outcomes are not as they were recorded")
    return Contents(record["experiment"], plan, outcomes, environments, runs)


def _times_only(kinds: Mapping[str, str]) -> dict[str, str]:
    return {name: kind for name, kind in kinds.items() if name not in _WHERE}


def _values(cells: Cells, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return the cells that are not empty by column, as numbers where they are numbers."""
    known = {name: cells[name] for name in kinds if cells[name] != ""}
    numbers = [name for name in known if kinds[name] != "text"]
    # One call per row, not per cell; with a cell of two values the lengths differ.
    found = json.loads(f"[{','.join(known[name] for name in numbers)}]")
    return {**known, **dict(zip(numbers, found, strict=True))}


def _named(rows: Sequence[Sequence[Any]], number: int | None) -> str:
    return "" if number is None else str(rows[number][0])


def _which(cells: Cells, several: bool) -> tuple[str, ...]:
    """Return what names a trial: its split seed only where there are several."""
    return tuple(cells[name] for name in _KEYS if several or name != "split_seed")


def _read_curves(name: str, content: bytes | None) -> dict[tuple[str, ...], dict[str, list[Any]]]:
    """Return the curves by what names their trial."""
    found: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for cells, values in _read_csv(name, content):
        curve = found.setdefault(_which(cells, "split_seed" in cells), {})
        for column, text in values.items():
            if text != "":
                curve.setdefault(column, []).append(text)
    # Millions of numbers are read as a few lists; a cell of two values would change the digest.
    return {
        which: {column: json.loads(f"[{','.join(texts)}]") for column, texts in curve.items()}
        for which, curve in found.items()
    }
