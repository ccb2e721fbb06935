"""Cells and mean curves as CSV files for other programs: full precision, one row each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from boostbench.papers.metrics import Metric
from boostbench.report.curves import RANGED, MeanCurve, MeanCurves
from boostbench.report.results import Results
from boostbench.report.runs import RESULTS, TIMES

_SPREADS = ("train", "objective", "iterations", "fit_s", "solver_s", "choose_s")


def render(results: Results) -> str:
    """Return one row per cell (``row`` is "cell") and one per average (its label).

    For averages ``planned`` and ``finished`` count data sets. Scores are shares, not percent, times
    seconds. ``params``, ``chosen`` and ``stops`` are JSON: the last two how often each value, by
    parameter, and each reason to end. There is no mean objective of runs that chose different
    values. ``verdict`` is what the interval of the difference says (agrees, differs, undecided).
    ``meant``: whether the cell is the reading that is meant as the paper's. Numbers are written so
    that they read back exactly; unknown ones, and the ends of unbounded intervals, are empty.
    """
    metric, cells = results.metric, results.cells
    methods = {method.label: method for method in results.methods}
    published_as = {data.label: data.published_as for data in results.datasets}
    own = [methods[label] for label in cells.method]
    of_cell = cells.row == "cell"
    mixed = cells.mixed.eq(True)
    found: dict[str, Any] = {
        "row": cells.row,
        "dataset": cells.dataset,
        "published_as": [published_as.get(name, "") for name in cells.dataset],
        "method": cells.method,
        "registered": [method.registered for method in own],
        "depth": pd.array([method.depth for method in own], dtype="Int64"),
        "params": [_json(method.params) for method in own],
        "planned": cells.planned,
        "finished": cells.finished,
        f"{metric.name}_mean": cells["mean"],
        f"{metric.name}_sd": cells.sd,
        f"{metric.name}_median": cells["median"],
        **_exploded(metric, cells),
    }
    for name in _SPREADS:
        title = f"train_{metric.name}" if name == "train" else name
        for part in ("mean", "sd"):
            values = cells[f"{name}_{part}"]
            found[f"{title}_{part}"] = values.mask(mixed) if name == "objective" else values
    found |= {
        "published_table": cells.published_table,
        f"published_{metric.name}": cells.published,
        "published_sd": cells.published_sd,
        "published_time_s": cells.published_time_s,
    }
    if metric.exploded_name:
        found[f"published_{metric.exploded_name}_runs"] = cells.published_exploded
    found |= {
        f"compared_{metric.name}": cells.compared,
        "difference": cells.difference,
        "verdict": cells.verdict,
        "not_comparable": cells.not_comparable,
        "same_published_as": cells.repeats,
        "meant": cells.meant.map({True: "yes", False: "no"}).where(
            of_cell & cells.published.notna(), ""
        ),
        "margin": cells.margin,
        "interval_from": cells.way,
        "interval_low": cells.low,
        "interval_high": cells.high,
        "p_equivalent": cells.p_equivalent,
        "p_different": cells.p_different,
        "undecided_because": cells.because,
        "seeds_to_decide": cells.seeds_to_decide.astype("Int64"),
        "split_seeds_to_decide": cells.partitions_to_decide.astype("Int64"),
        "to_decide": cells.to_decide,
        "chosen": [_counts(values) for values in cells.chosen],
        "stops": [
            _json(_keys(values)) if isinstance(values, dict) else "" for values in cells.stops
        ],
        "missing": [
            problem if isinstance(missing, float) else "; ".join(map(_missing, missing))
            for missing, problem in zip(cells.missing, cells.problem, strict=True)
        ],
    }
    return pd.DataFrame(found).to_csv(index=False, lineterminator="\n")


def _exploded(metric: Metric, cells: pd.DataFrame) -> dict[str, Any]:
    if not metric.exploded_name:
        return {}
    return {
        f"{metric.exploded_name}_runs": [
            int(runs) if runs == runs and float(runs).is_integer() else runs
            for runs in cells.exploded
        ],
        f"{metric.name}_mean_without_{metric.exploded_name}": cells.kept_mean,
    }


def curve_files(curves: MeanCurves) -> dict[str, str]:
    """Return the mean curves behind the figures, by the ending of their file's name.

    ``curves`` is deterministic, ``times`` is not. A row is one iteration of one method on one data
    set; scores are shares, times seconds, sds over the ``runs``. What may span orders of magnitude
    also has the median, min and max over the runs, as the figures do.
    """
    if not curves:
        return {}
    return {
        ending: pd.concat([_table(curve, names) for curve in curves.values()]).to_csv(
            index=False, lineterminator="\n"
        )
        for ending, names in (("curves", RESULTS), ("times", TIMES))
    }


def _table(curve: MeanCurve, names: tuple[str, ...]) -> pd.DataFrame:
    found = pd.DataFrame({"dataset": curve.dataset, "method": curve.method, "runs": curve.runs,
                          "iteration": curve.values.index})  # fmt: skip
    for name in names:
        if name in curve.quantities:
            for part in ("mean", "sd", *(("median", "min", "max") if name in RANGED else ())):
                found[f"{name}_{part}"] = curve.values[name, part].to_numpy()
    return found


def _missing(entry: tuple[str, str, int]) -> str:
    status, reason, runs = entry
    return f"{runs} {status}" + (f": {reason}" if reason else "")


def _counts(values: Any) -> str:
    return _json({k: _keys(v) for k, v in values.items()}) if isinstance(values, dict) else ""


def _keys(counts: Mapping[Any, int]) -> dict[str, int]:
    return {
        f"{value:g}" if isinstance(value, float) else str(value): n for value, n in counts.items()
    }


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(dict(values), sort_keys=True) if values else ""
