"""Runs, their cells and averages: the data of all tables, figures and claims."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from boostbench.errors import BoostbenchError
from boostbench.papers.tables import Column
from boostbench.report import averages
from boostbench.report.cells import CELL, kept, make_cell
from boostbench.report.curves import Curves
from boostbench.report.evidence import AGREES, DIFFERS, UNDECIDED
from boostbench.report.printed import Printed, printed_column, printed_value
from boostbench.report.runs import Row, Runs, known_records, read_runs, records
from boostbench.report.winners import Standing, standings
from boostbench.store.store import Store

Key = tuple[str, str]


class Elsewhere(NamedTuple):
    """The cells, as (data set, method), that the results ``name`` decide, and their page if any."""

    name: str
    cells: Sequence[Key]
    page: str = ""


@dataclass(frozen=True)
class Results(Runs):
    """Runs, and their cells and averages.

    ``cells`` has one row per cell and then one per average (``row`` is :data:`CELL`, else the label
    of the average, ``kind`` its kind, and ``common`` the data sets of an average over common runs
    of all methods). ``planned`` and ``finished`` count runs (data sets in averages), and ``fewer``
    says over how many folds a mean is that lacks some. ``mean``,
    ``sd``, ``median``, ``train_mean`` and ``train_sd`` are of the metric over all finished runs;
    ``exploded`` counts runs with R2 < 0 and ``kept_mean`` is over the others. ``compared`` (and
    ``compared_sd``) is shown beside the printed mean: without exploded runs where the paper itself
    counts such runs in this cell (``leaves_out``: its ailerons has 44 of 80 and still a mean R2 of
    0.784 for ORRT). ``half_width`` is that of its 95 % interval for new rows of the same kind.
    ``published`` and columns with that prefix are printed values, ``printed`` all of them as
    :class:`~boostbench.report.printed.Printed`. ``difference`` is ``compared`` less ``published``;
    ``verdict``, ``margin``, ``low``, ``high`` and the following columns are those of
    :func:`~boostbench.report.evidence.evidence`. ``meant`` says whether the method is the main
    reading of the paper; ``counts`` whether the cell counts in the answer.
    ``chosen`` (by parameter) and ``stops`` count values, ``missing`` holds (status, reason, runs).
    """

    @cached_property
    def _columns(self) -> Mapping[str, Column | None]:
        return {method.label: printed_column(self, method) for method in self.methods}

    @cached_property
    def _blank(self) -> Mapping[str, object]:
        return make_cell("", "", self.runs.iloc[:0], self.metric, None)

    @cached_property
    def _printed(self) -> Mapping[Key, Printed | None]:
        methods = {method.label: method for method in self.methods}
        datasets = {data.label: data for data in self.datasets}
        return {
            (data, label): printed_value(self, methods[label], datasets[data], self._columns[label])
            for data, label in self.by_cell
        }

    @cached_property
    def only_cells(self) -> pd.DataFrame:
        """The rows of :attr:`cells` that are cells."""
        made = [
            make_cell(*key, own, self.metric, self._printed[key])
            for key, own in self.by_cell.items()
        ]
        cells = _frame(made, self._blank)
        finished = cells.finished > 0
        meant = cells.method.isin(_meant(self, self._columns, set(cells.method[finished])))
        cells["meant"] = meant & cells.published.notna()
        cells["counts"] = cells.meant & finished & (cells.not_comparable + cells.repeats == "")
        return cells

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per cell, then one per average."""
        blank = {**self._blank, "meant": False, "counts": False}
        rows = averages.rows(self, self.only_cells, self._columns)
        made: Any = self.only_cells.to_dict("records")
        found = _frame([*made, *(blank | row for row in rows)], blank)
        return found.astype({"meant": bool, "counts": bool})

    @property
    def averages(self) -> list[str]:
        """The labels of the averages, in order."""
        return [*self.cells.row[self.cells.row != CELL].unique()]

    @cached_property
    def _rows(self) -> Mapping[Key, Row]:
        return {(row.dataset or row.row, row.method): row for row in known_records(self.cells)}

    def cell(self, dataset: str, method: str) -> Row:
        """Return a cell's row, as a named tuple; ``None`` for one that was never planned.

        Unknown values are ``None``. The label of averages in place of a data set gives the row of a
        method's average.
        """
        return self._rows.get((dataset, method))

    @property
    def labels(self) -> list[str]:
        """The data sets, then the averages: the rows of a table of methods side by side."""
        return [*(data.label for data in self.datasets), *self.averages]

    def kept(self, dataset: str, method: str) -> pd.DataFrame:
        """Return the finished runs of a cell that its mean does not leave out."""
        return kept(self.of(dataset, method), self.metric, self.without_exploded(dataset, method))

    def without_exploded(self, dataset: str, method: str) -> bool:
        """Return whether the printed mean of a cell is without the runs that exploded."""
        printed = self._printed.get((dataset, method))
        return printed is not None and printed.counted

    @cached_property
    def standings(self) -> Mapping[str, Sequence[Standing]]:
        """The methods with finished runs on each data set, the best first."""
        return {data.label: standings(self, data.label) for data in self.datasets}

    @cached_property
    def convergence(self) -> Curves:
        """The learning curves as they are drawn."""
        return Curves(self)

    @property
    def compares(self) -> bool:
        """Whether any cell has a published value beside it."""
        return bool(self.cells.published.notna().any())


