"""The store as tables: results, bit-identical from run to run, and apart from them the times."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.errors import ConfigError
from boostbench.outputs import OutputFolder
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.types import Outcome

if TYPE_CHECKING:
    import pandas as pd

    from boostbench.store.store import Store

_LABELS = (
    "dataset", "method", "fold", "seed", "folds", "split_seed", "task", "scale_features",
    "scale_target", "estimator", "method_version", "fingerprint",
)  # fmt: skip
# Only in experiments that have them, so that tables of others stay as they were.
_LATER_LABELS = ("split", "test_size", "choose")
_WHICH = ("dataset", "method", "fold", "seed", "key")
_WHICH_OF_PARTITIONS = ("dataset", "method", "split_seed", "fold", "seed", "key")
_ALWAYS = ("trials", "times")
TABLES = (*_ALWAYS, "curves", "curve_times")
"""The stems of the files that the exports write."""
_FIRST = ("iteration", "objective", "train_error", "test_error", "fit_s", "solver_s")

Rows = list[tuple[Trial, Outcome]]
Curve = Mapping[str, list[float]]


Table = tuple[list[str], list[list[Any]]]
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
    return _write_all(store, folder, "csv", _csv, also)


def export_parquet(store: Store, folder: Path) -> list[Path]:
    """Write the tables of :func:`export_results` as Parquet files and return their paths.

    Raises :class:`~boostbench.errors.ConfigError` where pyarrow is not installed, and
    :class:`~boostbench.errors.StoreError` when the folder cannot be written to.
    """
    require_parquet()
    return _write_all(store, folder, "parquet", _parquet)


def require_parquet() -> None:
    """Raise :class:`~boostbench.errors.ConfigError` where Parquet files cannot be written."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ConfigError(
            "the format parquet needs the package pyarrow, which is not installed: "
            "pip install pyarrow, or take the format csv"
        ) from None


def _write_all(
    store: Store,
    folder: Path,
    suffix: str,
    render: Callable[[Table], bytes],
    also: Iterable[str] = (),
) -> list[Path]:
    outputs = OutputFolder(folder)
    tables = {name: table for name, table in _tables(store).items() if name in _ALWAYS or table[1]}
    outputs.check([*(f"{name}.{suffix}" for name in tables), *also])
    outputs.remove(f"{name}.{suffix}" for name in TABLES if name not in tables)
    return outputs.write({f"{name}.{suffix}": render(table) for name, table in tables.items()})


def frames(store: Store) -> dict[str, pd.DataFrame]:
    """Return the tables of :func:`export_results` by name; those of curves may have no rows."""
    import pandas as pd

    return {
        name: pd.DataFrame(rows, columns=header) for name, (header, rows) in _tables(store).items()
    }


def _tables(store: Store) -> dict[str, Table]:
    return tables_of(store.part(), store.outcomes())


def tables_of(plan: Sequence[Trial], outcomes: Mapping[str, Outcome]) -> dict[str, Table]:
    """Return the tables of planned trials by name, those without an outcome as pending."""
    pending = Outcome("pending")
    rows = [(trial, outcomes.get(trial.key, pending)) for trial in plan]
    return {
        "trials": _trials(rows),
        "times": _times(rows),
        "curves": _curves(rows, lambda outcome: outcome.curve),
        "curve_times": _curves(rows, lambda outcome: outcome.time_curve),
    }


def _trials(rows: Rows) -> Table:
    later: tuple[str, ...] = ()
    if any(t.split in ("shuffle", "given") or t.choose for t, _ in rows):
        later = _LATER_LABELS
    if any(t.split == "given" for t, _ in rows):
        later = (*later, "train_rows", "train_per_class", "train_batches")
    later = (*later, "choose_with") if any(t.choose_with for t, _ in rows) else later
    names = sorted({name for _, outcome in rows for name in outcome.metrics})
    cells = []
    for trial, outcome in rows:
        values = trial.to_dict()
        for name in ("choose", "choose_with"):
            values[name] = canonical_json(values[name])
        cells.append(
            [
                *(values[name] for name in (*_LABELS, *later)),
                canonical_json(values["params"]),
                trial.key,
                outcome.status,
                outcome.reason,
                *(outcome.metrics.get(name) for name in names),
            ]
        )
    return [*_LABELS, *later, "params", "key", "status", "reason", *names], cells


def _times(rows: Rows) -> Table:
    names = sorted({name for _, outcome in rows for name in outcome.times})
    labels = _which(rows)
    cells = [
        [*_values(trial, labels), outcome.status, *(outcome.times.get(name) for name in names)]
        for trial, outcome in rows
    ]
    return [*labels, "status", *names], cells


def _curves(rows: Rows, curve_of: Callable[[Outcome], Curve | None]) -> Table:
    curves = [(trial, _numbered(curve_of(outcome) or {})) for trial, outcome in rows]
    found = {name for _, curve in curves for name in curve}
    names = [name for name in _FIRST if name in found] + sorted(found - set(_FIRST))
    labels = _which(rows)
    cells = [
        [*_values(trial, labels), *values]
        for trial, curve in curves
        for values in zip_longest(*(curve.get(name, []) for name in names))
    ]
    return [*labels, *names], cells


def _which(rows: Rows) -> tuple[str, ...]:
    """Return what names a trial among these."""
    several = len({trial.split_seed for trial, _ in rows}) > 1
    return _WHICH_OF_PARTITIONS if several else _WHICH


def _values(trial: Trial, names: tuple[str, ...]) -> list[Any]:
    return [getattr(trial, name) for name in names]


def _numbered(curve: Curve) -> Curve:
    n = max(map(len, curve.values()), default=0)
    return {"iteration": [*range(1, n + 1)], **curve} if n else {}


def _csv(table: Table) -> bytes:
    header, rows = table
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    # Floats are written so that they read back to the same bits, None and NaN as nothing.
    writer.writerows([None if cell != cell else cell for cell in row] for row in rows)
    return text.getvalue().encode("utf-8")


def _parquet(written: Table) -> bytes:
    import pandas as pd

    header, rows = written
    # With their own types whole numbers stay so beside empty cells.
    table = pd.DataFrame(rows, columns=header, dtype=object)
    for name in table.columns:
        values = table[name].dropna()
        # Text where there is any among numbers, as Parquet has one type per column.
        if values.map(lambda value: isinstance(value, str)).any():
            table[name] = table[name].map(str, na_action="ignore")
        elif values.map(lambda value: isinstance(value, float)).any():
            table[name] = table[name].astype(float)
    return table.to_parquet(index=False)
