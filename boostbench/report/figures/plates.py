"""Charts of rows side by side in one figure, with the label of their axis and a legend."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from boostbench.report.figures.canvas import (
    COLOURS,
    MOST_HEIGHT,
    new_figure,
    text_size,
    text_width,
    wrapped,
)
from boostbench.report.figures.rows import MOST_NAME, Chart, draw

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
