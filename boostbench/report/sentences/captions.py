"""The titles and captions of figures."""

from boostbench.papers.metrics import Metric
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


def single_runs(metric: Metric, *, printed: bool) -> str:
    """Return the caption of single runs, with what a common score is."""
    dots = "Pale dots: single runs; line: their mean"
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


def ranks(datasets: int) -> str:
    """Return the title of mean ranks."""
    return f"Mean ranks on {datasets} data sets; apart where bars do not overlap"
