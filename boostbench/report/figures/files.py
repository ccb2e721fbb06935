"""The figures that a report writes as files: as wide as a column or a page, text of 8 points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from boostbench.report.answer import cells_sentence, winners_sentence
from boostbench.report.comparisons import rank_methods
from boostbench.report.figures import forest, ranking, traces
from boostbench.report.figures.canvas import FILE_TEXT, files, style
from boostbench.report.figures.methods import means_figure
from boostbench.report.names import ERRORS, MAIN, MEANS, RANKS, file_stem


@dataclass(frozen=True)
class Drawing:
    """A figure as files: the stem of their names, the finding as title, and how it is drawn."""

    stem: str
    title: str
    draw: Callable[[str], Figure]

    def files(self) -> dict[str, bytes]:
        """Return its files by kind (png, svg, pdf)."""
        with style(FILE_TEXT):
            return files(self.draw(self.title))


def drawings(results: Any) -> Iterator[Drawing]:
    """Return the figures of a report, the main one first.

    Where anything is published and comparable: the differences from it. Means are drawn beside
    these, or where nothing else is drawn; learning curves where they were recorded; mean ranks
    where there are enough methods and data sets for them.
    """
    if not (results.runs.status == "ok").any():
        return
    compared = results.only_cells[results.only_cells.verdict.isin(forest.MARKS)]
    methods = [m.label for m in results.methods if m.label in set(compared.method)]
    if methods:
        title = cells_sentence(results) or "Measured less printed"
        yield Drawing(MAIN, title, partial(forest.figure, results, methods))
    if (methods or not len(results.curves)) and results.cells.compared.notna().any():
        draw = partial(means_figure, results)
        yield Drawing(MEANS if methods else MAIN, winners_sentence(results), draw)
    ranks = rank_methods(results)
    if ranks is not None:
        title = f"Mean ranks on {len(ranks.datasets)} data sets; bars: less than {ranks.cd:.2f} "
        yield Drawing(RANKS, f"{title}apart", partial(ranking.figure, results, ranks))
    if len(results.curves):
        yield from _curves(results)


def _curves(results: Any) -> Iterator[Drawing]:
    """Return all panels of a quantity in one figure, two side by side, by one axis together."""
    curves = results.convergence
    stem = file_stem(str(results.experiment.get("name") or ""))
    for groups in filter(None, (traces.objective_groups(curves), traces.score_groups(curves))):
        title = f"{groups[0].quantity} by {' and by '.join(each.by for each in groups)}"
        lines = [
            group.panels[place : place + 2]
            for group in groups
            for place in range(0, len(group.panels), 2)
        ]
        yield Drawing(stem, title[:1].upper() + title[1:], partial(traces.figure, lines))
        stem += ERRORS
