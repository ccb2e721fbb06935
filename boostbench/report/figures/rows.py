"""Charts of rows: a dot with an interval, or single runs as dots, on one axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten, wrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boostbench.report.axes import Floats, near_median
from boostbench.report.figures.canvas import COLOURS, WIDE, new_figure, text_size, ticks

NAN = float("nan")
MOST_NAME = 0.38
"""The most of a chart's width that a name may take on one line."""


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

    ``ends`` are those of the axis; by default they follow from the rows.
    """

    title: str
    rows: Sequence[ChartRow]
    caption: str = ""
    bounds: tuple[float, float] = (-math.inf, math.inf)
    log: bool = False
    ends: tuple[float, float] | None = None


def figure(chart: Chart, width: float) -> Figure:
    """Return a chart without its title, for the page."""
    size = text_size()
    made = new_figure(width, 2.3 * size * (len(chart.rows) + 1.0))
    draw(made.subplots(), chart, int(MOST_NAME * width / size / 0.58))
    return made


def side_by_side(
    charts: Sequence[Chart], across: int, width: float = WIDE, title: str = ""
) -> Figure:
    """Return charts with their titles, so many per line; the first of a line has the names."""
    lines = math.ceil(len(charts) / across)
    across = min(across, len(charts))
    rows = max(len(chart.rows) for chart in charts)
    made = new_figure(width, 1.5 * text_size() * (rows + 2.5) * lines, title)
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
    rows, log = chart.rows, chart.log
    low, high = chart.ends or _ends(chart)
    axes.set_xscale("log" if log else "linear")
    axes.minorticks_off()
    axes.set(xlim=(low, high), ylim=(len(rows) - 0.5, -0.5), xticks=ticks(low, high, log, most))
    axes.xaxis.set_major_formatter("{x:g} s" if log else "{x:g}")
    axes.set_yticks(range(len(rows)), [_wrap(row.name, width) if width else "" for row in rows])
    axes.tick_params(axis="y", labelcolor=COLOURS["ink"])
    axes.grid(axis="y")
    for place, (row, label) in enumerate(zip(rows, axes.get_yticklabels(), strict=True)):
        if row.text:
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


def _wrap(name: str, width: int) -> str:
    """Return a name on several lines if it is too long for one, brackets on lines of their own."""
    if " (" in name and len(name) > width:
        first, _, rest = name.partition(" (")
        return "\n".join([first, *wrap(f"({rest}", width)])
    return shorten(name, width, placeholder="…")


def _draw_row(axes: Axes, place: int, row: ChartRow, bounds: tuple[float, float]) -> None:
    low, high = axes.get_xlim()
    colour, wide = COLOURS[row.colour], 0.17 * text_size()
    if row.margin == row.margin:
        _draw_margin(axes, place, min(row.margin, high))
    inside = [run for run in row.runs if low <= run <= high]
    axes.plot(inside, [place] * len(inside), "o", color=colour, alpha=0.4, markeredgewidth=0)
    if low <= row.printed <= high:
        _draw_tick(axes, place, row.printed, 0.3, color=COLOURS["weak"], linewidth=wide)
    if low <= row.value <= high:
        if row.runs:
            _draw_tick(axes, place, row.value, 0.24, color=colour, linewidth=wide)
        else:
            _draw_dot(axes, place, row, bounds)
    _draw_beyond(axes, place, row, -1, max(row.low, bounds[0]))
    _draw_beyond(axes, place, row, 1, min(row.high, bounds[1]))


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
    axes.plot(row.value, place, mark, color=colour, markerfacecolor=face, zorder=3)


def _draw_beyond(axes: Axes, place: int, row: ChartRow, side: int, reach: float) -> None:
    """Draw an arrow where values, runs or the interval go beyond the left (-1) or right (1) end."""
    end = axes.get_xlim()[0 if side < 0 else 1]
    far = [run for run in row.runs if side * (run - end) > 0]
    is_off = side * (row.value - end) > 0
    if not (is_off or far or side * (reach - end) > 0):
        return
    words = f"{len(far)} off" if far else ""
    if is_off and row.text:
        words = f"{row.text}, off the axis"
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
    values = np.concatenate([_values(row, chart.bounds) for row in chart.rows])
    values = values[np.isfinite(values) & ((values > 0) | (not chart.log))]
    if chart.log:
        low, high = np.log10([values.min(), 1.05 * values.max()])
        return 10.0 ** math.floor(low), 10.0 ** math.ceil(high)
    runs = [run for row in chart.rows for run in row.runs]
    means = [row.value for row in chart.rows if np.isfinite(row.value)]
    times = 12 if runs else 6
    known = values[near_median(values, np.array(runs or means), times, 0.1)]
    width = 0.05 * float(np.ptp(known) or abs(known[0]) or 1.0)
    return float(known.min()) - width, float(known.max()) + width


def _values(row: ChartRow, bounds: tuple[float, float]) -> Floats:
    """Return what is drawn of a row: its runs, or its interval; NaN where there is none."""
    shown = row.runs or np.clip([row.low, row.high], *bounds)
    return np.array([row.value, row.printed, *shown], dtype=float)
