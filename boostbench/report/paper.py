"""What a paper of one's own needs of results: a table as LaTeX, figures without headlines."""

from collections.abc import Collection

from boostbench.report.names import file_stem
from boostbench.report.paper_table import PaperLayout, paper_table, with_columns
from boostbench.report.render import paper_latex
from boostbench.report.reportdata import ReportData, collect
from boostbench.report.sentences import paper
from boostbench.store.store import Store


def paper_stem(experiment: str) -> str:
    """Return how the names of all files for a paper begin, by the name of the experiment."""
    return f"{file_stem(experiment or 'results')}-paper"


def how_to_read_in(files: Collection[str]) -> str:
    """Return how the table and the figures among ``files`` are read in."""
    table = next(name.removesuffix(".tex") for name in files if name.endswith(".tex"))
    return paper.how_to_read_in(table, [name for name in files if name.endswith(".pdf")])


def paper_text(store: Store, layout: PaperLayout | None = None, metric: str | None = None) -> str:
    """Return the table of a store as LaTeX, which needs booktabs alone.

    ``metric`` replaces the experiment's score. Raises ConfigError for a method without runs, where
    no run has finished, and where there are no mean ranks to show.
    """
    layout = layout or PaperLayout()
    results = with_columns(collect(store, metric), layout.columns)
    return _text(results, layout)


def _text(results: ReportData, layout: PaperLayout) -> str:
    name = results.experiment["name"] or "results"
    return paper_latex.render(paper_table(results, layout), name, layout.width)


def paper_files(store: Store, layout: PaperLayout, metric: str | None = None) -> dict[str, bytes]:
    """Return the table and the figures by the names of their files; see :func:`paper_text`."""
    # matplotlib takes half a second to import.
    from boostbench.report.figures.paper import drawn

    results = with_columns(collect(store, metric), layout.columns)
    stem = paper_stem(results.experiment["name"])
    table = f"{stem}.tex"
    figures = {f"{stem}-{end}.pdf": file for end, file in drawn(results, layout.width)}
    return {table: _text(results, layout).encode(), **figures}
