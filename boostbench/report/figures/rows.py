"""Charts of rows: a dot with an interval, or single runs as dots, on one axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boostbench.report.figures.axes import at_even_ranks, near_median
from boostbench.report.figures.canvas import (
    COLOURS,
    fewer_ticks,
    new_figure,
    text_size,
    tick_text,
    ticks,
    wrapped,
)

NAN = float("nan")
MOST_NAME = 0.38
"""The most of a chart's width that a name may take on one line."""
MOST_OF_INTERVALS = 3.0
"""How much farther than from the lowest to the highest mean an axis reaches for intervals."""


@dataclass(frozen=True)
class ChartRow:
    """A row: its name, the value with its interval, and its text.

    ``printed`` is the paper's value, ``runs`` are the single runs, ``margin`` is a band about 0.
    ``colour`` is that of a verdict, "yes" also for the best; a ``hollow`` row is not comparable
    with the others.
    """

    name: str
    value: float
    text: str = ""
    low: float = NAN
    high: float = NAN
    printed: float = NAN
    runs: Sequence[float] = ()
    colour: str = "ink"
    hollow: bool = False
    margin: float = NAN


@dataclass(frozen=True)
class Chart:
    """Rows with the finding as title; no interval exceeds the ``bounds`` of possible values.

    ``ends`` are those of the axis, and ``ticks`` its numbers; by default both follow from the rows.
    """

    title: str
    rows: Sequence[ChartRow]
    caption: str = ""
    bounds: tuple[float, float] = (-math.inf, math.inf)
    log: bool = False
    ends: tuple[float, float] | None = None
    ticks: Sequence[float] = ()


def figure(chart: Chart, width: float) -> Figure:
    """Return a chart without its title, for the page."""
    size = text_size()
    made = new_figure(width, 2.3 * size * (len(chart.rows) + 1.0))
    draw(made.subplots(), chart, MOST_NAME * width)
    return made


def draw(axes: Axes, chart: Chart, names: float, room: float = math.inf) -> None:
    """Draw the rows, the first on top; ``names`` is the width of their names, 0 without names.

    ``room`` is the width of the axes, in points, if there are others beside them: the texts of rows
    are left out then.
    """
    rows, log = chart.rows, chart.log
    low, high = chart.ends or _ends(chart)
    axes.set_xscale("log" if log else "linear")
    axes.minorticks_off()
    axes.set(xlim=(low, high), ylim=(len(rows) - 0.5, -0.5))
    own = fewer_ticks(low, high, room) if math.isfinite(room) else ticks(low, high, log)
    axes.set_xticks(chart.ticks or own)
    axes.xaxis.set_major_formatter("{x:g} s" if log else tick_text)
    shown = ["\n".join(wrapped(row.name, names)) if names else "" for row in rows]
    axes.set_yticks(range(len(rows)), shown)
    axes.tick_params(axis="y", labelcolor=COLOURS["ink"])
    axes.grid(axis="y")
    for place, (row, label) in enumerate(zip(rows, axes.get_yticklabels(), strict=True)):
        if row.text and room == math.inf:
            colour, weight = COLOURS[row.colour], "bold" if row.colour == "yes" else "normal"
            label.set(color=colour, weight=weight)
            axes.annotate(
                row.text,
                (1, place),
                (0.7 * text_size(), 0),
                ("axes fraction", "data"),
                "offset points",
                va="center",
                color=colour,
                weight=weight,
            )
        _draw_row(axes, place, row, chart.bounds)


def _draw_row(axes: Axes, place: int, row: ChartRow, bounds: tuple[float, float]) -> None:
    low, high = axes.get_xlim()
    colour, wide = COLOURS[row.colour], 0.17 * text_size()
    if row.margin == row.margin:
        _draw_margin(axes, place, min(row.margin, high))
    inside = at_even_ranks([run for run in row.runs if low <= run <= high])
    axes.plot(inside, [place] * len(inside), "o", color=colour, alpha=0.4, markeredgewidth=0)
    if low <= row.printed <= high:
        _draw_tick(axes, place, row.printed, 0.3, color=COLOURS["weak"], linewidth=wide)
    if low <= row.value <= high:
        if row.runs:
            _draw_tick(axes, place, row.value, 0.24, color=colour, linewidth=wide)
        else:
            _draw_dot(axes, place, row, bounds)
    _draw_beyond(axes, place, row, -1)
    _draw_beyond(axes, place, row, 1)


