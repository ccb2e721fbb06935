"""Methods side by side: their means over data sets, their seconds, and the runs of one data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy
from matplotlib.figure import Figure

from boostbench import numbers, stats
from boostbench.report.figures.canvas import panel, text_width, titled_sheet
from boostbench.report.figures.rows import Row, draw
from boostbench.report.winners import Standing
from boostbench.report.words import names_of
from boostbench.stats.paired import as_array

LEVEL = 0.95
ACROSS = 3
NAN = float("nan")


def bounds(metric: Any) -> tuple[float, float]:
    """Return the least and the largest value that a mean can have, as it is drawn."""
    if not metric.is_share:
        return -math.inf, math.inf
    least = 0.0 if metric.explodes_below is None else -math.inf
    return least, metric.scale


def shared_datasets(results: Any) -> list[str]:
    """Return the data sets on which all methods have finished runs, without repeated ones."""
    cells = results.only_cells
    done = cells[(cells.finished > 0) & (cells.repeats == "")]
    labels = set(done.method)
    return [
        data.label
        for data in results.counted
        if labels == set(done.method[done.dataset == data.label])
    ]


def mean_rows(results: Any, datasets: Sequence[str]) -> list[Row]:
    """Return the methods with their means over data sets, the best first.

    The interval is for other folds of the same data sets: variances of the cells' means added up.
    """
    names, metric = names_of(results.methods), results.metric
    cells = results.only_cells[results.only_cells.dataset.isin(datasets)]
    rows = []
    for label, own in cells[cells.finished > 0].groupby("method", sort=False):
        if len(own) < len(datasets):
            continue
        mean = float(own.compared.mean())
        half = _half_width([results.kept(data, label) for data in datasets])
        printed = float(own.published.mean()) if own.counts.all() else NAN
        value, low, high = (metric.scale * x for x in (mean, mean - half, mean + half))
        rows.append(Row(names[label], value, metric.text(mean), low, high, metric.scale * printed))
    return sorted(rows, key=lambda row: -metric.sign * row.value)


def _half_width(runs: Sequence[pd.DataFrame]) -> float:
    errors = [stats.se_over_partitions(as_array(own.score.to_dict())) for own in runs]
    squares = np.array([error.se**2 for error in errors])
    if not np.isfinite(squares).all() or not squares.sum():
        return NAN
    df = squares.sum() ** 2 / sum(e.se**4 / e.df for e in errors if e.df)
    return float(scipy.special.stdtrit(df, 0.5 + LEVEL / 2) * math.sqrt(squares.sum())) / len(runs)


def time_rows(results: Any, datasets: Sequence[str]) -> list[Row]:
    """Return the methods with their mean seconds of one fit, the fastest first.

    Hollow are those not timed on the processor that most were timed on: they are not compared.
    """
    names = names_of(results.methods)
    done = results.runs[(results.runs.status == "ok") & results.runs.dataset.isin(datasets)]
    means = done.groupby(["method", "dataset"], sort=False).fit_s.mean().groupby("method").mean()
    usual = done.processor.mode()
    other = {label for label, own in done.groupby("method") if set(own.processor) - set(usual[:1])}
    return [
        Row(names[label], seconds, f"{_short(seconds)} s", hollow=label in other)
        for label, seconds in means[means > 0].sort_values().items()
        if label in names
    ]


def _short(seconds: float) -> str:
    return f"{seconds:,.0f}" if seconds >= 100 else f"{seconds:#.2g}".rstrip(".")


def run_rows(results: Any, dataset: str, own: Sequence[Standing]) -> list[Row]:
    """Return the methods on a data set with their single runs, the best first."""
    names, metric = names_of(results.methods), results.metric
    rows = []
    for each in own:
        runs = results.finished[dataset, each.method].score
        cell = results.cell(dataset, each.method)
        printed = metric.scale * cell.published if cell.counts else NAN
        value, shown = metric.scale * each.mean, tuple(metric.scale * runs)
        text, name = metric.text(each.mean), names[each.method]
        rows.append(Row(name, value, text, printed=printed, runs=shown, best=each.best))
    return rows


def means_figure(results: Any, title: str, width: float, size: float) -> Figure:
    """Return the means of all methods, with 95 % intervals, a panel per data set, in points."""
    names, metric = names_of(results.methods), results.metric
    done = results.only_cells[results.only_cells.compared.notna()]
    datasets = [data.label for data in results.datasets if data.label in set(done.dataset)]
    labels = [label for label in names if label in set(done.method)]
    left = max(text_width(names[label], size) for label in labels) * 0.92 + size
    step = 1.5 * size
    across = min(ACROSS, len(datasets))
    high, wide = step * (len(labels) + 3), (width - left) / across
    lines = math.ceil(len(datasets) / across)
    made, begin = titled_sheet(width, lines * high, title, size)
    least, most = bounds(metric)
    for place, dataset in enumerate(datasets):
        rows = []
        for label in labels:
            cell = results.cell(dataset, label)
            value, half, printed = (
                metric.scale * (NAN if cell is None or x is None else x)
                for x in (cell and cell.compared, cell and cell.half_width,
                          (cell and cell.counts and cell.published) or None)
            )  # fmt: skip
            text = "" if np.isnan(value) else numbers.fixed(value, metric.digits)
            rows.append(Row(names[label], value, text, value - half, value + half, printed))
        axes = panel(made, left + (place % across) * wide + 0.3 * size,
                     begin + (place // across) * high + 1.4 * step,
                     wide - 5 * size, step * len(labels))  # fmt: skip
        axes.set_title(dataset, fontsize=size, fontweight="bold", pad=0.4 * size, loc="left")
        draw(axes, rows, 0.9 * size, least=least, most=most, named=place % across == 0)
    return made
