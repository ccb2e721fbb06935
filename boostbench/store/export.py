"""The store as tables: results, bit-identical from run to run, and separately the times."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import NamedTuple

from boostbench.outputs import BY_OUT, BY_RESULTS, OutputFolder
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.store import Store
from boostbench.store.types import Outcome
from boostbench.values import Record

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
    """A header, and as many cells per row: numbers, text, or None for an empty cell."""

    header: list[str]
    rows: list[list[object]]


def export_results(store: Store, folder: Path) -> list[Path]:
    """Write the tables of ``store`` to ``folder`` as CSV and return their paths.

    ``trials.csv`` has one row per planned trial (of its shard only where the store is for one), in
    the plan's order, with the status, the reason and every metric (floats so that they read back to
    the same bits): equal results give equal bytes. ``times.csv`` has the times. Where there are
    learning curves, ``curves.csv`` and ``curve_times.csv`` have a row for each iteration of each
    trial, again in the plan's order; else those from an earlier call are removed. Where trials
    differ in their split seed, all tables have it.
    Raises :class:`~boostbench.errors.StoreError` when the folder cannot be written to, or holds a
    file of one of these names that is the user's.
    """
    outputs = OutputFolder(folder, BY_RESULTS if folder == store.folder else BY_OUT)
    by_file = {f"{name}.csv": table for name, table in tables(store).items()}
    files = {n: _csv(table) for n, table in by_file.items() if n in FILES[:2] or table.rows}
    outputs.check(files)
    outputs.remove(name for name in by_file if name not in files)
    return outputs.write(files)


def tables(store: Store) -> dict[str, ExportedTable]:
    """Return the tables of :func:`export_results` by name; those of curves may have no rows."""
    trials, outcomes = store.part(), store.outcomes()
    rows = [(trial, outcomes.get(trial.key, Outcome("pending"))) for trial in trials]
    # The split seed is a part of the order only in experiments with several.
    several = ["split_seed"] if len({trial.split_seed for trial in trials}) > 1 else []
    which = ["dataset", "method", *several, "fold", "seed", "key"]
    curves = [(t, o, values) for t, o in rows for values in _each(o.curve)]
    curve_times = [(t, o, values) for t, o in rows for values in _each(o.time_curve)]
    return {
        "trials": _table(
            _trial_columns(trials), ("status", "reason"), [(t, o, o.metrics) for t, o in rows]
        ),
        "times": _table(which, ("status",), [(t, o, o.times) for t, o in rows]),
        "curves": _table(which, (), curves),
        "curve_times": _table(which, (), curve_times),
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


def _each(curve: Mapping[str, Sequence[object]] | None) -> Iterator[Record]:
    """Yield the values of each iteration by name."""
    for number, values in enumerate(zip_longest(*(curve or {}).values()), start=1):
        yield {"iteration": number, **dict(zip(curve or {}, values, strict=True))}


def _table(
    labels: Sequence[str], state: Sequence[str], rows: Sequence[tuple[Trial, Outcome, Record]]
) -> ExportedTable:
    names = {name for *_, values in rows for name in values}
    first = [name for name in _FIRST if name in names and not state]
    columns = [*first, *sorted(names - set(first))]
    cells = []
    for trial, outcome, values in rows:
        fields = {**trial.to_dict(), "key": trial.key, "estimator": trial.shown_estimator}
        cells.append(
            [
                *(_cell(fields.get(label)) for label in labels),
                *(getattr(outcome, name) for name in state),
                *map(values.get, columns),
            ]
        )
    return ExportedTable([*labels, *state, *columns], cells)


def _cell(value: object) -> object:
    return canonical_json(value) if isinstance(value, dict) else value


def _csv(table: ExportedTable) -> bytes:
    text = io.StringIO(newline="")
    # Floats are written so that they read back to the same bits, None as nothing.
    csv.writer(text, lineterminator="\n").writerows([table.header, *table.rows])
    return text.getvalue().encode("utf-8")
