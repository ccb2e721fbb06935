"""The contents of charts of rows: means, seconds, single runs, differences from print."""

import math
import statistics
from collections.abc import Iterable, Mapping

import pandas as pd

from boostbench import numbers
from boostbench.report.appearance import appearance
from boostbench.report.figures.axes import limit
from boostbench.report.figures.rows import NAN, Chart, ChartRow, Plate, Sign
from boostbench.report.frames.cell import DECIDED_OR_NOT, Cell, CellVerdict
from boostbench.report.frames.over_datasets import Ranking
from boostbench.report.frames.results import ReportData
from boostbench.report.sentences import captions
from boostbench.report.words import times


def methods_charts(results: ReportData) -> list[Chart]:
    """Return the means of the methods over data sets, and their seconds, if there are several."""
    metric, cells = results.metric, results.cell_frame
    done = cells[(cells.finished > 0) & (cells.duplicate_of == "")]
    of_all = done.groupby("dataset").method.transform("size") == done.method.nunique()
    shared = done[of_all & ~done.dataset.isin(results.repeated)]
    by_method = shared.groupby("method", sort=False)
    rows = [_mean_row(results, str(label), own) for label, own in by_method]
    if len(rows) < 2:
        return []
    rows.sort(key=lambda row: -metric.sign * row.value)
    title = captions.best_mean(rows[0].name, rows[0].text, metric)
    caption = captions.means(
        metric,
        shared.dataset.nunique(),
        printed=results.compares,
        leaves_out=bool(done.leaves_out.any()),
    )
    means = [Chart(title, rows, caption, metric.bounds)] if "arithmetic" in metric.averages else []
    return [*means, *_seconds(results, shared.dataset)]


def _mean_row(results: ReportData, label: str, cells: pd.DataFrame) -> ChartRow:
    """Return the mean of a method over data sets, with its interval and the printed mean."""
    known = cells.compared.dropna()
    mean = statistics.fmean(known) if len(known) else NAN
    half = math.sqrt(sum(cells.compared_half_width**2)) / len(cells)
    printed = statistics.fmean(cells.published) if cells.counts.all() else NAN
    return _with_interval(results, label, mean, half, printed)


def _with_interval(
    results: ReportData, label: str, mean: float, half: float, printed: float
) -> ChartRow:
    """Return the row of a mean with ``half`` the width of its interval, and the printed mean."""
    metric = results.metric
    return ChartRow(
        results.names[label],
        metric.scale * mean,
        metric.text(numbers.known(mean)),
        metric.scale * (mean - half),
        metric.scale * (mean + half),
        metric.scale * printed,
    )


def _seconds(results: ReportData, datasets: Iterable[str]) -> list[Chart]:
    """Return the methods with their mean seconds of one fit, the fastest first.

    Hollow dots were timed on another processor than most, and are not compared.
    """
    names, done = results.names, results.done[results.done.dataset.isin([*datasets])]
    means = done.groupby(["method", "dataset"], sort=False).fit_s.mean().groupby("method").mean()
    usual = done.processor.mode()
    other = {label for label, own in done.groupby("method") if set(own.processor) - set(usual[:1])}
    rows = [
        ChartRow(names[str(label)], seconds, f"{times(seconds)} s", hollow=label in other)
        for label, seconds in means[means > 0].sort_values().items()
    ]
    if not rows:
        return []
    same, title = [row for row in rows if not row.hollow], "Seconds of one fit"
    if len(same) > 1 and same[-1].value > 1.1 * same[0].value:
        ratio = times(same[-1].value / same[0].value)
        title = captions.slowest(same[-1].name, same[0].name, ratio)
    return [Chart(title, rows, captions.SECONDS, (0.0, math.inf), log=True)]


def runs_chart(results: ReportData, dataset: str, own: pd.DataFrame) -> Chart:
    """Return the methods on a data set with their single runs, the best first."""
    names, metric = results.names, results.metric
    rows = [_runs_row(results, dataset, each) for _, each in own.iterrows()]
    score = f"{rows[0].text} {metric.unit}".strip()
    title = captions.best_on(dataset, rows[0].name, score, is_compared=len(rows) > 1)
    count = results.rows.get(dataset)
    parts = [f"{count:,} rows" if count else ""]
    for label in own.method:
        cell = results.cell(dataset, label)
        parts.append(f"{names[label]}: {cell.fewer}" if cell and cell.fewer else "")
    caption = "; ".join(filter(None, parts))
    return Chart(title, rows, caption, metric.bounds)


