"""Everything a report shows, in numbers: cells, averages and mean curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from boostbench.papers import Column, Paper
from boostbench.papers.metrics import Metric
from boostbench.papers.results import Dataset, Method
from boostbench.report.averages import AverageRow, average_rows
from boostbench.report.cells import Cell, kept_runs, make_cell
from boostbench.report.collect import Collected, Run
from boostbench.report.comparisons import Comparisons, compare_methods
from boostbench.report.curves import Curves, mean_curves
from boostbench.report.intervals import half_width
from boostbench.report.paired import Index
from boostbench.report.reference import printed_column, reference
from boostbench.report.standings import BEST, standings

if TYPE_CHECKING:
    from boostbench.report.claims import Ledger


@dataclass(frozen=True)
class Summary:
    """Every cell, average and mean curve of a results folder, ready to be laid out.

    ``cells`` and ``curves`` are keyed by (data set, method).
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
        from boostbench.report.claims import make_ledger

        return make_ledger([self])

    @cached_property
    def comparisons(self) -> Comparisons | None:
        """The methods against each other; ``None`` with fewer than two that have runs."""
        return compare_methods(self)

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
