"""Runs, their cells and averages: the data of all tables, figures and claims."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from boostbench.errors import BoostbenchError
from boostbench.papers.claims import Claim, read_claims
from boostbench.papers.tables import Column
from boostbench.report.frames.averages import make_averages
from boostbench.report.frames.cell import Cell, CellVerdict, WithoutRun, frame_of_cells
from boostbench.report.frames.cells import make_cell, runs_beside_print
from boostbench.report.frames.curves import Curves
from boostbench.report.frames.over_datasets import (
    MethodPair,
    Ranking,
    compare_methods,
    rank_methods,
)
from boostbench.report.frames.pairs import make_pairs
from boostbench.report.frames.printed import Printed, only_column, printed_column, printed_value
from boostbench.report.frames.runs import Runs, read_runs
from boostbench.report.verdicts.winners import standings
from boostbench.store.store import Store
from boostbench.values import Record

Key = tuple[str, str]


class PartitionResults(NamedTuple):
    """The cells, as (data set, method), that the results ``name`` decide, and their page if any."""

    name: str
    cells: Sequence[Key]
    page: str = ""


@dataclass(frozen=True)
class ReportData(Runs):
    """Runs, and their cells and averages."""

    @cached_property
    def _columns(self) -> Mapping[Key, Column | None]:
        return {
            (data, method): printed_column(self, self.method_of[method], self.dataset_of[data])
            for data, method in self.by_cell
        }

    @cached_property
    def _printed(self) -> Mapping[Key, Printed | None]:
        return {
            (data, method): printed_value(
                self, self.method_of[method], self.dataset_of[data], column
            )
            for (data, method), column in self._columns.items()
        }

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The claims of the paper, none without one; each reading tries them on dummy values."""
        return read_claims(self.paper) if self.paper else []

    @cached_property
    def only_cells(self) -> Sequence[Cell]:
        """Every planned cell, in the order of the plan."""
        cells = [
            make_cell(*key, runs, self.finished[key], self.metric, self._printed[key])
            for key, runs in self.by_cell.items()
        ]
        done = {cell.method for cell in cells if cell.finished}
        primary = _primary_readings(self, self._columns, done)
        return [_marked(cell, cell.method in primary) for cell in cells]

    @cached_property
    def cell_frame(self) -> pd.DataFrame:
        """The cells as a frame, of which the columns are the fields of a cell."""
        return frame_of_cells(self.only_cells)

    @cached_property
    def cells(self) -> Sequence[Cell]:
        """Every cell, then every average."""
        columns = {method.label: only_column(self, method) for method in self.methods}
        return [*self.only_cells, *make_averages(self, self.only_cells, columns)]

    @cached_property
    def counted_cells(self) -> Sequence[Cell]:
        """The cells that count in the answer."""
        return [cell for cell in self.only_cells if cell.counts]

    @property
    def averages(self) -> list[str]:
        """The labels of the averages, in order."""
        return list(dict.fromkeys(cell.row for cell in self.cells if cell.average))

    @cached_property
    def _by_row(self) -> Mapping[Key, Cell]:
        return {(cell.row, cell.method): cell.as_shown for cell in self.cells}

    def cell(self, row: str, method: str) -> Cell | None:
        """Return the cell of a data set, or the average with a label, of a method, as it is shown.

        ``None`` for one that was never planned.
        """
        return self._by_row.get((row, method))

    @cached_property
    def decisive_runs(self) -> Mapping[Key, WithoutRun]:
        """The runs that move the mean of a cell by more than its margin, by cell."""
        runs = {(cell.dataset, cell.method): cell.moved_by_one_run for cell in self.only_cells}
        return {key: left for key, left in runs.items() if left is not None}

    @property
    def labels(self) -> list[str]:
        """The data sets, then the averages: the rows of a table of methods side by side."""
        return [*(data.label for data in self.datasets), *self.averages]

    def beside_print(self, dataset: str, method: str) -> pd.DataFrame:
        """Return the finished runs of a cell that count beside its printed mean."""
        runs, printed = self.of(dataset, method), self._printed.get((dataset, method))
        return runs_beside_print(runs, self.metric, printed)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The frame of pairs, with the columns in :data:`~boostbench.report.frames.pairs.COLUMNS`.

        It has all pairs of methods on each data set, from both sides.
        """
        return make_pairs(self)

    @cached_property
    def standings(self) -> pd.DataFrame:
        """The methods with finished runs on each data set, the best first."""
        return standings(self.cell_frame, self.pairs, self.metric.sign)

    @cached_property
    def champions(self) -> pd.DataFrame:
        """The standings of each data set with a best method."""
        has_best = self.standings.groupby("dataset").is_best.transform("any")
        return self.standings[has_best.astype(bool)]

    @cached_property
    def best(self) -> Collection[Key]:
        """The data sets with several methods, each with the methods that are best there."""
        several = self.champions[self.champions.duplicated("dataset", keep=False)]
        best = several[several.is_best]
        return set(zip(best.dataset, best.method, strict=True))

    @cached_property
    def ranking(self) -> Ranking | None:
        """The mean ranks of methods."""
        return rank_methods(self)

    @cached_property
    def method_pairs(self) -> Sequence[MethodPair]:
        """The comparisons of methods over data sets."""
        return compare_methods(self, self.pairs[self.pairs.is_first])

    @cached_property
    def convergence(self) -> Curves:
        """The learning curves as they are drawn."""
        return Curves(self)

    @property
    def compares(self) -> bool:
        """Whether any cell has a published value beside it."""
        return any(cell.published is not None for cell in self.cells)


def collect(store: Store, metric: str | None = None) -> ReportData:
    """Return the contents of ``store`` as one table of runs and one of cells.

    ``metric`` is shown in place of the experiment's. Raises ConfigError where that or the
    experiment's paper is not known.
    """
    return ReportData(**vars(read_runs(store, metric)))


def deciding_folders(store: Store, experiment: Record) -> list[Path]:
    """Return the folders, as far as they exist, of the results that ``decided_by`` names.

    That is a key of the ``experiment``. They are those of a run and its archive, beside the results
    folder.
    """
    name = str(experiment.get("decided_by") or "")
    folders = [_root(store) / name, _root(store) / name / "archive"]
    return [folder for folder in folders if name and folder.is_dir()]


def _root(store: Store) -> Path:
    """Return the folder that holds the results folder."""
    home = store.folder.resolve()
    return home.parent.parent if home.name == "archive" else home.parent


def on_partitions(store: Store, results: ReportData, out: Path) -> PartitionResults | None:
    """Return the undecided cells that the experiment named by the key ``decided_by`` decides.

    Its results are looked for beside the results folder; without them the result is None. Only
    cells with the same rows and the same method count. A page in ``out`` can lead to theirs where
    that is written and they lie beside each other.
    """
    name = str(results.experiment.get("decided_by") or "")
    root = _root(store)
    undecided = [c for c in results.counted_cells if c.verdict is CellVerdict.UNDECIDED]
    for folder in deciding_folders(store, results.experiment) if undecided else ():
        with suppress(BoostbenchError), Store.read(folder) as other:
            decided = _decided(collect(other, results.metric.name))
            both = [
                (cell.dataset, cell.method)
                for cell in undecided
                if _identity(results, cell) in decided
            ]
            is_beside = out.resolve().parent == root and (root / name / "table.html").is_file()
            page = f"../{name}/table.html" if is_beside else ""
            return PartitionResults(name, both, page) if both else None
    return None


def _decided(results: ReportData) -> set[tuple[str, str]]:
    """Return the identities of the cells whose runs decide whether they agree with print."""
    return {
        _identity(results, cell)
        for cell in results.counted_cells
        if cell.verdict in (CellVerdict.AGREES, CellVerdict.DIFFERS)
    }


def _identity(results: ReportData, cell: Cell) -> tuple[str, str]:
    """Return the identity of a cell: the rows of its data set, and all that makes its method."""
    data, method = results.dataset_of[cell.dataset], results.method_of[cell.method]
    settings = (method.params, method.choose, method.choose_with)
    described = [sorted(each.items()) for each in settings]
    how = method.choose_by, method.choose_folds
    return data.fingerprint, f"{method.estimator} {method.version} {described} {how}"


def _marked(cell: Cell, primary: bool) -> Cell:
    """Return a cell that says whether it is a primary reading, and whether it counts."""
    primary = primary and cell.published is not None
    comparable = not (cell.not_comparable or cell.duplicate_of)
    return replace(cell, primary=primary, counts=primary and cell.finished > 0 and comparable)


def _primary_readings(runs: Runs, columns: Mapping[Key, Column | None], done: set[str]) -> set[str]:
    """Return the main reading of each printed column: the label of its method.

    It is the first reading of the column (:meth:`~boostbench.papers.Paper.meant_by`) with a
    finished run of the registered method; without finished runs the first of all.
    """
    readings: dict[object, list[tuple[bool, int, int]]] = {}
    labels = [method.label for method in runs.methods]
    for (_, label), column in columns.items():
        method, number = runs.method_of[label], labels.index(label)
        if column is None or runs.paper is None or method.changed:
            continue
        order = list(runs.paper.meant_by(column.method))
        if method.registered in order:
            place = (label not in done, order.index(method.registered), number)
            readings.setdefault((column.table, column.method, column.setting), []).append(place)
    return {labels[min(places)[-1]] for places in readings.values()}
