"""The contents of charts of rows: means, seconds, single runs, differences from print."""

import math
import statistics
from collections.abc import Sequence

from boostbench.report.appearance import appearance
from boostbench.report.axes import limit
from boostbench.report.cell import Cell, CellVerdict
from boostbench.report.figures.rows import NAN, Chart, ChartRow
from boostbench.report.overdatasets import Ranking
from boostbench.report.reportdata import ReportData
from boostbench.report.sentences import captions
from boostbench.report.winners import Standing
from boostbench.report.words import times


def methods_charts(results: ReportData) -> list[Chart]:
    """Return the means of the methods over data sets, and their seconds, if there are several."""
    metric = results.metric
    done = [cell for cell in results.only_cells if cell.finished and not cell.duplicate_of]
    shared = _datasets_of_all_methods(results, done)
    by_method: dict[str, list[Cell]] = {}
    for cell in done:
        if cell.dataset in shared:
            by_method.setdefault(cell.method, []).append(cell)
    rows = [_mean_row(results, label, own) for label, own in by_method.items()]
    if len(rows) < 2:
        return []
    rows.sort(key=lambda row: -metric.sign * row.value)
    title = captions.best_mean(rows[0].name, rows[0].text, metric)
    caption = captions.means(
        metric,
        len(shared),
        printed=results.compares,
        leaves_out=any(cell.leaves_out for cell in done),
    )
    means = [Chart(title, rows, caption, metric.bounds)] if "arithmetic" in metric.averages else []
    return [*means, *_seconds(results, shared)]


def _datasets_of_all_methods(results: ReportData, cells: Sequence[Cell]) -> list[str]:
    """Return the data sets on which all methods that have cells have one."""
    methods: dict[str, set[str]] = {}
    for cell in cells:
        methods.setdefault(cell.dataset, set()).add(cell.method)
    every = {cell.method for cell in cells}
    return [data.label for data in results.counted if methods.get(data.label) == every]


def _mean_row(results: ReportData, label: str, cells: Sequence[Cell]) -> ChartRow:
    """Return the mean of a method over data sets, with its interval and the printed mean."""
    known = [cell.compared for cell in cells if cell.compared is not None]
    mean = statistics.fmean(known) if known else NAN
    variance = sum(_or_nan(cell.compared_half_width) ** 2 for cell in cells)
    half = math.sqrt(variance) / len(cells)
    is_printed = all(cell.counts for cell in cells)
    printed = statistics.fmean(_or_nan(cell.published) for cell in cells) if is_printed else NAN
    return _with_interval(results, label, mean, half, printed)


def _with_interval(
    results: ReportData, label: str, mean: float, half: float, printed: float
) -> ChartRow:
    """Return the row of a mean with ``half`` the width of its interval, and the printed mean."""
    metric = results.metric
    return ChartRow(
        results.names[label],
        metric.scale * mean,
        metric.text(mean),
        metric.scale * (mean - half),
        metric.scale * (mean + half),
        metric.scale * printed,
    )


def _or_nan(value: float | None) -> float:
    return NAN if value is None else value


def _seconds(results: ReportData, datasets: Sequence[str]) -> list[Chart]:
    """Return the methods with their mean seconds of one fit, the fastest first.

    Hollow dots were timed on another processor than most, and are not compared.
    """
    names, done = results.names, results.done[results.done.dataset.isin(datasets)]
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


def runs_chart(results: ReportData, dataset: str, own: Sequence[Standing]) -> Chart:
    """Return the methods on a data set with their single runs, the best first."""
    names, metric = results.names, results.metric
    rows = [_runs_row(results, dataset, each) for each in own]
    score = f"{rows[0].text} {metric.unit}".strip()
    title = captions.best_on(dataset, rows[0].name, score, is_compared=len(rows) > 1)
    count = results.rows.get(dataset)
    parts = [f"{count:,} rows" if count else ""]
    for each in own:
        cell = results.cell(dataset, each.method)
        parts.append(f"{names[each.method]}: {cell.fewer}" if cell and cell.fewer else "")
    caption = "; ".join(filter(None, parts))
    return Chart(title, rows, caption, metric.bounds)


