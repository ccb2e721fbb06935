"""Charts of rows: a dot with an interval, or single runs as dots; one, or several side by side."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from boostbench.report.figures.axes import at_even_ranks, near_median
from boostbench.report.figures.canvas import (
    COLOURS,
    MOST_HEIGHT,
    fewer_ticks,
    new_figure,
    text_size,
    text_width,
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


# -- charts side by side ---------------------------------------------------------------------------


LEAST_PANEL, GAP = 6.6, 1.3
"""The least width of a chart beside others, and between two, in sizes of text."""
AROUND = 4.5
"""The height of the label with the legend, in sizes of text."""
AXIS, LINE = 3.0, 1.2
"""The heights of an axis and of a line, in sizes of text."""
LEAST_TITLE, LEAST_ROW = 0.75, 0.8
"""The least size of titles and the least height of rows, as shares of the usual ones."""


@dataclass(frozen=True)
class Sign:
    """What a mark means."""

    words: str
    mark: str
    colour: str
    hollow: bool = False


@dataclass(frozen=True)
class Plate:
    """Charts of one figure: the label of their axis, and what their signs mean."""

    charts: Sequence[Chart]
    axis: str
    signs: Sequence[Sign] = ()


@dataclass(frozen=True)
class _Grid:
    """Where charts lie: in so many lines and columns, each with a ``width`` and its title.

    ``title_size`` and the ``height`` of the whole are in points.
    """

    lines: int
    columns: int
    width: float
    titles: Sequence[Sequence[str]]
    title_size: float
    height: float


def side_by_side(plate: Plate, width: float) -> Figure:
    """Return charts with their titles side by side; the first of a line has the names of rows."""
    grid = _grid(plate.charts, width)
    made = new_figure(width, grid.height)
    for place, axes in enumerate(made.subplots(grid.lines, grid.columns, squeeze=False).flat):
        if place >= len(plate.charts):
            axes.remove()
            continue
        axes.set_title("\n".join(grid.titles[place]), fontsize=grid.title_size)
        names = 0.0 if place % grid.columns else MOST_NAME * width
        draw(axes, plate.charts[place], names, grid.width if grid.columns > 1 else math.inf)
    made.supxlabel(plate.axis)
    if plate.signs:
        made.legend(
            handles=[_handle(sign) for sign in plate.signs],
            loc="outside upper center",
            ncols=len(plate.signs),
            handletextpad=0.3,
            columnspacing=1.2,
        )
    return made


def _grid(charts: Sequence[Chart], width: float) -> _Grid:
    """Return how charts fill a width, with lower rows where a page would be too low."""
    size = text_size()
    names = [wrapped(row.name, MOST_NAME * width) for chart in charts for row in chart.rows]
    room = width - size - max(text_width(line) for name in names for line in name)
    lines = math.ceil(len(charts) / max(1, int(room / (LEAST_PANEL * size))))
    columns = math.ceil(len(charts) / lines)
    panel = room / columns - GAP * size

    # The longest word of a title should fit above its chart.
    words = [text_width(word) for chart in charts for word in chart.title.split()]
    scale = min(1.0, max(LEAST_TITLE, panel / max(words, default=1.0)))
    titles = [wrapped(chart.title, panel / scale) for chart in charts]

    title_lines = [max(map(len, titles[n * columns : (n + 1) * columns])) for n in range(lines)]
    around = size * (AROUND + sum(AXIS + LINE * number for number in title_lines))
    rows = lines * max(len(chart.rows) for chart in charts)
    usual = size * (0.1 + LINE * max(map(len, names)))
    row = min(usual, max(LEAST_ROW * usual, (MOST_HEIGHT - around) / rows))
    return _Grid(lines, columns, panel, titles, scale * size, row * rows + around)


def _handle(sign: Sign) -> Line2D:
    """Return a sign as it is shown in a legend."""
    made = Line2D([], [], linestyle="", marker=sign.mark, color=COLOURS[sign.colour])
    made.set_label(sign.words)
    if sign.hollow:
        made.set_markerfacecolor(COLOURS["bg"])
    if sign.mark == "|":
        made.set_markersize(1.2 * text_size())
    return made
