"""The means of methods on the page, and how far they are from the best."""

import math

import pandas as pd

from boostbench import numbers
from boostbench.methods import get_method, method_names
from boostbench.papers.metrics import Metric
from boostbench.papers.planned import PlannedMethod
from boostbench.report.document.report import Report
from boostbench.report.document.table import Item, TextTable, make_table
from boostbench.report.frames.cell import Cell, CellVerdict
from boostbench.report.frames.pairs import caveats_of, is_adjusted
from boostbench.report.frames.results import ReportData
from boostbench.report.page.views import TablesView
from boostbench.report.sentences import legends

MOST_CHARTS = 4
"""The most data sets with a chart each; more are rows of one table."""


def numbers_view(report: Report) -> TablesView | None:
    """Return the means, their distances from the best, and descriptions of the methods."""
    results = report.results
    champions, names = results.champions, results.names
    if not results.best:
        return None
    by_dataset = dict(iter(champions.groupby("dataset", sort=False)))
    is_few = len(by_dataset) <= MOST_CHARTS
    tables = [_standing(results, str(dataset), own) for dataset, own in by_dataset.items()]
    caveats = caveats_of(results.pairs[results.pairs.dataset.isin(by_dataset)])
    return TablesView(
        key="numbers",
        title="The numbers, and how sure they are",
        tables=tables if is_few else [report.overview],
        glossary=[(names[method.label], _described(method)) for method in results.methods],
        notes=[legends.standings(caveats, is_adjusted=is_adjusted(champions))] if is_few else [],
    )


def _described(method: PlannedMethod) -> str:
    known = method.registered in method_names()
    if known:
        return get_method(method.registered).description.replace(" l2", " ℓ₂")
    return method.described or method.estimator


def _standing(results: ReportData, dataset: str, own: pd.DataFrame) -> TextTable:
    """Return the methods on a data set, those without a result last."""
    standings = {str(each.method): each for _, each in own.iterrows()}
    labels = dict.fromkeys([*standings, *results.names])
    cells = [(results.cell(dataset, label), standings.get(label)) for label in labels]
    # All are compared with the best, so that they are one family.
    p = legends.P_OVER_METHODS if is_adjusted(own) else "p"
    rows = [_standing_row(results, cell, own, p) for cell, own in cells if cell is not None]
    return make_table(f"numbers-{dataset}", dataset, rows, ("method",))


def _standing_row(
    results: ReportData, cell: Cell, standing: pd.Series | None, p_header: str
) -> dict[str, Item | str]:
    metric, verdict = results.metric, cell.verdict
    if not (cell.counts or cell.not_comparable):
        verdict = None
    # If no run has a result, the card says why.
    mean = "no result" if standing is None else metric.text(standing["mean"])
    printed = metric.printed(cell.printed.value) if cell.counts and cell.printed else ""
    return {
        "method": results.names[cell.method],
        f"mean {metric.label.removeprefix('Test ')}": Item(
            mean, note=cell.fewer, runs=(cell.dataset, cell.method)
        ),
        "behind the best": _behind(standing, metric),
        p_header: "" if standing is None or standing.is_best else numbers.p(standing.p_deciding),
        "printed": Item(printed, note=_compared(cell, verdict, metric), meaning=verdict or ""),
    }


def _compared(cell: Cell, verdict: CellVerdict | None, metric: Metric) -> str:
    """Return the verdict on the printed mean, and which mean it is of if that is of fewer runs."""
    if verdict is None or not cell.leaves_out:
        return verdict or ""
    return f"{verdict}, {metric.text(cell.compared)} without {metric.exploded_label}"


def _behind(standing: pd.Series | None, metric: Metric) -> Item:
    """Return by how much a method is behind the best, with the interval of that."""
    if standing is not None and standing.is_best:
        return Item("best", meaning="best")
    if standing is None or math.isnan(standing.low):
        return Item(numbers.DASH)
    ends = f"[{metric.text(standing.low)}, {metric.text(standing.high)}]"
    return Item(metric.text(standing.better), note=ends)
