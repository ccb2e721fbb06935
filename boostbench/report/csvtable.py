"""The cells and averages as one CSV file for other programs: full precision, one row each."""

import csv
import io
from collections.abc import Sequence

from boostbench.report.stats import Cell, Summary

HEADER = (
    "row",
    "dataset",
    "published_as",
    "method",
    "registered",
    "depth",
    "planned",
    "finished",
    "r2_mean",
    "r2_sd",
    "r2_median",
    "negative_runs",
    "r2_mean_without_negative",
    "fit_s",
    "published_table",
    "published_r2",
    "published_sd",
    "published_time_s",
    "published_negative_runs",
    "compared_r2",
    "difference",
    "tolerance",
    "verdict",
    "missing",
)


def render(summary: Summary) -> str:
    """Return a row a cell (``row`` is "cell") and a row an average (its label).

    For averages ``planned`` and ``finished`` count data sets. Numbers are written so that they
    read back exactly; unknown ones are empty.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(_cells(summary))
    writer.writerows(_averages(summary))
    return buffer.getvalue()


def _cells(summary: Summary) -> list[Sequence[object]]:
    methods = {method.label: method for method in summary.methods}
    datasets = {data.label: data for data in summary.datasets}
    rows: list[Sequence[object]] = []
    for cell in summary.cells.values():
        method, printed = methods[cell.method], cell.published
        rows.append(
            (
                "cell",
                cell.dataset,
                datasets[cell.dataset].published_as,
                cell.method,
                method.registered,
                method.depth,
                cell.planned,
                cell.finished,
                cell.r2_mean,
                cell.r2_sd,
                cell.r2_median,
                cell.negative if cell.finished else None,
                cell.kept_mean,
                cell.fit_s,
                printed.table if printed else None,
                printed.r2_mean if printed else None,
                printed.r2_sd if printed else None,
                printed.time_s if printed else None,
                printed.negative_runs if printed else None,
                cell.compared,
                cell.difference,
                cell.tolerance if printed else None,
                cell.verdict.value,
                _missing(cell),
            )
        )
    return rows


def _averages(summary: Summary) -> list[Sequence[object]]:
    methods = {method.label: method for method in summary.methods}
    rows: list[Sequence[object]] = []
    for row in summary.rows:
        for average in row.averages.values():
            rows.append(
                (
                    row.label,
                    None,
                    None,
                    average.method,
                    methods[average.method].registered,
                    methods[average.method].depth,
                    average.of,
                    average.used,
                    average.r2_all,
                    average.sd,
                    None,
                    average.negative,
                    None,
                    average.fit_s,
                    None,
                    average.published_r2,
                    average.published_sd,
                    average.published_time,
                    average.published_negative,
                    average.r2,
                    average.difference,
                    None,
                    average.verdict.value,
                    average.problem,
                )
            )
    return rows


def _missing(cell: Cell) -> str:
    return "; ".join(
        f"{runs} {status}" + (f": {reason}" if reason else "")
        for status, reason, runs in cell.reasons
    )
