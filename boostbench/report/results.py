"""Runs, their cells and averages: all that tables, figures and claims are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import pandas as pd

from boostbench.papers import Column
from boostbench.papers.results import Method
from boostbench.report import averages
from boostbench.report.cells import CELL, kept, make_cell
from boostbench.report.convergence import Curves
from boostbench.report.curves import MeanCurves, mean_curves
from boostbench.report.printed import printed_column, printed_value
from boostbench.report.runs import ReportStore, Runs, read_runs, records
from boostbench.report.winners import Standing, standings

Key = tuple[str, str]


@dataclass(frozen=True)
class Results(Runs):
    """Runs, and their cells and averages.

    ``cells`` has one row per cell and then one per average (``row`` is :data:`CELL`, else what it
    averages, ``kind`` how, and ``common`` the data sets of one over the runs that all methods
    have). ``planned`` and ``finished`` count runs (of averages: data sets). ``mean``, ``sd``,
    ``median``, ``train_mean`` and ``train_sd`` are of the metric over all finished runs;
    ``exploded`` counts runs that have (R2 < 0) and ``kept_mean`` is over the others. ``compared``
    (and ``compared_sd``) is what stands beside the printed mean: without exploded runs where
    the paper itself counts such runs in this cell (``leaves_out``: its ailerons has 44 of 80 and
    still a mean R2 of 0.784 for ORRT). ``half_width`` is that of its 95 % interval for new rows of
    the same kind. ``published`` and what begins so is printed, ``printed`` all of it as
    :class:`~boostbench.report.printed.Printed`. ``difference`` is ``compared`` less ``published``;
    ``verdict``, ``margin``, ``low``, ``high`` and what follows are those of
    :func:`~boostbench.report.evidence.evidence`. ``meant``: whether the method is the reading
    that is meant as the paper's; ``counts``: whether the cell counts in the answer.
    ``chosen`` (by parameter) and ``stops`` count values, ``missing`` holds (status, reason, runs).
    """

    cells: pd.DataFrame = None  # type: ignore[assignment]

    @cached_property
    def only_cells(self) -> pd.DataFrame:
        """The rows of :attr:`cells` that are cells."""
        return self.cells[self.cells.row == CELL]

    @cached_property
    def averages(self) -> Mapping[str, pd.DataFrame]:
        """The rows of averages by their labels, in order, indexed by method."""
        rest = self.cells[self.cells.row != CELL]
        return {str(label): own.set_index("method", drop=False)
                for label, own in rest.groupby("row", sort=False)}  # fmt: skip

    @cached_property
    def _rows(self) -> Mapping[Key, Any]:
        shown = self.cells.astype(object).where(self.cells.notna(), None)
        return {(row.dataset or row.row, row.method): row for row in records(shown)}

    def cell(self, dataset: str, method: str) -> Any:
        """Return a cell's row, as a named tuple; ``None`` for one that was never planned.

        Its values are ``None`` where they are not known. With the label of averages in place of
        a data set it is that of a method's average.
        """
        return self._rows.get((dataset, method))

    @property
    def labels(self) -> list[str]:
        """The data sets, then the averages: the rows of a table of methods side by side."""
        return [*(data.label for data in self.datasets), *self.averages]

    def kept(self, dataset: str, method: str) -> pd.DataFrame:
        """Return the finished runs of a cell that its mean does not leave out."""
        own, cell = self.of(dataset, method), self.cell(dataset, method)
        return kept(own, self.metric, cell is not None and cell.leaves_out)

    @cached_property
    def standings(self) -> Mapping[str, Sequence[Standing]]:
        """The methods that have finished runs on each data set, the best first."""
        return {data.label: standings(self, data.label) for data in self.datasets}

    @cached_property
    def mean_curves(self) -> MeanCurves:
        """The mean learning curves by (data set, method)."""
        return mean_curves(self)

    @cached_property
    def convergence(self) -> Curves:
        """The learning curves as they are drawn."""
        return Curves(self, self.mean_curves)

    @property
    def compares(self) -> bool:
        """Whether any cell has a published value beside it."""
        return bool(self.cells.published.notna().any())


def collect(store: ReportStore, metric: str | None = None) -> Results:
    """Return what ``store`` holds, in one table of runs and one of cells.

    ``metric`` is shown in place of the experiment's. Raises ConfigError where that or the
    experiment's paper is not known.
    """
    return summarise(read_runs(store, metric))


def summarise(runs: Runs) -> Results:
    """Return the cells and averages of ``runs``."""
    methods = {method.label: method for method in runs.methods}
    datasets = {data.label: data for data in runs.datasets}
    columns = {label: printed_column(runs, method) for label, method in methods.items()}
    made = [
        make_cell(
            dataset, label, own, runs.metric,
            printed_value(runs, methods[label], datasets[dataset], columns[label]),
        )
        for (dataset, label), own in runs.by_cell.items()
    ]  # fmt: skip
    cells = pd.DataFrame(made or [make_cell("", "", runs.runs, runs.metric, None)])
    if not made:
        cells = cells.iloc[:0]
    meant = _meant(runs, columns, set(cells.method[cells.finished > 0]))
    cells["meant"] = cells.method.isin(meant) & cells.published.notna()
    cells["counts"] = (
        cells.meant & (cells.not_comparable == "") & (cells.repeats == "") & (cells.finished > 0)
    )
    rows = pd.DataFrame(averages.rows(runs, cells, columns))
    if len(rows):
        whole = pd.concat([cells.astype(object), rows.astype(object)], ignore_index=True)
        words = [str(name) for name in cells if isinstance(cells[name].iloc[0], str)]
        flags = [name for name in cells if cells[name].dtype == bool]
        whole[words] = whole[words].fillna("")
        cells = whole.fillna(dict.fromkeys(flags, False)).infer_objects()
    known = {f.name: getattr(runs, f.name) for f in fields(Runs)}
    return Results(**known, cells=cells)


def _meant(runs: Runs, columns: Mapping[str, Column | None], done: set[str]) -> set[str]:
    """Return the methods that are meant as the paper's: of each printed column one, by its label.

    It is the first reading of the column (:meth:`~boostbench.papers.Paper.meant_by`) that has a
    finished run, of a method that is the registered one; the first at all where none has.
    """
    found: dict[tuple[str, str, int | None], tuple[tuple[bool, int], Method]] = {}
    for method in runs.methods:
        column = columns[method.label]
        if column is None or runs.paper is None or not method.as_registered:
            continue
        order: Sequence[str] = list(runs.paper.meant_by(column.method))
        if method.registered in order:
            key = (column.table, column.method, column.depth)
            place = (method.label not in done, order.index(method.registered))
            if key not in found or place < found[key][0]:
                found[key] = (place, method)
    return {method.label for _, method in found.values()}
