"""Charts of rows: a dot with an interval, or single runs as dots, on one axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten, wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from boostbench.report.figures.canvas import COLOURS, WIDE, near, sheet, text_size, ticks

NAN = float("nan")
MOST_NAME = 0.38
"""The most of a chart's width that a name may take on one line."""


@dataclass(frozen=True)
class Row:
    """A row: its name, the value with its interval, and its text.

    ``printed`` is the paper's value, ``runs`` are the single runs, ``margin`` is a band about 0.
    The colour is that of the verdict ``tone``, "yes" also for the best; a ``hollow`` row is not
    comparable with the others.
    """

    name: str
    value: float
    text: str = ""
    low: float = NAN
    high: float = NAN
    printed: float = NAN
    runs: Sequence[float] = ()
    tone: str = "ink"
    hollow: bool = False
    margin: float = NAN


@dataclass(frozen=True)
class Chart:
    """Rows with the finding as title; no interval exceeds the ``bounds`` of possible values.

    ``ends`` are those of the axis; by default they follow from the rows.
    """

    title: str
    rows: Sequence[Row]
    caption: str = ""
    bounds: tuple[float, float] = (-math.inf, math.inf)
    log: bool = False
    ends: tuple[float, float] | None = None


def limit(differences: ArrayLike) -> float:
    """Return the end of an axis of differences: a round number above the largest of them."""
    largest = float(np.nanmax(np.abs(np.asarray(differences, dtype=float)), initial=0.0)) or 0.01
    step = 10.0 ** math.floor(math.log10(largest)) / 2
    return math.ceil(largest / step + 1e-9) * step


def figure(chart: Chart, width: float) -> Figure:
    """Return a chart without its title, for the page."""
    size = text_size()
    made = sheet(width, 2.3 * size * (len(chart.rows) + 1.0))
    draw(made.subplots(), chart, int(MOST_NAME * width / size / 0.58))
    return made


def side_by_side(
    charts: Sequence[Chart], across: int, width: float = WIDE, title: str = ""
) -> Figure:
    """Return charts with their titles, so many per line; the first of a line has the names."""
    lines, across = math.ceil(len(charts) / across), min(across, len(charts))
    rows = max(len(chart.rows) for chart in charts)
    made = sheet(width, 1.5 * text_size() * (rows + 2.5) * lines, title)
    for place, axes in enumerate(made.subplots(lines, across, squeeze=False).flat):
        if place < len(charts):
            axes.set_title(_wrap(charts[place].title, 72 // across))
            draw(axes, charts[place], width=0 if place % across else 40, most=3)
        else:
            axes.remove()
    return made


def draw(axes: Axes, chart: Chart, width: int = 40, most: int = 5) -> None:
    """Draw the rows, the first on top, with names of at most ``width`` letters (0: without names).

    ``most`` is the greatest number of ticks.
    """
    rows, log, size = chart.rows, chart.log, text_size()
    low, high = chart.ends or _ends(chart)
    axes.set_xscale("log" if log else "linear")
    axes.minorticks_off()
    axes.set(xlim=(low, high), ylim=(len(rows) - 0.5, -0.5), xticks=ticks(low, high, log, most))
    axes.xaxis.set_major_formatter("{x:g} s" if log else "{x:g}")
    axes.set_yticks(range(len(rows)), [_wrap(row.name, width) if width else "" for row in rows])
    axes.tick_params(axis="y", labelcolor=COLOURS["ink"])
    axes.grid(axis="y")
    for place, (row, label) in enumerate(zip(rows, axes.get_yticklabels(), strict=True)):
        look: dict[str, Any] = {"color": COLOURS[row.tone]}
        if row.text:
            look["weight"] = "bold" if row.tone == "yes" else "normal"
            label.set(**look)
            axes.annotate(row.text, (1, place), (0.7 * size, 0), ("axes fraction", "data"),
                          "offset points", va="center", **look)  # fmt: skip
        _draw_row(axes, place, row, chart.bounds)


def _wrap(name: str, width: int) -> str:
    """Return a name on several lines if it is too long for one, brackets on lines of their own."""
    if " (" in name and len(name) > width:
        first, _, rest = name.partition(" (")
        return "\n".join([first, *wrap(f"({rest}", width)])
    return shorten(name, width, placeholder="…")


def _draw_row(axes: Axes, place: int, row: Row, bounds: tuple[float, float]) -> None:
    low, high = axes.get_xlim()
    wide, colour = 0.17 * text_size(), COLOURS[row.tone]
    if row.margin == row.margin:
        margin = min(row.margin, high)
        axes.barh(place, 2 * margin, 1, -margin, color=COLOURS["band"], zorder=0)
        axes.plot([0, 0], [place - 0.5, place + 0.5], color=COLOURS["soft"], linewidth=0.5)
    inside = [run for run in row.runs if low <= run <= high]
    axes.plot(inside, [place] * len(inside), "o", color=colour, alpha=0.4, markeredgewidth=0)
    if low <= row.printed <= high:
        axes.plot([row.printed] * 2, [place - 0.3, place + 0.3], color=COLOURS["weak"],
                  linewidth=wide)  # fmt: skip
    if low <= row.value <= high and row.runs:
        axes.plot([row.value] * 2, [place - 0.24, place + 0.24], color=colour, linewidth=wide)
    elif low <= row.value <= high:
        # NaN without an interval.
        ends = np.clip([row.low, row.high], max(low, bounds[0]), min(high, bounds[1]))
        axes.plot(ends, [place] * 2, color=colour)
        face, mark = COLOURS["bg"] if row.hollow else colour, "D" if row.tone == "no" else "o"
        axes.plot(row.value, place, mark, color=colour, markerfacecolor=face, zorder=3)
    for sign, end, reach in ((-1, low, row.low), (1, high, row.high)):
        far = [run for run in row.runs if sign * (run - end) > 0]
        words = f"{len(far)} off" if far else ""
        if (off := sign * (row.value - end) > 0) and row.text:
            words = f"{row.text}, off the axis"
        if off or far or sign * (np.clip(reach, *bounds) - end) > 0:
            axes.plot(end, place, "<" if sign < 0 else ">", color=colour, clip_on=False)
            axes.annotate(words, (end, place), (-6 * sign, 0), "data", "offset points",
                          va="center", ha="left" if sign < 0 else "right",
                          color=COLOURS["soft"])  # fmt: skip


def _ends(chart: Chart) -> tuple[float, float]:
    """Return the ends of the axis, without outliers that would squeeze all other rows."""
    runs = [run for row in chart.rows for run in row.runs]
    means = [row.value for row in chart.rows]
    shown = [row.runs or np.clip([row.low, row.high], *chart.bounds) for row in chart.rows]
    values = np.array([*means, *(row.printed for row in chart.rows), *np.concatenate(shown)])
    values = values[np.isfinite(values) & ((values > 0) | (not chart.log))]
    if chart.log:
        low, high = np.log10([values.min(), 1.05 * values.max()])
        return 10.0 ** math.floor(low), 10.0 ** math.ceil(high)
    base = np.array(runs or [mean for mean in means if np.isfinite(mean)])
    known = values[near(values, base, 12 if runs else 6, 0.1)]
    width = 0.05 * float(np.ptp(known) or abs(known[0]) or 1.0)
    return float(known.min()) - width, float(known.max()) + width
