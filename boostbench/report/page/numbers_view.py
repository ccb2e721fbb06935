"""The means of methods on the page, and how far they are from the best."""

import math
from collections.abc import Sequence
from itertools import chain

from boostbench import numbers
from boostbench.methods import get_method, method_names
from boostbench.papers.metrics import Metric
from boostbench.papers.planned import PlannedMethod
from boostbench.report.document.report import Report
from boostbench.report.document.table import Item, TextTable, make_table
from boostbench.report.frames.cell import Cell, CellVerdict
from boostbench.report.frames.results import ReportData
from boostbench.report.page.views import TablesView
from boostbench.report.sentences import legends
from boostbench.report.verdicts.winners import Standing

MOST_CHARTS = 4
"""The most data sets with a chart each; more are rows of one table."""


def numbers_view(report: Report) -> TablesView | None:
    """Return the means, their distances from the best, and descriptions of the methods."""
    results = report.results
    champions, names = results.champions, results.names
    if not any(len(own) > 1 for own in champions.values()):
        return None
    is_few = len(champions) <= MOST_CHARTS
    tables = [_standing(results, dataset, own) for dataset, own in champions.items()]
    is_adjusted = any(
        each.pair and each.pair.comparisons > 1 for each in chain(*champions.values())
    )
    return TablesView(
        key="numbers",
        title="The numbers, and how sure they are",
        tables=tables if is_few else [report.overview],
        glossary=[(names[method.label], _described(method)) for method in results.methods],
        notes=[legends.standings(results.caveats_on(champions), is_adjusted=is_adjusted)]
        if is_few
        else [],
    )


def _described(method: PlannedMethod) -> str:
    known = method.registered in method_names()
    if known:
        return get_method(method.registered).description.replace(" l2", " ℓ₂")
    return method.described or method.estimator


def _standing(results: ReportData, dataset: str, own: Sequence[Standing]) -> TextTable:
    """Return the methods on a data set, those without a result last."""
    standings = {each.method: each for each in own}
    labels = dict.fromkeys([*standings, *results.names])
    cells = [(results.cell(dataset, label), standings.get(label)) for label in labels]
    # All are compared with the best, so that they are one family.
    is_adjusted = any(each.pair and each.pair.comparisons > 1 for each in own)
    p = legends.P_OVER_METHODS if is_adjusted else "p"
    rows = [_standing_row(results, cell, own, p) for cell, own in cells if cell is not None]
    return make_table(f"numbers-{dataset}", dataset, rows, ("method",))


def _standing_row(
    results: ReportData, cell: Cell, standing: Standing | None, p_header: str
) -> dict[str, Item | str]:
    metric, verdict = results.metric, cell.verdict
    pair = standing.pair if standing and not standing.best else None
    if not (cell.counts or cell.not_comparable):
        verdict = None
    # If no run has a result, the card says why.
    mean = metric.text(standing.mean) if standing else "no result"
    printed = metric.printed(cell.printed.value) if cell.counts and cell.printed else ""
    return {
        "method": results.names[cell.method],
        f"mean {metric.label.removeprefix('Test ')}": Item(
            mean, note=cell.fewer, runs=(cell.dataset, cell.method)
        ),
        "behind the best": _behind(standing, metric),
        p_header: numbers.p(pair.p_deciding) if pair else "",
        "printed": Item(printed, note=_compared(cell, verdict, metric), meaning=verdict or ""),
    }


def _compared(cell: Cell, verdict: CellVerdict | None, metric: Metric) -> str:
    """Return the verdict on the printed mean, and which mean it is of if that is of fewer runs."""
    if verdict is None or not cell.leaves_out:
        return verdict or ""
    return f"{verdict}, {metric.text(cell.compared)} without {metric.exploded_label}"


def _behind(standing: Standing | None, metric: Metric) -> Item:
    """Return by how much a method is behind the best, with the interval of that."""
    if standing and standing.best:
        return Item("best", meaning="best")
    pair = standing.pair if standing else None
    if pair is None or not math.isfinite(pair.low):
        return Item(numbers.DASH)
    return Item(
        metric.text(pair.better), note=f"[{metric.text(pair.low)}, {metric.text(pair.high)}]"
    )
