"""Learning curves: of each data set a panel per axis, side by side, with one legend."""

import math
from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from boostbench.report.figures.canvas import (
    COLOURS,
    MOST_HEIGHT,
    new_figure,
    text_size,
    text_width,
    tick_text,
    ticks,
    wrapped,
)
from boostbench.report.frames.curves import Panel, Trace
from boostbench.report.sentences.captions import quantity, upper_first

PAGE_WIDTH, PAGE_HEIGHT = 30.3, 20.5
"""The size of a panel of the page, in widths of its text."""
HEIGHT, LEAST_HEIGHT = 10.5, 5.0
"""The usual and the least height of the panels of a data set, in sizes of text."""
TITLES, LEGEND_LINE = 5.5, 1.3
"""The heights of the words about panels, and of a line of the legend, in sizes of text."""
HANDLE = 4.0
"""The width of what is beside a name in a legend: its line, and the blanks around it."""
MARKS_PER_LINE = 4


def page_panel(shown: Panel) -> Figure:
    """Return one panel for the page, which has the names of lines beside it."""
    size = text_size()
    made = new_figure(PAGE_WIDTH * size, PAGE_HEIGHT * size)
    _draw(made.subplots(), shown, marked=False)
    return made


def figure(datasets: Sequence[Sequence[Panel]], width: float) -> Figure:
    """Return the panels of data sets as one figure; those of a data set share the upright axis."""
    size = text_size()
    columns = [_legend_columns(panels[0].traces, width) for panels in datasets]
    words = [
        TITLES + LEGEND_LINE * math.ceil(len(panels[0].traces) / across)
        for panels, across in zip(datasets, columns, strict=True)
    ]
    room = (MOST_HEIGHT / size - sum(words)) / len(datasets)
    height = min(HEIGHT, max(LEAST_HEIGHT, room))
    heights = [size * (height + own) for own in words]
    made = new_figure(width, sum(heights))
    parts = made.subfigures(len(datasets), 1, height_ratios=heights, squeeze=False)
    for part, panels, across in zip(parts.flat, datasets, columns, strict=True):
        part.suptitle(panels[0].title, x=0.01, ha="left")
        axes = part.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for own, shown in zip(axes, panels, strict=True):
            _draw(own, shown, marked=True)
        label = upper_first(quantity(panels[0].quantity, panels[0].unit))
        axes[0].set_ylabel("\n".join(wrapped(label, height * size)))
        part.legend(
            handles=list(_handles(panels[0].traces)),
            loc="outside lower left",
            ncols=across,
        )
    return made


def _legend_columns(traces: Sequence[Trace], width: float) -> int:
    """Return the number of columns of a legend that fits the width."""
    longest = max((text_width(_label(trace)) for trace in traces), default=0.0)
    return max(1, int(width / (longest + HANDLE * text_size())))


def _label(trace: Trace) -> str:
    return f"{trace.name}: {trace.end}"


def _handles(traces: Sequence[Trace]) -> Iterator[Line2D]:
    for trace in traces:
        yield Line2D([], [], color=COLOURS[trace.colour], marker=trace.mark, label=_label(trace))


def _draw(axes: Axes, shown: Panel, *, marked: bool) -> None:
    """Draw the lines, with the marks of the legend where a figure has one."""
    lines = [each.inside(shown.low, shown.high, shown.log) for each in shown.traces]
    left = min((x[0] for x, _ in lines if len(x)), default=1.0)
    right = max(max((x[-1] for x, _ in lines if len(x)), default=10.0), 1.01 * left)
    axes.set(xscale="log", yscale="log" if shown.log else "linear", xlabel=upper_first(shown.axis))
    axes.minorticks_off()
    axes.set(xlim=(left, right), ylim=(shown.low, shown.high))
    most = 3 if marked else 5
    axes.set(
        xticks=ticks(left, right, log=True, most=most),
        yticks=ticks(shown.low, shown.high, shown.log),
    )
    axes.xaxis.set_major_formatter(tick_text)
    axes.yaxis.set_major_formatter(tick_text if marked else "{x:,g}" + shown.unit)
    axes.grid(axis="y")
    for number, (trace, (x, y)) in enumerate(zip(shown.traces, lines, strict=True)):
        (line,) = axes.plot(x, y, color=COLOURS[trace.colour], clip_on=False)
        if marked:
            line.set_marker(trace.mark)
            line.set_markevery((number % MARKS_PER_LINE, max(1, len(x) // MARKS_PER_LINE)))
