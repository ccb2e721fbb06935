"""Panels of learning curves: one data set each, every line named where it ends."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from numpy.typing import NDArray

from boostbench import numbers
from boostbench.report.convergence import NEAR, Curves, Lines
from boostbench.report.figures.canvas import COLOURS, METHODS, sheet, text_size, ticks
from boostbench.report.words import names_of

WIDTH, HEIGHT = 30.3, 20.5
"""The size of a panel, in widths of its text."""
LEAST = 0.1
"""The axis of the objective ends at so many percent above the lowest."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trace:
    """A line with its name and colour; later ones of one colour are dashed."""

    name: str
    colour: str
    x: Floats
    y: Floats
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """What is drawn of a data set; ``words`` describe it to those who do not see it.

    ``low`` to ``high`` are the ends of the axis: a line that leaves it is cut there. ``lead`` is
    the height of a dotted line from one time to another, with the words beside it.
    """

    title: str
    words: str
    axis: str
    traces: Sequence[Trace]
    low: float
    high: float
    log: bool = False
    unit: str = " %"
    lead: tuple[float, float, float, str] | None = None


@dataclass(frozen=True)
class Group:
    """Panels of one quantity against one axis, one per data set."""

    key: str
    quantity: str
    by: str
    panels: Sequence[Panel]


def colours(results: Any) -> dict[str, tuple[str, bool]]:
    """Return the colour of each method, and whether its lines are dashed, by label."""
    labels = [method.label for method in results.methods]
    return {
        label: (colour, place >= len(METHODS))
        for place, (label, colour) in enumerate(zip(labels, cycle(METHODS), strict=False))
    }


def objective_groups(curves: Curves) -> list[Group]:
    """Return the objective above the lowest by seconds and by iterations, where it is known."""
    axes = ["seconds", "iterations"] if curves.clock else ["iterations"]
    return list(_groups(curves, curves.excess, "objective above the lowest", axes))


def score_groups(curves: Curves) -> list[Group]:
    """Return the test score by iterations and by seconds, where it was recorded."""
    metric = curves.results.metric
    name = metric.curve or "test_error"
    words = metric.words if metric.curve else "test error"
    lines = curves.means(name, metric.scale if metric.curve else 100.0)
    axes = ["iterations", "seconds"] if curves.clock else ["iterations"]
    return list(_groups(curves, lines, words, axes))


def _groups(curves: Curves, lines: Lines, quantity: str, axes: Sequence[str]) -> Iterator[Group]:
    kind = "objective" if lines is curves.excess else "score"
    for by in axes if lines else ():
        panels = [_panel(curves, lines, name, quantity, by) for name in curves.drawn]
        yield Group(f"{kind}-by-{by}", quantity, by, panels)


def _panel(curves: Curves, lines: Lines, dataset: str, quantity: str, by: str) -> Panel:
    names, metric = names_of(curves.results.methods), curves.results.metric
    own = {name: lines[dataset, name] for name in names if (dataset, name) in lines}
    looks = {label: look for label, look in colours(curves.results).items() if label in own}
    traces = [
        Trace(names[label], colour, *own[label].points(by), dashed)
        for label, (colour, dashed) in looks.items()
    ]
    axis = curves.clock_words if by == "seconds" else "iterations"
    words = f"{dataset}: {quantity} against {axis}"
    if lines is curves.excess:
        high = max([10.0, *(float(each.y.max()) for each in traces if len(each.y))])
        lead = _lead(curves, own) if by == "seconds" else None
        return Panel(dataset, words, axis, traces, LEAST, high, log=True, lead=lead)
    unit = " %" if metric.unit == "%" or not metric.curve else ""
    return Panel(dataset, words, axis, traces, *_ends(traces, metric), unit=unit)


def _lead(curves: Curves, own: Mapping[str, Any]) -> tuple[float, float, float, str] | None:
    """Return where the first and the last solver come near the lowest objective."""
    if curves.sooner is None:
        return None
    first, last = (own[label].first(NEAR) for label in curves.sooner[:2])
    words = numbers.ratio(float(f"{last / first:.2g}")).removeprefix("× ")
    return NEAR, first, last, f"{words} times"


def _ends(traces: Sequence[Trace], metric: Any) -> tuple[float, float]:
    """Return the ends of an axis of scores, chosen by where the lines end, not by the worst one."""
    ends = np.array([each.y[-1] for each in traces if len(each.y)])
    every = np.concatenate([each.y for each in traces])
    middle = float(np.median(ends))
    reach = 6 * float(np.median(np.abs(ends - middle))) + 0.5 * abs(middle)
    near = ends[np.abs(ends - middle) <= reach]
    span = float(np.ptp(near)) or 0.1 * abs(middle) or 1.0
    if metric.curve and metric.greater_is_better:
        most = metric.scale if metric.is_share else math.inf
        low = max(float(every.min()), float(near.min()) - 2 * span)
        return low, min(most, float(every.max()) + 0.1 * span)
    high = min(float(every.max()), float(near.max()) + max(span, 0.6 * middle))
    low = float(every.min())
    return (0.0 if low < 0.5 * high else low - 0.1 * span), high


