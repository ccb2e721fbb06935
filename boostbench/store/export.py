"""The store as tables: results, bit-identical from run to run, and separately the times."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

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

Table = tuple[list[str], list[list[object]]]
"""A header, and as many cells per row: numbers, text, or None for an empty cell."""


def export_results(store: Store, folder: Path, *, also: Iterable[str] = ()) -> list[Path]:
    """Write the tables of ``store`` to ``folder`` as CSV and return their paths.

    ``trials.csv`` has one row per planned trial (of its shard only where the store is for one), in
    the plan's order, with the status, the reason and every metric (floats so that they read back to
    the same bits): equal results give equal bytes. ``times.csv`` has the times. Where there are
    learning curves, ``curves.csv`` and ``curve_times.csv`` have a row for each iteration of each
    trial, again in the plan's order; else those from an earlier call are removed. Where trials
    differ in their split seed, all tables have it.
    Raises :class:`~boostbench.errors.StoreError` when the folder cannot be written to, or holds a
    file of one of these names, or of those in ``also``, that is the user's.
    """
    outputs = OutputFolder(folder, BY_RESULTS if folder == store.folder else BY_OUT)
    found = {f"{name}.csv": table for name, table in tables(store).items()}
    files = {n: _csv(*table) for n, table in found.items() if n in FILES[:2] or table[1]}
    outputs.check([*files, *also])
    outputs.remove(name for name in found if name not in files)
    return outputs.write(files)


def tables(store: Store) -> dict[str, Table]:
    """Return the tables of :func:`export_results` by name; those of curves may have no rows."""
    found, pending = store.outcomes(), Outcome("pending")
    rows = [(trial, found.get(trial.key, pending)) for trial in store.part()]
    # The split seed is a part of the order only in experiments with several.
    several = ["split_seed"] if len({trial.split_seed for trial, _ in rows}) > 1 else []
    which = ["dataset", "method", *several, "fold", "seed", "key"]
    labels = [*_LABELS]
    if any(not trial.makes_folds or trial.choose for trial, _ in rows):
        labels += ["split", "test_size", "choose"]
    if any(trial.split == "given" for trial, _ in rows):
        labels += ["train_rows", "train_per_class", "train_batches"]
    labels += ["test_rows"] if any(trial.test_rows for trial, _ in rows) else []
    labels += ["units"] if any(trial.units != "scaled" for trial, _ in rows) else []
    labels += ["choose_with"] if any(trial.choose_with for trial, _ in rows) else []
    labels += ["params", "key"]
    return {
        "trials": _table(labels, ("status", "reason"), [(t, o, o.metrics) for t, o in rows]),
        "times": _table(which, ("status",), [(t, o, o.times) for t, o in rows]),
        "curves": _table(which, (), [(t, o, v) for t, o in rows for v in _each(o.curve)]),
        "curve_times": _table(which, (), [(t, o, v) for t, o in rows for v in _each(o.time_curve)]),
    }


def _each(curve: Mapping[str, Sequence[object]] | None) -> Iterator[Record]:
    """Yield the values of each iteration by name."""
    for number, values in enumerate(zip_longest(*(curve or {}).values()), start=1):
        yield {"iteration": number, **dict(zip(curve or {}, values, strict=True))}


def _table(
    labels: Sequence[str], state: Sequence[str], rows: Sequence[tuple[Trial, Outcome, Record]]
) -> Table:
    found = {name for *_, values in rows for name in values}
    names = [name for name in _FIRST if name in found and not state]
    names += sorted(found - set(names))
    cells = []
    for trial, outcome, values in rows:
        fields = {**trial.to_dict(), "key": trial.key}
        cells.append(
            [
                *(canonical_json(v) if isinstance(v, dict) else v for v in map(fields.get, labels)),
                *(getattr(outcome, name) for name in state),
                *map(values.get, names),
            ]
        )
    return [*labels, *state, *names], cells


def _csv(header: list[str], rows: list[list[object]]) -> bytes:
    text = io.StringIO(newline="")
    # Floats are written so that they read back to the same bits, None as nothing.
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode("utf-8")
