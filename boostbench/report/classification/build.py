"""The files of a classification report, as bytes by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boostbench.report import html, latex, markdown
from boostbench.report.classification import csvfiles, figures, tables
from boostbench.report.classification.compose import compose
from boostbench.report.classification.curves import curves as mean_curves
from boostbench.report.classification.layout import layouts
from boostbench.report.classification.runs import load_results
from boostbench.report.classification.stats import summarise

if TYPE_CHECKING:
    from boostbench.report.frame import ResultsStore
    from boostbench.report.page import Table
    from boostbench.store.types import Run


def report_files(
    store: ResultsStore,
    environments: Mapping[str, Mapping[str, Any]],
    chosen: Sequence[str],
    runs: Sequence[Run] = (),
) -> tuple[dict[str, bytes], Table]:
    """Return the files of the ``chosen`` formats by name, and the table for a terminal.

    Beside ``table.md``, ``.csv``, ``.tex`` and ``.html``, where learning curves were recorded, the
    figures ``NAME.png``, ``.svg`` and ``.pdf`` and, among the CSV files, the means behind them:
    ``NAME-curves.csv`` and ``NAME-times.csv``, NAME being the experiment's.
    """
    results = load_results(store)
    summary, curves = summarise(results), mean_curves(results)
    name = file_stem(str(results.experiment.get("name") or "figure"))
    drawn = {f"{name}{layout.suffix}": layout for layout in layouts(results, curves)}
    page = compose(summary, curves, drawn, environments, runs)
    files: dict[str, bytes] = {}
    if "md" in chosen:
        files["table.md"] = markdown.render(page, pictures="figure" in chosen).encode()
    if "csv" in chosen:
        files["table.csv"] = csvfiles.cells(summary).encode()
        for ending, text in csvfiles.curve_files(curves).items() if curves else ():
            files[f"{name}-{ending}.csv"] = text.encode()
    if "latex" in chosen:
        files["table.tex"] = latex.render(page).encode()
    if "html" in chosen:
        panels = {
            stem: figures.panel_svgs(layout, results.methods, curves, f"f{number}p")
            for number, (stem, layout) in enumerate(drawn.items())
        }
        files["table.html"] = html.render(page, panels).encode()
    if "figure" in chosen:
        for stem, layout in drawn.items():
            for kind, content in figures.figure_files(layout, results.methods, curves).items():
                files[f"{stem}.{kind}"] = content
    return files, tables.overview(summary)


def file_stem(name: str) -> str:
    """Return ``name`` as the stem of a file on any system, never that of the report's tables."""
    stem = re.sub(r"[^A-Za-z0-9_.+-]+", "_", name).strip("._")[:100] or "figure"
    return f"figure_{stem}" if stem in {"table", "trials", "times"} else stem
