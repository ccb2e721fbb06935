"""The learning curves as figures, with one legend each.

Scores are means over runs with a band of one sd; on logarithmic axes there is the median with a
band from the smallest to the largest. A method without stages is a horizontal line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from boostbench.report.figures import drawing
from boostbench.report.figures.drawing import BAND, INK, SOFT
from boostbench.report.figures.lines import LOOKS, Drawn, Legend, entry_name, values
from boostbench.report.figures.panels import Layout, Panel
from boostbench.report.figures.scales import set_scales

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from boostbench.papers.results import Curve
    from boostbench.report.figures.panels import Axis
    from boostbench.report.summary import Summary

COLOURS = (
    drawing.ORANGE,
    drawing.BLUE,
    drawing.GREEN,
    drawing.PINK,
    drawing.AMBER,
    drawing.VIOLET,
    INK,
    drawing.GREY,
)
# Dashes and markers keep the lines distinguishable in grey as well.
DASHES = (
    "-",
    (0, (5, 1.5)),
    "-.",
    (0, (1, 1.2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (7, 2)),
    (0, (9, 1.5, 1, 1.5)),
    (0, (2, 1.5)),
)
FLAT = (0, (12, 2))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
PANEL_WIDTH, PANEL_HEIGHT, MARKS_A_LINE = 3.2, 2.55, 8
SMALLEST_ON_LOG = 1e-12
# Inches per line of the legend; points from a panel's top to the name of its data set.
LEGEND_LINE, NAME_OFFSET = 0.17, 15
T = TypeVar("T")


def panels(layout: Layout, summary: Summary, prefix: str) -> list[tuple[str, str]]:
    """Return (words, inline SVG) of the legend and per panel.

    Their text is real text, their colours are CSS variables. ``prefix`` keeps the ids of one figure
    from those of another on the same page.
    """
    found, legend = values(layout, summary)
    return [
        (legend.words, _legend_svg(legend, f"{prefix}legend")),
        *(
            (each.panel.words, _panel_svg(each, f"{prefix}{number}"))
            for number, each in enumerate(found)
        ),
    ]


def figure(layout: Layout, summary: Summary) -> dict[str, bytes]:
    """Return a figure in each of :data:`~drawing.FORMATS`."""
    from matplotlib.figure import Figure

    panels, legend = values(layout, summary)
    rows = len(layout.rows)
    with drawing.style("path"):
        columns = len(panels) // rows
        handles = _handles(legend)
        lines = math.ceil(len(handles) / (2 * columns))
        height = LEGEND_LINE * lines + 0.1
        size = (PANEL_WIDTH * columns + 0.2, PANEL_HEIGHT * rows + height)
        figure = Figure(figsize=size, layout=drawing.layout())
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, each in zip(grid.flat, panels, strict=True):
            _draw(axes, each)
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=math.ceil(len(handles) / max(1, lines)),
            frameon=False,
            fontsize=8,
            handlelength=3.2,
        )
        return drawing.files(figure)


def _panel_svg(panel: Drawn, prefix: str) -> str:
    from matplotlib.figure import Figure

    with drawing.style("none"):
        size = (PANEL_WIDTH + 0.6, PANEL_HEIGHT + 0.25)
        figure = Figure(figsize=size, layout=drawing.layout())
        _draw(figure.subplots(), panel)
        return drawing.inline(figure, prefix)


def _legend_svg(legend: Legend, prefix: str) -> str:
    from matplotlib.figure import Figure

    with drawing.style("none"):
        handles = _handles(legend)
        figure = Figure(figsize=(PANEL_WIDTH + 0.6, 0.3 + LEGEND_LINE * len(handles)))
        figure.legend(
            handles=handles, loc="center left", frameon=False, fontsize=9, handlelength=3.6
        )
        return drawing.inline(figure, prefix)


def _handles(legend: Legend) -> list[Any]:
    """Return the entries of a figure's legend: its methods, and what the bands are."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found: list[Any] = [
        Line2D(
            [],
            [],
            color=line_colour(place),
            linestyle=_dashes(place) if staged else FLAT,
            linewidth=1.2,
            marker=pick(MARKERS, place) if staged else "",
            markersize=3.5,
            label=entry_name(name, staged),
        )
        for name, place, staged in legend.entries
    ]
    found += [Patch(color=SOFT, alpha=0.3, linewidth=0, label=words) for words in legend.bands]
    return found


