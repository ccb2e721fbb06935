"""Figures for a paper of one's own: labels on the axes, no headline, of the width of a column."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boostbench.report.axes import Floats, near_median
from boostbench.report.curves import METHODS
from boostbench.report.figures import charts, traces
from boostbench.report.figures.canvas import COLOURS, FILE_TEXT, files, new_figure, style, ticks
from boostbench.report.figures.rows import Chart, ChartRow, side_by_side
from boostbench.report.names import file_stem
from boostbench.report.reportdata import ReportData
from boostbench.report.sentences import paper

MARKERS = "os^Dv<>P"
LETTER = 0.68 * FILE_TEXT
"""The width of a capital letter, in points."""
MARK = 5
"""The width of a mark in the legend, with the blanks around it, in letters."""
MOST_NAME = 0.4
"""The most of the width that the name of a data set may take."""
ROW, LEAST_ROW, PER_METHOD = 14.0, 8.0, 5.5
"""The usual and the least height of a data set, and the height of each of its methods."""
MOST_HEIGHT = 500.0
"""The height of a page, less that of a caption."""


def drawn(results: ReportData, width: float) -> Iterator[tuple[str, bytes]]:
    """Yield the figures of ``width`` inches, each with the end of its name, as PDF.

    They are the means of the methods on each data set; mean ranks of three methods or more on
    five data sets or more; and each panel of learning curves.
    """
    points = 72 * width
    draws = {"means": partial(means_figure, results, points)}
    if results.ranking:
        draws["ranks"] = partial(ranks_figure, results, points)
    for kind, groups in results.convergence.panels.items() if results.recorded_curves else ():
        for by, panels in groups.items():
            for panel in panels:
                name = f"{kind}-{by}-{file_stem(panel.title)}"
                # How many times sooner one is, is a headline.
                draws[name] = partial(traces.figure, [[replace(panel, lead=None)]], width=points)
    with style(FILE_TEXT):
        for name, draw in draws.items():
            yield name, files(draw(), ["pdf"])["pdf"]


def means_figure(results: ReportData, width: float) -> Figure:
    """Return the means on all data sets with their intervals, one colour and mark a method."""
    made = charts.means_charts(results, beside_print=False)
    methods = [row.name for row in made[0].rows]
    longest = min(max(map(len, methods)), int(width / LETTER) - MARK)
    across = max(1, min(len(methods), int(width / (LETTER * (longest + MARK)))))
    # The legend, and the numbers and the label of the axis.
    around = 1.6 * FILE_TEXT * (math.ceil(len(methods) / across) + 3)
    room = (MOST_HEIGHT - around) / len(made)
    row = min(max(ROW, PER_METHOD * len(methods)), max(LEAST_ROW, room))
    figure = new_figure(width, row * len(made) + around)
    axes = figure.subplots()
    looks = dict(zip(methods, zip(cycle(METHODS), cycle(MARKERS), strict=False), strict=False))
    axes.set(xlim=_ends(made), ylim=(len(made) - 0.5, -0.5), xlabel=paper.axis(results.metric))
    axes.set_xticks(ticks(*axes.get_xlim(), most=5 if width > 300 else 4))
    axes.xaxis.set_major_formatter("{x:,g}")
    most = int(MOST_NAME * width / LETTER)
    axes.set_yticks(range(len(made)), [_cut(chart.title, most) for chart in made])
    axes.tick_params(axis="y", labelcolor=COLOURS["ink"])
    axes.spines["bottom"].set_visible(True)
    for place in range(1, len(made)):
        axes.axhline(place - 0.5, color=COLOURS["line"], linewidth=0.6, zorder=0)
    step = 0.72 / max(1, len(methods) - 1)
    for place, chart in enumerate(made):
        for number, one in enumerate(chart.rows):
            _draw(axes, place - 0.36 * (len(methods) > 1) + step * number, one, looks[one.name])
    _legend(figure, axes, looks, across)
    return figure


def _ends(made: Sequence[Chart]) -> tuple[float, float]:
    """Return the ends of the axis, without outliers that would squeeze all other means."""
    rows = [row for chart in made for row in chart.rows]
    means = np.array([row.value for row in rows if np.isfinite(row.value)])
    bounds = made[0].bounds
    values = np.concatenate([_reach(row, bounds) for row in rows])
    values = values[np.isfinite(values)]
    kept = values[near_median(values, means, 20, 0.5)]
    kept = kept if len(kept) else values
    edge = 0.04 * float(np.ptp(kept) or abs(kept[0]) or 1.0)
    return float(kept.min()) - edge, float(kept.max()) + edge


def _reach(row: ChartRow, bounds: tuple[float, float]) -> Floats:
    return np.array([row.value, *np.clip([row.low, row.high], *bounds)], dtype=float)


def _draw(axes: Axes, height: float, row: ChartRow, look: tuple[str, str]) -> None:
    """Draw a mean and its interval; an arrow at the edge where the mean lies beyond."""
    if not np.isfinite(row.value):
        return
    low, high = axes.get_xlim()
    colour, mark = COLOURS[look[0]], look[1]
    if not low <= row.value <= high:
        end, arrow = (low, "$\u2190$") if row.value < low else (high, "$\u2192$")
        axes.plot(end, height, marker=arrow, color=colour, clip_on=False)
        return
    axes.plot(np.clip([row.low, row.high], low, high), [height] * 2, color=colour, linewidth=0.8)
    axes.plot(row.value, height, mark, color=colour, markersize=3.2, zorder=3)


def _cut(name: str, most: int) -> str:
    """Return a name of at most so many letters."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _legend(figure: Figure, axes: Axes, looks: Mapping[str, tuple[str, str]], across: int) -> None:
    most = int(72 * figure.get_figwidth() / LETTER) - MARK
    for name, (colour, mark) in looks.items():
        axes.plot([], [], mark, color=COLOURS[colour], markersize=3.2, label=_cut(name, most))
    figure.legend(loc="outside upper left", ncols=across, frameon=False, handletextpad=0.2)


def ranks_figure(results: ReportData, width: float) -> Figure:
    """Return mean ranks; bars of methods that differ do not overlap."""
    assert results.ranking is not None
    chart = replace(charts.ranks_chart(results, results.ranking), title="")
    figure = side_by_side([chart], 1, width)
    figure.axes[0].set_xlabel(paper.RANKS)
    return figure
