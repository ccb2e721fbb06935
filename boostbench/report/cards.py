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
from boostbench.report.cell import Cell, CellVerdict
from boostbench.report.figures.canvas import near_median, ticks
from boostbench.report.results import Results
from boostbench.report.words import names_of, say

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

    ``mean`` and ``printed`` are the places of the two means, ``ticks`` those of round numbers with
    their texts. Of the ``runs`` so many are outliers, ``out``, which are only counted.
    """

    runs: int
    ticks: Sequence[tuple[float, str]]
    lines: Sequence[tuple[str, Sequence[int]]]
    mean: float
    printed: float | None
    out: int


@dataclass(frozen=True)
class Card:
    """A cell in full: its verdict, ``why`` in sentences, its numbers by label, and its runs."""

    key: str
    name: str
    colour: str
    verdict: CellVerdict | None
    why: str
    facts: Sequence[tuple[str, str]]
    command: str
    strip: Strip | None


def cards(results: Results) -> list[Card]:
    """Return every planned cell in full."""
    keys = [(data.label, m.label) for data in results.datasets for m in results.methods]
    cells = [results.cell(*key) for key in keys]
    return [_card(results, cell) for cell in cells if cell is not None]


def _card(results: Results, cell: Cell) -> Card:
    metric, name = results.metric, names_of(results.methods)[cell.method]
    return Card(
        key=card_key(cell.dataset, cell.method),
        name=f"{cell.dataset}, {name}",
        colour=appearance(cell.verdict).colour,
        verdict=cell.verdict,
        why=" ".join(say("why", cell=cell, metric=metric, paper=results.paper)),
        facts=[(label, text) for label, text in _facts(cell, metric) if text],
        command=f"boostbench show {cell.dataset}/{cell.method}",
        strip=_strip(results, cell),
    )


def _facts(cell: Cell, metric: Metric) -> Iterator[tuple[str, str]]:
    unit = f", {metric.unit}" if metric.unit else ""
    if cell.compared is not None:
        yield f"mean{unit}", metric.text(cell.compared)
        yield "sd", metric.sd(cell.compared_sd, cell.compared)
        if cell.half_width is not None:
            ends = cell.compared - cell.half_width, cell.compared + cell.half_width
            within = np.clip(ends, *np.divide(metric.bounds, metric.scale))
            yield f"95 % interval{unit}", f"[{', '.join(map(metric.text, within))}]"
    yield "printed", metric.printed(cell.printed.value if cell.printed else None)
    yield "printed sd", metric.sd(cell.published_sd, cell.published)
    if cell.low is not None and cell.difference is not None:
        yield "difference", metric.difference(cell.difference)
        yield "90 % interval", f"[{', '.join(map(metric.difference, (cell.low, cell.high)))}]"
    yield "runs", f"{cell.finished:,} of {cell.planned:,}"
    yield "one fit, s", numbers.seconds(cell.fit_s.mean)


def _strip(results: Results, cell: Cell) -> Strip | None:
    """Return a cell's single runs as places, ``None`` without any."""
    scale, runs = results.metric.scale, results.kept(cell.dataset, cell.method)
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

    folds = _folds(shown, runs[inside])
    lines = [(name, _dots(map(place, own))) for name, own in folds]
    if len(lines) > MOST_LINES or len(lines) == len(runs):
        lines = [("runs", _dots(map(place, shown)))]
    digits = max(0, 1 - math.floor(math.log10(spread / 3)))
    return Strip(
        runs=len(scores),
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
