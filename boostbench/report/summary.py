"""Everything a report shows, in numbers: cells, averages and mean curves."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from boostbench.papers.metrics import Metric
from boostbench.papers.results import Dataset, Measured, Method
from boostbench.report.averages import AverageRow, average_rows
from boostbench.report.cells import Cell, kept_runs, make_cell, mean_of
from boostbench.report.comparisons import Comparisons, compare_methods
from boostbench.report.curves import Curves, mean_curves
from boostbench.report.intervals import half_width
from boostbench.report.paired import Index, common
from boostbench.report.reference import printed_column, reference
from boostbench.report.standings import BEST, standings

if TYPE_CHECKING:
    from boostbench.papers import Column, Paper
    from boostbench.report.collect import Collected, Run
    from boostbench.report.ledger import Ledger


@dataclass(frozen=True)
class Summary:
    """Every cell, average and mean curve of a results folder, ready to be laid out.

    ``cells`` and ``curves`` are keyed by (data set, method). It is what a paper's notes read
    (:class:`boostbench.papers.results.Results`).
    """

    collected: Collected
    cells: Mapping[tuple[str, str], Cell]
    curves: Curves = field(default_factory=dict)
    rows: Sequence[AverageRow] = ()

    @property
    def experiment(self) -> Mapping[str, Any]:
        """The experiment as JSON values."""
        return self.collected.experiment

    @property
    def metric(self) -> Metric:
        """What is measured."""
        return self.collected.metric

    @property
    def paper(self) -> Paper | None:
        """The paper measured against, if any."""
        return self.collected.paper

    @property
    def datasets(self) -> Sequence[Dataset]:
        """The data sets in the order of the rows."""
        return self.collected.datasets

    @property
    def methods(self) -> Sequence[Method]:
        """The methods in the order of the columns."""
        return self.collected.methods

    @property
    def compares(self) -> bool:
        """Whether any cell has a published value beside it."""
        return any(cell.published for cell in self.cells.values())

    @property
    def planned(self) -> int:
        """Runs planned in all."""
        return sum(cell.planned for cell in self.cells.values())

    @property
    def all_planned(self) -> int:
        """Runs planned in all, also of data sets and methods of which nothing has run yet."""
        return self.planned + int((self.experiment.get("not_run") or {}).get("trials", 0))

    @property
    def finished(self) -> int:
        """Runs that ended well."""
        return sum(cell.finished for cell in self.cells.values())

    def cell(self, dataset: str, method: str) -> Cell:
        """Return a cell; one that was never planned has ``planned == 0``."""
        return self.cells.get((dataset, method)) or Cell(dataset, method, self.metric, planned=0)

    def column(self, method: Method) -> list[Cell]:
        """Return the cells of a method, one per data set."""
        return [self.cell(data.label, method.label) for data in self.datasets]

    @cached_property
    def standings(self) -> Mapping[str, Mapping[str, str]]:
        """Which methods are best on each data set, and close to it, over the runs that both have.

        See :func:`boostbench.report.standings.standings`.
        """
        return {data.label: standings(self.collected, data.label) for data in self.datasets}

    def best(self, dataset: str) -> list[str]:
        """Return the methods that are the best of a data set, of others to be better than."""
        found = self.standings.get(dataset, {})
        return [label for label, standing in found.items() if standing == BEST]

    def measured(self, dataset: str, method: str, role: str = "") -> Measured | None:
        """Return what was measured, by labels, ``None`` without a finished run."""
        cell = self.cell(dataset, method)
        if not cell.finished:
            return None
        times = {"fit_s": mean_of(cell.fit_s), "solver_s": mean_of(cell.solver_s)}
        count = cell.iterations
        return Measured(
            role=role,
            score=mean_of(cell.compared),
            sd=cell.compared.sd if cell.compared else None,
            kept=mean_of(cell.kept),
            exploded=cell.exploded / cell.finished,
            finished=cell.finished,
            times={name: value for name, value in times.items() if value is not None},
            objective=mean_of(cell.objective),
            iterations=int(count.mean) if count is not None and not count.sd else None,
            stops=cell.stops,
            params=next(m.params for m in self.methods if m.label == method),
            chosen=list(cell.chosen),
            published=cell.published.mean if cell.published and cell.comparable else None,
            curve=self.curves.get((dataset, method)),
        )

    def paired(self, dataset: str, left: str, right: str) -> tuple[float, float] | None:
        """Return the means of two methods over common runs that have not exploded, or ``None``."""
        sides = [self.collected.finished.get((dataset, label), {}) for label in (left, right)]
        scores = [[runs[index].score or 0.0 for index in common(*sides)] for runs in sides]
        kept = [
            pair for pair in zip(*scores, strict=True) if not any(map(self.metric.exploded, pair))
        ]
        if not kept:
            return None
        first, second = zip(*kept, strict=True)
        return statistics.fmean(first), statistics.fmean(second)

    def kept(self, dataset: str, method: str) -> Mapping[Index, Run]:
        """Return the finished runs of a cell that its mean does not leave out."""
        runs = self.collected.finished.get((dataset, method), {})
        return kept_runs(self.cell(dataset, method), runs)

    @cached_property
    def half_widths(self) -> Mapping[tuple[str, str], float]:
        """Half the widths of the intervals of the cells' means, where they have one."""
        found = {labels: half_width(list(self.kept(*labels).values())) for labels in self.cells}
        return {labels: half for labels, half in found.items() if half is not None}

    @cached_property
    def ledger(self) -> Ledger | None:
        """The paper's claims, each judged on these results; ``None`` without a paper."""
        from boostbench.report.ledger import make_ledger

        return make_ledger([self])

    @cached_property
    def comparisons(self) -> Comparisons | None:
        """The methods against each other; ``None`` with fewer than two that have runs."""
        return compare_methods(self)

    def text(self, score: float | None) -> str:
        """Return a score as the report writes it."""
        return self.metric.text(score)

    def planned_runs(self) -> Sequence[int]:
        """Return the different numbers of runs that were planned for a cell."""
        return sorted({cell.planned for cell in self.cells.values()})


