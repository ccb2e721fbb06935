"""A cell in full: its verdict and why in a sentence, its numbers, and every run as a dot."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.words import series
from boostbench.suggest import counted

TONES = {
    "agrees": "yes", "differs": "no", "undecided": "open", "not comparable": "none", "": "none",
}  # fmt: skip
MOST_LINES = 8
"""With more folds than these, all runs are on one line."""
LEFT, RIGHT, TOP, LINE = 60.0, 326.0, 28.0, 16.0


@dataclass(frozen=True)
class Mark:
    """Measured less printed on a small axis, as coordinates: ``width`` by ``height`` pixels.

    ``band`` is the margin, ``bar`` the 90 % interval as a path with its ends, ``point`` the
    difference; ``out`` whether that lies beyond the axis.
    """

    tone: str
    width: int
    height: int
    band: tuple[float, float]
    bar: str
    point: float
    out: bool


def mark(cell: Any, end: float, most: float, width: int = 92, height: int = 30) -> Mark:
    """Return the mark of a comparable cell on an axis from -``end`` to ``end``.

    An interval that leaves the axis ends in an arrow, one that would pass ``most``, the highest
    mean that there can be, in a bar there.
    """
    middle, reach = width / 2, width / 2 - 3

    def place(value: float) -> float:
        return round(middle + reach * max(-1.0, min(1.0, value / end)), 1)

    y, bar = height // 2, ""
    if cell.low is not None and cell.high is not None:
        top = most - cell.published
        low, high = place(cell.low), place(min(cell.high, top))
        bar = f"M{low:g} {y}H{high:g}"
        if cell.low < -end:
            bar += f"M{low + 3.5:g} {y - 3}l-3.5 3 3.5 3"
        if cell.high > top and top <= end:
            bar += f"M{high:g} {y - 3}v6"
        elif cell.high > end:
            bar += f"M{high - 3.5:g} {y - 3}l3.5 3 -3.5 3"
    left, right = place(-cell.margin), place(cell.margin)
    return Mark(
        TONES[cell.verdict], width, height, (left, round(right - left, 1)), bar,
        place(cell.difference), abs(cell.difference) > end,
    )  # fmt: skip


@dataclass(frozen=True)
class Strip:
    """The single runs of a cell on lines, as coordinates of an SVG 350 wide."""

    height: float
    ticks: Sequence[tuple[float, str]]
    lines: Sequence[tuple[str, float, str]]
    mean: float
    printed: float | None
    printed_first: bool
    words: str
    out: str


@dataclass(frozen=True)
class Card:
    """A cell in full."""

    key: str
    name: str
    tone: str
    verdict: str
    why: str
    facts: Sequence[tuple[str, str]]
    command: str
    strip: Strip | None


def card_key(dataset: str, method: str) -> str:
    """Return the name by which a cell's card is linked to."""
    return "c-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{dataset}-{method}").strip("-")


def card(results: Any, cell: Any, name: str) -> Card:
    """Return a cell in full."""
    metric = results.metric
    return Card(
        card_key(cell.dataset, cell.method),
        f"{cell.dataset}, {name}",
        TONES[cell.verdict],
        cell.verdict,
        why(cell, metric, results.paper is not None),
        _facts(cell, metric),
        f"boostbench show {cell.dataset}/{cell.method}",
        _strip(results, cell),
    )


def why(cell: Any, metric: Metric, has_paper: bool) -> str:
    """Return why a cell has its verdict, in a few sentences."""
    missing = [
        f"{numbers.count(runs)} {status}{f' ({reason})' if reason else ''}"
        for status, reason, runs in cell.missing
    ]
    lacking = f"{counted(cell.planned - cell.finished, 'run')} of {cell.planned:,} without a result"
    left = [f"{lacking}: {series(missing)}."] if missing else []
    if cell.compared is None:
        return " ".join(left) or "No run has finished."
    runs = f"The mean of {counted(cell.finished, 'run')}"
    out = int(cell.exploded or 0)
    label = metric.exploded_label
    extra = []
    if cell.leaves_out:
        runs += f", without {out} with {label} as in print,"
        extra = [f"With them it is {metric.text(cell.mean)}."]
    elif out:
        extra = [f"{counted(out, 'run')} of {cell.finished:,} have {label}."]
        if cell.kept_mean is not None:
            extra.append(f"Without these the mean is {metric.text(cell.kept_mean)}.")
    if cell.verdict == "not comparable":
        printed = metric.text(cell.published)
        first = f"Not comparable with the printed {printed}: {cell.not_comparable}."
    elif not cell.verdict:
        none = " Nothing is printed for it." if has_paper else ""
        first = f"{runs} is {metric.text(cell.compared)}.{none}"
    else:
        first = f"{runs} {_beside(cell, metric)}"
    return " ".join([first, *extra, *left])


