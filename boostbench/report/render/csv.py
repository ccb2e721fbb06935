"""Cells as a CSV file for other programs: full precision, one row each."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from boostbench.report.cells import CELL, missing_text
from boostbench.report.results import Results

_NAMES = {
    "repeats": "same_published_as", "way": "interval_from", "low": "interval_low",
    "high": "interval_high", "because": "undecided_because",
}  # fmt: skip
_ORDER = """
row dataset published_as method registered depth params planned finished {name}_mean {name}_sd
{name}_median {exploded}_runs {name}_mean_without_{exploded} train_{name}_mean train_{name}_sd
objective_mean objective_sd iterations_mean iterations_sd fit_s_mean fit_s_sd solver_s_mean
solver_s_sd choose_s_mean choose_s_sd published_table published_{name} published_sd published_time_s
published_{exploded}_runs compared_{name} difference verdict not_comparable same_published_as meant
margin interval_from interval_low interval_high p_equivalent p_different undecided_because
seeds_to_decide split_seeds_to_decide to_decide chosen stops missing
"""


def render(results: Results) -> str:
    """Return one row per cell (``row`` is "cell") and one per average (its label).

    For averages ``planned`` and ``finished`` count data sets. Scores are shares, not percent, times
    seconds. ``params``, ``chosen`` and ``stops`` are JSON: the last two count the values of each
    parameter, and the reasons to end. There is no mean objective of runs that chose different
    values. ``verdict`` follows from the interval of the difference (agrees, differs, undecided).
    ``meant`` says whether the cell is the main reading of the paper. Numbers are written so that
    they read back exactly; unknown ones, and the ends of unbounded intervals, are empty.
    """
    metric, cells = results.metric, results.cells
    name, exploded = metric.name, metric.exploded_name
    methods = {method.label: method for method in results.methods}
    published_as = {data.label: data.published_as for data in results.datasets}
    own = [methods[label] for label in cells.method]
    known = cells.rename(columns=_NAMES | {
        "mean": f"{name}_mean", "sd": f"{name}_sd", "median": f"{name}_median",
        "kept_mean": f"{name}_mean_without_{exploded}", "published": f"published_{name}",
        "published_exploded": f"published_{exploded}_runs", "compared": f"compared_{name}",
        "train_mean": f"train_{name}_mean", "train_sd": f"train_{name}_sd",
    })  # fmt: skip
    made: dict[str, Any] = {
        "published_as": [published_as.get(data, "") for data in cells.dataset],
        "registered": [method.registered for method in own],
        "depth": pd.array([method.depth for method in own], dtype="Int64"),
        "params": [_json(method.params) for method in own],
        f"{exploded}_runs": [
            int(runs) if runs == runs and float(runs).is_integer() else runs
            for runs in cells.exploded
        ],
        "objective_mean": cells.objective_mean.mask(cells.mixed),
        "objective_sd": cells.objective_sd.mask(cells.mixed),
        "meant": cells.meant.map({True: "yes", False: "no"}).where(
            (cells.row == CELL) & cells.published.notna(), ""
        ),
        "seeds_to_decide": cells.seeds_to_decide.astype("Int64"),
        "split_seeds_to_decide": cells.partitions_to_decide.astype("Int64"),
        "chosen": [_json({k: _keys(v) for k, v in each.items()}) for each in cells.chosen],
        "stops": [_json(_keys(each)) for each in cells.stops],
        "missing": cells.missing.map(missing_text).where(cells.row == CELL, cells.problem),
    }
    shown = [
        column.format(name=name, exploded=exploded)
        for column in _ORDER.split()
        if exploded or "{exploded}" not in column
    ]
    return known.assign(**made)[shown].to_csv(index=False, lineterminator="\n")


def _keys(counts: Mapping[object, int]) -> dict[str, int]:
    return {
        f"{value:g}" if isinstance(value, float) else str(value): n for value, n in counts.items()
    }


def _json(values: Mapping[str, object]) -> str:
    return json.dumps(dict(values), sort_keys=True) if values else ""