def _draw_margin(axes: Axes, place: int, margin: float) -> None:
    """Draw the band about 0 within which a difference does not count."""
    axes.barh(place, 2 * margin, 1, -margin, color=COLOURS["band"], zorder=0)
    axes.plot([0, 0], [place - 0.5, place + 0.5], color=COLOURS["soft"], linewidth=0.5)


def _draw_tick(
    axes: Axes, place: int, value: float, reach: float, *, color: str, linewidth: float
) -> None:
    """Draw a short line across the row at a value."""
    ends = [place - reach, place + reach]
    axes.plot([value] * 2, ends, color=color, linewidth=linewidth)


def _draw_dot(axes: Axes, place: int, row: ChartRow, bounds: tuple[float, float]) -> None:
    """Draw the value as a dot, a diamond where it differs, with its interval if it has one."""
    low, high = axes.get_xlim()
    colour = COLOURS[row.colour]
    # NaN without an interval.
    ends = np.clip([row.low, row.high], max(low, bounds[0]), min(high, bounds[1]))
    axes.plot(ends, [place] * 2, color=colour)
    face, mark = COLOURS["bg"] if row.hollow else colour, "D" if row.colour == "no" else "o"
    axes.plot(row.value, place, mark, color=colour, markerfacecolor=face, zorder=3, clip_on=False)


def _draw_beyond(axes: Axes, place: int, row: ChartRow, side: int) -> None:
    """Draw an arrow where the value or runs are beyond the left (-1) or right (1) end."""
    end = axes.get_xlim()[0 if side < 0 else 1]
    far = [run for run in row.runs if side * (run - end) > 0]
    is_off = side * (row.value - end) > 0
    if not (is_off or far):
        return
    words = row.text if is_off else f"{len(far)} off"
    mark, align = ("<", "left") if side < 0 else (">", "right")
    axes.plot(end, place, mark, color=COLOURS[row.colour], clip_on=False)
    axes.annotate(
        words,
        (end, place),
        (-6 * side, 0),
        "data",
        "offset points",
        va="center",
        ha=align,
        color=COLOURS["soft"],
    )


def _ends(chart: Chart) -> tuple[float, float]:
    """Return the ends of the axis, without outliers that would squeeze all other rows."""
    runs = np.array([run for row in chart.rows for run in row.runs])
    points = np.array([[row.value, row.printed] for row in chart.rows])
    if chart.log:
        known = points[points > 0]
        low, high = np.log10([known.min(), 1.05 * known.max()])
        return 10.0 ** math.floor(low), 10.0 ** math.ceil(high)
    means = points[:, 0][np.isfinite(points[:, 0])]
    values = np.concatenate([points[np.isfinite(points)], runs])
    near = near_median(values, runs, 12, 0.1) if len(runs) else near_median(values, means, 6, 0.1)
    low, high = float(values[near].min()), float(values[near].max())
    if not len(runs):
        low, high = _with_intervals(chart, low, high)
    width = 0.05 * ((high - low) or abs(low) or 1.0)
    return low - width, high + width


def _with_intervals(chart: Chart, low: float, high: float) -> tuple[float, float]:
    """Return wider ends that hold the intervals of means, as far as these means stay apart."""
    rows = [row for row in chart.rows if low <= row.value <= high]
    ends = np.clip([end for row in rows for end in (row.low, row.high)], *chart.bounds)
    ends = ends[np.isfinite(ends)]
    if not len(ends):
        return low, high
    room = MOST_OF_INTERVALS * (high - low) or math.inf
    return max(min(low, ends.min()), low - room), min(max(high, ends.max()), high + room)
