"""Averages of cells over data sets, beside the averages of the paper's rows of the same ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from boostbench.papers import Column, Published
from boostbench.papers.metrics import Metric, Verdict
from boostbench.papers.results import Method, Spread
from boostbench.report.cells import Cell, difference_of, kept_runs, make_cell, mean_of
from boostbench.report.collect import Collected, Run
from boostbench.report.paired import Index, common
from boostbench.report.reference import printed_column, repeated

Cells = Mapping[tuple[str, str], Cell]


@dataclass(frozen=True)
class Average:
    """An average of one method's cells over the ``used`` of ``of`` data sets that have a value.

    ``score`` and ``sd`` average what is beside the published values, the fields in ``_all`` the
    values over all runs, those in ``_kept`` over the runs that have not exploded. ``published``
    values average the paper's rows of the same data sets; where these are all of a printed
    column's, they are the printed averages. ``problem`` says why ``score`` is missing.
    """

    method: str
    metric: Metric
    used: int
    of: int
    score: float | None = None
    sd: float | None = None
    score_all: float | None = None
    sd_all: float | None = None
    score_kept: float | None = None
    sd_kept: float | None = None
    train: float | None = None
    fit_s: float | None = None
    solver_s: float | None = None
    exploded: float | None = None
    published: float | None = None
    published_sd: float | None = None
    published_time: float | None = None
    published_exploded: float | None = None
    problem: str = ""

    @property
    def difference(self) -> float | None:
        """Measured minus published average."""
        return difference_of(self.score, self.published)

    @property
    def verdict(self) -> Verdict:
        """Whether it lies within the metric's tolerance of the published one, above or below."""
        return self.metric.verdict(self.difference, self.metric.least_difference(self.published))


@dataclass(frozen=True)
class AverageRow:
    """A row of averages, one per method; ``label`` says over which data sets.

    ``common`` names the data sets of a row over the runs that all methods have, and is empty for
    rows over the runs that each method has.
    """

    kind: str
    label: str
    averages: Mapping[str, Average]
    common: Sequence[str] = ()


def average(kind: str, values: Iterable[float | None]) -> float | None:
    """Return the "arithmetic" or "geometric" mean of the values.

    ``None`` if there are none, if one is not known (the mean of the others would stand beside means
    of all), and for a geometric mean of one that is not positive.
    """
    found = list(values)
    known = [value for value in found if value is not None]
    if not known or len(known) < len(found) or (kind == "geometric" and min(known) <= 0):
        return None
    if kind == "arithmetic":
        return math.fsum(known) / len(known)
    return math.exp(math.fsum(math.log(value) for value in known) / len(known))


def average_rows(collected: Collected, cells: Cells) -> list[AverageRow]:
    """Return the averages over the data sets that the paper printed, and over all of them.

    A data set that is published as one before it is in none. Where not all methods have the same
    runs, rows over those that all have come last.
    """
    again = repeated(collected)
    counted = [data for data in collected.datasets if data.label not in again]
    everything = [data.label for data in counted]
    of_paper = [data.label for data in counted if data.published_as and _prints(collected)]
    rows = []
    if len(of_paper) > 1:
        scope = "" if len(of_paper) == len(everything) else ", the paper's data sets"
        rows += _kinds(collected, cells, of_paper, scope, compare=True)
    if len(of_paper) != len(everything) and len(everything) > 1:
        scope = ", all data sets" if _prints(collected) else ""
        rows += _kinds(collected, cells, everything, scope, compare=not of_paper)
    shared = common_cells(collected, cells, of_paper if len(of_paper) > 1 else everything)
    names = list(dict.fromkeys(dataset for dataset, _ in shared))
    if len(names) > 1:
        scope = f" of common runs, {len(names)} data sets"
        rows += [
            replace(row, common=names)
            for row in _kinds(collected, shared, names, scope, compare=True)
        ]
    return rows


def common_cells(collected: Collected, cells: Cells, datasets: Sequence[str]) -> Cells:
    """Return the cells of the runs that all methods have, nothing where these are all runs.

    Methods without a finished run on any of ``datasets`` are left aside; a run that one method's
    mean leaves out, as the published one does, is left out of all.
    """
    of = [
        method.label
        for method in collected.methods
        if any(_kept(collected, cells.get((dataset, method.label))) for dataset in datasets)
    ]
    found = {d: {o: _kept(collected, cells.get((d, o))) for o in of} for d in datasets}
    shared = {dataset: common(*runs.values()) for dataset, runs in found.items()}
    if all(len(own) == len(shared[d]) for d, runs in found.items() for own in runs.values()):
        return {}
    return {
        (dataset, label): make_cell(
            dataset,
            label,
            collected.metric,
            [own[index] for index in shared[dataset]],
            cells[dataset, label].reference,
        )
        for dataset, runs in found.items()
        for label, own in runs.items()
        if shared[dataset]
    }


