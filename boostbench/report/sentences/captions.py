"""The titles and captions of figures, and the labels of their axes."""

from collections.abc import Sequence

from boostbench import numbers
from boostbench.papers.metrics import Metric
from boostbench.report.figures.axes import MOST_DOTS
from boostbench.report.words import series
from boostbench.suggest import counted

OBJECTIVE = (
    "Objective above the lowest that any method reached on the same split, in percent: medians "
    "over splits, a run’s last value held; both axes logarithmic. The axis ends at 0.1 %: a line "
    "that leaves it has reached the lowest objective."
)
SECONDS = "Mean seconds of one fit; hollow: timed on another processor, not to be compared."
_SCORES = {
    "r2": (
        "R² is the share of the target’s variance that a method explains on rows it has not seen: "
        "1 is perfect, 0 no better than the mean."
    ),
    "error": (
        "Test error is the share of rows not seen before that a method puts into the wrong class."
    ),
}


def single_runs(metric: Metric, most: int, *, printed: bool) -> str:
    """Return the caption of single runs, ``most`` of a method, with what a common score is."""
    dots = "single runs"
    if most > MOST_DOTS:
        dots += f", {MOST_DOTS} of a method at most, at even ranks"
    dots = f"Pale dots: {dots}; line: their mean"
    if printed:
        dots = f"{dots}; ochre line: the mean printed in the paper"
    return f"{_SCORES.get(metric.name, '')} {dots}.".lstrip()


def best_on(dataset: str, method: str, score: str, *, is_compared: bool) -> str:
    """Return the best method of a data set, or its only one, as a title."""
    return f"{dataset}: {method}{' is best' if is_compared else ''}, {score}"


def score_curves(score: str) -> str:
    """Return the caption of learning curves of a ``score``."""
    return (
        f"Mean {score} over the runs, each run’s last value held; iterations and seconds on "
        "logarithmic axes. The axis ends where the lines differ: what lies beyond is cut off, and "
        "a method that stays outside is named at the edge with its last value."
    )


def best_mean(method: str, mean: str, metric: Metric) -> str:
    """Return which method has the best mean over data sets, as a title."""
    best = "highest" if metric.greater_is_better else "lowest"
    return f"{method} has the {best} mean {metric.words}, {mean}"


def means(metric: Metric, datasets: int, *, printed: bool, leaves_out: bool) -> str:
    """Return the caption of the means over data sets; some may leave exploded runs out."""
    line = "; ochre line: printed mean" if printed else ""
    if leaves_out:
        line += f"; without runs with {metric.exploded_label} where print leaves them out"
    return (
        f"Mean {metric.title} over the {counted(datasets, 'data set')} that all methods have; bar: "
        f"95 % interval for other rows of the same kind{line}. A method far from the others is "
        "named at the edge."
    )


def slowest(method: str, fastest: str, times: str) -> str:
    """Return how many ``times`` as long the slowest method trains as the fastest, as a title."""
    return f"{method} takes {times} times as long to train as {fastest}"


def mean_axis(metric: Metric) -> str:
    """Return the label of an axis of means."""
    return f"Mean {quantity(metric.words, metric.unit)}, 95 % interval"


def difference_axis(metric: Metric) -> str:
    """Return the label of an axis of differences from print."""
    return f"Measured − printed mean {quantity(metric.words, metric.unit)}"


RANK_AXIS = "Mean rank (1 is the best)"
MARGIN = "margin"


def quantity(words: str, unit: str) -> str:
    """Return a quantity with its unit in brackets."""
    return f"{words} ({unit.strip()})" if unit.strip() else words


def upper_first(words: str) -> str:
    """Return words as they begin a sentence or a label."""
    return f"{words[:1].upper()}{words[1:]}"


def difference_files(metric: Metric, design: str) -> str:
    """Return the caption of a figure of differences from print."""
    share = numbers.setting(100 * metric.spread_tolerance)
    return (
        f"Measured minus printed mean {metric.words}{_of(design)}. Lines: 90 % intervals; band: "
        f"the margin of {metric.least_words} or {share} % of the printed sd, whichever is larger; "
        "triangle: beyond the axis. A mean agrees where the interval lies within the margin, and "
        "differs where it lies outside."
    )


def mean_files(metric: Metric, design: str, *, printed: bool) -> str:
    """Return the caption of a figure of means on each data set."""
    ticks = "; ochre ticks: printed means" if printed else ""
    return (
        f"Mean {metric.words} on each data set{_of(design)}. Lines: 95 % intervals for other rows "
        f"of the same kind{ticks}; triangle: a mean beyond the axis, which each data set has of "
        "its own."
    )


def rank_files(datasets: int, design: str) -> str:
    """Return the caption of a figure of mean ranks."""
    return (
        f"Mean ranks on {datasets} data sets{_of(design)}. Bars: half of Nemenyi’s critical "
        "difference at 5 % to either side; methods whose bars do not overlap differ."
    )


def by_axes(words: str, axes: Sequence[str]) -> str:
    """Return what learning curves show, as a title."""
    return f"{upper_first(words)} by {series(axes)}"


def curve_files(words: str, axes: Sequence[str], design: str, *, medians: bool) -> str:
    """Return the caption of a figure of learning curves: means, or medians of the objective."""
    average = "medians" if medians else "means"
    lowest = " The lowest is that of any method on the same split." if medians else ""
    return (
        f"{by_axes(words, axes)}: {average} over runs{_of(design)}, each of which holds its last "
        f"value.{lowest} In the legend: mean ± sd over runs at the last iteration."
    )


def _of(design: str) -> str:
    return f" ({design})" if design else ""
