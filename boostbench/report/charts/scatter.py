"""Cells as points: measured against published scores, and scores against training time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.papers.metrics import Verdict as Where
from boostbench.report.cells import Cell, mean_of
from boostbench.report.charts import Chart
from boostbench.report.charts.svg import (
    SHAPES,
    Frame,
    Scale,
    line,
    linear,
    logarithmic,
    mark,
    picture,
    sample,
    text,
    towards_one,
)
from boostbench.report.figures import differences, drawing
from boostbench.report.figures.curves import line_colour, pick
from boostbench.report.figures.lines import line_places
from boostbench.report.marks import WORDS
from boostbench.report.summary import Summary
from boostbench.stats import Verdict

_COLOUR_OF = {where: drawing.CSS_NAMES[drawn] for where, drawn in differences.COLOURS.items()}
_SHAPE_OF = {Where.WITHIN: "circle", Where.ABOVE: "triangle", Where.BELOW: "down"}


def published(summary: Summary) -> Chart | None:
    """Return the chart of measured against published scores, one point a cell, ``None`` if empty.

    Points on the diagonal are as published.
    """
    metric = summary.metric
    pairs = [
        (cell, metric.scale * cell.compared.mean, metric.scale * cell.published.mean)
        for cell in summary.cells.values()
        if cell.verdict and cell.compared is not None and cell.published is not None
    ]
    if not pairs:
        return None
    scale = _scores(metric, [value for _, *both in pairs for value in both])
    frame = Frame(scale, scale, 54, 12, 452, 330)
    first, last = frame.at(scale.low, scale.low), frame.at(scale.high, scale.high)
    parts = frame.axes(f"published {metric.title}", f"measured {metric.title}")
    ends = f"M{first[0]:.1f} {first[1]:.1f}L{last[0]:.1f} {last[1]:.1f}"
    parts.append(line(ends, "axis", stroke_dasharray="4 3"))
    beyond = 0
    for cell, measured, printed in pairs:
        beyond += measured < scale.low
        said = cell.evidence.verdict if cell.evidence else Verdict.INCONCLUSIVE
        words = (
            f"{cell.dataset}, {cell.method}: measured {metric.text(mean_of(cell.compared))}, "
            f"published {metric.printed(cell.published)}, "
            f"{WORDS[cell.verdict]}, {said.value}"
        )
        at, decided = frame.at(printed, measured), said is not Verdict.INCONCLUSIVE
        parts.append(mark(*at, _SHAPE_OF[cell.verdict], _COLOUR_OF[cell.verdict], words, decided))
    caption = (
        "Each point is a cell of the table above, filled where the runs decide that the means are "
        "equivalent or different; the dashed line is where measured and published are equal."
        f"{_spacing(metric)}"
    )
    if beyond:
        caption += f" {beyond} of {len(pairs)} points lie below the axis and are shown at its edge."
    label = f"Measured against published {metric.words}, {len(pairs)} cells"
    legend = [
        (sample(_SHAPE_OF[where], _COLOUR_OF[where], filled=False), words)
        for where, words in (
            (Where.WITHIN, "within tolerance"),
            (Where.ABOVE, "above published"),
            (Where.BELOW, "below published"),
        )
    ]  # fmt: skip
    drawn = picture(464, 366, label, *parts)
    return Chart("Measured against published", caption, [drawn], legend)


def against_time(summary: Summary) -> Chart | None:
    """Return scores against training time, one panel per data set, ``None`` if none has two points.

    The line joins the methods of the Pareto front: no other one is both faster and better.
    """
    metric = summary.metric
    panels = []
    places = line_places(summary.methods, summary.paper)
    for data in summary.datasets:
        cells = {
            method.label: cell
            for method in summary.methods
            if (cell := summary.cell(data.label, method.label)).compared is not None
            and (mean_of(cell.fit_s) or 0) > 0
        }
        if len(cells) > 1:
            panels.append(_time_panel(data.label, cells, metric, places))
    if not panels:
        return None
    better = "higher" if metric.greater_is_better else "lower"
    caption = (
        f"Mean {metric.words} against mean seconds of one training, one panel per data set. The "
        f"line joins the Pareto front (filled marks): no other method is both faster and has a "
        f"{better} mean.{_spacing(metric)}"
    )
    legend = [
        (sample(*_look(places[method.label])), method.label)
        for method in summary.methods
        if any(summary.cell(data.label, method.label).finished for data in summary.datasets)
    ]
    title = f"{metric.words[:1].upper()}{metric.words[1:]} against training time"
    return Chart(title, caption, panels, legend)


def pareto_front(points: Mapping[str, tuple[float, float]], greater_is_better: bool) -> list[str]:
    """Return the names of the (time, score) that no other point beats in both, fastest first."""
    sign = 1.0 if greater_is_better else -1.0
    front: list[str] = []
    best = float("-inf")
    # Of equally fast ones only the best is on the front; of equal points, the first.
    for name, (_, score) in sorted(points.items(), key=lambda p: (p[1][0], -sign * p[1][1])):
        if sign * score > best:
            front.append(name)
            best = sign * score
    return front


def _time_panel(
    dataset: str, cells: Mapping[str, Cell], metric: Metric, places: Mapping[str, int]
) -> Markup:
    points = {
        name: (mean_of(cell.fit_s) or 0.0, metric.scale * (mean_of(cell.compared) or 0.0))
        for name, cell in cells.items()
    }
    scale = _scores(metric, [score for _, score in points.values()])
    frame = Frame(logarithmic([time for time, _ in points.values()]), scale, 52, 24, 312, 190)
    parts = [text(frame.left, 14, dataset, font_weight=600, font_size=12)]
    parts += frame.axes("training time, s", metric.title)
    front = pareto_front(points, metric.greater_is_better)
    joined = "L".join("{:.1f} {:.1f}".format(*frame.at(*points[name])) for name in front)
    if len(front) > 1:
        style = "fill: none; stroke: var(--soft); stroke-width: 1.2"
        parts.append(line(f"M{joined}", "front", style=style))
    # Of equal points the one on the front is seen.
    for name, point in sorted(points.items(), key=lambda item: item[0] in front):
        score, time = metric.text(mean_of(cells[name].compared)), numbers.seconds(point[0])
        there = ", on the Pareto front" if name in front else ""
        words = f"{name}: {score} in {time} s{there}"
        parts.append(mark(*frame.at(*point), *_look(places[name]), words, name in front))
    label = f"{dataset}: {metric.words} against training time; Pareto front: {', '.join(front)}"
    return picture(324, 226, label, *parts)


def _look(place: int) -> tuple[str, str]:
    """Return the shape and the colour of a method, those of its learning curves."""
    return pick(SHAPES, place), drawing.CSS_NAMES[line_colour(place)]


def _scores(metric: Metric, values: Sequence[float]) -> Scale:
    if _ends_at_one(metric):
        return towards_one(values)
    if not metric.greater_is_better and min(values) > 0:
        return logarithmic(values)
    return linear(values)


def _ends_at_one(metric: Metric) -> bool:
    return metric.is_share and metric.greater_is_better and metric.scale == 1.0


def _spacing(metric: Metric) -> str:
    if _ends_at_one(metric):
        return f" Axes are even in the logarithm of 1 − {metric.label}."
    return ""
