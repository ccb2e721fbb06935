"""The printed value beside a cell, and whether they are comparable."""

from collections.abc import Mapping
from dataclasses import dataclass

from boostbench.papers.design import Design
from boostbench.papers.paper import Paper
from boostbench.papers.planned import PlannedDataset, PlannedMethod
from boostbench.papers.reading import MEAN_RANK
from boostbench.papers.tables import Column, Published
from boostbench.report.frames.runs import Runs
from boostbench.values import RunKey


@dataclass(frozen=True)
class Printed:
    """A printed value beside a cell.

    ``counted`` says whether the paper counts runs that have exploded in this cell, in any of its
    tables, so that a comparable mean leaves them out; ``left_out`` is their share if known. ``sd``
    is the printed one, ``None`` if it is missing or impossible for scores with the mean. ``design``
    is how the paper measured (``None``: not stated), and ``same_rows`` whether it used exactly
    these rows.
    ``scores`` are those of the printed runs in the paper's metric, if they are known by split and
    seed. ``not_comparable`` says why there is no verdict, and ``duplicate_of`` is the label of an
    earlier data set that has the same printed value.
    """

    value: Published
    counted: bool
    left_out: float
    sd: float | None
    design: Design | None
    same_rows: bool
    not_comparable: str
    duplicate_of: str
    scores: Mapping[RunKey, float]


def printed_column(runs: Runs, method: PlannedMethod, data: PlannedDataset) -> Column | None:
    """Return the printed column with which a method is compared on a data set, if there is one."""
    paper = runs.paper
    if paper is None or paper.metric != runs.metric.name:
        return None
    setting = paper.setting_of(method.conditions, data.conditions)
    return paper.column(method.registered, setting, runs.experiment.get("table"))


def only_column(runs: Runs, method: PlannedMethod) -> Column | None:
    """Return the printed column with which a method is compared, ``None`` if there are several."""
    published = [data for data in runs.datasets if data.published_as] or runs.datasets
    columns = [printed_column(runs, method, data) for data in published]
    same = all(column is columns[0] for column in columns)
    return columns[0] if columns and same else None


def printed_ranks(runs: Runs) -> Mapping[str, str]:
    """Return the paper's printed mean ranks, by the labels of methods."""
    columns = {m.label: only_column(runs, m) for m in runs.methods}
    return {
        label: column.cells[MEAN_RANK].printed
        for label, column in columns.items()
        if column is not None and MEAN_RANK in column.cells
    }


def printed_value(
    runs: Runs, method: PlannedMethod, data: PlannedDataset, column: Column | None
) -> Printed | None:
    """Return the printed value of a data set in ``column``, ``None`` if there is none."""
    paper = runs.paper
    value = column.cells.get(data.published_as) if column else None
    if paper is None or column is None or value is None:
        return None
    count = paper.exploded_runs(column, data.published_as)
    runs_behind = paper.runs_behind(value)
    not_comparable = _not_comparable(runs, method, data, column.table)
    return Printed(
        value,
        counted=bool(count) and not not_comparable,
        left_out=count / runs_behind if runs_behind else 0.0,
        sd=paper.sd_of(value),
        design=paper.design_of(data.published_as, column.table),
        same_rows=_same_rows(runs, data),
        not_comparable=not_comparable,
        duplicate_of=runs.repeated.get(data.label, ""),
        scores=_scores(paper, value),
    )


def _scores(paper: Paper, value: Published) -> Mapping[RunKey, float]:
    """Return the scores behind a printed mean by run, none where they are not known."""
    scores = paper.of_cell(value, paper.printed_runs) or {}
    return {run: value.scale * score for run, score in scores.items()}


def _not_comparable(runs: Runs, method: PlannedMethod, data: PlannedDataset, table: str) -> str:
    """Return why measurements cannot be compared with the paper's, in words, or ""."""
    if method.changed:
        what = ", ".join(
            f"{name} = {'chosen' if isinstance(value, list | tuple) else value}"
            for name, value in method.changed.items()
        )
        return f"{what} is not the registered method's"
    if runs.paper is None:
        return ""
    if why := runs.paper.other_methods.get(method.registered):
        return why
    return runs.paper.design_difference(data.published_as, data.rule, runs.experiment, table)


def _same_rows(runs: Runs, data: PlannedDataset) -> bool:
    """Return whether the paper used these rows, and not others of the same kind."""
    assert runs.paper is not None
    listed = runs.paper.datasets[data.published_as]
    if listed.cards and data.card and data.card != listed.cards[0]:
        return False
    rows = runs.rows.get(data.label)
    return rows is None or listed.n_samples in (None, rows)
