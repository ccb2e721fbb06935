"""Charts of rows: one row per method, its mean as a dot with an interval, or its runs as dots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boostbench import numbers
from boostbench.report.figures.canvas import COLOURS, panel, sheet, text_width

NAN = float("nan")
MOST_NAME = 0.38
"""The most of a chart's width that a name may take on one line."""


@dataclass(frozen=True)
class Row:
    """A row: its name, the value with its interval, and how that is written beside it.

    ``printed`` is the paper's value, ``runs`` are the single ones; ``best`` is set off, ``hollow``
    not to be compared with the others.
    """

    name: str
    value: float
    text: str
    low: float = NAN
    high: float = NAN
    printed: float = NAN
    runs: Sequence[float] = ()
    best: bool = False
    hollow: bool = False


def chart(rows: Sequence[Row], width: float, size: float, log: bool = False,
          least: float = -math.inf, most: float = math.inf) -> Figure:  # fmt: skip
    """Return the chart of ``rows``; no interval goes beyond ``least`` and ``most``."""
    step = 1.9 * size
    rows = [replace(row, name=_broken(row.name, MOST_NAME * width, size)) for row in rows]
    left = max(text_width(part, size) for row in rows for part in row.name.split("\n")) * 0.92 + 8
    values = max(text_width(row.text, size) for row in rows) + 10
    figure = sheet(width, step * (len(rows) + 1.1))
    axes = panel(figure, left, 0, width - left - values, step * len(rows))
    draw(axes, rows, size, log, least, most)
    return figure


def _broken(name: str, room: float, size: float) -> str:
    """Return a name on two lines where one is too long."""
    if text_width(name, size) * 0.92 <= room:
        return name
    return name.replace(" (", "\n(", 1) if " (" in name else f"{name[: int(room / size / 0.55)]}…"


def draw(axes: Axes, rows: Sequence[Row], size: float, log: bool = False,
         least: float = -math.inf, most: float = math.inf, named: bool = True) -> None:  # fmt: skip
    """Draw ``rows`` on ``axes``, the first on top."""
    ink, soft = COLOURS["ink"], COLOURS["soft"]
    low, high = _ends(rows, log, least, most)
    if log:
        axes.set_xscale("log")
        axes.minorticks_off()
    axes.set_xlim(low, high)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(ticks := _ticks(low, high, log))
    axes.set_xticklabels([f"{tick:g} s" for tick in ticks] if log else _labels(ticks))
    axes.set_yticks(range(len(rows)), [row.name for row in rows] if named else [""] * len(rows))
    axes.hlines(range(len(rows)), low, high, color=COLOURS["line"], linewidth=1, zorder=0)
    for place, row in enumerate(rows):
        colour = COLOURS["yes"] if row.best else ink
        weight = "bold" if row.best else "normal"
        if named:
            axes.get_yticklabels()[place].set(color=colour, fontweight=weight)
        axes.annotate(
            row.text, (1, place), (8, 0), ("axes fraction", "data"), "offset points",
            va="center", color=colour, fontweight=weight, fontsize=size,
        )  # fmt: skip
        inside = [run for run in row.runs if low <= run <= high]
        far = [sum(run < low for run in row.runs), sum(run > high for run in row.runs)]
        axes.plot(inside, [place] * len(inside), "o", markersize=0.42 * size, color=colour,
                  alpha=0.4, markeredgewidth=0)  # fmt: skip
        for end, count in zip((low, high), far, strict=True):
            if count and low <= row.value <= high:
                _outside(axes, place, end, f"{count} off", size)
        if not np.isnan(row.printed) and low <= row.printed <= high:
            axes.plot([row.printed] * 2, [place - 0.3, place + 0.3], color=COLOURS["weak"],
                      linewidth=0.16 * size)  # fmt: skip
        if np.isnan(row.value):
            continue
        if not low <= row.value <= high:
            end = low if row.value < low else high
            _outside(axes, place, end, f"{row.text}, off the axis", size)
        elif row.runs:
            axes.plot([row.value] * 2, [place - 0.24, place + 0.24], color=colour,
                      linewidth=0.17 * size)  # fmt: skip
        else:
            if not np.isnan(row.low + row.high):
                ends = np.clip([row.low, row.high], max(low, least), min(high, most))
                axes.plot(ends, [place] * 2, color=colour, linewidth=0.12 * size)
            face = "white" if row.hollow else colour
            axes.plot(row.value, place, "o", markersize=0.48 * size, markerfacecolor=face,
                      markeredgecolor=colour, markeredgewidth=0.1 * size)  # fmt: skip
    axes.tick_params(axis="x", labelsize=size, labelcolor=soft)
    axes.tick_params(axis="y", labelsize=size)
    for label in axes.get_yticklabels():
        label.set_linespacing(0.9)


def _outside(axes: Axes, place: int, end: float, words: str, size: float) -> None:
    """Write what lies outside the axis, with an arrow at its end."""
    left = end == axes.get_xlim()[0]
    axes.plot(end, place, "<" if left else ">", markersize=0.4 * size, color=COLOURS["ink"],
              clip_on=False)  # fmt: skip
    axes.annotate(words, (end, place), (6 if left else -6, 0), "data", "offset points",
                  va="center", ha="left" if left else "right", fontsize=0.92 * size,
                  color=COLOURS["soft"])  # fmt: skip


def _ends(rows: Sequence[Row], log: bool, least: float, most: float) -> tuple[float, float]:
    """Return the ends of the axis: one that lies far from all others does not squeeze these."""
    middle = np.array([row.value for row in rows if np.isfinite(row.value)])
    whole = [value for row in rows for value in (
        *([np.nanmax([row.low, least]), np.nanmin([row.high, most])] if not row.runs else row.runs),
        row.value, row.printed)]  # fmt: skip
    values = np.array([value for value in whole if np.isfinite(value)])
    if log:
        values = values[values > 0]
        ends = np.log10([values.min(), 1.05 * values.max()])
        return 10.0 ** math.floor(ends[0]), 10.0 ** math.ceil(ends[1])
    runs = np.array([run for row in rows for run in row.runs])
    base = runs if len(runs) else middle
    median = float(np.median(base))
    reach = (12 if len(runs) else 6) * float(np.median(np.abs(base - median)))
    reach += 0.1 * abs(median)
    known = values[np.abs(values - median) <= reach]
    low, high = float(known.min()), float(known.max())
    room = 0.05 * (high - low or abs(high) or 1.0)
    return low - room, high + room


def _ticks(low: float, high: float, log: bool) -> list[float]:
    """Return three to six round numbers."""
    if log:
        decades = range(round(math.log10(low)), round(math.log10(high)) + 1)
        return [10.0**each for each in decades][:: 1 + len(decades) // 6]
    unit = 10.0 ** math.floor(math.log10((high - low) / 3))
    step = next(unit * k for k in (5, 2, 1) if (high - low) / (unit * k) >= 2.5)
    return [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _labels(ticks: Sequence[float]) -> list[str]:
    if len(ticks) < 2:
        return [f"{tick:g}" for tick in ticks]
    digits = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9))
    return [numbers.fixed(tick, digits) for tick in ticks]
