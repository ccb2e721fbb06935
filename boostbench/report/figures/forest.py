"""The printed table as a picture: measured less printed, with the interval that decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boostbench.report.figures.canvas import COLOURS, WIDE, sheet, text_size
from boostbench.report.words import names_of

COLUMNS = 5
"""Methods side by side; more of them go below."""
MARKS = {"agrees": ("yes", "o"), "differs": ("no", "D"), "undecided": ("open", "o")}
"""The colour of each verdict and its mark."""


def limit(differences: Sequence[float]) -> float:
    """Return the end of the axis: the first round number above the largest difference."""
    largest = float(np.nanmax(np.abs(np.asarray(differences, dtype=float)), initial=0.0)) or 0.01
    step = 10.0 ** math.floor(math.log10(largest)) / 2
    return math.ceil(largest / step + 1e-9) * step


def figure(results: Any, methods: Sequence[str], title: str) -> Figure:
    """Return the picture of the comparable cells of ``methods``, as wide as a page."""
    cells, titles, size = results.cells, names_of(results.methods), text_size()
    cells = cells[cells.verdict.isin(MARKS) & cells.method.isin(methods)]
    datasets = [data.label for data in results.datasets if data.label in set(cells.dataset)]
    end, scale = limit(cells[cells.meant.astype(bool)].difference), results.metric.scale
    bands = math.ceil(len(methods) / COLUMNS)
    made = sheet(WIDE, 1.5 * size * (len(datasets) + 2.6) * bands, title)
    panels = made.subplots(bands, min(COLUMNS, len(methods)), squeeze=False)
    for place, axes in enumerate(panels.flat):
        if place >= len(methods):
            axes.remove()
            continue
        axes.set_title(titles[methods[place]], loc="center")
        axes.set(xlim=(-end, end), ylim=(len(datasets) - 0.5, -0.5))
        axes.axvline(0, color=COLOURS["soft"], linewidth=0.5, zorder=1)
        axes.set_yticks(range(len(datasets)), [""] * len(datasets) if place % COLUMNS else datasets)
        axes.set_xticks([-end, 0, end], [f"−{scale * end:g}", "0", f"+{scale * end:g}"])
        axes.tick_params(axis="y", labelcolor=COLOURS["ink"])
        for label, side in zip(axes.get_xticklabels(), ("left", "center", "right"), strict=True):
            label.set_horizontalalignment(side)
        own = cells[cells.method == methods[place]].set_index("dataset")
        for at, dataset in enumerate(datasets):
            if dataset in own.index:
                _cell(axes, at, own.loc[dataset], end)
    return made


def _cell(axes: Axes, at: int, cell: Any, end: float) -> None:
    tone, mark = MARKS[cell.verdict]
    colour = COLOURS[tone]
    margin = min(cell.margin, end)
    axes.barh(at, 2 * margin, 1, -margin, color=COLOURS["band"], zorder=0)
    # NaN where there is no interval.
    axes.plot(np.clip([cell.low, cell.high], -end, end), [at] * 2, color=colour, zorder=2)
    small = 0.35 * text_size()
    for value, sign, arrow in ((cell.low, -1, "<"), (cell.high, 1, ">")):
        if sign * value > end:
            axes.plot(sign * end, at, arrow, color=colour, markersize=small, clip_on=False)
    if abs(cell.difference) <= end:
        face = COLOURS["bg"] if cell.verdict == "undecided" else colour
        axes.plot(cell.difference, at, mark, color=colour, markerfacecolor=face, zorder=3)
    else:
        side = "<" if cell.difference < 0 else ">"
        axes.plot(math.copysign(end, cell.difference), at, side, color=colour,
                  markersize=0.6 * text_size(), clip_on=False)  # fmt: skip
