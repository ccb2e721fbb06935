"""The critical-difference diagram: mean ranks over data sets, and bars over those not apart.

Source: Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006),
Figure 1. Mean ranks of two methods depend on the others: pairs are tested elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench.report.figures import drawing
from boostbench.report.figures.drawing import BLUE, INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from boostbench.report.comparisons import Ranking

WIDTH, LINE = 5.5, 0.24


@dataclass(frozen=True)
class Label:
    """A method's name: its mean rank, the side it is written on and the line, 0 the uppermost."""

    name: str
    rank: float
    left: bool
    line: int


@dataclass(frozen=True)
class Diagram:
    """Where everything is: ranks along the axis from ``low`` (the best) to ``high``.

    ``bars`` are (first, last rank, level) of methods whose mean ranks are at most ``cd`` apart,
    level 0 nearest to the axis; two bars that overlap have different levels.
    """

    low: int
    high: int
    cd: float
    labels: Sequence[Label]
    bars: Sequence[tuple[float, float, int]]

    @property
    def lines(self) -> int:
        """How many lines the names take."""
        return 1 + max(label.line for label in self.labels)

    @property
    def levels(self) -> int:
        """How many levels the bars take."""
        return 1 + max((level for _, _, level in self.bars), default=-1)


def diagram(names: Sequence[str], ranks: Sequence[float], cd: float) -> Diagram:
    """Return the geometry of the diagram of ``names`` with mean ``ranks`` (m,), 1 the best.

    The better half is named on the left, from the outside in, as in Demsar's figure.
    """
    order = sorted(range(len(names)), key=lambda i: (ranks[i], names[i]))
    left = (len(order) + 1) // 2
    labels = [
        Label(names[i], ranks[i], place < left, place if place < left else len(order) - 1 - place)
        for place, i in enumerate(order)
    ]
    return Diagram(1, max(2, len(names)), cd, labels, _bars(sorted(ranks), cd))


def cliques(ranks: Sequence[float], cd: float) -> list[tuple[int, int]]:
    """Return the first and last place of each largest group of methods that do not differ.

    ``ranks`` are sorted; two methods differ where their mean ranks are more than ``cd`` apart.
    A group of one is none.
    """
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(i for i, other in enumerate(ranks) if other - rank <= cd + 1e-12)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def _bars(ranks: Sequence[float], cd: float) -> list[tuple[float, float, int]]:
    """Return the bars over sorted ``ranks``, each on the lowest level that is free."""
    ends: list[int] = []
    bars = []
    for first, last in cliques(ranks, cd):
        level = next((k for k, end in enumerate(ends) if first > end), len(ends))
        ends[level : level + 1] = [last]
        bars.append((ranks[first], ranks[last], level))
    return bars


def figure(ranking: Ranking) -> dict[str, bytes]:
    """Return the figure in each of :data:`~drawing.FORMATS`: same values, same bytes."""
    with drawing.style("path"):
        return drawing.files(draw(diagram(ranking.methods, ranking.friedman.ranks, ranking.cd)))


def draw(found: Diagram) -> Figure:
    """Return the diagram as a figure."""
    from matplotlib.figure import Figure

    top, below = 1.9, 0.55 * found.levels + 0.5 + found.lines
    width = WIDTH + drawing.text_width(label.name for label in found.labels)
    figure = Figure(figsize=(width, LINE * (top + below + 0.6)), layout=drawing.layout())
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_xlim(found.low - 0.02, found.high + 0.02)
    axes.set_ylim(-below - 0.4, top + 0.2)
    _draw(axes, found)
    return figure


def _draw(axes: Axes, found: Diagram) -> None:
    # A unit of the y axis is a line of text; the scale of ranks is at 0.
    axes.plot([found.low, found.high], [0, 0], color=INK, linewidth=0.8)
    for rank in range(found.low, found.high + 1):
        axes.plot([rank, rank], [0, 0.25], color=INK, linewidth=0.8)
        axes.text(rank, 0.35, str(rank), ha="center", va="bottom", fontsize=8)
    shown = min(found.cd, float(found.high - found.low))
    axes.plot([found.low, found.low + shown], [1.5, 1.5], color=SOFT, linewidth=0.8)
    for end in (found.low, found.low + shown):
        axes.plot([end, end], [1.38, 1.62], color=SOFT, linewidth=0.8)
    text = f"CD = {found.cd:.2f}"
    axes.text(found.low + shown + 0.05, 1.5, text, va="center", fontsize=8, color=INK)
    for first, last, level in found.bars:
        y = -0.35 - 0.55 * level
        axes.plot([first, last], [y, y], color=BLUE, linewidth=3, solid_capstyle="round")
    start = -0.55 * found.levels - 0.5
    for label in found.labels:
        y = start - label.line
        end = found.low if label.left else found.high
        axes.plot([label.rank, label.rank, end], [0, y, y], color=INK, linewidth=0.7)
        axes.annotate(
            f"{drawing.shorten(label.name)}  {label.rank:.2f}"
            if label.left
            else f"{label.rank:.2f}  {drawing.shorten(label.name)}",
            (end, y),
            xytext=(-4 if label.left else 4, 0),
            textcoords="offset points",
            ha="right" if label.left else "left",
            va="center",
            fontsize=8,
            annotation_clip=False,
        )
