"""Which panels the figures of learning curves have.

There is one row per data set: test score, training time and solver time, each against iterations,
as far as they were recorded. Where all methods minimise the same objective, a figure before that
has one column per data set, with the objective. Times and objectives, which span orders of
magnitude, have logarithmic axes, scores and iterations linear ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench.papers.results import same_objective

if TYPE_CHECKING:
    from boostbench.papers.metrics import Metric
    from boostbench.papers.results import Curve
    from boostbench.report.summary import Summary


@dataclass(frozen=True)
class Axis:
    """A quantity on an axis: ``scale`` times the recorded value, its unit, and its bounds.

    ``most`` is the largest value it can have; ``from_zero``: whether the axis begins at zero.
    """

    quantity: str
    label: str
    unit: str = ""
    scale: float = 1.0
    log: bool = False
    most: float = 1.0
    from_zero: bool = True

    @property
    def title(self) -> str:
        """The text beside the axis."""
        return f"{self.label}, {self.unit}" if self.unit else self.label


ITERATIONS = Axis("iteration", "iterations")
TRAINING_TIME = Axis("fit_s", "training time", "s", log=True)
SOLVER_TIME = Axis("solver_s", "solver time", "s", log=True)
OBJECTIVE = Axis("objective", "objective", log=True)
LETTERS = "abcd"
ERRORS = "-errors"
"""The suffix of the files of scores and times, where a figure of objectives comes before."""


@dataclass(frozen=True)
class Panel:
    """A panel: one data set, a quantity against another; ``letter`` is that of its column or row.

    ``title`` names the quantity as the papers' figures do: (a) test error, (b) training time.
    """

    dataset: str
    x: Axis
    y: Axis
    letter: str = "a"

    @property
    def title(self) -> str:
        """The panel's title below the name of the data set."""
        against = "" if self.x is ITERATIONS else f" against {self.x.label}"
        return f"({self.letter}) {self.y.label}{against}"

    @property
    def words(self) -> str:
        """The panel in words."""
        return f"{self.dataset}: {self.y.label} against {self.x.label}"


@dataclass(frozen=True)
class Layout:
    """A figure: rows of panels; ``suffix`` keeps its files apart from those of the first."""

    suffix: str
    title: str
    rows: Sequence[Sequence[Panel]]

    @property
    def panels(self) -> list[Panel]:
        """The panels, row by row."""
        return [panel for row in self.rows for panel in row]


def layouts(summary: Summary) -> list[Layout]:
    """Return the figures of learning curves, none where none were recorded."""
    curves = summary.curves
    drawn = {dataset for dataset, _ in curves}
    datasets = [data.label for data in summary.datasets if data.label in drawn]
    recorded = [
        axis
        for axis in (_score(summary.metric), TRAINING_TIME, SOLVER_TIME, OBJECTIVE)
        if any(has(curve, axis) for curve in curves.values())
    ]
    seconds = SOLVER_TIME if SOLVER_TIME in recorded else TRAINING_TIME
    found = []
    if same_objective(summary.methods) and OBJECTIVE in recorded:
        axes = [ITERATIONS, *([seconds] if seconds in recorded else [])]
        rows = [
            [Panel(name, x, OBJECTIVE, letter) for name in datasets]
            for x, letter in zip(axes, LETTERS, strict=False)
        ]
        title = "Objective against iterations" + (" and seconds" if len(axes) > 1 else "")
        found.append(Layout("", title, rows))
    columns = [axis for axis in recorded if axis is not OBJECTIVE]
    if columns and datasets:
        rows = [
            [
                Panel(name, ITERATIONS, y, letter)
                for y, letter in zip(columns, LETTERS, strict=False)
            ]
            for name in datasets
        ]
        title = f"{_listing([y.label for y in columns])} against iterations"
        found.append(Layout(ERRORS if found else "", title[:1].upper() + title[1:], rows))
    return found


def _score(metric: Metric) -> Axis:
    """Return the axis of the test score: R2, or for classes the error, which is recorded."""
    if metric.task == "regression":
        return Axis(metric.curve, metric.words, from_zero=False)
    return Axis("test_error", "test error", "%", 100.0, most=100.0)


def has(curve: Curve, axis: Axis) -> bool:
    """Return whether ``axis`` can show ``curve``: a logarithmic one needs a value above zero."""
    values = curve.means.get(axis.quantity, ())
    return axis is ITERATIONS or (any(values) if axis.log else bool(values))


def _listing(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
