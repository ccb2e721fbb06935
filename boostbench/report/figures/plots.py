"""Plots for Python: results drawn on axes of the user's, in the user's own style.

They show the numbers of :mod:`boostbench.report.for_python`, and nothing of earlier figures
is changed or closed.
"""

from collections.abc import Callable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from boostbench.errors import ConfigError
from boostbench.report import for_python
from boostbench.report.frames.results import ReportData
from boostbench.suggest import did_you_mean, listing

WIDTH = 6.75
"""The width of a figure, in inches."""
ROW, MARGIN = 0.3, 1.0
"""The height of a row, and that of the axis and margins, in inches."""
CURVES_HEIGHT = 4.0


def plot(results: ReportData, kind: str, ax: Axes | None) -> Axes:
    """Draw a ``kind`` of plot on ``ax``, or on axes of a new figure, and return the axes.

    Raises ConfigError for an unknown kind, for what these results do not have, and for other axes.
    """
    if kind not in _PLOTS:
        raise ConfigError(
            f"there is no plot '{kind}'{did_you_mean(kind, _PLOTS)}: give one of {listing(_PLOTS)}"
        )
    if ax is not None and not isinstance(ax, Axes):
        raise ConfigError(f"ax must be the axes of one plot, such as plt.gca(), not {ax!r}")
    if results.done.empty:
        raise ConfigError("no run has ended well, so there is nothing to plot: run the experiment")
    return _PLOTS[kind](results, ax)


def _means(results: ReportData, ax: Axes | None) -> Axes:
    """Draw the means with their intervals: a row per data set, a colour per method."""
    frame = for_python.means(results)
    frame = frame[frame["mean"].notna()]
    datasets, methods = list(frame.dataset.unique()), list(frame.method.unique())
    axes = _axes(ax, len(datasets) * (1 + len(methods) // 3) + 1)
    for number, method in enumerate(methods):
        own = frame[frame.method == method]
        shift = 0.7 * ((number + 0.5) / len(methods) - 0.5)
        places = [datasets.index(name) + shift for name in own.dataset]
        _draw_intervals(axes, own, "mean", places, results.names[str(method)])
    _name_rows(axes, [results.dataset_names[name] for name in datasets])
    axes.set_xlabel(results.metric.words)
    _add_legend(axes)
    return axes


def _pairs(results: ReportData, ax: Axes | None) -> Axes:
    """Draw the differences of pairs with their intervals, a colour per verdict."""
    frame = for_python.pairs(results)
    if frame.empty:
        raise ConfigError("no two methods have a run in common, so there are no pairs to plot")
    axes = _axes(ax, len(frame))
    places = pd.Series(range(len(frame)), frame.index)
    for verdict, own in frame.groupby("verdict", sort=False):
        _draw_intervals(axes, own, "difference", list(places[own.index]), str(verdict))
    several = frame.dataset.nunique() > 1
    names = results.names
    rows = zip(frame.dataset, frame.method, frame.against, strict=True)
    texts = [f"{results.dataset_names[d]}: {names[a]} − {names[b]}" for d, a, b in rows]
    _name_rows(axes, texts if several else [text.partition(": ")[2] for text in texts])
    axes.axvline(0.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set_xlabel(f"difference of the mean {results.metric.words}")
    _add_legend(axes)
    return axes


def _ranks(results: ReportData, ax: Axes | None) -> Axes:
    """Draw mean ranks; methods that Nemenyi's test separates have bars that do not overlap."""
    frame = for_python.ranks(results)
    half = frame["nemenyi_cd"] / 2
    frame = frame.assign(low=frame["rank"] - half, high=frame["rank"] + half)
    axes = _axes(ax, len(frame))
    _draw_intervals(axes, frame, "rank", list(range(len(frame))), "")
    _name_rows(axes, [results.names[method] for method in frame.method])
    axes.set_xlabel(f"mean rank on {frame.datasets.iloc[0]} data sets, 1 the best")
    return axes


def _curves(results: ReportData, ax: Axes | None) -> Axes:
    """Draw the mean learning curve of each method on the one data set that has curves."""
    lines = _lines(results)
    datasets = list(dict.fromkeys(dataset for dataset, _ in lines))
    if not datasets:
        raise ConfigError(
            "no method here has a learning curve in all of its runs, so there are none to plot"
        )
    if len(datasets) > 1:
        raise ConfigError(
            f"one plot has the curves of one data set, and here are {listing(datasets)}: choose "
            f"one, such as only={{'dataset': '{datasets[0]}'}}"
        )
    axes = _axes(ax, (CURVES_HEIGHT - MARGIN) / ROW)
    for (_, method), line in lines.items():
        axes.plot(line["iterations"], line["value"], label=results.names[method])
    axes.set(
        xlabel="iterations",
        ylabel=f"{_curve_words(results)} on {results.dataset_names[datasets[0]]}",
    )
    _add_legend(axes)
    return axes


def _lines(results: ReportData) -> Mapping[tuple[str, str], pd.DataFrame]:
    if not results.recorded_curves:
        return {}
    return results.convergence.lines(results.metric.curve or "test_error")


def _curve_words(results: ReportData) -> str:
    return results.metric.words if results.metric.curve else "test error"


def _axes(ax: Axes | None, rows: float) -> Axes:
    """Return the axes, or those of a new figure that is high enough for so many rows."""
    if ax is not None:
        return ax
    _, made = plt.subplots(figsize=(WIDTH, MARGIN + ROW * rows), layout="constrained")
    assert isinstance(made, Axes)
    return made


def _add_legend(axes: Axes) -> None:
    """Put the legend beside the axes, where the layout of their figure makes room for it."""
    if axes.figure.get_layout_engine() is None:
        axes.legend()
    else:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _draw_intervals(
    axes: Axes, frame: pd.DataFrame, value: str, places: Sequence[float], label: str
) -> None:
    """Draw values as dots with intervals from ``low`` to ``high``, where these are known."""
    widths = np.array([frame[value] - frame["low"], frame["high"] - frame[value]])
    axes.errorbar(frame[value], places, xerr=np.nan_to_num(widths), fmt="o", label=label)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)


_PLOTS: Mapping[str, Callable[[ReportData, Axes | None], Axes]] = {
    "means": _means,
    "pairs": _pairs,
    "ranks": _ranks,
    "curves": _curves,
}
