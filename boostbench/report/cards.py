"""A cell in full: its verdict and why in a sentence, its numbers, and every run as a dot."""

import math
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.evidence import NOT_COMPARABLE
from boostbench.report.figures.canvas import near, ticks
from boostbench.report.results import Results
from boostbench.report.sentences import beside_print
from boostbench.report.words import names_of

TONES = {
    "agrees": "yes", "differs": "no", "undecided": "open", "not comparable": "none", "": "none",
    "reproduced": "yes", "weaker": "weak", "not reproduced": "no",
}  # fmt: skip
"""The tone of each verdict on a cell or a claim."""
MOST_LINES = 8
"""With more folds than these, all runs are on one line."""
LEFT, WIDE = 60.0, 266.0
"""The left end and the width of a strip of runs, in pixels."""


def card_key(dataset: str, method: str) -> str:
    """Return the name with which links refer to a cell's card."""
    return f"c-{dataset}/{method}"


def cards(results: Results) -> list[SimpleNamespace]:
    """Return every planned cell in full."""
    metric, names = results.metric, names_of(results.methods)
    found = [results.cell(data.label, name) for data in results.datasets for name in names]
    return [
        SimpleNamespace(
            key=card_key(cell.dataset, cell.method),
            name=f"{cell.dataset}, {names[cell.method]}",
            tone=TONES[cell.verdict],
            verdict=cell.verdict,
            why=" ".join(_why(cell, metric, has_paper=results.paper is not None)),
            facts=[fact for fact in _facts(cell, metric) if fact[1]],
            command=f"boostbench show {cell.dataset}/{cell.method}",
            strip=_strip(results, cell),
        )
        for cell in found
        if cell is not None
    ]


def _why(cell: Any, metric: Metric, has_paper: bool) -> Iterator[str]:
    """Yield what a cell's mean is beside the printed one, and which runs have no result."""
    if cell.compared is None:
        if not cell.missing:
            yield beside_print.NO_RUN
    else:
        yield from _comparison(cell, metric, has_paper)
        exploded = int(cell.exploded or 0)
        if cell.leaves_out:
            yield beside_print.with_exploded(cell.mean, metric)
        elif exploded:
            yield beside_print.exploded(exploded, cell.finished, cell.kept_mean, metric)
    if cell.missing:
        yield beside_print.without_result(cell.planned, cell.finished, cell.missing)


def _comparison(cell: Any, metric: Metric, has_paper: bool) -> Iterator[str]:
    if cell.verdict == NOT_COMPARABLE:
        yield beside_print.not_comparable(metric.printed(cell.printed.value), cell.not_comparable)
        return
    comparison = (
        beside_print.differs_by(cell.difference, metric)
        if cell.verdict
        else beside_print.is_mean(cell.compared, metric)
    )
    left_out = int(cell.exploded or 0) if cell.leaves_out else 0
    yield beside_print.mean_of_runs(cell.finished, left_out, metric, comparison)
    if not cell.verdict:
        if has_paper:
            yield beside_print.NOTHING_PRINTED
    elif cell.because:
        yield beside_print.undecidable(cell.because)
    elif cell.low is not None:
        yield beside_print.interval_beside_margin(
            cell.low, cell.high, cell.margin, metric, cell.verdict, cell.to_decide
        )


def _facts(cell: Any, metric: Metric) -> Iterator[tuple[str, str]]:
    unit = f", {metric.unit}" if metric.unit else ""
    if cell.compared is not None:
        yield f"mean{unit}", metric.text(cell.compared)
        yield "sd", metric.sd(cell.compared_sd, cell.compared)
    if cell.half_width is not None:
        ends = cell.compared - cell.half_width, cell.compared + cell.half_width
        ends = np.clip(ends, *np.divide(metric.bounds, metric.scale))
        yield f"95 % interval{unit}", f"[{', '.join(map(metric.text, ends))}]"
    yield "printed", metric.printed(cell.printed and cell.printed.value)
    yield "printed sd", metric.sd(cell.published_sd, cell.published)
    if cell.low is not None and cell.difference is not None:
        ends = cell.low, cell.high
        yield "difference", metric.difference(cell.difference)
        yield "90 % interval", f"[{', '.join(map(metric.difference, ends))}]"
    yield "runs", f"{cell.finished:,} of {cell.planned:,}"
    yield "one fit, s", numbers.seconds(cell.fit_s_mean)


def _strip(results: Results, cell: Any) -> SimpleNamespace | None:
    """Return a cell's single runs on lines, as places in an SVG; outliers are only counted."""
    scale, runs = results.metric.scale, results.kept(cell.dataset, cell.method)
    if not len(runs) or cell.compared is None:
        return None
    scores = scale * runs.score.to_numpy(float)
    inside = near(scores, scores, 8, 0.02)
    marks = [scale * value for value in (cell.compared, cell.published) if value is not None]
    low, high = min([*scores[inside], *marks]), max([*scores[inside], *marks])
    spread = (high - low) or 0.1 * abs(high) or 1.0

    def place(value: float) -> float:
        return round(LEFT + WIDE * (value - low) / spread, 1)

    digits = max(0, 1 - math.floor(math.log10(spread / 3)))
    folds: Any = pd.Series(scores[inside], runs.index[inside]).groupby(level=[0, 1])
    lines = [(f"fold {fold + 1}", _dots(map(place, own))) for (_, fold), own in folds]
    if len(lines) > MOST_LINES or len(lines) == len(runs):
        lines = [("runs", _dots(map(place, scores[inside])))]
    return SimpleNamespace(
        runs=len(scores),
        ticks=[(place(tick), numbers.fixed(tick, digits)) for tick in ticks(low, high)],
        lines=lines,
        mean=place(marks[0]),
        printed=place(marks[1]) if marks[1:] else None,
        out=int((~inside).sum()),
    )


def _dots(places: Iterable[float]) -> list[int]:
    """Return the places of dots: the first from the left, each other one from its neighbour."""
    return [int(step) for step in np.diff(sorted({*map(round, places)}), prepend=0)]
