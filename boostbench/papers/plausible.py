"""Printed values that cannot be right, and the data sets that printed averages are over."""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

from boostbench.papers.metrics import Metric, asked_metrics, average
from boostbench.papers.paper import Paper
from boostbench.papers.reading import MEAN_RANK, MEANS
from boostbench.papers.runs_beside import RUNS_FILE, differs, scores_of
from boostbench.papers.settings import in_words
from boostbench.papers.tables import Column, Published
from boostbench.suggest import counted, listing

AVERAGES = ("arithmetic", "geometric")
_SHARES = ("f1", "precision", "recall", "jaccard", "roc_auc", "average_precision", "top_k_accuracy")
_NEARLY = 1e-9


def limits(metric: Metric) -> tuple[float, float]:
    """Return the least and the largest possible score."""
    if metric.name.startswith(_SHARES):
        return 0.0, 1.0
    least, most = metric.limits
    return least, min(most, 0.0) if metric.name.startswith("neg_") else most


def impossible_values(paper: Paper) -> list[str]:
    """Return the printed values that no score can have, each with its place, in sentences."""
    known = asked_metrics({}, paper)
    wrong: list[str] = []
    for own in paper.in_metrics.values():
        least, most = limits(known[own.metric])
        for cell in own.cells:
            if cell.dataset != MEAN_RANK:
                wrong += _impossible(own, cell, least, most)
    return wrong


def _impossible(paper: Paper, cell: Published, least: float, most: float) -> Iterator[str]:
    """Yield the values of a cell that are not from ``least`` to ``most``."""
    column = paper.metric if cell.scale == 1 else f"{paper.metric}_percent"
    for what, value in _bounded_values(cell, least, most).items():
        if least - _NEARLY <= value <= most + _NEARLY:
            continue
        percent = cell.scale == 1 and most == 1 and 1 < value <= 100
        hint = f"; percentages belong in '{paper.metric}_percent_{what}'" if percent else ""
        of = "" if what == "mean" else f"an {what} of "
        yield (
            f"{cell.place}, {column}_{what}: {value / cell.scale:g} is impossible, "
            f"{of}'{paper.metric}' is {_limits_in_words(least / cell.scale, most / cell.scale)}"
            f"{hint}"
        )


def _bounded_values(cell: Published, least: float, most: float) -> dict[str, float]:
    """Return the mean, and between two limits also the spread, which is no wider than they are."""
    if not (math.isfinite(least) and math.isfinite(most)):
        return {"mean": cell.mean}
    if cell.se is not None:
        return {"mean": cell.mean, "se": cell.se}
    return {"mean": cell.mean, "sd": cell.sd or 0.0}


def _limits_in_words(least: float, most: float) -> str:
    ends = (("at least", least), ("at most", most))
    return " and ".join(f"{words} {end:g}" for words, end in ends if math.isfinite(end))


def averaged_sets(paper: Paper, column: Column, kind: str) -> Sequence[str]:
    """Return the data sets that a printed average is over, none if its cells contradict it.

    They are those that all columns of the table have, or else all that its own column has.
    """
    for names in (paper.averaged(column.table), column.datasets):
        if names and _may_average(column, kind, names):
            return names
    return []


def average_of_cells(column: Column, kind: str, names: Sequence[str], rounding: int = 0) -> float:
    """Return the average of printed means, or with ``rounding`` of 1 or -1 the end of its values.

    NaN for a geometric mean of values that are not all positive.
    """
    cells = [column.cells[name] for name in names]
    found = average(kind, [cell.mean + rounding * cell.rounding for cell in cells])
    return math.nan if found is None else found


def _may_average(column: Column, kind: str, names: Sequence[str]) -> bool:
    """Return whether a printed average may be that of these cells, before all were rounded."""
    printed = column.cells[f"{kind}_mean"]
    low, high = (average_of_cells(column, kind, names, way) for way in (-1, 1))
    slack = printed.rounding + _NEARLY
    # Without positive values there is no geometric mean to contradict it.
    return math.isnan(low) or low - slack <= printed.mean <= high + slack


def shown_average(column: Column, kind: str, value: float | None = None) -> str:
    """Return a printed average as it is printed, or another ``value`` with one more digit."""
    printed = column.cells[f"{kind}_mean"]
    if value is None:
        return printed.printed or f"{printed.mean / printed.scale:g}"
    decimals = max(0, 1 - round(math.log10(2 * printed.rounding / printed.scale)))
    return f"{value / printed.scale:.{decimals}f}"


def doubtful_averages(paper: Paper) -> list[str]:
    """Return the printed averages that differ from those of their cells, or leave cells out.

    Also the printed means that are not those of their runs, where these are beside the tables.
    """
    of_cells = [
        f"{column.cells[f'{kind}_mean'].place}: {sentence}"
        for own in paper.in_metrics.values()
        for column in own.columns
        for kind in AVERAGES
        if f"{kind}_mean" in column.cells and (sentence := _doubt(own, column, kind))
    ]
    return [*of_cells, *differing_means(paper)]


def _doubt(paper: Paper, column: Column, kind: str) -> str:
    over, own = averaged_sets(paper, column, kind), column.datasets
    words = in_words(paper.conditions, column.setting)
    where = f" at {words}" if words else ""
    name = f"the {kind} mean of {column.method}{where}, {shown_average(column, kind)},"
    if not own:
        return ""
    if not over:
        of_cells = shown_average(column, kind, average_of_cells(column, kind, own))
        return f"{name} is not that of its {counted(len(own), 'data set')}, {of_cells}"
    if left_out := [each for each in own if each not in over]:
        return f"{name} leaves out {listing(left_out)}"
    if lacking := [each for each in own if each not in paper.averaged(column.table)]:
        return f"{name} is also over {listing(lacking)}, which other columns of the table lack"
    return ""


def differing_means(paper: Paper) -> list[str]:
    """Return a sentence on each printed mean that is not that of its runs beside the tables."""
    scores = scores_of(paper.runs_beside)
    found = []
    for cell in paper.cells:
        own = paper.of_cell(cell, scores)
        if own and cell.printed and cell.dataset not in MEANS and differs(cell.printed, own):
            found.append(
                f"{cell.place}: the mean {cell.printed} of {cell.method} is not that of its "
                f"{counted(len(own), 'run')} in {RUNS_FILE}, {fmean(own):.6g}"
            )
    return found
