"""Cells as a CSV file for other programs: full precision, one row each."""

import csv
import io

from boostbench.report.document.columns import CSV, Shown, columns_in
from boostbench.report.frames.results import ReportData
from boostbench.report.render.formats import Renderer, register


def render(results: ReportData) -> str:
    """Return one row per cell (``row`` is "cell") and one per average (its label).

    For averages ``planned`` and ``finished`` count data sets. Scores are shares, not percent, times
    seconds. ``params``, ``chosen`` and ``stops`` are JSON: the last two count the values of each
    parameter, and the reasons to end. There is no mean objective of runs that chose different
    values. ``verdict`` follows from the interval of the difference (agrees, differs, undecided).
    ``meant`` says whether the cell is the main reading of the paper. Numbers are written so that
    they read back exactly; unknown ones, and the ends of unbounded intervals, are empty.
    """
    columns = columns_in(CSV, results.metric, results.conditions)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([name for name, _ in columns])
    for cell in results.cells:
        writer.writerow([column.value(Shown(cell, results)) for _, column in columns])
    return text.getvalue()


register(Renderer("csv", ".csv", lambda report: render(report.results)))
