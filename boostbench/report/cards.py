"""A cell in full: its verdict and why in a sentence, its numbers, and every run as a dot."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.figures.canvas import ticks
from boostbench.report.words import say

TONES = {
    "agrees": "yes", "differs": "no", "undecided": "open", "not comparable": "none", "": "none",
}  # fmt: skip
MOST_LINES = 8
"""With more folds than these, all runs are on one line."""
LEFT, WIDE = 60.0, 266.0
"""Where the runs of a strip begin, and how wide they lie, in pixels."""


def card_key(dataset: str, method: str) -> str:
    """Return the name by which a cell's card is linked to."""
    return "c-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{dataset}-{method}").strip("-")


def cards(results: Any, names: Mapping[str, str]) -> list[SimpleNamespace]:
    """Return every planned cell in full."""
    found = [results.cell(data.label, name) for data in results.datasets for name in names]
    metric = results.metric
    return [
        SimpleNamespace(
            key=card_key(cell.dataset, cell.method),
            name=f"{cell.dataset}, {names[cell.method]}",
            tone=TONES[cell.verdict],
            verdict=cell.verdict,
            why=" ".join(say("why", cell=cell, metric=metric, paper=results.paper)),
            facts=list(_facts(cell, metric)),
            command=f"boostbench show {cell.dataset}/{cell.method}",
            strip=_strip(results, cell),
        )
        for cell in found
        if cell is not None
    ]


def _facts(cell: Any, metric: Metric) -> Iterator[tuple[str, str]]:
    unit = f", {metric.unit}" if metric.unit else ""
    if cell.compared is not None:
        yield f"mean{unit}", metric.text(cell.compared)
        if cell.half_width is not None:
            most = 1.0 if metric.is_share else math.inf
            low, high = cell.compared - cell.half_width, cell.compared + cell.half_width
            yield f"95 % interval{unit}", f"[{metric.text(low)}, {metric.text(min(high, most))}]"
    if cell.compared_sd is not None:
        yield "sd", metric.sd(cell.compared_sd, cell.compared)
    if cell.published is not None:
        printed, sd = metric.text(cell.published), metric.sd(cell.published_sd, cell.published)
        yield ("printed (sd)", f"{printed} ({sd})") if sd else ("printed", printed)
    if cell.low is not None and cell.difference is not None:
        away, low, high = map(metric.difference, (cell.difference, cell.low, cell.high))
        yield "difference [90 %]", f"{away} [{low}, {high}]"
    yield "runs", f"{cell.finished:,} of {cell.planned:,}"
    if cell.fit_s_mean is not None:
        yield "one fit", f"{numbers.seconds(cell.fit_s_mean)} s"


def _strip(results: Any, cell: Any) -> SimpleNamespace | None:
    """Return the single runs of a cell on lines, as places in an SVG; those far off are counted."""
    scale, runs = results.metric.scale, results.kept(cell.dataset, cell.method)
    if not len(runs) or cell.compared is None:
        return None
    scores = scale * runs.score.to_numpy(float)
    low, high = np.percentile(scores, [25, 75])
    reach = 4 * (high - low) + 0.02 * abs(float(np.median(scores)))
    inside = (scores >= low - reach) & (scores <= high + reach)
    marks = [scale * value for value in (cell.compared, cell.published) if value is not None]
    low, high = min([*scores[inside], *marks]), max([*scores[inside], *marks])
    spread = (high - low) or 0.1 * abs(high) or 1.0

    def place(value: float) -> float:
        return round(LEFT + WIDE * (value - low) / spread, 1)

    digits = max(0, 1 - math.floor(math.log10(spread / 3)))
    lines = [
        (name, sorted({round(place(score)) for score in scores[own & inside]}))
        for name, own in _lines(runs)
    ]
    return SimpleNamespace(
        runs=len(scores),
        ticks=[(place(tick), numbers.fixed(tick, digits)) for tick in ticks(low, high)],
        # Each dot is a step from the one before it.
        lines=[(name, own[:1], [b - a for a, b in pairwise(own)]) for name, own in lines],
        mean=place(marks[0]),
        printed=place(marks[1]) if marks[1:] else None,
        out=int((~inside).sum()),
    )


def _lines(runs: pd.DataFrame) -> list[tuple[str, Any]]:
    """Return the lines of runs with their names: folds, or partitions where there are several."""
    several = runs.split_seed.nunique() > 1
    column, word = ("split_seed", "partition") if several else ("fold", "fold")
    values = sorted(runs[column].unique())
    if len(values) > MOST_LINES or len(values) == len(runs):
        return [("runs", np.ones(len(runs), dtype=bool))]
    return [(f"{word} {i}", (runs[column] == v).to_numpy()) for i, v in enumerate(values, start=1)]