def collect(store: Store, metric: str | None = None) -> Results:
    """Return the contents of ``store`` as one table of runs and one of cells.

    ``metric`` is shown in place of the experiment's. Raises ConfigError where that or the
    experiment's paper is not known.
    """
    return Results(**vars(read_runs(store, metric)))


def on_partitions(store: Store, results: Results, out: Path) -> Elsewhere | None:
    """Return the undecided cells that the experiment with the name NAME_partitions decides.

    Its results are looked for beside the results folder; without them the result is None. Only
    cells with the same rows and the same method count. A page in ``out`` can lead to theirs where
    that is written and they lie beside each other.
    """
    name = f"{results.experiment.get('name')}_partitions"
    home = store.folder.resolve()
    root = home.parent.parent if home.name == "archive" else home.parent
    undecided = results.only_cells[results.only_cells.counts]
    undecided = undecided[undecided.verdict == UNDECIDED]
    for folder in (root / name, root / name / "archive"):
        if undecided.empty or not folder.is_dir():
            continue
        with suppress(BoostbenchError), Store.open(folder, create=False, read_only=True) as other:
            found = collect(other, results.metric.name)
            cells = found.only_cells[found.only_cells.counts]
            decided = cells[cells.verdict.isin([AGREES, DIFFERS])]
            there = {_identity(found, row) for row in records(decided)}
            both = [(row.dataset, row.method) for row in records(undecided)
                    if _identity(results, row) in there]  # fmt: skip
            is_beside = out.resolve().parent == root and (root / name / "table.html").is_file()
            page = f"../{name}/table.html" if is_beside else ""
            return Elsewhere(name, both, page) if both else None
    return None


def _identity(results: Results, cell: Row) -> tuple[str, str]:
    """Return the identity of a cell: the rows of its data set, and its method with parameters."""
    (data,) = [each for each in results.datasets if each.label == cell.dataset]
    (method,) = [each for each in results.methods if each.label == cell.method]
    return data.fingerprint, f"{method.estimator} {method.version} {sorted(method.params.items())}"


def _frame(rows: Sequence[Mapping[str, object]], blank: Mapping[str, object]) -> pd.DataFrame:
    """Return rows as a frame, which always has the columns of ``blank``."""
    found = pd.DataFrame([blank, *rows], dtype=object).iloc[1:]
    return found.reset_index(drop=True).infer_objects()


def _meant(runs: Runs, columns: Mapping[str, Column | None], done: set[str]) -> set[str]:
    """Return the main reading of each printed column: the label of its method.

    It is the first reading of the column (:meth:`~boostbench.papers.Paper.meant_by`) with a
    finished run of the registered method; without finished runs the first of all.
    """
    found: dict[object, list[tuple[bool, int, int]]] = {}
    for number, method in enumerate(runs.methods):
        column = columns[method.label]
        if column is None or runs.paper is None or method.changed:
            continue
        order = list(runs.paper.meant_by(column.method))
        if method.registered in order:
            place = (method.label not in done, order.index(method.registered), number)
            found.setdefault((column.table, column.method, column.depth), []).append(place)
    return {runs.methods[min(places)[-1]].label for places in found.values()}
