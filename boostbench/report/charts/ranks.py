"""The critical-difference diagram of mean ranks (Demsar, JMLR 7, 2006, Figure 1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup

from boostbench.report.charts.svg import line, picture, text
from boostbench.report.figures import ranks as ranks_figure
from boostbench.report.figures.ranks import cliques

WIDTH, LEFT, RIGHT, AXIS, STEP = 640.0, 150.0, 490.0, 44.0, 17.0
_LETTERS = 23


def diagram(names: Sequence[str], ranks: Sequence[float], cd: float) -> Markup:
    """Return the diagram: best rank on the left, methods that do not differ joined by a bar.

    ``names`` and ``ranks`` (mean ranks, 1 the best) are in the same order, at least two; ``cd`` is
    the critical difference, in ranks.
    """
    labels = ranks_figure.diagram(names, ranks, cd).labels
    sorted_ranks = [label.rank for label in labels]
    most = len(names)
    groups = cliques(sorted_ranks, cd)

    def place(rank: float) -> float:
        return LEFT + (rank - 1) / (most - 1) * (RIGHT - LEFT)

    parts = [line(f"M{LEFT:g} {AXIS:g}H{RIGHT:g}", "axis")]
    for whole in range(1, most + 1):
        x = place(whole)
        parts.append(line(f"M{x:.1f} {AXIS:g}v-5", "axis"))
        parts.append(text(x, AXIS - 9, str(whole), "middle"))
    parts += _critical_difference(cd, place)
    below = AXIS + 14.0 + 7.0 * len(groups)
    for named in labels:
        left, down = named.left, below + STEP * named.line
        edge = LEFT - 12 if left else RIGHT + 12
        parts.append(line(f"M{place(named.rank):.1f} {AXIS:g}V{down:g}H{edge:g}", "axis"))
        both = [_short(named.name), f"{named.rank:.2f}"]
        words, anchor = "  ".join(both if left else both[::-1]), "end" if left else "start"
        parts.append(text(edge + (-4 if left else 4), down + 3.5, words, anchor))
    style = "fill: none; stroke: var(--ink); stroke-width: 3.5; stroke-linecap: round"
    for number, (first, last) in enumerate(groups):
        y = AXIS + 8.0 + 7.0 * number
        start, end = place(sorted_ranks[first]) - 3, place(sorted_ranks[last]) + 3
        parts.append(line(f"M{start:.1f} {y:g}H{end:.1f}", "clique", style=style))
    label = "Mean ranks: " + ", ".join(f"{named.name} {named.rank:.2f}" for named in labels)
    return picture(
        WIDTH,
        below + STEP * math.ceil(most / 2),
        label,
        *parts,
        style="min-width: 34rem; font-size: 11.5px",
    )


def _critical_difference(cd: float, place: Callable[[float], float]) -> list[Markup]:
    start, end = place(1), min(place(1 + cd), WIDTH - 40.0)
    return [
        line(f"M{start:.1f} 10v6m0 -3H{end:.1f}m0 -3v6", "axis"),
        text(end + 5, 16.5, f"CD = {cd:.2f}"),
    ]


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
