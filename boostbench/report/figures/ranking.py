"""The diagram of mean ranks: methods on a line, bars over those that are not apart."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from boostbench.report.figures.canvas import COLOURS, NARROW, sheet, text_size
from boostbench.report.words import names_of


def figure(results: Any, ranking: Any, title: str) -> Figure:
    """Return the diagram, as wide as a column: the best method first, each with its mean rank."""
    names, size = names_of(results.methods), text_size()
    order = sorted(zip(map(float, ranking.friedman.ranks), ranking.methods, strict=True))
    bars = _bars([rank for rank, _ in order], ranking.cd)
    made = sheet(NARROW, 1.5 * size * (len(order) + 0.6 * len(bars) + 1.2), title)
    axes = made.subplots()
    axes.set(xlim=(1, len(order)), ylim=(len(order) - 0.5, -0.5 - 0.6 * len(bars)))
    axes.set_xticks(range(1, len(order) + 1))
    axes.set_yticks(range(len(order)), [f"{names[label]}  {rank:.2f}" for rank, label in order])
    axes.tick_params(axis="y", labelcolor=COLOURS["ink"])
    for place, (rank, _) in enumerate(order):
        axes.plot([1, rank], [place] * 2, color=COLOURS["line"], zorder=0)
        axes.plot(rank, place, "o", color=COLOURS["ink"], clip_on=False)
    for place, ends in enumerate(bars):
        axes.plot(ends, [-0.8 - 0.6 * place] * 2, color=COLOURS["open"], linewidth=0.3 * size,
                  clip_on=False)  # fmt: skip
    return made


def _bars(ranks: list[float], cd: float) -> list[tuple[float, float]]:
    """Return the longest groups of ranks that are less than the critical difference apart."""
    found: list[tuple[float, float]] = []
    for start in ranks:
        end = max(rank for rank in ranks if rank - start < cd)
        if end > start and not any(low <= start and end <= high for low, high in found):
            found.append((start, end))
    return found
