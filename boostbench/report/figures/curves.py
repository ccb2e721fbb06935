"""The learning curves as figures: mean over runs, a band of one sd, legends with final values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, count
from typing import TYPE_CHECKING, TypeVar

from boostbench.report import numbers
from boostbench.report.figures import drawing
from boostbench.report.figures.drawing import BAND, INK, SOFT
from boostbench.report.figures.panels import Layout, Panel, has
from boostbench.report.figures.scales import set_scales

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boostbench.papers import Paper
    from boostbench.papers.results import Curve, Method
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
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
PANEL_WIDTH, PANEL_HEIGHT, MARKS_A_LINE = 3.4, 2.55, 8
SMALLEST_ON_LOG = 1e-12
# Inches per line of a legend; points from a panel's corner; letters of a label beside another.
LEGEND_LINE, LEGEND_OFFSET, LONGEST_OF_TWO = 0.125, (-26, -30), 27
T = TypeVar("T")


def files(layout: Layout, summary: Summary) -> dict[str, bytes]:
    """Return a figure in each of :data:`~drawing.FORMATS`: same results, same bytes."""
    from matplotlib.figure import Figure

    with drawing.style("path"):
        rows = len(layout.rows)
        height = rows * (PANEL_HEIGHT + LEGEND_LINE * max(_lines(layout.panels, summary)))
        size = (PANEL_WIDTH * len(layout.rows[0]) + 0.2, height + 0.1)
        figure = Figure(figsize=size, layout=drawing.layout())
        grid = figure.subplots(len(layout.rows), len(layout.rows[0]), squeeze=False)
        for axes, panel in zip(grid.flat, layout.panels, strict=True):
            _draw(axes, panel, summary)
        # Laying out takes longer than drawing, and is the same for every format.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        return {kind: drawing.save(figure, kind) for kind in drawing.FORMATS}


def panels(layout: Layout, summary: Summary, prefix: str) -> list[tuple[str, str]]:
    """Return (words, inline SVG) per panel, its text real text, its colours CSS variables.

    ``prefix`` keeps the ids of one figure from those of another on the same page.
    """
    with drawing.style("none"):
        return [
            (panel.words, drawing.inline(_panel_figure(panel, summary), f"{prefix}{number}"))
            for number, panel in enumerate(layout.panels)
        ]


def _panel_figure(panel: Panel, summary: Summary) -> Figure:
    from matplotlib.figure import Figure

    height = PANEL_HEIGHT + 0.45 + LEGEND_LINE * _lines([panel], summary)[0]
    figure = Figure(figsize=(PANEL_WIDTH + 0.6, height), layout=drawing.layout())
    _draw(figure.subplots(), panel, summary)
    return figure


def _draw(axes: Axes, panel: Panel, summary: Summary) -> None:
    drawn = _drawn(panel, summary)
    axes.set_title(panel.dataset, fontsize=9, fontweight="bold", loc="left", color=INK)
    axes.set_xlabel(panel.x.title)
    axes.set_ylabel(panel.y.title)
    axes.tick_params(length=2, width=0.6)
    axes.grid(color=BAND, linewidth=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if not drawn:
        axes.text(0.5, 0.5, "not recorded", ha="center", transform=axes.transAxes, color=SOFT)
        return
    places = line_places(summary.methods, summary.paper)
    longest = max(curve.length for _, curve in drawn)
    labels = [_label(panel, method, curve, summary.paper) for method, curve in drawn]
    for (method, curve), label in zip(drawn, labels, strict=True):
        number = places[method.label]
        _draw_curve(axes, panel, curve, number, label)
        if curve.settled and panel.x.quantity == "iteration" and panel.y.unit != "s":
            _hold(axes, panel, curve, number, longest)
    set_scales(axes, panel, [curve for _, curve in drawn])
    _add_legend(axes, labels)


def _drawn(panel: Panel, summary: Summary) -> list[tuple[Method, Curve]]:
    """Return the methods of ``panel`` with their curves."""
    known = ((m, summary.curves.get((panel.dataset, m.label))) for m in summary.methods)
    return [
        (method, curve)
        for method, curve in known
        if curve is not None and has(curve, panel.x) and has(curve, panel.y)
    ]


def _lines(shown: Sequence[Panel], summary: Summary) -> list[int]:
    """Return how many lines the legend of each panel has."""
    counts = []
    for panel in shown:
        labels = [_label(panel, *drawn, summary.paper) for drawn in _drawn(panel, summary)]
        counts.append(math.ceil(len(labels) / _legend_columns(labels)))
    return counts


def _label(panel: Panel, method: Method, curve: Curve, paper: Paper | None) -> str:
    return f"{display_name(method, paper)} {_final(curve, panel.y)}"


def display_name(method: Method, paper: Paper | None) -> str:
    """Return the paper's short name of a registered method under its own name, else the label."""
    if paper is None or method.label != method.registered:
        return method.label
    return paper.display_name(method) or paper.printed_names.get(method.label, method.label)