def _kept(collected: Collected, cell: Cell | None) -> Mapping[Index, Run]:
    """Return the finished runs of a cell that its mean does not leave out."""
    if cell is None:
        return {}
    return kept_runs(cell, collected.finished.get((cell.dataset, cell.method), {}))


def _prints(collected: Collected) -> bool:
    return collected.paper is not None and bool(collected.paper.cells)


def _kinds(
    collected: Collected, cells: Cells, datasets: Sequence[str], scope: str, compare: bool
) -> list[AverageRow]:
    return [
        AverageRow(
            kind,
            f"{kind.capitalize()} mean{scope}",
            {
                m.label: _average(kind, collected, cells, m, datasets, compare)
                for m in collected.methods
            },
        )
        for kind in collected.metric.averages
    ]


def _average(
    kind: str,
    collected: Collected,
    cells: Cells,
    method: Method,
    datasets: Sequence[str],
    compare: bool,
) -> Average:
    paper = collected.paper
    column = printed_column(collected, method) if compare else None
    own = [
        cell
        for dataset in datasets
        if (cell := cells.get((dataset, method.label))) and cell.compared is not None
    ]
    if column is not None and any(cell.comparable for cell in own):
        # A data set that the column lacks would make it an average of others than the printed one.
        own = [cell for cell in own if cell.comparable]
    else:
        column = None

    def over(value: Callable[[Cell], float | None]) -> float | None:
        return average(kind, map(value, own))

    def sd(value: Callable[[Cell], Spread | None]) -> float | None:
        return over(lambda cell: spread.sd if (spread := value(cell)) else None)

    score = over(lambda cell: mean_of(cell.compared))
    problem = "" if score is not None else "no finished run"
    if score is None and own:
        worst = min(own, key=lambda cell: mean_of(cell.compared) or 0.0)
        problem = f"{worst.dataset} is not positive"
    published: dict[str, float | None] = {}
    if paper is not None and column is not None:
        printed = [cell.published for cell in own]
        published = published_average(kind, column, printed, paper.averaged(column.table))
    return Average(
        method=method.label,
        metric=collected.metric,
        used=len(own),
        of=len(datasets),
        score=score,
        sd=sd(lambda cell: cell.compared),
        score_all=over(lambda cell: mean_of(cell.score)),
        sd_all=sd(lambda cell: cell.score),
        score_kept=over(lambda cell: mean_of(cell.kept)),
        sd_kept=sd(lambda cell: cell.kept),
        train=over(lambda cell: mean_of(cell.train)),
        fit_s=over(lambda cell: mean_of(cell.fit_s)),
        solver_s=over(lambda cell: mean_of(cell.solver_s)),
        exploded=over(lambda cell: float(cell.exploded))
        if kind == "arithmetic" and own and own[0].explodes
        else None,
        problem=problem,
        **published,
    )


def published_average(
    kind: str,
    column: Column,
    cells: Sequence[Published | None],
    averaged: Sequence[str],
) -> dict[str, float | None]:
    """Return the paper's average of a column's ``cells``, nothing where one of them is lacking.

    It is the printed average where they are the data sets ``averaged`` over, else that of the
    printed rows. The keys are fields of :class:`Average`.
    """
    printed = [cell for cell in cells if cell is not None]
    if not printed or len(printed) != len(cells):
        return {}
    whole = column.cells.get(f"{kind}_mean")
    if whole is not None and sorted(cell.dataset for cell in printed) == sorted(averaged):
        values: tuple[float | None, ...]
        values = whole.mean, whole.sd, whole.time_s, whole.exploded_runs
    else:
        values = (
            average(kind, (cell.mean for cell in printed)),
            average(kind, (cell.sd for cell in printed)),
            average(kind, (cell.time_s for cell in printed)),
            average("arithmetic", (cell.exploded_runs for cell in printed)),
        )
    score, sd, time, exploded = values
    return {
        "published": score,
        "published_sd": sd,
        "published_time": time,
        "published_exploded": exploded if kind == "arithmetic" else None,
    }
