"""Write a report: the store is read once, every file is a pure function of what it holds."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.errors import ConfigError
from boostbench.outputs import OutputFolder
from boostbench.plan.absent import not_run
from boostbench.report import embedded, provenance, sections, tables
from boostbench.report.charts.section import with_charts
from boostbench.report.collect import ReportStore, collect
from boostbench.report.figures.figure import MAIN, MEANS, RANKS, figures, file_stem
from boostbench.report.figures.panels import ERRORS
from boostbench.report.papertables import paper_tables
from boostbench.report.render import bibtex, csv, html, latex, markdown, terminal
from boostbench.report.summary import summarise
from boostbench.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from boostbench.report.claims import Ledger
    from boostbench.report.figures.figure import Figure
    from boostbench.report.page import Page
    from boostbench.report.summary import Summary

__all__ = ["ReportResult", "build_report", "file_names", "report_formats"]

FORMATS = ("md", "csv", "latex", "html", "figure")
FIGURE_KINDS = ("png", "svg", "pdf")
_ALIASES = {"markdown": "md", "tex": "latex", "png": "figure", "svg": "figure", "pdf": "figure"}


@dataclass(frozen=True)
class ReportResult:
    """What was written and what a terminal shows.

    ``header`` and ``rows`` are the results table in words, one row per data set and then the
    averages; ``averages`` counts these. ``legend`` explains the marks. ``not_run`` says what is
    left out since nothing of it has run. ``tables`` are the paper's table that was asked for,
    ``ledger`` its claims as judged in what was written; None where nothing was, or without a paper.
    """

    paths: Sequence[Path]
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    averages: int
    legend: str
    not_run: str = ""
    tables: Sequence[terminal.Text] = ()
    ledger: Ledger | None = None


def report_formats(names: Sequence[str]) -> list[str]:
    """Return the formats meant by ``names``, all of them for none; ``ConfigError`` if unknown."""
    chosen = []
    for name in names or FORMATS:
        known = _ALIASES.get(name.lower(), name.lower())
        if known not in FORMATS:
            near = difflib.get_close_matches(name.lower(), [*FORMATS, *_ALIASES], n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            if known == "parquet":
                hint = " In Python, boostbench.load(FOLDER).trials.to_parquet(FILE) writes it."
            raise ConfigError(
                f"'{name}' is not a format of the report: choose from {', '.join(FORMATS)}.{hint}"
            )
        if known not in chosen:
            chosen.append(known)
    return chosen


_ENDINGS = {
    "md": ("md",),
    "csv": ("csv",),
    "latex": ("tex", "bib"),
    "html": ("html",),
    "figure": FIGURE_KINDS,
}


def file_names(experiment: str, formats: Sequence[str] = FORMATS) -> list[str]:
    """Return the names of the files that reports of an experiment of this name may have."""
    endings = {ending for name in formats for ending in _ENDINGS[name]}
    stem = file_stem(experiment)
    stems = (MAIN, MEANS, RANKS, stem, f"{stem}{ERRORS}")
    pictures = [f"{name}.{kind}" for name in stems for kind in FIGURE_KINDS]
    tables = [f"table.{ending}" for ending in ("md", "csv", "tex", "html")]
    tables.append(bibtex.FILE)
    names = [*tables, *dict.fromkeys(pictures), f"{stem}-curves.csv", f"{stem}-times.csv"]
    return [name for name in names if name.rpartition(".")[2] in endings]


def build_report(
    store: ReportStore,
    out: Path | None,
    formats: Sequence[str] = (),
    table: str | None = None,
    metric: str | None = None,
) -> ReportResult:
    """Write ``table.md``, ``.csv``, ``.tex``, ``.html`` and the figures as PNG, SVG and PDF.

    ``figure.*`` has the differences from published means, else the means, which are in ``means.*``
    otherwise; ``ranks.*`` mean ranks of three methods or more on five data sets or more. Where
    learning curves were recorded, ``NAME.*`` has these and ``NAME-curves.csv`` and
    ``NAME-times.csv`` the means behind them, NAME being the experiment's. ``table.tex`` has all
    tables, ``table-KEY.tex`` one each, ``references.bib`` what to cite.
    ``formats`` chooses among :data:`FORMATS` (none: all). Nothing is written where ``out`` is None.
    Files appear whole or not at all. ``table`` names one of the paper's tables to be shown,
    ``metric`` the score in place of the experiment's.
    Raises ``ConfigError`` for an unknown format and for a table that these runs do not fill, and
    ``StoreError`` where ``out`` cannot be written to or holds a file of one of these names that is
    the user's.
    """
    chosen = report_formats(formats) if out is not None else []
    summary = summarise(collect(store, metric))
    asked = _asked_for(summary, table) if table is not None else []
    paths, ledger = [], None
    if out is not None:
        files = _files(summary, chosen)
        pictures = file_names(str(summary.experiment.get("name") or ""), ["figure"])
        paths = _written(OutputFolder(out), files, pictures if "figure" in chosen else [])
        ledger = summary.ledger
    text = terminal.render(tables.overview(summary))
    left_out = not_run(summary.experiment)
    return ReportResult(
        paths, text.header, text.rows, text.averages, text.legend, left_out, asked, ledger
    )


def _written(
    folder: OutputFolder, files: Mapping[str, bytes], pictures: Sequence[str]
) -> list[Path]:
    """Write ``files``; what an earlier report had and this one has not is removed."""
    paths = folder.write(files)
    folder.remove(name for name in pictures if name not in files)
    if f"{latex.STEM}.tex" in files:
        found = (path.name for path in folder.folder.glob(f"{latex.STEM}-*.tex"))
        folder.remove(sorted(name for name in found if name not in files))
    return paths


def _asked_for(summary: Summary, table: str) -> list[terminal.Text]:
    made = paper_tables(summary)
    if table not in made:
        filled = f"those that they fill are {listing(made)}" if made else "they fill none"
        raise ConfigError(
            f"these runs do not fill a table '{table}'{did_you_mean(table, made)}; {filled}"
        )
    return [terminal.render(part) for part in made[table]]


def html_page(summary: Summary, page: Page, drawn: Sequence[Figure]) -> str:
    """Return ``page`` as HTML, with its figures, the runs behind its cells and their dates."""
    page, charts = with_charts(page, summary)
    panels = {figure.picture.file: figure.panels() for figure in drawn}
    collected = summary.collected
    source = provenance.source(collected.commands, collected.environments)
    return html.render(page, panels, charts, embedded.data(summary), source)


def _files(summary: Summary, chosen: Sequence[str]) -> dict[str, bytes]:
    drawn = figures(summary)
    page = sections.page(summary, drawn)
    stem = file_stem(str(summary.experiment.get("name") or ""))
    files: dict[str, bytes] = {}
    if "md" in chosen:
        files["table.md"] = markdown.render(page, pictures="figure" in chosen).encode()
    if "csv" in chosen:
        files["table.csv"] = csv.render(summary).encode()
        for ending, text in csv.curve_files(summary.curves).items():
            files[f"{stem}-{ending}.csv"] = text.encode()
    if "latex" in chosen:
        name = str(summary.experiment.get("name") or "results")
        files |= {file: text.encode() for file, text in latex.files(page, name).items()}
        files[bibtex.FILE] = bibtex.render(name, summary.paper, summary.datasets).encode()
    if "html" in chosen:
        files["table.html"] = html_page(summary, page, drawn).encode()
    if "figure" in chosen:
        for figure in drawn:
            for kind, content in figure.whole().items():
                files[f"{figure.picture.file}.{kind}"] = content
    return files
