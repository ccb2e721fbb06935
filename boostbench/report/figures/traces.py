"""Panels of learning curves: one data set each, every line named where it ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from boostbench import numbers
from boostbench.report.curves import TOLERANCE, Curves, Lines
from boostbench.report.figures.canvas import (
    COLOURS,
    Floats,
    near_median,
    new_figure,
    text_size,
    ticks,
)
from boostbench.report.runs import Runs
from boostbench.report.words import times

CLOCKS = {"solver_s": "solver seconds", "fit_s": "training seconds"}
METHODS = ("m1", "m2", "m3", "m4", "m5", "ink", "m6", "m7")
KINDS = ("objective", "score")
WIDTH, HEIGHT = 30.3, 20.5
"""The size of a panel, in widths of its text."""
LEAST = 0.1
"""The axis of the objective starts at so many percent above the lowest value."""
POINTS = 90
"""The number of points drawn per curve, evenly along the axis."""


@dataclass(frozen=True)
class Trace:
    """A line with its name and colour."""

    name: str
    colour: str
    x: Floats
    y: Floats

    def inside(self, low: float, high: float, log: bool) -> tuple[Floats, Floats]:
        """Return the part inside the axis, from where it enters to where it leaves."""
        if not len(self.x):
            return self.x, self.y
        along = np.geomspace(self.x[0], self.x[-1], POINTS)
        heights = np.log(np.maximum(self.y, low / 2)) if log else self.y
        values = np.interp(np.log(along), np.log(self.x), heights)
        values = np.exp(values) if log else values
        within = np.flatnonzero((values >= low) & (values <= high))
        part = slice(max(within[0] - 1, 0), within[-1] + 2) if len(within) else slice(0)
        return along[part], np.clip(values[part], low, high)


@dataclass(frozen=True)
class Panel:
    """A quantity of a data set against an axis.

    ``low`` to ``high`` are the ends of the axis: a line that leaves it is cut there. ``lead`` has
    the times at which the first and the last method are :data:`TOLERANCE` the lowest value.
    """

    title: str
    quantity: str
    axis: str
    traces: Sequence[Trace]
    low: float
    high: float
    log: bool = False
    unit: str = " %"
    lead: tuple[float, float] | None = None


def colours(results: Runs) -> dict[str, str]:
    """Return the colour of each method by its label."""
    return dict(zip(results.names, cycle(METHODS), strict=False))


def groups(curves: Curves, kind: str) -> dict[str, list[Panel]]:
    """Return the excess objective or the test score, by seconds and by iterations.

    Data sets without a method that recorded it in all runs have no panel.
    """
    lines = _objectives(curves) if kind == "objective" else _scores(curves)
    if not lines.by_cell:
        return {}
    datasets = dict.fromkeys(dataset for dataset, _ in lines.by_cell)
    axes = ["seconds", "iterations"] if curves.clock else ["iterations"]
    return {by: [_panel(curves, lines, dataset, by) for dataset in datasets] for by in axes}


@dataclass(frozen=True)
class _Quantity:
    """A quantity in words, its lines, which are drawn as ``scale`` times their values."""

    words: str
    by_cell: Lines
    scale: float
    unit: str
    is_objective: bool = False


def _objectives(curves: Curves) -> _Quantity:
    return _Quantity("objective above the lowest", curves.excess, 1.0, " %", is_objective=True)


def _scores(curves: Curves) -> _Quantity:
    """Return the curves of the score, or of the test error where the score has none."""
    metric = curves.results.metric
    if not metric.curve:
        return _Quantity("test error", curves.lines("test_error"), 100.0, " %")
    unit = " %" if metric.unit == "%" else ""
    return _Quantity(metric.words, curves.lines(metric.curve), metric.scale, unit)


def _names(results: Runs) -> dict[str, str]:
    """Return the names of methods in legends; those that the paper's figure lacks are marked."""
    names = dict(results.names)
    figure = str(results.experiment["table"] or "")
    for method in results.methods:
        if results.paper is not None and results.paper.is_added(method.registered, figure):
            names[method.label] += " (added)"
    return names


def _panel(curves: Curves, lines: _Quantity, dataset: str, by: str) -> Panel:
    names, traces = _names(curves.results), []
    for label, colour in colours(curves.results).items():
        if (dataset, label) in lines.by_cell:
            line = lines.by_cell[dataset, label].dropna()
            x, y = line[line[by] > 0][[by, "value"]].to_numpy(float).T
            traces.append(Trace(names[label], colour, x, lines.scale * y))
    axis = CLOCKS[curves.clock] if by == "seconds" else by
    if not lines.is_objective:
        low, high = _ends(traces)
        return Panel(dataset, lines.words, axis, traces, low, high, unit=lines.unit)
    high = max([10.0, *(float(each.y.max()) for each in traces if len(each.y))])
    lead = _lead(curves, dataset) if by == "seconds" else None
    return Panel(dataset, lines.words, axis, traces, LEAST, high, log=True, lead=lead)


def _lead(curves: Curves, dataset: str) -> tuple[float, float] | None:
    """Return the times at which the first and the last method are near the lowest objective."""
    times = curves.time_to_tolerance
    return None if times is None else (times[dataset].iloc[0], times[dataset].iloc[1])


def _ends(traces: Sequence[Trace]) -> tuple[float, float]:
    """Return the ends of an axis of scores, from the scores near the lines' ends."""
    last = np.array([each.y[-1] for each in traces if len(each.y)])
    every = np.concatenate([each.y for each in traces])
    kept = every[near_median(every, last, 4, 0.3)] if len(last) else np.zeros(1)
    return float(kept.min()), float(max(kept.max(), 1.01 * kept.min() + 1e-9))


def figure(panels: Sequence[Sequence[Panel]], title: str = "") -> Figure:
    """Return lines of panels as one figure."""
    size, across = text_size(), max(map(len, panels))
    made = new_figure(WIDTH * size * across, HEIGHT * size * len(panels), title)
    names = {}
    for place, axes in enumerate(made.subplots(len(panels), across, squeeze=False).flat):
        line = panels[place // across]
        if place % across < len(line):
            shown = line[place % across]
            axes.set_title(shown.title if title else "")
            names[axes] = _draw(axes, shown)
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
