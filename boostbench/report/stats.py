"""Cells, means and verdicts: what was measured, what was published and how far they are apart."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from boostbench.papers import published_datasets, published_for, published_value
from boostbench.report.choices import count_chosen

if TYPE_CHECKING:
    import pandas as pd

    from boostbench.papers import Paper, Published
    from boostbench.report.choices import Counts
    from boostbench.report.frame import DatasetInfo, MethodInfo, Results

TOLERANCE = 0.01


class Verdict(StrEnum):
    """Where a measured mean lies against the published one, given the tolerance."""

    REPRODUCED = "reproduced"
    ABOVE = "above"
    BELOW = "below"
    NONE = ""


def verdict(difference: float | None, tolerance: float) -> Verdict:
    """Return the verdict on ``difference`` = measured - published (``None``: nothing to say)."""
    if difference is None:
        return Verdict.NONE
    if abs(difference) <= tolerance + 1e-12:
        return Verdict.REPRODUCED
    return Verdict.ABOVE if difference > 0 else Verdict.BELOW


@dataclass(frozen=True)
class Cell:
    """One method on one data set, over all its folds x seeds.

    ``r2_sd`` is the sample standard deviation (ddof = 1) over all finished runs together, folds x
    seeds, and ``None`` for fewer than two. ``fit_s`` is the mean time of training in seconds.
    ``kept_mean`` and ``kept_sd`` are over the runs with R2 >= 0 alone. Measured values
    are ``None`` where no run has finished. ``reasons`` holds (status, reason, runs) of those that
    have not. ``chosen`` counts how often each value of a parameter was chosen, by parameter.
    """

    dataset: str
    method: str
    planned: int
    finished: int = 0
    r2_mean: float | None = None
    r2_sd: float | None = None
    r2_median: float | None = None
    negative: int = 0
    kept_mean: float | None = None
    kept_sd: float | None = None
    fit_s: float | None = None
    reasons: Sequence[tuple[str, str, int]] = ()
    chosen: Mapping[str, Counts] = field(default_factory=dict)
    published: Published | None = None

    @property
    def leaves_out_negative(self) -> bool:
        """Whether the comparison leaves out runs with R2 < 0, as the published mean must.

        It does where the paper itself counts such runs in this cell: its ailerons has 44 of 80
        negative runs and still a mean R2 of 0.784 for ORRT.
        """
        return bool(self.negative and self.published and self.published.negative_runs)

    @property
    def exploded(self) -> bool:
        """Whether the mean includes runs with R2 < 0, one of which can decide it."""
        return bool(self.negative) and not self.leaves_out_negative

    @property
    def compared(self) -> float | None:
        """The mean R2 that stands beside the published one."""
        return self.kept_mean if self.leaves_out_negative else self.r2_mean

    @property
    def compared_sd(self) -> float | None:
        """The sd of the runs behind :attr:`compared`."""
        return self.kept_sd if self.leaves_out_negative else self.r2_sd

    @property
    def tolerance(self) -> float:
        """One published sd, but at least :data:`TOLERANCE`."""
        sd = self.published.r2_sd if self.published else None
        return max(sd or 0.0, TOLERANCE)

    @property
    def difference(self) -> float | None:
        """Measured minus published mean R2."""
        return _minus(self.compared, self.published.r2_mean if self.published else None)

    @property
    def verdict(self) -> Verdict:
        """Whether the published mean is reproduced."""
        return verdict(self.difference, self.tolerance)


@dataclass(frozen=True)
class Average:
    """An average of one method's cells over the ``used`` of ``of`` data sets that have a value.

    ``r2`` and ``sd`` average what stands beside the published values, the fields in ``_all`` the
    values over all runs, those in ``_kept`` over the runs with R2 >= 0. ``published`` values
    average the paper's rows of the same data sets; where these are all of the paper's, they are
    the printed averages. ``problem`` says why ``r2`` is missing.
    """

    method: str
    used: int
    of: int
    r2: float | None = None
    sd: float | None = None
    r2_all: float | None = None
    sd_all: float | None = None
    r2_kept: float | None = None
    sd_kept: float | None = None
    fit_s: float | None = None
    negative: float | None = None
    published_r2: float | None = None
    published_sd: float | None = None
    published_time: float | None = None
    published_negative: float | None = None
    problem: str = ""

    @property
    def difference(self) -> float | None:
        """Measured minus published average."""
        return _minus(self.r2, self.published_r2)

    @property
    def verdict(self) -> Verdict:
        """Whether the published average is reproduced, within :data:`TOLERANCE`."""
        return verdict(self.difference, TOLERANCE)


@dataclass(frozen=True)
class AverageRow:
    """A row of averages, one a method; ``label`` says over which data sets."""

    kind: str
    label: str
    averages: Mapping[str, Average]


@dataclass(frozen=True)
class Summary:
    """Every cell and average of a results folder, ready to be laid out.

    ``cells`` is keyed by (data set, method).
    """

    results: Results
    cells: Mapping[tuple[str, str], Cell]
    rows: Sequence[AverageRow] = field(default_factory=list)

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

    def cell(self, dataset: str, method: str) -> Cell:
        """Return a cell; one that was never planned has ``planned == 0``."""
        return self.cells.get((dataset, method), Cell(dataset, method, planned=0))

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


def summarise(results: Results) -> Summary:
    """Return the cells and averages of ``results``."""
    published_as = {dataset.label: dataset.published_as for dataset in results.datasets}
    methods = {method.label: method for method in results.methods}
    cells = {}
    for labels, runs in results.runs.groupby(["dataset", "method"], sort=False):
        dataset, method = map(str, cast(tuple[object, object], labels))
        printed = _published(results.paper, methods[method], published_as[dataset])
        cells[dataset, method] = _cell(dataset, method, runs, printed)
    return Summary(results, cells, _average_rows(results, cells))


def average(kind: str, values: Iterable[float]) -> float | None:
    """Return the "arithmetic" or "geometric" mean; ``None`` if empty or a root of values <= 0."""
    known = list(values)
    if not known or (kind == "geometric" and min(known) <= 0):
        return None
    return math.fsum(known) / len(known) if kind == "arithmetic" else _geometric(known)


def _geometric(values: Sequence[float]) -> float:
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def _sd(values: Sequence[float]) -> float | None:
    return statistics.stdev(values) if len(values) > 1 else None


def _published(paper: Paper | None, method: MethodInfo, dataset: str) -> Published | None:
    if paper is None or not method.registered:
        return None
    return published_for(paper.key, method.registered, dataset, method.depth)


def _cell(dataset: str, method: str, runs: pd.DataFrame, published: Published | None) -> Cell:
    done = runs[runs["status"] == "ok"]
    r2 = [float(value) for value in done["r2"]]
    kept = [value for value in r2 if value >= 0]
    failed = runs[runs["status"] != "ok"]
    reasons = Counter(zip(failed["status"], failed["reason"], strict=True))
    return Cell(
        dataset=dataset,
        method=method,
        planned=len(runs),
        finished=len(r2),
        r2_mean=average("arithmetic", r2),
        r2_sd=_sd(r2),
        r2_median=statistics.median(r2) if r2 else None,
        negative=len(r2) - len(kept),
        kept_mean=average("arithmetic", kept),
        kept_sd=_sd(kept),
        fit_s=average("arithmetic", (float(value) for value in done["fit_s"].dropna())),
        reasons=[(status, reason, count) for (status, reason), count in sorted(reasons.items())],
        chosen=count_chosen(list(done["chosen"])),
        published=published,
    )


def _average_rows(results: Results, cells: Mapping[tuple[str, str], Cell]) -> Sequence[AverageRow]:
    everything = [dataset.label for dataset in results.datasets]
    printed = published_datasets(results.paper.key) if results.paper else {}
    of_paper = [dataset.label for dataset in results.datasets if dataset.published_as in printed]
    rows = []
    if results.paper and len(of_paper) > 1:
        scope = "" if len(of_paper) == len(everything) else ", the paper's data sets"
        rows += _pair(results, cells, of_paper, scope, compare=True)
    if len(of_paper) != len(everything) and len(everything) > 1:
        rows += _pair(results, cells, everything, ", all data sets", compare=not of_paper)
    return rows


def _pair(
    results: Results,
    cells: Mapping[tuple[str, str], Cell],
    datasets: Sequence[str],
    scope: str,
    compare: bool,
) -> list[AverageRow]:
    return [
        AverageRow(
            kind,
            f"{kind.capitalize()} mean{scope}",
            {
                method.label: _average(kind, results, method, datasets, cells, compare)
                for method in results.methods
            },
        )
        for kind in ("arithmetic", "geometric")
    ]


def _average(
    kind: str,
    results: Results,
    method: MethodInfo,
    datasets: Sequence[str],
    cells: Mapping[tuple[str, str], Cell],
    compare: bool,
) -> Average:
    own = [cells[dataset, method.label] for dataset in datasets if (dataset, method.label) in cells]
    own = [cell for cell in own if cell.compared is not None]

    def over(value: Callable[[Cell], float | None]) -> float | None:
        return average(kind, (known for cell in own if (known := value(cell)) is not None))

    measured = over(lambda cell: cell.compared)
    problem = "" if measured is not None else "no finished run"
    if measured is None and own:
        worst = min(own, key=lambda cell: cell.compared or 0.0)
        problem = f"{worst.dataset} is not positive"
    base = Average(
        method=method.label,
        used=len(own),
        of=len(datasets),
        r2=measured,
        sd=over(lambda cell: cell.compared_sd),
        r2_all=over(lambda cell: cell.r2_mean),
        sd_all=over(lambda cell: cell.r2_sd),
        r2_kept=over(lambda cell: cell.kept_mean),
        sd_kept=over(lambda cell: cell.kept_sd),
        fit_s=over(lambda cell: cell.fit_s),
        negative=over(lambda cell: float(cell.negative)) if kind == "arithmetic" else None,
        problem=problem,
    )
    printed = [cell.published for cell in own if cell.published is not None]
    if not compare or not printed or len(printed) != len(own):
        return base
    return _with_published(base, kind, results, printed)


def _with_published(
    base: Average, kind: str, results: Results, printed: Sequence[Published]
) -> Average:
    assert results.paper is not None
    first = printed[0]
    whole = None
    if len(printed) == len(published_datasets(results.paper.key)):
        whole = published_value(
            results.paper.key, first.table, f"{kind}_mean", first.depth, first.method
        )
    r2: float | None
    if whole is not None:
        r2, sd, time, negative = whole.r2_mean, whole.r2_sd, whole.time_s, whole.negative_runs
    else:
        r2 = average(kind, (cell.r2_mean for cell in printed))
        sd = average(kind, (cell.r2_sd for cell in printed if cell.r2_sd is not None))
        time = average(kind, (cell.time_s for cell in printed if cell.time_s is not None))
        counts = [cell.negative_runs for cell in printed if cell.negative_runs is not None]
        negative = average("arithmetic", counts) if kind == "arithmetic" else None
    return replace(
        base,
        published_r2=r2,
        published_sd=sd,
        published_time=time,
        published_negative=negative if kind == "arithmetic" else None,
    )


def _minus(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left - right
