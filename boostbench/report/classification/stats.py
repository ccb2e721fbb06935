"""Cells and averages of a classification experiment: means and spreads over its runs."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from boostbench.report.choices import Counts, count_chosen, count_values
from boostbench.report.stats import average

if TYPE_CHECKING:
    from boostbench.papers import Paper
    from boostbench.report.classification.runs import Results, Run
    from boostbench.report.frame import DatasetInfo, MethodInfo


@dataclass(frozen=True)
class Spread:
    """A mean and the sample standard deviation (ddof = 1; ``None`` of fewer than two values)."""

    mean: float
    sd: float | None

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread | None:
        """Return the mean and sd of the values that are known, ``None`` if none is."""
        known = [value for value in values if value is not None]
        mean = average("arithmetic", known)
        return None if mean is None else cls(mean, statistics.stdev(known) if known[1:] else None)


@dataclass(frozen=True)
class ErrorCell:
    """One method on one data set, over all its splits x seeds; smaller errors are better.

    ``error`` (test) and ``train_error`` are shares of misclassified rows with the model of the
    last iteration, ``fit_s``, ``solver_s`` and ``choose_s`` seconds. ``chosen`` counts how often
    each value of a parameter was chosen, by parameter. ``stops`` counts why trainings ended.
    ``reasons`` holds (status, reason, runs) of the runs that have not finished.
    """

    dataset: str
    method: str
    planned: int
    finished: int = 0
    error: Spread | None = None
    train_error: Spread | None = None
    objective: Spread | None = None
    iterations: Spread | None = None
    fit_s: Spread | None = None
    solver_s: Spread | None = None
    choose_s: Spread | None = None
    chosen: Mapping[str, Counts] = field(default_factory=dict)
    stops: Counts = field(default_factory=dict)
    reasons: Sequence[tuple[str, str, int]] = ()

    @property
    def mixed(self) -> bool:
        """Whether runs chose different values of a parameter: the mean objective says nothing."""
        return any(len(counts) > 1 for counts in self.chosen.values())


@dataclass(frozen=True)
class ErrorAverage:
    """A method's arithmetic means over the ``used`` of ``of`` data sets with a finished run."""

    method: str
    used: int
    of: int
    error: float | None
    train_error: float | None
    fit_s: float | None
    solver_s: float | None


@dataclass(frozen=True)
class ErrorSummary:
    """Every cell of a results folder, keyed by (data set, method).

    ``averages`` has one entry a method, and none where there is only one data set.
    """

    results: Results
    cells: Mapping[tuple[str, str], ErrorCell]
    averages: Mapping[str, ErrorAverage]

    @property
    def paper(self) -> Paper | None:
        """The paper measured against, if any."""
        return self.results.paper

    @property
    def datasets(self) -> Sequence[DatasetInfo]:
        """The data sets in the order of the rows."""
        return self.results.datasets

    @property
    def methods(self) -> Sequence[MethodInfo]:
        """The methods in the order of the columns."""
        return self.results.methods

    @property
    def planned(self) -> int:
        """Runs planned in all."""
        return sum(cell.planned for cell in self.cells.values())

    @property
    def finished(self) -> int:
        """Runs that ended well."""
        return sum(cell.finished for cell in self.cells.values())

    def cell(self, dataset: str, method: str) -> ErrorCell:
        """Return a cell; one that was never planned has ``planned == 0``."""
        return self.cells.get((dataset, method), ErrorCell(dataset, method, planned=0))

    def best(self, dataset: str) -> frozenset[str]:
        """Return the methods of the lowest mean test error, if there are others to be better than.

        Means are compared as they are printed: more digits than that decide nothing.
        """
        means = {
            method.label: round(100 * cell.error.mean, 2)
            for method in self.methods
            if (cell := self.cell(dataset, method.label)).error is not None
        }
        if len(means) < 2:
            return frozenset()
        lowest = min(means.values())
        return frozenset(label for label, mean in means.items() if mean == lowest)


def summarise(results: Results) -> ErrorSummary:
    """Return the cells and averages of ``results``."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in results.runs:
        groups.setdefault((run.dataset, run.method), []).append(run)
    cells = {labels: _cell(*labels, runs) for labels, runs in groups.items()}
    averages = {}
    if len(results.datasets) > 1:
        for method in results.methods:
            own = [cell for cell in cells.values() if cell.method == method.label]
            averages[method.label] = _average(method.label, own, len(results.datasets))
    return ErrorSummary(results, cells, averages)


def _cell(dataset: str, method: str, runs: Sequence[Run]) -> ErrorCell:
    done = [run for run in runs if run.status == "ok"]
    failed = Counter((run.status, run.reason) for run in runs if run.status != "ok")
    return ErrorCell(
        dataset=dataset,
        method=method,
        planned=len(runs),
        finished=len(done),
        error=Spread.of(run.error for run in done),
        train_error=Spread.of(run.train_error for run in done),
        objective=Spread.of(run.objective for run in done),
        iterations=Spread.of(run.iterations for run in done),
        fit_s=Spread.of(run.fit_s for run in done),
        solver_s=Spread.of(run.solver_s for run in done),
        choose_s=Spread.of(run.choose_s for run in done),
        chosen=count_chosen([run.chosen for run in done]),
        stops=count_values(run.stop for run in done if run.stop),
        reasons=[(status, reason, count) for (status, reason), count in sorted(failed.items())],
    )


def _average(method: str, cells: Sequence[ErrorCell], of: int) -> ErrorAverage:
    def mean(value: Callable[[ErrorCell], Spread | None]) -> float | None:
        return average("arithmetic", (known.mean for cell in cells if (known := value(cell))))

    return ErrorAverage(
        method=method,
        used=sum(cell.error is not None for cell in cells),
        of=of,
        error=mean(lambda cell: cell.error),
        train_error=mean(lambda cell: cell.train_error),
        fit_s=mean(lambda cell: cell.fit_s),
        solver_s=mean(lambda cell: cell.solver_s),
    )