def _runs_row(results: ReportData, dataset: str, standing: Standing) -> ChartRow:
    metric, label = results.metric, standing.method
    cell, runs = results.cell(dataset, label), results.of(dataset, label).score
    return ChartRow(
        results.names[label],
        metric.scale * standing.mean,
        metric.text(standing.mean),
        printed=metric.scale * _printed(cell),
        runs=tuple(metric.scale * runs),
        colour="yes" if standing.best else "ink",
    )


def _printed(cell: Cell | None) -> float:
    """Return the printed mean of a cell that counts, NaN of any other."""
    return _or_nan(cell.published) if cell and cell.counts else NAN


def means_charts(results: ReportData, *, beside_print: bool) -> list[Chart]:
    """Return the means of all methods, with 95 % intervals, a chart per data set.

    With ``beside_print`` each is the one that is compared with the printed mean, which is drawn.
    """
    done = [cell for cell in results.only_cells if cell.mean is not None]
    methods = {cell.method for cell in done}
    labels = [label for label in results.names if label in methods]
    charts = []
    for dataset in dict.fromkeys(cell.dataset for cell in done):
        cells = [results.cell(dataset, label) for label in labels]
        rows = [
            _interval_row(results, label, cell, beside_print=beside_print)
            for label, cell in zip(labels, cells, strict=True)
        ]
        charts.append(Chart(dataset, rows, bounds=results.metric.bounds))
    return charts


def _interval_row(
    results: ReportData, label: str, cell: Cell | None, *, beside_print: bool
) -> ChartRow:
    """Return the mean of a cell with its interval; a row without a mean if there is none."""
    if cell is None:
        return ChartRow(results.names[label], NAN)
    mean, half, printed = cell.mean, cell.half_width, NAN
    if beside_print:
        mean, half, printed = cell.compared, cell.compared_half_width, _printed(cell)
    if mean is None:
        return ChartRow(results.names[label], NAN)
    return _with_interval(results, label, mean, _or_nan(half), printed)


def difference_charts(results: ReportData, cells: Sequence[Cell]) -> list[Chart]:
    """Return the printed table as a picture: measured minus printed of ``cells``, by method.

    All share one axis, that of the main readings; the interval is the one that decides.
    """
    names, scale = results.names, results.metric.scale
    end = scale * limit(_or_nan(cell.difference) for cell in cells if cell.primary)
    by_key = {(cell.dataset, cell.method): cell for cell in cells}
    drawn = {cell.dataset for cell in cells}
    datasets = [data.label for data in results.datasets if data.label in drawn]
    methods = {cell.method for cell in cells}
    charts = []
    for label in (label for label in names if label in methods):
        rows = [_difference_row(name, by_key.get((name, label)), scale) for name in datasets]
        charts.append(Chart(names[label], rows, ends=(-end, end)))
    return charts


def _difference_row(name: str, cell: Cell | None, scale: float) -> ChartRow:
    """Return the difference from print of a cell, an empty row without one."""
    if cell is None:
        return ChartRow(name, NAN)
    return ChartRow(
        name,
        scale * _or_nan(cell.difference),
        low=scale * _or_nan(cell.low),
        high=scale * _or_nan(cell.high),
        colour=appearance(cell.verdict).colour,
        hollow=cell.verdict is CellVerdict.UNDECIDED,
        margin=scale * _or_nan(cell.margin),
    )


def ranks_chart(results: ReportData, ranking: Ranking) -> Chart:
    """Return mean ranks, the best first; bars of methods that differ do not overlap."""
    names, half = results.names, ranking.cd / 2
    order = sorted(zip(map(float, ranking.friedman.ranks), ranking.methods, strict=True))
    rows = [ChartRow(names[m], rank, f"{rank:.2f}", rank - half, rank + half) for rank, m in order]
    title = captions.ranks(len(ranking.datasets))
    return Chart(title, rows, ends=(1 - half, len(rows) + half))
