"""The best of all starts of each fold, from runs that are recorded: no new ones are needed.

The seeds of a fold are as many initial solutions. Which is best can be said by the training
objective, as a method with restarts would choose, or by the test score, which looks at the test
rows; where a paper does not say, both are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boostbench.papers.metrics import Metric
from boostbench.papers.results import Spread
from boostbench.report.collect import Run


@dataclass(frozen=True)
class BestOfStarts:
    """The best runs of each fold of one method on one data set, averaged over folds.

    ``by_objective`` are the test scores of the runs of least training objective, ``by_score`` the
    best test scores; ``None`` where no run has finished, or one of them recorded no objective.
    Their sds are over the ``folds`` that have a finished run, of ``planned_folds``. Of ``planned``
    starts ``finished`` have, in all folds together.
    """

    by_objective: Spread | None
    by_score: Spread | None
    folds: int
    planned_folds: int
    finished: int
    planned: int


def best_of_starts(runs: Sequence[Run], metric: Metric) -> BestOfStarts:
    """Return the best of the ``runs`` of a method on a data set, the first one of equals."""
    folds: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        folds.setdefault((run.split_seed, run.fold), []).append(run)
    done = [
        own for fold in folds.values() if (own := [run for run in fold if run.score is not None])
    ]
    known = all(run.objective is not None for own in done for run in own)
    return BestOfStarts(
        by_objective=_mean_of_best(done, lambda run: run.objective or 0.0) if known else None,
        by_score=_mean_of_best(done, lambda run: -metric.sign * (run.score or 0.0)),
        folds=len(done),
        planned_folds=len(folds),
        finished=sum(map(len, done)),
        planned=len(runs),
    )


def _mean_of_best(folds: Sequence[Sequence[Run]], cost: Callable[[Run], float]) -> Spread | None:
    return Spread.of(min(runs, key=cost).score for runs in folds)
