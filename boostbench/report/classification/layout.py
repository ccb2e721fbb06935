"""Which panels the figures of an experiment have, and what stands for each method in them.

The paper's Figures 1 and 2 have a row a data set: test error, training time and solver time, each
against iterations. Its Figure 6 has a column a data set, and the objective, which is shown where
all methods minimise the same one. Its printed axes are not in its text: times and objectives, which
span orders of magnitude, have logarithmic axes here, errors and iterations linear ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench.papers.multiboost import PRINTED_NAMES

if TYPE_CHECKING:
    from boostbench.report.classification.curves import Curve
    from boostbench.report.classification.runs import Results
    from boostbench.report.frame import MethodInfo

SOLVER_PARAMETERS = frozenset({"solver", "max_sweeps", "tol", "polish"})


@dataclass(frozen=True)
class Axis:
    """A quantity on an axis: ``scale`` times the recorded value, and its unit."""

    quantity: str
    label: str
    unit: str = ""
    scale: float = 1.0
    log: bool = False

    @property
    def title(self) -> str:
        """What is written beside the axis."""
        return f"{self.label}, {self.unit}" if self.unit else self.label


ITERATIONS = Axis("iteration", "iterations")
TEST_ERROR = Axis("test_error", "test error", "%", 100.0)
TRAINING_TIME = Axis("fit_s", "training time", "s", log=True)
SOLVER_TIME = Axis("solver_s", "solver time", "s", log=True)
OBJECTIVE = Axis("objective", "objective", log=True)


@dataclass(frozen=True)
class Panel:
    """A panel: one data set, a quantity against another."""

    dataset: str
    x: Axis
    y: Axis

    @property
    def words(self) -> str:
        """The panel in words."""
        return f"{self.dataset}: {self.y.label} against {self.x.label}"


@dataclass(frozen=True)
class Layout:
    """A figure: rows of panels; ``suffix`` tells its files from those of the first figure."""

    suffix: str
    title: str
    rows: Sequence[Sequence[Panel]]

    @property
    def panels(self) -> list[Panel]:
        """The panels, row by row."""
        return [panel for row in self.rows for panel in row]


def layouts(results: Results, curves: Mapping[tuple[str, str], Curve]) -> list[Layout]:
    """Return the figures of an experiment, none without curves; the first is the paper's."""
    recorded = {name for curve in curves.values() for name in curve.means if any(curve.means[name])}
    datasets = [data.label for data in results.datasets if data.label in {d for d, _ in curves}]
    seconds = SOLVER_TIME if "solver_s" in recorded else TRAINING_TIME
    found = []
    if same_objective(results) and "objective" in recorded:
        axes = [ITERATIONS, *([seconds] if seconds.quantity in recorded else [])]
        rows = [[Panel(name, x, OBJECTIVE) for name in datasets] for x in axes]
        title = "Objective against iterations" + (" and seconds" if len(axes) > 1 else "")
        found.append(Layout("", title, rows))
    columns = [y for y in (TEST_ERROR, TRAINING_TIME, SOLVER_TIME) if y.quantity in recorded]
    if columns and datasets:
        rows = [[Panel(name, ITERATIONS, y) for y in columns] for name in datasets]
        title = f"{_listing([y.label for y in columns]).capitalize()} against iterations"
        found.append(Layout("-errors" if found else "", title, rows))
    return found


def same_objective(results: Results) -> bool:
    """Tell whether all methods are one formulation with one C, and differ in their solver alone."""
    entries = results.experiment.get("methods") or ()
    if any(isinstance(entry, Mapping) and entry.get("choose") for entry in entries):
        return False
    problems = {
        (
            method.estimator,
            tuple(
                sorted(
                    (name, repr(value))
                    for name, value in method.params.items()
                    if name not in SOLVER_PARAMETERS
                )
            ),
        )
        for method in results.methods
    }
    return len(problems) == 1 and len(results.methods) > 1


def display_name(method: MethodInfo) -> str:
    """Return the paper's short name of a registered method under its own name, else the label."""
    if method.label == method.registered:
        return PRINTED_NAMES.get(method.registered, method.label)
    return method.label


def _listing(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
