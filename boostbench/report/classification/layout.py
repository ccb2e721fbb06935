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
    """A quantity on an axis: ``scale`` times the recorded value, its unit, and its bound."""

    quantity: str
    label: str
    unit: str = ""
    scale: float = 1.0
    log: bool = False
    most: float = 1.0

    @property
    def title(self) -> str:
        """What is written beside the axis."""
        return f"{self.label}, {self.unit}" if self.unit else self.label


ITERATIONS = Axis("iteration", "iterations")
TEST_ERROR = Axis("test_error", "test error", "%", 100.0, most=100.0)
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
    datasets = [data.label for data in results.datasets if data.label in {d for d, _ in curves}]
    recorded = [
        axis
        for axis in (TEST_ERROR, TRAINING_TIME, SOLVER_TIME, OBJECTIVE)
        if any(has(curve, axis) for curve in curves.values())
    ]
    seconds = SOLVER_TIME if SOLVER_TIME in recorded else TRAINING_TIME
    found = []
    if same_objective(results) and OBJECTIVE in recorded:
        axes = [ITERATIONS, *([seconds] if seconds in recorded else [])]
        rows = [[Panel(name, x, OBJECTIVE) for name in datasets] for x in axes]
        title = "Objective against iterations" + (" and seconds" if len(axes) > 1 else "")
        found.append(Layout("", title, rows))
    columns = [axis for axis in recorded if axis is not OBJECTIVE]
    if columns and datasets:
        rows = [[Panel(name, ITERATIONS, y) for y in columns] for name in datasets]
        title = f"{_listing([y.label for y in columns]).capitalize()} against iterations"
        found.append(Layout("-errors" if found else "", title, rows))
    return found


def has(curve: Curve, axis: Axis) -> bool:
    """Tell whether ``axis`` can show ``curve``: zeros alone have no place on a logarithmic one."""
    values = curve.means.get(axis.quantity, ())
    return axis is ITERATIONS or (any(values) if axis.log else bool(values))


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
    """Return the paper's short name of a registered method under its own name, else the label.

    The paper's MultiBoost is solved by L-BFGS-B; by coordinate descent it has a name of its own.
    """
    if method.label == method.registered:
        if method.label == "multiboost" and method.params.get("solver") == "fcd":
            return f"{PRINTED_NAMES[method.label]} (FCD)"
        return PRINTED_NAMES.get(method.registered, method.label)
    return method.label


def _listing(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
