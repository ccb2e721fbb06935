"""Cells and mean curves as CSV files for other programs: full precision, one row each."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence

from boostbench.numbers import Counts
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Curve, Spread
from boostbench.report.averages import Average
from boostbench.report.cells import Cell, mean_of
from boostbench.report.curves import RANGED, RESULTS, TIMES, Curves
from boostbench.report.summary import Summary
from boostbench.stats import Equivalence

_SPREADS = ("objective", "iterations", "fit_s", "solver_s", "choose_s")


def render(summary: Summary) -> str:
    """Return one row per cell (``row`` is "cell") and one per average (its label).

    For averages ``planned`` and ``finished`` count data sets. Scores are shares, not percent, times
    seconds. ``params``, ``chosen`` and ``stops`` are JSON: the last two how often each value, by
    parameter, and each reason to end. There is no mean objective of runs that chose different
    values. ``verdict`` is where the mean lies (within the tolerance, above, below), and
    ``statistical_verdict`` what the interval says (equivalent, different, inconclusive); the one
    for ``seeds_only`` takes no published variance to be between folds. ``meant``: whether the cell
    is the reading that is meant as the paper's. Unbounded intervals are empty. Numbers are
    written so that they read back exactly; unknown ones are empty.
    """
    published_as = {data.label: data.published_as for data in summary.datasets}
    methods = {method.label: method for method in summary.methods}

    def named(row: str, dataset: str, label: str, values: dict[str, object]) -> dict[str, object]:
        method = methods[label]
        return {
            "row": row,
            "dataset": dataset,
            "published_as": published_as.get(dataset, ""),
            "method": label,
            "registered": method.registered,
            "depth": method.depth,
            "params": _json(method.params),
            **values,
        }

    rows = [
        named("cell", cell.dataset, cell.method, _cell(cell)) for cell in summary.cells.values()
    ]
    rows += [
        named(row.label, "", average.method, _average(average))
        for row in summary.rows
        for average in row.averages.values()
    ]
    header = list(rows[0]) if rows else ["row", "dataset", "method"]
    return _csv(header, ([row.get(name) for name in header] for row in rows))


def _cell(cell: Cell) -> dict[str, object]:
    printed, name = cell.published, cell.metric.name
    spreads = {each: getattr(cell, each) for each in _SPREADS}
    if cell.mixed:
        spreads["objective"] = None
    return {
        "planned": cell.planned,
        "finished": cell.finished,
        **_pair(name, cell.score),
        f"{name}_median": cell.median,
        **_exploded(cell.metric, cell.exploded if cell.finished else None, mean_of(cell.kept)),
        **_pair(f"train_{name}", cell.train),
        **{
            key: value
            for each, known in spreads.items()
            for key, value in _pair(each, known).items()
        },
        **_published(
            cell.metric,
            printed.table if printed else None,
            (printed.mean, printed.sd, printed.time_s, printed.exploded_runs) if printed else (),
        ),
        f"compared_{name}": mean_of(cell.compared),
        "difference": cell.difference,
        "tolerance": cell.tolerance if printed else None,
        "verdict": cell.verdict.value,
        **_evidence(cell),
        "chosen": _json({key: _keys(counts) for key, counts in cell.chosen.items()}),
        "stops": _json(_keys(cell.stops)),
        "missing": "; ".join(
            f"{runs} {status}" + (f": {reason}" if reason else "")
            for status, reason, runs in cell.reasons
        ),
    }


def _evidence(cell: Cell) -> dict[str, object]:
    found, names = cell.evidence, ("low", "high", "p_equivalent", "p_different")
    interval = found.interval if found else None
    seeds_only = found.verdict_seeds_only if found else None
    return {
        "not_comparable": cell.not_comparable,
        "same_published_as": cell.reference.repeats if cell.reference else "",
        "meant": ("yes" if cell.meant else "no") if cell.published else "",
        "statistical_verdict": found.verdict.value if found else "",
        "statistical_verdict_seeds_only": seeds_only.value if seeds_only else "",
        "margin": found.margin if found else None,
        "interval_from": found.way.value if found else "",
        **{
            name if name.startswith("p_") else f"interval_{name}": _finite(interval, name)
            for name in names
        },
        "inconclusive_because": found.reason if found else "",
        "seeds_to_decide": found.seeds if found else None,
        "split_seeds_to_decide": found.partitions if found else None,
        "to_decide": found.plan if found else "",
    }


def _finite(interval: Equivalence | None, name: str) -> float | None:
    value = None if interval is None else float(getattr(interval, name))
    return value if value is not None and math.isfinite(value) else None


def _average(average: Average) -> dict[str, object]:
    name = average.metric.name
    return {
        "planned": average.of,
        "finished": average.used,
        f"{name}_mean": average.score_all,
        f"{name}_sd": average.sd_all,
        **_exploded(average.metric, average.exploded, average.score_kept),
        f"train_{name}_mean": average.train,
        "fit_s_mean": average.fit_s,
        "solver_s_mean": average.solver_s,
        **_published(
            average.metric,
            None,
            (
                average.published,
                average.published_sd,
                average.published_time,
                average.published_exploded,
            ),
        ),
        f"compared_{name}": average.score,
        "difference": average.difference,
        "verdict": average.verdict.value,
        "missing": average.problem,
    }


def _pair(name: str, spread: Spread | None) -> dict[str, object]:
    return {f"{name}_mean": mean_of(spread), f"{name}_sd": spread.sd if spread else None}


def _published(
    metric: Metric, table: str | None, values: Sequence[float | None]
) -> dict[str, object]:
    names = [metric.name, "sd", "time_s"]
    names += [f"{metric.exploded_name}_runs"] if metric.exploded_name else []
    known = dict(zip(names, values or [None] * 4, strict=False))
    return {"published_table": table, **{f"published_{name}": v for name, v in known.items()}}


def _exploded(metric: Metric, runs: float | None, without: float | None) -> dict[str, float | None]:
    if not metric.exploded_name:
        return {}
    bad = metric.exploded_name
    return {f"{bad}_runs": runs, f"{metric.name}_mean_without_{bad}": without}


def curve_files(curves: Curves) -> dict[str, str]:
    """Return the mean curves behind the figures, by the ending of their file's name.

    ``curves`` is deterministic, ``times`` is not. A row is one iteration of one method on one data
    set; scores are shares, times seconds, sds over the ``runs``. What may span orders of magnitude
    also has the median, min and max over the runs, as the figures do.
    """
    if not curves:
        return {}
    return {"curves": _curves(curves, RESULTS), "times": _curves(curves, TIMES)}


def _curves(curves: Curves, names: Sequence[str]) -> str:
    present = [name for name in names if any(name in curve.means for curve in curves.values())]
    header = [
        f"{name}_{part}"
        for name in present
        for part in ("mean", "sd", *(("median", "min", "max") if name in RANGED else ()))
    ]
    return _csv(
        ["dataset", "method", "runs", "iteration", *header],
        (
            [curve.dataset, curve.method, curve.runs, step + 1]
            + [value for name in present for value in _at(curve, name, step)]
            for curve in curves.values()
            for step in range(curve.length)
        ),
    )


def _at(curve: Curve, name: str, step: int) -> list[float | None]:
    """Return mean and sd, and of some quantities the range, of one iteration."""
    found = [values[name][step] if name in values else None for values in (curve.means, curve.sds)]
    if name not in RANGED:
        return found
    if name not in curve.ranges:
        return [*found, None, None, None]
    at = curve.ranges[name][step]
    return [*found, at.median, at.low, at.high]


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def _keys(counts: Counts) -> dict[str, int]:
    return {
        f"{value:g}" if isinstance(value, float) else str(value): n for value, n in counts.items()
    }


def _json(values: Mapping[str, object]) -> str:
    return json.dumps(dict(values), sort_keys=True) if values else ""
