"""The diagram of mean ranks: methods on a line, bars over those that are not apart."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from boostbench.report.figures.canvas import COLOURS, panel, titled_sheet
from boostbench.report.words import names_of


def figure(results: Any, ranking: Any, title: str, width: float, size: float) -> Figure:
    """Return the diagram in points: the best method first, each with its mean rank."""
    names = names_of(results.methods)
    order = sorted(zip(ranking.friedman.ranks, ranking.methods, strict=True))
    step, bars = 1.5 * size, _bars([float(rank) for rank, _ in order], ranking.cd)
    left = max(len(names[label]) for _, label in order) * 0.55 * size + 4 * size
    made, top = titled_sheet(width, step * (len(order) + 0.6 * len(bars) + 1.2), title, size)
    axes = panel(made, left, top, width - left - size, step * (len(order) + 0.6 * len(bars)))
    axes.set_xlim(1, len(order))
    axes.set_ylim(len(order) - 0.5, -0.5 - 0.6 * len(bars))
    axes.set_xticks(range(1, len(order) + 1))
    axes.set_yticks(range(len(order)), [f"{names[label]}  {rank:.2f}" for rank, label in order])
    axes.tick_params(axis="y", labelcolor=COLOURS["ink"])
    for place, (rank, _) in enumerate(order):
        axes.plot([1, rank], [place] * 2, color=COLOURS["line"], linewidth=1, zorder=0)
        axes.plot(rank, place, "o", color=COLOURS["ink"], markersize=0.48 * size)
    for place, (low, high) in enumerate(bars):
        axes.plot([low, high], [-0.8 - 0.6 * place] * 2, color=COLOURS["open"],
                  linewidth=0.3 * size, clip_on=False)  # fmt: skip
    return made


def _bars(ranks: list[float], cd: float) -> list[tuple[float, float]]:
    """Return the longest groups of ranks that are less than the critical difference apart."""
    found: list[tuple[float, float]] = []
    for start in ranks:
        end = max(rank for rank in ranks if rank - start < cd)
        if end > start and not any(low <= start and end <= high for low, high in found):
            found.append((start, end))
    return found
