"""Cells, averages and verdicts: what was measured, what was published, how far they are apart."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boostbench.papers.results import Dataset, Measured, Method, Spread
from boostbench.report.curves import Curves, mean_curves
from boostbench.report.metric import Metric, Verdict
from boostbench.report.numbers import Counts, count_values

if TYPE_CHECKING:
    from boostbench.papers import Column, Paper, Published
    from boostbench.report.collect import Collected, Run


@dataclass(frozen=True)
class Cell:
    """One method on one data set, over all its folds (or splits) x seeds.

    ``score`` and ``train`` are in the report's ``metric``; sds are over all finished runs together.
    ``exploded`` counts runs that have (R2 < 0), ``kept`` is the score of the others. Times are in
    seconds. ``chosen`` counts how often each value of a parameter was chosen, by parameter,
    ``stops`` why trainings ended. ``reasons`` holds (status, reason, runs) of the runs that have
    not finished.
    """

    dataset: str
    method: str
    metric: Metric
    planned: int
    finished: int = 0
    score: Spread | None = None
    median: float | None = None
    exploded: int = 0
    kept: Spread | None = None
    train: Spread | None = None
    objective: Spread | None = None
    iterations: Spread | None = None
    fit_s: Spread | None = None
    solver_s: Spread | None = None
    choose_s: Spread | None = None
    chosen: Mapping[str, Counts] = field(default_factory=dict)
    stops: Counts = field(default_factory=dict)
    reasons: Sequence[tuple[str, str, int]] = ()
    published: Published | None = None

    @property
    def explodes(self) -> bool:
        """Whether there are runs that may have exploded."""
        return bool(self.finished) and self.metric.explodes_below is not None

    @property
    def leaves_out_exploded(self) -> bool:
        """Whether the comparison leaves out runs that exploded, as the published mean must.

        It does where the paper itself counts such runs in this cell: its ailerons has 44 of 80
        runs with R2 < 0 and still a mean R2 of 0.784 for ORRT.
        """
        return bool(self.exploded and self.published and self.published.exploded_runs)

    @property
    def includes_exploded(self) -> bool:
        """Whether the mean includes runs that exploded, one of which can decide it."""
        return bool(self.exploded) and not self.leaves_out_exploded

    @property
    def compared(self) -> Spread | None:
        """The score beside the published one."""
        return self.kept if self.leaves_out_exploded else self.score

    @property
    def tolerance(self) -> float:
        """One published sd, but at least the metric's tolerance."""
        sd = self.published.sd if self.published else None
        return max(sd or 0.0, self.metric.tolerance)

    @property
    def difference(self) -> float | None:
        """Measured minus published mean score."""
        return _minus(mean_of(self.compared), self.published.mean if self.published else None)

    @property
    def verdict(self) -> Verdict:
        """Whether the published mean is reproduced."""
        return self.metric.verdict(self.difference, self.tolerance)

    @property
    def mixed(self) -> bool:
        """Whether runs chose different values of a parameter: the mean objective says nothing."""
        return any(len(counts) > 1 for counts in self.chosen.values())


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
        return _minus(self.score, self.published)

    @property
    def verdict(self) -> Verdict:
        """Whether the published average is reproduced, within the metric's tolerance."""
        return self.metric.verdict(self.difference, self.metric.tolerance)


@dataclass(frozen=True)
class AverageRow:
    """A row of averages, one per method; ``label`` says over which data sets."""

    kind: str
    label: str
    averages: Mapping[str, Average]


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
        """Whether any cell stands beside a published one."""
        return any(cell.published for cell in self.cells.values())

    @property
    def planned(self) -> int:
        """Runs planned in all."""
        return sum(cell.planned for cell in self.cells.values())

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

    def best(self, dataset: str) -> frozenset[str]:
        """Return the methods of the best mean, if there are others to be better than.

        Means are compared as they are printed: more digits than that decide nothing.
        """
        cells = [self.cell(dataset, method.label) for method in self.methods]
        means = {c.method: self.metric.rounded(c.score.mean) for c in cells if c.score is not None}
        if len(means) < 2:
            return frozenset()
        return frozenset(label for label, mean in means.items() if mean == max(means.values()))

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
            published=cell.published.mean if cell.published else None,
            curve=self.curves.get((dataset, method)),
        )

    def text(self, score: float | None) -> str:
        """Return a score as the report writes it."""
        return self.metric.text(score)

    def planned_runs(self) -> Sequence[int]:
        """Return the different numbers of runs that were planned for a cell."""
        return sorted({cell.planned for cell in self.cells.values()})


def mean_of(spread: Spread | None) -> float | None:
    """Return the mean of a spread, ``None`` where it is unknown."""
    return None if spread is None else spread.mean


def average(kind: str, values: Iterable[float | None]) -> float | None:
    """Return the "arithmetic" or "geometric" mean of the values that are known.

    ``None`` if there are none, and for a geometric mean of one that is not positive.
    """
    known = [value for value in values if value is not None]
    if not known or (kind == "geometric" and min(known) <= 0):
        return None
    if kind == "arithmetic":
        return math.fsum(known) / len(known)
    return math.exp(math.fsum(math.log(value) for value in known) / len(known))


