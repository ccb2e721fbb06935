"""The printed table as a picture: measured less printed, with the interval that decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from boostbench.report.figures.canvas import COLOURS, panel, text_width, titled_sheet
from boostbench.report.words import names_of

COLUMNS = 5
"""Methods side by side; more of them go below."""
MARKS = {
    "agrees": ("yes", "o", "yes"),
    "differs": ("no", "D", "no"),
    "undecided": ("open", "o", ""),
}
"""The colour of each verdict, its mark, and what fills it."""


def limit(differences: Sequence[float]) -> float:
    """Return the end of the axis: the first round number above the largest difference."""
    largest = float(np.nanmax(np.abs(np.asarray(differences, dtype=float)), initial=0.0)) or 0.01
    step = 10.0 ** math.floor(math.log10(largest)) / 2
    return math.ceil(largest / step + 1e-9) * step


def figure(results: Any, methods: Sequence[str], title: str, width: float, size: float) -> Figure:
    """Return the picture of the comparable cells of ``methods``, in points."""
    cells = results.cells
    cells = cells[cells.verdict.isin(MARKS) & cells.method.isin(methods)]
    datasets = [data.label for data in results.datasets if data.label in set(cells.dataset)]
    known = [label for label in methods if label in set(cells.method)]
    end = limit(cells[cells.meant.astype(bool)].difference)
    step, names = 1.5 * size, max(text_width(name, size) for name in datasets) + size
    bands = [known[i : i + COLUMNS] for i in range(0, len(known), COLUMNS)]
    high = step * (len(datasets) + 3.2)
    made, begin = titled_sheet(width, high * len(bands), title, size)
    wide = (width - names) / min(COLUMNS, len(known))
    titles = names_of(results.methods)
    for row, band in enumerate(bands):
        for place, label in enumerate(band):
            left, top = names + place * wide + 0.4 * size, begin + row * high + 1.4 * step
            axes = panel(made, left, top, wide - 0.8 * size, step * len(datasets))
            axes.set_xlim(-end, end)
            axes.set_ylim(len(datasets) - 0.5, -0.5)
            axes.set_title(titles[label], fontsize=size, fontweight="bold", pad=0.5 * size)
            axes.axvline(0, color=COLOURS["soft"], linewidth=0.5, zorder=1)
            axes.set_yticks(range(len(datasets)), [""] * len(datasets) if place else datasets)
            scale = results.metric.scale
            axes.set_xticks([-end, 0, end], [f"−{scale * end:g}", "0", f"+{scale * end:g}"])
            axes.tick_params(axis="y", labelcolor=COLOURS["ink"])
            axes.tick_params(axis="x", labelsize=0.9 * size)
            first, _, last = axes.get_xticklabels()
            first.set_horizontalalignment("left")
            last.set_horizontalalignment("right")
            own = cells[cells.method == label].set_index("dataset")
            for at, dataset in enumerate(datasets):
                if dataset in own.index:
                    _cell(axes, at, own.loc[dataset], end, size)
    return made


def _cell(axes: Any, at: int, cell: Any, end: float, size: float) -> None:
    tone, mark, face = MARKS[cell.verdict]
    colour = COLOURS[tone]
    margin = min(cell.margin, end)
    axes.add_patch(Rectangle((-margin, at - 0.5), 2 * margin, 1, color=COLOURS["band"],
                             linewidth=0, zorder=0))  # fmt: skip
    if np.isfinite(cell.low + cell.high):
        ends = np.clip([cell.low, cell.high], -end, end)
        axes.plot(ends, [at] * 2, color=colour, linewidth=0.12 * size, zorder=2)
        for side, out, sign in ((-end, cell.low < -end, "<"), (end, cell.high > end, ">")):
            if out:
                axes.plot(side, at, sign, color=colour, markersize=0.35 * size, clip_on=False)
    if abs(cell.difference) <= end:
        axes.plot(cell.difference, at, mark, markersize=0.42 * size, markeredgecolor=colour,
                  markerfacecolor=COLOURS[face] if face else "white", zorder=3,
                  markeredgewidth=0.1 * size)  # fmt: skip
    else:
        side = math.copysign(end, cell.difference)
        axes.plot(side, at, ">" if side > 0 else "<", color=colour, markersize=0.6 * size,
                  clip_on=False)  # fmt: skip
