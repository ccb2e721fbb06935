"""Charts of rows: one row per method, its mean as a dot with an interval, or its runs as dots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boostbench.report.figures.canvas import COLOURS, sheet, text_size, ticks

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


def chart(rows: Sequence[Row], width: float, log: bool = False,
          bounds: tuple[float, float] = (-math.inf, math.inf)) -> Figure:  # fmt: skip
    """Return the chart of ``rows``; no interval goes beyond the ``bounds``."""
    size = text_size()
    figure = sheet(width, 1.9 * size * (len(rows) + 1.1))
    draw(figure.subplots(), rows, log, bounds, int(MOST_NAME * width / size / 0.58))
    return figure


def draw(axes: Axes, rows: Sequence[Row], log: bool = False,
         bounds: tuple[float, float] = (-math.inf, math.inf), room: int = 40,
         most: int = 5) -> None:  # fmt: skip
    """Draw ``rows``, the first on top, with so much ``room`` for names (0: without them).

    ``most`` is how many numbers the axis has room for.
    """
    low, high = _ends(rows, log, bounds)
    axes.set_xscale("log" if log else "linear")
    axes.minorticks_off()
    axes.set(xlim=(low, high), ylim=(len(rows) - 0.5, -0.5), xticks=ticks(low, high, log, most))
    if log:
        axes.xaxis.set_major_formatter("{x:g} s")
    axes.set_yticks(range(len(rows)), [_broken(row.name, room) if room else "" for row in rows])
    axes.grid(axis="y")
    for place, (row, label) in enumerate(zip(rows, axes.get_yticklabels(), strict=True)):
        tone, weight = ("yes", "bold") if row.best else ("ink", "normal")
        look: dict[str, Any] = {"color": COLOURS[tone], "weight": weight}
        label.set(linespacing=0.9, **look)
        axes.annotate(row.text, (1, place), (8, 0), ("axes fraction", "data"), "offset points",
                      va="center", **look)  # fmt: skip
        _draw_row(axes, place, row, look["color"], bounds)


def _broken(name: str, room: int) -> str:
    """Return a name that is too long on two lines, what is in brackets on the second."""
    if len(name) <= room:
        return name
    return name.replace(" (", "\n(", 1) if " (" in name else f"{name[: room - 1]}…"


def _draw_row(axes: Axes, place: int, row: Row, colour: str, bounds: tuple[float, float]) -> None:
    low, high = axes.get_xlim()
    wide = 0.17 * text_size()
    inside = [run for run in row.runs if low <= run <= high]
    axes.plot(inside, [place] * len(inside), "o", color=colour, alpha=0.4, markeredgewidth=0)
    if low <= row.printed <= high:
        axes.plot([row.printed] * 2, [place - 0.3, place + 0.3], color=COLOURS["weak"],
                  linewidth=wide)  # fmt: skip
    if row.value < low or row.value > high:
        _outside(axes, place, row.value < low, f"{row.text}, off the axis")
    elif row.runs:
        axes.plot([row.value] * 2, [place - 0.24, place + 0.24], color=colour, linewidth=wide)
        for left in (True, False):
            if count := sum(run < low if left else run > high for run in row.runs):
                _outside(axes, place, left, f"{count} off")
    elif not np.isnan(row.value):
        ends = np.clip([row.low, row.high], max(low, bounds[0]), min(high, bounds[1]))
        axes.plot(ends, [place] * 2, color=colour)
        face = COLOURS["bg"] if row.hollow else colour
        axes.plot(row.value, place, "o", color=colour, markerfacecolor=face)


def _outside(axes: Axes, place: int, left: bool, words: str) -> None:
    """Write what lies outside the axis, with an arrow at its end."""
    end = axes.get_xlim()[0 if left else 1]
    axes.plot(end, place, "<" if left else ">", color=COLOURS["ink"], clip_on=False)
    axes.annotate(words, (end, place), (6 if left else -6, 0), "data", "offset points",
                  va="center", ha="left" if left else "right", color=COLOURS["soft"])  # fmt: skip


def _ends(rows: Sequence[Row], log: bool, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of the axis: one that lies far from all others does not squeeze these."""
    runs = np.array([run for row in rows for run in row.runs])
    intervals = [end for row in rows if not row.runs
                 for end in np.clip([row.low, row.high], *bounds)]  # fmt: skip
    means = np.array([row.value for row in rows])
    values = np.array([*runs, *intervals, *means, *(row.printed for row in rows)])
    values = values[np.isfinite(values) & ((values > 0) | (not log))]
    if log:
        low, high = np.log10([values.min(), 1.05 * values.max()])
        return 10.0 ** math.floor(low), 10.0 ** math.ceil(high)
    base = runs if len(runs) else means[np.isfinite(means)]
    median = float(np.median(base))
    reach = (12 if len(runs) else 6) * float(np.median(np.abs(base - median)))
    known = values[np.abs(values - median) <= reach + 0.1 * abs(median)]
    room = 0.05 * float(np.ptp(known) or abs(known[0]) or 1.0)
    return float(known.min()) - room, float(known.max()) + room
