"""Results as files small enough to be kept in git, and read back as a store.

``trials.csv`` has a row per planned trial, in the plan's order, as plain text, of which git keeps
only the differences between versions; the compressed ``times.csv.xz``, ``curves.csv.xz`` and
``curve_times.csv.xz`` have the same rows. ``record.json`` has the fields that all trials of a
method on a data set share, the experiment, environments and command lines. A cell is a number, a
text, or JSON (a curve, or a text that could be mistaken for a number), an empty one no value.
Seconds are rounded to the microsecond, those of curves to the nanosecond. Tracebacks, the output
of trials and metrics without a value are left out, and so are predictions, unless they are wanted
in ``predictions.zip``.
"""

import csv
import hashlib
import io
import json
import lzma
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from boostbench.errors import StoreError
from boostbench.plan.trial import LABELS, Trial, canonical_json, json_digest
from boostbench.store.database_rows import insert, with_digest
from boostbench.store.files import ARCHIVE_FILE
from boostbench.store.predictions import KeptRows, write_predictions
from boostbench.store.predictions_file import PREDICTIONS_FILE, unzipped, zipped
from boostbench.store.sqlite import in_memory
from boostbench.store.types import Contents, EnvironmentRow, OutcomeRow, RunRow
from boostbench.values import RUN, Record

FORMAT = 2
_FILES = {
    "trials.csv": ("metrics", "status", "reason"),
    "times.csv.xz": ("times", "environment_id", "run_id", "recorded"),
    "curves.csv.xz": ("curve",),
    "curve_times.csv.xz": ("time_curve",),
}
"""The field of an outcome whose values are each file's columns, and the columns before them."""
NAMES = (*_FILES, PREDICTIONS_FILE, ARCHIVE_FILE)
"""The names of the files of an archive with results."""
_NONE = OutcomeRow("")
_DAMAGE = (OSError, ValueError, TypeError, LookupError, AttributeError, lzma.LZMAError, csv.Error)


def archive_files(contents: Contents, predictions: KeptRows | None = None) -> dict[str, bytes]:
    """Return the files of the archive of ``contents`` by name: equal contents, equal bytes.

    Outcomes outside the plan are left out; ``predictions`` are those to be in it. Raises StoreError
    where reading the files would not give the same results.
    """
    texts = dict(contents.plan)
    kept = {key: _kept(row, texts[key]) for key, row in contents.outcomes.items() if key in texts}
    contents = contents._replace(outcomes=kept)
    plan = [Trial.from_dict(json.loads(text), key) for key, text in contents.plan]
    labels = _labels_of(plan)
    files = {name: table for name in _FILES if (table := _table(name, labels, plan, kept))}
    if predictions is not None:
        files[PREDICTIONS_FILE] = zipped(predictions.of(kept))
    record = {
        "format": FORMAT,
        "experiment": contents.experiment,
        "methods": _common_fields(plan, labels),
        **({"rows": rows} if (rows := _listed_rows(plan)) else {}),
        "environments": contents.environments,
        "runs": contents.runs,
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "contents": json_digest(contents),
    }
    try:
        _contents(record, files)
    except _DAMAGE as error:
        raise StoreError(f"these results cannot be kept in an archive: {error}") from error
    return {**files, ARCHIVE_FILE: f"{json.dumps(record, indent=1, ensure_ascii=False)}\n".encode()}


def _labels_of(plan: Sequence[Trial]) -> list[str]:
    """Return the fields that name a trial in each row; a common split seed is in none."""
    has_several = len({trial.split_seed for trial in plan}) > 1
    return [name for name in LABELS if name != "split_seed" or has_several]


def _common_fields(
    plan: Sequence[Trial], labels: Sequence[str]
) -> dict[str, dict[str, dict[str, object]]]:
    """Return by method and data set the fields that all its trials share."""
    methods: dict[str, dict[str, dict[str, object]]] = {}
    for trial in plan:
        fields = {"folds": trial.folds, **trial.key_parts()}
        for name in ("metrics", "labels", "overlap", "keep", "described"):
            if value := getattr(trial, name):
                fields[name] = value
        common = {name: value for name, value in fields.items() if name not in (*labels, "rows")}
        methods.setdefault(trial.method, {}).setdefault(trial.dataset, common)
    return methods


def _listed_rows(plan: Sequence[Trial]) -> dict[str, dict[str, str]]:
    """Return by data set the digests of the rows of each split, where the plan lists them."""
    rows: dict[str, dict[str, str]] = {}
    for trial in plan:
        if trial.rows:
            rows.setdefault(trial.dataset, {})[_place(trial.split_seed, trial.fold)] = trial.rows
    return rows


def _place(split_seed: int, fold: int) -> str:
    return f"{split_seed}/{fold}"


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
    contents = read_archive(folder)
    insert(db, contents)
    if has_predictions(folder):
        write_predictions(db, unzipped(folder / PREDICTIONS_FILE), contents.outcomes)
    return db


def has_predictions(folder: Path) -> bool:
    """Return whether the archive in ``folder`` was written with predictions."""
    return PREDICTIONS_FILE in json.loads((folder / ARCHIVE_FILE).read_bytes())["sha256"]


