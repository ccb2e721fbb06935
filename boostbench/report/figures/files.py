"""The figures that a report writes as files: of column or page width, with text of 8 points."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from matplotlib.figure import Figure

from boostbench.report.answer import cells_sentence, winners
from boostbench.report.cell import DECIDED_OR_NOT
from boostbench.report.figures import charts, traces
from boostbench.report.figures.canvas import FILE_TEXT, NARROW, files, style
from boostbench.report.figures.rows import side_by_side
from boostbench.report.names import ERRORS, MAIN, MEANS, RANKS, file_stem
from boostbench.report.reportdata import ReportData


@dataclass(frozen=True)
class Drawing:
    """A figure as files: the stem of their names, the finding as title, and its drawing."""

    stem: str
    title: str
    draw: Callable[..., Figure]

    def files(self) -> dict[str, bytes]:
        """Return its files by kind (png, svg, pdf)."""
        with style(FILE_TEXT):
            return files(self.draw(title=self.title))


def drawings(results: ReportData) -> Iterator[Drawing]:
    """Return the figures of a report, the main one first.

    The differences from comparable published values, if there are any. Means are drawn beside
    these, or if nothing else is drawn; learning curves if they were recorded; mean ranks if there
    are enough methods and data sets for them.
    """
    if results.done.empty:
        return
    compared = [cell for cell in results.only_cells if cell.verdict in DECIDED_OR_NOT]
    if compared:
        draw = partial(side_by_side, charts.difference_charts(results, compared), 5)
        yield Drawing(MAIN, cells_sentence(results) or "Measured less printed", draw)
    if _has_means(results) and (compared or not results.recorded_curves):
        draw = partial(side_by_side, charts.means_charts(results, beside_print=True), 3)
        yield Drawing(MEANS if compared else MAIN, winners(results)[0], draw)
    if ranking := results.ranking:
        chart = charts.ranks_chart(results, ranking)
        draw = partial(side_by_side, [replace(chart, title="")], 1, NARROW)
        yield Drawing(RANKS, chart.title, draw)
    if results.recorded_curves:
        yield from _curves(results)


def _has_means(results: ReportData) -> bool:
    return any(cell.compared is not None for cell in results.cells)


def _curves(results: ReportData) -> Iterator[Drawing]:
    """Yield the learning curves, of the objective and then of the score."""
    stem = file_stem(results.experiment["name"])
    for groups in results.convergence.panels.values():
        if not groups:
            continue
        # All panels of a quantity are in one figure, two side by side, grouped by axis.
        lines = [own[i : i + 2] for own in groups.values() for i in range(0, len(own), 2)]
        title = f"{lines[0][0].quantity} by {' and by '.join(groups)}"
        draw = partial(traces.figure, lines)
        yield Drawing(stem, title[:1].upper() + title[1:], draw)
        stem += ERRORS
