"""The contents of charts of rows: means, seconds, single runs, differences from print."""

import math
import statistics
from collections.abc import Iterable, Sequence
from itertools import product

import pandas as pd

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
        metric.text(mean),
        metric.scale * (mean - half),
        metric.scale * (mean + half),
        metric.scale * printed,
    )


def _or_nan(value: float | None) -> float:
    return NAN if value is None else value


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
    return _or_nan(cell.published) if cell and cell.counts else NAN


def means_plate(results: ReportData, *, beside_print: bool) -> Plate:
    """Return the means of all methods, with 95 % intervals, a chart per data set.

    With ``beside_print`` each is the one that is compared with the printed mean, which is drawn.
    """
    done = [cell for cell in results.only_cells if cell.mean is not None]
    labels = _methods_of(results, done)
    charts = []
    for dataset in dict.fromkeys(cell.dataset for cell in done):
        rows = [
            _interval_row(results, dataset, label, beside_print=beside_print) for label in labels
        ]
        if any(math.isfinite(row.value) for row in rows):
            title = results.dataset_names[dataset]
            charts.append(Chart(title, rows, bounds=results.metric.bounds))
    has_printed = any(math.isfinite(row.printed) for chart in charts for row in chart.rows)
    signs = [Sign("measured", "o", "ink"), Sign("printed", "|", "weak")] if has_printed else []
    return Plate(charts, captions.mean_axis(results.metric), signs)


def _interval_row(results: ReportData, dataset: str, label: str, *, beside_print: bool) -> ChartRow:
    """Return the mean of a cell with its interval; a row without a mean if there is none."""
    cell = results.cell(dataset, label)
    if cell is None:
        return ChartRow(results.names[label], NAN)
    mean = cell.compared if beside_print else cell.mean
    if mean is None:
        return ChartRow(results.names[label], NAN)
    half = cell.compared_half_width if beside_print else cell.half_width
    printed = _printed(cell) if beside_print else NAN
    return _with_interval(results, label, mean, _or_nan(half), printed)


def difference_plate(results: ReportData, cells: Sequence[Cell]) -> Plate:
    """Return the printed table as a picture: measured minus printed of ``cells``.

    There is a chart per method, or per data set where these are fewer. All share one axis, that of
    the main readings and their margins; the interval is the one that decides.
    """
    scale = results.metric.scale
    largest = [max(abs(_or_nan(c.difference)), _or_nan(c.margin)) for c in cells if c.primary]
    end = scale * limit(largest)
    charts = []
    for title, own in _by_title(results, cells).items():
        rows = [_difference_row(name, cell, scale) for name, cell in own]
        charts.append(Chart(title, rows, ends=(-end, end)))
    return Plate(charts, captions.difference_axis(results.metric), _verdict_signs(cells))


def _by_title(
    results: ReportData, cells: Sequence[Cell]
) -> dict[str, list[tuple[str, Cell | None]]]:
    """Return the named cells of each chart: a chart per method, or data set if these are fewer."""
    by_key = {(cell.dataset, cell.method): cell for cell in cells}
    methods, with_cells = _methods_of(results, cells), {cell.dataset for cell in cells}
    datasets = [data.label for data in results.datasets if data.label in with_cells]
    charts: dict[str, list[tuple[str, Cell | None]]] = {}
    for dataset, method in product(datasets, methods):
        name, title = results.dataset_names[dataset], results.names[method]
        if len(datasets) < len(methods):
            name, title = title, name
        charts.setdefault(title, []).append((name, by_key.get((dataset, method))))
    return charts


def _methods_of(results: ReportData, cells: Sequence[Cell]) -> list[str]:
    """Return the methods that have some of the cells, in their order."""
    methods = {cell.method for cell in cells}
    return [label for label in results.names if label in methods]


def _verdict_signs(cells: Sequence[Cell]) -> list[Sign]:
    """Return the signs of the verdicts that occur, and of the margin."""
    found = {cell.verdict for cell in cells}
    verdicts = [verdict for verdict in DECIDED_OR_NOT if verdict in found]
    return [*map(_sign, verdicts), Sign(captions.MARGIN, "s", "band")]


def _sign(verdict: CellVerdict) -> Sign:
    """Return how the difference of a cell with a verdict is drawn."""
    colour = appearance(verdict).colour
    mark = "D" if verdict is CellVerdict.DIFFERS else "o"
    return Sign(str(verdict), mark, colour, verdict is CellVerdict.UNDECIDED)


def _difference_row(name: str, cell: Cell | None, scale: float) -> ChartRow:
    """Return the difference from print of a cell, an empty row without one."""
    if cell is None or cell.verdict is None:
        return ChartRow(name, NAN)
    sign = _sign(cell.verdict)
    return ChartRow(
        name,
        scale * _or_nan(cell.difference),
        low=scale * _or_nan(cell.low),
        high=scale * _or_nan(cell.high),
        colour=sign.colour,
        hollow=sign.hollow,
        margin=scale * _or_nan(cell.margin),
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
