"""Cells and mean curves as CSV files for other programs: full precision, one row each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from boostbench.report.classification.curves import QUANTITIES, TIMES, Curve

if TYPE_CHECKING:
    from boostbench.report.choices import Counts
    from boostbench.report.classification.stats import ErrorCell, ErrorSummary, Spread

SPREADS = (
    "error", "train_error", "objective", "iterations", "fit_s", "solver_s", "choose_s",
)  # fmt: skip


def cells(summary: ErrorSummary) -> str:
    """Return a row a cell: means and sds (shares, not percent; seconds), and what is missing.

    ``chosen`` and ``stops`` are JSON: how often each value, by parameter, and each reason to end.
    There is no mean objective of runs that chose different values.
    """
    methods = {method.label: method for method in summary.methods}
    names = [f"{name}_{part}" for name in SPREADS for part in ("mean", "sd")]
    head = ["dataset", "method", "registered", "params", "planned", "finished", *names]
    return _csv(
        [*head, "chosen", "stops", "missing"],
        (
            [
                cell.dataset,
                cell.method,
                methods[cell.method].registered,
                _json(methods[cell.method].params),
                cell.planned,
                cell.finished,
                *(value for name in SPREADS for value in _pair(_spread(cell, name))),
                _json({name: _keys(counts) for name, counts in cell.chosen.items()}),
                _json(_keys(cell.stops)),
                _missing(cell),
            ]
            for cell in summary.cells.values()
        ),
    )


def curve_files(curves: Mapping[tuple[str, str], Curve]) -> dict[str, str]:
    """Return the mean curves behind the figures, by the ending of their file's name.

    ``curves`` is deterministic, ``times`` is not. A row is one iteration of one method on one data
    set; errors are shares, times seconds, sds over the ``runs``.
    """
    results = [name for name in QUANTITIES if name not in TIMES]
    return {"curves": _curves(curves, results), "times": _curves(curves, TIMES)}


def _curves(curves: Mapping[tuple[str, str], Curve], names: Sequence[str]) -> str:
    present = [name for name in names if any(name in curve.means for curve in curves.values())]
    header = [f"{name}_{part}" for name in present for part in ("mean", "sd")]
    return _csv(
        ["dataset", "method", "runs", "iteration", *header],
        (
            [curve.dataset, curve.method, curve.runs, step + 1]
            + [
                values[name][step] if name in values else None
                for name in present
                for values in (curve.means, curve.sds)
            ]
            for curve in curves.values()
            for step in range(curve.length)
        ),
    )


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def _spread(cell: ErrorCell, name: str) -> Spread | None:
    known: Spread | None = getattr(cell, name)
    return None if name == "objective" and cell.mixed else known


def _pair(spread: Spread | None) -> tuple[float | None, float | None]:
    return (None, None) if spread is None else (spread.mean, spread.sd)


def _keys(counts: Counts) -> dict[str, int]:
    return {
        f"{value:g}" if isinstance(value, float) else str(value): n for value, n in counts.items()
    }


def _json(values: Mapping[str, object]) -> str:
    return json.dumps(dict(values), sort_keys=True) if values else ""


def _missing(cell: ErrorCell) -> str:
    return "; ".join(
        f"{runs} {status}" + (f": {reason}" if reason else "")
        for status, reason, runs in cell.reasons
    )
