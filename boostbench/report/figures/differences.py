"""Measured minus published means: one panel per method, one row per data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boostbench.papers.metrics import Verdict
from boostbench.report.figures import drawing
from boostbench.report.figures.drawing import BAND, INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boostbench.papers.metrics import Metric
    from boostbench.report.cells import Cell
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


@dataclass(frozen=True)
class Row:
    """A data set in the units that are written; ``tolerance`` is None where nothing is compared.

    ``half`` is half the width of the interval of ``value``, the measured minus the published mean.
    """

    text: str
    tolerance: float | None = None
    value: float | None = None
    half: float | None = None
    verdict: Verdict = Verdict.NONE


@dataclass(frozen=True)
class Panel:
    """A method: a row per data set on an axis from -``limit`` to ``limit``."""

    method: str
    datasets: Sequence[str]
    rows: Sequence[Row]
    limit: float
    axis: str


@dataclass(frozen=True)
class Differences:
    """The whole figure; ``verdicts`` are those that the legend explains."""

    title: str
    panels: Sequence[Panel]
    verdicts: Sequence[Verdict]


def values(summary: Summary) -> Differences:
    """Return all that the figure is drawn from."""
    metric, limit = summary.metric, _limit(summary)
    published = {dataset for (dataset, _), cell in summary.cells.items() if cell.published}
    datasets = [data.label for data in summary.datasets if data.label in published]
    unit = ", percentage points" if metric.unit else f" {metric.label}"
    found = [
        Panel(
            method.label,
            datasets,
            [_row(summary, summary.cell(dataset, method.label)) for dataset in datasets],
            limit,
            f"measured − published{unit}",
        )
        for method in summary.methods
        if any(cell.published for cell in summary.column(method))
    ]
    seen = {cell.verdict for cell in summary.cells.values() if cell.difference is not None}
    verdicts = [verdict for verdict in COLOURS if verdict in seen]
    return Differences(f"{heading(metric)} (on the right of each row)", found, verdicts)


def _row(summary: Summary, cell: Cell) -> Row:
    metric = cell.metric
    if cell.published is None:
        return Row("nothing published")
    if cell.not_comparable:
        return Row("not comparable")
    tolerance = metric.scale * cell.tolerance
    if cell.difference is None:
        text = f"all {metric.exploded_label}" if cell.finished else "no finished run"
        return Row(text, tolerance)
    half = summary.half_widths.get((cell.dataset, cell.method))
    return Row(
        metric.difference(cell.difference),
        tolerance,
        metric.scale * cell.difference,
        None if half is None else metric.scale * half,
        cell.verdict,
    )


def figure(summary: Summary) -> dict[str, bytes]:
    """Return the whole figure in each of :data:`~drawing.FORMATS`: same values, same bytes."""
    with drawing.style("path"):
        return drawing.files(_figure(values(summary)))


def panels(summary: Summary) -> list[tuple[str, str]]:
    """Return (method, inline SVG) per method.

    Its text is real text, its colours are CSS variables.
    """
    return [
        (panel.method, _panel_svg(panel, f"p{number}"))
        for number, panel in enumerate(values(summary).panels)
    ]


def _panel_svg(panel: Panel, prefix: str) -> str:
    with drawing.style("none"):
        return drawing.inline(_panel_figure(panel), prefix)


def _figure(whole: Differences) -> Figure:
    from matplotlib.figure import Figure

    datasets = whole.panels[0].datasets
    columns = min(COLUMNS, len(whole.panels))
    lines = math.ceil(len(whole.panels) / columns)
    height = lines * (ROW_HEIGHT * len(datasets) + 0.75) + 0.75
    width = PANEL_WIDTH * columns + drawing.text_width(datasets) + 0.1
    figure = Figure(figsize=(max(width, 5.5), height), layout=drawing.layout())
    figure.suptitle(whole.title, fontsize=10, color=INK, x=0.01, ha="left")
    grid = figure.subplots(lines, columns, squeeze=False)
    for index, axes in enumerate(grid.flat):
        if index >= len(whole.panels):
            axes.set_axis_off()
            continue
        draw(axes, whole.panels[index])
        if index % columns:
            axes.set_yticklabels([])
    figure.legend(
        handles=_legend(whole.verdicts),
        loc="outside lower center",
        ncols=5 if columns > 2 else 2,
        frameon=False,
        fontsize=8,
    )
    return figure


def _panel_figure(panel: Panel) -> Figure:
    from matplotlib.figure import Figure

    width = PANEL_WIDTH + drawing.text_width(panel.datasets) + 0.1
    size = (width, ROW_HEIGHT * len(panel.datasets) + 0.75)
    figure = Figure(figsize=size, layout=drawing.layout())
    draw(figure.subplots(), panel)
    return figure


def draw(axes: Axes, panel: Panel) -> None:
    """Draw ``panel`` into ``axes``."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for number, row in enumerate(panel.rows):
        _draw_row(axes, number, row, panel.limit)
    axes.axvline(0.0, color=INK, linewidth=0.8, zorder=2)
    axes.set_title(
        drawing.shorten(panel.method), fontsize=9, fontweight="bold", loc="left", color=INK
    )
    axes.set_xlim(-panel.limit, panel.limit)
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10], symmetric=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))
    drawing.rows(axes, panel.datasets)
    axes.set_xlabel(panel.axis, fontsize=8)


