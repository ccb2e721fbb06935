"""The figures that a report writes as files: of the width of a column, with their captions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.figure import Figure

from boostbench.report.document.answer import cells_sentence, design, winners
from boostbench.report.figures import charts, traces
from boostbench.report.figures.canvas import COLUMN, FILE_TEXT, files, style
from boostbench.report.figures.rows import side_by_side
from boostbench.report.frames.cell import DECIDED_OR_NOT
from boostbench.report.frames.curves import Panel
from boostbench.report.frames.results import ReportData
from boostbench.report.names import ERRORS, MAIN, MEANS, RANKS, file_stem
from boostbench.report.sentences import captions


@dataclass(frozen=True)
class Drawing:
    """A figure as files: the stem of their names, what it shows, its caption, and its drawing."""

    stem: str
    title: str
    caption: str
    draw: Callable[[float], Figure]

    def files(self) -> dict[str, bytes]:
        """Return its files by kind (png, svg, pdf)."""
        with style(FILE_TEXT):
            return files(self.draw(COLUMN))

    def pdf(self, width: float) -> bytes:
        """Return it as PDF with a width in points."""
        with style(FILE_TEXT):
            return files(self.draw(width), ["pdf"])["pdf"]


def drawings(results: ReportData) -> Iterator[Drawing]:
    """Yield the figures of a report, the main one first.

    The differences from comparable published values, if there are any. Means are drawn beside
    these, or if nothing else is drawn; learning curves if they were recorded; mean ranks if there
    are enough methods and data sets for them.
    """
    if results.done.empty:
        return
    cells = results.cell_frame
    compared = cells[cells.verdict.isin(DECIDED_OR_NOT)]
    if len(compared):
        plate = charts.difference_plate(results, compared)
        caption = captions.difference_files(results.metric, design(results))
        title = cells_sentence(results) or plate.axis
        yield Drawing(MAIN, title, caption, partial(side_by_side, plate))
    if len(compared) or not results.recorded_curves:
        yield from means(results, MEANS if len(compared) else MAIN, beside_print=True)
    stem = file_stem(results.experiment["name"])
    for kind, datasets in _curves(results).items():
        yield _curves_drawing(results, stem, kind, datasets)
        stem += ERRORS
    yield from ranks(results)


def means(
    results: ReportData, stem: str = MEANS, *, beside_print: bool = False
) -> Iterator[Drawing]:
    """Yield the means on each data set, if there are any, with printed ones ``beside_print``."""
    plate = charts.means_plate(results, beside_print=beside_print)
    if plate.charts:
        caption = captions.mean_files(results.metric, design(results), printed=bool(plate.signs))
        yield Drawing(stem, winners(results)[0], caption, partial(side_by_side, plate))


def ranks(results: ReportData) -> Iterator[Drawing]:
    """Yield the mean ranks, if there are any."""
    if ranking := results.ranking:
        plate = charts.ranks_plate(results, ranking)
        caption = captions.rank_files(len(ranking.datasets), design(results))
        yield Drawing(RANKS, plate.axis, caption, partial(side_by_side, plate))


def curves_on_datasets(results: ReportData) -> Iterator[Drawing]:
    """Yield the learning curves of the objective and of the score, a data set a figure."""
    for kind, datasets in _curves(results).items():
        for panels in datasets:
            stem = f"{kind}-{file_stem(panels[0].title)}"
            yield _curves_drawing(results, stem, kind, [panels])


def _curves(results: ReportData) -> Mapping[str, Sequence[Sequence[Panel]]]:
    """Return the recorded learning curves by kind: of each data set its panels, one per axis."""
    known = results.convergence.panels.items() if results.recorded_curves else ()
    return {kind: [*zip(*own.values(), strict=True)] for kind, own in known if own}


def _curves_drawing(
    results: ReportData, stem: str, kind: str, datasets: Sequence[Sequence[Panel]]
) -> Drawing:
    words, axes = datasets[0][0].quantity, [panel.axis for panel in datasets[0]]
    caption = captions.curve_files(words, axes, design(results), medians=kind == "objective")
    return Drawing(stem, captions.by_axes(words, axes), caption, partial(traces.figure, datasets))
