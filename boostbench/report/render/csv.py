"""Cells as a CSV file for other programs: full precision, one row each."""

import csv
import io
import json
from collections.abc import Iterator, Mapping

from boostbench.papers.metrics import Metric
from boostbench.papers.planned import PlannedMethod
from boostbench.report.frames.cell import Cell, RunsToDecide, Spread, missing_text
from boostbench.report.frames.results import ReportData
from boostbench.report.render.formats import Renderer, register
from boostbench.report.sentences.beside_print import would_decide

Value = str | float | None
CELL = "cell"
"""The word for a cell in the column ``row``, which has the label of an average."""


def render(results: ReportData) -> str:
    """Return one row per cell (``row`` is "cell") and one per average (its label).

    For averages ``planned`` and ``finished`` count data sets. Scores are shares, not percent, times
    seconds. ``params``, ``chosen`` and ``stops`` are JSON: the last two count the values of each
    parameter, and the reasons to end. There is no mean objective of runs that chose different
    values. ``verdict`` follows from the interval of the difference (agrees, differs, undecided).
    ``meant`` says whether the cell is the main reading of the paper. Numbers are written so that
    they read back exactly; unknown ones, and the ends of unbounded intervals, are empty.
    """
    methods = {method.label: method for method in results.methods}
    published_as = {data.label: data.published_as for data in results.datasets}
    metric = results.metric
    rows = [
        dict(_columns(cell, methods[cell.method], published_as.get(cell.dataset, ""), metric))
        for cell in results.cells
    ]
    numbers = [cell.exploded for cell in results.cells if cell.exploded is not None]
    if metric.exploded_name and len(numbers) == len(rows) and all(n % 1 == 0 for n in numbers):
        # The column has decimals only where an average or an unknown number needs them.
        for row, number in zip(rows, numbers, strict=True):
            row[f"{metric.exploded_name}_runs"] = int(number)
    header = rows[0] if rows else dict(_columns(*_NOTHING, metric))
    text = io.StringIO()
    writer = csv.DictWriter(text, header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


_NOTHING = (
    Cell(row="", method="", planned=0, finished=0),
    PlannedMethod(label="", registered="", estimator="", version="", params={}, depth=None),
    "",
)


def _columns(
    cell: Cell, method: PlannedMethod, published_as: str, metric: Metric
) -> Iterator[tuple[str, Value]]:
    """Yield the columns of a row in order, each with its value."""
    yield "row", cell.row if cell.average else CELL
    yield "dataset", cell.dataset
    yield "published_as", published_as
    yield "method", cell.method
    yield "registered", method.registered
    yield "depth", method.depth
    yield "params", _json(method.params)
    yield "planned", cell.planned
    yield "finished", cell.finished
    yield from _measured(cell, metric)
    yield from _beside_print(cell, metric)
    yield "chosen", _json({name: _keys(counts) for name, counts in cell.chosen.items()})
    yield "stops", _json(_keys(cell.stops))
    yield "missing", cell.problem if cell.average else missing_text(cell.missing)


def _measured(cell: Cell, metric: Metric) -> Iterator[tuple[str, Value]]:
    name, exploded = metric.name, metric.exploded_name
    yield f"{name}_mean", cell.mean
    yield f"{name}_sd", cell.sd
    yield f"{name}_median", cell.median
    if exploded:
        yield f"{exploded}_runs", None if cell.exploded is None else float(cell.exploded)
        yield f"{name}_mean_without_{exploded}", cell.kept_mean
    spreads = {
        f"train_{name}": cell.train,
        "objective": Spread() if cell.mixed else cell.objective,
        "iterations": cell.iterations,
        "fit_s": cell.fit_s,
        "solver_s": cell.solver_s,
        "choose_s": cell.choose_s,
    }
    for quantity, spread in spreads.items():
        yield f"{quantity}_mean", spread.mean
        yield f"{quantity}_sd", spread.sd


def _beside_print(cell: Cell, metric: Metric) -> Iterator[tuple[str, Value]]:
    name, exploded = metric.name, metric.exploded_name
    is_beside_print = not cell.average and cell.published is not None
    yield "published_table", cell.published_table
    yield f"published_{name}", cell.published
    yield "published_sd", cell.published_sd
    yield "published_time_s", cell.published_time_s
    if exploded:
        yield f"published_{exploded}_runs", cell.published_exploded
    yield f"compared_{name}", cell.compared
    yield "difference", cell.difference
    yield "verdict", cell.verdict
    yield "not_comparable", cell.not_comparable
    yield "same_published_as", cell.duplicate_of
    yield "meant", ("yes" if cell.primary else "no") if is_beside_print else ""
    yield "margin", cell.margin
    yield "interval_from", cell.interval_from
    yield "interval_low", cell.low
    yield "interval_high", cell.high
    yield "p_equivalent", cell.p_equivalent
    yield "p_different", cell.p_different
    yield "undecided_because", cell.undecided_reason
    yield from _to_decide(cell.to_decide)


def _to_decide(plan: RunsToDecide | None) -> Iterator[tuple[str, Value]]:
    """Yield how many seeds per fold, or else split seeds, would decide."""
    by_partitions = plan is not None and plan.by_partitions
    number = plan.number if plan is not None else None
    yield "seeds_to_decide", None if by_partitions else number
    yield "split_seeds_to_decide", number if by_partitions else None
    yield "to_decide", would_decide(plan)


def _keys(counts: Mapping[float | int | str, int]) -> dict[str, int]:
    return {
        f"{value:g}" if isinstance(value, float) else str(value): n for value, n in counts.items()
    }


def _json(values: Mapping[str, object]) -> str:
    return json.dumps(dict(values), sort_keys=True) if values else ""


register(Renderer("csv", ".csv", lambda report: render(report.results)))
