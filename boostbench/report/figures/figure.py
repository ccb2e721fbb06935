"""Which figures a report has, and how each one is drawn when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from boostbench.report.figures import curves, dots
from boostbench.report.figures.panels import layouts
from boostbench.report.page import Picture

if TYPE_CHECKING:
    from boostbench.report.summary import Summary

DOTS = "figure"
_TAKEN = {"table", "trials", "times", DOTS}
_HELD = (
    "Mean over runs with a band of one sd to either side; the legends give mean ± sd at the last "
    "iteration of each run."
)


@dataclass(frozen=True)
class Figure:
    """A figure: what the page says of it, and how it is drawn when it is asked for.

    ``files`` returns its files by kind (png, svg, pdf), ``panels`` (words, inline SVG) per panel.
    """

    picture: Picture
    files: Callable[[], Mapping[str, bytes]]
    panels: Callable[[], Sequence[tuple[str, str]]]


def figures(summary: Summary) -> list[Figure]:
    """Return the figures of a report.

    Means are drawn where they are compared with published ones or nothing else is drawn; learning
    curves where they were recorded.
    """
    found = []
    if summary.compares or not summary.curves:
        found.append(
            Figure(_dots(summary), partial(dots.files, summary), partial(dots.panels, summary))
        )
    stem = file_stem(str(summary.experiment.get("name") or ""))
    for number, layout in enumerate(layouts(summary)):
        name = f"{stem}{layout.suffix}"
        picture = Picture(layout.title, name, alt=layout.title, caption=_HELD, curves=True)
        drawn = partial(curves.files, layout, summary)
        found.append(Figure(picture, drawn, partial(curves.panels, layout, summary, f"f{number}p")))
    return found


def file_stem(name: str) -> str:
    """Return ``name`` as the stem of a file on any system, never that of the report's own files."""
    stem = re.sub(r"[^A-Za-z0-9_.+-]+", "_", name).strip("._")[:100] or "curves"
    return f"figure_{stem}" if stem in _TAKEN else stem


def _dots(summary: Summary) -> Picture:
    words = summary.metric.words
    if not summary.compares:
        return Picture(
            "Figure",
            DOTS,
            alt=f"Mean {words} by method",
            caption=f"Mean {words} ± sd by data set, one panel per method; the mean on the right "
            "of each row.",
            panel=f"Mean {words} of {{}}",
        )
    return Picture(
        "Figure",
        DOTS,
        alt=f"Mean {words}, measured and published, by method",
        caption=f"Mean {words} by data set, one panel per method; on the right of each row "
        "measured minus published, or the measured mean where nothing is published.",
        panel=f"Mean {words} of {{}}, measured and published",
        verdicts=True,
    )
