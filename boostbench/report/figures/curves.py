"""The learning curves as figures, with one legend each.

Scores are means over runs with a band of one sd; on logarithmic axes there is the median with a
band from the smallest to the largest. A method without stages is a horizontal line.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import TYPE_CHECKING, Any, TypeVar

from boostbench.report.figures import drawing
from boostbench.report.figures.drawing import BAND, INK, SOFT
from boostbench.report.figures.panels import Layout, Panel, has
from boostbench.report.figures.scales import set_scales

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boostbench.papers import Paper
    from boostbench.papers.results import Curve, Method
    from boostbench.report.collect import Run
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


def files(layout: Layout, summary: Summary) -> dict[str, bytes]:
    """Return a figure in each of :data:`~drawing.FORMATS`: same results, same bytes."""
    from matplotlib.figure import Figure

    with drawing.style("path"):
        columns = len(layout.rows[0])
        handles = _handles(layout.panels, summary)
        lines = math.ceil(len(handles) / (2 * columns))
        legend = LEGEND_LINE * lines + 0.1
        size = (PANEL_WIDTH * columns + 0.2, PANEL_HEIGHT * len(layout.rows) + legend)
        figure = Figure(figsize=size, layout=drawing.layout())
        grid = figure.subplots(len(layout.rows), columns, squeeze=False)
        for axes, panel in zip(grid.flat, layout.panels, strict=True):
            _draw(axes, panel, summary)
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=math.ceil(len(handles) / max(1, lines)),
            frameon=False,
            fontsize=8,
            handlelength=3.2,
        )
        return drawing.files(figure)


def panels(layout: Layout, summary: Summary, prefix: str) -> list[tuple[str, str]]:
    """Return (words, inline SVG) of the legend and per panel.

    Their text is real text, their colours are CSS variables. ``prefix`` keeps the ids of one figure
    from those of another on the same page.
    """
    handles = _handles(layout.panels, summary)
    words = "Legend: " + ", ".join(str(handle.get_label()) for handle in handles)
    with drawing.style("none"):
        return [
            (words, drawing.inline(_legend_figure(handles), f"{prefix}legend")),
            *(
                (panel.words, drawing.inline(_panel_figure(panel, summary), f"{prefix}{number}"))
                for number, panel in enumerate(layout.panels)
            ),
        ]


def _panel_figure(panel: Panel, summary: Summary) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PANEL_WIDTH + 0.6, PANEL_HEIGHT + 0.25), layout=drawing.layout())
    _draw(figure.subplots(), panel, summary)
    return figure


def _legend_figure(handles: Sequence[Any]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PANEL_WIDTH + 0.6, 0.3 + LEGEND_LINE * len(handles)))
    figure.legend(handles=handles, loc="center left", frameon=False, fontsize=9, handlelength=3.6)
    return figure


def _handles(shown: Sequence[Panel], summary: Summary) -> list[Any]:
    """Return the entries of a figure's legend: its methods, and what the bands are."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    places = line_places(summary.methods, summary.paper)
    seen = {m.label for panel in shown for m, _ in _drawn(panel, summary)}
    flat = {m.label for panel in shown for m, _ in without_stages(panel, summary)}
    found: list[Any] = []
    for method in summary.methods:
        if method.label in seen | flat:
            name = display_name(method, summary.paper)
            staged = method.label in seen
            found.append(
                Line2D(
                    [],
                    [],
                    color=line_colour(places[method.label]),
                    linestyle=_dashes(places[method.label]) if staged else FLAT,
                    linewidth=1.2,
                    marker=pick(MARKERS, places[method.label]) if staged else "",
                    markersize=3.5,
                    label=name if staged else f"{name}, without stages",
                )
            )
    several = {p.y.log for p in shown for _, curve in _drawn(p, summary) if curve.runs > 1}
    for log, words in ((False, "± one sd"), (True, "log axis: smallest to largest")):
        if log in several:
            found.append(Patch(color=SOFT, alpha=0.3, linewidth=0, label=words))
    return found


def _draw(axes: Axes, panel: Panel, summary: Summary) -> None:
    drawn, flat = _drawn(panel, summary), without_stages(panel, summary)
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
    if not drawn:
        axes.text(0.5, 0.5, "not recorded", ha="center", transform=axes.transAxes, color=SOFT)
        return
    places = line_places(summary.methods, summary.paper)
    longest = max(curve.length for _, curve in drawn)
    for method, curve in drawn:
        number = places[method.label]
        _draw_curve(axes, panel, curve, number, display_name(method, summary.paper))
        if curve.settled and panel.x.quantity == "iteration" and panel.y.unit != "s":
            _hold(axes, panel, curve, number, longest)
    for method, level in flat:
        axes.axhline(level, color=line_colour(places[method.label]), linestyle=FLAT, linewidth=1.2)
    set_scales(axes, panel, [curve for _, curve in drawn], [level for _, level in flat])


def _drawn(panel: Panel, summary: Summary) -> list[tuple[Method, Curve]]:
    """Return the methods of ``panel`` with their curves."""
    known = ((m, summary.curves.get((panel.dataset, m.label))) for m in summary.methods)
    return [
        (method, curve)
        for method, curve in known
        if curve is not None and has(curve, panel.x) and has(curve, panel.y)
    ]


def without_stages(panel: Panel, summary: Summary) -> list[tuple[Method, float]]:
    """Return the methods that recorded no curve on the data set, with their final values.

    That is the mean score, or the median of the training times, in the units of the axis.
    """
    if panel.x.quantity != "iteration":
        return []
    found = []
    for method in summary.methods:
        if (panel.dataset, method.label) in summary.curves:
            continue
        runs = summary.collected.by_cell.get((panel.dataset, method.label), ())
        level = _level(panel.y, summary, runs)
        if level is not None and (level > 0 or not panel.y.log):
            found.append((method, level))
    return found


def _level(axis: Axis, summary: Summary, runs: Iterable[Run]) -> float | None:
    done = [run for run in runs if run.status == "ok"]
    if axis.quantity == "fit_s":
        times = [run.fit_s for run in done if run.fit_s is not None]
        return axis.scale * statistics.median(times) if times else None
    scores = [run.score for run in done if run.score is not None]
    if not scores or axis.quantity != summary.metric.curve:
        return None
    mean = statistics.fmean(scores)
    # Of classes the error is recorded, whatever the report shows.
    if summary.metric.task == "classification" and summary.metric.higher_is_better:
        mean = 1.0 - mean
    return axis.scale * mean


def display_name(method: Method, paper: Paper | None) -> str:
    """Return the paper's short name of a registered method under its own name, else the label."""
    if paper is None or method.label != method.registered:
        return method.label
    return paper.display_name(method) or paper.printed_names.get(method.label, method.label)


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


def pick(choices: Sequence[T], place: int) -> T:
    """Return the choice for ``place``; the second round begins at the second choice."""
    return choices[(place + place // len(COLOURS)) % len(choices)]


def line_colour(place: int) -> str:
    """Return the colour of the line at ``place``."""
    return COLOURS[place % len(COLOURS)]


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
    return 0.8 * (number % len(COLOURS)) / MARKS_A_LINE / len(COLOURS), 1.0 / MARKS_A_LINE


def _marks(length: int, number: int) -> list[int]:
    """Return which iterations are marked."""
    step = max(1, length // MARKS_A_LINE)
    return [*range(number % len(COLOURS) * step // len(COLOURS), length, step)]
