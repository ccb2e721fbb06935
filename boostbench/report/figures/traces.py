"""Panels of learning curves: one data set each, every line named where it ends."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from boostbench import numbers
from boostbench.report.axes import Floats
from boostbench.report.curves import TOLERANCE, Panel, Trace
from boostbench.report.figures.canvas import COLOURS, new_figure, text_size, ticks
from boostbench.report.sentences.paper import quantity
from boostbench.report.words import times

WIDTH, HEIGHT = 30.3, 20.5
"""The size of a panel, in widths of its text."""


def figure(
    panels: Sequence[Sequence[Panel]], title: str = "", width: float | None = None
) -> Figure:
    """Return lines of panels as one figure.

    One for a paper has a ``width`` in points instead of a title, and labels on both axes.
    """
    size, across = text_size(), max(map(len, panels))
    wide = WIDTH * size * across if width is None else width
    height = HEIGHT * size if width is None else min(HEIGHT * size, 0.7 * width / across)
    made = new_figure(wide, height * len(panels), title)
    names = {}
    for place, axes in enumerate(made.subplots(len(panels), across, squeeze=False).flat):
        line = panels[place // across]
        if place % across < len(line):
            shown = line[place % across]
            axes.set_title(shown.title if title else "")
            names[axes] = _draw(axes, shown)
            if width is not None:
                axes.set_ylabel(quantity(shown.quantity, shown.unit))
        else:
            axes.remove()
    made.draw_without_rendering()
    made.set_layout_engine("none")
    for axes, own in names.items():
        _separate_names(axes, own)
    return made


def _draw(axes: Axes, shown: Panel) -> list[Annotation]:
    """Draw the lines, and write each name at its line's end, or at the edge if it is outside."""
    lines = [each.inside(shown.low, shown.high, shown.log) for each in shown.traces]
    known = np.concatenate([x for x, _ in lines] or [np.array([])])
    left, right = (known.min(), known.max()) if len(known) else (1.0, 10.0)
    right = max(right, 1.01 * left)
    axes.set(xscale="log", yscale="log" if shown.log else "linear", xlabel=shown.axis)
    axes.minorticks_off()
    axes.set(xlim=(left, right), ylim=(shown.low, shown.high))
    axes.set(xticks=ticks(left, right, log=True), yticks=ticks(shown.low, shown.high, shown.log))
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_major_formatter("{x:,g}" + shown.unit)
    axes.grid(axis="y")
    if shown.lead is not None:
        _draw_lead(axes, *shown.lead)
    drawn = zip(shown.traces, lines, strict=True)
    return [name for trace, (x, y) in drawn if (name := _draw_trace(axes, shown, trace, x, y))]


def _draw_lead(axes: Axes, first: float, last: float) -> None:
    """Draw from when to when the last method follows the first, near the lowest value."""
    axes.plot([first, last], [TOLERANCE] * 2, "o:", color=COLOURS["ink"], linewidth=1)
    axes.annotate(
        f"{times(last / first)} times",
        (last, TOLERANCE),
        (6, 0),
        va="center",
        textcoords="offset points",
        fontweight="bold",
    )


def _draw_trace(axes: Axes, shown: Panel, trace: Trace, x: Floats, y: Floats) -> Annotation | None:
    """Draw a line, and return its name; ``None`` where the line has no values at all."""
    offset, colour = (0.4 * text_size(), 0), COLOURS[trace.colour]
    if len(x):
        axes.plot(x, y, color=colour)
        end = x[-1], y[-1]
        return axes.annotate(
            trace.name, end, offset, "data", "offset points", color=colour, va="center"
        )
    if not len(trace.y):
        return None
    is_above, value = trace.y[-1] > shown.high, numbers.fixed(float(trace.y[-1]), 0)
    name = f"{trace.name} {value} {'↑' if is_above else '↓'}"
    edge = 0.9, is_above
    return axes.annotate(
        name, edge, offset, "axes fraction", "offset points", color=colour, va="center"
    )


def _separate_names(axes: Axes, names: Sequence[Annotation]) -> None:
    """Move names up or down, within the panel, until they do not cover each other.

    A thin line leads from each to its line's end.
    """
    size, box = text_size(), axes.bbox
    taken = [each.get_window_extent() for each in axes.texts if each not in names]
    for text in sorted(names, key=lambda text: text.get_window_extent().y0):
        for move in (0, 1, -1, 2, -2, 3, -3, *range(4, 12)):
            text.set_position((0.4 * size, 0.6 * move * size))
            at = text.get_window_extent()
            if box.y0 <= at.y1 and at.y0 <= box.y1 and not at.count_overlaps(taken):
                taken.append(at)
                _draw_leader(axes, text)
                break
        else:
            text.remove()


def _draw_leader(axes: Axes, name: Annotation) -> None:
    look = {"arrowstyle": "-", "color": name.get_color(), "linewidth": 0.05 * text_size()}
    axes.annotate("", name.xy, name.get_position(), name.xycoords, "offset points", arrowprops=look)
