"""The words of a table and of figures for a paper of one's own."""

from collections.abc import Sequence

from boostbench.papers.metrics import Metric
from boostbench.report.words import series

DAGGER = "†"
MOST_FIGURES = 3
"""The most figures whose command is written out."""
FEWER_RUNS = f"{DAGGER} over fewer runs than planned"
NO_RESULT = "– no result"
NEEDS = r"The preamble needs \usepackage{booktabs}."
RANKS = "Mean rank (1 is the best)"


def caption(metric: Metric, with_sd: bool, comparisons: int, is_decided: bool) -> str:
    """Return what the numbers and the bold ones are, in one line.

    So many ``comparisons`` with the best are made on a data set.
    """
    text = f"Mean {_title(metric)}{' ± sd' if with_sd else ''}"
    if not comparisons:
        return f"{text}."
    p = "p adjusted over methods" if comparisons > 1 else "p"
    if is_decided:
        return f"{text}; bold: the best if decided ({p} < 0.05)."
    return f"{text}; no best is decided ({p} < 0.05)."


def all_runs(metric: Metric) -> str:
    """Return that exploded runs count."""
    return f"All finished runs count, those with {metric.exploded_label} too."


def bold(comparisons: int) -> str:
    """Return which test makes a mean bold, with so many ``comparisons`` on a data set."""
    adjusted = (
        "adjusted by Holm for all methods shown on that data set, " if comparisons > 1 else ""
    )
    return (
        f"Bold: the corrected resampled t-test of fold means, {adjusted}separates each of the "
        "others from the best at 5 %."
    )


def axis(metric: Metric) -> str:
    """Return the label of an axis of means."""
    return f"Mean {_title(metric)}, 95 % interval"


def quantity(words: str, unit: str) -> str:
    """Return the label of an axis of learning curves."""
    name = f"{words[:1].upper()}{words[1:]}"
    return f"{name} ({unit.strip()})" if unit.strip() else name


def _title(metric: Metric) -> str:
    return f"{metric.words} ({metric.unit})" if metric.unit else metric.words


def ranks_on(datasets: Sequence[str]) -> str:
    """Return over which data sets mean ranks are, where some lack a method."""
    return f"Mean ranks over {series(datasets)}"


def how_to_read_in(table: str, figures: Sequence[str]) -> str:
    """Return how the table and the figures are read in, and which packages they need."""
    text = rf"\input{{{table}}} needs \usepackage{{booktabs}}"
    if not figures:
        return f"{text}."
    shown = series(rf"\includegraphics{{{name}}}" for name in figures[:MOST_FIGURES])
    more = " and so on" if len(figures) > MOST_FIGURES else ""
    verb = "needs" if len(figures) == 1 else "need"
    return rf"{text}; {shown}{more} {verb} \usepackage{{graphicx}}."
