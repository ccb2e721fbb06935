"""Panels of learning curves: one data set each, every line named where it ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from boostbench import numbers
from boostbench.report.figures.canvas import COLOURS, panel, sheet, text_width

WIDTH, HEIGHT = 30.3, 19.5
"""The size of a panel, in widths of its text."""
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

    Values are in percent if ``percent``. ``low`` to ``high`` are the ends of the axis: a line that
    leaves it is cut there. ``lead`` is the height of a dotted line from one time to another, with
    the words beside it.
    """

    title: str
    words: str
    axis: str
    traces: Sequence[Trace]
    low: float
    high: float
    log: bool = False
    percent: bool = True
    lead: tuple[float, float, float, str] | None = None


def panel_figure(shown: Panel, size: float) -> Figure:
    """Return one panel as a figure, with text of so many points."""
    figure = sheet(WIDTH * size, HEIGHT * size)
    draw(figure, shown, 0, 0, size)
    return figure


def draw(figure: Figure, shown: Panel, left: float, top: float, size: float) -> None:
    """Draw a panel with its upper left corner at a place of ``figure``."""
    names = max((text_width(each.name, size) for each in shown.traces), default=0)
    right = min(0.95 * names, 0.36 * WIDTH * size) + size
    box = (left + 5 * size, top + size, (WIDTH - 5) * size - right, (HEIGHT - 4.4) * size)
    axes = panel(figure, *box)
    axes.set_xscale("log")
    axes.set_yscale("log" if shown.log else "linear")
    axes.minorticks_off()
    lines = [(each, *_cut(each, shown)) for each in shown.traces]
    known = np.concatenate([x for _, x, _ in lines if len(x)] or [np.array([1.0, 10.0])])
    axes.set_xlim(known.min(), max(known.max(), 1.01 * known.min()))
    axes.set_ylim(shown.low, shown.high)
    ticks = _decades(*axes.get_xlim())
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
    levels = _levels(shown)
    unit = " %" if shown.percent else ""
    axes.set_yticks(levels, [f"{level:,g}{unit}" for level in levels])
    axes.tick_params(labelsize=size)
    axes.set_xlabel(shown.axis, fontsize=size, color=COLOURS["soft"], labelpad=0.3 * size)
    axes.hlines(levels, *axes.get_xlim(), color=COLOURS["line"], linewidth=1, zorder=0)
    for each, x, y in lines:
        axes.plot(x, y, color=COLOURS[each.colour], linewidth=0.14 * size,
                  linestyle=(0, (4, 2)) if each.dashed else "-")  # fmt: skip
    if shown.lead is not None:
        _lead(axes, shown.lead, size)
    _name(axes, lines, shown, size, (right, box))


def _cut(trace: Trace, shown: Panel) -> tuple[Floats, Floats]:
    """Return the part of a line inside the axis, from where it enters to where it leaves."""
    x, y = trace.x, trace.y
    inside = np.flatnonzero((y >= shown.low) & (y <= shown.high))
    if not len(inside):
        return x[:0], y[:0]
    first, last = inside[0], inside[-1]
    scale = np.log if shown.log else np.asarray
    ends: list[tuple[float, float] | None] = []
    for here, outside in ((first, first - 1), (last, last + 1)):
        if 0 <= outside < len(y):
            edge = shown.high if y[outside] > shown.high else shown.low
            a, b, c = (float(scale(max(v, 1e-12) if shown.log else v))
                       for v in (y[here], y[outside], edge))  # fmt: skip
            share = 0.0 if a == b else (c - a) / (b - a)
            ends.append((float(x[here] * (x[outside] / x[here]) ** share), edge))
        else:
            ends.append(None)
    whole = [*(ends[:1] if ends[0] else []), *zip(x[first : last + 1], y[first : last + 1],
             strict=True), *(ends[1:] if ends[1] else [])]  # fmt: skip
    found = np.array(whole, dtype=float)
    return found[:, 0], np.clip(found[:, 1], shown.low, shown.high)


def _lead(axes: Axes, lead: tuple[float, float, float, str], size: float) -> None:
    level, first, last, words = lead
    ink = COLOURS["ink"]
    axes.plot([first, last], [level] * 2, ":", color=ink, linewidth=0.1 * size)
    axes.plot([first, last], [level] * 2, "o", color=ink, markersize=0.35 * size)
    axes.annotate(words, (last, level), (0.5 * size, 0), "data", "offset points", va="center",
                  fontsize=size, fontweight="bold", color=ink)  # fmt: skip


def _name(axes: Axes, lines: Sequence[tuple[Trace, Floats, Floats]], shown: Panel, size: float,
          room: tuple[float, tuple[float, float, float, float]]) -> None:  # fmt: skip
    """Write each name at the end of its line, as near as the others leave room."""
    right, (_, _, width, height) = room
    to_axes = axes.transData + axes.transAxes.inverted()
    taken: list[tuple[float, float, float]] = []
    if shown.lead is not None:
        x, y = to_axes.transform((shown.lead[2], shown.lead[0]))
        taken.append((x * width, x * width + text_width(shown.lead[3], size), y * height))
    wanted = []
    for each, x, y in lines:
        name = each.name
        if len(x):
            spot = to_axes.transform((x[-1], y[-1]))
        else:
            # All of it lies outside: it is named at the edge, with its last value.
            above = each.y[-1] > shown.high
            spot = np.array([0.98, 1.0 if above else 0.0])
            name = f"{name} {numbers.fixed(float(each.y[-1]), 0)} {'↑' if above else '↓'}"
        wanted.append((float(spot[0] * width), float(spot[1] * height), each, name))
    for at, level, each, name in sorted(wanted, key=lambda one: one[1]):
        length = 0.95 * text_width(name, size)
        start = min(at + 0.4 * size, width + right - length)
        for move in (0, 1, -1, 2, -2, 3, -3, 4, 5, 6, 7):
            y = min(max(level + 0.55 * move * size, 0.2 * size), height)
            clear = all(
                start > end or start + length < begin or abs(y - other) >= 1.05 * size
                for begin, end, other in taken
            )
            if clear:
                taken.append((start, start + length, y))
                axes.annotate(name, (start, y), xycoords="axes points", va="center",
                              fontsize=size, color=COLOURS[each.colour])  # fmt: skip
                break


def _decades(low: float, high: float) -> list[float]:
    """Return the powers of ten on an axis, at most five; on a short one 2 and 5 times these too."""
    powers = [10.0**power for power in range(math.floor(np.log10(low)), math.ceil(np.log10(high)))]
    powers = [*powers, 10 * powers[-1]] if powers else [low]
    inside = [power for power in powers if 0.999 * low <= power <= 1.001 * high]
    if len(inside) < 2:
        steps = (power * step for power in powers for step in (1, 2, 5))
        inside = [value for value in steps if 0.999 * low <= value <= 1.001 * high]
    return inside[:: 1 + (len(inside) - 1) // 5] if inside else [low]


def _levels(shown: Panel) -> list[float]:
    if shown.log:
        return _decades(shown.low, shown.high)
    unit = 10.0 ** math.floor(math.log10((shown.high - shown.low) / 2))
    step = next(unit * k for k in (5, 2, 1, 0.5) if (shown.high - shown.low) / (unit * k) >= 2.4)
    first, last = math.ceil(shown.low / step - 1e-9), math.floor(shown.high / step + 1e-9)
    return [round(step * k, 10) for k in range(first, last + 1)]
