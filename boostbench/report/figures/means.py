"""Measured means: one panel per data set, one row per method, the best on top."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boostbench.report.figures import drawing
from boostbench.report.figures.drawing import BLUE, GREY, INK, PAPER, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boostbench.papers.metrics import Metric
    from boostbench.report.cells import Cell
    from boostbench.report.summary import Summary

# Single runs lie a little below the mean, so that its interval does not hide them.
COLUMNS, ROW_HEIGHT, PANEL_WIDTH, BELOW = 3, 0.24, 2.3, 0.26
# A mean is off the axis if it is further from the best than that many times the median's distance,
# and than that many tolerances.
FAR, FAR_TOLERANCES = 100, 50
# Runs further from the means than that many interquartile ranges may be off the axis.
FENCE = 3


@dataclass(frozen=True)
class Row:
    """A row in the units that are written: mean, half the interval's width, runs, published."""

    label: str
    mean: float | None
    half: float | None
    runs: Sequence[float]
    published: float | None
    text: str


@dataclass(frozen=True)
class Panel:
    """A data set: a row per method on an axis from ``low`` to ``high``."""

    dataset: str
    rows: Sequence[Row]
    low: float
    high: float
    axis: str


@dataclass(frozen=True)
class Means:
    """The whole figure; ``published``: whether its legend explains marks of published means."""

    panels: Sequence[Panel]
    published: bool


def values(summary: Summary) -> Means:
    """Return all that the figure is drawn from; no panels where nothing is planned."""
    datasets = [data.label for data in summary.datasets] if summary.cells else []
    return Means([_panel(summary, dataset) for dataset in datasets], summary.compares)


def _panel(summary: Summary, dataset: str) -> Panel:
    metric = summary.metric
    found = [_row(summary, summary.cell(dataset, method.label)) for method in summary.methods]
    found.sort(key=lambda row: math.inf if row.mean is None else -metric.sign * row.mean)
    low, high = _limits(found, metric)
    return Panel(dataset, found, low, high, metric.title)


def figure(summary: Summary) -> dict[str, bytes]:
    """Return the whole figure in each of :data:`~drawing.FORMATS`: same values, same bytes."""
    with drawing.style("path"):
        return drawing.files(_figure(values(summary)))


def panels(summary: Summary) -> list[tuple[str, str]]:
    """Return (data set, inline SVG) per data set.

    Its text is real text, its colours are CSS variables.
    """
    return [
        (panel.dataset, _panel_svg(panel, f"m{number}"))
        for number, panel in enumerate(values(summary).panels)
    ]


def _panel_svg(panel: Panel, prefix: str) -> str:
    with drawing.style("none"):
        return drawing.inline(_panel_figure(panel), prefix)


def _figure(whole: Means) -> Figure:
    from matplotlib.figure import Figure

    if not whole.panels:
        figure = Figure(figsize=(5, 1))
        figure.text(0.5, 0.5, "Nothing is planned here yet.", ha="center", va="center")
        return figure
    columns = min(COLUMNS, len(whole.panels))
    lines = math.ceil(len(whole.panels) / columns)
    height = lines * (ROW_HEIGHT * len(whole.panels[0].rows) + 0.7) + 0.4
    width = max(4.4, _width(whole.panels[0]) * columns + 0.1)
    figure = Figure(figsize=(width, height), layout=drawing.layout())
    grid = figure.subplots(lines, columns, squeeze=False)
    for index, axes in enumerate(grid.flat):
        if index < len(whole.panels):
            draw(axes, whole.panels[index])
        else:
            axes.set_axis_off()
    figure.legend(
        handles=_legend(whole.published),
        loc="outside lower center",
        ncols=2 if columns == 1 else 4,
        frameon=False,
        fontsize=8,
    )
    return figure


def _panel_figure(panel: Panel) -> Figure:
    from matplotlib.figure import Figure

    size = (_width(panel) + 0.1, ROW_HEIGHT * len(panel.rows) + 0.7)
    figure = Figure(figsize=size, layout=drawing.layout())
    draw(figure.subplots(), panel)
    return figure


def _width(panel: Panel) -> float:
    """Return the width of a panel with the names of the methods beside it, in inches."""
    return PANEL_WIDTH + drawing.text_width(row.label for row in panel.rows)


def _row(summary: Summary, cell: Cell) -> Row:
    """Return what is drawn of a cell: the runs of its mean, of which some may be left out."""
    metric = cell.metric
    half = summary.half_widths.get((cell.dataset, cell.method))
    scored = summary.kept(cell.dataset, cell.method).values()
    mean = cell.compared.mean if cell.compared else None
    return Row(
        label=cell.method,
        mean=None if mean is None else metric.scale * mean,
        half=None if half is None else metric.scale * half,
        runs=[metric.scale * run.score for run in scored if run.score is not None],
        published=metric.scale * cell.published.mean
        if cell.published and not cell.not_comparable
        else None,
        text=_text(cell),
    )


