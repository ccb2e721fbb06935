"""The contents of charts of rows: means, seconds, single runs, differences from print."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from boostbench.report.cards import TONES
from boostbench.report.comparisons import Ranking
from boostbench.report.figures.rows import NAN, Chart, Row, limit
from boostbench.report.results import Results
from boostbench.report.sentences import captions
from boostbench.report.winners import Standing
from boostbench.report.words import names_of, times


def methods_charts(results: Results) -> list[Chart]:
    """Return the means of the methods over data sets, and their seconds, if there are several."""
    metric, names = results.metric, names_of(results.methods)
    cells = results.only_cells
    done: Any = cells[(cells.finished > 0) & (cells.repeats == "")]
    shared = [data.label for data in results.counted
              if set(done.method) == set(done.method[done.dataset == data.label])]  # fmt: skip
    rows = []
    for label, own in done[done.dataset.isin(shared)].groupby("method", sort=False):
        mean = float(own.compared.mean())
        half = float(np.sqrt((own.half_width**2).sum(skipna=False))) / len(own)
        printed = float(own.published.mean()) if own.counts.all() else NAN
        value, low, high = (metric.scale * x for x in (mean, mean - half, mean + half))
        text = metric.text(mean)
        rows.append(Row(names[label], value, text, low, high, metric.scale * printed))
    if len(rows) < 2:
        return []
    rows.sort(key=lambda row: -metric.sign * row.value)
    title = captions.best_mean(rows[0].name, rows[0].text, metric)
    caption = captions.means(metric, len(shared), printed=results.compares)
    means = [Chart(title, rows, caption, metric.bounds)] if "arithmetic" in metric.averages else []
    return [*means, *_seconds(results, shared)]


def _seconds(results: Any, datasets: Sequence[str]) -> list[Chart]:
    """Return the methods with their mean seconds of one fit, the fastest first.

    Hollow dots were timed on another processor than most, and are not compared.
    """
    names, done = names_of(results.methods), results.runs[results.runs.status == "ok"]
    done = done[done.dataset.isin(datasets)]
    means = done.groupby(["method", "dataset"], sort=False).fit_s.mean().groupby("method").mean()
    usual = done.processor.mode()
    other = {label for label, own in done.groupby("method") if set(own.processor) - set(usual[:1])}
    rows = [
        Row(names[label], seconds, f"{times(seconds)} s", hollow=label in other)
        for label, seconds in means[means > 0].sort_values().items()
    ]
    if not rows:
        return []
    same, title = [row for row in rows if not row.hollow], "Seconds of one fit"
    if len(same) > 1 and same[-1].value > 1.1 * same[0].value:
        ratio = times(same[-1].value / same[0].value)
        title = captions.slowest(same[-1].name, same[0].name, ratio)
    return [Chart(title, rows, captions.SECONDS, (0.0, math.inf), log=True)]


def runs_chart(results: Results, dataset: str, own: Sequence[Standing]) -> Chart:
    """Return the methods on a data set with their single runs, the best first."""
    names, metric, rows = names_of(results.methods), results.metric, []
    for each in own:
        cell, runs = results.cell(dataset, each.method), results.of(dataset, each.method).score
        printed = metric.scale * cell.published if cell.counts else NAN
        rows.append(
            Row(names[each.method], metric.scale * each.mean, metric.text(each.mean),
                printed=printed, runs=tuple(metric.scale * runs),
                tone="yes" if each.best else "ink")
        )  # fmt: skip
    score = f"{rows[0].text} {metric.unit}".strip()
    title = captions.best_on(dataset, rows[0].name, score, is_compared=len(rows) > 1)
    count = results.rows.get(dataset)
    parts = [f"{count:,} rows" if count else ""]
    for each in own:
        fewer = results.cell(dataset, each.method).fewer
        parts.append(f"{names[each.method]}: {fewer}" if fewer else "")
    caption = "; ".join(filter(None, parts))
    return Chart(title, rows, caption, metric.bounds)


def means_charts(results: Results) -> list[Chart]:
    """Return the means of all methods, with 95 % intervals, a chart per data set."""
    names, scale = names_of(results.methods), results.metric.scale
    done: Any = results.only_cells[results.only_cells.compared.notna()]
    labels, charts = [label for label in names if label in set(done.method)], []
    for dataset, own in done.groupby("dataset", sort=False):
        cells = own.set_index("method").reindex(labels)
        rows = []
        for label, cell in zip(labels, cells.itertuples(), strict=True):
            mean, half = cell.compared, cell.half_width
            text = results.metric.text(mean) if mean == mean else ""
            low, high = scale * (mean - half), scale * (mean + half)
            printed = scale * cell.published if cell.counts is True else NAN
            rows.append(Row(names[label], scale * mean, text, low, high, printed))
        charts.append(Chart(str(dataset), rows, bounds=results.metric.bounds))
    return charts


def difference_charts(results: Results, cells: pd.DataFrame) -> list[Chart]:
    """Return the printed table as a picture: measured minus printed of ``cells``, by method.

    All share one axis, that of the main readings; the interval is the one that decides.
    """
    names, scale = names_of(results.methods), results.metric.scale
    end = scale * limit(list(cells[cells.meant.astype(bool)].difference))
    datasets = [data.label for data in results.datasets if data.label in set(cells.dataset)]
    charts = []
    for label in [label for label in names if label in set(cells.method)]:
        own: Any = cells[cells.method == label].set_index("dataset").reindex(datasets)
        rows = [
            Row(name, scale * cell.difference, low=scale * cell.low, high=scale * cell.high,
                tone=TONES.get(cell.verdict, "ink"), hollow=cell.verdict == "undecided",
                margin=scale * cell.margin)
            for name, cell in zip(datasets, own.itertuples(), strict=True)
        ]  # fmt: skip
        charts.append(Chart(names[label], rows, ends=(-end, end)))
    return charts


def ranks_chart(results: Results, ranking: Ranking) -> Chart:
    """Return mean ranks, the best first; bars of methods that differ do not overlap."""
    names, half = names_of(results.methods), ranking.cd / 2
    order = sorted(zip(map(float, ranking.friedman.ranks), ranking.methods, strict=True))
    rows = [Row(names[m], rank, f"{rank:.2f}", rank - half, rank + half) for rank, m in order]
    return Chart(captions.ranks(len(ranking.datasets)), rows, ends=(1 - half, len(rows) + half))
