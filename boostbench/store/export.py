"""The store as tables: what is bit-identical from run to run, and apart from it the times."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostbench.errors import ConfigError
from boostbench.outputs import OutputFolder
from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.database import Store
from boostbench.store.reading import Reading
from boostbench.store.types import Outcome

_LABELS = (
    "dataset", "method", "fold", "seed", "folds", "split_seed", "task", "scale_features",
    "scale_target", "estimator", "method_version", "fingerprint",
)  # fmt: skip
# Only in experiments that have them, so that tables of others stay as they were.
_LATER_LABELS = ("split", "test_size", "choose")
_WHICH = ("dataset", "method", "fold", "seed", "key")
_CURVES = ("curves", "curve_times")
TABLES = ("trials", "times", *_CURVES)
"""The stems of the files that the exports write."""
_FIRST = ("iteration", "objective", "train_error", "test_error", "fit_s", "solver_s")

Rows = list[tuple[Trial, Outcome]]
Curve = Mapping[str, list[float]]


@dataclass(frozen=True)
class _Table:
    """A header, and as many cells a row: numbers, text, or None for an empty cell."""

    header: list[str]
    rows: Callable[[], Iterator[list[Any]]]


def export_results(store: Store | Reading, folder: Path) -> list[Path]:
    """Write the tables of ``store`` to ``folder`` as CSV and return their paths.

    ``trials.csv`` has one row a planned trial (of its shard alone where the store is for one), in
    the plan's order, with the status, the reason and every metric (floats so that they read back to
    the same bits): equal results give equal bytes. ``times.csv`` has the times. Where there are
    learning curves, ``curves.csv`` and ``curve_times.csv`` have a row for each iteration of each
    trial, again in the plan's order; else those from an earlier call are removed.
    Raises :class:`~boostbench.errors.StoreError` when the folder cannot be written to, or holds a
    file of one of these names that is the user's.
    """
    return _write_all(store, folder, "csv", _csv)


def export_parquet(store: Store | Reading, folder: Path) -> list[Path]:
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
    store: Store | Reading, folder: Path, suffix: str, render: Callable[[_Table], bytes]
) -> list[Path]:
    outputs = OutputFolder(folder)
    tables = _tables(store)
    outputs.remove(f"{name}.{suffix}" for name in _CURVES if name not in tables)
    return outputs.write({f"{name}.{suffix}": render(table) for name, table in tables.items()})


def _tables(store: Store | Reading) -> dict[str, _Table]:
    outcomes = store.outcomes()
    pending = Outcome("pending")
    rows = [(trial, outcomes.get(trial.key, pending)) for trial in store.part()]
    tables = {"trials": _trials(rows), "times": _times(rows)}
    for name, curve_of in zip(_CURVES, (_curve, _time_curve), strict=True):
        if any(curve_of(outcome) for _, outcome in rows):
            tables[name] = _curves(rows, curve_of)
    return tables


def _trials(rows: Rows) -> _Table:
    later = _LATER_LABELS if any(t.split == "shuffle" or t.choose for t, _ in rows) else ()
    later = (*later, "choose_with") if any(t.choose_with for t, _ in rows) else later
    names = sorted({name for _, outcome in rows for name in outcome.metrics})

    def cells() -> Iterator[list[Any]]:
        for trial, outcome in rows:
            values = trial.to_dict()
            for name in ("choose", "choose_with"):
                values[name] = canonical_json(values[name])
            yield [
                *(values[name] for name in (*_LABELS, *later)),
                canonical_json(values["params"]),
                trial.key,
                outcome.status,
                outcome.reason,
                *(outcome.metrics.get(name) for name in names),
            ]

    return _Table([*_LABELS, *later, "params", "key", "status", "reason", *names], cells)


def _times(rows: Rows) -> _Table:
    names = sorted({name for _, outcome in rows for name in outcome.times})

    def cells() -> Iterator[list[Any]]:
        for trial, outcome in rows:
            which = [getattr(trial, name) for name in _WHICH]
            yield [*which, outcome.status, *(outcome.times.get(name) for name in names)]

    return _Table([*_WHICH, "status", *names], cells)


def _curve(outcome: Outcome) -> Curve:
    return _numbered(outcome.curve or {})


def _time_curve(outcome: Outcome) -> Curve:
    return _numbered(outcome.time_curve or {})


def _numbered(curve: Curve) -> Curve:
    n = max(map(len, curve.values()), default=0)
    return {"iteration": [*range(1, n + 1)], **curve} if n else {}


def _curves(rows: Rows, curve_of: Callable[[Outcome], Curve]) -> _Table:
    found = {name for _, outcome in rows for name in curve_of(outcome)}
    names = [name for name in _FIRST if name in found] + sorted(found - set(_FIRST))

    def cells() -> Iterator[list[Any]]:
        for trial, outcome in rows:
            which = [getattr(trial, name) for name in _WHICH]
            curve = curve_of(outcome)
            columns = [curve.get(name, []) for name in names]
            for i in range(max(map(len, columns), default=0)):
                yield [*which, *(c[i] if i < len(c) else None for c in columns)]

    return _Table([*_WHICH, *names], cells)


def _csv(table: _Table) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    # The writer leaves None empty and writes floats so that they read back to the same bits.
    writer.writerows(table.rows())
    return text.getvalue().encode("utf-8")


def _parquet(table: _Table) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = list(table.rows())
    arrays = {name: _uniform([row[i] for row in rows]) for i, name in enumerate(table.header)}
    buffer = io.BytesIO()
    pq.write_table(pa.table(arrays), buffer)
    return buffer.getvalue()


def _uniform(values: list[Any]) -> list[Any]:
    """Return values of one type as Parquet wants them: all text where there is text among them."""
    if any(isinstance(value, str) for value in values):
        return [None if value is None else str(value) for value in values]
    if any(isinstance(value, float) for value in values):
        return [None if value is None else float(value) for value in values]
    return values