def _runs_row(results: ReportData, dataset: str, standing: pd.Series) -> ChartRow:
    metric, label = results.metric, standing.method
    cell, runs = results.cell(dataset, label), results.of(dataset, label).score
    return ChartRow(
        results.names[label],
        metric.scale * standing["mean"],
        metric.text(standing["mean"]),
        printed=metric.scale * _printed(cell),
        runs=tuple(metric.scale * runs),
        colour="yes" if standing.is_best else "ink",
    )


def _printed(cell: Cell | None) -> float:
    """Return the printed mean of a cell that counts, NaN of any other."""
    printed = cell.published if cell and cell.counts else None
    return NAN if printed is None else printed


def means_plate(results: ReportData, *, beside_print: bool) -> Plate:
    """Return the means of all methods, with 95 % intervals, a chart per data set.

    With ``beside_print`` each is the one that is compared with the printed mean, which is drawn.
    """
    done = results.cell_frame[results.cell_frame["mean"].notna()]
    drawn = done.assign(printed=NAN)
    if beside_print:
        drawn = done.assign(
            mean=done.compared,
            half_width=done.compared_half_width,
            printed=done.published.where(done.counts),
        )
    labels, drawn = _in_order(results.names, drawn.method), drawn[drawn["mean"].notna()]
    charts = []
    for dataset, own in drawn.groupby("dataset", sort=False):
        by_method = own.set_index("method").reindex(labels)
        rows = [
            _with_interval(results, str(label), one["mean"], one.half_width, one.printed)
            for label, one in by_method.iterrows()
        ]
        title = results.dataset_names[str(dataset)]
        charts.append(Chart(title, rows, bounds=results.metric.bounds))
    has_printed = bool(drawn.printed.notna().any())
    signs = [Sign("measured", "o", "ink"), Sign("printed", "|", "weak")] if has_printed else []
    return Plate(charts, captions.mean_axis(results.metric), signs)


def _in_order(names: Mapping[str, str], labels: Iterable[str]) -> list[str]:
    """Return each of the labels once, in the order in which they are named."""
    found = set(labels)
    return [label for label in names if label in found]


def difference_plate(results: ReportData, cells: pd.DataFrame) -> Plate:
    """Return the printed table as a picture: measured minus printed of ``cells``.

    There is a chart per method, or per data set where these are fewer. All share one axis, that of
    the main readings and their margins; the interval is the one that decides.
    """
    scale = results.metric.scale
    end = scale * limit(cells[cells.primary][["difference", "margin"]].abs().max(axis=1))
    titles, names = ("method", results.names), ("dataset", results.dataset_names)
    if cells.dataset.nunique() < cells.method.nunique():
        titles, names = names, titles
    labels = _in_order(names[1], cells[names[0]])
    charts = []
    for label in _in_order(titles[1], cells[titles[0]]):
        own = cells[cells[titles[0]] == label].set_index(names[0]).reindex(labels)
        rows = [_difference_row(names[1][str(row)], one, scale) for row, one in own.iterrows()]
        charts.append(Chart(titles[1][label], rows, ends=(-end, end)))
    signs = [_sign(verdict) for verdict in DECIDED_OR_NOT if (cells.verdict == verdict).any()]
    signs.append(Sign(captions.MARGIN, "s", "band"))
    return Plate(charts, captions.difference_axis(results.metric), signs)


def _sign(verdict: CellVerdict) -> Sign:
    """Return how the difference of a cell with a verdict is drawn."""
    colour = appearance(verdict).colour
    mark = "D" if verdict is CellVerdict.DIFFERS else "o"
    return Sign(str(verdict), mark, colour, verdict is CellVerdict.UNDECIDED)


def _difference_row(name: str, cell: pd.Series, scale: float) -> ChartRow:
    """Return the difference from print of a cell, an empty row where there is none."""
    if math.isnan(cell.difference):
        return ChartRow(name, NAN)
    sign = _sign(CellVerdict(cell.verdict))
    return ChartRow(
        name,
        scale * cell.difference,
        low=scale * cell.low,
        high=scale * cell.high,
        colour=sign.colour,
        hollow=sign.hollow,
        margin=scale * cell.margin,
    )


def ranks_plate(results: ReportData, ranking: Ranking) -> Plate:
    """Return mean ranks, the best first; bars of methods that differ do not overlap."""
    names, half = results.names, ranking.cd / 2
    order = sorted(zip(map(float, ranking.friedman.ranks), ranking.methods, strict=True))
    rows = [ChartRow(names[m], rank, f"{rank:.2f}", rank - half, rank + half) for rank, m in order]
    whole = range(1, len(rows) + 1, 1 + len(rows) // 8)
    return Plate(
        [Chart("", rows, ends=(1 - half, len(rows) + half), ticks=whole)], captions.RANK_AXIS
    )
