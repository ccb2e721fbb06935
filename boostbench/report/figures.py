"""The figure: a panel a method, a row a data set, measured mean R2 against the published one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from boostbench.report import drawing, numbers
from boostbench.report.drawing import BAND, INK, PAPER, SOFT
from boostbench.report.stats import Cell, Summary, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boostbench.report.frame import MethodInfo

# The markers differ in shape as well.
COLOURS = {
    Verdict.REPRODUCED: drawing.GREEN,
    Verdict.ABOVE: drawing.BLUE,
    Verdict.BELOW: drawing.ORANGE,
    Verdict.NONE: drawing.GREY,
}
MARKERS = {Verdict.REPRODUCED: "o", Verdict.ABOVE: "^", Verdict.BELOW: "v", Verdict.NONE: "o"}
COLUMNS, ROW_HEIGHT, PANEL_WIDTH, LABEL_LENGTH = 4, 0.23, 2.75, 26


def figure_files(summary: Summary) -> dict[str, bytes]:
    """Return the whole figure in each of :data:`~drawing.FORMATS`: same results, same bytes."""
    with drawing.style("path"):
        figure = _figure(summary)
        # Laying out takes longer than drawing, and is the same for every format.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        return {kind: drawing.save(figure, kind) for kind in drawing.FORMATS}


def panel_svgs(summary: Summary) -> list[tuple[str, str]]:
    """Return (method, inline SVG) a method, its text real text, its colours CSS variables."""
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


def _panel_figure(summary: Summary, method: MethodInfo) -> Figure:
    from matplotlib.figure import Figure

    height = ROW_HEIGHT * len(summary.datasets) + 0.75
    figure = Figure(figsize=(PANEL_WIDTH + 1.15, height), layout=drawing.layout())
    _draw(figure.subplots(), summary, method, names=True)
    return figure


def _draw(axes: Axes, summary: Summary, method: MethodInfo, *, names: bool) -> None:
    low = _lower_limit(summary)
    labels = [_shorten(data.label) for data in summary.datasets]
    for row, data in enumerate(summary.datasets):
        _draw_cell(axes, row, summary.cell(data.label, method.label), low)
    axes.set_title(_shorten(method.label), fontsize=9, fontweight="bold", loc="left", color=INK)
    axes.set_xlim(low, 1.0 + 0.015 * (1.0 - low))
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_yticks(range(len(labels)), labels if names else [])
    axes.set_xlabel("mean test R²", fontsize=8)
    axes.tick_params(length=2, width=0.6)
    axes.tick_params(axis="y", length=0, pad=6)
    axes.grid(color=BAND, linewidth=0.5)
    axes.grid(axis="y", linewidth=0.25)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _shorten(label: str) -> str:
    return label if len(label) <= LABEL_LENGTH else f"{label[: LABEL_LENGTH - 1]}…"


def _draw_cell(axes: Axes, row: int, cell: Cell, low: float) -> None:
    printed = cell.published
    if printed is not None:
        axes.hlines(
            row,
            max(low, printed.r2_mean - cell.tolerance),
            min(1.0, printed.r2_mean + cell.tolerance),
            color=BAND,
            linewidth=6.5,
            zorder=1,
        )
        axes.plot(printed.r2_mean, row, "D", markersize=4, mfc=PAPER, mec=INK, mew=0.8, zorder=2)
    text, colour, weight = "no finished run", SOFT, "normal"
    if cell.compared is not None:
        colour = COLOURS[cell.verdict]
        text = numbers.difference(cell.difference) or numbers.r2(cell.compared)
        weight = "bold" if cell.verdict in (Verdict.ABOVE, Verdict.BELOW) else "normal"
        if cell.compared < low:
            axes.plot(low, row, "<", markersize=5, color=colour, clip_on=False, zorder=4)
            text = f"R² {numbers.r2(cell.compared)}"
        else:
            if cell.compared_sd is not None:
                ends = (cell.compared - cell.compared_sd, cell.compared + cell.compared_sd)
                axes.hlines(
                    row, max(low, ends[0]), min(1.0, ends[1]), color=colour, lw=0.9, zorder=3
                )
            axes.plot(
                cell.compared, row, MARKERS[cell.verdict], markersize=3.6, color=colour, zorder=4
            )
    elif cell.finished:
        text = "all R² < 0"
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


def _lower_limit(summary: Summary) -> float:
    """Return a bound for all panels below every sensible mean; exploded ones lie outside it."""
    means = [cell.compared for cell in summary.cells.values() if cell.compared is not None]
    means += [cell.published.r2_mean for cell in summary.cells.values() if cell.published]
    lowest = min((value for value in means if value >= 0), default=0.0)
    return max(0.0, math.floor((lowest - 0.05) * 10) / 10)


def _legend(summary: Summary) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def dot(verdict: Verdict, label: str) -> Line2D:
        return Line2D(
            [], [], color=COLOURS[verdict], marker=MARKERS[verdict], lw=0.9, ms=4, label=label
        )

    seen = {cell.verdict for cell in summary.cells.values() if cell.compared is not None}
    words = {
        Verdict.REPRODUCED: "measured ± sd: reproduced",
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