def figure(panels: Sequence[Sequence[Panel]], title: str = "") -> Figure:
    """Return lines of panels as one figure."""
    size, across = text_size(), max(map(len, panels))
    made = sheet(WIDTH * size * across, HEIGHT * size * len(panels), title)
    names = {}
    for place, axes in enumerate(made.subplots(len(panels), across, squeeze=False).flat):
        line = panels[place // across]
        if place % across >= len(line):
            axes.remove()
            continue
        shown = line[place % across]
        axes.set_title(shown.title if title else "")
        _draw(axes, shown)
        names[axes] = _names(axes, shown)
    made.draw_without_rendering()
    made.set_layout_engine("none")
    for axes, own in names.items():
        _part(axes, own)
    return made


def _draw(axes: Axes, shown: Panel) -> None:
    lines = [_cut(each, shown) for each in shown.traces]
    known = np.concatenate([x for x, _ in lines]) if lines else np.array([])
    left, right = (known.min(), known.max()) if len(known) else (1.0, 10.0)
    right = max(right, 1.01 * left)
    axes.set(xscale="log", yscale="log" if shown.log else "linear", xlabel=shown.axis)
    axes.minorticks_off()
    axes.set(xlim=(left, right), ylim=(shown.low, shown.high))
    axes.set(xticks=ticks(left, right, log=True), yticks=ticks(shown.low, shown.high, shown.log))
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_major_formatter("{x:,g}" + shown.unit)
    axes.grid(axis="y")
    for each, (x, y) in zip(shown.traces, lines, strict=True):
        axes.plot(x, y, color=COLOURS[each.colour], linestyle=(0, (4, 2)) if each.dashed else "-")
    if shown.lead is not None:
        level, first, last, words = shown.lead
        axes.plot([first, last], [level] * 2, "o:", color=COLOURS["ink"], linewidth=1)
        axes.annotate(words, (last, level), (6, 0), textcoords="offset points", va="center",
                      fontweight="bold")  # fmt: skip


def _cut(trace: Trace, shown: Panel) -> tuple[Floats, Floats]:
    """Return the part of a line inside the axis, from where it enters to where it leaves."""
    x, y = trace.x.copy(), trace.y.copy()
    inside = np.flatnonzero((y >= shown.low) & (y <= shown.high))
    if not len(inside):
        return x[:0], y[:0]
    first, last = inside[0], inside[-1]
    for here, outside in ((first, first - 1), (last, last + 1)):
        if 0 <= outside < len(y):
            # The point outside moves along the line to the edge.
            edge = float(np.clip(y[outside], shown.low, shown.high))
            values = np.array([y[here], max(y[outside], 1e-12) if shown.log else y[outside], edge])
            a, b, c = np.log(values) if shown.log else values
            x[outside] = x[here] * (x[outside] / x[here]) ** ((c - a) / (b - a))
            y[outside] = edge
    part = slice(max(first - 1, 0), last + 2)
    return x[part], np.clip(y[part], shown.low, shown.high)


def _names(axes: Axes, shown: Panel) -> list[Annotation]:
    """Write the name of each line where it ends, of one that stays outside at the edge."""
    found = []
    for each, line in zip(shown.traces, axes.lines, strict=False):
        name, place, ends = each.name, "data", np.asarray(line.get_xydata())
        if not len(ends):
            above = each.y[-1] > shown.high
            name = f"{name} {numbers.fixed(float(each.y[-1]), 0)} {'↑' if above else '↓'}"
            ends, place = np.array([(0.9, float(above))]), "axes fraction"
        look: dict[str, Any] = {"va": "center", "color": COLOURS[each.colour]}
        offset = (0.4 * text_size(), 0)
        found.append(axes.annotate(name, tuple(ends[-1]), offset, place, "offset points", **look))
    return found


def _part(axes: Axes, names: Sequence[Annotation]) -> None:
    """Move names up or down, within the panel, until they do not cover each other."""
    size, box = text_size(), axes.bbox
    taken = [each.get_window_extent() for each in axes.texts if each not in names]
    for text in sorted(names, key=lambda text: text.get_window_extent().y0):
        for move in (0, 1, -1, 2, -2, 3, -3, *range(4, 12)):
            text.set_position((0.4 * size, 0.6 * move * size))
            at = text.get_window_extent()
            if box.y0 <= at.y1 and at.y0 <= box.y1 and not at.count_overlaps(taken):
                taken.append(at)
                break
        else:
            text.remove()
