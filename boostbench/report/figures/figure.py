"""Which figures a report has, and how each one is drawn when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from boostbench.report.figures import curves, differences, means, ranks
from boostbench.report.figures.panels import layouts
from boostbench.report.page import Picture

if TYPE_CHECKING:
    from boostbench.report.comparisons import Ranking
    from boostbench.report.summary import Summary

MAIN, MEANS, RANKS = "figure", "means", "ranks"
_TAKEN = {"table", "trials", "times", MAIN, MEANS, RANKS}
_HELD = (
    "Scores: mean over runs with a band of one sd to either side. On logarithmic axes: median over "
    "runs with a band from the smallest to the largest. A method without stages is a horizontal "
    "line."
)


@dataclass(frozen=True)
class Figure:
    """A figure: what the page says of it, and what is drawn when it is asked for.

    ``whole`` returns its files by kind (png, svg, pdf), ``panels`` (words, inline SVG) per panel.
    """

    picture: Picture
    whole: Callable[[], Mapping[str, bytes]]
    panels: Callable[[], Sequence[tuple[str, str]]]


def figures(summary: Summary) -> list[Figure]:
    """Return the figures of a report.

    Where something is published: the differences from it. Means are drawn beside these, or where
    nothing else is drawn; learning curves where they were recorded; mean ranks where there are
    enough methods and data sets for them.
    """
    found = []
    if summary.compares:
        drawn = partial(differences.figure, summary)
        found.append(Figure(_differences(summary), drawn, partial(differences.panels, summary)))
    if summary.compares or not summary.curves:
        picture = _means(summary, MEANS if summary.compares else MAIN)
        found.append(
            Figure(picture, partial(means.figure, summary), partial(means.panels, summary))
        )
    ranking = summary.comparisons.ranking if summary.comparisons else None
    if ranking is not None:
        picture = _ranks(summary, ranking)
        # The page has this diagram among its charts.
        found.append(Figure(picture, partial(ranks.figure, ranking), list))
    stem = file_stem(str(summary.experiment.get("name") or ""))
    for number, layout in enumerate(layouts(summary)):
        name = f"{stem}{layout.suffix}"
        picture = Picture(layout.title, name, alt=layout.title, caption=_HELD, curves=True)
        drawn = partial(curves.figure, layout, summary)
        found.append(Figure(picture, drawn, partial(curves.panels, layout, summary, f"f{number}p")))
    return found


def file_stem(name: str) -> str:
    """Return ``name`` as the stem of a file on any system, never that of the report's own files."""
    stem = re.sub(r"[^A-Za-z0-9_.+-]+", "_", name).strip("._")[:100] or "curves"
    return f"figure_{stem}" if stem in _TAKEN else stem


def _differences(summary: Summary) -> Picture:
    words = differences.heading(summary.metric)
    return Picture(
        "Measured minus published",
        MAIN,
        alt=words,
        caption=f"{words}: one panel per method, one row per data set. The line is the 95 % "
        "interval of the measured mean for new rows of the same kind, from the means of its "
        "folds; the published mean, at zero, has an uncertainty of its own.",
        panel=f"Mean {summary.metric.words} of {{}}, measured minus published",
        key=(
            ("●", "reproduced", "within tolerance"),
            ("▲", "above", "above"),
            ("▼", "below", "below"),
            ("►", "soft", "outside the axis"),
            ("■", "band", "tolerance"),
        ),
    )


def _means(summary: Summary, file: str) -> Picture:
    words = summary.metric.words
    published = (("◇", "ink", "published"),) if summary.compares else ()
    return Picture(
        f"Mean {words} by data set",
        file,
        alt=f"Mean {words} by data set and method",
        caption=f"Mean {words}: one panel per data set, the best method on top. The line is the "
        "95 % interval of the mean for new rows of the same kind, from the means of its folds; "
        "where there is no line, fewer than two folds have finished.",
        panel=f"Mean {words} on {{}}",
        key=(
            ("●", "above", "mean with its interval"),
            ("•", "plain", "a single run"),
            *published,
            ("◄", "soft", "outside the axis"),
        ),
    )


def _ranks(summary: Summary, found: Ranking) -> Picture:
    return Picture(
        "Mean ranks",
        RANKS,
        alt=f"Critical-difference diagram of the mean ranks of {len(found.methods)} methods on "
        f"{len(found.datasets)} data sets",
        caption=f"Mean ranks of the mean {summary.metric.words} over the "
        f"{len(found.datasets)} data sets that all methods have; 1 is the best. A bar joins "
        "methods whose mean ranks are less than the critical difference, "
        f"{found.cd:.2f}, apart (Nemenyi, 5 %). Mean ranks of two methods depend on the others.",
    )
