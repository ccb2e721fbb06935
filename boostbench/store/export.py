"""The store as CSV files: what is bit-identical from run to run, and apart from it the times."""

import csv
import io
from pathlib import Path
from typing import Any

from boostbench.plan.trial import Trial, canonical_json
from boostbench.store.connect import os_sentence
from boostbench.store.database import Store
from boostbench.store.types import Outcome

_LABELS = (
    "dataset", "method", "fold", "seed", "folds", "split_seed", "task", "scale_features",
    "scale_target", "estimator", "method_version", "fingerprint",
)  # fmt: skip


def export_results(store: Store, folder: Path) -> list[Path]:
    """Write ``trials.csv`` and ``times.csv`` to ``folder`` and return their paths.

    One row a planned trial, in the plan's order. ``trials.csv`` holds the status, the reason and
    every metric (floats so that they read back to the same bits): equal results give equal bytes.
    Raises :class:`~boostbench.errors.StoreError` when the folder cannot be written to.
    """
    plan = store.plan()
    outcomes = store.outcomes()
    pending = Outcome("pending")
    rows = [(trial, outcomes.get(trial.key, pending)) for trial in plan]
    metric_names = sorted({name for _, outcome in rows for name in outcome.metrics})
    time_names = sorted({name for _, outcome in rows for name in outcome.times})
    trials = _csv(
        [*_LABELS, "params", "key", "status", "reason", *metric_names],
        (
            [*_labels(t), o.status, o.reason, *(_cell(o.metrics.get(n)) for n in metric_names)]
            for t, o in rows
        ),
    )
    times = _csv(
        ["dataset", "method", "fold", "seed", "key", "status", *time_names],
        (
            [t.dataset, t.method, t.fold, t.seed, t.key, o.status]
            + [_cell(o.times.get(n)) for n in time_names]
            for t, o in rows
        ),
    )
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(folder / "trials.csv", trials), _write(folder / "times.csv", times)]
    except OSError as error:
        raise os_sentence(folder, error) from error


def _labels(trial: Trial) -> list[Any]:
    values = trial.to_dict()
    return [*(values[name] for name in _LABELS), canonical_json(values["params"]), trial.key]


def _cell(value: Any) -> Any:
    return "" if value is None else repr(value) if isinstance(value, float) else value


def _csv(header: list[str], rows: Any) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _write(path: Path, text: str) -> Path:
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8", newline="")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path
