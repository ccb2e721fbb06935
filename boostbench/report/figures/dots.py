"""Measured mean scores beside the published ones: one panel per method, one row per data set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from boostbench.report.cells import Cell, mean_of
from boostbench.report.figures import drawing
from boostbench.report.figures.drawing import BAND, INK, PAPER, SOFT
from boostbench.report.metric import Verdict
from boostbench.report.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boostbench.papers.results import Method

# The markers differ in shape as well.
COLOURS = {
    Verdict.WITHIN: drawing.GREEN,
    Verdict.ABOVE: drawing.BLUE,
    Verdict.BELOW: drawing.ORANGE,
    Verdict.NONE: drawing.GREY,
}
MARKERS = {Verdict.WITHIN: "o", Verdict.ABOVE: "^", Verdict.BELOW: "v", Verdict.NONE: "o"}
COLUMNS, ROW_HEIGHT, PANEL_WIDTH, LABEL_LENGTH = 4, 0.23, 2.75, 26


def files(summary: Summary) -> dict[str, bytes]:
    """Return the whole figure in each of :data:`~drawing.FORMATS`: same results, same bytes."""
    with drawing.style("path"):
        figure = _figure(summary)
        # Laying out takes longer than drawing, and is the same for every format.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        return {kind: drawing.save(figure, kind) for kind in drawing.FORMATS}


def panels(summary: Summary) -> list[tuple[str, str]]:
    """Return (method, inline SVG) per method, its text real text, its colours CSS variables."""
    with drawing.style("none"):
        return [
            (method.label, drawing.inline(_panel_figure(summary, method), f"p{number}"))
            for number, method in enumerate(summary.methods)
            if summary.cells
        ]


def _figure(summary: Summary) -> Figure:
    from matplotlib.figure import Figure

    methods = list(summary.methods) if summary.cells else []
    if not methods:
        figure = Figure(figsize=(5, 1))
        figure.text(0.5, 0.5, "Nothing is planned here yet.", ha="center", va="center")
        return figure
    columns = min(COLUMNS, len(methods))
    rows = math.ceil(len(methods) / columns)
    height = rows * (ROW_HEIGHT * len(summary.datasets) + 0.75) + 0.5
    figure = Figure(figsize=(PANEL_WIDTH * columns + 1.0, height), layout=drawing.layout())
    grid = figure.subplots(rows, columns, squeeze=False)
    for index, axes in enumerate(grid.flat):
        if index >= len(methods):
            axes.set_axis_off()
            continue
        _draw(axes, summary, methods[index], names=index % columns == 0)
    figure.legend(
        handles=_legend(summary), loc="outside lower center", ncols=5, frameon=False, fontsize=8
    )
    return figure


def _panel_figure(summary: Summary, method: Method) -> Figure:
    from matplotlib.figure import Figure

    height = ROW_HEIGHT * len(summary.datasets) + 0.75
    figure = Figure(figsize=(PANEL_WIDTH + 1.15, height), layout=drawing.layout())
    _draw(figure.subplots(), summary, method, names=True)
    return figure


def _draw(axes: Axes, summary: Summary, method: Method, *, names: bool) -> None:
    metric = summary.metric
    low, high = _limits(summary)
    labels = [_shorten(data.label) for data in summary.datasets]
    for row, cell in enumerate(summary.column(method)):
        _draw_cell(axes, row, cell, low, high)
    axes.set_title(_shorten(method.label), fontsize=9, fontweight="bold", loc="left", color=INK)
    axes.set_xlim(low, high + 0.015 * (high - low))
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_yticks(range(len(labels)), labels if names else [])
    axes.set_xlabel(f"mean {metric.words}{', %' if metric.unit else ''}", fontsize=8)
    axes.tick_params(length=2, width=0.6)
    axes.tick_params(axis="y", length=0, pad=6)
    axes.grid(color=BAND, linewidth=0.5)
    axes.grid(axis="y", linewidth=0.25)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _shorten(label: str) -> str:
    return label if len(label) <= LABEL_LENGTH else f"{label[: LABEL_LENGTH - 1]}…"


def _draw_cell(axes: Axes, row: int, cell: Cell, low: float, high: float) -> None:
    printed, metric = cell.published, cell.metric
    if printed is not None:
        mean, width = metric.scale * printed.mean, metric.scale * cell.tolerance
        ends = (max(low, mean - width), min(high, mean + width))
        axes.hlines(row, *ends, color=BAND, linewidth=6.5, zorder=1)
        axes.plot(mean, row, "D", markersize=4, mfc=PAPER, mec=INK, mew=0.8, zorder=2)
    text, colour, weight = "no finished run", SOFT, "normal"
    if cell.compared is not None:
        score = metric.scale * cell.compared.mean
        colour = COLOURS[cell.verdict]
        text = metric.difference(cell.difference) or metric.text(cell.compared.mean)
        weight = "bold" if cell.verdict in (Verdict.ABOVE, Verdict.BELOW) else "normal"
        if score < low:
            axes.plot(low, row, "<", markersize=5, color=colour, clip_on=False, zorder=4)
            text = f"{metric.label} {metric.text(cell.compared.mean)}"
        else:
            if cell.compared.sd is not None:
                sd = metric.scale * cell.compared.sd
                ends = (max(low, score - sd), min(high, score + sd))
                axes.hlines(row, *ends, color=colour, lw=0.9, zorder=3)
            axes.plot(score, row, MARKERS[cell.verdict], markersize=3.6, color=colour, zorder=4)
    elif cell.finished:
        text = f"all {metric.exploded_label}"
    axes.annotate(
        text,
        (1.02, row),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=7,
        color=colour,
        fontweight=weight,
        annotation_clip=False,
    )


def _limits(summary: Summary) -> tuple[float, float]:
    """Return bounds for all panels that hold every sensible mean and the perfect score.

    Exploded means lie outside.
    """
    metric = summary.metric
    cells = summary.cells.values()
    means = [mean_of(cell.compared) for cell in cells]
    means += [cell.published.mean for cell in cells if cell.published]
    kept = [mean for mean in means if mean is not None and mean >= 0]
    if metric.higher_is_better:
        lowest = min(kept, default=0.0)
        return metric.scale * max(0.0, math.floor((lowest - 0.05) * 10) / 10), metric.scale
    highest = max(kept, default=1.0)
    return 0.0, metric.scale * min(1.0, math.ceil((highest + 0.05) * 10) / 10)


def _legend(summary: Summary) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def dot(verdict: Verdict, label: str) -> Line2D:
        return Line2D(
            [], [], color=COLOURS[verdict], marker=MARKERS[verdict], lw=0.9, ms=4, label=label
        )

    seen = {cell.verdict for cell in summary.cells.values() if cell.compared is not None}
    words = {
        Verdict.WITHIN: "measured ± sd: within tolerance",
        Verdict.ABOVE: "above",
        Verdict.BELOW: "below",
        Verdict.NONE: "measured ± sd",
    }
    handles: list[Any] = [dot(verdict, words[verdict]) for verdict in words if verdict in seen]
    if any(cell.published for cell in summary.cells.values()):
        handles.append(
            Line2D([], [], ls="", marker="D", mfc=PAPER, mec=INK, ms=4, label="published")
        )
        handles.append(Patch(color=BAND, label="published ± tolerance"))
    return handles