def summarise(collected: Collected) -> Summary:
    """Return the cells, averages and mean curves of ``collected``."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in collected.runs:
        groups.setdefault((run.dataset, run.method), []).append(run)
    methods = {method.label: method for method in collected.methods}
    published_as = {data.label: data.published_as for data in collected.datasets}
    cells = {}
    for (dataset, label), runs in groups.items():
        column = _column(collected, methods[label])
        printed = column.cells.get(published_as[dataset]) if column else None
        cells[dataset, label] = _cell(dataset, label, collected.metric, runs, printed)
    summary = Summary(collected, cells, mean_curves(collected.runs))
    return Summary(collected, cells, summary.curves, _average_rows(summary))


def _column(collected: Collected, method: Method) -> Column | None:
    """Return the printed column that a method is measured against, ``None`` without one."""
    paper = collected.paper
    if paper is None or paper.metric != collected.metric.name:
        return None
    return paper.column(method.registered, method.depth, collected.experiment.get("table"))


def _cell(
    dataset: str, method: str, metric: Metric, runs: Sequence[Run], published: Published | None
) -> Cell:
    done = [run for run in runs if run.status == "ok"]
    scores = [run.score for run in done if run.score is not None]
    kept = [score for score in scores if not metric.exploded(score)]
    failed = Counter((run.status, run.reason) for run in runs if run.status != "ok")
    names = dict.fromkeys(name for run in done for name in run.chosen)
    return Cell(
        dataset=dataset,
        method=method,
        metric=metric,
        planned=len(runs),
        finished=len(done),
        score=Spread.of(scores),
        median=statistics.median(scores) if scores else None,
        exploded=len(scores) - len(kept),
        kept=Spread.of(kept),
        train=Spread.of(run.train for run in done),
        objective=Spread.of(run.objective for run in done),
        iterations=Spread.of(run.iterations for run in done),
        fit_s=Spread.of(run.fit_s for run in done),
        solver_s=Spread.of(run.solver_s for run in done),
        choose_s=Spread.of(run.choose_s for run in done),
        chosen={name: count_values(run.chosen.get(name) for run in done) for name in names},
        stops=count_values(run.stop for run in done if run.stop),
        reasons=[(status, reason, count) for (status, reason), count in sorted(failed.items())],
        published=published,
    )


def _average_rows(summary: Summary) -> list[AverageRow]:
    """Return the averages over the data sets that the paper printed, and over all of them."""
    everything = [data.label for data in summary.datasets]
    of_paper = [data.label for data in summary.datasets if data.published_as and _prints(summary)]
    rows = []
    if len(of_paper) > 1:
        scope = "" if len(of_paper) == len(everything) else ", the paper's data sets"
        rows += _kinds(summary, of_paper, scope, compare=True)
    if len(of_paper) != len(everything) and len(everything) > 1:
        scope = ", all data sets" if _prints(summary) else ""
        rows += _kinds(summary, everything, scope, compare=not of_paper)
    return rows


def _prints(summary: Summary) -> bool:
    return summary.paper is not None and bool(summary.paper.cells)


def _kinds(
    summary: Summary, datasets: Sequence[str], scope: str, compare: bool
) -> list[AverageRow]:
    return [
        AverageRow(
            kind,
            f"{kind.capitalize()} mean{scope}",
            {m.label: _average(kind, summary, m, datasets, compare) for m in summary.methods},
        )
        for kind in summary.metric.kinds
    ]


def _average(
    kind: str, summary: Summary, method: Method, datasets: Sequence[str], compare: bool
) -> Average:
    own = [summary.cell(dataset, method.label) for dataset in datasets]
    own = [cell for cell in own if cell.compared is not None]

    def over(value: Callable[[Cell], float | None]) -> float | None:
        return average(kind, map(value, own))

    def sd(value: Callable[[Cell], Spread | None]) -> float | None:
        return over(lambda cell: spread.sd if (spread := value(cell)) else None)

    score = over(lambda cell: mean_of(cell.compared))
    problem = "" if score is not None else "no finished run"
    if score is None and own:
        worst = min(own, key=lambda cell: mean_of(cell.compared) or 0.0)
        problem = f"{worst.dataset} is not positive"
    published = _published_average(kind, summary, method, own) if compare else {}
    return Average(
        method=method.label,
        metric=summary.metric,
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


def _published_average(
    kind: str, summary: Summary, method: Method, own: Sequence[Cell]
) -> dict[str, float | None]:
    """Return the paper's average of the same data sets, nothing where it lacks one of them."""
    cells = [cell.published for cell in own if cell.published is not None]
    column = _column(summary.collected, method)
    if column is None or not cells or len(cells) != len(own):
        return {}
    whole = column.cells.get(f"{kind}_mean")
    if whole is not None and len(cells) == len(column.datasets):
        values: tuple[float | None, ...]
        values = whole.mean, whole.sd, whole.time_s, whole.exploded_runs
    else:
        values = (
            average(kind, (cell.mean for cell in cells)),
            average(kind, (cell.sd for cell in cells)),
            average(kind, (cell.time_s for cell in cells)),
            average("arithmetic", (cell.exploded_runs for cell in cells)),
        )
    score, sd, time, exploded = values
    return {
        "published": score,
        "published_sd": sd,
        "published_time": time,
        "published_exploded": exploded if kind == "arithmetic" else None,
    }


def _minus(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left - right
