"""How a cell, and a column of cells, compares with print, and why cells are undecided."""

from collections.abc import Sequence
from dataclasses import dataclass

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.frames.cell import CellVerdict, RunsToDecide
from boostbench.report.words import one_line, series, verb
from boostbench.suggest import counted

NO_RUN = "No run has finished."
NOTHING_PRINTED = "Nothing is printed for it."


@dataclass(frozen=True)
class ColumnAgreement:
    """The agreement of a method with its printed column.

    ``within`` cells of ``of`` are within one printed sd, or the tolerance; ``distance`` is the mean
    distance of the means, ``average`` the difference of their averages. ``spread`` is the geometric
    mean of the ratios of sds, measured to printed (``None`` without any).
    """

    within: int
    of: int
    distance: float
    average: float
    spread: float | None


def without_result(planned: int, finished: int, missing: Sequence[tuple[str, str, int]]) -> str:
    """Return how many runs of a cell have no result: (status, reason, number) of each kind."""
    kinds = series(
        f"{numbers.count(number)} {status}{f' ({one_line(reason)})' if reason else ''}"
        for status, reason, number in missing
    )
    return f"{counted(planned - finished, 'run')} of {planned:,} without a result: {kinds}."


def not_comparable(reason: str) -> str:
    """Return why a cell is not compared with the printed value."""
    return f"Not comparable with the printed value: {one_line(reason)}."


def mean_of_runs(runs: int, left_out: int, metric: Metric, comparison: str) -> str:
    """Return what is said of a cell's mean, and how many exploded runs it leaves out."""
    without = f", without {left_out} with {metric.exploded_label} as in print," if left_out else ""
    return f"The mean of {counted(runs, 'run')}{without} {comparison}"


def is_mean(mean: float, metric: Metric) -> str:
    """Return a mean with which nothing is compared, as the end of a sentence."""
    return f"is {metric.text(mean)}."


def differs_by(difference: float, metric: Metric) -> str:
    """Return how a mean lies beside the printed one, as the end of a sentence."""
    away = metric.text(abs(difference))
    if not away.strip("0."):
        return "equals the printed one as far as it is printed."
    return f"is {away} {'higher' if difference > 0 else 'lower'} than the printed one."


def undecidable(reason: str) -> str:
    """Return why no interval decides whether a cell agrees."""
    return f"No interval can decide: {reason}."


def interval_beside_margin(
    low: float,
    high: float,
    margin: float,
    metric: Metric,
    verdict: CellVerdict | None,
    plan: RunsToDecide | None,
) -> str:
    """Return where the interval of the difference lies, and how many more runs would decide."""
    ends = f"{metric.difference(low)} to {metric.difference(high)}"
    interval, edges = f"The 90 % interval of the difference, {ends},", metric.text(margin)
    if verdict is CellVerdict.AGREES:
        return f"{interval} lies inside the margin of ±{edges}."
    if verdict is CellVerdict.DIFFERS:
        return f"{interval} lies wholly outside the margin of ±{edges}."
    more = f"; {would_decide(plan, 'partitions')}" if plan else ""
    return f"{interval} reaches over the margin of ±{edges}: these runs decide neither way{more}."


def would_decide(plan: RunsToDecide | None, partitions: str = "split seeds") -> str:
    """Return how many runs would decide, "" if that was not asked.

    Those of other ``partitions`` are called so.
    """
    if plan is None:
        return ""
    runs = partitions if plan.by_partitions else "seeds per fold"
    if plan.number:
        return f"{plan.number:,} {runs} would decide"
    return f"no known number of {runs} decides"


def with_exploded(mean: float, metric: Metric) -> str:
    """Return the mean with the exploded runs that the compared one leaves out."""
    return f"With them it is {metric.text(mean)}."


def exploded(runs: int, finished: int, kept_mean: float | None, metric: Metric) -> str:
    """Return how many runs of a cell have exploded, and the mean without these."""
    text = f"{counted(runs, 'run')} of {finished:,} have {metric.exploded_label}."
    if kept_mean is None:
        return text
    return f"{text} Without these the mean is {metric.text(kept_mean)}."


def differing_cells(datasets: Sequence[str], cells: int) -> str:
    """Return how many cells differ from print, and on which data sets, as a title."""
    if not cells:
        return "No cell differs"
    return f"{counted(cells, 'cell')} {verb('differs', cells)}, on {series(datasets)}"


def undecided_by_width(undecided: int, near: int) -> str:
    """Return how many undecided cells are near the printed mean, with too wide an interval."""
    return (
        f"Undecided is not wrong: in {near:,} of the {undecided:,} the measured mean lies within "
        "the margin of the printed one, but the interval is too wide to exclude a larger "
        "difference."
    )


def undecidable_cells(cells: int) -> str:
    """Return in how many cells no interval decides."""
    return f"In {cells:,} no interval can decide: the cell says why."


def decidable_by_more_runs(cells: int) -> str:
    """Return in how many undecided cells more runs would decide."""
    return f"In {cells:,} more runs would decide: the cell says how many."


def decided_by_partitions(undecided: int, decided: int, name: str, page: str) -> str:
    """Return how many undecided cells are decided by other results, and where these are."""
    where = f"[their page]({page})" if page else f"`boostbench report {name}`"
    return (
        f"Of the {undecided:,}, the several partitions of `{name}` decide {decided:,}: {where} "
        "shows them."
    )


def agreement(method: str, column: ColumnAgreement, metric: Metric) -> str:
    """Return how a method agrees with its printed column."""
    parts = [f"{method}: {column.within} of {column.of} cells within one printed sd"]
    if "arithmetic" in metric.averages:
        parts.append(f"mean distance {metric.text(column.distance)}")
        parts.append(f"average {metric.difference(column.average)}")
    if column.spread is not None:
        parts.append(f"sds ×{numbers.ratio(column.spread)} the printed ones")
    return f"{', '.join(parts)}."
