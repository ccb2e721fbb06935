"""The lists of a report: what is missing and why, data sets, methods, the ends of curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from boostbench import numbers
from boostbench.papers import Column as Printed
from boostbench.papers import Published
from boostbench.papers.results import Method
from boostbench.report.cells import spread
from boostbench.report.curves import RANGED
from boostbench.report.results import Results
from boostbench.report.runs import QUANTITIES, TIMES
from boostbench.report.table import Column, Item, Table, make_table

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
    planned = {labels: len(own) for labels, own in results.by_cell.items()}
    order = {method.label: place for place, method in enumerate(results.methods)}
    groups: list[Any] = sorted(
        open_.groupby(["method", "status", "reason"]), key=lambda entry: order[str(entry[0][0])]
    )

    def where(row: Any) -> str:
        (method, *_), own = row
        names = dict.fromkeys(own.dataset)
        done = {name: len(results.of(name, method)) for name in names}
        if len(names) == len(results.datasets) > 1 and not any(done.values()):
            return f"all {len(names)}, none finished"
        return ", ".join(
            f"{name} ({numbers.of(done[name], planned[str(name), method])})" for name in names
        )

    columns = [
        Column("Method", lambda row: row[0][0], left=True),
        Column("State", lambda row: Item(row[0][1], tone="empty"), left=True),
        Column(
            "Reason",
            lambda row: row[0][2] or ("not run yet" if row[0][1] == "pending" else ""),
            left=True,
        ),
        Column("Runs", lambda row: numbers.count(len(row[1]))),
        Column("Data sets (finished of planned runs)", where, left=True),
    ]
    return make_table("gaps", "Cells that are empty or incomplete", columns, groups)


def datasets(results: Results) -> Table:
    """Return the data sets: rows as measured and as the paper lists them, and a fingerprint."""
    printed = results.paper.datasets if results.paper else {}

    def of_paper(name: str) -> Any:
        return lambda data: (
            numbers.count(getattr(listed, name))
            if (listed := printed.get(data.published_as))
            else ""
        )

    columns = [
        Column("Data set", lambda data: data.label, left=True),
        Column(
            "In the paper",
            lambda data: printed[data.published_as].title if data.published_as in printed else "",
            left=True,
        ),
        Column("N", lambda data: numbers.count(results.rows.get(data.label))),
        Column("N, paper", of_paper("n_samples")),
        Column("p, paper", of_paper("n_features")),
        Column("Fingerprint", lambda data: data.fingerprint[:12], left=True),
        Column("As read", lambda data: "; ".join(data.remarks), left=True),
    ]
    return make_table("datasets", "Data sets", columns, results.datasets)


def methods(results: Results) -> Table:
    """Return the methods: what was run, with which parameters."""
    columns = [
        Column("Method", lambda method: method.label, left=True),
        Column(
            "Registered as",
            lambda method: method.registered if method.registered != method.label else "",
            left=True,
        ),
        Column("Estimator", lambda m: f"{m.estimator}, version {m.version}", left=True),
        Column("Parameters", settings, left=True),
    ]
    return make_table("methods", "Methods", columns, results.methods)


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
    return ", ".join(f"{name} = {_value(value)}" for name, value in sorted(params.items()))


def _value(value: object) -> str:
    # Large numbers are powers of ten, and are read more easily as such.
    return numbers.setting(value) if isinstance(value, float) and value >= 1000 else str(value)


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
    found = {
        (column.method, column.depth): column
        for column in reversed(paper.columns)
        if column.table in tables and column.depth in depths
    }

    def text(cell: Published | None) -> str:
        sd = metric.sd(cell.sd, cell.mean) if cell else ""
        return f"{metric.printed(cell)} ± {sd}" if sd else metric.printed(cell)

    columns = [Column("Data set", lambda data: data.label, left=True)]
    for (method, depth), column in reversed(found.items()):
        if (method, depth) not in compared:
            of = f", D = {depth}" if len(depths - {None}) > 1 and depth is not None else ""
            columns.append(Column(f"{method}, Table {column.table}{of}", _printed_in(column, text)))
    title = "Printed of methods that are not run here"
    table = make_table("also-published", title, columns, results.datasets)
    return table if len(table.header) > 1 else None


def _printed_in(column: Printed, text: Any) -> Any:
    return lambda data: text(column.cells.get(data.published_as))


def last_values(results: Results) -> Table | None:
    """Return what each method had at the last iteration of its runs, ``None`` without curves."""
    curves = results.mean_curves
    if not curves:
        return None
    with_curves = {dataset for dataset, _ in curves}
    rows = [
        (data.label, method.label)
        for data in results.datasets
        for method in results.methods
        if data.label in with_curves and len(results.of(data.label, method.label))
    ]

    def iterations(row: tuple[str, str]) -> str:
        curve = curves.get(row)
        if curve is None:
            return ""
        reached = [curve.reached, max(curve.length, curve.reached)]
        return "–".join(f"{count:,}" for count in dict.fromkeys(reached))

    def value(name: str) -> Any:
        def item(row: tuple[str, str]) -> Item:
            curve, runs = curves.get(row), results.of(*row)
            if curve is not None and name in curve.quantities:
                return Item(_value_text(name, curve.finals[name]))
            if curve is None and name == "fit_s":
                return Item(_value_text(name, runs.fit_s))
            if (
                curve is None
                and name == results.metric.curve
                and name.endswith(results.metric.name)
            ):
                return Item(_value_text(name, runs.score))
            return Item(numbers.DASH, tone="empty")

        return item

    recorded = [q for q in QUANTITIES if any(q in curve.quantities for curve in curves.values())]
    columns = [
        Column("Data set", lambda row: row[0], left=True),
        Column("Method", lambda row: row[1], left=True),
        Column("Runs", lambda row: numbers.count(len(results.of(*row)))),
        Column("Iterations", iterations),
        *(Column(_RANGES.get(q) or _SCORES[q][0], value(q)) for q in recorded),
    ]
    return make_table("last-values", "Last values of the curves", columns, rows, legend=_LAST)


def _value_text(name: str, values: pd.Series) -> str:
    if name in RANGED:
        write = numbers.seconds if name in TIMES else numbers.objective
        low, high = float(values.min()), float(values.max())
        middle = write(float(values.median()))
        return middle if low == high else f"{middle} ({write(low)} to {write(high)})"
    _, scale, digits = _SCORES[name]
    mean, sd = spread(values)
    text = numbers.fixed(scale * mean, digits)
    return text if sd != sd else f"{text} ± {numbers.spread(scale * sd, scale * mean, digits)}"
