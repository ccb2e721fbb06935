"""Methods side by side: their means over data sets, their seconds, and the runs of one data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy
from matplotlib.figure import Figure

from boostbench import stats
from boostbench.report.figures.canvas import WIDE, sheet, text_size
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


def means_figure(results: Any, title: str) -> Figure:
    """Return the means of all methods, with 95 % intervals, a panel per data set."""
    names, metric, size = names_of(results.methods), results.metric, text_size()
    done = results.only_cells[results.only_cells.compared.notna()]
    datasets = [data.label for data in results.datasets if data.label in set(done.dataset)]
    labels = [label for label in names if label in set(done.method)]
    lines, across = math.ceil(len(datasets) / ACROSS), min(ACROSS, len(datasets))
    made = sheet(WIDE, 1.5 * size * (len(labels) + 2.4) * lines, title)
    for place, axes in enumerate(made.subplots(lines, across, squeeze=False).flat):
        if place >= len(datasets):
            axes.remove()
            continue
        own = done[done.dataset == datasets[place]].set_index("method").reindex(labels)
        rows = []
        for cell in own.itertuples():
            value, half, printed = (
                metric.scale * x for x in (cell.compared, cell.half_width, cell.published)
            )
            text = "" if np.isnan(value) else metric.text(cell.compared)
            printed = printed if cell.counts is True else NAN
            rows.append(Row(names[cell.Index], value, text, value - half, value + half, printed))
        axes.set_title(datasets[place])
        draw(axes, rows, bounds=bounds(metric), room=0 if place % across else 40, most=4)
    return made
