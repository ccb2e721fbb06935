"""The figures that a report writes as files: as wide as a column or a page, text of 8 points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from boostbench.report.answer import cells_sentence, winners_sentence
from boostbench.report.comparisons import Ranking, rank_methods
from boostbench.report.figures import forest, ranking, traces
from boostbench.report.figures.canvas import FILE_TEXT, NARROW, WIDE, files, style, titled_sheet
from boostbench.report.figures.groups import Group, objective_groups, score_groups
from boostbench.report.figures.methods import means_figure
from boostbench.report.names import ERRORS, MAIN, MEANS, RANKS, file_stem


@dataclass(frozen=True)
class Drawing:
    """A figure as files: the stem of their names, the finding as title, and how it is drawn."""

    stem: str
    title: str
    draw: Callable[[], Figure]

    def files(self) -> dict[str, bytes]:
        """Return its files by kind (png, svg, pdf)."""
        with style(FILE_TEXT):
            return files(self.draw())


def drawings(results: Any) -> list[Drawing]:
    """Return the figures of a report, the main one first.

    Where anything is published and comparable: the differences from it. Means are drawn beside
    these, or where nothing else is drawn; learning curves where they were recorded; mean ranks
    where there are enough methods and data sets for them.
    """
    if not (results.runs.status == "ok").any():
        return []
    found: list[Drawing] = []
    compared = results.only_cells[results.only_cells.verdict.isin(forest.MARKS)]
    methods = [m.label for m in results.methods if m.label in set(compared.method)]
    if methods:
        title = cells_sentence(results) or "Measured less printed"
        found.append(
            Drawing(MAIN, title, partial(forest.figure, results, methods, title, WIDE, FILE_TEXT))
        )
    if (methods or not len(results.curves)) and results.cells.compared.notna().any():
        title = winners_sentence(results)
        draw = partial(means_figure, results, title, WIDE, FILE_TEXT)
        found.append(Drawing(MEANS if methods else MAIN, title, draw))
    ranks = rank_methods(results)
    if ranks is not None:
        title = rank_title(results, ranks)
        draw = partial(ranking.figure, results, ranks, title, NARROW, FILE_TEXT)
        found.append(Drawing(RANKS, title, draw))
    return [*found, *_curves(results)]


def rank_title(results: Any, found: Ranking) -> str:
    """Return what the diagram of ranks is of."""
    return f"Mean ranks on {len(found.datasets)} data sets; bars: less than {found.cd:.2f} apart"


def _curves(results: Any) -> list[Drawing]:
    if not len(results.curves):
        return []
    curves = results.convergence
    found: list[Drawing] = []
    stem = file_stem(str(results.experiment.get("name") or ""))
    for groups in (objective_groups(curves), score_groups(curves)):
        if groups:
            name = stem + (ERRORS if found else "")
            title = groups[0].quantity
            title = f"{title[:1].upper()}{title[1:]} by {' and by '.join(g.by for g in groups)}"
            found.append(Drawing(name, title, partial(_panels, groups, title)))
    return found


def _panels(groups: Sequence[Group], title: str) -> Figure:
    """Return all panels of a quantity, two side by side, those of one axis together."""
    size = FILE_TEXT
    lines = [group.panels[i : i + 2] for group in groups for i in range(0, len(group.panels), 2)]
    high = (traces.HEIGHT + 1) * size
    made, begin = titled_sheet(WIDE, high * len(lines), title, size)
    total = 72 * made.get_size_inches()[1]
    for row, line in enumerate(lines):
        for column, shown in enumerate(line):
            left, top = column * traces.WIDTH * size, begin + size + row * high
            made.text(left / WIDE, 1 - top / total, shown.title, fontsize=size, fontweight="bold")
            traces.draw(made, shown, left, top, size)
    return made
