"""The statistical verdict on a cell: equivalent to the published mean, different or inconclusive.

The interval of measured - published, its margin and the ways to a standard error are those of
:mod:`boostbench.stats`. From one or two partitions the published standard error follows from the
printed sd and an unknown share of its variance between folds, 1 (the most cautious) by default;
from three or more partitions of the same rows the published mean is one more partition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from boostbench import stats
from boostbench.papers.design import Design
from boostbench.papers.metrics import Metric
from boostbench.report import paired
from boostbench.report.collect import Run
from boostbench.report.reference import Reference

Runs = NDArray[np.float64]
MOST_LEFT_OUT = 0.1
"""Above this share of published runs that are left out, no verdict but *inconclusive*."""
LEAST_PARTITIONS = 3


class Way(StrEnum):
    """How the standard error of measured - published comes about."""

    FOLDS = "folds"
    PARTITIONS = "partitions"
    ROWS = "rows"
    NONE = ""


@dataclass(frozen=True)
class Evidence:
    """What the runs of a cell say of its published mean.

    ``difference`` is the mean of the fold means less the published mean, ``interval`` its 90 %
    interval with the decision that follows, ``seeds_only`` the one with a published share of
    variance between folds of 0; both are ``None`` where nothing gives a published standard error.
    ``reason`` says why the verdict is *inconclusive* whatever the interval. ``seeds`` per fold or
    ``partitions`` would decide; ``plan`` says so in words, or that none does.
    """

    difference: float
    margin: float
    way: Way = Way.NONE
    interval: stats.Equivalence | None = None
    seeds_only: stats.Equivalence | None = None
    reason: str = ""
    seeds: int | None = None
    partitions: int | None = None
    plan: str = ""

    @property
    def verdict(self) -> stats.Verdict:
        """Equivalent, different or inconclusive."""
        if self.reason or self.interval is None:
            return stats.Verdict.INCONCLUSIVE
        return self.interval.verdict

    @property
    def verdict_seeds_only(self) -> stats.Verdict | None:
        """The verdict if none of the published variance were between folds; ``None``: not asked."""
        if self.seeds_only is None:
            return None
        return stats.Verdict.INCONCLUSIVE if self.reason else self.seeds_only.verdict


def evidence(
    runs: Sequence[Run], metric: Metric, reference: Reference, leaves_out: bool
) -> Evidence | None:
    """Return what the ``runs`` of a cell say of its published mean, ``None`` without any run.

    With ``leaves_out`` those that have exploded are left out, as the published mean leaves them.
    """
    scores = {
        index: run.score
        for index, run in paired.finished(runs).items()
        if run.score is not None and not (leaves_out and metric.exploded(run.score))
    }
    if not scores or reference.not_comparable:
        return None
    array = paired.as_array(scores)
    sd = reference.published.sd if reference.sd_possible else None
    found = Evidence(
        difference=_mean(array) - reference.published.mean,
        margin=metric.margin(reference.published.mean, sd),
        reason=_too_many_left_out(reference),
    )
    if reference.design is None:
        return replace(found, reason=found.reason or "the paper does not say how it split the rows")
    whole = array[[not np.isnan(one).all(axis=1).any() for one in array]]
    found = replace(found, reason=found.reason or _incomplete(array, reference.design))
    all_folds = array.shape[1] == reference.design.split.folds
    if reference.same_rows and all_folds and len(whole) >= LEAST_PARTITIONS:
        return _by_partitions(found, whole, reference)
    if reference.published.sd is None:
        return replace(found, reason=found.reason or "no sd is printed")
    if sd is None:
        return replace(found, reason=found.reason or "no scores can have the printed sd")
    if reference.design.parts < 2:
        return replace(found, reason=found.reason or "the published mean is over one fold")
    return _by_published_sd(found, array, reference, sd, test_ratio(runs))


def test_ratio(runs: Sequence[Run]) -> float:
    """Return n_test / n_train, the mean over the finished ``runs``; 0 where it is not recorded."""
    known = [
        run.n_test / (run.n_rows - run.n_test)
        for run in runs
        if run.n_rows and run.n_test and run.n_rows > run.n_test
    ]
    return float(np.mean(known)) if known else 0.0


def _too_many_left_out(reference: Reference) -> str:
    if (reference.left_out or 0.0) <= MOST_LEFT_OUT:
        return ""
    return f"{100 * (reference.left_out or 0.0):.0f} % of the published runs are left out"


def _incomplete(array: Runs, design: Design) -> str:
    """Return which folds are missing: folds of a partition complete each other."""
    have = int((~np.isnan(array).all(axis=2)).sum(axis=1).max())
    if design.split.split in ("kfold", "stratified") and have < design.split.folds:
        return f"{have} of {design.split.folds} folds have a finished run"
    return "" if have > 1 else "one split says nothing of others"


def _mean(array: Runs) -> float:
    return float(paired.fold_means(array).mean())


def _by_partitions(found: Evidence, whole: Runs, reference: Reference) -> Evidence:
    assert reference.design is not None
    found = replace(found, difference=_mean(whole) - reference.published.mean)
    folds = whole.shape[1]
    means = np.nanmean(whole, axis=2).mean(axis=1)
    seed = stats.variance_components(whole.reshape(-1, whole.shape[-1])).seed
    counts = (~np.isnan(whole)).sum(axis=2)
    error = stats.partition_se(
        means,
        # One seed per fold cannot separate the two: all variance is then taken for that of folds.
        0.0 if np.isnan(seed) else seed,
        folds,
        max(1, round(len(counts.ravel()) / float(np.sum(1.0 / counts)))),
        reference.design.seeds,
        reference.design.partitions,
    )
    margin, rounding = found.margin, reference.rounding
    interval = stats.equivalence(found.difference, error.se, error.df, margin, rounding)
    found = replace(found, way=Way.PARTITIONS, interval=interval)
    if found.verdict is not stats.Verdict.INCONCLUSIVE or found.reason:
        return found
    variance = float(np.var(means, ddof=1))
    number = stats.partitions_to_decide(
        found.difference, variance, margin, least_variance=error.one, rounding=rounding
    )
    if number is not None:
        return replace(found, partitions=number, plan=f"{number:,} split seeds would decide")
    least = stats.decidable_margin(found.difference, error.one**0.5, rounding=rounding)
    return replace(found, plan=f"no number of runs decides: that takes a margin of {least:.3g}")


def _by_published_sd(
    found: Evidence, array: Runs, reference: Reference, sd: float, ratio: float
) -> Evidence:
    assert reference.design is not None
    # Divisions anew are taken as further folds, as those of what is measured are.
    folds, seeds = reference.design.parts, reference.design.seeds
    if reference.same_rows:
        way, own, ratio = Way.FOLDS, stats.se_over_partitions(array), 0.0
    else:
        way, own = Way.ROWS, stats.se_over_rows(array, ratio)
    # Means of other rows differ by what the overlap of training parts hides, on either side.
    wider = (1.0 + folds * ratio) ** 0.5
    cautious = stats.StandardError(wider * stats.published_se(sd, folds, seeds), folds - 1.0)
    least = stats.StandardError(stats.published_se(sd, folds, seeds, 0.0), folds * seeds - 1.0)

    def interval(published: stats.StandardError) -> stats.Equivalence:
        error = stats.difference_se(own, published)
        return stats.equivalence(
            found.difference, error.se, error.df, found.margin, reference.rounding
        )

    found = replace(found, way=way, interval=interval(cautious), seeds_only=interval(least))
    if found.verdict is not stats.Verdict.INCONCLUSIVE or found.reason:
        return found
    return _with_seeds(found, array, cautious, ratio, reference.rounding)


def _with_seeds(
    found: Evidence,
    array: Runs,
    published: stats.StandardError,
    ratio: float,
    rounding: float,
) -> Evidence:
    folds = array.reshape(-1, array.shape[-1])
    parts = stats.variance_components(folds)
    more = f"; {LEAST_PARTITIONS} or more split seeds may" if found.way is Way.FOLDS else ""
    if np.isnan(parts.fold):
        return replace(found, plan=f"not known from one seed per fold{more}")
    number = stats.seeds_to_decide(
        found.difference,
        parts.fold,
        parts.seed,
        int((~np.isnan(folds).all(axis=1)).sum()),
        found.margin,
        test_ratio=ratio,
        other_se=published.se,
        other_df=published.df,
        rounding=rounding,
    )
    if number is not None:
        return replace(found, seeds=number, plan=f"{number:,} seeds per fold would decide")
    return replace(found, plan=f"no number of seeds decides{more}")
