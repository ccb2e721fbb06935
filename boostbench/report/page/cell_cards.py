"""A cell in full: its verdict and why in a sentence, its numbers, and every run as a dot."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.appearance import appearance
from boostbench.report.document.columns import CARD, items_in
from boostbench.report.document.table import Header, Item
from boostbench.report.figures.axes import at_even_ranks, near_median
from boostbench.report.figures.canvas import ticks
from boostbench.report.frames.cell import Cell, CellVerdict
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences import beside_print, one_run

MOST_LINES = 8
"""With more folds than these, all runs are on one line."""
LEFT, WIDE = 60.0, 266.0
"""The left end and the width of a strip of runs, in pixels."""


def card_key(dataset: str, method: str) -> str:
    """Return the name with which links refer to a cell's card."""
    return f"c-{dataset}/{method}"


@dataclass(frozen=True)
class Strip:
    """The single runs of a cell on ``lines`` with their names, as places in an SVG.

    A line has at ``most`` so many; see :func:`~boostbench.report.figures.axes.at_even_ranks`.
    ``mean`` and ``printed`` are the places of the two means, ``ticks`` those of round numbers with
    their texts. Of the ``runs`` so many are outliers, ``out``, which are only counted.
    """

    runs: int
    most: int
    ticks: Sequence[tuple[float, str]]
    lines: Sequence[tuple[str, Sequence[int]]]
    mean: float
    printed: float | None
    out: int


@dataclass(frozen=True)
class CellCard:
    """A cell in full: its verdict, ``why`` in sentences, its numbers by label, and its runs.

    ``command`` shows its trials; "" where others ran them.
    """

    key: str
    name: str
    colour: str
    verdict: CellVerdict | None
    why: str
    facts: Sequence[tuple[Header, Item | str]]
    command: str
    strip: Strip | None


def cards(results: ReportData) -> list[CellCard]:
    """Return every planned cell in full."""
    keys = [(data.label, m.label) for data in results.datasets for m in results.methods]
    cells = [results.cell(*key) for key in keys]
    return [_card(results, cell) for cell in cells if cell is not None]


def _card(results: ReportData, cell: Cell) -> CellCard:
    metric, name = results.metric, results.names[cell.method]
    return CellCard(
        key=card_key(cell.dataset, cell.method),
        name=f"{cell.dataset}, {name}",
        colour=appearance(cell.verdict).colour,
        verdict=cell.verdict,
        why=" ".join([*results.elsewhere[:1], *_why(cell, metric, results.paper is not None)]),
        facts=[(name, text) for name, text in items_in(CARD, cell, results) if text],
        command="" if results.elsewhere else f"boostbench show {cell.dataset}/{cell.method}",
        strip=_strip(results, cell),
    )


def _why(cell: Cell, metric: Metric, has_paper: bool) -> Iterator[str]:
    """Yield what a cell's mean is beside the printed one, and which runs have no result."""
    if cell.compared is None:
        if not cell.missing:
            yield beside_print.NO_RUN
    else:
        yield from _comparison(cell, cell.compared, metric, has_paper=has_paper)
        exploded = int(cell.exploded or 0)
        if cell.leaves_out and cell.mean is not None:
            yield beside_print.with_exploded(cell.mean, metric)
        elif exploded:
            yield beside_print.exploded(exploded, cell.finished, cell.kept_mean, metric)
    if left := cell.by_one_run:
        yield one_run.of_cell(cell, left, metric)
    if cell.missing:
        yield beside_print.without_result(cell.planned, cell.finished, cell.missing)


def _comparison(cell: Cell, mean: float, metric: Metric, *, has_paper: bool) -> Iterator[str]:
    """Yield what a mean is, and how it lies beside a printed one."""
    if cell.verdict is CellVerdict.NOT_COMPARABLE:
        yield beside_print.not_comparable(cell.not_comparable)
    elif cell.difference is not None:
        yield from _beside_print(cell, cell.difference, metric)
    else:
        is_mean = beside_print.is_mean(mean, metric)
        yield beside_print.mean_of_runs(cell.finished, 0, metric, is_mean)
        if has_paper:
            yield beside_print.NOTHING_PRINTED


def _beside_print(cell: Cell, difference: float, metric: Metric) -> Iterator[str]:
    left_out = int(cell.exploded or 0) if cell.leaves_out else 0
    comparison = beside_print.differs_by(difference, metric)
    yield beside_print.mean_of_runs(cell.finished, left_out, metric, comparison)
    if cell.undecided_reason:
        yield beside_print.undecidable(cell.undecided_reason)
    elif cell.low is not None and cell.high is not None and cell.margin is not None:
        yield beside_print.interval_beside_margin(
            cell.low, cell.high, cell.margin, metric, cell.verdict, cell.to_decide
        )


def _strip(results: ReportData, cell: Cell) -> Strip | None:
    """Return a cell's single runs as places, ``None`` without any."""
    scale, runs = results.metric.scale, results.beside_print(cell.dataset, cell.method)
    if not len(runs) or cell.compared is None:
        return None
    scores = scale * runs.score.to_numpy(float)
    inside = near_median(scores, scores, 8, 0.02)
    shown = scores[inside]
    mean = scale * cell.compared
    printed = [] if cell.published is None else [scale * cell.published]
    low, high = min([*shown, mean, *printed]), max([*shown, mean, *printed])
    spread = (high - low) or 0.1 * abs(high) or 1.0

    def place(value: float) -> float:
        return round(LEFT + WIDE * (value - low) / spread, 1)

    # Folds of several partitions have the same names.
    folds = list(_folds(shown, runs[inside]))
    if len(folds) > MOST_LINES or len(folds) == len(runs):
        folds = [("runs", shown)]
    lines = [(name, _dots(map(place, at_even_ranks(own)))) for name, own in folds]
    digits = max(0, 1 - math.floor(math.log10(spread / 3)))
    return Strip(
        runs=len(scores),
        most=max(len(own) for _, own in folds),
        ticks=[(place(tick), numbers.fixed(tick, digits)) for tick in ticks(low, high)],
        lines=lines,
        mean=place(mean),
        printed=place(printed[0]) if printed else None,
        out=int((~inside).sum()),
    )


def _folds(
    scores: NDArray[np.float64], runs: pd.DataFrame
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield the name and the scores of each fold of each partition."""
    places = [index[:2] for index in runs.index]
    for place in sorted(set(places)):
        yield f"fold {place[1] + 1}", scores[[own == place for own in places]]


def _dots(places: Iterable[float]) -> list[int]:
    """Return the places of dots: the first from the left, each other one from its neighbour."""
    return [int(step) for step in np.diff(sorted({*map(round, places)}), prepend=0)]
