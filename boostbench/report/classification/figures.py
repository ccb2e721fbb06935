"""The learning curves as figures: mean over runs, a band of one sd, legends with final values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from boostbench.report import drawing, numbers
from boostbench.report.classification.layout import Layout, Panel, display_name
from boostbench.report.drawing import BAND, INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boostbench.report.classification.curves import Curve
    from boostbench.report.classification.layout import Axis
    from boostbench.report.frame import MethodInfo

Curves = Mapping[tuple[str, str], "Curve"]
COLOURS = (
    drawing.ORANGE,
    drawing.BLUE,
    drawing.GREEN,
    drawing.PINK,
    drawing.AMBER,
    drawing.SKY,
    INK,
    drawing.GREY,
)
# Dashes and markers tell the lines apart in grey as well.
DASHES = ("-", (0, (5, 1.5)), "-.", (0, (1, 1.2)), (0, (3, 1, 1, 1, 1, 1)), (0, (7, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
PANEL_WIDTH, PANEL_HEIGHT, MARKS_A_LINE = 3.3, 2.55, 8
SMALLEST_ON_LOG = 1e-12
# An axis that spans less has ticks at 2 and 5 as well.
FEW_DECADES = 10**2.2
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Errors of the first iterations, a few lines at a panel's edge, may lie above it.
NOT_SHOWN = 0.02
# A legend begins at this share of the width, and takes this share of the height a line.
LEGEND_FROM, LEGEND_LINE = 0.35, 0.063


def figure_files(layout: Layout, methods: Sequence[MethodInfo], curves: Curves) -> dict[str, bytes]:
    """Return a figure in each of :data:`~drawing.FORMATS`: same results, same bytes."""
    from matplotlib.figure import Figure

    with drawing.style("path"):
        size = (PANEL_WIDTH * len(layout.rows[0]) + 0.2, PANEL_HEIGHT * len(layout.rows) + 0.1)
        figure = Figure(figsize=size, layout=drawing.layout())
        grid = figure.subplots(len(layout.rows), len(layout.rows[0]), squeeze=False)
        for axes, panel in zip(grid.flat, layout.panels, strict=True):
            _draw(axes, panel, methods, curves)
        # Laying out takes longer than drawing, and is the same for every format.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        return {kind: drawing.save(figure, kind) for kind in drawing.FORMATS}


def panel_svgs(
    layout: Layout, methods: Sequence[MethodInfo], curves: Curves, prefix: str
) -> list[tuple[str, str]]:
    """Return (words, inline SVG) a panel, its text real text, its colours CSS variables.

    ``prefix`` keeps the ids of one figure from those of another on the same page.
    """
    with drawing.style("none"):
        return [
            (
                panel.words,
                drawing.inline(_panel_figure(panel, methods, curves), f"{prefix}{number}"),
            )
            for number, panel in enumerate(layout.panels)
        ]


def _panel_figure(panel: Panel, methods: Sequence[MethodInfo], curves: Curves) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PANEL_WIDTH + 0.6, PANEL_HEIGHT + 0.45), layout=drawing.layout())
    _draw(figure.subplots(), panel, methods, curves)
    return figure


def _draw(axes: Axes, panel: Panel, methods: Sequence[MethodInfo], curves: Curves) -> None:
    lines = 0
    longest = max(
        (c.length for (dataset, _), c in curves.items() if dataset == panel.dataset), default=0
    )
    for number, method in enumerate(methods):
        curve = curves.get((panel.dataset, method.label))
        if curve is not None and _has(curve, panel.x) and _has(curve, panel.y):
            _draw_curve(axes, panel, curve, number, display_name(method))
            if curve.settled and panel.x.quantity == "iteration" and panel.y.unit != "s":
                _hold(axes, panel, curve, number, longest)
            lines += 1
    axes.set_title(panel.dataset, fontsize=9, fontweight="bold", loc="left", color=INK)
    axes.set_xlabel(panel.x.title)
    axes.set_ylabel(panel.y.title)
    axes.tick_params(length=2, width=0.6)
    axes.grid(color=BAND, linewidth=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if not lines:
        axes.text(0.5, 0.5, "not recorded", ha="center", transform=axes.transAxes, color=SOFT)
        return
    shown = [curves[key] for key in curves if key[0] == panel.dataset]
    _scale(axes, panel, [curve for curve in shown if _has(curve, panel.y)], lines)
    # Errors and objectives fall, times against iterations rise.
    corner: Literal["lower right", "upper right"]
    corner = "lower right" if panel.y.quantity.endswith("_s") else "upper right"
    axes.legend(
        loc=corner,
        fontsize=6.3,
        frameon=True,
        framealpha=0.85,
        edgecolor="none",
        handlelength=2.6,
        labelspacing=0.25,
        borderpad=0.2,
    )


def _has(curve: Curve, axis: Axis) -> bool:
    return axis.quantity == "iteration" or any(curve.means.get(axis.quantity, ()))


def _values(curve: Curve, axis: Axis) -> list[float]:
    if axis.quantity == "iteration":
        return [float(step) for step in range(1, curve.length + 1)]
    return [axis.scale * value for value in curve.means[axis.quantity]]


def _draw_curve(axes: Axes, panel: Panel, curve: Curve, number: int, name: str) -> None:
    colour = COLOURS[number % len(COLOURS)]
    x, y = _values(curve, panel.x), _values(curve, panel.y)
    floor = SMALLEST_ON_LOG if panel.y.log else -math.inf
    y = [max(value, floor) for value in y]
    sds = [panel.y.scale * sd for sd in curve.sds.get(panel.y.quantity, ())]
    if sds:
        # On a logarithmic axis a band as wide as the mean would reach down for ever.
        lowest = [value * 0.1 if panel.y.log else 0.0 for value in y]
        low = [max(m - s, bound) for m, s, bound in zip(y, sds, lowest, strict=True)]
        high = [m + s for m, s in zip(y, sds, strict=True)]
        axes.fill_between(x, low, high, color=colour, alpha=0.16, linewidth=0, zorder=1)
    axes.plot(
        x,
        y,
        color=colour,
        linestyle=DASHES[number % len(DASHES)],
        linewidth=1.2,
        marker=MARKERS[number % len(MARKERS)],
        markersize=3,
        # Marks of different lines at different places do not hide each other.
        markevery=_spaced(number) if panel.x.log else _marks(len(x), number),
        label=f"{name} {_final(curve, panel.y)}",
        zorder=2,
    )


def _hold(axes: Axes, panel: Panel, curve: Curve, number: int, longest: int) -> None:
    """Go on, thinly, with the last value of trainings that ended by themselves."""
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
    return 0.8 * number / MARKS_A_LINE / len(COLOURS), 1.0 / MARKS_A_LINE


def _marks(length: int, number: int) -> list[int]:
    """Return which iterations are marked."""
    step = max(1, length // MARKS_A_LINE)
    return [*range(number * step // len(COLOURS), length, step)]


def _final(curve: Curve, axis: Axis) -> str:
    final = curve.finals[axis.quantity]
    mean, sd = axis.scale * final.mean, None if final.sd is None else axis.scale * final.sd
    if axis.unit == "s":
        digits = numbers.second_digits(mean)
        parts = [f"{value:,.{digits}f}" for value in (mean, sd) if value is not None]
    elif axis.unit == "%":
        parts = [f"{value:.2f}" for value in (mean, sd) if value is not None]
    else:
        digits = 0 if mean >= 1000 else 1 if mean >= 10 else 4
        parts = [f"{value:,.{digits}f}" for value in (mean, sd) if value is not None]
    return " ± ".join(parts)


def _scale(axes: Axes, panel: Panel, curves: Sequence[Curve], lines: int) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis, set_scale, ticks in (
        (panel.x, axes.set_xscale, axes.xaxis),
        (panel.y, axes.set_yscale, axes.yaxis),
    ):
        if axis.log:
            set_scale("log")
            ticks.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))
            ticks.set_minor_formatter(NullFormatter())
    if not panel.x.log:
        axes.set_xlim(left=0, right=max(curve.length for curve in curves))
    for limits, ticks in ((axes.get_xlim(), axes.xaxis), (axes.get_ylim(), axes.yaxis)):
        if ticks.get_scale() == "log" and limits[1] < FEW_DECADES * limits[0]:
            ticks.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    low, high = axes.get_ylim()
    share = LEGEND_LINE * lines + LEGEND_LINE
    beside = [_values(curve, panel.y)[int(LEGEND_FROM * curve.length) :] for curve in curves]
    lowest, highest = min(map(min, beside)), max(map(max, beside))
    if not panel.y.log:
        early = max(_values(curve, panel.y)[int(NOT_SHOWN * curve.length)] for curve in curves)
        axes.set_ylim(0, max(1.05 * early, highest / (1 - share)))
    elif panel.y.quantity.endswith("_s"):
        axes.set_ylim(bottom=min(low, lowest * (lowest / high) ** (share / (1 - share))))


def _tick(value: float) -> str:
    if not value or 1e-3 <= value < 1e5:
        return f"{value:,.6g}"
    exponent = math.log10(value)
    if not math.isclose(exponent, round(exponent), abs_tol=1e-9):
        return f"{value:.3g}"
    return "10" + f"{round(exponent)}".translate(SUPERSCRIPTS)
