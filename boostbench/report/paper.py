"""What a paper of one's own needs of results: a table and figures, with captions, as LaTeX."""

from collections.abc import Collection

from boostbench.report.document.for_paper import PaperLayout, paper_table, with_columns
from boostbench.report.frames.results import ReportData, collect
from boostbench.report.names import file_stem
from boostbench.report.render import paper_latex
from boostbench.report.sentences import paper
from boostbench.store.store import Store

POINTS_PER_INCH = 72


def paper_stem(experiment: str) -> str:
    """Return how the names of all files for a paper begin, by the name of the experiment."""
    return f"{file_stem(experiment or 'results')}-paper"


def how_to_read_in(files: Collection[str]) -> str:
    """Return how the table and the figures among ``files`` are read in."""
    names = [name.removesuffix(".tex") for name in files if name.endswith(".tex")]
    return paper.how_to_read_in(*names)


def paper_text(store: Store, layout: PaperLayout | None = None, metric: str | None = None) -> str:
    """Return the table of a store as LaTeX.

    ``metric`` replaces the experiment's score. Raises ConfigError for a method without runs, where
    no run has finished, where there are no mean ranks to show, and for more methods than a page
    holds.
    """
    layout = layout or PaperLayout()
    results = with_columns(collect(store, metric), layout.columns)
    return _text(results, layout)


def _text(results: ReportData, layout: PaperLayout) -> str:
    return paper_latex.render(paper_table(results, layout), _label(results), layout.width)


def _label(results: ReportData) -> str:
    return str(results.experiment["name"] or "results")


def paper_files(store: Store, layout: PaperLayout, metric: str | None = None) -> dict[str, bytes]:
    """Return the table, the figures and their captions by name of file; see :func:`paper_text`.

    The figures are the means on each data set, mean ranks of three methods or more on five data
    sets or more, and the learning curves of each data set.
    """
    # matplotlib takes half a second to import.
    from boostbench.report.figures.files import curves_on_datasets, means, ranks

    results = with_columns(collect(store, metric), layout.columns)
    stem = paper_stem(results.experiment["name"])
    files = {f"{stem}.tex": _text(results, layout).encode()}
    drawings = [*means(results), *ranks(results), *curves_on_datasets(results)]
    captions = {f"{stem}-{each.stem}": each.caption for each in drawings}
    files[f"{stem}-figures.tex"] = paper_latex.floats(captions, _label(results)).encode()
    pictures = {
        f"{stem}-{each.stem}.pdf": each.pdf(POINTS_PER_INCH * layout.width) for each in drawings
    }
    return {**files, **pictures}