def _tick(value: float) -> str:
    text = f"{abs(value):.6g}"
    return text if abs(value) < 1e-12 else f"{'−' if value < 0 else '+'}{text}"


def _draw_row(axes: Axes, number: int, row: Row, limit: float) -> None:
    if row.tolerance is not None:
        width = min(limit, row.tolerance)
        axes.hlines(number, -width, width, color=BAND, linewidth=6.5, zorder=1)
    if row.value is None:
        drawing.beside(axes, number, row.text, SOFT)
        return
    colour = COLOURS[row.verdict]
    if abs(row.value) > limit:
        end, sign = (limit, ">") if row.value > 0 else (-limit, "<")
        axes.plot(end, number, sign, markersize=5.5, color=colour, clip_on=False, zorder=4)
    else:
        mark = MARKERS[row.verdict]
        axes.plot(row.value, number, mark, markersize=3.8, color=colour, zorder=4)
    if row.half is not None:
        ends = (row.value - row.half, row.value + row.half)
        drawing.interval(axes, number, ends, (-limit, limit), colour)
    weight = "normal" if row.verdict is Verdict.WITHIN else "bold"
    drawing.beside(axes, number, row.text, colour, weight)


def _limit(summary: Summary) -> float:
    """Return where the axes end on both sides: at a round number that holds most differences."""
    metric = summary.metric
    found = [cell.difference for cell in summary.cells.values()]
    sizes: Sequence[float] = sorted(abs(metric.scale * d) for d in found if d is not None)
    most = sizes[round(SHOWN * (len(sizes) - 1))] if sizes else 0.0
    least = max((cell.tolerance for cell in summary.cells.values() if cell.published), default=0.0)
    tolerance = metric.tolerance or least
    return _round_up(max(1.1 * most, LEAST * metric.scale * tolerance) or 1.0)


def _round_up(value: float) -> float:
    size = 10.0 ** math.floor(math.log10(value))
    return next(size * part for part in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if value <= size * part)


def _legend(verdicts: Sequence[Verdict]) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    words = {
        Verdict.WITHIN: "within tolerance, with the 95 % interval of the measured mean",
        Verdict.ABOVE: "above",
        Verdict.BELOW: "below",
    }
    handles: list[Any] = [
        Line2D([], [], color=COLOURS[v], marker=MARKERS[v], lw=1.1, ms=4, label=words[v])
        for v in verdicts
    ]
    handles.append(Patch(color=BAND, label="tolerance"))
    handles.append(Line2D([], [], ls="", marker=">", color=SOFT, ms=4.5, label="outside the axis"))
    return handles