def _text(cell: Cell) -> str:
    if cell.compared is not None:
        return cell.metric.text(cell.compared.mean)
    if cell.finished:
        return f"all {cell.metric.exploded_label}"
    return "no finished run" if cell.planned else "not planned"


def draw(axes: Axes, panel: Panel) -> None:
    """Draw ``panel`` into ``axes``."""
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    for number, row in enumerate(panel.rows):
        _draw_row(axes, number, row, panel.low, panel.high)
    name = drawing.shorten(panel.dataset)
    axes.set_title(name, fontsize=9, fontweight="bold", loc="left", color=INK)
    axes.set_xlim(panel.low, panel.high)
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(ScalarFormatter(useOffset=False))
    drawing.rows(axes, [row.label for row in panel.rows])
    axes.set_xlabel(panel.axis, fontsize=8)


def _draw_row(axes: Axes, number: int, row: Row, low: float, high: float) -> None:
    shown = [score for score in row.runs if low <= score <= high]
    place = number + BELOW
    axes.plot(shown, [place] * len(shown), "o", ms=2.6, color=GREY, alpha=0.45, mew=0, zorder=1)
    for end, sign, outside in (
        (low, "<", any(score < low for score in row.runs)),
        (high, ">", any(score > high for score in row.runs)),
    ):
        if outside:
            axes.plot(end, place, sign, ms=3.2, color=SOFT, clip_on=False, zorder=2)
    if row.published is not None and low <= row.published <= high:
        axes.plot(row.published, number, "D", ms=4, mfc=PAPER, mec=INK, mew=0.8, zorder=2)
    colour = INK if row.mean is not None else SOFT
    if row.mean is not None:
        if low <= row.mean <= high:
            axes.plot(row.mean, number, "o", ms=4, color=BLUE, zorder=4)
        else:
            end, sign = (low, "<") if row.mean < low else (high, ">")
            axes.plot(end, number, sign, ms=5, color=BLUE, clip_on=False, zorder=4)
        if row.half is not None:
            ends = (row.mean - row.half, row.mean + row.half)
            drawing.interval(axes, number, ends, (low, high), BLUE)
    drawing.beside(axes, number, row.text, colour)


def _limits(rows: Sequence[Row], metric: Metric) -> tuple[float, float]:
    """Return the ends of a panel's axis, which hold all means but those far from the others."""
    known = [row for row in rows if row.mean is not None]
    sensible = [
        row
        for row in known
        if row.mean is not None and not metric.exploded(row.mean / metric.scale)
    ]
    best = next((row.mean for row in sensible or known if row.mean is not None), 0.0)
    least = metric.scale * metric.least_difference(best / metric.scale)
    kept = _near(sensible or known, FAR_TOLERANCES * least)
    core = [row.mean for row in kept if row.mean is not None]
    core += [row.published for row in kept if row.published is not None]
    core = core or [row.published for row in rows if row.published is not None]
    if not core:
        return (0.0, metric.scale)
    widths = [max(row.half or 0.0, FENCE * _middle_half(row.runs)) for row in kept]
    reach = max([max(core) - min(core), least, *widths])
    ends = [score for row in kept for score in row.runs]
    ends += [row.mean for row in known if row.mean is not None]
    ends += [
        row.mean + s * (row.half or 0.0) for row in kept for s in (-1, 1) if row.mean is not None
    ]
    within = [end for end in ends if min(core) - reach <= end <= max(core) + reach]
    low, high = min([*core, *within]), max([*core, *within])
    room = 0.05 * (high - low) or least or 1.0
    return low - room, high + room


def _middle_half(values: Sequence[float]) -> float:
    """Return the interquartile range, which a few runs far off do not change."""
    if len(values) < 2:
        return 0.0
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return third - first


def _near(rows: Sequence[Row], least: float) -> Sequence[Row]:
    """Return the rows, the best first, without those far from the best, at least ``least``."""
    if not rows or rows[0].mean is None:
        return rows
    best = rows[0].mean
    distances = [abs((row.mean if row.mean is not None else best) - best) for row in rows]
    most = max(least, FAR * distances[len(rows) // 2])
    return [row for row, d in zip(rows, distances, strict=True) if d <= most]


def _legend(published: bool) -> list[Any]:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=BLUE, marker="o", lw=1.3, ms=4, label="mean with its 95 % interval"),
        Line2D([], [], ls="", marker="o", color=GREY, alpha=0.5, mew=0, ms=3, label="a single run"),
    ]
    if published:
        handles.append(
            Line2D([], [], ls="", marker="D", mfc=PAPER, mec=INK, ms=4, label="published")
        )
    handles.append(Line2D([], [], ls="", marker="<", color=SOFT, ms=4, label="outside the axis"))
    return handles