def summarise(collected: Collected) -> Summary:
    """Return the cells, averages and mean curves of ``collected``."""
    methods = {method.label: method for method in collected.methods}
    columns = {label: printed_column(collected, method) for label, method in methods.items()}
    datasets = {data.label: data for data in collected.datasets}
    cells = {}
    for (dataset, label), runs in collected.by_cell.items():
        beside = reference(collected, methods[label], datasets[dataset], columns[label])
        cells[dataset, label] = make_cell(dataset, label, collected.metric, runs, beside)
    meant = _meant(collected, columns, cells)
    cells = {key: replace(cell, meant=key[1] in meant) for key, cell in cells.items()}
    curves = mean_curves(collected.runs)
    return Summary(collected, cells, curves, average_rows(collected, cells))


def _meant(
    collected: Collected,
    columns: Mapping[str, Column | None],
    cells: Mapping[tuple[str, str], Cell],
) -> set[str]:
    """Return the methods that are meant as the paper's: of each printed column one, by its label.

    It is the first reading of the column (:meth:`~boostbench.papers.Paper.meant_by`) that has a
    finished run, of a method that is the registered one; the first at all where none has.
    """
    done = {label for (_, label), cell in cells.items() if cell.finished}
    found: dict[tuple[str, str, int | None], tuple[tuple[bool, int], str]] = {}
    for name, column in columns.items():
        if column is None or collected.paper is None:
            continue
        key = (column.table, column.method, column.depth)
        order = list(collected.paper.meant_by(column.method))
        method = next(m for m in collected.methods if m.label == name)
        if method.as_registered and method.registered in order:
            place = (name not in done, order.index(method.registered))
            if key not in found or place < found[key][0]:
                found[key] = (place, name)
    return {name for _, name in found.values()}
