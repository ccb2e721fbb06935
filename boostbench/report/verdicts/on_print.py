"""The verdict of a cell's runs on its printed mean: agrees, differs, or undecided.

The interval of measured - printed, its margin and the ways to a standard error are those of
:mod:`boostbench.stats`. From one or two partitions the printed standard error follows from the
printed sd, whose whole variance is taken as that between folds; from three or more partitions of
the same rows the printed mean counts as one more partition. Where the printed runs are known and
are the same as ours, their differences are taken run by run.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench import stats
from boostbench.numbers import known
from boostbench.papers.design import Design
from boostbench.papers.metrics import Metric
from boostbench.report.frames.cell import Cell, CellVerdict, RunsToDecide
from boostbench.report.frames.printed import Printed
from boostbench.report.frames.runs import in_folds
from boostbench.stats.paired import (
    LEAST_PARTITIONS,
    mean_of_folds,
    seed_means,
    whole_partitions,
)

Scores = NDArray[np.float64]
MOST_LEFT_OUT = 0.1
"""Above this share of printed runs that are left out, no verdict but *undecided*."""

_VERDICTS = {
    stats.Verdict.EQUIVALENT: CellVerdict.AGREES,
    stats.Verdict.DIFFERENT: CellVerdict.DIFFERS,
    stats.Verdict.INCONCLUSIVE: CellVerdict.UNDECIDED,
}


@dataclass(frozen=True)
class ErrorModel:
    """The source of a standard error, and the ``difference`` of means with that ``error``.

    ``number_to_decide`` returns how many seeds per fold, or split seeds if ``by_partitions``,
    decide at a margin, ``None`` where no known number does.
    """

    name: str
    difference: float
    error: stats.StandardError | stats.PartitionError
    number_to_decide: Callable[[float], int | None]
    by_partitions: bool = False


def with_verdict(cell: Cell, used: pd.DataFrame, ratio: float, metric: Metric) -> Cell:
    """Return ``cell`` with the verdict of the runs ``used`` in its mean on the printed mean.

    ``ratio`` is the size of the test parts to that of the training parts. The interval is that of
    the difference of the mean of fold means. Without a printed value or a run there is no verdict.
    """
    printed = cell.printed
    if printed is None:
        return cell
    if printed.not_comparable:
        return replace(cell, verdict=CellVerdict.NOT_COMPARABLE)
    if used.empty:
        return cell
    array, design = in_folds(used.score), printed.design
    difference = None if cell.compared is None else cell.compared - printed.value.mean
    cell = replace(
        cell,
        verdict=CellVerdict.UNDECIDED,
        margin=metric.margin(printed.value.mean, printed.sd),
        difference=difference,
        undecided_reason=_no_verdict(array, printed),
    )
    if design is None:
        return cell
    paired = _paired(used.score, printed)
    if paired is not None:
        return _decided(cell, _by_paired_runs(paired, ratio), printed)
    whole = whole_partitions(array)
    all_folds = array.shape[1] == design.split.folds
    if printed.same_rows and all_folds and len(whole) >= LEAST_PARTITIONS:
        return _decided(cell, _by_partitions(whole, printed, design), printed)
    if lacking := _no_printed_sd(printed, design):
        return replace(cell, undecided_reason=cell.undecided_reason or lacking)
    return _decided(cell, _by_printed_sd(array, printed, design, ratio), printed)


def _decided(cell: Cell, model: ErrorModel, printed: Printed) -> Cell:
    """Return ``cell`` with the interval of an error model, and its verdict if it may decide."""
    margin, error = cell.margin, model.error
    assert margin is not None
    interval = stats.equivalence(
        model.difference, error.se, error.df, margin, printed.value.rounding
    )
    cell = replace(
        cell,
        interval_from=model.name,
        low=known(interval.low),
        high=known(interval.high),
        p_equivalent=known(interval.p_equivalent),
        p_different=known(interval.p_different),
    )
    if cell.undecided_reason:
        return cell
    verdict, plan = _VERDICTS[interval.verdict], None
    if verdict is CellVerdict.UNDECIDED:
        plan = RunsToDecide(model.number_to_decide(margin), model.by_partitions)
    return replace(cell, verdict=verdict, to_decide=plan)


def _no_printed_sd(printed: Printed, design: Design) -> str:
    """Return why the printed sd gives no standard error of the printed mean, "" if it does."""
    if printed.value.sd is None:
        return "no sd is printed"
    if printed.sd is None:
        return "no scores can have the printed sd"
    return "the printed mean is over one fold" if design.parts < 2 else ""


def _no_verdict(array: Scores, printed: Printed) -> str:
    """Return why no interval can decide, "" if one can."""
    if printed.left_out > MOST_LEFT_OUT:
        return f"{100 * printed.left_out:.0f} % of the printed runs are left out"
    if printed.design is None:
        return "the paper does not say how it split the rows"
    return _incomplete(array, printed.design)


def _incomplete(array: Scores, design: Design) -> str:
    """Return which folds are missing, as a partition needs all of its folds."""
    have = int((~np.isnan(array).all(axis=2)).sum(axis=1).max())
    if design.split.split in ("kfold", "stratified") and have < design.split.folds:
        verb = "has" if have == 1 else "have"
        return f"{have} of {design.split.folds} folds {verb} a finished run"
    return "" if have > 1 or len(array) >= LEAST_PARTITIONS else "one split says nothing of others"


def _paired(scores: pd.Series, printed: Printed) -> Scores | None:
    """Return measured - printed run by run, ``None`` unless both have the same runs."""
    if not printed.same_rows or set(scores.index) != set(printed.scores):
        return None
    return in_folds(scores - [printed.scores[run] for run in scores.index])


def _by_paired_runs(differences: Scores, ratio: float) -> ErrorModel:
    error = stats.se_over_rows(differences, ratio)
    # More of the printed runs cannot be had.
    return ErrorModel("runs", mean_of_folds(differences), error, lambda _: None)


def _by_partitions(whole: Scores, printed: Printed, design: Design) -> ErrorModel:
    difference = mean_of_folds(whole) - printed.value.mean
    means = seed_means(whole).mean(axis=1)
    seed = stats.variance_components(whole.reshape(-1, whole.shape[-1])).seed
    counts = (~np.isnan(whole)).sum(axis=2)
    error = stats.partition_se(
        means,
        # One seed per fold cannot separate the two: the variance then counts as that of folds.
        0.0 if np.isnan(seed) else seed,
        whole.shape[1],
        max(1, round(len(counts.ravel()) / float(np.sum(1.0 / counts)))),
        design.seeds,
        design.partitions,
    )
    number = partial(
        stats.partitions_to_decide,
        difference,
        float(np.var(means, ddof=1)),
        least_variance=error.one,
        rounding=printed.value.rounding,
    )
    return ErrorModel("partitions", difference, error, number, by_partitions=True)


def _by_printed_sd(array: Scores, printed: Printed, design: Design, ratio: float) -> ErrorModel:
    assert printed.sd is not None
    difference = mean_of_folds(array) - printed.value.mean
    # Further divisions count as further folds, as those of the measured runs do.
    ratio = 0.0 if printed.same_rows else ratio
    own = stats.se_over_partitions(array) if printed.same_rows else stats.se_over_rows(array, ratio)
    # Overlapping training parts hide a part of the variance between means of other rows.
    wider = (1.0 + design.parts * ratio) ** 0.5
    printed_se = stats.published_se(printed.sd, design.parts, design.seeds)
    theirs = stats.StandardError(wider * printed_se, design.parts - 1.0)
    folds = array.reshape(-1, array.shape[-1])
    parts = stats.variance_components(folds)

    def number(margin: float) -> int | None:
        if np.isnan(parts.fold):
            # One seed per fold says nothing about other numbers of seeds.
            return None
        return stats.seeds_to_decide(
            difference,
            parts.fold,
            parts.seed,
            int((~np.isnan(folds).all(axis=1)).sum()),
            margin,
            test_ratio=ratio,
            other_se=theirs.se,
            other_df=theirs.df,
            rounding=printed.value.rounding,
        )

    name = "folds" if printed.same_rows else "rows"
    return ErrorModel(name, difference, stats.difference_se(own, theirs), number)
