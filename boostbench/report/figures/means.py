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

    from boostbench.report.cells import Cell
    from boostbench.report.metric import Metric
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


def files(summary: Summary) -> dict[str, bytes]:
    """Return the whole figure in each of :data:`~drawing.FORMATS`: same results, same bytes."""
    with drawing.style("path"):
        return drawing.files(_figure(summary))


def panels(summary: Summary) -> list[tuple[str, str]]:
    """Return (data set, inline SVG) per data set, its text real text, its colours CSS variables."""
    with drawing.style("none"):
        return [
            (data.label, drawing.inline(_panel_figure(summary, data.label), f"m{number}"))
            for number, data in enumerate(summary.datasets)
            if summary.cells
        ]


def _figure(summary: Summary) -> Figure:
    from matplotlib.figure import Figure

    if not summary.cells:
        figure = Figure(figsize=(5, 1))
        figure.text(0.5, 0.5, "Nothing is planned here yet.", ha="center", va="center")
        return figure
    datasets = [data.label for data in summary.datasets]
    columns = min(COLUMNS, len(datasets))
    lines = math.ceil(len(datasets) / columns)
    height = lines * (ROW_HEIGHT * len(summary.methods) + 0.7) + 0.4
    width = max(4.4, _width(summary) * columns + 0.1)
    figure = Figure(figsize=(width, height), layout=drawing.layout())
    grid = figure.subplots(lines, columns, squeeze=False)
    for index, axes in enumerate(grid.flat):
        if index < len(datasets):
            _draw(axes, summary, datasets[index])
        else:
            axes.set_axis_off()
    figure.legend(
        handles=_legend(summary),
        loc="outside lower center",
        ncols=2 if columns == 1 else 4,
        frameon=False,
        fontsize=8,
    )
    return figure


def _panel_figure(summary: Summary, dataset: str) -> Figure:
    from matplotlib.figure import Figure

    size = (_width(summary) + 0.1, ROW_HEIGHT * len(summary.methods) + 0.7)
    figure = Figure(figsize=size, layout=drawing.layout())
    _draw(figure.subplots(), summary, dataset)
    return figure


def _width(summary: Summary) -> float:
    """Return the width of a panel with the names of the methods beside it, in inches."""
    return PANEL_WIDTH + drawing.text_width(method.label for method in summary.methods)


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


def _draw(axes: Axes, summary: Summary, dataset: str) -> None:
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    metric = summary.metric
    found = [_row(summary, summary.cell(dataset, method.label)) for method in summary.methods]
    sign = -1 if metric.higher_is_better else 1
    found.sort(key=lambda row: math.inf if row.mean is None else sign * row.mean)
    low, high = _limits(found, metric)
    for number, row in enumerate(found):
        _draw_row(axes, number, row, low, high)
    axes.set_title(drawing.shorten(dataset), fontsize=9, fontweight="bold", loc="left", color=INK)
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(ScalarFormatter(useOffset=False))
    drawing.rows(axes, [row.label for row in found])
    axes.set_xlabel(f"{metric.words}{', %' if metric.unit else ''}", fontsize=8)


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
    kept = _near(sensible or known, FAR_TOLERANCES * metric.scale * metric.tolerance)
    core = [row.mean for row in kept if row.mean is not None]
    core += [row.published for row in kept if row.published is not None]
    core = core or [row.published for row in rows if row.published is not None]
    if not core:
        return (0.0, metric.scale)
    least = metric.scale * metric.tolerance
    widths = [max(row.half or 0.0, FENCE * _middle_half(row.runs)) for row in kept]
    reach = max([max(core) - min(core), least, *widths])
    ends = [score for row in kept for score in row.runs]
    ends += [row.mean for row in known if row.mean is not None]
    ends += [
        row.mean + s * (row.half or 0.0) for row in kept for s in (-1, 1) if row.mean is not None
    ]
    within = [end for end in ends if min(core) - reach <= end <= max(core) + reach]
    low, high = min([*core, *within]), max([*core, *within])
    room = 0.05 * (high - low) or least
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


def _legend(summary: Summary) -> list[Any]:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=BLUE, marker="o", lw=1.3, ms=4, label="mean with its 95 % interval"),
        Line2D([], [], ls="", marker="o", color=GREY, alpha=0.5, mew=0, ms=3, label="a single run"),
    ]
    if summary.compares:
        handles.append(
            Line2D([], [], ls="", marker="D", mfc=PAPER, mec=INK, ms=4, label="published")
        )
    handles.append(Line2D([], [], ls="", marker="<", color=SOFT, ms=4, label="outside the axis"))
    return handles
