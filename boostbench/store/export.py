"""The store as tables: results, bit-identical from run to run, and separately the times."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from boostbench.outputs import folder_for
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.store import Store
from boostbench.store.types import PlannedTrials
from boostbench.values import RUN, Record

_LABELS = (
    "dataset",
    "method",
    "fold",
    "seed",
    "folds",
    "split_seed",
    "task",
    "scale_features",
    "scale_target",
    "estimator",
    "method_version",
    "fingerprint",
)
FILES = ("trials.csv", "times.csv", "curves.csv", "curve_times.csv")
"""The files that the exports write, the first two always."""
_FIRST = ("iteration", "objective", "train_error", "test_error", "fit_s", "solver_s")


class ExportedTable(NamedTuple):
    """A header, and rows of as many cells, read one by one: numbers, text, or None for nothing."""

    header: list[str]
    rows: Iterable[Sequence[object]]


def export_results(store: Store, folder: Path) -> list[Path]:
    """Write the tables of ``store`` to ``folder`` as CSV and return their paths.

    ``trials.csv`` has one row per planned trial that has ended (of its shard only where the store
    is for one), in the plan's order, with the status, the reason and every metric (floats so that
    they read back to the same bits): equal results give equal bytes. ``times.csv`` has the times.
    Where there are learning curves, ``curves.csv`` and ``curve_times.csv`` have a row for each
    iteration of each trial, again in the plan's order; else those from an earlier call are removed.
    Where trials differ in their split seed, all tables have it.
    Raises :class:`~boostbench.errors.StoreError` when the folder cannot be written to, or holds a
    file of one of these names that is the user's.
    """
    outputs = folder_for(folder, store.folder)
    by_file = {f"{name}.csv": table for name, table in tables(store, for_files=True).items()}
    files = {n: _csv(table) for n, table in by_file.items() if n in FILES[:2] or table.rows}
    outputs.check(files)
    outputs.remove(name for name in FILES if name not in files)
    return outputs.write(files)


def tables(store: Store, *, for_files: bool = False) -> dict[str, ExportedTable]:
    """Return the tables of :func:`export_results` by name; those of curves may have no rows.

    They have all planned trials, or ``for_files`` only those that have ended, with floats as the
    text that was recorded.
    """
    cells = store.cells()
    # The split seed is a part of the order only in experiments with several.
    several = ["split_seed"] if len(store.split_seeds()) > 1 else []
    which = ["dataset", "method", *several, "fold", "seed", "key"]
    of_trials = _trial_columns([cell.like for cell in cells])
    return {
        "trials": _table(store, of_trials, ("status", "reason"), "metrics", for_files=for_files),
        "times": _table(store, which, ("status",), "times", for_files=for_files),
        "curves": _table(store, which, (), "curve", for_files=for_files),
        "curve_times": _table(store, which, (), "time_curve", for_files=for_files),
    }


# Columns that only some experiments have, and which trials use them.
_OPTIONAL: Mapping[tuple[str, ...], Callable[[Trial], object]] = {
    ("split", "test_size", "choose"): lambda t: not t.makes_folds or t.choose,
    ("train_rows", "train_per_class", "train_batches"): lambda t: t.split == "given",
    ("test_rows",): lambda t: t.test_rows,
    ("rows",): lambda t: t.rows,
    ("units",): lambda t: t.units != "scaled",
    ("choose_with",): lambda t: t.choose_with,
    ("choose_by", "choose_folds"): lambda t: t.choose_by or t.choose_folds,
    ("features",): lambda t: t.features != "matrix",
    ("weighted",): lambda t: t.weighted,
}


def _trial_columns(trials: Sequence[Trial]) -> list[str]:
    """Return the columns that describe trials; those that say the same of all are left out."""
    used = [names for names, uses in _OPTIONAL.items() if any(map(uses, trials))]
    return [*_LABELS, *chain.from_iterable(used), "params", "key"]


def _each(curve: Mapping[str, Sequence[object]]) -> Iterator[Record]:
    """Yield the values of each iteration by name."""
    for number, values in enumerate(zip_longest(*curve.values()), start=1):
        yield {"iteration": number, **dict(zip(curve, values, strict=True))}


def _table(
    store: Store, labels: Sequence[str], state: Sequence[str], field: str, *, for_files: bool
) -> ExportedTable:
    """Return the table of a recorded field of trials, or without a ``state`` of iterations."""
    values = store.recorded_names(field)
    names = sorted(values)
    if not state:
        if not any(values.values()):
            return ExportedTable([*labels], ())
        first = [name for name in _FIRST if name in {"iteration", *names}]
        names = [*first, *(name for name in names if name not in first)]
    rows = _rows(store, labels, state, field, names, for_files=for_files)
    return ExportedTable([*labels, *state, *names], rows)


def _rows(
    store: Store,
    labels: Sequence[str],
    state: Sequence[str],
    field: str,
    columns: Sequence[str],
    *,
    for_files: bool,
) -> Iterator[Sequence[object]]:
    """Yield the rows of a table: one for each trial with its state, or one for each iteration."""
    # Only what has ended has a curve.
    ended = for_files or not state
    for planned, *states, values in store.recorded(field, ended=ended, floats_as_text=for_files):
        shared = [_labels(planned, name) for name in labels]
        if state:
            recorded = [_column(values, name) for name in columns]
            yield from zip(*shared, *states[: len(state)], *recorded, strict=True)
            continue
        for place, own in zip(zip(*shared, strict=True), values, strict=True):
            yield from ([*place, *map(each.get, columns)] for each in _each(own))


def _column(values: Sequence[Record], name: str) -> list[object]:
    return [own.get(name) for own in values]


def _labels(planned: PlannedTrials, name: str) -> Sequence[object]:
    """Return what is shown of trials under a label."""
    if name == "rows":
        return [digest or None for digest in planned.rows]
    if name in (*RUN, "key"):
        column: Sequence[object] = getattr(planned, name)
        return column
    return planned.in_common(lambda like: _shared(like, name))


def _shared(like: Trial, name: str) -> object:
    """Return what is shown under a label of all trials that are alike."""
    value = like.shown_estimator if name == "estimator" else like.to_dict().get(name)
    return canonical_json(value) if isinstance(value, dict) else value


def _csv(table: ExportedTable) -> Iterator[bytes]:
    """Yield a table as parts of a file, so that many rows are never all in memory."""
    header: Sequence[object] = table.header
    rows = chain([header], table.rows)
    while part := list(islice(rows, 1000)):
        text = io.StringIO(newline="")
        # None is written as nothing.
        csv.writer(text, lineterminator="\n").writerows(part)
        yield text.getvalue().encode("utf-8")