def _draw(axes: Axes, drawn: Drawn) -> None:
    panel, curves = drawn.panel, drawn.curves
    axes.set_title(panel.title, fontsize=8.5, loc="left", color=INK)
    axes.annotate(
        drawing.shorten(panel.dataset),
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, NAME_OFFSET),
        textcoords="offset points",
        fontsize=9,
        fontweight="bold",
        color=INK,
    )
    axes.set_xlabel(panel.x.title)
    axes.set_ylabel(panel.y.title)
    axes.tick_params(length=2, width=0.6)
    axes.grid(color=BAND, linewidth=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if not curves:
        axes.text(0.5, 0.5, "not recorded", ha="center", transform=axes.transAxes, color=SOFT)
        return
    longest = max(curve.length for curve in curves)
    levels = []
    for line in drawn.lines:
        curve, number = line.curve, line.place
        if curve is None:
            axes.axhline(line.level, color=line_colour(number), linestyle=FLAT, linewidth=1.2)
            levels.append(line.level)
            continue
        _draw_curve(axes, panel, curve, number, line.name)
        if curve.settled and panel.x.quantity == "iteration" and panel.y.unit != "s":
            _hold(axes, panel, curve, number, longest)
    set_scales(axes, panel, curves, levels)


def pick(choices: Sequence[T], place: int) -> T:
    """Return the choice for ``place``; the second round begins at the second choice."""
    return choices[(place + place // LOOKS) % len(choices)]


def line_colour(place: int) -> str:
    """Return the colour of the line at ``place``."""
    return COLOURS[place % LOOKS]


def _dashes(place: int) -> Any:
    return pick(DASHES, place)


def _draw_curve(axes: Axes, panel: Panel, curve: Curve, number: int, label: str) -> None:
    colour = line_colour(number)
    x, y = _values(curve, panel.x), _values(curve, panel.y)
    floor = SMALLEST_ON_LOG if panel.y.log else -math.inf
    low, high = _band(curve, panel.y)
    if low:
        low = [max(value, floor) for value in low]
        axes.fill_between(x, low, high, color=colour, alpha=0.16, linewidth=0, zorder=1)
    axes.plot(
        x,
        [max(value, floor) for value in y],
        color=colour,
        linestyle=_dashes(number),
        linewidth=1.2,
        marker=pick(MARKERS, number),
        markersize=3,
        # Marks of different lines at different places do not hide each other.
        markevery=_spaced(number) if panel.x.log else _marks(len(x), number),
        label=label,
        zorder=2,
    )


def _values(curve: Curve, axis: Axis) -> list[float]:
    if axis.quantity == "iteration":
        return [float(step) for step in range(1, curve.length + 1)]
    if axis.log:
        return [axis.scale * at.median for at in curve.ranges[axis.quantity]]
    return [axis.scale * value for value in curve.means[axis.quantity]]


def _band(curve: Curve, axis: Axis) -> tuple[list[float], list[float]]:
    """Return where the band begins and ends at each iteration; nothing of a single run."""
    if curve.runs < 2:
        return [], []
    if axis.log:
        ranges = curve.ranges[axis.quantity]
        return [axis.scale * at.low for at in ranges], [axis.scale * at.high for at in ranges]
    pairs = list(zip(curve.means[axis.quantity], curve.sds[axis.quantity], strict=True))
    return [axis.scale * (m - sd) for m, sd in pairs], [axis.scale * (m + sd) for m, sd in pairs]


def _hold(axes: Axes, panel: Panel, curve: Curve, number: int, longest: int) -> None:
    """Continue, thinly, the last value of trainings that ended by themselves."""
    if curve.length < longest:
        last = _values(curve, panel.y)[-1]
        axes.plot(
            [curve.length, longest],
            [last, last],
            color=line_colour(number),
            linestyle=":",
            linewidth=0.8,
            zorder=2,
        )


def _spaced(number: int) -> tuple[float, float]:
    """Return the first mark and the distance of marks along the line, as shares of the panel."""
    return 0.8 * (number % LOOKS) / MARKS_A_LINE / LOOKS, 1.0 / MARKS_A_LINE


def _marks(length: int, number: int) -> list[int]:
    """Return which iterations are marked."""
    step = max(1, length // MARKS_A_LINE)
    return [*range(number % LOOKS * step // LOOKS, length, step)]
