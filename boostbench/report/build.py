"""Write a report: the store is read once, every file is a pure function of what it holds."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from boostbench.errors import ConfigError
from boostbench.outputs import OutputFolder
from boostbench.report import csvtable, figures, html, latex, markdown, tables
from boostbench.report.classification import build as classification
from boostbench.report.compose import PICTURE, compose
from boostbench.report.frame import ResultsStore, Snapshot, load_results, not_run
from boostbench.report.page import Table
from boostbench.report.stats import summarise

if TYPE_CHECKING:
    from boostbench.store.types import Run

FORMATS = ("md", "csv", "latex", "html", "figure")
FIGURE_KINDS = ("png", "svg", "pdf")
# Parquet is an export of the results themselves, for whoever calls.
_OFFERED = (*FORMATS, "parquet")
_ALIASES = {"markdown": "md", "tex": "latex", "png": "figure", "svg": "figure", "pdf": "figure"}


class ReportStore(ResultsStore, Protocol):
    """A store as the report reads it."""

    def environments(self) -> Mapping[str, Mapping[str, Any]]:
        """Return where the runs took place, by id."""
        ...

    def runs(self) -> Sequence[Run]:
        """Return the runs in which what is planned was recorded."""
        ...


@dataclass(frozen=True)
class ReportResult:
    """What was written and what a terminal shows.

    ``header`` and ``rows`` are the results table in words, one row per data set and then the
    averages; ``averages`` counts these. ``legend`` explains the marks. ``not_run`` says what is
    left out since nothing of it has run.
    """

    paths: Sequence[Path]
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    averages: int
    legend: str
    not_run: str = ""


def report_formats(names: Sequence[str]) -> list[str]:
    """Return the formats meant by ``names``, all of them for none; ``ConfigError`` if unknown."""
    chosen = []
    for name in names or FORMATS:
        known = _ALIASES.get(name.lower(), name.lower())
        if known not in FORMATS:
            near = difflib.get_close_matches(name.lower(), [*_OFFERED, *_ALIASES], n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise ConfigError(
                f"'{name}' is not a format of the report: choose from {', '.join(_OFFERED)}.{hint}"
            )
        if known not in chosen:
            chosen.append(known)
    return chosen


_ENDINGS = {
    "md": ("md",), "csv": ("csv",), "latex": ("tex",), "html": ("html",), "figure": FIGURE_KINDS,
}  # fmt: skip


def file_names(experiment: str, formats: Sequence[str] = FORMATS) -> list[str]:
    """Return the names of the files that reports of an experiment of this name may have."""
    endings = {ending for name in formats for ending in _ENDINGS[name]}
    stem = classification.file_stem(experiment)
    pictures = [f"{name}.{kind}" for name in ("figure", stem) for kind in FIGURE_KINDS]
    tables = [f"table.{ending}" for ending in ("md", "csv", "tex", "html")]
    names = [*tables, *dict.fromkeys(pictures), f"{stem}-curves.csv", f"{stem}-times.csv"]
    return [name for name in names if name.rpartition(".")[2] in endings]


def build_report(store: ReportStore, out: Path | None, formats: Sequence[str] = ()) -> ReportResult:
    """Write ``table.md``, ``.csv``, ``.tex``, ``.html`` and the figures as PNG, SVG and PDF.

    The metric follows the task of the plan: R2 and ``figure.*`` for regression, the test error and
    learning curves (see :func:`boostbench.report.classification.build.report_files`) otherwise.
    ``formats`` chooses among :data:`FORMATS` (none: all). Nothing is written where ``out`` is None.
    Files appear whole or not at all. Raises
    ``ConfigError`` for an unknown format and ``StoreError`` where ``out`` cannot be written to or
    holds a file of one of these names that is the user's.
    """
    chosen = report_formats(formats) if out is not None else []
    snapshot = Snapshot.of(store)
    environments, runs = store.environments(), store.runs()
    if snapshot.task == "classification":
        files, overview = classification.report_files(snapshot, environments, chosen, runs)
    else:
        files, overview = _regression_files(snapshot, environments, chosen, runs)
    paths = OutputFolder(out).write(files) if out is not None else []
    missing = not_run(snapshot.experiment())
    return ReportResult(paths, *_terminal(overview), overview.averages, overview.legend, missing)


def _regression_files(
    snapshot: Snapshot,
    environments: Mapping[str, Mapping[str, Any]],
    chosen: Sequence[str],
    runs: Sequence[Run],
) -> tuple[dict[str, bytes], Table]:
    summary = summarise(load_results(snapshot))
    page = compose(summary, environments, runs)
    files: dict[str, bytes] = {}
    if "md" in chosen:
        files["table.md"] = markdown.render(page, pictures="figure" in chosen).encode()
    if "csv" in chosen:
        files["table.csv"] = csvtable.render(summary).encode()
    if "latex" in chosen:
        files["table.tex"] = latex.render(page).encode()
    if "html" in chosen:
        panels = {PICTURE.file: figures.panel_svgs(summary)}
        files["table.html"] = html.render(page, panels).encode()
    if "figure" in chosen:
        for kind, content in figures.figure_files(summary).items():
            files[f"figure.{kind}"] = content
    return files, tables.overview(summary)


def _terminal(table: Table) -> tuple[Sequence[str], list[list[str]]]:
    rows = [
        [
            " ".join(
                part
                for part in (
                    item.text,
                    item.mark,
                    f"({item.beside})" if item.beside else "",
                    f"[{item.note}]" if item.note else "",
                )
                if part
            )
            for item in row
        ]
        for row in table.rows
    ]
    return table.header, rows
