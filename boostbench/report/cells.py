"""A cell of a report: one method on one data set, and how it compares with the published value.

Two verdicts never stand for one thing: whether the mean lies within a tolerance (``verdict``), and
what the runs say of its equivalence with the published one (``evidence``).
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from boostbench.numbers import Counts, count_values
from boostbench.papers import Published
from boostbench.papers.metrics import Metric, Verdict
from boostbench.papers.results import Spread
from boostbench.report.collect import Run
from boostbench.report.equivalence import Evidence, evidence
from boostbench.report.paired import Index
from boostbench.report.reference import Reference


@dataclass(frozen=True)
class Cell:
    """One method on one data set, over all its folds (or splits) x seeds.

    ``score`` and ``train`` are in the report's ``metric``; sds are over all finished runs together.
    ``exploded`` counts runs that have (R2 < 0), ``kept`` is the score of the others. Times are in
    seconds. ``chosen`` counts how often each value of a parameter was chosen, by parameter,
    ``stops`` why trainings ended. ``reasons`` holds (status, reason, runs) of the runs that have
    not finished. ``reference`` is what it is measured against, ``evidence`` what the runs say of
    that (``None`` where they cannot be compared), and ``meant`` whether the method is the reading
    that is meant as the paper's.
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
    reference: Reference | None = None
    evidence: Evidence | None = None
    meant: bool = False

    @property
    def published(self) -> Published | None:
        """The published value, ``None`` where there is none."""
        return self.reference.published if self.reference else None

    @property
    def not_comparable(self) -> str:
        """Why there is no verdict on the published value, "" where there is one."""
        return self.reference.not_comparable if self.reference else ""

    @property
    def comparable(self) -> bool:
        """Whether there is a published value that the cell can be compared with."""
        return self.reference is not None and not self.reference.not_comparable

    @property
    def counts(self) -> bool:
        """Whether it is counted among published cells: comparable, and the first of its data."""
        return self.comparable and self.reference is not None and not self.reference.repeats

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
        return bool(self.exploded and self.reference and self.reference.counted)

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
        """One published sd, if it is possible, but at least the metric's tolerance."""
        known = self.reference is not None and self.reference.sd_possible
        sd = self.published.sd if self.published and known else None
        least = self.metric.least_difference(self.published.mean if self.published else None)
        return max(sd or 0.0, least)

    @property
    def difference(self) -> float | None:
        """Measured minus published mean score, where these can be compared."""
        return difference_of(
            mean_of(self.compared),
            self.published.mean if self.published and self.comparable else None,
        )

    @property
    def verdict(self) -> Verdict:
        """Whether the mean lies within the tolerance of the published one, above or below it."""
        return self.metric.verdict(self.difference, self.tolerance)

    @property
    def mixed(self) -> bool:
        """Whether runs chose different values of a parameter: the mean objective says nothing."""
        return any(len(counts) > 1 for counts in self.chosen.values())


def make_cell(
    dataset: str,
    method: str,
    metric: Metric,
    runs: Sequence[Run],
    reference: Reference | None = None,
) -> Cell:
    """Return the cell of the ``runs`` of a method on a data set, beside its ``reference``."""
    done = [run for run in runs if run.status == "ok"]
    scores = [run.score for run in done if run.score is not None]
    kept = [score for score in scores if not metric.exploded(score)]
    failed = Counter((run.status, run.reason) for run in runs if run.status != "ok")
    names = dict.fromkeys(name for run in done for name in run.chosen)
    cell = Cell(
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
        reference=reference,
    )
    if reference is None:
        return cell
    return replace(cell, evidence=evidence(runs, metric, reference, cell.leaves_out_exploded))


def kept_runs(cell: Cell, runs: Mapping[Index, Run]) -> Mapping[Index, Run]:
    """Return those of a cell's finished ``runs`` that its mean does not leave out."""
    if not cell.leaves_out_exploded:
        return runs
    return {i: run for i, run in runs.items() if not cell.metric.exploded(run.score or 0.0)}


def mean_of(spread: Spread | None) -> float | None:
    """Return the mean of a spread, ``None`` where it is unknown."""
    return None if spread is None else spread.mean


def difference_of(left: float | None, right: float | None) -> float | None:
    """Return ``left - right``, ``None`` where one is unknown."""
    return None if left is None or right is None else left - right