def _legend_columns(labels: Sequence[str]) -> int:
    return 2 if max(map(len, labels), default=0) <= LONGEST_OF_TWO else 1


def _add_legend(axes: Axes, labels: Sequence[str]) -> None:
    """Put the legend below the panel, where it neither hides data nor shrinks them."""
    from matplotlib.transforms import ScaledTranslation

    left, below = LEGEND_OFFSET
    offset = ScaledTranslation(left / 72, below / 72, axes.figure.dpi_scale_trans)
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=axes.transAxes + offset,
        ncols=_legend_columns(labels),
        fontsize=6.3,
        frameon=False,
        handlelength=2.6,
        columnspacing=1.2,
        labelspacing=0.3,
        borderpad=0,
        borderaxespad=0,
    )


def line_places(methods: Sequence[Method], paper: Paper | None) -> dict[str, int]:
    """Return the place of each method, by label, among the colours, dashes and markers.

    The paper's methods have the same place in every figure (the one labelled with the registered
    name, if several have it). The others take the remaining places, in order. All are numbered
    where they are one method, as the solvers of Figure 6 are, or none is the paper's.
    """
    own = {name: place for place, name in enumerate(paper.printed_names if paper else ())}
    fixed: dict[str, int] = {}
    if len({method.registered for method in methods}) > 1:
        for method in sorted(methods, key=lambda method: method.label != method.registered):
            place = own.get(method.registered)
            if place is not None and place not in fixed.values():
                fixed[method.label] = place
    kept = own.values() if fixed else ()
    free = chain(
        (place for place in range(len(COLOURS)) if place not in kept),
        (place for place in kept if place not in fixed.values()),
        count(len(COLOURS)),
    )
    return {
        method.label: fixed[method.label] if method.label in fixed else next(free)
        for method in methods
    }


def _pick(choices: Sequence[T], place: int) -> T:
    """Return the choice for ``place``; the second round begins at the second choice."""
    return choices[(place + place // len(COLOURS)) % len(choices)]


def _values(curve: Curve, axis: Axis) -> list[float]:
    if axis.quantity == "iteration":
        return [float(step) for step in range(1, curve.length + 1)]
    return [axis.scale * value for value in curve.means[axis.quantity]]


def _draw_curve(axes: Axes, panel: Panel, curve: Curve, number: int, label: str) -> None:
    colour = COLOURS[number % len(COLOURS)]
    x, y = _values(curve, panel.x), _values(curve, panel.y)
    floor = SMALLEST_ON_LOG if panel.y.log else -math.inf
    y = [max(value, floor) for value in y]
    sds = [panel.y.scale * sd for sd in curve.sds.get(panel.y.quantity, ())]
    if sds:
        # On a logarithmic axis a band as wide as the mean would have no end.
        lowest = [value * 0.1 if panel.y.log else 0.0 for value in y]
        low = [max(m - s, bound) for m, s, bound in zip(y, sds, lowest, strict=True)]
        high = [m + s for m, s in zip(y, sds, strict=True)]
        axes.fill_between(x, low, high, color=colour, alpha=0.16, linewidth=0, zorder=1)
    axes.plot(
        x,
        y,
        color=colour,
        linestyle=_pick(DASHES, number),
        linewidth=1.2,
        marker=_pick(MARKERS, number),
        markersize=3,
        # Marks of different lines at different places do not hide each other.
        markevery=_spaced(number) if panel.x.log else _marks(len(x), number),
        label=label,
        zorder=2,
    )


def _hold(axes: Axes, panel: Panel, curve: Curve, number: int, longest: int) -> None:
    """Continue, thinly, the last value of trainings that ended by themselves."""
    if curve.length < longest:
        last = _values(curve, panel.y)[-1]
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(
            [curve.length, longest],
            [last, last],
            color=colour,
            linestyle=":",
            linewidth=0.8,
            zorder=2,
        )


def _spaced(number: int) -> tuple[float, float]:
    """Return the first mark and the distance of marks along the line, as shares of the panel."""
    return 0.8 * (number % len(COLOURS)) / MARKS_A_LINE / len(COLOURS), 1.0 / MARKS_A_LINE


def _marks(length: int, number: int) -> list[int]:
    """Return which iterations are marked."""
    step = max(1, length // MARKS_A_LINE)
    return [*range(number % len(COLOURS) * step // len(COLOURS), length, step)]


def _final(curve: Curve, axis: Axis) -> str:
    final = curve.finals[axis.quantity]
    mean = axis.scale * final.mean
    if axis.unit == "s":
        digits = numbers.second_digits(mean)
    elif axis.unit == "%":
        digits = 2
    else:
        digits = 0 if mean >= 1000 else 1 if mean >= 10 else 4
    text = f"{mean:,.{digits}f}"
    if final.sd is None:
        return text
    return f"{text} ± {numbers.spread(axis.scale * final.sd, mean, digits)}"
