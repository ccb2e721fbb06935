"""Measured minus published means: one panel per method, one row per data set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from boostbench.report.figures import drawing
from boostbench.report.figures.drawing import BAND, INK, SOFT
from boostbench.report.metric import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boostbench.papers.results import Method
    from boostbench.report.cells import Cell
    from boostbench.report.metric import Metric
    from boostbench.report.summary import Summary

# The markers differ in shape as well.
COLOURS = {
    Verdict.WITHIN: drawing.GREEN,
    Verdict.ABOVE: drawing.BLUE,
    Verdict.BELOW: drawing.ORANGE,
}
MARKERS = {Verdict.WITHIN: "o", Verdict.ABOVE: "^", Verdict.BELOW: "v"}
COLUMNS, ROW_HEIGHT, PANEL_WIDTH = 4, 0.23, 2.4
# The share of differences that the axis holds, and least, in tolerances.
SHOWN, LEAST = 0.85, 2.5


def heading(metric: Metric) -> str:
    """Return what is drawn, in words."""
    unit = ", in percentage points" if metric.unit else ""
    return f"Mean {metric.words}, measured − published{unit}"


def files(summary: Summary) -> dict[str, bytes]:
    """Return the whole figure in each of :data:`~drawing.FORMATS`: same results, same bytes."""
    with drawing.style("path"):
        return drawing.files(_figure(summary))


def panels(summary: Summary) -> list[tuple[str, str]]:
    """Return (method, inline SVG) per method, its text real text, its colours CSS variables."""
    with drawing.style("none"):
        return [
            (method.label, drawing.inline(_panel_figure(summary, method), f"p{number}"))
            for number, method in enumerate(_methods(summary))
        ]


def _methods(summary: Summary) -> list[Method]:
    """Return the methods of which something is published."""
    return [m for m in summary.methods if any(cell.published for cell in summary.column(m))]


def _datasets(summary: Summary) -> list[str]:
    """Return the data sets of which something is published."""
    published = {dataset for (dataset, _), cell in summary.cells.items() if cell.published}
    return [data.label for data in summary.datasets if data.label in published]


def _figure(summary: Summary) -> Figure:
    from matplotlib.figure import Figure

    methods = _methods(summary)
    columns = min(COLUMNS, len(methods))
    lines = math.ceil(len(methods) / columns)
    height = lines * (ROW_HEIGHT * len(_datasets(summary)) + 0.75) + 0.75
    width = PANEL_WIDTH * columns + drawing.text_width(_datasets(summary)) + 0.1
    figure = Figure(figsize=(max(width, 5.5), height), layout=drawing.layout())
    title = f"{heading(summary.metric)} (on the right of each row)"
    figure.suptitle(title, fontsize=10, color=INK, x=0.01, ha="left")
    grid = figure.subplots(lines, columns, squeeze=False)
    for index, axes in enumerate(grid.flat):
        if index >= len(methods):
            axes.set_axis_off()
            continue
        _draw(axes, summary, methods[index])
        if index % columns:
            axes.set_yticklabels([])
    figure.legend(
        handles=_legend(summary),
        loc="outside lower center",
        ncols=5 if columns > 2 else 2,
        frameon=False,
        fontsize=8,
    )
    return figure


def _panel_figure(summary: Summary, method: Method) -> Figure:
    from matplotlib.figure import Figure

    width = PANEL_WIDTH + drawing.text_width(_datasets(summary)) + 0.1
    size = (width, ROW_HEIGHT * len(_datasets(summary)) + 0.75)
    figure = Figure(figsize=size, layout=drawing.layout())
    _draw(figure.subplots(), summary, method)
    return figure


def _draw(axes: Axes, summary: Summary, method: Method) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    metric, labels = summary.metric, _datasets(summary)
    limit = _limit(summary)
    for row, dataset in enumerate(labels):
        cell = summary.cell(dataset, method.label)
        _draw_cell(axes, row, cell, limit, summary.half_widths.get((dataset, method.label)))
    axes.axvline(0.0, color=INK, linewidth=0.8, zorder=2)
    axes.set_title(
        drawing.shorten(method.label), fontsize=9, fontweight="bold", loc="left", color=INK
    )
    axes.set_xlim(-limit, limit)
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10], symmetric=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))
    drawing.rows(axes, labels)
    axes.set_xlabel(
        f"measured − published{', percentage points' if metric.unit else f' {metric.label}'}",
        fontsize=8,
    )


def _tick(value: float) -> str:
    text = f"{abs(value):.6g}"
    return text if abs(value) < 1e-12 else f"{'−' if value < 0 else '+'}{text}"


def _draw_cell(axes: Axes, row: int, cell: Cell, limit: float, half: float | None) -> None:
    metric, published = cell.metric, cell.published
    if published is None:
        drawing.beside(axes, row, "nothing published", SOFT)
        return
    if cell.not_comparable:
        drawing.beside(axes, row, "not comparable", SOFT)
        return
    width = min(limit, metric.scale * cell.tolerance)
    axes.hlines(row, -width, width, color=BAND, linewidth=6.5, zorder=1)
    if cell.difference is None:
        text = f"all {metric.exploded_label}" if cell.finished else "no finished run"
        drawing.beside(axes, row, text, SOFT)
        return
    value, colour = metric.scale * cell.difference, COLOURS[cell.verdict]
    if abs(value) > limit:
        end, sign = (limit, ">") if value > 0 else (-limit, "<")
        axes.plot(end, row, sign, markersize=5.5, color=colour, clip_on=False, zorder=4)
    else:
        axes.plot(value, row, MARKERS[cell.verdict], markersize=3.8, color=colour, zorder=4)
    if half is not None:
        ends = (value - metric.scale * half, value + metric.scale * half)
        drawing.interval(axes, row, ends, (-limit, limit), colour)
    weight = "normal" if cell.verdict is Verdict.WITHIN else "bold"
    drawing.beside(axes, row, metric.difference(cell.difference), colour, weight)


def _limit(summary: Summary) -> float:
    """Return where the axes end on both sides: at a round number that holds most differences."""
    metric = summary.metric
    found = [cell.difference for cell in summary.cells.values()]
    sizes: Sequence[float] = sorted(abs(metric.scale * d) for d in found if d is not None)
    most = sizes[round(SHOWN * (len(sizes) - 1))] if sizes else 0.0
    return _round_up(max(1.1 * most, LEAST * metric.scale * metric.tolerance))


def _round_up(value: float) -> float:
    size = 10.0 ** math.floor(math.log10(value))
    return next(size * part for part in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if value <= size * part)


def _legend(summary: Summary) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    seen = {cell.verdict for cell in summary.cells.values() if cell.difference is not None}
    words = {
        Verdict.WITHIN: "within tolerance, with the 95 % interval of the measured mean",
        Verdict.ABOVE: "above",
        Verdict.BELOW: "below",
    }
    handles: list[Any] = [
        Line2D([], [], color=COLOURS[v], marker=MARKERS[v], lw=1.1, ms=4, label=words[v])
        for v in words
        if v in seen
    ]
    handles.append(Patch(color=BAND, label="tolerance"))
    handles.append(Line2D([], [], ls="", marker=">", color=SOFT, ms=4.5, label="outside the axis"))
    return handles