def _kept(row: OutcomeRow, trial: str) -> OutcomeRow:
    """Return an outcome without the parts that an archive leaves out."""
    times = {
        name: round(value, 6) if name.endswith("_s") else value
        for name, value in json.loads(row.times).items()
    }
    kept = row._replace(
        trial=trial,
        # A reason is one line.
        reason=row.reason.replace("\r", " "),
        recorded=round(row.recorded, 6),
        metrics=_json(json.loads(row.metrics)) or _NONE.metrics,
        times=_json(times) or _NONE.times,
        curve=_json(json.loads(row.curve or "{}")),
        time_curve=_json(
            {name: _rounded(values) for name, values in json.loads(row.time_curve or "{}").items()}
        ),
        traceback="",
        output="",
    )
    return with_digest(kept)


def _rounded(seconds: Sequence[float]) -> list[float]:
    return [round(value, 9) for value in seconds]


def _json(values: Mapping[str, object]) -> str | None:
    """Return the JSON text of the values that are there, ``None`` without any."""
    known = {name: value for name, value in values.items() if value is not None and value != []}
    return canonical_json(known) if known else None


def _table(
    name: str, labels: Sequence[str], plan: Sequence[Trial], outcomes: Mapping[str, OutcomeRow]
) -> bytes:
    """Return a file, empty where it would only name the trials."""
    field, *columns = _FILES[name]
    rows = []
    for trial in plan:
        row = outcomes.get(trial.key, _NONE)
        values = json.loads(getattr(row, field) or "{}")
        cells = {key: _cell(value) for key, value in values.items()}
        cells |= {column: getattr(row, column) for column in columns}
        rows.append(cells | {label: getattr(trial, label) for label in labels})
    names = dict.fromkeys([*labels, *columns, *sorted({key for row in rows for key in row})])
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    content = file.getvalue().encode() if len(names) > len(labels) else b""
    return lzma.compress(content) if content and name.endswith(".xz") else content


def _cell(value: object) -> str:
    if isinstance(value, str) and value and "\r" not in value and _value(value) is value:
        return value
    return canonical_json(value)


def _value(cell: str) -> object:
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def _contents(record: Record, files: Mapping[str, bytes]) -> Contents:
    """Return the contents of the files; ValueError unless they are those that were archived."""
    plan: list[tuple[str, str]] = []
    outcomes: dict[str, OutcomeRow] = {}
    likes: dict[tuple[str, str], Trial] = {}
    for rows in zip_longest(*_readers(files), fillvalue={}):
        cell = rows[0]["method"], rows[0]["dataset"]
        trial = _trial_of(rows[0], record["methods"], record.get("rows", {}), likes.get(cell))
        key, text = trial.key, trial.text
        likes[cell] = trial.like
        plan.append((key, text))
        if rows[0]["status"] != _NONE.status:
            outcomes[key] = with_digest(_outcome_of(key, text, rows))
    contents = Contents(
        record["experiment"],
        plan,
        outcomes,
        [EnvironmentRow(*row) for row in record["environments"]],
        [RunRow(*row) for row in record["runs"]],
    )
    if json_digest(contents) != record["contents"]:
        raise ValueError("the files have other contents than the recorded results")
    return contents


def _readers(files: Mapping[str, bytes]) -> list["csv.DictReader[str]"]:
    """Return readers of all files, in the order of their names; one that is missing is empty."""
    # A curve may be longer than the csv module's default limit.
    csv.field_size_limit(2**31 - 1)
    readers = []
    for name in _FILES:
        content = files.get(name, b"")
        if content and name.endswith(".xz"):
            content = lzma.decompress(content)
        readers.append(csv.DictReader(io.StringIO(content.decode(), newline="")))
    return readers


def _trial_of(cells: Mapping[str, str], methods: Record, rows: Record, like: Trial | None) -> Trial:
    """Return the trial of a row, which is made as one ``like`` it where that is known."""
    dataset, method = cells["dataset"], cells["method"]
    common = methods[method][dataset]
    place = {name: int(cells[name] if name in cells else common[name]) for name in RUN}
    split_seed, fold, seed = place.values()
    listed: str = rows.get(dataset, {}).get(_place(split_seed, fold), "")
    if like is None:
        named = {"dataset": dataset, "method": method, "rows": listed}
        like = Trial(**{**common, **named, **place})
    return like.at(split_seed, fold, seed, listed)


def _outcome_of(key: str, trial: str, rows: Sequence[Mapping[str, str]]) -> OutcomeRow:
    """Return the outcome in a row of each file."""
    outcome, times, *_ = rows
    texts = {
        field: text
        for (field, *columns), row in zip(_FILES.values(), rows, strict=True)
        if (text := _json(_values(row, {*LABELS, *columns})))
    }
    return OutcomeRow(
        key,
        status=outcome["status"],
        reason=outcome["reason"],
        environment_id=times["environment_id"],
        trial=trial,
        recorded=float(times["recorded"]),
        run_id=times["run_id"],
        **texts,
    )


def _values(cells: Mapping[str, str], others: Collection[str]) -> dict[str, object]:
    """Return the values in a row that are not in one of the ``others`` columns."""
    return {name: _value(cell) for name, cell in cells.items() if cell and name not in others}