def _beside(cell: Any, metric: Metric) -> str:
    away = metric.text(abs(cell.difference))
    where = "higher" if cell.difference > 0 else "lower"
    same = not float(away.replace(",", ""))
    first = "equals the printed one as far as it is printed." if same else (
        f"is {away} {where} than the printed one."
    )  # fmt: skip
    if cell.because:
        return f"{first} No interval can decide: {cell.because}."
    if cell.low is None:
        return first
    ends = f"{metric.difference(cell.low)} to {metric.difference(cell.high)}"
    margin = f"the margin of ±{metric.text(cell.margin)}"
    text = f"{first} The 90 % interval of the difference, {ends}, "
    if cell.verdict == "agrees":
        return f"{text}lies inside {margin}."
    if cell.verdict == "differs":
        return f"{text}lies wholly outside {margin}."
    plan = cell.to_decide.replace("split seed", "partition")
    plan = f" {plan[:1].upper()}{plan[1:]}." if plan else ""
    return f"{text}reaches over {margin}: these runs decide neither way.{plan}"


def _facts(cell: Any, metric: Metric) -> list[tuple[str, str]]:
    def known(label: str, value: Any, text: str) -> list[tuple[str, str]]:
        return [] if value is None else [(label, text)]

    half = cell.half_width
    ends = [] if cell.compared is None or half is None else [
        cell.compared - half, min(cell.compared + half, 1.0 if metric.is_share else math.inf)
    ]  # fmt: skip
    unit = f", {metric.unit}" if metric.unit else ""
    return [
        *known(f"mean{unit}", cell.compared, metric.text(cell.compared)),
        *([(f"95 % interval{unit}", f"[{', '.join(map(metric.text, ends))}]")] if ends else []),
        *known("sd", cell.compared_sd, metric.sd(cell.compared_sd, cell.compared)),
        *known("printed (sd)" if cell.published_sd is not None else "printed", cell.published,
               metric.text(cell.published) + ("" if cell.published_sd is None else
               f" ({metric.sd(cell.published_sd, cell.published)})")),
        *known("difference [90 %]", cell.difference if cell.low is not None else None,
               "" if cell.low is None or cell.difference is None else
               f"{metric.difference(cell.difference)} [{metric.difference(cell.low)}, "
               f"{metric.difference(cell.high)}]"),
        ("runs", f"{cell.finished:,} of {cell.planned:,}"),
        *known("one fit", cell.fit_s_mean, f"{numbers.seconds(cell.fit_s_mean)} s"),
    ]  # fmt: skip


def _strip(results: Any, cell: Any) -> Strip | None:
    metric = results.metric
    runs = results.kept(cell.dataset, cell.method)
    if not len(runs) or cell.compared is None:
        return None
    scores = metric.scale * runs.score.to_numpy(float)
    lines = _lines(runs)
    inside = _near(scores)
    marks = [metric.scale * cell.compared, *([metric.scale * cell.published]
             if cell.published is not None else [])]  # fmt: skip
    shown = scores[inside]
    low, high = min([*shown, *marks]), max([*shown, *marks])
    spread = (high - low) or 0.1 * abs(high) or 1.0

    def x(value: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (value - low) / spread, 1)

    drawn = []
    for number, (name, own) in enumerate(lines):
        y = TOP + LINE * number
        at = sorted({round(x(score)) for score in scores[own & inside]})
        steps = (f"m{b - a} 0h0" for a, b in pairwise(at))
        drawn.append((name, y, f"M{at[0]} {y:g}h0{''.join(steps)}" if at else ""))
    out = int((~inside).sum())
    return Strip(
        TOP + LINE * len(lines) + 14,
        [(x(tick), numbers.fixed(tick, _digits(spread))) for tick in _ticks(low, high)],
        drawn,
        x(marks[0]),
        x(marks[1]) if len(marks) > 1 else None,
        len(marks) > 1 and marks[1] < marks[0],
        f"{counted(len(scores), 'single run')}" + (f" in {len(lines)} lines" if lines[1:] else ""),
        f"{counted(out, 'run')} outside" if out else "",
    )


def _lines(runs: pd.DataFrame) -> list[tuple[str, Any]]:
    """Return the lines of runs with their names: folds, or partitions where there are several."""
    several = runs.split_seed.nunique() > 1
    column, word = ("split_seed", "partition") if several else ("fold", "fold")
    values = sorted(runs[column].unique())
    if len(values) > MOST_LINES or len(values) == len(runs):
        return [("runs", np.ones(len(runs), dtype=bool))]
    return [(f"{word} {i}", (runs[column] == v).to_numpy()) for i, v in enumerate(values, start=1)]


def _near(scores: Any) -> Any:
    """Return which scores are drawn: those far from the rest are counted, not drawn."""
    low, high = np.percentile(scores, [25, 75])
    reach = 4 * (high - low) + 0.02 * abs(float(np.median(scores)))
    return (scores >= low - reach) & (scores <= high + reach)


def _digits(spread: float) -> int:
    return max(0, 1 - math.floor(math.log10(spread / 3)))


def _ticks(low: float, high: float) -> list[float]:
    if high <= low:
        return [low]
    unit = 10.0 ** math.floor(math.log10((high - low) / 2))
    step = next(unit * k for k in (5, 2, 1, 0.5) if (high - low) / (unit * k) >= 2)
    return [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)][:5]


def cards(results: Any, names: Mapping[str, str]) -> list[Card]:
    """Return every planned cell in full."""
    found = [
        results.cell(data.label, method.label)
        for data in results.datasets
        for method in results.methods
    ]
    return [card(results, cell, names[cell.method]) for cell in found if cell is not None]
