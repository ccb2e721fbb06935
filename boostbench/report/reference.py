"""What a cell is measured against: a printed value, and how far it can be compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from boostbench.papers import Column, Paper, Published
from boostbench.papers.design import Design
from boostbench.papers.reading import MEAN_RANK
from boostbench.papers.results import Dataset, Method
from boostbench.report.collect import Collected


@dataclass(frozen=True)
class Reference:
    """A printed value beside a cell.

    ``counted``: whether the paper counts runs that have exploded in this cell, in any of its
    tables, so that its mean leaves them out; ``left_out`` is their share where known.
    ``sd_possible``: whether scores of the mean can have the printed sd. ``rounding`` is half a unit
    of the last printed decimal. ``design`` is how the paper measured (``None``: not stated), and
    ``same_rows`` whether on these very rows. ``not_comparable`` says why no verdict follows, and
    ``repeats`` is the label of the data set before this one that has the same printed value.
    """

    published: Published
    counted: bool = False
    left_out: float | None = None
    sd_possible: bool = True
    rounding: float = 0.0005
    design: Design | None = None
    same_rows: bool = True
    not_comparable: str = ""
    repeats: str = ""


def printed_column(collected: Collected, method: Method) -> Column | None:
    """Return the printed column that a method is measured against, ``None`` without one."""
    paper = collected.paper
    if paper is None or paper.metric != collected.metric.name:
        return None
    return paper.column(method.registered, method.depth, collected.experiment.get("table"))


def printed_ranks(collected: Collected) -> Mapping[str, str]:
    """Return the mean ranks that the paper prints, by the labels of methods."""
    columns = {m.label: printed_column(collected, m) for m in collected.methods}
    return {
        label: column.cells[MEAN_RANK].printed
        for label, column in columns.items()
        if column is not None and MEAN_RANK in column.cells
    }


def reference(
    collected: Collected, method: Method, data: Dataset, column: Column | None
) -> Reference | None:
    """Return what ``column`` prints of a data set, ``None`` where that is nothing."""
    paper = collected.paper
    published = column.cells.get(data.published_as) if column else None
    if paper is None or column is None or published is None:
        return None
    count = paper.exploded_runs(column, data.published_as)
    return Reference(
        published=published,
        counted=bool(count),
        left_out=None if paper.runs is None else count / paper.runs,
        sd_possible=published not in paper.impossible_sds,
        rounding=published.rounding,
        design=paper.design_of(data.published_as),
        same_rows=_same_rows(collected, paper, data),
        not_comparable=not_comparable(collected, method, data),
        repeats=repeated(collected).get(data.label, ""),
    )


def not_comparable(collected: Collected, method: Method, data: Dataset) -> str:
    """Return why measurements cannot be compared with the paper's, in words, or ""."""
    if method.changed:
        what = ", ".join(f"{name} = {_value(value)}" for name, value in method.changed.items())
        return f"{what} is not the registered method's"
    design = collected.paper.design_of(data.published_as) if collected.paper else None
    return design.difference(data.rule, collected.experiment) if design else ""


def _value(value: object) -> str:
    return "chosen" if isinstance(value, list | tuple) else str(value)


def repeated(collected: Collected) -> Mapping[str, str]:
    """Return the data sets that are published as one before them, each with the label of that.

    Friedman's data and the generated ones are two data sets of an experiment and one in print: the
    first counts.
    """
    first: dict[str, str] = {}
    for data in collected.datasets:
        if data.published_as:
            first.setdefault(data.published_as, data.label)
    return {
        data.label: first[data.published_as]
        for data in collected.datasets
        if data.published_as and first[data.published_as] != data.label
    }


def _same_rows(collected: Collected, paper: Paper, data: Dataset) -> bool:
    """Return whether the paper measured on these rows, and not on others of the same kind."""
    listed = paper.datasets[data.published_as]
    if listed.cards and data.card and data.card != listed.cards[0]:
        return False
    rows = collected.rows.get(data.label)
    return rows is None or listed.n_samples in (None, rows)
