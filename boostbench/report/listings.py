"""The lists of a report: what is missing and why, data sets, methods, the ends of curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from boostbench import numbers
from boostbench.papers import Published
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Method
from boostbench.report.cells import spread
from boostbench.report.curves import RANGED, MeanCurve
from boostbench.report.results import Results
from boostbench.report.runs import QUANTITIES, TIMES
from boostbench.report.table import Item, Table, make_table

# Quantity: header, scale, decimals of the mean.
_SCORES = {
    "train_error": ("Training error, %", 100.0, 2),
    "test_error": ("Test error, %", 100.0, 2),
    "train_r2": ("Training R²", 1.0, 3),
    "test_r2": ("Test R²", 1.0, 3),
}
_RANGES = {"objective": "Objective", "fit_s": "Training time, s", "solver_s": "Solver time, s"}
_LAST = (
    "Values at the last iteration of each run. Scores: mean ± sd; times and objectives: median "
    "(smallest to largest). Without iterations: a method that recorded no stages, with its final "
    "score and time."
)


def gaps(results: Results) -> Table:
    """Return the unfinished runs: one row per method, state and reason, with its cells."""
    open_ = results.runs[results.runs.status != "ok"]
    order = [method.label for method in results.methods]
    groups: Any = open_.groupby(["method", "status", "reason"])
    rows = [
        {
            "Method": method,
            "State": Item(status, tone="empty"),
            "Reason": reason or ("not run yet" if status == "pending" else ""),
            "Runs": numbers.count(len(own)),
            "Data sets (finished of planned runs)": _cells(results, method, own.dataset.unique()),
        }
        for (method, status, reason), own in sorted(groups, key=lambda one: order.index(one[0][0]))
    ]
    words = ("Method", "State", "Reason", "Data sets (finished of planned runs)")
    return make_table("gaps", "Cells that are empty or incomplete", rows, words)


def _cells(results: Results, method: str, names: Sequence[str]) -> str:
    done = {name: len(results.of(name, method)) for name in names}
    if len(names) == len(results.datasets) > 1 and not any(done.values()):
        return f"all {len(names)}, none finished"
    planned = {name: len(results.by_cell[name, method]) for name in names}
    return ", ".join(f"{name} ({numbers.of(done[name], planned[name])})" for name in names)


def datasets(results: Results) -> Table:
    """Return the data sets: rows as measured and as the paper lists them, and a fingerprint."""
    printed = results.paper.datasets if results.paper else {}
    rows = [
        {
            "Data set": data.label,
            "In the paper": listed.title if listed else "",
            "N": numbers.count(results.rows.get(data.label)),
            "N, paper": numbers.count(listed.n_samples if listed else None),
            "p, paper": numbers.count(listed.n_features if listed else None),
            "Fingerprint": data.fingerprint[:12],
            "As read": "; ".join(data.remarks),
        }
        for data in results.datasets
        for listed in [printed.get(data.published_as)]
    ]
    words = ("Data set", "In the paper", "Fingerprint", "As read")
    return make_table("datasets", "Data sets", rows, words)


def methods(results: Results) -> Table:
    """Return the methods: what was run, with which parameters."""
    rows = [
        {
            "Method": method.label,
            "Registered as": method.registered if method.registered != method.label else "",
            "Estimator": f"{method.estimator}, version {method.version}",
            "Parameters": settings(method),
        }
        for method in results.methods
    ]
    return make_table("methods", "Methods", rows, words=[*rows[0]] if rows else ())


def settings(method: Method) -> str:
    """Return the parameters of a method, and what was chosen from which values."""
    parts = [_given(method.params)] if method.params else []
    for name, values in method.choose.items():
        known = [numbers.setting(v) if isinstance(v, float) else str(v) for v in values]
        parts.append(f"{name} chosen from {', '.join(known)}")
    if method.choose_with:
        parts[-1] += f", with {_given(method.choose_with)}"
    return "; ".join(parts)


def _given(params: Mapping[str, Any]) -> str:
    # Large numbers are powers of ten, and are read more easily as such.
    return ", ".join(
        f"{key} = {numbers.setting(v) if isinstance(v, float) and v >= 1000 else v}"
        for key, v in sorted(params.items())
    )


def also_published(results: Results) -> Table | None:
    """Return what the paper printed of other methods on the same data, ``None`` if nothing.

    These are the columns of the tables that are compared, or of the experiment's, at the same
    depths of trees, with which no method here is compared.
    """
    paper, metric = results.paper, results.metric
    cells = [printed.value for printed in results.only_cells.printed.dropna()]
    if paper is None or not cells:
        return None
    tables = {results.experiment.get("table")} & {cell.table for cell in paper.cells}
    tables = tables or {cell.table for cell in cells}
    compared = {(cell.method, cell.depth) for cell in cells}
    depths = {depth for _, depth in compared}
    shown: dict[str, Mapping[str, Published]] = {}
    for column in paper.columns:
        known = column.table in tables and column.depth in depths
        if known and (column.method, column.depth) not in compared:
            several = len(depths - {None}) > 1 and column.depth is not None
            of = f", D = {column.depth}" if several else ""
            shown.setdefault(f"{column.method}, Table {column.table}{of}", column.cells)

    def text(cell: Published | None) -> str:
        sd = metric.sd(cell.sd, cell.mean) if cell else ""
        return f"{metric.printed(cell)} ± {sd}" if sd else metric.printed(cell)

    rows = [
        [("Data set", data.label)]
        + [(title, text(cells.get(data.published_as))) for title, cells in shown.items()]
        for data in results.datasets
    ]
    title = "Printed of methods that are not run here"
    table = make_table("also-published", title, rows)
    return table if len(table.header) > 1 else None


def last_values(results: Results) -> Table | None:
    """Return what each method had at the last iteration of its runs, ``None`` without curves."""
    curves = results.mean_curves
    if not curves:
        return None
    with_curves = {dataset for dataset, _ in curves}
    recorded = [q for q in QUANTITIES if any(q in curve.quantities for curve in curves.values())]
    rows = [
        {
            "Data set": data.label,
            "Method": method.label,
            "Runs": numbers.count(len(runs)),
            "Iterations": _iterations(curve) if curve else "",
            **{_RANGES.get(q) or _SCORES[q][0]: _last(q, curve, runs, results.metric)
               for q in recorded},
        }
        for data in results.datasets
        for method in results.methods
        if data.label in with_curves and len(runs := results.of(data.label, method.label))
        for curve in [curves.get((data.label, method.label))]
    ]  # fmt: skip
    title = "Last values of the curves"
    return make_table("last-values", title, rows, ("Data set", "Method"), legend=_LAST)


def _iterations(curve: MeanCurve) -> str:
    ends = dict.fromkeys([curve.reached, max(curve.length, curve.reached)])
    return "–".join(f"{count:,}" for count in ends)


def _last(name: str, curve: MeanCurve | None, runs: pd.DataFrame, metric: Metric) -> Item:
    if curve is not None and name in curve.quantities:
        values = curve.finals[name]
    elif curve is None and name == "fit_s":
        values = runs.fit_s
    elif curve is None and name == metric.curve and name.endswith(metric.name):
        values = runs.score
    else:
        return Item(numbers.DASH, tone="empty")
    if name in RANGED:
        write = numbers.seconds if name in TIMES else numbers.objective
        low, high = float(values.min()), float(values.max())
        middle = write(float(values.median()))
        return Item(middle if low == high else f"{middle} ({write(low)} to {write(high)})")
    _, scale, digits = _SCORES[name]
    mean, sd = spread(values)
    text = numbers.fixed(scale * mean, digits)
    if sd == sd:
        text += f" ± {numbers.spread(scale * sd, scale * mean, digits)}"
    return Item(text)
